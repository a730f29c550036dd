#include <gtest/gtest.h>

#include "api/rest/api_for_test.h"
#include "net/web_socket_client.h"

namespace paddock::api {
namespace {

using namespace std::chrono_literals;

class TerminalTest : public ApiTest {
 protected:
  std::unique_ptr<net::WebSocketClient> Open(const std::string& target, net::Headers headers = {{"Authorization", "Bearer alice"}}) {
    auto opened = net::WebSocketClient::Open({.address = server_->addresses()[0]}, target, std::move(headers));
    EXPECT_TRUE(opened) << opened.error().Text();
    if (!opened) return nullptr;
    (*opened)->SetReceiveTime(20s);
    return std::move(*opened);
  }
  std::string Refusal(const std::string& target, net::Headers headers = {{"Authorization", "Bearer alice"}}) {
    auto opened = net::WebSocketClient::Open({.address = server_->addresses()[0]}, target, std::move(headers));
    EXPECT_FALSE(opened);
    return opened ? std::string() : std::string(opened.error().Text());
  }
  // What is shown until `wanted` is there; text frames lie in told_.
  std::string Until(net::WebSocketClient& socket, const std::string& wanted) {
    std::string shown;
    while (shown.find(wanted) == std::string::npos) {
      auto message = socket.Receive();
      if (!message || !*message) {
        ADD_FAILURE() << "no '" << wanted << "' in: " << shown << told_ << (message ? "" : message.error().Text());
        return shown;
      }
      if ((*message)->is_text) told_ += (*message)->payload;
      else shown += (*message)->payload;
    }
    return shown;
  }
  void UntilClosed(net::WebSocketClient& socket) {
    while (true) {
      auto message = socket.Receive();
      ASSERT_TRUE(message) << message.error().Text();
      if (!*message) return;
      if ((*message)->is_text) told_ += (*message)->payload;
    }
  }
  std::string told_;
};

TEST_F(TerminalTest, LinesRunInOneShellAndExitEndsIt) {
  const std::string id = Make();
  auto socket = Open("/v1/sandboxes/" + id + "/terminal?columns=100&rows=30");
  ASSERT_NE(socket, nullptr);
  Until(*socket, "$ ");
  ASSERT_TRUE(socket->SendBinary("x=5; cd /tmp\r"));
  Until(*socket, "/tmp$ ");
  ASSERT_TRUE(socket->SendBinary("echo \"v=$x c=$COLUMNS\"\r"));
  Until(*socket, "v=5 c=100\r\n");
  ASSERT_TRUE(socket->SendBinary("if true\rthen echo yes; fi\r"));
  Until(*socket, "> ");
  Until(*socket, "yes\r\n");
  ASSERT_TRUE(socket->SendBinary("exit 3\r"));
  UntilClosed(*socket);
  EXPECT_NE(told_.find(R"("exit_code":3)"), std::string::npos) << told_;
  EXPECT_EQ(socket->close_code(), net::kCloseNormal);
}

TEST_F(TerminalTest, CommandsReadWhatIsTypedAndAnEnd) {
  const std::string id = Make();
  auto socket = Open("/v1/sandboxes/" + id + "/terminal");
  ASSERT_NE(socket, nullptr);
  Until(*socket, "$ ");
  ASSERT_TRUE(socket->SendBinary("read name; echo \"got <$name>\"\r"));
  Until(*socket, "\r\n");
  ASSERT_TRUE(socket->SendBinary("abd\x7f" "c\r"));
  Until(*socket, "got <abc>\r\n");
  ASSERT_TRUE(socket->SendBinary("cat; echo behind\r"));
  ASSERT_TRUE(socket->SendBinary("line\r\x04"));
  Until(*socket, "behind\r\n");
}

TEST_F(TerminalTest, CtrlCInterruptsAndTheSandboxIsFreeBetweenLines) {
  const std::string id = Make();
  auto socket = Open("/v1/sandboxes/" + id + "/terminal");
  ASSERT_NE(socket, nullptr);
  Until(*socket, "$ ");
  ASSERT_TRUE(socket->SendBinary("echo begun; sleep 1000\r"));
  Until(*socket, "begun\r\n");
  ASSERT_TRUE(socket->SendBinary("\x03"));
  Until(*socket, "$ ");
  ASSERT_TRUE(socket->SendBinary("echo $?\r"));
  Until(*socket, "130\r\n");
  const Reply ran = Ask("POST", "/v1/sandboxes/" + id + "/exec", R"({"script":"echo free"})");
  EXPECT_EQ(ran.status, 200) << ran.text;
  EXPECT_EQ(ran.json().at("stdout").as_string(), "free\n");
}

TEST_F(TerminalTest, ProgramsEndWithTheClient) {
  const std::string id = Make();
  auto socket = Open("/v1/sandboxes/" + id + "/terminal");
  ASSERT_NE(socket, nullptr);
  Until(*socket, "$ ");
  ASSERT_TRUE(socket->SendBinary("echo begun; while :; do :; done\r"));
  Until(*socket, "begun\r\n");
  socket.reset();
  const Reply ran = Ask("POST", "/v1/sandboxes/" + id + "/exec", R"({"script":"echo free","timeout":"30s"})");   // waits for its turn
  EXPECT_EQ(ran.json().at("termination").at("reason").as_string(), "exit") << ran.text;
}

// More is written than the client reads: the program waits, and the daemon's memory does not grow with it.
TEST_F(TerminalTest, AClientThatReadsLateGetsAllOfIt) {
  const std::string id = Make();
  auto socket = Open("/v1/sandboxes/" + id + "/terminal");
  ASSERT_NE(socket, nullptr);
  Until(*socket, "$ ");
  ASSERT_TRUE(socket->SendBinary("seq 1 2000000 | tail -c 12000000; echo THE-''END\r"));
  size_t bytes = 0;
  std::string tail;
  while (tail.find("THE-END") == std::string::npos) {
    auto message = socket->Receive();
    ASSERT_TRUE(message && *message);
    bytes += (*message)->payload.size();
    tail = (tail + (*message)->payload);
    if (tail.size() > 200) tail.erase(0, tail.size() - 200);
  }
  EXPECT_GT(bytes, 12'000'000u);
}

TEST_F(TerminalTest, ATicketIsGoodOnceAndForOneSandbox) {
  const std::string id = Make(), other = Make();
  const auto ticket = [&] { return std::string(Ask("POST", "/v1/sandboxes/" + id + "/terminal/tickets").json().at("ticket").as_string()); };
  const std::string first = ticket();
  auto socket = Open("/v1/sandboxes/" + id + "/terminal?ticket=" + first, {});
  ASSERT_NE(socket, nullptr);
  Until(*socket, "$ ");
  EXPECT_NE(Refusal("/v1/sandboxes/" + id + "/terminal?ticket=" + first, {}).find("401"), std::string::npos);
  EXPECT_NE(Refusal("/v1/sandboxes/" + other + "/terminal?ticket=" + ticket(), {}).find("401"), std::string::npos);
  EXPECT_NE(Refusal("/v1/sandboxes/" + id + "/terminal", {}).find("401"), std::string::npos);
  EXPECT_EQ(Ask("GET", "/v1/sandboxes/" + id + "?ticket=" + ticket(), {}, {}, "").status, 401);   // nowhere else
  // A ticket may what the key may that it was made with.
  const Reply to_look = Ask("POST", "/v1/sandboxes/" + id + "/terminal/tickets", {}, {}, "alice:read");
  EXPECT_EQ(to_look.status, 201);
  EXPECT_NE(Refusal("/v1/sandboxes/" + id + "/terminal?ticket=" + std::string(to_look.json().at("ticket").as_string()), {}).find("403"), std::string::npos);
  EXPECT_EQ(Ask("POST", "/v1/sandboxes/" + id + "/terminal/tickets", {}, {}, "bob").status, 404);
}

TEST_F(TerminalTest, ATicketDownloadsOnceAndWhatABrowserOnlySaves) {
  const std::string id = Make();
  const std::string file = "/v1/sandboxes/" + id + "/files/content?path=/tmp/a%20%22%0D.html";
  ASSERT_EQ(Ask("PUT", file, "<script>alert(1)</script>").status, 200);
  const auto ticket = [&] { return "&ticket=" + std::string(Ask("POST", "/v1/sandboxes/" + id + "/terminal/tickets").json().at("ticket").as_string()); };
  const std::string first = ticket();
  const Reply got = Ask("GET", file + first, {}, {}, "");
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.text, "<script>alert(1)</script>");
  const auto header = [&](const char* name) { const std::string* value = FindHeader(got.headers, name); return value != nullptr ? *value : ""; };
  EXPECT_EQ(header("Content-Type"), "application/octet-stream");
  EXPECT_EQ(header("Content-Disposition"), "attachment; filename*=UTF-8''a%20%22%0D.html");
  EXPECT_EQ(header("Content-Security-Policy"), "default-src 'none'; sandbox");
  EXPECT_EQ(header("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(Ask("GET", file + first, {}, {}, "").status, 401);
  const Reply archive = Ask("GET", "/v1/sandboxes/" + id + "/files/archive?path=/tmp" + ticket(), {}, {}, "");
  EXPECT_EQ(archive.status, 200);
  EXPECT_EQ(Ask("PUT", file + ticket(), "x", {}, "").status, 401);   // to read only
}

TEST_F(TerminalTest, AnotherSitesPageOpensNoSocketAndChangesNothing) {
  const std::string id = Make();
  EXPECT_NE(Refusal("/v1/sandboxes/" + id + "/terminal", {{"Authorization", "Bearer alice"}, {"Origin", "http://evil.example"}}).find("403"), std::string::npos);
  EXPECT_EQ(Ask("DELETE", "/v1/sandboxes/" + id, {}, {{"Origin", "null"}}).status, 403);
  EXPECT_EQ(Ask("GET", "/v1/sandboxes/" + id, {}, {{"Origin", "null"}}).status, 200);
  const Reply preflight = Ask("OPTIONS", "/v1/sandboxes", {}, {{"Origin", "http://evil.example"}, {"Access-Control-Request-Method", "POST"}});
  EXPECT_EQ(preflight.status, 405);
  EXPECT_EQ(FindHeader(preflight.headers, "Access-Control-Allow-Origin"), nullptr);
}

TEST_F(TerminalTest, WhatIsNoTerminalIsRefused) {
  const std::string id = Make();
  EXPECT_EQ(Ask("GET", "/v1/sandboxes/" + id + "/terminal").status, 426);
  EXPECT_NE(Refusal("/v1/sandboxes/" + id + "/terminal", {{"Authorization", "Bearer bob"}}).find("404"), std::string::npos);
  EXPECT_NE(Refusal("/v1/sandboxes/" + id + "/terminal", {{"Authorization", "Bearer alice:read"}}).find("403"), std::string::npos);
  EXPECT_NE(Refusal("/v1/sandboxes/" + id + "/terminal?columns=0").find("400"), std::string::npos);
  EXPECT_NE(Refusal("/v1/sandboxes/" + id + "/terminal?command=sh").find("501"), std::string::npos);
  EXPECT_EQ(Ask("POST", "/v1/sandboxes/" + id + "/pause").status, 200);
  EXPECT_NE(Refusal("/v1/sandboxes/" + id + "/terminal").find("409"), std::string::npos);
}

TEST_F(TerminalTest, MessagesThatMeanNothingAreAnsweredAndDoNoHarm) {
  const std::string id = Make();
  auto socket = Open("/v1/sandboxes/" + id + "/terminal");
  ASSERT_NE(socket, nullptr);
  Until(*socket, "$ ");
  for (const char* text : {"{", "[]", R"({"resize":{"columns":-1,"rows":5}})", R"({"rezise":{}})", R"({"signal":0})"}) ASSERT_TRUE(socket->SendText(text));
  ASSERT_TRUE(socket->SendText(R"({"resize":{"columns":50,"rows":5}})"));
  ASSERT_TRUE(socket->SendBinary("echo $COLUMNS\r"));
  Until(*socket, "50\r\n");
  size_t errors = 0;
  for (size_t at = 0; (at = told_.find(R"("error")", at)) != std::string::npos; ++at) ++errors;
  EXPECT_EQ(errors, 5u) << told_;
}

TEST_F(TerminalTest, AttachedClientsSeeOutputByStreamAndFeedIt) {
  const std::string id = Make();
  const Reply started = Ask("POST", "/v1/sandboxes/" + id + "/processes", R"({"exec":{"script":"echo out; echo err >&2; read a; echo got $a; exit 4"},"open_input":true})");
  ASSERT_EQ(started.status, 201) << started.text;
  const std::string path = "/v1/sandboxes/" + id + "/processes/" + std::string(started.json().at("id").as_string()) + "/attach";
  auto socket = Open(path);
  ASSERT_NE(socket, nullptr);
  Until(*socket, "err\n");
  EXPECT_NE(told_.find(R"({"stream":"stderr","offset":4})"), std::string::npos) << told_;
  Open(path).reset();   // another one comes and goes: the process stays
  ASSERT_TRUE(socket->SendBinary("hello\n"));
  Until(*socket, "got hello\n");
  UntilClosed(*socket);
  EXPECT_NE(told_.find(R"("exit_code":4)"), std::string::npos) << told_;
  auto late = Open(path + "?offset=8");
  told_.clear();
  EXPECT_EQ(Until(*late, "got hello\n"), "got hello\n");
  EXPECT_NE(Refusal(path, {{"Authorization", "Bearer bob"}}).find("404"), std::string::npos);
}

}  // namespace
}  // namespace paddock::api
