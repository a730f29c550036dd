// For tests: servers that speak TLS with certificates of a test authority.
#pragma once

#include <openssl/ssl.h>
#include <signal.h>

#include "egress/certificate_authority.h"
#include "egress/egress_for_test.h"

namespace paddock::egress {

// The server's end of a TLS connection, blocking.
class TlsEnd {
 public:
  TlsEnd(SSL_CTX* context, TestClient client) : client_(std::move(client)), ssl_(SSL_new(context), SSL_free) {
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);   // of this thread: OpenSSL writes to what the other end has closed
    SSL_set_fd(ssl_.get(), client_.fd());
    is_open_ = SSL_accept(ssl_.get()) == 1;
  }
  bool is_open() const { return is_open_; }
  void Send(std::string_view bytes) { SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())); }
  std::string ReceiveUntil(std::string_view end) {
    std::string all;
    char byte = 0;
    while (!all.ends_with(end) && SSL_read(ssl_.get(), &byte, 1) == 1) all += byte;
    return all;
  }
  void Finish() { SSL_shutdown(ssl_.get()); }

 private:
  TestClient client_;
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
  bool is_open_ = false;
};

// Servers for one name, whose certificates `pem` vouches for.
class TestAuthority {
 public:
  // Answers every request on a connection with what `answer` makes of its head.
  std::function<void(TestClient)> Https(const std::string& host, std::function<std::string(const std::string&)> answer) {
    const auto parsed = policy::ParseHost(host);
    const auto context = authority_.ContextFor(*parsed);
    EXPECT_TRUE(context);
    return [context = *context, answer](TestClient client) {
      TlsEnd end(context.get(), std::move(client));
      while (end.is_open()) {
        const std::string head = end.ReceiveUntil("\r\n\r\n");
        if (head.empty()) return;
        end.Send(answer(head));
      }
    };
  }
  std::string Pem() { return *authority_.Pem(); }

 private:
  CertificateAuthority authority_;
};

// A whole answer with that body.
inline std::string HttpAnswer(const std::string& body, const std::string& headers = "") {
  return "HTTP/1.1 200 OK\r\n" + headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

// A file that is gone with the object.
class TestFile {
 public:
  explicit TestFile(const std::string& content) {
    char name[] = "/tmp/paddock_egress_XXXXXX";
    const Descriptor fd(mkstemp(name));
    path_ = name;
    EXPECT_EQ(write(fd.get(), content.data(), content.size()), static_cast<ssize_t>(content.size()));
  }
  ~TestFile() { unlink(path_.c_str()); }
  TestFile(const TestFile&) = delete;
  TestFile& operator=(const TestFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace paddock::egress
