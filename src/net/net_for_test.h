// For tests: a server on a free port, and a client that sends and receives raw bytes.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "net/server.h"
#include "net/socket.h"

namespace paddock::net {

// Times that no test should reach; those that a test waits for are set by it.
constexpr std::chrono::milliseconds kTestPatience(20'000);

class RawClient {
 public:
  explicit RawClient(const Address& address) {
    auto fd = Connect(address, kTestPatience);
    EXPECT_TRUE(fd) << fd.error().Text();
    if (fd) fd_ = std::move(*fd);
  }
  explicit RawClient(Descriptor fd) : fd_(std::move(fd)) {}

  // False when the other end does not take it.
  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      pollfd ready{fd_.get(), POLLOUT, 0};
      if (poll(&ready, 1, static_cast<int>(kTestPatience.count())) <= 0) return false;
      const ssize_t count = send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count < 0) return false;
      bytes.remove_prefix(static_cast<size_t>(count));
    }
    return true;
  }
  // What comes, up to `end`, which is the last of it; or up to the end of the stream.
  std::string ReceiveUntil(std::string_view end) {
    while (end.empty() || received_.find(end) == std::string::npos) {
      if (!Fill()) return std::exchange(received_, {});
    }
    const size_t size = received_.find(end) + end.size();
    std::string part = received_.substr(0, size);
    received_.erase(0, size);
    return part;
  }
  std::string ReceiveAll() { return ReceiveUntil(""); }
  std::string Receive(size_t count) {
    while (received_.size() < count && Fill()) continue;
    std::string part = received_.substr(0, count);
    received_.erase(0, part.size());
    return part;
  }
  void FinishSending() { shutdown(fd_.get(), SHUT_WR); }
  void Close() { fd_.Reset(); }
  int fd() const { return fd_.get(); }

 private:
  bool Fill() {
    pollfd ready{fd_.get(), POLLIN, 0};
    if (poll(&ready, 1, static_cast<int>(kTestPatience.count())) <= 0) {
      ADD_FAILURE() << "nothing came";
      return false;
    }
    char bytes[16 << 10];
    const ssize_t count = recv(fd_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (count <= 0) return false;
    received_.append(bytes, static_cast<size_t>(count));
    return true;
  }

  Descriptor fd_;
  std::string received_;
};

class TestServer {
 public:
  explicit TestServer(Handler handler, ServerOptions options = {}) {
    if (options.listeners.empty()) options.listeners.push_back({{.host = "127.0.0.1"}});
    auto server = Server::Start(std::move(options), std::move(handler));
    EXPECT_TRUE(server) << server.error().Text();
    if (server) server_ = std::move(*server);
  }
  Server& operator*() { return *server_; }
  Server* operator->() { return server_.get(); }
  Address address() { return server_->addresses().at(0); }
  RawClient Open() { return RawClient(address()); }
  // Everything that comes back for these bytes, after which the client sends no more.
  std::string Ask(std::string_view bytes) {
    RawClient client = Open();
    client.Send(bytes);
    client.FinishSending();
    return client.ReceiveAll();
  }
  void Reset() { server_.reset(); }

 private:
  std::unique_ptr<Server> server_;
};

// Something that a thread waits for and another one announces.
class Signal {
 public:
  void Give() {
    const std::lock_guard lock(mutex_);
    is_given_ = true;
    changed_.notify_all();
  }
  // False when it was not given within the patience of a test.
  bool Wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kTestPatience, [this] { return is_given_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_given_ = false;
};

// Waits until `condition` holds; for states that nothing announces. False when it does not within the patience of a test.
template <class Condition>
bool Eventually(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + kTestPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    poll(nullptr, 0, 1);
  }
  return true;
}

inline std::string Get(const std::string& target, const std::string& more = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + more + "\r\n";
}
// The answer without its Date.
inline std::string WithoutDate(std::string answer) {
  for (size_t at = answer.find("Date: "); at != std::string::npos; at = answer.find("Date: ")) answer.erase(at, 37);
  return answer;
}
inline std::string BodyOf(const std::string& answer) {
  const size_t end = answer.find("\r\n\r\n");
  return end == std::string::npos ? "no head" : answer.substr(end + 4);
}

}  // namespace paddock::net
