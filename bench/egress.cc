// What the egress engine costs: throughput and latency through it against a direct connection, on the loopback.
//
//   egress_bench [MEGABYTES [ROUNDS]]
//
// Client, server and engine share the machine, so a throughput through the engine is bounded by half of a direct one.
// The rounds of both sides alternate; latencies are medians.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/check.h"
#include "egress/certificate_authority.h"
#include "base/descriptor.h"
#include "egress/egress.h"

namespace {

using namespace paddock;
using namespace paddock::egress;
using Clock = std::chrono::steady_clock;

double Seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

Descriptor Listening(uint16_t* port) {
  Descriptor fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof address;
  PADDOCK_CHECK(bind(fd.get(), reinterpret_cast<sockaddr*>(&address), size) == 0 && listen(fd.get(), 128) == 0);
  getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size);
  *port = ntohs(address.sin_port);
  return fd;
}

// A blocking stream, plain or TLS.
class Wire {
 public:
  explicit Wire(Descriptor fd) : fd_(std::move(fd)) {
    const int on = 1;
    setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  explicit Wire(uint16_t port) : Wire(Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))) {
    const sockaddr_in address = Loopback(port);
    PADDOCK_CHECK(connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  }
  bool Accept(SSL_CTX* context) {
    ssl_.reset(SSL_new(context));
    SSL_set_fd(ssl_.get(), fd_.get());
    return SSL_accept(ssl_.get()) == 1;
  }
  bool Secure(SSL_CTX* context, const char* name) {
    ssl_.reset(SSL_new(context));
    SSL_set_fd(ssl_.get(), fd_.get());
    SSL_set_tlsext_host_name(ssl_.get(), name);
    return SSL_connect(ssl_.get()) == 1;
  }
  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ssl_ ? SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()))
                                 : send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(count));
    }
    return true;
  }
  // At most the buffer's size; 0 at the end.
  size_t Receive(std::vector<char>& buffer) {
    const ssize_t count = ssl_ ? SSL_read(ssl_.get(), buffer.data(), static_cast<int>(buffer.size()))
                               : recv(fd_.get(), buffer.data(), buffer.size(), 0);
    return count > 0 ? static_cast<size_t>(count) : 0;
  }
  // A head, up to its empty line; nothing behind it may have come yet.
  std::string ReceiveHead() {
    std::string head;
    std::vector<char> byte(1);
    while (!head.ends_with("\r\n\r\n") && Receive(byte) == 1) head += byte[0];
    return head;
  }
  void Skip(size_t bytes) {
    std::vector<char> buffer(256 << 10);
    while (bytes > 0) {
      buffer.resize(std::min<size_t>(buffer.size(), bytes));
      const size_t count = Receive(buffer);
      PADDOCK_CHECK(count > 0);
      bytes -= count;
    }
  }

 private:
  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  Descriptor fd_;
  std::unique_ptr<SSL, Free> ssl_;
};

// Answers "GET /N" with N bytes, for ever.
void Serve(int listener, SSL_CTX* context) {
  const std::string block(256 << 10, 'x');
  for (;;) {
    Descriptor fd(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
    if (!fd) return;
    std::thread([&block, context, wire = std::make_shared<Wire>(std::move(fd))] {
      if (context != nullptr && !wire->Accept(context)) return;
      for (;;) {
        const std::string head = wire->ReceiveHead();
        if (head.empty()) return;
        size_t size = std::strtoull(head.c_str() + 5, nullptr, 10);
        std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n";
        const size_t first = std::min<size_t>(size, 1024);
        answer.append(first, 'x');
        if (!wire->Send(answer)) return;
        size -= first;
        for (; size > 0; size -= std::min(size, block.size())) {
          if (!wire->Send(std::string_view(block).substr(0, size))) return;
        }
      }
    }).detach();
  }
}

using Connect = std::function<Wire()>;

void Get(Wire& wire, size_t size) {
  PADDOCK_CHECK(wire.Send("GET /" + std::to_string(size) + " HTTP/1.1\r\nHost: bench.example\r\n\r\n"));
  const std::string head = wire.ReceiveHead();
  PADDOCK_CHECK(head.starts_with("HTTP/1.1 200"));
  wire.Skip(size);
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

void Compare(const char* name, const Connect& direct, const Connect& through, size_t megabytes, int rounds) {
  std::vector<double> speed[2], request[2], connection[2];
  const Connect* sides[2] = {&direct, &through};
  std::vector<Wire> open;
  for (const Connect* side : sides) open.push_back((*side)());
  for (int i = 0; i < rounds; ++i) {
    for (size_t s = 0; s < 2; ++s) {
      auto before = Clock::now();
      Get(open[s], 1);
      request[s].push_back(Seconds(Clock::now() - before) * 1e6);
      if (i % 4 == 0) {
        before = Clock::now();
        Wire wire = (*sides[s])();
        Get(wire, 1);
        connection[s].push_back(Seconds(Clock::now() - before) * 1e6);
      }
    }
  }
  for (int i = 0; i < 5; ++i) {
    for (size_t s = 0; s < 2; ++s) {
      const auto before = Clock::now();
      Get(open[s], megabytes << 20);
      speed[s].push_back(static_cast<double>(megabytes) / Seconds(Clock::now() - before));
    }
  }
  std::printf("| %s | %.0f | %.0f | %.2f | %.0f | %.0f | %.0f | %.0f |\n", name, Median(speed[0]), Median(speed[1]),
              Median(speed[1]) / Median(speed[0]), Median(request[0]), Median(request[1]), Median(connection[0]),
              Median(connection[1]));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  const size_t megabytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 256;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 2000;

  CertificateAuthority authority;
  const auto server_context = authority.ContextFor(*policy::ParseHost("bench.example"));
  uint16_t plain_port = 0, tls_port = 0, proxy_port = 0;
  const Descriptor plain = Listening(&plain_port), tls = Listening(&tls_port);
  Descriptor proxy = Listening(&proxy_port);
  std::thread(Serve, plain.get(), nullptr).detach();
  std::thread(Serve, tls.get(), server_context->get()).detach();

  EgressOptions options;
  options.rules.mode = policy::NetworkMode::kRules;
  policy::NetworkRule rule;
  rule.host = "*";
  rule.allow_private = true;
  options.rules.rules.push_back(rule);
  rule.host = "bench.example";
  rule.ports = {{tls_port, tls_port}};
  rule.terminate_tls = true;
  options.rules.rules.push_back(rule);
  options.resolve = [](const std::string&) -> Result<std::vector<std::string>> { return std::vector<std::string>{"127.0.0.1"}; };
  options.extra_trust_pem = *authority.Pem();
  options.listeners = {{proxy.Release(), ListenerKind::kProxy}};
  auto engine = Egress::Start(std::move(options));
  PADDOCK_CHECK(engine);

  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> client_context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  const auto tunnel = [&](const std::string& name, uint16_t port) {
    Wire wire(proxy_port);
    const std::string target = name + ":" + std::to_string(port);
    PADDOCK_CHECK(wire.Send("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n") &&
                  wire.ReceiveHead().starts_with("HTTP/1.1 200"));
    return wire;
  };
  const auto secured = [&](Wire wire, const char* name) {
    PADDOCK_CHECK(wire.Secure(client_context.get(), name));
    return wire;
  };
  std::printf(
      "| path | direct MB/s | engine MB/s | ratio | request µs direct | engine | connect+request µs direct | engine "
      "|\n|---|---|---|---|---|---|---|---|\n");
  const Connect direct = [&] { return Wire(plain_port); }, direct_tls = [&] { return secured(Wire(tls_port), "bench.example"); };
  Compare("HTTP, judged", direct, [&] { return tunnel("bench.example", plain_port); }, megabytes, rounds);
  // The rule that opens TLS is for the other name.
  Compare(
      "TLS, passed on", direct_tls, [&] { return secured(tunnel("passed.example", tls_port), "passed.example"); }, megabytes,
      rounds);
  Compare(
      "TLS, opened", direct_tls, [&] { return secured(tunnel("bench.example", tls_port), "bench.example"); }, megabytes, rounds);
  (*engine)->Stop();
  std::fflush(stdout);
  std::_Exit(0);   // the servers' threads wait for ever
}
