// The sandbox tools as an agent plays them, on the virtual driver.

#include <gtest/gtest.h>

#include <thread>

#include "text/utf8.h"
#include "tools/session_for_test.h"

namespace paddock::tools {
namespace {

constexpr SessionKind kBoth[] = {SessionKind::kDirect, SessionKind::kRegistry};

// A session with one sandbox.
class SandboxTools : public testing::TestWithParam<SessionKind> {
 protected:
  void SetUp() override { ASSERT_FALSE(session.Call(kSandboxCreate, "{}").is_error()); }
  SessionForTest session{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Sessions, SandboxTools, testing::ValuesIn(kBoth), testing::PrintToStringParamName());

TEST(SandboxChoice, WithoutASandboxTheModelIsToldToMakeOne) {
  SessionForTest session;
  EXPECT_EQ(session.Text(kSandboxExec, R"({"command": "true"})"), "ERROR: this session has no sandbox yet; call sandbox_create first");
  EXPECT_EQ(session.Call(kSandboxExec, R"({"command": "true"})").data.at("code"), "not_found");
}

TEST_P(SandboxTools, WithTwoSandboxesTheIdIsNeeded) {
  ASSERT_FALSE(session.Call(kSandboxCreate, R"({"name": "second"})").is_error());
  const std::string text = session.Text(kSandboxExec, R"({"command": "true"})");
  EXPECT_TRUE(text.starts_with("ERROR: this session has 2 sandboxes; say which one with sandbox_id: sbx_")) << text;
  EXPECT_NE(text.find("(second)"), std::string::npos);
  EXPECT_EQ(session.Text(kSandboxExec, R"({"command": "pwd", "sandbox_id": "second"})"), "exit code 0\n/workspace\n");
}

TEST_P(SandboxTools, AnAbsentSandboxAndABadIdHaveTheirAnswers) {
  EXPECT_TRUE(session.Text(kSandboxExec, R"({"command": "true", "sandbox_id": "sbx_aaaa"})").starts_with("ERROR: this session has no sandbox sbx_aaaa"));
  EXPECT_TRUE(session.Text(kSandboxExec, R"({"command": "true", "sandbox_id": "../x"})").starts_with("ERROR: sandbox_id: must be the id or name of a sandbox"));
}

TEST_P(SandboxTools, ExecTellsBothStreamsAndTheExitCode) {
  const ToolResult result = session.Call(kSandboxExec, R"({"command": "echo out; echo err >&2; exit 3"})");
  EXPECT_FALSE(result.is_error()) << "a command that fails is no error of the tool";
  EXPECT_EQ(result.data.at("exit_code"), 3);
  EXPECT_EQ(result.data.at("success"), false);
  EXPECT_EQ(result.data.at("stdout"), "out\n");
  EXPECT_EQ(result.data.at("stderr"), "err\n");
  EXPECT_EQ(result.data.at("ended_by"), "exit");
  EXPECT_EQ(result.text, "exit code 3\nout\n[stderr]\nerr\n");
}

TEST_P(SandboxTools, ExecHasEnvironmentInputAndDirectory) {
  session.Call(kSandboxExec, R"({"command": "mkdir -p /workspace/d"})");
  EXPECT_EQ(session.Text(kSandboxExec, R"({"command": "echo $A $PWD; cat", "env": {"A": "1"}, "stdin": "in", "working_dir": "/workspace/d"})"),
            "exit code 0\n1 /workspace/d\nin\n");
  EXPECT_EQ(session.Text(kSandboxExec, R"({"command": "true", "working_dir": "/nowhere"})"),
            "ERROR: working_dir /nowhere does not exist in the sandbox; create it first");
  EXPECT_EQ(session.Text(kSandboxExec, R"({"command": "x=1", "output": "silent"})"), "exit code 0\n");
  EXPECT_EQ(session.Text(kSandboxExec, R"({"command": "echo \"[$x]\""})"), "exit code 0\n[]\n") << "a fresh shell each time";
}

TEST_P(SandboxTools, ATimeoutKeepsWhatWasWritten) {
  const ToolResult result = session.Call(kSandboxExec, R"({"command": "echo early; while :; do :; done", "timeout_ms": 200})");
  EXPECT_FALSE(result.is_error());
  EXPECT_EQ(result.data.at("timed_out"), true);
  EXPECT_TRUE(result.data.at("exit_code").is_null());
  EXPECT_EQ(result.data.at("stdout"), "early\n");
  EXPECT_TRUE(result.text.starts_with("stopped after ")) << result.text;
}

TEST_P(SandboxTools, LongOutputIsCutAndKeptInSessionFiles) {
  const ToolResult result = session.Call(kSandboxExec, R"({"command": "seq 1 20000", "output": "concise"})");
  const std::string shown = TextAt(result.data, "stdout");
  EXPECT_LE(shown.size(), 2048u);
  EXPECT_TRUE(shown.starts_with("1\n2\n"));
  EXPECT_TRUE(shown.ends_with("19999\n20000\n"));
  ASSERT_EQ(result.data.at("output_files").as_array().size(), 1u);
  const std::string kept = result.data.at("output_files").as_array()[0].as_string().c_str();
  EXPECT_NE(shown.find("all: session file " + kept), std::string::npos) << shown;
  EXPECT_EQ(result.data.at("truncated").as_object().at("stdout"), true);
  const ToolResult read = session.Call(kReadFile, R"({"path": ")" + kept + R"(", "offset": 9999, "limit": 1})");
  EXPECT_EQ(read.data.at("content"), "10000|10000\n");
  EXPECT_EQ(read.data.at("total_lines"), 20000);
  EXPECT_LE(TextAt(session.Call(kSandboxExec, R"({"command": "seq 1 20000"})").data, "stdout").size(), 384u) << "auto, succeeded";
  EXPECT_GT(TextAt(session.Call(kSandboxExec, R"({"command": "seq 1 20000; false"})").data, "stdout").size(), 8000u) << "auto, failed";
}

TEST_P(SandboxTools, WriteReadEditSearchAndRunAProgram) {
  EXPECT_EQ(session.Text(kSandboxWriteFile, R"({"path": "/workspace/src/run.sh", "content": "#!/bin/bash\nname=wrold\necho \"hello $name\"\n", "mode": "0755"})"),
            "written /workspace/src/run.sh, 42 bytes");
  EXPECT_EQ(session.Text(kSandboxReadFile, R"({"path": "/workspace/src/run.sh", "offset": 1, "limit": 1})"),
            "2|name=wrold\n… lines 2 to 2 of 3; go on with offset 2\n");
  EXPECT_EQ(session.Text(kSandboxSearch, R"({"pattern": "wrold"})"), "/workspace/src/run.sh:2:name=wrold\n");
  const std::string edited = session.Text(kSandboxEditFile, R"({"path": "/workspace/src/run.sh", "old_text": "wrold", "new_text": "world"})");
  EXPECT_EQ(edited, "edited /workspace/src/run.sh\n1|#!/bin/bash\n2|name=world\n3|echo \"hello $name\"\n");
  EXPECT_EQ(session.Text(kSandboxExec, R"({"command": "src/run.sh"})"), "exit code 0\nhello world\n") << "an edit keeps the permissions";
  EXPECT_EQ(session.Text(kSandboxListFiles, R"({"depth": 2})"), "/workspace/src/\n/workspace/src/run.sh  42\n");
}

TEST_P(SandboxTools, ReadingShowsWhatItCannot) {
  EXPECT_EQ(session.Text(kSandboxReadFile, R"({"path": "/workspace"})"), "ERROR: cannot read /workspace: it is a directory");
  session.Call(kSandboxWriteFile, R"({"path": "/workspace/config.json", "content": "{}"})");
  EXPECT_EQ(session.Text(kSandboxReadFile, R"({"path": "/workspace/confg.json"})"),
            "ERROR: cannot read /workspace/confg.json: there is no such file or directory; did you mean /workspace/config.json?");
  session.Call(kSandboxExec, R"({"command": "ln -s nowhere dangling; mkfifo pipe; head -c 100 /dev/zero > zeros; : > empty"})");
  EXPECT_EQ(session.Text(kSandboxReadFile, R"({"path": "/workspace/dangling"})"),
            "ERROR: cannot read /workspace/dangling: it is a symlink to nowhere, which does not exist");
  EXPECT_EQ(session.Text(kSandboxReadFile, R"({"path": "/workspace/pipe"})"), "ERROR: cannot read /workspace/pipe: it is a fifo, not a regular file");
  const ToolResult binary = session.Call(kSandboxReadFile, R"({"path": "/workspace/zeros"})");
  EXPECT_EQ(binary.data.at("encoding"), "binary");
  EXPECT_TRUE(binary.data.at("content").is_null());
  EXPECT_EQ(binary.data.at("size_bytes"), 100);
  EXPECT_EQ(session.Text(kSandboxReadFile, R"({"path": "/workspace/empty"})"), "/workspace/empty is empty.");
  EXPECT_EQ(session.Text(kSandboxReadFile, R"({"path": "/workspace/config.json", "offset": 7})"), "/workspace/config.json has 1 lines; there is none behind offset 7.");
  EXPECT_EQ(session.Text(kSandboxReadFile, R"({"path": "/workspace/config.json", "limit": 0})"), "ERROR: limit: must be at least 1, not 0");
  session.Call(kSandboxExec, R"({"command": "head -c 5000000 /dev/zero > big"})");
  EXPECT_TRUE(session.Text(kSandboxReadFile, R"({"path": "/workspace/big"})").starts_with("ERROR: cannot read /workspace/big: it is larger than 4194304 bytes"));
}

TEST_P(SandboxTools, WritingIsAllOrNothing) {
  EXPECT_EQ(session.Text(kSandboxWriteFile, R"({"path": "/workspace/", "content": "x"})"),
            "ERROR: cannot write /workspace/: the file name is empty; leave out the slash at the end");
  EXPECT_EQ(session.Text(kSandboxWriteFile, R"({"path": "/workspace/..", "content": "x"})"), "ERROR: cannot write /workspace/..: '..' is not a file name");
  EXPECT_TRUE(session.Text(kSandboxWriteFile, R"({"path": "/etc/x", "content": "x"})").starts_with("ERROR: cannot write /etc/x: the sandbox's user may not"));
  EXPECT_EQ(session.Text(kSandboxWriteFile, R"({"path": "/workspace/a/b", "content": "x", "create_dirs": false})").substr(0, 67),
            "ERROR: cannot write /workspace/a/b: there is no such file or direct");
  EXPECT_EQ(session.Text(kSandboxWriteFile, R"({"path": "/workspace/b", "content": "AP8=", "encoding": "base64"})"), "written /workspace/b, 2 bytes");
  EXPECT_EQ(session.Text(kSandboxExec, R"({"command": "od -An -tx1 b"})"), "exit code 0\n 00 ff\n");
  EXPECT_TRUE(session.Text(kSandboxWriteFile, R"({"path": "/workspace/b", "content": "!", "encoding": "base64"})").starts_with("ERROR: content: is not base64"));
  session.Call(kSandboxWriteFile, R"({"path": "/workspace/log", "content": "one\n"})");
  EXPECT_EQ(session.Text(kSandboxWriteFile, R"({"path": "/workspace/log", "content": "two\n", "append": true})"), "appended to /workspace/log, 4 bytes");
  EXPECT_EQ(session.Text(kSandboxExec, R"({"command": "cat log; ls -A"})"), "exit code 0\none\ntwo\nb\nlog\n") << "no temporary file is left";
  session.Call(kSandboxExec, R"({"command": "ln -s log link"})");
  session.Call(kSandboxWriteFile, R"({"path": "/workspace/link", "content": "new\n"})");
  EXPECT_EQ(session.Text(kSandboxExec, R"({"command": "readlink link; cat log"})"), "exit code 0\nlog\nnew\n") << "a symlink is followed, not replaced";
  EXPECT_EQ(session.Text(kSandboxWriteFile, R"({"path": "/workspace/log", "content": "x", "mode": "4755"})"),
            "ERROR: mode: must be an octal mode from \"0000\" to \"0777\", not '4755'");
}

TEST_P(SandboxTools, WhenTheDiskIsFullTheOldFileStays) {
  SessionForTest small(GetParam(), DirectSettings{.disk_bytes = 1 << 20});
  small.Call(kSandboxCreate, "{}");
  small.Call(kSandboxWriteFile, R"({"path": "/workspace/f", "content": "old"})");
  const std::string text = small.Text(kSandboxWriteFile, R"({"path": "/workspace/f", "content": ")" + std::string(2 << 20, 'x') + R"("})");
  EXPECT_EQ(text, "ERROR: cannot write /workspace/f: no space is left; remove files first");
  EXPECT_EQ(small.Text(kSandboxExec, R"({"command": "cat f; ls -A"})"), "exit code 0\noldf\n");
}

TEST_P(SandboxTools, UploadAndDownloadMoveTreesAndBytes) {
  session.Call(kWriteFile, R"({"path": "/data/in.txt", "content": "abc"})");
  session.Call(kWriteFile, R"({"path": "/data/sub/bytes", "content": "AP8=", "encoding": "base64"})");
  EXPECT_EQ(session.Text(kSandboxUpload, R"({"session_path": "/data", "container_path": "/workspace/data"})"),
            "ERROR: cannot copy /data: it is a directory; set recursive to copy all of it");
  EXPECT_EQ(session.Text(kSandboxUpload, R"({"session_path": "/data", "container_path": "/workspace/data", "recursive": true})"),
            "copied /data to /workspace/data: 2 files, 5 bytes");
  EXPECT_EQ(session.Text(kSandboxExec, R"({"command": "cat data/in.txt; od -An -tx1 data/sub/bytes; ln -s /etc/passwd data/link"})"), "exit code 0\nabc 00 ff\n");
  EXPECT_EQ(session.Text(kSandboxDownload, R"({"container_path": "/workspace/data", "session_path": "/back", "recursive": true})"),
            "copied /workspace/data to /back: 2 files, 5 bytes; 1 symlinks or special files were left out");
  const ToolResult one = session.Call(kSandboxDownload, R"({"container_path": "/workspace/data/sub/bytes", "session_path": "/workspace/one"})");
  EXPECT_EQ(one.data.at("encoding"), "base64");
  EXPECT_EQ(one.data.at("to"), "/one") << "/workspace of a session path is the session's own root";
  EXPECT_TRUE(session.Text(kSandboxDownload, R"({"container_path": "/workspace/data/in.txt", "session_path": "/one", "overwrite": false})").starts_with("ERROR: cannot write /one: it exists already"));
  EXPECT_TRUE(session.Text(kSandboxUpload, R"({"session_path": "/nothing", "container_path": "/workspace/x"})").starts_with("ERROR: session_path: cannot copy /nothing"));
  for (const char* path : {"/a/../b", "//a", "/a/./b", "a"}) {
    EXPECT_TRUE(session.Call(kSandboxDownload, R"({"container_path": "/workspace/data/in.txt", "session_path": ")" + std::string(path) + R"("})").is_error()) << path;
  }
}

TEST_P(SandboxTools, ManageIsIdempotentAndOnlyRemoveLosesFiles) {
  session.Call(kSandboxWriteFile, R"({"path": "/workspace/f", "content": "kept"})");
  EXPECT_TRUE(session.Text(kSandboxManage, R"({"action": "stop"})").ends_with("is stopped; its files are kept"));
  EXPECT_TRUE(session.Text(kSandboxManage, R"({"action": "stop"})").ends_with("was stopped already"));
  EXPECT_TRUE(session.Text(kSandboxExec, R"({"command": "true"})").ends_with("start it with sandbox_manage and action \"start\""));
  session.Call(kSandboxManage, R"({"action": "start"})");
  EXPECT_EQ(session.Text(kSandboxExec, R"({"command": "cat f"})"), "exit code 0\nkept\n");
  EXPECT_EQ(session.Call(kSandboxManage, R"({"action": "pause"})").data.at("state"), "paused");
  EXPECT_EQ(session.Call(kSandboxManage, R"({"action": "resume"})").data.at("state"), "running");
  EXPECT_EQ(session.Text(kSandboxManage, R"({"action": "extend"})"), "ERROR: missing argument 'minutes': action extend needs to know how long");
  const std::string id = TextAt(session.Call(kSandboxList, "{}").data.at("sandboxes").as_array()[0].as_object(), "sandbox_id");
  const ToolResult removed = session.Call(kSandboxManage, R"({"action": "remove"})");
  EXPECT_TRUE(removed.data.at("state").is_null());
  EXPECT_FALSE(session.Call(kSandboxManage, R"({"action": "remove", "sandbox_id": ")" + id + R"("})").is_error()) << "removing what is gone is done";
  EXPECT_TRUE(session.Text(kSandboxList, "{}").starts_with("There is no sandbox"));
}

TEST_P(SandboxTools, CreateTakesLimitsNamesFilesAndKeys) {
  session.Call(kWriteFile, R"({"path": "/setup.sh", "content": "echo set up"})");
  const ToolResult made = session.Call(kSandboxCreate, R"({"name": "builder", "title": "Builds", "env": {"MODE": "fast"}, "memory_limit": "64m", "pids_limit": 20,
    "upload_files": [{"session_path": "/setup.sh", "sandbox_path": "/workspace/setup.sh"}], "idempotency_key": "k1", "network": "none"})");
  ASSERT_FALSE(made.is_error()) << made.text;
  EXPECT_EQ(made.data.at("limits").as_object().at("memory_bytes"), 64 << 20);
  EXPECT_EQ(made.data.at("limits").as_object().at("pids"), 20);
  EXPECT_EQ(made.data.at("working_dir"), "/workspace");
  EXPECT_EQ(session.Call(kSandboxCreate, R"({"idempotency_key": "k1"})").data.at("sandbox_id"), made.data.at("sandbox_id"));
  EXPECT_EQ(session.Text(kSandboxExec, R"({"command": "echo $MODE; bash setup.sh", "sandbox_id": "builder"})"), "exit code 0\nfast\nset up\n");
  EXPECT_TRUE(session.Text(kSandboxCreate, R"({"name": "builder"})").starts_with("ERROR: name: there is a sandbox 'builder' already"));
  EXPECT_TRUE(session.Text(kSandboxCreate, R"({"image": "ubuntu:24.04"})").starts_with("ERROR: image: this isolation has no images"));
  EXPECT_TRUE(session.Text(kSandboxCreate, R"({"memory_limit": "1m"})").starts_with("ERROR: memory_limit: must be at least 6291456"));
  const size_t before = session.session().List()->size();
  EXPECT_TRUE(session.Call(kSandboxCreate, R"({"upload_files": [{"session_path": "/setup.sh", "sandbox_path": "/etc/x"}]})").is_error());
  EXPECT_EQ(session.session().List()->size(), before) << "of a call that fails nothing stays";
}

TEST_P(SandboxTools, CreateKeepsTheOperatorsCeilingsAndImages) {
  session.defaults.create.limits.memory_bytes = 32u << 20;
  session.defaults.create.network = NetworkReach::kNone;
  session.defaults.image_allowlist = {"ubuntu:*", "ghcr.io/acme/*"};
  EXPECT_TRUE(session.Text(kSandboxCreate, R"({"memory_limit": "33m"})").starts_with("ERROR: memory_limit: may be at most 33554432, which is configured"));
  EXPECT_TRUE(session.Text(kSandboxCreate, R"({"network": "bridge"})").starts_with("ERROR: network: may be at most 'none'"));
  for (const char* allowed : {"ubuntu", "docker.io/library/ubuntu:24.04", "ghcr.io/acme/tool:1"}) {
    EXPECT_TRUE(session.Text(kSandboxCreate, R"({"image": ")" + std::string(allowed) + R"("})").find("not allowed") == std::string::npos) << allowed;
  }
  for (const char* refused : {"evil/ubuntu:24.04", "localhost/ubuntu:24.04", "ghcr.io/acmeevil/x"}) {
    EXPECT_TRUE(session.Text(kSandboxCreate, R"({"image": ")" + std::string(refused) + R"("})").find("is not allowed here") != std::string::npos) << refused;
  }
}

TEST_P(SandboxTools, SnapshotsForksAndDiffs) {
  session.Call(kSandboxWriteFile, R"({"path": "/workspace/a.txt", "content": "one\ntwo\n"})");
  EXPECT_EQ(session.Text(kSandboxDiff, "{}"), "A /workspace/a.txt\n");
  const std::string snapshot = TextAt(session.Call(kSandboxSnapshot, R"({"name": "base"})").data, "snapshot_id");
  EXPECT_TRUE(snapshot.starts_with("snap_"));
  session.Call(kSandboxExec, R"({"command": "echo three >> a.txt; mkdir d; touch d/new; chmod 700 d/new"})");
  EXPECT_EQ(session.Text(kSandboxDiff, R"({"from": "base"})"), "M /workspace/a.txt\nA /workspace/d\nA /workspace/d/new\n");
  EXPECT_EQ(session.Text(kSandboxDiff, R"({"from": ")" + snapshot + R"(", "path": "/workspace/a.txt", "patch": true})"),
            "M /workspace/a.txt\n@@ -1,2 +1,3 @@\n one\n two\n+three\n");
  EXPECT_TRUE(session.Text(kSandboxDiff, R"({"from": "snap_none"})").starts_with("ERROR: no snapshot snap_none of sandbox sbx_"));
  const ToolResult forks = session.Call(kSandboxFork, R"({"count": 3, "name": "try"})");
  ASSERT_EQ(forks.data.at("forks").as_array().size(), 3u);
  session.Call(kSandboxExec, R"({"command": "rm a.txt", "sandbox_id": "try-2"})");
  EXPECT_EQ(session.Text(kSandboxExec, R"({"command": "cat a.txt", "sandbox_id": "try-1"})"), "exit code 0\none\ntwo\nthree\n");
  EXPECT_EQ(session.Text(kSandboxDiff, R"({"sandbox_id": "try-2"})"), "D /workspace/a.txt\n") << "since it was forked";
}

TEST_P(SandboxTools, ADiffTellsARemovedDirectoryOnce) {
  session.Call(kSandboxExec, R"({"command": "mkdir -p d/e; touch d/e/f d/g d-x; ln -s a l"})");
  session.Call(kSandboxSnapshot, R"({"name": "full"})");
  session.Call(kSandboxExec, R"({"command": "rm -r d; rm l; mkdir l; touch l/in; chmod 700 d-x"})");
  EXPECT_EQ(session.Text(kSandboxDiff, R"({"from": "full"})"), "D /workspace/d\nM /workspace/d-x\nT /workspace/l\nA /workspace/l/in\n");
  EXPECT_EQ(session.Text(kSandboxDiff, R"({"from": "full", "path": "/workspace/d/e"})"), "D /workspace/d/e\n");
  EXPECT_EQ(session.Text(kSandboxDiff, R"({"from": "full", "path": "/tmp/../workspace/d/./e"})"), "D /workspace/d/e\n");
  EXPECT_EQ(session.Text(kSandboxDiff, R"({"from": "full", "path": "/etc"})"), "Nothing has changed.");
  EXPECT_EQ(session.Text(kSandboxDiff, R"({"from": "full", "to": "full"})"), "Nothing has changed.");
  EXPECT_EQ(session.Text(kSandboxDiff, R"({"to": "full"})"),
            "A /workspace/d\nA /workspace/d-x\nA /workspace/d/e\nA /workspace/d/e/f\nA /workspace/d/g\nA /workspace/l\n");
  const ToolResult cut = session.Call(kSandboxDiff, R"({"limit": 2})");
  EXPECT_EQ(cut.data.at("changes").as_array().size(), 2u);
  EXPECT_EQ(cut.data.at("truncated"), true);
}

TEST_P(SandboxTools, ASnapshotIsKnownToItsSandboxOnly) {
  const std::string snapshot = TextAt(session.Call(kSandboxSnapshot, R"({"name": "base"})").data, "snapshot_id");
  EXPECT_EQ(session.Text(kSandboxSnapshot, R"({"name": "base"})"), "ERROR: name: there is a snapshot 'base' already (" + snapshot + ")");
  ASSERT_FALSE(session.Call(kSandboxFork, R"({"name": "other"})").is_error());
  const std::string other = TextAt(session.Call(kSandboxExec, R"({"command": "true", "sandbox_id": "other"})").data, "sandbox_id");
  for (const std::string& one : {snapshot, std::string("base"), "snap_" + std::string(20, 'a')}) {
    const std::string text = session.Text(kSandboxDiff, R"({"sandbox_id": "other", "from": ")" + one + R"("})");
    EXPECT_TRUE(text.starts_with("ERROR: no snapshot " + one + " of sandbox sbx_")) << text;
    EXPECT_EQ(session.Text(kSandboxDiff, R"({"sandbox_id": "other", "to": ")" + one + R"("})"), text);
  }
  EXPECT_FALSE(session.Call(kSandboxSnapshot, R"({"sandbox_id": "other", "name": "base"})").is_error()) << "names are a sandbox's own";
  for (const char* bad : {R"({"from": "../base"})", R"({"from": ""})", R"({"from": "base\u0000"})", R"({"from": "*"})", R"({"path": "workspace"})", R"({"path": "/a\u0000b"})",
                          R"({"limit": 0})", R"({"limit": 1000000000})"}) {
    EXPECT_EQ(session.Call(kSandboxDiff, bad).data.at("code"), "invalid_argument") << bad;
  }
}

TEST_P(SandboxTools, SnapshotsHaveALimit) {
  for (int i = 0; i < 32; ++i) {
    ASSERT_FALSE(session.Call(kSandboxSnapshot, "{}").is_error()) << i;
  }
  const ToolResult refused = session.Call(kSandboxSnapshot, "{}");
  EXPECT_EQ(refused.data.at("code"), "limit_reached") << refused.text;
  ASSERT_FALSE(session.Call(kSandboxCreate, R"({"name": "second"})").is_error());
  EXPECT_FALSE(session.Call(kSandboxSnapshot, R"({"sandbox_id": "second"})").is_error());
}

TEST_P(SandboxTools, ForksTakeNoNamesAndNumbersThatAreNot) {
  for (const char* bad : {R"({"count": 0})", R"({"count": -1})", R"({"count": 17})", R"({"count": 1000000000})", R"({"count": 1e300})", R"({"count": 1.5})", R"({"count": "2"})",
                          R"({"name": "../up"})", R"({"name": "sbx_aaaaaaaaaaaaaaaaaaaa"})", R"({"name": ""})"}) {
    const ToolResult refused = session.Call(kSandboxFork, bad);
    EXPECT_TRUE(refused.is_error()) << bad;
    EXPECT_EQ(refused.data.at("code"), "invalid_argument") << bad << refused.text;
  }
  ASSERT_FALSE(session.Call(kSandboxCreate, R"({"name": "try-2"})").is_error());
  const ToolResult forks = session.Call(kSandboxFork, R"({"sandbox_id": "try-2", "count": 3, "name": "try"})");
  const json::array& list = forks.data.at("forks").as_array();
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].as_object().at("name"), "try-1");
  EXPECT_TRUE(list[1].as_object().at("sandbox_id").is_null());
  EXPECT_NE(TextAt(list[1].as_object(), "error").find("'try-2'"), std::string::npos);
  EXPECT_EQ(list[2].as_object().at("name"), "try-3");
  EXPECT_TRUE(session.Text(kSandboxFork, R"({"sandbox_id": "sbx_aaaaaaaaaaaaaaaaaaaa"})").starts_with("ERROR: this session has no sandbox sbx_aaaaaaaaaaaaaaaaaaaa"));
}

TEST_P(SandboxTools, StatesAreTakenAtRestAndNotUnderAProcess) {
  session.Call(kSandboxExec, R"({"command": "echo 1 > f"})");
  const std::string id = TextAt(session.Call(kSandboxProcessStart, R"({"command": "read line"})").data, "process_id");
  for (const Tool* const tool : {&kSandboxSnapshot, &kSandboxFork, &kSandboxDiff}) {
    const ToolResult refused = session.Call(*tool, "{}");
    EXPECT_EQ(refused.data.at("code"), "busy");
    EXPECT_TRUE(refused.text.starts_with("process " + id + " runs in sandbox sbx_")) << refused.text;
  }
  session.Call(kSandboxProcessSignal, R"({"process_id": ")" + id + R"(", "signal": "KILL"})");
  session.Call(kSandboxProcessWait, R"({"process_id": ")" + id + R"("})");
  ASSERT_FALSE(session.Call(kSandboxManage, R"({"action": "stop"})").is_error());
  EXPECT_EQ(session.Text(kSandboxDiff, "{}"), "A /workspace/f\n");
  EXPECT_FALSE(session.Call(kSandboxSnapshot, "{}").is_error());
  ASSERT_FALSE(session.Call(kSandboxFork, R"({"name": "awake"})").is_error());
  EXPECT_EQ(session.Text(kSandboxExec, R"({"command": "cat f", "sandbox_id": "awake"})"), "exit code 0\n1\n");
}

TEST_P(SandboxTools, ADiffOfNamesThatAreNoTextIsText) {
  session.Call(kSandboxExec, R"({"command": "touch $'a\\377b' $'c\\nd'; printf 'x\\377' > t"})");
  const ToolResult diff = session.Call(kSandboxDiff, R"({"patch": true})");
  EXPECT_FALSE(diff.is_error()) << diff.text;
  EXPECT_TRUE(IsValidUtf8(diff.text));
  EXPECT_TRUE(IsValidUtf8(json::serialize(diff.data)));
}

TEST_P(SandboxTools, ForksBeyondTheSessionsLimitTellWhichFailed) {
  const ToolResult forks = session.Call(kSandboxFork, R"({"count": 16})");
  EXPECT_FALSE(forks.is_error());
  const json::array& list = forks.data.at("forks").as_array();
  EXPECT_TRUE(list[0].as_object().at("error").is_null());
  EXPECT_TRUE(std::string_view(list[15].as_object().at("error").as_string()).find("the most it may have") != std::string_view::npos);
  const std::string first = TextAt(list[0].as_object(), "sandbox_id");
  const ToolResult refused = session.Call(kSandboxFork, R"({"count": 16, "sandbox_id": ")" + first + R"("})");
  EXPECT_TRUE(refused.is_error());
  EXPECT_NE(refused.text.find("the most it may have"), std::string::npos) << refused.text;
  EXPECT_EQ(session.Call(kSandboxList, "{}").data.at("sandboxes").as_array().size(), 16u);
}

TEST_P(SandboxTools, AProcessReadsInputWhileItRuns) {
  const ToolResult started = session.Call(kSandboxProcessStart, R"({"command": "echo ready; while read line; do echo \"got $line\"; done; exit 4"})");
  ASSERT_FALSE(started.is_error()) << started.text;
  const std::string id = TextAt(started.data, "process_id");
  const std::string with_id = R"({"process_id": ")" + id + "\"";
  ToolResult read = session.Call(kSandboxProcessRead, with_id + R"(, "wait_ms": 20000})");
  EXPECT_EQ(read.data.at("output"), "ready\n");
  EXPECT_TRUE(session.Text(kSandboxExec, R"({"command": "true"})").find("process " + id + " runs in sandbox") != std::string::npos) << "one thing at a time, and said so";
  session.Call(kSandboxProcessWrite, with_id + R"(, "input": "héllo\n"})");
  std::string output;
  for (int turn = 0; turn < 100 && output.find('\n') == std::string::npos; ++turn) {
    read = session.Call(kSandboxProcessRead, with_id + ", \"offset\": " + json::serialize(read.data.at("next_offset")) + R"(, "wait_ms": 20000})");
    output += TextAt(read.data, "output");
  }
  EXPECT_EQ(output, "got héllo\n");
  session.Call(kSandboxProcessWrite, with_id + R"(, "input": "", "end_input": true})");
  const ToolResult waited = session.Call(kSandboxProcessWait, with_id + R"(, "timeout_ms": 20000})");
  EXPECT_EQ(waited.data.at("state"), "exited");
  EXPECT_EQ(waited.data.at("exit_code"), 4);
  EXPECT_EQ(session.Call(kSandboxProcessRead, with_id + "}").data.at("at_end"), true);
  EXPECT_EQ(session.Text(kSandboxExec, R"({"command": "echo free"})"), "exit code 0\nfree\n");
  EXPECT_TRUE(session.Text(kSandboxProcessWrite, with_id + R"(, "input": "x"})").starts_with("ERROR: the input of process"));
}

TEST_P(SandboxTools, AProcessCanBeEndedAndItsSandboxRemovedOverIt) {
  const std::string id = TextAt(session.Call(kSandboxExec, R"({"command": "while :; do sleep 1; done", "background": true})").data, "process_id");
  ASSERT_TRUE(id.starts_with("proc_"));
  EXPECT_TRUE(session.Text(kSandboxManage, R"({"action": "remove"})").find("end it first, or remove with force") != std::string::npos);
  EXPECT_TRUE(session.Text(kSandboxProcessSignal, R"({"process_id": ")" + id + R"(", "signal": "HUP"})").starts_with("ERROR: processes of this isolation take only"));
  session.Call(kSandboxProcessSignal, R"({"process_id": ")" + id + R"("})");
  const ToolResult waited = session.Call(kSandboxProcessWait, R"({"process_id": ")" + id + R"(", "timeout_ms": 20000})");
  EXPECT_EQ(waited.data.at("ended_by"), "cancelled");
  EXPECT_TRUE(waited.data.at("exit_code").is_null()) << "no invented exit code";
  session.Call(kSandboxProcessStart, R"({"command": "while :; do sleep 1; done"})");
  EXPECT_FALSE(session.Call(kSandboxManage, R"({"action": "remove", "force": true})").is_error());
  EXPECT_TRUE(session.Text(kSandboxProcessRead, R"({"process_id": ")" + id + R"("})").starts_with("ERROR: this session has no process"));
}

TEST_P(SandboxTools, ACallThatIsCancelledEndsItsCommand) {
  std::stop_source source;
  CallContext context = session.Context();
  context.stop = source.get_token();
  context.on_output = [&](sandbox::Stream, std::string_view) { source.request_stop(); };
  const ToolResult result = kSandboxExec.call(context, ParseJson(R"({"command": "echo started; while :; do :; done"})").value());
  EXPECT_EQ(result.data.at("ended_by"), "cancelled");
  EXPECT_TRUE(result.data.at("exit_code").is_null());
}

TEST_P(SandboxTools, SearchHasLiteralRegexGlobContextAndBounds) {
  session.Call(kSandboxExec, R"({"command": "mkdir -p src .git; for i in 1 2 3; do printf 'a.b\\nfn main() {\\nx\\n' > src/f$i.rs; done; echo 'fn main()' > .git/x; printf '\\0fn main' > src/bin"})");
  EXPECT_EQ(session.Call(kSandboxSearch, R"({"pattern": "fn main("})").data.at("matches").as_array().size(), 3u);
  EXPECT_EQ(session.Text(kSandboxSearch, R"({"pattern": "fn \\w+\\(", "regex": true, "glob": "src/f2.rs", "context_lines": 1})"),
            "/workspace/src/f2.rs-1-a.b\n/workspace/src/f2.rs:2:fn main() {\n/workspace/src/f2.rs-3-x\n--\n");
  EXPECT_EQ(session.Text(kSandboxSearch, R"({"pattern": "A.B", "ignore_case": true, "glob": "f1*"})"), "/workspace/src/f1.rs:1:a.b\n");
  const ToolResult bounded = session.Call(kSandboxSearch, R"({"pattern": "x", "limit": 2})");
  EXPECT_EQ(bounded.data.at("truncated"), true);
  EXPECT_EQ(bounded.data.at("matches").as_array().size(), 2u);
  EXPECT_TRUE(session.Text(kSandboxSearch, R"({"pattern": "(", "regex": true})").starts_with("ERROR: pattern: not a regular expression"));
  EXPECT_EQ(session.Text(kSandboxSearch, R"({"pattern": "nowhere"})"), "No match in 3 files (1 binary, large or unreadable ones passed over).\n");
}

class SandboxToolsThreads : public testing::TestWithParam<SessionKind> {};
INSTANTIATE_TEST_SUITE_P(Sessions, SandboxToolsThreads, testing::ValuesIn(kBoth), testing::PrintToStringParamName());

TEST_P(SandboxToolsThreads, CallsOfManyThreadsAreServedOneAfterTheOther) {
  SessionForTest session(GetParam());
  session.Call(kSandboxCreate, "{}");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, context = session.Context()]() mutable {
      for (int j = 0; j < 20; ++j) {
        EXPECT_EQ(kSandboxExec.call(context, ParseJson(R"({"command": "echo x >> /workspace/log"})").value()).data.at("exit_code"), 0);
        EXPECT_FALSE(kSandboxReadFile.call(context, ParseJson(R"({"path": "/workspace/log"})").value()).is_error());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(session.Text(kSandboxExec, R"({"command": "wc -l < log"})"), "exit code 0\n80\n");
}

}  // namespace
}  // namespace paddock::tools
