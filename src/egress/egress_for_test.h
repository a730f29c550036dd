// For tests: a small server and client on the loopback, an engine around them, and the events that it gave.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/descriptor.h"
#include "egress/egress.h"

namespace paddock::egress {

inline sockaddr_in LoopbackAddress(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

inline uint16_t PortOf(int fd) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

// A bound socket on 127.0.0.1 with a port of the system's choice; TCP ones listen.
inline Descriptor LoopbackSocket(int type = SOCK_STREAM) {
  Descriptor fd(socket(AF_INET, type | SOCK_CLOEXEC, 0));
  sockaddr_in address = LoopbackAddress(0);
  EXPECT_EQ(bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  if (type == SOCK_STREAM) {
    EXPECT_EQ(listen(fd.get(), 512), 0);
  }
  return fd;
}

// A blocking client. Reads give up after ten seconds.
class TestClient {
 public:
  explicit TestClient(uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const sockaddr_in address = LoopbackAddress(port);
    EXPECT_EQ(connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  explicit TestClient(Descriptor fd) : fd_(std::move(fd)) {}

  void Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return;
      bytes.remove_prefix(static_cast<size_t>(count));
    }
  }
  void Finish() { shutdown(fd_.get(), SHUT_WR); }
  // What comes next, at most `most` bytes; "" at the end or a reset.
  std::string Receive(size_t most = 65536) {
    pollfd entry{fd_.get(), POLLIN, 0};
    if (poll(&entry, 1, 10'000) <= 0) {
      ADD_FAILURE() << "nothing came";
      return "";
    }
    std::string bytes(most, '\0');
    const ssize_t count = recv(fd_.get(), bytes.data(), bytes.size(), 0);
    bytes.resize(count > 0 ? static_cast<size_t>(count) : 0);
    return bytes;
  }
  std::string ReceiveExactly(size_t size) {
    std::string all;
    while (all.size() < size) {
      const std::string piece = Receive(size - all.size());
      if (piece.empty()) break;
      all += piece;
    }
    return all;
  }
  std::string ReceiveUntil(std::string_view end) {
    std::string all;
    while (!all.ends_with(end)) {
      const std::string piece = Receive(1);
      if (piece.empty()) break;
      all += piece;
    }
    return all;
  }
  std::string ReceiveAll() {
    std::string all;
    for (;;) {
      const std::string piece = Receive();
      if (piece.empty()) return all;
      all += piece;
    }
  }
  int fd() const { return fd_.get(); }
  Descriptor Take() { return std::move(fd_); }

 private:
  Descriptor fd_;
};

// Serves each connection on a thread of its own with `serve`, until destroyed.
class TestServer {
 public:
  explicit TestServer(std::function<void(TestClient)> serve) : fd_(LoopbackSocket()), serve_(std::move(serve)) {
    port_ = PortOf(fd_.get());
    thread_ = std::thread([this] { Accept(); });
  }
  // Answers every request with `response` and keeps the requests' heads.
  static std::function<void(TestClient)> Http(std::string response, std::vector<std::string>* heads = nullptr) {
    return [response, heads](TestClient client) {
      for (;;) {
        const std::string head = client.ReceiveUntil("\r\n\r\n");
        if (head.empty()) return;
        if (heads != nullptr) heads->push_back(head);
        client.Send(response);
        if (response.find("Content-Length") == std::string::npos) return;
      }
    };
  }
  ~TestServer() {
    shutdown(fd_.get(), SHUT_RDWR);
    thread_.join();
    {
      const std::lock_guard lock(mutex_);
      for (const int fd : open_) shutdown(fd, SHUT_RDWR);
    }
    for (std::thread& worker : workers_) worker.join();
  }
  uint16_t port() const { return port_; }
  size_t accepted() const { return accepted_; }

 private:
  void Accept() {
    for (;;) {
      Descriptor fd(accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!fd) return;
      ++accepted_;
      const std::lock_guard lock(mutex_);
      open_.push_back(fd.get());
      workers_.emplace_back([this, number = fd.Release()] {
        // Shut down here, closed under the lock, so that the destructor meets no other's descriptor.
        serve_(TestClient(Descriptor(dup(number))));
        const std::lock_guard inner(mutex_);
        std::erase(open_, number);
        close(number);
      });
    }
  }

  Descriptor fd_;
  uint16_t port_ = 0;
  std::function<void(TestClient)> serve_;
  std::atomic<size_t> accepted_{0};
  std::mutex mutex_;
  std::vector<int> open_;
  std::vector<std::thread> workers_;
  std::thread thread_;
};

inline policy::NetworkRule AllowRule(std::string host, uint16_t port = 0) {
  policy::NetworkRule rule;
  rule.host = std::move(host);
  if (port != 0) rule.ports = {{port, port}};
  rule.allow_private = true;
  rule.origin = "test rule";
  return rule;
}

// An engine with one listener of each kind. Names resolve to what `names` says.
class TestEngine {
 public:
  explicit TestEngine(std::vector<policy::NetworkRule> rules, EgressOptions options = {}) {
    options.rules.mode = policy::NetworkMode::kRules;
    options.rules.rules = std::move(rules);
    Descriptor proxy = LoopbackSocket(), transparent = LoopbackSocket(), dns_tcp = LoopbackSocket(),
               dns_udp = LoopbackSocket(SOCK_DGRAM);
    proxy_port = PortOf(proxy.get());
    transparent_port = PortOf(transparent.get());
    dns_port = PortOf(dns_udp.get());
    dns_tcp_port = PortOf(dns_tcp.get());
    options.listeners.push_back({proxy.Release(), ListenerKind::kProxy});
    options.listeners.push_back({transparent.Release(), ListenerKind::kTransparent});
    options.listeners.push_back({dns_udp.Release(), ListenerKind::kDnsUdp});
    options.listeners.push_back({dns_tcp.Release(), ListenerKind::kDnsTcp});
    options.on_event = [this](const Event& event) {
      const std::lock_guard lock(mutex_);
      events_.push_back(event);
    };
    options.resolve = [this](const std::string& name) -> Result<std::vector<std::string>> {
      const std::lock_guard lock(mutex_);
      ++lookups_[name];
      const auto found = names.find(name);
      if (found == names.end()) return Error(Code::kNoEntry, "no such name");
      return found->second;
    };
    auto started = Egress::Start(std::move(options));
    EXPECT_TRUE(started) << started.error().message;
    if (started) engine = std::move(*started);
  }
  ~TestEngine() {
    if (engine != nullptr) engine->Stop();
  }

  // The events so far, one text each.
  std::vector<std::string> Events() {
    engine->FlushEvents();
    const std::lock_guard lock(mutex_);
    std::vector<std::string> texts;
    for (const Event& event : events_) texts.push_back(event.Text());
    return texts;
  }
  bool HasEvent(const std::string& part) {
    for (const std::string& text : Events()) {
      if (text.find(part) != std::string::npos) return true;
    }
    return false;
  }
  int lookups(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return lookups_[name];
  }

  // A client whose connection the engine takes for a captured one to `address`:`port`.
  TestClient Captured(const std::string& address, uint16_t port) {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    EXPECT_TRUE(engine->AcceptConnected(ends[0], ListenerKind::kTransparent, address, port));
    return TestClient(Descriptor(ends[1]));
  }

  std::map<std::string, std::vector<std::string>> names;   // set before use
  std::unique_ptr<Egress> engine;
  uint16_t proxy_port = 0, transparent_port = 0, dns_port = 0, dns_tcp_port = 0;

 private:
  std::mutex mutex_;
  std::vector<Event> events_;
  std::map<std::string, int> lookups_;
};

struct ProgramResult {
  int status = -1;
  std::string output;   // stdout and stderr
};

// Runs a program of the machine with that environment, and waits for it.
inline ProgramResult RunProgram(std::vector<std::string> words, std::vector<std::string> environment = {}) {
  ProgramResult result;
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  environment.push_back("PATH=/usr/bin:/bin");
  std::vector<char*> argv, envp;
  for (std::string& word : words) argv.push_back(word.data());
  for (std::string& variable : environment) envp.push_back(variable.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  pid_t pid = -1;
  EXPECT_EQ(posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), envp.data()), 0) << words[0];
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  char piece[4096];
  for (ssize_t count; (count = read(ends[0], piece, sizeof piece)) > 0;) result.output.append(piece, static_cast<size_t>(count));
  close(ends[0]);
  int status = 0;
  if (pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status)) result.status = WEXITSTATUS(status);
  return result;
}

}  // namespace paddock::egress
