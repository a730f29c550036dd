#include <gtest/gtest.h>

#include "api/mcp/mcp_for_test.h"
#include "api/mcp/resources.h"

namespace paddock::mcp {
namespace {

TEST(McpServer, ListsEveryToolWithSchemasAndHintsOfThePolicy) {
  DialogForTest test;
  test.Handshake();
  const json::array tools = test.Ask("tools/list").at("result").at("tools").as_array();
  EXPECT_EQ(tools.size(), 28u);
  bool has_exec = false;
  for (const json::value& tool : tools) {
    EXPECT_EQ(tool.at("inputSchema").at("type").as_string(), "object");
    EXPECT_EQ(tool.at("outputSchema").at("type").as_string(), "object");
    if (tool.at("name") != "sandbox_exec") continue;
    has_exec = true;
    EXPECT_EQ(tool.at("annotations").at("openWorldHint"), false);   // no network
    EXPECT_EQ(tool.at("annotations").at("destructiveHint"), true);
  }
  EXPECT_TRUE(has_exec);
  EXPECT_EQ(ErrorCode(test.Ask("tools/list", {{"cursor", "x"}})), kInvalidParams);
}

TEST(McpServer, OpenWorldFollowsTheNetwork) {
  DialogForTest test(R"([{"ref": "sandbox", "config": {"network_mode": "egress"}}])");
  test.Handshake();
  const json::object listed = test.Ask("tools/list");
  for (const json::value& tool : listed.at("result").at("tools").as_array()) {
    if (tool.at("name") != "sandbox_exec") continue;
    EXPECT_EQ(tool.at("annotations").at("openWorldHint"), true);
  }
}

TEST(McpServer, CallsGiveTextAndStructuredContent) {
  DialogForTest test;
  test.Handshake();
  const json::object result = test.Call("bash", {{"commands", "echo hi; exit 3"}});
  EXPECT_EQ(result.at("isError"), false);
  EXPECT_EQ(result.at("structuredContent").at("exit_code"), 3);
  EXPECT_NE(TextOf(result).find("hi"), std::string::npos);
}

TEST(McpServer, AToolsErrorIsTheModelsAndHasNoStructure) {
  DialogForTest test;
  test.Handshake();
  const json::object result = test.Call("sandbox_exec", {{"command", "true"}});
  EXPECT_EQ(result.at("isError"), true);
  EXPECT_FALSE(result.contains("structuredContent"));
  EXPECT_NE(TextOf(result).find("sandbox_create"), std::string::npos);
  EXPECT_NE(TextOf(test.Call("bash", {{"command", "true"}})).find("commands"), std::string::npos);
}

TEST(McpServer, CallsOfWhatIsNoToolAreErrorsOfTheProtocol) {
  DialogForTest test;
  test.Handshake();
  EXPECT_EQ(ErrorCode(test.Ask("tools/call")), kInvalidParams);
  EXPECT_EQ(ErrorCode(test.Ask("tools/call", {{"name", 7}})), kInvalidParams);
  EXPECT_EQ(ErrorCode(test.Ask("tools/call", {{"name", "bash"}, {"arguments", "x"}})), kInvalidParams);
  const json::object refused = test.Ask("tools/call", {{"name", "sandbox_exce"}});
  EXPECT_EQ(ErrorCode(refused), kInvalidParams);
  EXPECT_NE(refused.at("error").at("message").as_string().find("sandbox_exec"), std::string::npos);
}

TEST(McpServer, LongOutputIsLinkedAsAResource) {
  DialogForTest test;
  test.Handshake();
  const json::object result = test.Call("bash", {{"commands", "seq 30000"}});
  const json::array& content = result.at("content").as_array();
  ASSERT_EQ(content.size(), 2u);
  EXPECT_EQ(content[1].at("type").as_string(), "resource_link");
  const json::object read = test.Ask("resources/read", {{"uri", content[1].at("uri")}}).at("result").as_object();
  EXPECT_TRUE(read.at("contents").at(0).at("text").as_string().starts_with("1\n2\n"));
}

TEST(McpServer, ProgressIsToldToWhoAsksForIt) {
  DialogForTest test(R"(["bashkit_shell"])", std::chrono::milliseconds(1));
  test.Handshake();
  test.ResponseFor("hello");
  test.Send(
      R"({"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"name":"bash","arguments":{"commands":"echo out; while :; do :; done"},"_meta":{"progressToken":"t1"}}})");
  double last = -1;
  for (int i = 0; i < 3; ++i) {
    const json::value frame = test.Next();
    EXPECT_EQ(frame.at("method").as_string(), "notifications/progress");
    EXPECT_EQ(frame.at("params").at("progressToken").as_string(), "t1");
    EXPECT_GT(frame.at("params").at("progress").to_number<double>(), last);
    last = frame.at("params").at("progress").to_number<double>();
  }
  test.Close();
}

TEST(McpServer, SessionFilesAreListedByPagesInOrder) {
  DialogForTest test;
  test.Handshake();
  test.Call("bash",
            {{"commands",
              "for i in $(seq 1000 1249); do echo $i > /workspace/f$i; done; mkdir /workspace/d; echo x > '/workspace/d/a b#'"}});
  std::vector<std::string> names;
  json::object params;
  size_t pages = 0;
  for (;; ++pages) {
    const json::object page = test.Ask("resources/list", params).at("result").as_object();
    for (const json::value& each : page.at("resources").as_array()) names.push_back(each.at("name").as_string().c_str());
    if (!page.contains("nextCursor")) break;
    params["cursor"] = page.at("nextCursor");
  }
  EXPECT_EQ(pages, 2u);
  ASSERT_EQ(names.size(), 251u);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(names[0], "/d/a b#");
  EXPECT_EQ(ErrorCode(test.Ask("resources/list", {{"cursor", "?"}})), kInvalidParams);
  const json::object read = test.Ask("resources/read", {{"uri", "paddock://session/d/a%20b%23"}}).at("result").as_object();
  EXPECT_EQ(read.at("contents").at(0).at("text").as_string(), "x\n");
}

TEST(McpServer, FilesOfSandboxesAreReadByTheirTemplate) {
  DialogForTest test;
  test.Handshake();
  EXPECT_EQ(test.Ask("resources/templates/list").at("result").at("resourceTemplates").as_array().size(), 2u);
  test.Call("sandbox_create", {{"name", "box"}});
  test.Call("sandbox_exec", {{"command", "printf 'a\\377b' > /workspace/f"}});
  const json::object read = test.Ask("resources/read", {{"uri", "paddock://sandbox/box/workspace/f"}}).at("result").as_object();
  EXPECT_EQ(read.at("contents").at(0).at("blob").as_string(), "Yf9i");
}

TEST(McpServer, AbsentResourcesAreErrorsOfTheirRevision) {
  DialogForTest test;
  test.Handshake();
  for (const char* uri : {"paddock://session/none", "paddock://sandbox/other/etc/passwd"}) {
    EXPECT_EQ(ErrorCode(test.Ask("resources/read", {{"uri", uri}})), kResourceNotFound) << uri;
    EXPECT_EQ(ErrorCode(test.AskStateless("resources/read", {{"uri", uri}})), kInvalidParams) << uri;
  }
  for (const char* uri : {"file:///etc/passwd", "paddock://session/", "paddock://session/a/../b", "paddock://sandbox//x",
                          "paddock://session/%", "paddock://session/%00", "paddock://session/a?b", ""}) {
    EXPECT_EQ(ErrorCode(test.Ask("resources/read", {{"uri", uri}})), kInvalidParams) << uri;
  }
}

TEST(McpServer, ResourcesFollowTheTools) {
  DialogForTest test(R"(["session_storage"])");
  test.Handshake();
  EXPECT_EQ(test.Ask("resources/templates/list").at("result").at("resourceTemplates").as_array().size(), 1u);
  EXPECT_EQ(ErrorCode(test.Ask("resources/read", {{"uri", "paddock://sandbox/x/f"}})), kResourceNotFound);
  DialogForTest bare("[]");
  bare.Handshake();
  EXPECT_FALSE(bare.ResponseFor("hello").at("result").at("capabilities").as_object().contains("resources"));
  EXPECT_EQ(ErrorCode(bare.Ask("resources/list")), kMethodNotFound);
}

constexpr std::chrono::milliseconds kAtOnce(0);

TEST(McpTasks, ACallThatTakesLongBecomesATaskThatCanBeCancelled) {
  DialogForTest test(R"(["bashkit_shell"])", std::chrono::hours(1), kAtOnce);
  EXPECT_TRUE(test.AskStateless("server/discover")
                  .at("result")
                  .at("capabilities")
                  .at("extensions")
                  .as_object()
                  .contains(kTasksExtension));
  const json::object handle =
      test.AskWithTasks("tools/call", {{"name", "bash"}, {"arguments", {{"commands", "while :; do :; done"}}}})
          .at("result")
          .as_object();
  EXPECT_EQ(handle.at("resultType").as_string(), "task");
  EXPECT_EQ(handle.at("status").as_string(), "working");
  const json::object which = {{"taskId", handle.at("taskId")}};
  const json::object shown = test.AskWithTasks("tasks/get", which).at("result").as_object();
  EXPECT_EQ(shown.at("resultType").as_string(), "complete");
  EXPECT_EQ(shown.at("status").as_string(), "working");
  EXPECT_TRUE(test.AskWithTasks("tasks/update", {{"taskId", handle.at("taskId")}, {"inputResponses", json::object()}})
                  .contains("result"));
  EXPECT_TRUE(test.AskWithTasks("tasks/cancel", which).contains("result"));
  while (test.AskWithTasks("tasks/get", which).at("result").at("status") == "working") continue;
  EXPECT_EQ(test.AskWithTasks("tasks/get", which).at("result").at("status").as_string(), "cancelled");
}

TEST(McpTasks, ATaskKeepsItsOutcome) {
  Tasks tasks{kAtOnce};
  const auto run = [&](Outcome outcome) {
    const auto gate = std::make_shared<std::atomic<bool>>(false);
    const Outcome made = tasks.Run("s",
                                   [gate, outcome](std::stop_token) {
                                     while (!*gate) std::this_thread::yield();
                                     return outcome;
                                   },
                                   {});
    const std::string id(std::get<json::object>(made).at("taskId").as_string());
    *gate = true;
    while (tasks.Get("s", id)->at("status") == "working") std::this_thread::yield();
    EXPECT_TRUE(tasks.Cancel("s", id));   // too late
    return *tasks.Get("s", id);
  };
  const json::object completed = run(json::object{{"isError", false}});
  EXPECT_EQ(completed.at("status").as_string(), "completed");
  EXPECT_EQ(completed.at("result").at("isError"), false);
  const json::object failed = run(RpcError{.code = kInternalError, .message = "no", .data = nullptr});
  EXPECT_EQ(failed.at("status").as_string(), "failed");
  EXPECT_EQ(failed.at("error").at("code"), kInternalError);
}

TEST(McpTasks, OnlyClientsThatTakeThemHaveTasks) {
  DialogForTest test(R"(["bashkit_shell"])", std::chrono::hours(1), kAtOnce);
  EXPECT_EQ(test.AskStateless("tools/call", {{"name", "bash"}, {"arguments", {{"commands", "true"}}}})
                .at("result")
                .at("resultType")
                .as_string(),
            "complete");
  const json::object refused = test.AskStateless("tasks/get", {{"taskId", "x"}});
  EXPECT_EQ(ErrorCode(refused), kMissingCapability);
  EXPECT_TRUE(refused.at("error").at("data").at("requiredCapabilities").at("extensions").as_object().contains(kTasksExtension));
  for (const char* method : {"tasks/get", "tasks/update", "tasks/cancel"}) {
    EXPECT_EQ(ErrorCode(test.AskWithTasks(method, {{"taskId", "task_none"}})), kInvalidParams);
    EXPECT_EQ(ErrorCode(test.AskWithTasks(method)), kInvalidParams);
  }
  test.Handshake("2025-06-18");
  for (const char* method : {"tasks/get", "tasks/result", "tasks/list", "tasks/cancel", "tasks/update"}) {
    EXPECT_EQ(ErrorCode(test.Ask(method, {{"taskId", "x"}})), kMethodNotFound) << method;
  }
  EXPECT_FALSE(test.Ask("tools/list").at("result").at("tools").at(0).as_object().contains("execution"));
}

TEST(McpTasks, WithAHandshakeAClientAsksForATask) {
  DialogForTest test;
  test.Handshake();
  const auto begin = [&](const char* commands) {
    return test.Ask("tools/call", {{"name", "bash"}, {"arguments", {{"commands", commands}}}, {"task", {{"ttl", 60000}}}});
  };
  const json::object begun = begin("echo hi; exit 3");
  ASSERT_TRUE(begun.contains("result")) << json::serialize(begun);
  const json::object task = begun.at("result").at("task").as_object();
  EXPECT_EQ(task.at("status").as_string(), "working");
  EXPECT_EQ(task.at("ttl").as_int64(), 3'600'000);
  const json::object which = {{"taskId", task.at("taskId")}};
  const json::object result = test.Ask("tasks/result", which).at("result").as_object();
  EXPECT_EQ(result.at("structuredContent").at("exit_code"), 3);
  EXPECT_EQ(result.at("_meta").at("io.modelcontextprotocol/related-task").at("taskId"), task.at("taskId"));
  EXPECT_EQ(test.Ask("tasks/get", which).at("result").at("status").as_string(), "completed");
  EXPECT_EQ(ErrorCode(test.Ask("tasks/cancel", which)), kInvalidParams);
  const json::object endless = {{"taskId", begin("while :; do :; done").at("result").at("task").at("taskId")}};
  EXPECT_EQ(test.Ask("tasks/cancel", endless).at("result").at("status").as_string(), "cancelled");
  EXPECT_EQ(ErrorCode(test.Ask("tasks/cancel", endless)), kInvalidParams);
  const json::object ended = test.Ask("tasks/result", endless);   // when it has
  ASSERT_TRUE(ended.contains("result")) << json::serialize(ended);
  EXPECT_EQ(test.Ask("tasks/list").at("result").at("tasks").as_array().size(), 2u);
  const json::object refused = test.Ask("tools/call", {{"name", "sandbox_exec"}, {"arguments", {{"command", "true"}}}, {"task", json::object()}});
  ASSERT_TRUE(refused.contains("result")) << json::serialize(refused);
  const json::object failed = {{"taskId", refused.at("result").at("task").at("taskId")}};
  EXPECT_EQ(test.Ask("tasks/result", failed).at("result").at("isError"), true);   // there is no sandbox
  EXPECT_EQ(test.Ask("tasks/get", failed).at("result").at("status").as_string(), "failed");
  for (const char* method : {"tasks/get", "tasks/result", "tasks/cancel"}) {
    EXPECT_EQ(ErrorCode(test.Ask(method, {{"taskId", "task_none"}})), kInvalidParams) << method;
    EXPECT_EQ(ErrorCode(test.Ask(method)), kInvalidParams) << method;
  }
  EXPECT_EQ(ErrorCode(test.Ask("tools/call", {{"name", "kv_store"}, {"arguments", {{"operation", "list"}}}, {"task", json::object()}})), kMethodNotFound);
  EXPECT_EQ(ErrorCode(test.Ask("tools/call", {{"name", "bash"}, {"arguments", {{"commands", "true"}}}, {"task", 5}})), kInvalidParams);
  const json::object listed = test.Ask("tools/list");
  for (const json::value& tool : listed.at("result").at("tools").as_array()) {
    const bool has = tool.as_object().contains("execution");
    EXPECT_EQ(has, tool.at("name") == "bash" || tool.at("name") == "sandbox_exec" || tool.at("name") == "sandbox_create" || tool.at("name") == "sandbox_process_wait");
  }
}

TEST(McpTasks, ACallThatEndsInTimeIsAnsweredAtOnce) {
  DialogForTest test;
  EXPECT_EQ(test.AskWithTasks("tools/call", {{"name", "bash"}, {"arguments", {{"commands", "true"}}}})
                .at("result")
                .at("resultType")
                .as_string(),
            "complete");
}

TEST(McpTasks, ATaskIsOfItsSession) {
  Tasks tasks{kAtOnce};
  const Outcome made = tasks.Run("ses_a",
                                 [](std::stop_token stop) {
                                   while (!stop.stop_requested()) std::this_thread::yield();
                                   return json::object();
                                 },
                                 {});
  const std::string id(std::get<json::object>(made).at("taskId").as_string());
  EXPECT_TRUE(tasks.Get("ses_a", id));
  EXPECT_FALSE(tasks.Get("ses_b", id));
  EXPECT_FALSE(tasks.Cancel("ses_b", id));
}

TEST(McpTasks, TheOldestThatEndedGoWhenThereAreTooMany) {
  Tasks tasks{kAtOnce};
  std::string first;
  for (size_t i = 0; i <= kMostTasks; ++i) {
    const auto gate = std::make_shared<std::atomic<bool>>(false);
    const Outcome made = tasks.Run("s",
                                   [gate](std::stop_token) {
                                     while (!*gate) std::this_thread::yield();
                                     return json::object();
                                   },
                                   {});
    const std::string id(std::get<json::object>(made).at("taskId").as_string());
    if (first.empty()) first = id;
    *gate = true;
    while (tasks.Get("s", id)->at("status") == "working") std::this_thread::yield();
  }
  EXPECT_FALSE(tasks.Get("s", first));
}

TEST(McpServer, UrisAreReadBack) {
  for (const Place& place :
       {Place{"", "/a"}, Place{"", "/a b/\xc3\xa9%#?"}, Place{"sbx_1", "/x//y"}, Place{"my box", "/workspace/f"}}) {
    const auto read = ParseUri(UriOf(place));
    ASSERT_TRUE(read) << UriOf(place);
    EXPECT_EQ(read->sandbox, place.sandbox);
    EXPECT_EQ(read->path, place.path);
  }
}

}  // namespace
}  // namespace paddock::mcp
