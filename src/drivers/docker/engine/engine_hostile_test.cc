// The client against engines that hang, flood, break off and lie, byte by byte as they do it.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "drivers/docker/engine/archives.h"
#include "drivers/docker/engine/containers.h"
#include "drivers/docker/engine/engine.h"
#include "drivers/docker/engine/images.h"
#include "drivers/docker/engine/networks.h"
#include "drivers/docker/engine/volumes.h"
#include "net/net_for_test.h"

namespace paddock::docker {
namespace {

using namespace std::chrono_literals;

const std::string kId(64, 'a');

// Gives the client what `answer` writes to the connection, after it has read a request's head; greetings are answered as they should be.
// When `answer` returns, the connection ends.
class RawEngine {
 public:
  using Answer = std::function<void(net::RawClient& connection, const std::string& head)>;
  explicit RawEngine(Answer answer, std::string newest = "1.41", std::string oldest = "1.12") : answer_(std::move(answer)), newest_(std::move(newest)), oldest_(std::move(oldest)) {
    address_ = {.host = "127.0.0.1"};
    auto listener = net::Listen(&address_, 0600);
    EXPECT_TRUE(listener);
    listener_ = std::move(*listener);
    thread_ = std::thread([this] { Serve(); });
  }
  ~RawEngine() {
    is_over_ = true;
    over_.Give();
    shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
    for (std::thread& one : connections_) one.join();
  }
  RawEngine(const RawEngine&) = delete;

  Result<std::unique_ptr<Engine>> Connect(std::optional<std::chrono::milliseconds> longest = {}) {
    return Engine::Connect({.address = address_, .text = "the fake", .longest_call = longest});
  }
  // For answers: until the test is over.
  void Hang() { over_.Wait(); }
  bool is_over() const { return is_over_; }

  static std::string Whole(int status, const std::string& body) {
    return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
  }

 private:
  void Serve() {
    for (;;) {
      Descriptor connection(accept(listener_.get(), nullptr, nullptr));
      if (is_over_) return;
      if (!connection.is_open()) continue;
      connections_.emplace_back([this, fd = std::make_shared<Descriptor>(std::move(connection))] {
        net::RawClient client(std::move(*fd));
        const std::string head = client.ReceiveUntil("\r\n\r\n");
        if (head.find(" /_ping ") != head.npos) return (void)client.Send("HTTP/1.1 200 OK\r\nApi-Version: " + newest_ + "\r\nContent-Length: 2\r\nConnection: close\r\n\r\nOK");
        if (head.find(" /version ") != head.npos) return (void)client.Send(Whole(200, "{\"MinAPIVersion\":\"" + oldest_ + "\"}"));
        if (head.find("/info ") != head.npos) return (void)client.Send(Whole(200, "{}"));
        answer_(client, head);
      });
    }
  }

  const Answer answer_;
  const std::string newest_, oldest_;   // versions of the API
  net::Address address_;
  Descriptor listener_;
  std::atomic<bool> is_over_{false};
  net::Signal over_;
  std::vector<std::thread> connections_;   // of the serving thread, until it has ended
  std::thread thread_;
};

struct Operation {
  const char* name;
  std::function<Status(const Engine&)> run;
};

template <class T>
Status StatusOf(const Result<T>& result) { return result ? Status() : Status(result.error()); }

std::vector<Operation> AllOperations() {
  const auto nothing = [](std::span<char>) -> Result<size_t> { return 0; };
  return {
      {"create", [](const Engine& e) { return StatusOf(CreateContainer(e, "x", {})); }},
      {"inspect", [](const Engine& e) { return StatusOf(InspectContainer(e, kId)); }},
      {"list", [](const Engine& e) { return StatusOf(ListContainers(e, {"a=b"})); }},
      {"start", [](const Engine& e) { return StartContainer(e, kId); }},
      {"stop", [](const Engine& e) { return StopContainer(e, kId, 10s); }},
      {"kill", [](const Engine& e) { return KillContainer(e, kId, "KILL"); }},
      {"pause", [](const Engine& e) { return PauseContainer(e, kId); }},
      {"unpause", [](const Engine& e) { return UnpauseContainer(e, kId); }},
      {"remove", [](const Engine& e) { return RemoveContainer(e, kId); }},
      {"attach", [](const Engine& e) { return StatusOf(AttachContainer(e, kId)); }},
      {"stats", [](const Engine& e) { return StatusOf(MeasureContainer(e, kId)); }},
      {"image inspect", [](const Engine& e) { return StatusOf(InspectImage(e, "docker.io/library/x:1")); }},
      {"pull", [](const Engine& e) { return PullImage(e, {.reference = "docker.io/library/x:1"}); }},
      {"import", [=](const Engine& e) { return StatusOf(ImportImage(e, nothing, "localhost/x", "1")); }},
      {"tag", [](const Engine& e) { return TagImage(e, "sha256:" + kId, "localhost/x", "1"); }},
      {"image remove", [](const Engine& e) { return RemoveImage(e, "docker.io/library/x:1"); }},
      {"commit", [](const Engine& e) { return StatusOf(CommitContainer(e, kId, "localhost/x", "1")); }},
      {"network create", [](const Engine& e) { return StatusOf(CreateNetwork(e, "x", "", {})); }},
      {"network list", [](const Engine& e) { return StatusOf(ListNetworks(e, {"a=b"})); }},
      {"network remove", [](const Engine& e) { return RemoveNetwork(e, kId); }},
      {"volume create", [](const Engine& e) { return CreateVolume(e, "x", {}); }},
      {"volume inspect", [](const Engine& e) { return StatusOf(InspectVolume(e, "x")); }},
      {"volume list", [](const Engine& e) { return StatusOf(ListVolumes(e, {"a=b"})); }},
      {"volume remove", [](const Engine& e) { return RemoveVolume(e, "x"); }},
      {"volumes' sizes", [](const Engine& e) { return StatusOf(MeasureVolumes(e)); }},
      {"archive stat", [](const Engine& e) { return StatusOf(StatPath(e, kId, "/x")); }},
      {"archive put", [=](const Engine& e) { return PutArchive(e, kId, "/", nothing); }},
      {"archive get", [](const Engine& e) { return GetArchive(e, kId, "/x", [](std::string_view) { return Status(); }); }},
  };
}

TEST(HostileEngine, E5EveryCallHasADeadline) {
  RawEngine* self = nullptr;
  RawEngine engine([&](net::RawClient&, const std::string&) { self->Hang(); });
  self = &engine;
  const auto client = engine.Connect(50ms);
  ASSERT_TRUE(client) << client.error().message;
  for (const Operation& one : AllOperations()) {
    const Status status = one.run(**client);
    ASSERT_FALSE(status) << one.name;
    EXPECT_EQ(status.error().code, Code::kTimedOut) << one.name << ": " << status.error().message;
  }
}

TEST(HostileEngine, E5ABodyThatDoesNotEndHasADeadline) {
  RawEngine* self = nullptr;
  RawEngine engine([&](net::RawClient& connection, const std::string&) {
    connection.Send("HTTP/1.1 200 X\r\nContent-Length: 100\r\n\r\n[");
    self->Hang();
  });
  self = &engine;
  const auto client = engine.Connect(50ms);
  ASSERT_TRUE(client);
  for (const Operation& one : AllOperations()) {
    if (std::string_view(one.name) == "attach" || std::string_view(one.name) == "archive stat") continue;   // they want no body
    EXPECT_FALSE(one.run(**client)) << one.name;
  }
  EXPECT_EQ(ListContainers(**client, {"a"}).error().code, Code::kTimedOut);
}

TEST(HostileEngine, E5BytesThatTrickleDoNotMoveTheDeadline) {
  RawEngine* self = nullptr;
  RawEngine engine([&](net::RawClient& connection, const std::string&) {
    connection.Send("HTTP/1.1 200 X\r\nContent-Length: 1000000\r\n\r\n");
    while (!self->is_over() && connection.Send(" ")) poll(nullptr, 0, 1);
  });
  self = &engine;
  const auto client = engine.Connect(100ms);
  ASSERT_TRUE(client);
  EXPECT_EQ((*client)->Call({.path = "/x"}).error().code, Code::kTimedOut);
}

TEST(HostileEngine, E5AGreetingThatNeverComesIsAnError) {
  net::Address address{.host = "127.0.0.1"};
  const auto listener = net::Listen(&address, 0600);   // connects, and never answers
  ASSERT_TRUE(listener);
  const auto engine = Engine::Connect({.address = address, .text = "the fake", .longest_call = 50ms});
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().code, Code::kTimedOut);
}

TEST(HostileEngine, E7AnEndlessAnswerIsCutOff) {
  for (const char* framing : {"Transfer-Encoding: chunked\r\n\r\n", "Connection: close\r\n\r\n"}) {
    std::atomic<size_t> sent = 0;
    net::Signal ended;
    RawEngine engine([&](net::RawClient& connection, const std::string&) {
      const bool is_chunked = std::string_view(framing).starts_with("T");
      const std::string piece = (is_chunked ? "10000\r\n" : "") + std::string(65536, ' ') + (is_chunked ? "\r\n" : "");
      connection.Send(std::string("HTTP/1.1 200 X\r\n") + framing);
      while (connection.Send(piece)) sent += 65536;
      ended.Give();
    });
    const auto client = engine.Connect();
    ASSERT_TRUE(client);
    EXPECT_EQ((*client)->Call({.path = "/x"}).error().code, Code::kLimit);
    EXPECT_TRUE(ended.Wait()) << "the connection was dropped";
    EXPECT_LT(sent.load(), Engine::kMostAnswer * 3) << "no more than buffers hold";
  }
}

TEST(HostileEngine, E7ALineOfProgressThatDoesNotEndIsCutOff) {
  RawEngine engine([](net::RawClient& connection, const std::string&) {
    connection.Send("HTTP/1.1 200 X\r\nConnection: close\r\n\r\n{\"status\":\"");
    const std::string piece(65536, 'x');
    while (connection.Send(piece)) continue;
  });
  const auto client = engine.Connect();
  ASSERT_TRUE(client);
  EXPECT_EQ(PullImage(**client, {.reference = "docker.io/library/x:1"}).error().code, Code::kLimit);
}

TEST(HostileEngine, E7AHeadThatDoesNotEndIsCutOff) {
  RawEngine engine([](net::RawClient& connection, const std::string&) {
    connection.Send("HTTP/1.1 200 X\r\n");
    const std::string piece = "X-Long: " + std::string(4000, 'x') + "\r\n";
    while (connection.Send(piece)) continue;
  });
  const auto client = engine.Connect();
  ASSERT_TRUE(client);
  EXPECT_FALSE((*client)->Call({.path = "/x"}));
}

TEST(HostileEngine, E4ARefusalInTheMidstOfAnUploadIsTold) {
  constexpr size_t kUpload = 64 << 20;
  for (const bool is_reset : {false, true}) {
    RawEngine engine([&](net::RawClient& connection, const std::string&) {
      connection.Receive(100'000);
      connection.Send(RawEngine::Whole(500, R"({"message":"no space left on device"})"));
      const linger at_once{.l_onoff = 1, .l_linger = 0};
      if (is_reset) setsockopt(connection.fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    });
    const auto client = engine.Connect();
    ASSERT_TRUE(client);
    size_t given = 0;
    const Status status = PutArchive(**client, kId, "/", [&](std::span<char> to) -> Result<size_t> {
      const size_t count = std::min(to.size(), kUpload - given);
      std::fill_n(to.data(), count, 'x');
      given += count;
      return count;
    });
    ASSERT_FALSE(status);
    EXPECT_LT(given, kUpload) << "the rest was not sent";
    // A reset may take away what was said before it, on TCP.
    if (!is_reset) {
      EXPECT_EQ(status.error().message, "put files into the container: no space left on device");
    }
  }
}

TEST(HostileEngine, E4AnEngineThatDiesInTheMidstOfAnUploadIsAnError) {
  RawEngine engine([](net::RawClient& connection, const std::string&) { connection.Receive(100'000); });
  const auto client = engine.Connect();
  ASSERT_TRUE(client);
  const Status status = PutArchive(**client, kId, "/", [](std::span<char> to) -> Result<size_t> { return to.size(); });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kUnavailable) << status.error().message;
}

TEST(HostileEngine, E6AnErrorIsFoundWhereverTheStreamHasIt) {
  const std::pair<const char*, const char*> cases[] = {
      {"{\"errorDetail\":{\"message\":\"first\"}}\n", "first"},
      {"{\"status\":\"a\"}\n{\"error\":\"old form\"}\n", "old form"},
      {"{\"status\":\"a\"}\r\n{\"errorDetail\":{\"message\":\"last, without an end of line\"}}", "last, without an end of line"},
      {"{\"errorDetail\":{\"message\":\"in the midst\"}}\n{\"status\":\"Download complete\"}\n", "in the midst"},
  };
  for (const auto& [stream, words] : cases) {
    RawEngine engine([body = std::string(stream)](net::RawClient& connection, const std::string&) { connection.Send(RawEngine::Whole(200, body)); });
    const auto client = engine.Connect();
    ASSERT_TRUE(client);
    const Status status = PullImage(**client, {.reference = "docker.io/library/x:1"});
    ASSERT_FALSE(status) << stream;
    EXPECT_NE(status.error().message.find(words), std::string::npos) << status.error().message;
  }
}

TEST(HostileEngine, E6APullThatBreaksOffIsNoSuccess) {
  RawEngine engine([](net::RawClient& connection, const std::string&) {
    connection.Send("HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{\"status\":\"a\"}\r\n\r\n");
  });
  const auto client = engine.Connect();
  ASSERT_TRUE(client);
  EXPECT_FALSE(PullImage(**client, {.reference = "docker.io/library/x:1"}));
}

TEST(HostileEngine, E1ThePathHasTheVersionThatBothSpeak) {
  struct Case {
    const char *newest, *oldest, *expected;   // the prefix of the next call; or null: refused
  };
  for (const auto& [newest, oldest, expected] : {Case{"1.24", "1.12", nullptr}, {"1.40", "1.12", nullptr}, {"1.41", "1.12", "/v1.41/"}, {"1.44", "1.44", "/v1.44/"},
                                                 {"1.51", "1.44", "/v1.51/"}, {"1.56", "1.44", "/v1.51/"}, {"1.56", "1.51", "/v1.51/"}, {"1.60", "1.52", nullptr}}) {
    std::mutex mutex;
    std::string seen;
    RawEngine engine([&](net::RawClient& connection, const std::string& head) {
      const std::lock_guard lock(mutex);
      seen = head;
      connection.Send(RawEngine::Whole(200, "[]"));
    }, newest, oldest);
    const auto client = engine.Connect();
    ASSERT_EQ(client.has_value(), expected != nullptr) << newest;
    if (!client) {
      EXPECT_EQ(client.error().code, Code::kNotSupported);
      EXPECT_NE(client.error().message.find(newest), std::string::npos) << client.error().message;
      continue;
    }
    ASSERT_TRUE(ListContainers(**client, {"a"}));
    const std::lock_guard lock(mutex);
    EXPECT_EQ(seen.find(std::string("GET ") + expected), 0u) << seen;
  }
}

TEST(HostileEngine, E3AnswersThatAreNoHttpAreErrors) {
  for (const std::string& bytes : {std::string("\0\0\0\0", 4), std::string("SSH-2.0-x\r\n\r\n"), std::string("HTTP/1.1 99999 X\r\n\r\n"), std::string("HTTP/1.1 200 X\r\nContent-Length: -1\r\n\r\n"),
                                 std::string("HTTP/1.1 200 X\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx"), std::string("HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
                                 std::string("HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n")}) {
    RawEngine engine([&](net::RawClient& connection, const std::string&) { connection.Send(bytes); });
    const auto client = engine.Connect();
    ASSERT_TRUE(client);
    EXPECT_FALSE((*client)->Call({.path = "/x"})) << bytes;
  }
}

TEST(HostileEngine, WhatItSaysIsShownInOneBoundedLine) {
  RawEngine engine([](net::RawClient& connection, const std::string&) {
    connection.Send(RawEngine::Whole(500, "{\"message\":\"a\\u001b[2J\\nb" + std::string(100'000, 'x') + "\"}"));
  });
  const auto client = engine.Connect();
  ASSERT_TRUE(client);
  const Status status = StartContainer(**client, kId);
  ASSERT_FALSE(status);
  EXPECT_LT(status.error().message.size(), 700u);
  for (const char c : status.error().message) EXPECT_GE(static_cast<unsigned char>(c), ' ');
}

}  // namespace
}  // namespace paddock::docker
