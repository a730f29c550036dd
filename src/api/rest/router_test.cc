#include "api/rest/router.h"

#include <set>
#include <thread>

#include "api/rest/api_for_test.h"
#include "api/rest/openapi.h"

namespace paddock::api {
namespace {

TEST_F(ApiTest, ASandboxIsMadeUsedAndDeleted) {
  const std::string id = Make(R"({"name":"dev","labels":{"a":"b"},"limits":{"memory":"64m","exec_time":"5s"},"lease":{"idle_ttl":"1h"}})");
  const Reply shown = Ask("GET", "/v1/sandboxes/dev");
  EXPECT_EQ(shown.status, 200);
  EXPECT_EQ(shown.json().at("id").as_string(), id);
  EXPECT_EQ(shown.json().at("limits").at("memory").as_int64(), 64 << 20);
  EXPECT_EQ(shown.json().at("lease").at("idle_ttl").as_string(), "1h");
  EXPECT_EQ(shown.json().at("expires_by").as_string(), "idle_ttl");

  const Reply ran = Ask("POST", "/v1/sandboxes/dev/exec", R"({"script":"echo out; echo err >&2; exit 3"})");
  EXPECT_EQ(ran.status, 200) << ran.text;
  EXPECT_EQ(ran.json().at("exit_code").as_int64(), 3);
  EXPECT_EQ(ran.json().at("stdout").as_string(), "out\n");
  EXPECT_EQ(ran.json().at("stderr").as_string(), "err\n");
  EXPECT_EQ(ran.json().at("termination").at("reason").as_string(), "exit");

  EXPECT_EQ(Ask("DELETE", "/v1/sandboxes/" + id).status, 204);
  EXPECT_EQ(Ask("GET", "/v1/sandboxes/" + id).status, 404);
}

TEST_F(ApiTest, AnExecThatIsEndedHasNoExitCode) {
  const std::string id = Make();
  const Reply ran = Ask("POST", "/v1/sandboxes/" + id + "/exec", R"({"script":"while :; do :; done","timeout":"50ms"})");
  EXPECT_EQ(ran.status, 200);
  EXPECT_TRUE(ran.json().at("exit_code").is_null());
  EXPECT_EQ(ran.json().at("termination").at("reason").as_string(), "timeout");
}

TEST_F(ApiTest, WhatIsNotUnderstoodIsRefusedByName) {
  const Reply unknown = Ask("POST", "/v1/sandboxes", R"({"nmae":"x"})");
  EXPECT_EQ(unknown.status, 400);
  EXPECT_EQ(unknown.code(), "invalid");
  EXPECT_NE(unknown.message().find("nmae"), std::string::npos);
  EXPECT_NE(unknown.message().find("name"), std::string::npos);
  EXPECT_EQ(Ask("POST", "/v1/sandboxes", R"({"name":5})").status, 400);
  EXPECT_EQ(Ask("POST", "/v1/sandboxes", R"({"limits":{"memory":-1}})").status, 400);
  EXPECT_EQ(Ask("POST", "/v1/sandboxes", "{").status, 400);
  EXPECT_EQ(Ask("POST", "/v1/sandboxes", "[]").status, 400);
  EXPECT_EQ(Ask("POST", "/v1/sandboxes", R"({"name":"a","name":"b"})").status, 400);
  EXPECT_EQ(Ask("POST", "/v1/sandboxes", "name=x", {{"Content-Type", "application/x-www-form-urlencoded"}}).status, 400);
  EXPECT_EQ(Ask("GET", "/v1/sandboxes?limti=5").status, 400);
  EXPECT_EQ(Ask("GET", "/v1/sandboxes?limit=5&limit=6").status, 400);
  EXPECT_EQ(Ask("GET", "/v1/sandboxes?limit=many").status, 400);
  EXPECT_EQ(Ask("GET", "/v1/nothing").status, 404);
  const Reply wrong = Ask("PATCH", "/v1/sandboxes");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(*FindHeader(wrong.headers, "Allow"), "POST, GET");
}

TEST_F(ApiTest, KeysDecideWhoAndWhat) {
  const std::string id = Make(R"({"name":"dev"})");
  EXPECT_EQ(Ask("GET", "/v1/sandboxes", {}, {}, "").status, 401);
  EXPECT_EQ(Ask("GET", "/v1/health", {}, {}, "").status, 200);
  EXPECT_EQ(Ask("POST", "/v1/sandboxes", "{}", {}, "alice:read").status, 403);
  EXPECT_EQ(Ask("GET", "/v1/sandboxes/" + id, {}, {}, "alice:read").status, 200);
}

// Whoever asks for somebody else's sandbox must learn nothing, on every path that names one.
TEST_F(ApiTest, SomebodyElsesIsAbsentOnEveryPath) {
  const std::string id = Make(R"({"name":"dev"})");
  const std::string absent = "sbx_aaaaaaaaaaaaaaaaaaaa";
  size_t asked = 0;
  for (const Operation& operation : AllOperations()) {
    std::string path = operation.path;
    const size_t at = path.find("{sandbox}");
    if (at == std::string::npos) continue;
    if (const size_t process = path.find("{process}"); process != std::string::npos) path.replace(process, 9, "proc_aaaaaaaaaaaaaaaaaaaa");
    const std::string query = operation.query.empty() ? "" : "?path=/tmp/x";
    std::string body;
    const std::string name = operation.id;
    if (name == "exec") body = R"({"script":":"})";
    if (name == "startProcess") body = R"({"exec":{"script":":"}})";
    if (name == "signalProcess") body = R"({"signal":9})";
    if (name == "restoreSandbox") body = R"({"snapshot":"first"})";
    if (name == "makeTemplateOfSandbox") body = R"({"name":"base"})";
    if (name == "setSandboxLabels") body = R"({"labels":{}})";
    if (name == "makeDirectory") body = R"({"path":"/tmp/x"})";
    if (name == "moveFile") body = R"({"from":"/tmp/x","to":"/tmp/y"})";
    if (name == "searchFiles") body = R"({"pattern":"x"})";
    if (name == "editFile") body = R"({"path":"/tmp/x","old_text":"a","new_text":"b"})";
    if (name == "setFileMode") body = R"({"path":"/tmp/x","mode":"0644"})";
    const bool takes_path = query.empty() || path.find("/files") != std::string::npos;
    const Reply theirs = Ask(operation.method, path.substr(0, at) + id + path.substr(at + 9) + (takes_path ? query : ""), body, {}, "bob");
    const Reply nobodys = Ask(operation.method, path.substr(0, at) + absent + path.substr(at + 9) + (takes_path ? query : ""), body, {}, "bob");
    EXPECT_EQ(theirs.status, 404) << operation.id << theirs.text;
    std::string same = nobodys.text;
    for (size_t found; (found = same.find(absent)) != std::string::npos;) same.replace(found, absent.size(), id);
    EXPECT_EQ(theirs.text, same) << operation.id;
    ++asked;
  }
  EXPECT_GT(asked, 20u);
  EXPECT_EQ(Ask("GET", "/v1/sandboxes/" + id).status, 200);
  EXPECT_EQ(Ask("GET", "/v1/sandboxes", {}, {}, "bob").json().at("sandboxes").as_array().size(), 0u);
}

TEST_F(ApiTest, IdempotencyKeysMakeOnlyOne) {
  const net::Headers key = {{"Idempotency-Key", "k1"}};
  const Reply first = Ask("POST", "/v1/sandboxes", "{}", key), again = Ask("POST", "/v1/sandboxes", "{}", key);
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(first.json().at("id"), again.json().at("id"));
  EXPECT_EQ(Ask("POST", "/v1/sandboxes", R"({"hostname":"other"})", key).status, 409);
}

TEST_F(ApiTest, OutputComesAsEventsWhileItRuns) {
  const std::string id = Make();
  auto response = client().Send({.method = "POST", .target = "/v1/sandboxes/" + id + "/exec",
                                 .headers = {{"Authorization", "Bearer alice"}, {"Accept", "text/event-stream"}},
                                 .body = R"({"script":"echo a; echo b >&2; printf '\\377'; exit 4"})"});
  ASSERT_TRUE(response);
  const std::string text = *(*response)->ReadAll(1 << 20);
  EXPECT_NE(text.find(R"("stream":"stdout","data":"a\n")"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("stream":"stderr","data":"b\n")"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("data":"/w==","is_base64":true)"), std::string::npos) << text;
  EXPECT_NE(text.find("event: exit"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("exit_code":4)"), std::string::npos) << text;
}

TEST_F(ApiTest, ProcessesAreFedFollowedAndEnded) {
  const std::string id = Make();
  const Reply started = Ask("POST", "/v1/sandboxes/" + id + "/processes", R"({"exec":{"script":"read a; echo got $a; cat"},"open_input":true})");
  ASSERT_EQ(started.status, 201) << started.text;
  const std::string path = "/v1/sandboxes/" + id + "/processes/" + std::string(started.json().at("id").as_string());

  net::Client follower({.address = server_->addresses()[0]});
  auto stream = follower.Send({.target = path + "/output", .headers = {{"Authorization", "Bearer alice"}, {"Accept", "text/event-stream"}}});
  ASSERT_TRUE(stream);
  EXPECT_EQ(Ask("POST", path + "/input", "one\n").status, 204);
  const Reply read = Ask("GET", path + "/output?wait_ms=60000");
  EXPECT_EQ(read.json().at("pieces").at(0).at("data").as_string(), "got one\n");
  EXPECT_EQ(Ask("POST", path + "/input?close=true", "two").status, 204);
  const Reply ended = Ask("GET", path + "/wait?wait_ms=60000");
  EXPECT_EQ(ended.json().at("state").as_string(), "exited");
  EXPECT_EQ(ended.json().at("exit_code").as_int64(), 0);
  const std::string followed = *(*stream)->ReadAll(1 << 20);   // ends with the process
  EXPECT_NE(followed.find("got one"), std::string::npos);
  EXPECT_NE(followed.find(R"(two",)"), std::string::npos) << followed;   // alone or with what came before it
  EXPECT_NE(followed.find("event: exit"), std::string::npos);

  auto later = follower.Send({.target = path + "/output", .headers = {{"Authorization", "Bearer alice"}, {"Accept", "text/event-stream"}, {"Last-Event-ID", "8"}}});
  const std::string rest = *(*later)->ReadAll(1 << 20);
  EXPECT_EQ(rest.find("got one"), std::string::npos);
  EXPECT_NE(rest.find(R"("data":"two")"), std::string::npos);
  EXPECT_EQ(Ask("POST", path + "/signal", R"({"signal":9})").status, 404);
}

TEST_F(ApiTest, FilesAreWrittenWholeAndReadInParts) {
  const std::string id = Make();
  const std::string files = "/v1/sandboxes/" + id + "/files";
  std::string content(300000, 'x');
  for (size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 7);
  const Reply written = Ask("PUT", files + "/content?path=/home/agent/new/deep/f.bin&mode=0640", content);
  ASSERT_EQ(written.status, 200) << written.text;
  EXPECT_EQ(written.json().at("bytes_written").as_int64(), 300000);
  EXPECT_TRUE(written.json().at("created").as_bool());
  EXPECT_TRUE(Ask("GET", files + "/content?path=/home/agent/new/deep/f.bin").text == content);
  const Reply part = Ask("GET", files + "/content?path=/home/agent/new/deep/f.bin", {}, {{"Range", "bytes=1000-1999"}});
  EXPECT_EQ(part.status, 206);
  EXPECT_TRUE(part.text == content.substr(1000, 1000));
  EXPECT_EQ(Ask("GET", files + "/content?path=/home/agent/new/deep/f.bin", {}, {{"Range", "bytes=300000-"}}).status, 416);
  const Reply stat = Ask("GET", files + "/stat?path=/home/agent/new/deep/f.bin");
  EXPECT_EQ(stat.json().at("mode").as_string(), "0640");
  EXPECT_EQ(Ask("PUT", files + "/content?path=/home/agent/new/deep/f.bin", "short").json().at("created").as_bool(), false);
  EXPECT_EQ(Ask("GET", files + "/stat?path=/home/agent/new/deep/f.bin").json().at("mode").as_string(), "0640");
  EXPECT_EQ(Ask("PUT", files + "/content?path=/home/agent/new/deep/f.bin&append=true", "er").status, 200);
  EXPECT_EQ(Ask("GET", files + "/content?path=/home/agent/new/deep/f.bin").text, "shorter");
  const json::value list = Ask("GET", files + "?path=/home/agent/new/deep").json();
  EXPECT_EQ(list.at("entries").as_array().size(), 1u);   // no draft is left
  EXPECT_EQ(Ask("POST", files + "/move", R"({"from":"/home/agent/new/deep/f.bin","to":"/home/agent/g"})").status, 204);
  EXPECT_EQ(Ask("POST", files + "/mkdir", R"({"path":"/home/agent/d"})").status, 204);
  EXPECT_EQ(Ask("POST", files + "/chmod", R"({"path":"/home/agent/g","mode":"0600"})").status, 204);
  EXPECT_EQ(Ask("DELETE", files + "?path=/home/agent/new").status, 409);
  EXPECT_EQ(Ask("DELETE", files + "?path=/home/agent/new&recursive=true").status, 204);
  EXPECT_EQ(Ask("DELETE", files + "?path=/&recursive=true").status, 400);
  EXPECT_EQ(Ask("GET", files + "/content?path=/home/agent/new").status, 404);
  EXPECT_EQ(Ask("GET", files + "/content?path=/home").status, 409);
  EXPECT_EQ(Ask("GET", files + "/content?path=/dev/zero").status, 400);
  EXPECT_EQ(Ask("GET", files + "/content?path=relative").status, 400);
  EXPECT_EQ(Ask("PUT", files + "/content?path=/etc/x", "x").status, 403);
}

TEST_F(ApiTest, EventsAreReadAndFollowed) {
  net::Client follower({.address = server_->addresses()[0]});
  const std::string id = Make();
  auto stream = follower.Send({.target = "/v1/events", .headers = {{"Authorization", "Bearer alice"}, {"Accept", "text/event-stream"}}});
  ASSERT_TRUE(stream);
  EXPECT_EQ(Ask("POST", "/v1/sandboxes/" + id + "/pause", "{}").status, 200);
  std::string seen;
  char buffer[4096];
  while (seen.find("sandbox.paused") == std::string::npos) {
    const auto size = (*stream)->Read(buffer);
    ASSERT_TRUE(size && *size > 0);
    seen.append(buffer, *size);
  }
  EXPECT_NE(seen.find("id: 1"), std::string::npos);
  EXPECT_NE(seen.find("sandbox.created"), std::string::npos);
  const json::value events = Ask("GET", "/v1/events?after=1").json();
  EXPECT_EQ(events.at("events").as_array().size(), 1u);
  EXPECT_EQ(events.at("events").at(0).at("type").as_string(), "sandbox.paused");
  EXPECT_EQ(events.at("last").as_int64(), 2);
}

TEST_F(ApiTest, TheDocumentNamesEveryOperationOnce) {
  const json::value document = Ask("GET", "/v1/openapi.json").json();
  std::set<std::string> ids;
  for (const auto& [path, methods] : document.at("paths").as_object()) {
    for (const auto& [method, entry] : methods.as_object()) {
      EXPECT_TRUE(ids.insert(std::string(entry.at("operationId").as_string())).second) << path;
    }
  }
  EXPECT_EQ(ids.size(), AllOperations().size());
  EXPECT_EQ(document.at("paths").at("/v1/sandboxes").at("post").at("requestBody").at("content").at("application/json").at("schema").at("additionalProperties").as_bool(), false);
}

}  // namespace
}  // namespace paddock::api
