#include <gtest/gtest.h>

#include "api/mcp/mcp_for_test.h"

namespace paddock::mcp {
namespace {

TEST(McpDialog, HandshakeAgreesOnTheRevisionAskedFor) {
  DialogForTest test;
  test.Handshake("2025-06-18");
  const json::object result = test.ResponseFor("hello").at("result").as_object();
  EXPECT_EQ(result.at("protocolVersion").as_string(), "2025-06-18");
  EXPECT_EQ(result.at("serverInfo").at("version").as_string(), "1.2.3");
  EXPECT_TRUE(result.at("capabilities").as_object().contains("tools"));
  EXPECT_FALSE(result.contains("resultType"));
}

TEST(McpDialog, HandshakeForAnUnknownRevisionOffersTheNewestThatHasOne) {
  for (const char* revision : {"2024-11-05", "2026-07-28", "x"}) {
    DialogForTest test;
    test.Handshake(revision);
    EXPECT_EQ(test.ResponseFor("hello").at("result").at("protocolVersion").as_string(), "2025-11-25");
  }
}

TEST(McpDialog, BeforeTheHandshakeOnlyPingIsAnswered) {
  DialogForTest test;
  EXPECT_TRUE(test.Ask("ping").contains("result"));
  EXPECT_EQ(ErrorCode(test.Ask("tools/list")), kInvalidRequest);
  test.Handshake();
  test.ResponseFor("hello");
  EXPECT_TRUE(test.Ask("tools/list").contains("result"));
  EXPECT_EQ(ErrorCode(test.Ask("initialize", {{"protocolVersion", "2025-11-25"}})), kInvalidRequest);
}

TEST(McpDialog, AStatelessRequestNeedsNoHandshake) {
  DialogForTest test;
  const json::object found = test.AskStateless("server/discover").at("result").as_object();
  EXPECT_EQ(found.at("resultType").as_string(), "complete");
  EXPECT_EQ(found.at("supportedVersions").at(0).as_string(), "2026-07-28");
  EXPECT_EQ(found.at("cacheScope").as_string(), "private");
  EXPECT_EQ(found.at("_meta").at("io.modelcontextprotocol/serverInfo").at("name").as_string(), "paddock");
  EXPECT_TRUE(test.AskStateless("tools/list").at("result").as_object().contains("ttlMs"));
}

TEST(McpDialog, AStatelessRequestSaysItsRevisionAndCapabilities) {
  DialogForTest test;
  EXPECT_EQ(ErrorCode(test.Ask("server/discover")), kInvalidParams);
  EXPECT_EQ(ErrorCode(test.Ask("server/discover", {{"_meta", {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"}}}})),
            kInvalidParams);
  const json::object refused = test.AskStateless("tools/list", {}, "2031-01-01");
  EXPECT_EQ(ErrorCode(refused), kUnsupportedRevision);
  EXPECT_EQ(refused.at("error").at("data").at("requested").as_string(), "2031-01-01");
  EXPECT_EQ(refused.at("error").at("data").at("supported").at(0).as_string(), "2026-07-28");
}

TEST(McpDialog, MethodsBelongToTheirRevision) {
  DialogForTest test;
  EXPECT_EQ(ErrorCode(test.AskStateless("ping")), kMethodNotFound);
  EXPECT_EQ(ErrorCode(test.AskStateless("initialize")), kMethodNotFound);
  EXPECT_EQ(ErrorCode(test.AskStateless("resources/subscribe")), kMethodNotFound);
  test.Handshake();
  EXPECT_EQ(ErrorCode(test.Ask("prompts/list")), kMethodNotFound);
  EXPECT_EQ(ErrorCode(test.Ask("logging/setLevel")), kMethodNotFound);
}

TEST(McpDialog, WhatIsNoMessageGetsItsCode) {
  const struct {
    const char* frame;
    int code;
    json::value id;
  } cases[] = {
      {"{", kParseError, nullptr},
      {"1", kInvalidRequest, nullptr},
      {"[]", kInvalidRequest, nullptr},
      {R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", kInvalidRequest, nullptr},
      {R"({"id":1,"method":"ping"})", kInvalidRequest, 1},
      {R"({"jsonrpc":"1.0","id":"a","method":"ping"})", kInvalidRequest, "a"},
      {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", kInvalidRequest, nullptr},
      {R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", kInvalidRequest, nullptr},
      {R"({"jsonrpc":"2.0","id":1,"method":7})", kInvalidRequest, 1},
      {R"({"jsonrpc":"2.0","id":1})", kInvalidRequest, 1},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[]})", kInvalidParams, 1},
      {R"({"jsonrpc":"2.0","id":1,"id":2,"method":"ping"})", kParseError, nullptr},
      {"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}", kParseError, nullptr},
  };
  DialogForTest test;
  test.Handshake();
  test.ResponseFor("hello");
  for (const auto& each : cases) {
    test.Send(each.frame);
    const json::object response = test.Next().as_object();
    EXPECT_EQ(ErrorCode(response), each.code) << each.frame;
    EXPECT_EQ(response.at("id"), each.id) << each.frame;
  }
}

TEST(McpDialog, HugeFramesIdsAndDepthAreRefused) {
  DialogForTest test;
  test.Handshake();
  test.ResponseFor("hello");
  test.Send(std::string(kMostFrameBytes + 1, ' '));
  EXPECT_EQ(ErrorCode(test.Next().as_object()), kInvalidRequest);
  test.Send(R"({"jsonrpc":"2.0","id":")" + std::string(kMostIdBytes + 1, 'x') + R"(","method":"ping"})");
  EXPECT_EQ(ErrorCode(test.Next().as_object()), kInvalidRequest);
  test.Send(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":)" + std::string(100'000, '[') + std::string(100'000, ']') +
            "}}");
  EXPECT_EQ(ErrorCode(test.Next().as_object()), kParseError);
}

TEST(McpDialog, ResponsesAndUnknownNotificationsAreNotAnswered) {
  DialogForTest test;
  test.Handshake();
  test.ResponseFor("hello");
  test.Send(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  test.Send(R"({"jsonrpc":"2.0","method":"notifications/nobody/knows"})");
  test.Send(R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"bash","arguments":{"commands":"true"}}})");
  test.Ask("ping");
  EXPECT_EQ(test.waiting(), 0u);
}

TEST(McpDialog, ALongCallHoldsUpNothingAndCanBeCancelled) {
  DialogForTest test;
  test.Handshake();
  test.ResponseFor("hello");
  test.Send(
      R"({"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"name":"bash","arguments":{"commands":"while :; do :; done"}}})");
  EXPECT_TRUE(test.Ask("ping").contains("result"));
  test.Send(R"({"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"name":"bash","arguments":{"commands":"true"}}})");
  EXPECT_EQ(ErrorCode(test.ResponseFor("long")), kInvalidRequest);   // the id is in use
  test.Send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"long","reason":"enough"}})");
  // The shell is free again; of the cancelled call nothing is heard.
  EXPECT_NE(TextOf(test.Call("bash", {{"commands", "echo free"}})).find("free"), std::string::npos);
  EXPECT_EQ(test.waiting(), 0u);
}

TEST(McpDialog, CancellationsOfWhatIsNotThereAreHarmless) {
  DialogForTest test;
  test.Handshake();
  test.ResponseFor("hello");
  for (int i = 0; i < 10'000; ++i) {
    test.Send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" + std::to_string(i) + "}}");
  }
  test.Send(R"({"jsonrpc":"2.0","method":"notifications/cancelled"})");
  test.Send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}})");
  EXPECT_TRUE(test.Ask("ping").contains("result"));
  EXPECT_EQ(test.waiting(), 0u);
}

TEST(McpDialog, NoMoreCallsRunThanAllowed) {
  DialogForTest test;
  test.Handshake();
  test.ResponseFor("hello");
  for (size_t i = 0; i < kMostCalls; ++i) {
    test.Send(R"({"jsonrpc":"2.0","id":"c)" + std::to_string(i) +
              R"(","method":"tools/call","params":{"name":"bash","arguments":{"commands":"while :; do :; done"}}})");
  }
  EXPECT_EQ(ErrorCode(test.Ask("ping")), kTooBusy);
  test.Close();   // ends them all
}

TEST(McpDialog, NothingIsReceivedOrSentAfterClose) {
  DialogForTest test;
  test.Handshake();
  test.ResponseFor("hello");
  test.Send(
      R"({"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"name":"bash","arguments":{"commands":"while :; do :; done"}}})");
  test.Close();
  test.Send(R"({"jsonrpc":"2.0","id":5,"method":"ping"})");
  EXPECT_EQ(test.waiting(), 0u);
}

TEST(McpDialog, TheFirstRevisionHasBatches) {
  DialogForTest test;
  test.Handshake("2025-03-26");
  test.ResponseFor("hello");
  test.Send(R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},7,
                {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"bash","arguments":{"commands":"echo two"}}}])");
  const json::array responses = test.Next().as_array();
  ASSERT_EQ(responses.size(), 3u);
  EXPECT_EQ(ErrorCode(responses[0].as_object()), kInvalidRequest);   // the 7
  EXPECT_EQ(responses[1].at("id"), 1);
  EXPECT_EQ(TextOf(responses[2].at("result").as_object()).find("exit code 0"), 0u);
  test.Send(R"([{"jsonrpc":"2.0","method":"notifications/x"}])");
  test.Ask("ping");
  EXPECT_EQ(test.waiting(), 0u);
}

}  // namespace
}  // namespace paddock::mcp
