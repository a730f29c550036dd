// The client against a scripted engine: what real ones would have to be broken for.
#include "drivers/docker/engine/engine.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>

#include "drivers/docker/engine/containers.h"
#include "drivers/docker/engine/images.h"
#include "drivers/docker/engine/networks.h"
#include "net/net_for_test.h"

namespace paddock::docker {
namespace {

using namespace std::chrono_literals;

const net::Headers kGreeting{{"Api-Version", "1.41"}, {"Server", "Docker/20.10.24+dfsg1 (linux)"}};
constexpr const char* kInfo = R"({"Runtimes":{"runc":{},"runsc":{}},"DefaultRuntime":"runc","NCPU":2,"MemTotal":1024,"CgroupVersion":"2"})";

// An engine that greets as it should, and does with the rest what `handler` does.
class FakeEngine {
 public:
  // `oldest`: API version.
  explicit FakeEngine(net::Handler handler, net::Headers greeting = kGreeting, std::string oldest = "")
      : server_([this, handler = std::move(handler), greeting = std::move(greeting), oldest = std::move(oldest)](net::Exchange& exchange) {
          const std::string& path = exchange.request().path;
          if (path == "/_ping") return (void)exchange.Respond(200, net::Headers(greeting), "OK");
          if (path == "/version") return (void)exchange.Respond(200, {}, R"({"MinAPIVersion":")" + oldest + "\"}");
          if (path.ends_with("/info")) return (void)exchange.Respond(200, {}, kInfo);
          ++calls_;
          handler(exchange);
        }) {}

  Result<std::unique_ptr<Engine>> Connect() { return Engine::Connect({.address = server_.address(), .text = "the fake"}); }
  int calls() const { return calls_; }

 private:
  std::atomic<int> calls_{0};
  net::TestServer server_;
};

void NotFound(net::Exchange& exchange) { (void)exchange.Respond(404, {}, R"({"message":"no such thing"})"); }

TEST(Engine, NegotiatesTheVersion) {
  std::string path;
  const auto note = [&](net::Exchange& exchange) {
    path = exchange.request().path;
    NotFound(exchange);
  };
  const std::array<const char*, 3> cases[] = {{"1.41", "1.12", "/v1.41/x"}, {"1.44", "1.44", "/v1.44/x"}, {"1.56", "1.44", "/v1.51/x"}, {"1.56", "", "/v1.51/x"}};
  for (const auto& [newest, oldest, expected] : cases) {
    FakeEngine fake(note, {{"Api-Version", newest}}, oldest);
    const auto engine = fake.Connect();
    ASSERT_TRUE(engine) << engine.error().message;
    ASSERT_TRUE((*engine)->Call({.path = "/x"}));
    EXPECT_EQ(path, expected);
  }
}

TEST(Engine, RefusesVersionsThatItDoesNotSpeak) {
  FakeEngine old(NotFound, {{"Api-Version", "1.24"}});
  EXPECT_EQ(old.Connect().error().code, Code::kNotSupported);
  FakeEngine far(NotFound, {{"Api-Version", "1.99"}}, "1.80");
  EXPECT_EQ(far.Connect().error().code, Code::kNotSupported);
  for (const char* text : {"", "one", "1.", "-1.41"}) {
    FakeEngine none(NotFound, {{"Api-Version", text}});
    EXPECT_FALSE(none.Connect()) << text;
  }
  FakeEngine something(NotFound, {{"Server", "nginx"}});
  EXPECT_EQ(something.Connect().error().code, Code::kUnavailable);
}

TEST(Engine, KnowsWhatItTalksTo) {
  FakeEngine docker(NotFound);
  const auto usual = docker.Connect();
  ASSERT_TRUE(usual);
  EXPECT_FALSE((*usual)->is_podman());
  EXPECT_EQ((*usual)->facts().version, "20.10.24+dfsg1");
  FakeEngine fake(NotFound, {{"Api-Version", "1.41"}, {"Libpod-Api-Version", "4.3.1"}, {"Server", "Libpod/4.3.1 (linux)"}});
  const auto engine = fake.Connect();
  ASSERT_TRUE(engine);
  EXPECT_TRUE((*engine)->is_podman());
  EXPECT_EQ((*engine)->facts().version, "4.3.1");
  const auto machine = (*engine)->Machine();
  ASSERT_TRUE(machine);
  EXPECT_EQ((*machine)->runtimes, (std::vector<std::string>{"runc", "runsc"}));
  EXPECT_EQ((*machine)->cgroup_version, 2);
  EXPECT_EQ((*machine)->memory_bytes, 1024u);
}

TEST(Engine, SaysWhichEndpointsWereTried) {
  const Endpoint absent{.address = {.is_unix = true, .host = "/nonexistent/a"}, .text = "unix:///nonexistent/a"};
  const Endpoint other{.address = {.is_unix = true, .host = "/nonexistent/b"}, .text = "unix:///nonexistent/b"};
  const auto engine = Engine::ConnectFirst({absent, other});
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().code, Code::kUnavailable);
  EXPECT_NE(engine.error().message.find("/nonexistent/a"), std::string::npos);
  EXPECT_NE(engine.error().message.find("/nonexistent/b"), std::string::npos);
}

TEST(Engine, AnErrorHasTheEnginesWords) {
  FakeEngine fake(NotFound);
  const auto engine = fake.Connect();
  ASSERT_TRUE(engine);
  const auto answer = (*engine)->Expect({.path = "/x"}, {200});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kNoEntry);
  EXPECT_EQ(answer.error().message, "GET /x: no such thing");
}

TEST(Engine, ASilentEngineIsATimeout) {
  std::atomic<bool> is_over = false;
  FakeEngine fake([&](net::Exchange&) {
    while (!is_over) std::this_thread::sleep_for(1ms);
  });
  const auto engine = fake.Connect();
  ASSERT_TRUE(engine);
  EXPECT_EQ((*engine)->Call({.path = "/x", .time = 50ms}).error().code, Code::kTimedOut);
  is_over = true;
}

TEST(Engine, ACallCanBeCancelled) {
  std::atomic<bool> is_over = false;
  FakeEngine fake([&](net::Exchange&) {
    while (!is_over) std::this_thread::sleep_for(1ms);
  });
  const auto engine = fake.Connect();
  ASSERT_TRUE(engine);
  const auto cancellation = std::make_shared<net::Cancellation>();
  cancellation->Cancel();
  EXPECT_EQ((*engine)->Call({.path = "/x", .cancellation = cancellation}).error().code, Code::kCancelled);
  is_over = true;
}

TEST(Engine, AnAnswerIsBounded) {
  FakeEngine fake([](net::Exchange& exchange) { (void)exchange.Respond(200, {}, std::string(Engine::kMostAnswer + 1, 'x')); });
  const auto engine = fake.Connect();
  ASSERT_TRUE(engine);
  EXPECT_EQ((*engine)->Call({.path = "/x"}).error().code, Code::kLimit);
}

TEST(Engine, OnlyWholeIdsAreSent) {
  FakeEngine fake(NotFound);
  const auto engine = fake.Connect();
  ASSERT_TRUE(engine);
  for (const std::string& id : {std::string("a"), std::string(12, 'a'), std::string("../../x"), std::string(64, 'A')}) {
    EXPECT_EQ(StartContainer(**engine, id).error().code, Code::kInvalid);
    EXPECT_EQ(RemoveContainer(**engine, id).error().code, Code::kInvalid);
    EXPECT_EQ(InspectContainer(**engine, id).error().code, Code::kInvalid);
    EXPECT_FALSE(AttachContainer(**engine, id));
  }
  EXPECT_EQ(fake.calls(), 0);
}

TEST(Engine, AListIsLookedAtAgain) {
  const std::string id(64, 'a');
  FakeEngine fake([&](net::Exchange& exchange) {
    (void)exchange.Respond(200, {}, "[{\"Id\":\"" + id + "\",\"Labels\":{\"managed\":\"us\",\"deployment\":\"theirs\"}}]");
  });
  const auto engine = fake.Connect();
  ASSERT_TRUE(engine);
  EXPECT_EQ(ListContainers(**engine, {"managed=us"})->size(), 1u);
  EXPECT_EQ(ListContainers(**engine, {"managed", "deployment"})->size(), 1u);
  EXPECT_TRUE(ListContainers(**engine, {"managed=us", "deployment=ours"})->empty());
  EXPECT_TRUE(ListNetworks(**engine, {"managed=us", "deployment=ours"})->empty());
}

TEST(Engine, WhatIsGoneNeedsNoRemoval) {
  FakeEngine fake(NotFound);
  const auto engine = fake.Connect();
  ASSERT_TRUE(engine);
  EXPECT_TRUE(RemoveContainer(**engine, std::string(64, 'a')));
}

TEST(Engine, AnotherContainersAnswerIsRefused) {
  FakeEngine fake([](net::Exchange& exchange) { (void)exchange.Respond(200, {}, "{\"Id\":\"" + std::string(64, 'b') + "\"}"); });
  const auto engine = fake.Connect();
  ASSERT_TRUE(engine);
  EXPECT_FALSE(InspectContainer(**engine, std::string(64, 'a')));
}

TEST(Engine, AFailedPullIsAnErrorAlthoughItsStatusIsFine) {
  FakeEngine fake([](net::Exchange& exchange) {
    (void)exchange.Respond(200, {}, "{\"status\":\"Pulling\",\"id\":\"a1\",\"progressDetail\":{\"current\":5,\"total\":9}}\n{\"errorDetail\":{\"message\":\"manifest unknown\"}}\n");
  });
  const auto engine = fake.Connect();
  ASSERT_TRUE(engine);
  std::vector<PullProgress> seen;
  const Status status = PullImage(**engine, {.reference = "docker.io/library/x:1", .on_progress = [&](const PullProgress& one) { seen.push_back(one); }});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kNoEntry);
  EXPECT_EQ(status.error().message, "pull image docker.io/library/x:1: manifest unknown");
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].layer, "a1");
  EXPECT_EQ(seen[0].current, 5u);
}

TEST(Engine, BothEnginesWordsForATakenNameAreOneError) {
  for (const auto& [status, body] : {std::pair(409, R"({"message":"Conflict. The container name is in use"})"),
                                     std::pair(500, R"({"message":"creating container storage: the container name \"x\" is already in use"})")}) {
    FakeEngine fake([status = status, body = body](net::Exchange& exchange) { (void)exchange.Respond(status, {}, body); });
    const auto engine = fake.Connect();
    ASSERT_TRUE(engine);
    EXPECT_EQ(CreateContainer(**engine, "x", {}).error().code, Code::kExists);
  }
}

}  // namespace
}  // namespace paddock::docker
