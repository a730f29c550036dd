#include "api/mcp/subscriptions.h"

#include <gtest/gtest.h>

#include "api/mcp/mcp_for_test.h"

namespace paddock::mcp {
namespace {

constexpr const char* kUpdated = "notifications/resources/updated";

std::function<bool(const json::value&)> Is(const char* method) {
  return [method](const json::value& frame) {
    const json::value* const found = frame.as_object().if_contains("method");
    return found != nullptr && *found == method;
  };
}

TEST(McpSubscriptions, AChangedFileIsToldToWhoSubscribed) {
  DialogForTest client;
  client.Handshake();
  EXPECT_EQ(client.ResponseFor("hello").at("result").at("capabilities").at("resources"), json::value({{"subscribe", true}, {"listChanged", true}}));
  client.Call("write_file", {{"path", "/a"}, {"content", "1"}});
  EXPECT_TRUE(client.Ask("resources/subscribe", {{"uri", "paddock://session/a"}}).contains("result"));
  client.Call("write_file", {{"path", "/b"}, {"content", "1"}});   // nobody asked
  client.Call("write_file", {{"path", "/a"}, {"content", "22"}});
  EXPECT_EQ(client.Next(Is(kUpdated)).at("params").at("uri"), "paddock://session/a");
  // A file that is not there yet, in a sandbox.
  const std::string id(client.Call("sandbox_create", {{"name", "box"}}).at("structuredContent").at("sandbox_id").as_string());
  const std::string uri = "paddock://sandbox/" + id + "/workspace/late";
  EXPECT_TRUE(client.Ask("resources/subscribe", {{"uri", uri}}).contains("result"));
  client.Call("sandbox_exec", {{"sandbox_id", id}, {"command", "echo 1 > late"}});
  EXPECT_EQ(client.Next(Is(kUpdated)).at("params").at("uri"), json::value(uri));
  EXPECT_TRUE(client.Ask("resources/unsubscribe", {{"uri", uri}}).contains("result"));
  EXPECT_TRUE(client.Ask("resources/unsubscribe", {{"uri", uri}}).contains("result"));   // again
}

TEST(McpSubscriptions, WhoAskedForTheListIsToldThatItChanged) {
  DialogForTest client;
  client.Handshake();
  client.Ask("resources/list");
  client.Call("write_file", {{"path", "/new"}, {"content", "1"}});
  client.Next(Is("notifications/resources/list_changed"));
  client.Call("delete_file", {{"path", "/new"}});
  client.Next(Is("notifications/resources/list_changed"));
}

TEST(McpSubscriptions, WhatCannotBeWatchedIsRefused) {
  DialogForTest client;
  client.Handshake();
  EXPECT_EQ(ErrorCode(client.Ask("resources/subscribe")), kInvalidParams);
  EXPECT_EQ(ErrorCode(client.Ask("resources/subscribe", {{"uri", "file:///etc/passwd"}})), kInvalidParams);
  EXPECT_EQ(ErrorCode(client.Ask("resources/subscribe", {{"uri", "paddock://session/none/there"}})), kResourceNotFound);
  EXPECT_EQ(ErrorCode(client.Ask("resources/subscribe", {{"uri", "paddock://sandbox/sbx_other/a"}})), kResourceNotFound);
  client.Call("write_file", {{"path", "/folder/a"}, {"content", "1"}});
  EXPECT_EQ(ErrorCode(client.Ask("resources/subscribe", {{"uri", "paddock://session/folder"}})), kInvalidParams);
  EXPECT_EQ(ErrorCode(client.AskStateless("resources/subscribe", {{"uri", "paddock://session/a"}})), kMethodNotFound);
}

TEST(McpSubscriptions, AreBounded) {
  DialogForTest client;
  client.Handshake();
  for (size_t i = 0; i < kMostSubscriptions; ++i) {
    ASSERT_TRUE(client.Ask("resources/subscribe", {{"uri", "paddock://session/f" + std::to_string(i)}}).contains("result"));
  }
  EXPECT_TRUE(client.Ask("resources/subscribe", {{"uri", "paddock://session/f0"}}).contains("result"));   // is one already
  EXPECT_EQ(ErrorCode(client.Ask("resources/subscribe", {{"uri", "paddock://session/more"}})), kTooBusy);
  client.Ask("resources/unsubscribe", {{"uri", "paddock://session/f0"}});
  EXPECT_TRUE(client.Ask("resources/subscribe", {{"uri", "paddock://session/more"}}).contains("result"));
}

class Listening : public testing::Test {
 protected:
  json::object Listen(const char* id, json::object notifications) {
    client_.Send(json::serialize(json::object{
        {"jsonrpc", "2.0"},
        {"id", id},
        {"method", "subscriptions/listen"},
        {"params",
         {{"notifications", std::move(notifications)},
          {"_meta", {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"}, {"io.modelcontextprotocol/clientCapabilities", json::object()}}}}}}));
    return client_
        .Next([&](const json::value& frame) {
          const json::object& object = frame.as_object();
          return (object.contains("id") && object.at("id") == id) || Is("notifications/subscriptions/acknowledged")(frame);
        })
        .as_object();
  }
  void Write(const char* path, const char* text) {
    json::object response = client_.AskStateless("tools/call", {{"name", "write_file"}, {"arguments", {{"path", path}, {"content", text}}}});
    ASSERT_FALSE(response.at("result").at("isError").as_bool()) << response;
  }

  DialogForTest client_;
};

TEST_F(Listening, IsAcknowledgedWithWhatCanBeHeardAndNothingElseComes) {
  const json::object acknowledged =
      Listen("l1", {{"toolsListChanged", true},
                    {"resourcesListChanged", true},
                    {"resourceSubscriptions", {"paddock://session/a", "paddock://sandbox/sbx_other/a", "file:///x", "paddock://session/no/such"}}});
  EXPECT_EQ(acknowledged.at("params").at("notifications"),
            json::value({{"resourceSubscriptions", {"paddock://session/a"}}, {"resourcesListChanged", true}}));
  EXPECT_EQ(acknowledged.at("params").at("_meta").at(kSubscriptionKey), "l1");
  Write("/a", "1");
  for (const char* method : {kUpdated, "notifications/resources/list_changed"}) {
    EXPECT_EQ(client_.Next(Is(method)).at("params").at("_meta").at(kSubscriptionKey), "l1");
  }
  Listen("l2", {{"resourceSubscriptions", {"paddock://session/b"}}});
  Write("/b", "1");
  EXPECT_EQ(client_.Next(Is(kUpdated)).at("params").at("_meta").at(kSubscriptionKey), "l2");
}

TEST_F(Listening, EndsWhenItIsCancelledWithoutAWordAndWithOneWhenThisEndCloses) {
  Listen("l1", {{"resourceSubscriptions", {"paddock://session/a"}}});
  Listen("l2", {{"resourceSubscriptions", {"paddock://session/a"}}});
  client_.Send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"l1"}})");
  // The id is free again when it has ended.
  while (!Listen("l1", {}).contains("method")) continue;
  client_.Close();
  const json::object ended = client_.ResponseFor("l2");
  EXPECT_EQ(ended.at("result").at("resultType"), "complete");
  EXPECT_EQ(ended.at("result").at("_meta").at(kSubscriptionKey), "l2");
}

TEST_F(Listening, EndsAlsoWhenItIsCancelledBeforeItHasBegun) {
  for (int i = 0; i < 40; ++i) {
    const std::string id = std::to_string(i);
    client_.Send(R"({"jsonrpc":"2.0","id":")" + id +
                 R"(","method":"subscriptions/listen","params":{"notifications":{"resourcesListChanged":true},"_meta":{)"
                 R"("io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}})");
    client_.Send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":")" + id + "\"}}");
  }
  client_.Close();   // waits for all of them
  client_.Send("{}");
}

TEST_F(Listening, MalformedOnesAreRefusedAndTheirNumberIsBounded) {
  EXPECT_EQ(ErrorCode(client_.AskStateless("subscriptions/listen")), kInvalidParams);
  EXPECT_EQ(ErrorCode(client_.AskStateless("subscriptions/listen", {{"notifications", {{"resourceSubscriptions", "a"}}}})), kInvalidParams);
  EXPECT_EQ(ErrorCode(client_.AskStateless("subscriptions/listen", {{"notifications", {{"resourceSubscriptions", {1}}}}})), kInvalidParams);
  EXPECT_EQ(ErrorCode(client_.AskStateless("subscriptions/listen", {{"notifications", {{"resourcesListChanged", 1}}}})), kInvalidParams);
  for (size_t i = 0; i < kMostListens; ++i) ASSERT_TRUE(Listen(("l" + std::to_string(i)).c_str(), {}).contains("method"));
  EXPECT_EQ(ErrorCode(Listen("more", {})), kTooBusy);
}

// A session whose watches the test ends and forbids.
class SessionForTest final : public tools::SessionAccess {
 public:
  const std::string& id() const override { return id_; }
  Result<std::shared_ptr<tools::SandboxAccess>> Create(const tools::CreateRequest&) override { return Error(Code::kUnavailable, "none"); }
  Result<std::vector<tools::SandboxInfo>> List() override { return std::vector<tools::SandboxInfo>(); }
  Result<std::shared_ptr<tools::SandboxAccess>> Find(const std::string&) override { return Error(Code::kNoEntry, "none"); }
  Result<tools::FileLease> Files() override { return Error(Code::kUnavailable, "none"); }
  tools::KeyValueStore& keys() override { return *keys_; }
  Status Settle() override { return {}; }
  Result<std::shared_ptr<void>> Watch(const tools::WatchRequest&, tools::WatchListener listener) override {
    if (!refusal) return refusal.error();
    listeners.push_back(std::move(listener));
    ++watching;
    return std::shared_ptr<void>(nullptr, [this](void*) { --watching; });
  }

  Status refusal;
  std::vector<tools::WatchListener> listeners;
  int watching = 0;

 private:
  const std::string id_ = "ses_test";
  const std::unique_ptr<tools::KeyValueStore> keys_ = tools::MakeMemoryKeys(1, 1);
};

class Minding : public testing::Test {
 protected:
  using Clock = Subscriber::Clock;
  Minding() {
    outlet_ = subscriber_->feed().Attach({.send = [this](uint64_t, const json::object&) { return ++told_ > 0; }, .close = {}}, std::nullopt)->outlet;
    subscriber_->feed().Pump();
  }
  static constexpr auto kPatience = std::chrono::minutes(5);
  const std::shared_ptr<SessionForTest> session_ = std::make_shared<SessionForTest>();
  const std::shared_ptr<Subscriber> subscriber_ = std::make_shared<Subscriber>();
  int told_ = 0;
  uint64_t outlet_ = 0;
};

TEST_F(Minding, AWatchThatEndsIsToldAndMadeAgain) {
  ASSERT_TRUE(subscriber_->Add(session_, ""));
  EXPECT_FALSE(subscriber_->NeedsMending(Clock::now(), kPatience));
  session_->listeners.back().on_end(Error(Code::kUnavailable, "at rest"));
  EXPECT_EQ(told_, 1);
  session_->refusal = Error(Code::kUnavailable, "stopped");
  auto now = Clock::now();
  ASSERT_TRUE(subscriber_->NeedsMending(now, kPatience));
  subscriber_->Mend(now, kPatience);
  EXPECT_FALSE(subscriber_->NeedsMending(now, kPatience));   // not at once again
  session_->refusal = {};
  now += std::chrono::minutes(2);
  ASSERT_TRUE(subscriber_->NeedsMending(now, kPatience));
  subscriber_->Mend(now, kPatience);
  EXPECT_EQ(told_, 2);   // nobody saw what happened meanwhile
  EXPECT_EQ(session_->watching, 1);
}

TEST_F(Minding, WhoDoesNotListenForLongIsWatchedForNoLonger) {
  ASSERT_TRUE(subscriber_->Add(session_, ""));
  ASSERT_TRUE(subscriber_->feed().Detach(outlet_));
  subscriber_->Left();
  EXPECT_FALSE(subscriber_->NeedsMending(Clock::now(), kPatience));
  const auto later = Clock::now() + 2 * kPatience;
  ASSERT_TRUE(subscriber_->NeedsMending(later, kPatience));
  subscriber_->Mend(later, kPatience);
  EXPECT_EQ(session_->watching, 0);
  EXPECT_FALSE(subscriber_->NeedsMending(later, kPatience));
  // And is told of everything when it comes back.
  ASSERT_TRUE(subscriber_->feed().Attach({.send = [this](uint64_t, const json::object&) { return ++told_ > 0; }, .close = {}}, std::nullopt));
  subscriber_->feed().Pump();
  subscriber_->Came(false);
  EXPECT_EQ(told_, 1);
  ASSERT_TRUE(subscriber_->NeedsMending(later, kPatience));
  subscriber_->Mend(later, kPatience);
  EXPECT_EQ(session_->watching, 1);
}

TEST_F(Minding, NothingIsWatchedWhenItCloses) {
  ASSERT_TRUE(subscriber_->Add(session_, ""));
  subscriber_->Close();
  EXPECT_EQ(session_->watching, 0);
  EXPECT_EQ(subscriber_->Add(session_, "").error().code, Code::kUnavailable);
}

}  // namespace
}  // namespace paddock::mcp
