// The tools of other makers, as their agents call them.

#include <gtest/gtest.h>

#include "tools/adapt/anthropic.h"
#include "tools/adapt/openai.h"
#include "tools/capability/capability.h"
#include "tools/session_for_test.h"

namespace paddock::tools {
namespace {

class Adapters : public testing::TestWithParam<SessionKind> {
 protected:
  void SetUp() override { Equip(R"(["sandbox"])"); }
  void Equip(std::string_view list) {
    equipment = Resolve(catalog, {.isolations = {"virtual"}, .features = {}}, {{"session", ParseAttachments(ParseJson(list).value(), "").value(), ""}}).value();
  }
  json::object Anthropic(std::string_view name, std::string_view input) {
    CallContext context = session.Context();
    return HandleAnthropicToolUse(context, equipment, json::object{{"type", "tool_use"}, {"id", "toolu_1"}, {"name", name}, {"input", ParseJson(input).value()}});
  }
  std::string Said(std::string_view name, std::string_view input) {
    const json::object result = Anthropic(name, input);
    EXPECT_EQ(result.at("type"), "tool_result");
    EXPECT_EQ(result.at("tool_use_id"), "toolu_1");
    return (result.at("is_error").as_bool() ? "ERROR: " : "") + TextAt(result, "content");
  }
  std::string Edit(std::string_view input) { return Said("str_replace_based_edit_tool", input); }
  json::object OpenAi(std::string_view item) {
    CallContext context = session.Context();
    return HandleOpenAiCall(context, equipment, ParseJson(item).value());
  }
  const Catalog catalog = BuiltInCapabilities();
  SessionForTest session{GetParam()};
  Equipment equipment;
};
INSTANTIATE_TEST_SUITE_P(Sessions, Adapters, testing::Values(SessionKind::kDirect, SessionKind::kRegistry), testing::PrintToStringParamName());

TEST_P(Adapters, AnthropicBashKeepsOneShell) {
  EXPECT_EQ(Said("bash", R"({"command": "x=5; cd /tmp; echo out; echo err >&2"})"), "out\nerr");
  EXPECT_EQ(Said("bash", R"({"command": "echo $x $PWD"})"), "5 /tmp");
  EXPECT_EQ(Said("bash", R"({"command": "false"})"), "[exit code 1]");
  EXPECT_EQ(Said("bash", R"({"restart": true})"), "the shell has been restarted");
  EXPECT_EQ(Said("bash", R"({"command": "echo [$x] $PWD"})"), "[] /workspace");
  EXPECT_EQ(Said("bash", "{\"command\": \"a\", \"restart\": true}"), "ERROR: give either command or restart: true");
  EXPECT_EQ(session.session().List()->size(), 1u) << "the sandbox was made by the first call";
}

TEST_P(Adapters, AnthropicToolsWorkInTheSessionsOwnShellToo) {
  Equip(R"(["bashkit_shell"])");
  EXPECT_EQ(Said("bash", R"({"command": "echo hi > f"})"), " ");
  EXPECT_TRUE(Edit(R"({"command": "view", "path": "/workspace/f"})").ends_with("     1\thi\n"));
  EXPECT_EQ(session.Text(kReadFile, R"({"path": "/f"})"), "1|hi\n") << "its /workspace is session storage";
  EXPECT_EQ(Said("bash", R"({"commands": "cat f"})"), "exit code 0\nhi\n") << "our own bash by its own argument";
  EXPECT_EQ(session.session().List()->size(), 0u);
}

TEST_P(Adapters, AnthropicEditorDoesItsFourCommands) {
  EXPECT_EQ(Edit(R"({"command": "create", "path": "/workspace/a.py", "file_text": "one\ntwo\nthree\n"})"), "File created successfully at: /workspace/a.py");
  EXPECT_EQ(Edit(R"({"command": "view", "path": "/workspace/a.py", "view_range": [2, -1]})"),
            "Here's the result of running `cat -n` on /workspace/a.py:\n     2\ttwo\n     3\tthree\n");
  EXPECT_EQ(Edit(R"({"command": "str_replace", "path": "/workspace/a.py", "old_str": "two", "new_str": "2"})"),
            "The file /workspace/a.py has been edited. Here's the result of running `cat -n` on a snippet of it:\n     1\tone\n     2\t2\n     3\tthree\n");
  EXPECT_EQ(Edit(R"({"command": "insert", "path": "/workspace/a.py", "insert_line": 0, "insert_text": "zero"})"),
            "The file /workspace/a.py has been edited. Here's the result of running `cat -n` on a snippet of it:\n     1\tzero\n     2\tone\n     3\t2\n     4\tthree\n");
  EXPECT_EQ(Edit(R"({"command": "insert", "path": "/workspace/a.py", "insert_line": 4, "new_str": "four\n"})").substr(0, 43), "The file /workspace/a.py has been edited. H") << "older editors say new_str";
  EXPECT_EQ(session.Text(kSandboxExec, R"({"command": "cat a.py"})"), "exit code 0\nzero\none\n2\nthree\nfour\n");
  EXPECT_EQ(Edit(R"({"command": "view", "path": "/workspace"})"),
            "Here's the files and directories up to 2 levels deep in /workspace, excluding hidden items:\n/workspace\n/workspace/a.py\n");
  EXPECT_EQ(Edit(R"({"command": "view", "path": "/workspace/a.py", "max_characters": 6})"),
            "Here's the result of running `cat -n` on /workspace/a.py:\n     1\tzero\n     2\to\n… 16 bytes are not shown; use view_range\n");
}

TEST_P(Adapters, AnthropicEditorExplainsWhatItRefuses) {
  Edit(R"({"command": "create", "path": "/workspace/a", "file_text": "x\nx\n"})");
  EXPECT_EQ(Edit(R"({"command": "str_replace", "path": "/workspace/a", "old_str": "x", "new_str": "y"})"),
            "ERROR: No replacement was performed in /workspace/a: the text to replace occurs 2 times (lines 1, 2); add lines around it until it is unique, or replace all");
  EXPECT_EQ(Edit(R"({"command": "view", "path": "/workspace/a", "view_range": [5, 6]})"), "ERROR: view_range: the first line 5 must be from 1 to 2, the file's last");
  EXPECT_EQ(Edit(R"({"command": "insert", "path": "/workspace/a", "insert_line": 9, "insert_text": "x"})"), "ERROR: insert_line: must be from 0 to 2, the file's last line, not 9");
  EXPECT_EQ(Edit(R"({"command": "undo_edit", "path": "/workspace/a"})"), "ERROR: command: must be one of view, create, str_replace, insert, not 'undo_edit'");
  EXPECT_EQ(Edit(R"({"command": "view", "path": "a"})").substr(0, 39), "ERROR: path: must be an absolute path, ");
  EXPECT_EQ(Said("sandbox_exc", "{}"), "ERROR: there is no tool 'sandbox_exc'; did you mean 'sandbox_exec'?");
}

TEST_P(Adapters, OpenAiShellAnswersEachCommand) {
  const json::object reply = OpenAi(R"({"type": "shell_call", "call_id": "c1", "action": {"commands": ["echo a; echo b >&2; exit 3", "sleep 9"], "timeout_ms": 300, "max_output_length": 4096}})");
  EXPECT_EQ(json::serialize(reply),
            R"({"type":"shell_call_output","output":[{"stdout":"a\n","stderr":"b\n","outcome":{"type":"exit","exit_code":3}},{"stdout":"","stderr":"","outcome":{"type":"timeout"}}],"max_output_length":4096,"call_id":"c1"})");
  const json::object cut = OpenAi(R"({"type": "shell_call", "call_id": "c2", "action": {"commands": ["seq 1 9999"], "timeout_ms": null, "max_output_length": 200}})");
  EXPECT_LE(cut.at("output").as_array()[0].as_object().at("stdout").as_string().size(), 200u);
  EXPECT_FALSE(OpenAi(R"({"type": "shell_call", "call_id": "c3", "action": {"commands": ["true"]}})").contains("max_output_length"));
}

TEST_P(Adapters, OpenAiLocalShellRunsAProgramWithItsArguments) {
  const json::object reply = OpenAi(R"({"type": "local_shell_call", "call_id": "c1", "action": {"type": "exec", "command": ["printf", "%s|", "it's", "$HOME"], "env": {}, "user": null}})");
  EXPECT_EQ(reply.at("type"), "local_shell_call_output");
  EXPECT_EQ(reply.at("output"), "exit code 0\nit's|$HOME|\n");
}

TEST_P(Adapters, OpenAiApplyPatchCreatesUpdatesMovesAndDeletes) {
  EXPECT_EQ(json::serialize(OpenAi(R"({"type": "apply_patch_call", "call_id": "p1", "operation": {"type": "create_file", "path": "src/a.py", "diff": "+def f():\n+    return 1\n"}})")),
            R"({"type":"apply_patch_call_output","status":"completed","output":"A src/a.py\n","call_id":"p1"})");
  EXPECT_EQ(OpenAi(R"({"type": "apply_patch_call", "call_id": "p2", "operation": {"type": "update_file", "path": "src/a.py", "diff": "@@ def f():\n-    return 1\n+    return 2\n", "move_to": "b.py"}})").at("output"),
            "M src/a.py -> b.py\n");
  EXPECT_EQ(session.Text(kSandboxExec, R"({"command": "cat b.py; ls src"})"), "exit code 0\ndef f():\n    return 2\n");
  const json::object failed = OpenAi(R"({"type": "apply_patch_call", "call_id": "p3", "operation": {"type": "update_file", "path": "b.py", "diff": "@@\n-nothing\n+x\n"}})");
  EXPECT_EQ(failed.at("status"), "failed");
  EXPECT_EQ(failed.at("output"), "b.py: these lines of the patch are not in the file:\nnothing");
  EXPECT_EQ(OpenAi(R"({"type": "apply_patch_call", "call_id": "p4", "operation": {"type": "delete_file", "path": "b.py"}})").at("status"), "completed");
  for (const char* path : {"../etc/x", "a/../../x", "a/"}) {
    EXPECT_EQ(OpenAi(R"({"type": "apply_patch_call", "call_id": "p5", "operation": {"type": "create_file", "path": ")" + std::string(path) + R"(", "diff": "+x"}})").at("status"), "failed") << path;
  }
}

TEST_P(Adapters, AWholePatchChangesAllOrNothing) {
  Said("bash", R"({"command": "echo one > a; echo two > b"})");
  CallContext context = session.Context();
  EXPECT_TRUE(ApplyPatch(context, equipment, "*** Begin Patch\n*** Update File: a\n@@\n-one\n+1\n*** Update File: b\n@@\n-nowhere\n+2\n*** End Patch\n").is_error());
  EXPECT_EQ(Said("bash", R"({"command": "cat a b"})"), "one\ntwo");
  const json::object reply = OpenAi(R"({"type": "function_call", "call_id": "f", "name": "apply_patch", "arguments": "{\"input\": \"*** Begin Patch\\n*** Update File: a\\n@@\\n-one\\n+1\\n*** Delete File: b\\n*** End Patch\\n\"}"})");
  EXPECT_EQ(reply.at("output"), "M a\nD b\n");
  EXPECT_EQ(Said("bash", R"({"command": "cat a; ls"})"), "1\na");
}

TEST_P(Adapters, OpenAiFunctionCallsReachEveryTool) {
  EXPECT_EQ(OpenAi(R"({"type": "function_call", "call_id": "f", "name": "kv_store", "arguments": "{\"operation\": \"list\"}"})").at("output"), "there are no keys");
  EXPECT_EQ(OpenAi(R"({"type": "function_call", "call_id": "f", "name": "kv_store", "arguments": "{"})").at("output"),
            R"({"error":"arguments: not valid JSON at byte 1: incomplete JSON","code":"invalid_argument"})");
  EXPECT_EQ(OpenAi(R"({"type": "message", "call_id": "f"})").at("type"), "error");
  EXPECT_EQ(OpenAi(R"({"type": "shell_call"})").at("message"), "the item has no call_id");
}

TEST_P(Adapters, SessionToolsKeepFilesAndKeys) {
  EXPECT_EQ(session.Text(kKvStore, R"({"operation": "set", "key": "a", "value": "1"})"), "stored");
  EXPECT_EQ(session.Text(kKvStore, R"({"operation": "get", "key": "a"})"), "1");
  EXPECT_EQ(session.Text(kKvStore, R"({"operation": "set", "key": "container_sandbox:x", "value": "1"})"),
            "ERROR: key: names that begin with 'container_sandbox:' belong to the system; choose another");
  EXPECT_EQ(session.Text(kKvStore, R"({"operation": "delete", "key": "a"})"), "deleted");
  EXPECT_EQ(session.Text(kKvStore, R"({"operation": "get"})"), "ERROR: missing argument 'key': operation get needs it");
  session.Call(kWriteFile, R"({"path": "/d/f.md", "content": "alpha\nbeta\n"})");
  EXPECT_EQ(session.Text(kGrepFiles, R"({"pattern": "b.ta"})"), "/d/f.md:2:beta\n");
  EXPECT_EQ(session.Text(kEditFile, R"({"path": "/d/f.md", "old_text": "beta", "new_text": "gamma"})"), "edited /d/f.md\n1|alpha\n2|gamma\n");
  EXPECT_EQ(session.Text(kListDirectory, R"({"recursive": true})"), "/d/\n/d/f.md  12\n");
  EXPECT_EQ(session.Call(kStatFile, R"({"path": "/d/f.md"})").data.at("type"), "file");
  EXPECT_EQ(session.Text(kDeleteFile, R"({"path": "/d"})"), "ERROR: cannot delete /d: it is a directory with 1 entries; set recursive to delete all of it");
  EXPECT_EQ(session.Text(kDeleteFile, R"({"path": "/d", "recursive": true})"), "deleted /d with 1 entries");
  EXPECT_EQ(session.Text(kBash, R"({"commands": "ls /workspace"})"), "exit code 0\n");
}

TEST_P(Adapters, EveryToolRefusesWhatItDoesNotKnowAndAnInternalErrorTellsNothing) {
  for (const Tool* tool : equipment.tools) {
    const ToolResult result = session.Call(*tool, R"({"no_such_argument": 1})");
    EXPECT_EQ(result.kind, ToolResult::Kind::kToolError) << tool->name;
    EXPECT_TRUE(result.text.starts_with("unknown argument 'no_such_argument'")) << tool->name;
  }
  const ToolResult internal = Fail(Error(Code::kInternal, "secret detail"), session.Context());
  EXPECT_EQ(internal.text.find("secret"), std::string::npos);
  EXPECT_EQ(internal.detail, "secret detail");
  EXPECT_EQ(internal.kind, ToolResult::Kind::kInternalError);
}

}  // namespace
}  // namespace paddock::tools
