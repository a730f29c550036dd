#include "api/mcp/http.h"

#include <gtest/gtest.h>

#include "api/mcp/http_headers.h"
#include "api/mcp/mcp_for_test.h"
#include "net/net_for_test.h"

namespace paddock::mcp {
namespace {

// Keys "ann" and "bob"; each has one session.
class DoorForTest final : public Door {
 public:
  DoorForTest() : catalog_(tools::BuiltInCapabilities()) {
    drivers_.Add(sandbox::MakeVirtualDriver(AllCommands()));
    equipment_ = std::make_shared<const tools::Equipment>(tools::Resolve(catalog_, {.isolations = {"virtual"}, .features = {}},
                                                                         {{"test", {{"bashkit_shell", {}}, {"sandbox", {}}}, ""}})
                                                              .value());
  }
  Result<std::string> Identify(const net::Request& request) override {
    const std::string* const key = request.Header("Authorization");
    if (key == nullptr) return Error(Code::kAccess, "no key");
    if (*key == "Bearer reader") return Error(Code::kNotPermitted, "this key may only look");
    return key->substr(7);
  }
  Result<Opened> Open(const net::Request& request, const std::string& name) override {
    if (!name.empty() && name != "mine") return Error(Code::kNoEntry, "no session '" + name + "'");
    const std::lock_guard lock(mutex_);
    auto& session = sessions_[*request.Header("Authorization") + "/" + name];
    if (!session) session = std::make_shared<tools::DirectSession>(drivers_, tools::DirectSettings{});
    return Opened{session, equipment_};
  }

 private:
  const tools::Catalog catalog_;
  sandbox::DriverSet drivers_;
  std::shared_ptr<const tools::Equipment> equipment_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<tools::SessionAccess>> sessions_;
};

struct Reply {
  int status = 0;
  std::string head, body;
  json::object json() const { return json::parse(body).as_object(); }
};

class McpHttp : public testing::Test {
 protected:
  static std::string Bytes(const std::string& body, const std::string& headers, const std::string& method = "POST",
                           const std::string& target = "/mcp") {
    return method + " " + target +
           " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ann\r\nContent-Type: "
           "application/json\r\n" +
           headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  Reply Ask(const std::string& bytes) {
    net::RawClient client = server_.Open();
    client.Send(bytes);
    const std::string answer = client.ReceiveAll();
    const size_t end = answer.find("\r\n\r\n");
    if (answer.size() < 12 || end == std::string::npos) return {0, answer, ""};
    return {std::stoi(answer.substr(9, 3)), answer.substr(0, end + 2), answer.substr(end + 4)};
  }
  static std::string HeaderOf(const Reply& reply, const std::string& name) {
    const size_t at = reply.head.find("\r\n" + name + ": ");
    if (at == std::string::npos) return "";
    const size_t begin = at + name.size() + 4;
    return reply.head.substr(begin, reply.head.find("\r\n", begin) - begin);
  }
  static std::string Body(std::string_view method, json::object params = {}, json::value id = 1) {
    return json::serialize(
        json::object{{"jsonrpc", "2.0"}, {"id", std::move(id)}, {"method", method}, {"params", std::move(params)}});
  }
  static json::object Stateless(json::object params = {}, std::string_view revision = "2026-07-28") {
    params["_meta"] = json::object{{"io.modelcontextprotocol/protocolVersion", revision},
                                   {"io.modelcontextprotocol/clientCapabilities", json::object()}};
    return params;
  }
  static std::string Heads(const std::string& method, const std::string& name = "", const std::string& revision = "2026-07-28") {
    return "MCP-Protocol-Version: " + revision + "\r\nMcp-Method: " + method + "\r\n" +
           (name.empty() ? "" : "Mcp-Name: " + name + "\r\n");
  }
  // A handshake; the headers of what follows.
  std::string Begin(const std::string& revision = "2025-11-25") {
    const Reply reply = Ask(Bytes(Body("initialize", {{"protocolVersion", revision}}), ""));
    EXPECT_EQ(reply.status, 200) << reply.body;
    return "Mcp-Session-Id: " + HeaderOf(reply, "Mcp-Session-Id") + "\r\nMCP-Protocol-Version: " + revision + "\r\n";
  }

  DoorForTest door_;
  HttpFace face_{door_, {.version = "1", .log = nullptr}};
  net::TestServer server_{[this](net::Exchange& exchange) { face_.Handle(exchange); }};
};

TEST_F(McpHttp, AHandshakeGivesAnIdThatFollowingRequestsCarry) {
  const std::string headers = Begin();
  EXPECT_EQ(Ask(Bytes(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", headers)).status, 202);
  EXPECT_EQ(Ask(Bytes(Body("tools/list"), headers)).json().at("result").at("tools").as_array().size(), 28u);
  EXPECT_EQ(Ask(Bytes(Body("tools/list"), "")).status, 400);
  EXPECT_EQ(Ask(Bytes(Body("tools/list"), "Mcp-Session-Id: mcp_none\r\n")).status, 404);
}

TEST_F(McpHttp, AnIdIsItsOwnersAndEndsWithDelete) {
  const std::string headers = Begin();
  std::string stolen = Bytes(Body("ping"), headers);
  stolen.replace(stolen.find("Bearer ann"), 10, "Bearer bob");
  EXPECT_EQ(Ask(stolen).status, 404);
  std::string ended = Bytes("", headers, "DELETE");
  ended.replace(ended.find("Bearer ann"), 10, "Bearer bob");
  EXPECT_EQ(Ask(ended).status, 404);
  EXPECT_EQ(Ask(Bytes("", headers, "DELETE")).status, 204);
  EXPECT_EQ(Ask(Bytes(Body("ping"), headers)).status, 404);
}

TEST_F(McpHttp, StatelessRequestsNeedMatchingHeaders) {
  EXPECT_EQ(
      Ask(Bytes(Body("server/discover", Stateless()), Heads("server/discover"))).json().at("result").at("resultType").as_string(),
      "complete");
  const std::string call = Body("tools/call", Stateless({{"name", "kv_store"}, {"arguments", {{"operation", "list"}}}}));
  EXPECT_EQ(Ask(Bytes(call, Heads("tools/call", "kv_store"))).status, 200);
  EXPECT_EQ(Ask(Bytes(call, Heads("tools/call", "=?base64?a3Zfc3RvcmU=?="))).status, 200);
  for (const std::string& bad :
       {Heads("tools/list", "kv_store"), Heads("tools/call"), Heads("tools/call", "bash"), std::string(),
        Heads("tools/call", "kv_store", "2025-11-25"), Heads("tools/call", "kv_store") + "Mcp-Name: kv_store\r\n",
        Heads("tools/call", "=?base64?!?=")}) {
    const Reply reply = Ask(Bytes(call, bad));
    EXPECT_EQ(reply.status, 400) << bad;
    EXPECT_EQ(ErrorCode(reply.json()), kHeaderMismatch) << bad << reply.body;
  }
}

TEST_F(McpHttp, TheSandboxStandsInAHeaderToo) {
  const json::object answer = Ask(Bytes(Body("tools/list", Stateless()), Heads("tools/list"))).json();
  for (const json::value& tool : answer.at("result").at("tools").as_array()) {
    const json::object& properties = tool.at("inputSchema").at("properties").as_object();
    const json::value* const property = properties.if_contains("sandbox_id");
    if (property != nullptr) {
      EXPECT_EQ(property->at("x-mcp-header"), "Sandbox-Id");
    }
  }
  const auto call = [](json::object arguments) { return Body("tools/call", Stateless({{"name", "sandbox_list_files"}, {"arguments", std::move(arguments)}})); };
  const std::string heads = Heads("tools/call", "sandbox_list_files"), header = "Mcp-Param-Sandbox-Id: ";
  for (const char* good : {"box", "=?base64?Ym94?="}) {
    EXPECT_EQ(Ask(Bytes(call({{"sandbox_id", "box"}}), heads + header + good + "\r\n")).status, 200) << good;
  }
  EXPECT_EQ(Ask(Bytes(call({}), heads)).status, 200);
  EXPECT_EQ(Ask(Bytes(call({{"sandbox_id", nullptr}}), heads)).status, 200);
  for (const std::string& bad : {std::string(), header + "other\r\n", header + "Box\r\n", header + "\r\n", header + "=?base64?!?=\r\n", header + "box\r\n" + header + "box\r\n"}) {
    const Reply reply = Ask(Bytes(call({{"sandbox_id", "box"}}), heads + bad));
    EXPECT_EQ(reply.status, 400) << bad;
    EXPECT_EQ(ErrorCode(reply.json()), kHeaderMismatch) << bad << reply.body;
  }
  EXPECT_EQ(Ask(Bytes(call({}), heads + header + "box\r\n")).status, 400);
  EXPECT_EQ(Ask(Bytes(call({{"sandbox_id", 5}}), heads + header + "5\r\n")).status, 400);
  // Revisions with a handshake know no such header.
  const std::string old = Begin();
  EXPECT_EQ(Ask(Bytes(Body("tools/list"), old)).body.find("x-mcp-header"), std::string::npos);
  EXPECT_EQ(Ask(Bytes(Body("tools/call", {{"name", "sandbox_list_files"}, {"arguments", {{"sandbox_id", "box"}}}}), old)).status, 200);
}

TEST_F(McpHttp, StatusesFollowTheCodes) {
  EXPECT_EQ(Ask(Bytes(Body("ping", Stateless()), Heads("ping"))).status, 404);
  const Reply unsupported = Ask(Bytes(Body("tools/list", Stateless({}, "2031-01-01")), Heads("tools/list", "", "2031-01-01")));
  EXPECT_EQ(unsupported.status, 400);
  EXPECT_EQ(ErrorCode(unsupported.json()), kUnsupportedRevision);
  EXPECT_EQ(ErrorCode(Ask(Bytes(Body("tools/list"), "MCP-Protocol-Version: 1999-01-01\r\n")).json()), kUnsupportedRevision);
  EXPECT_EQ(Ask(Bytes("{", "")).status, 400);
  EXPECT_EQ(Ask(Bytes("[]", Heads("x"))).status, 400);
  EXPECT_EQ(Ask(Bytes("[" + Body("ping") + "]", Heads("x"))).status, 400);
  EXPECT_EQ(Ask(Bytes(R"({"jsonrpc":"2.0","id":1,"result":{}})", Heads("x"))).status, 400);
  EXPECT_EQ(Ask(Bytes(R"({"jsonrpc":"2.0","method":"notifications/x"})", Heads("notifications/x"))).status, 202);
  EXPECT_EQ(Ask(Bytes("", Heads("x"), "GET")).status, 405);
  EXPECT_EQ(Ask(Bytes("", "", "PUT")).status, 405);
  EXPECT_EQ(Ask(Bytes("{}", "", "POST", "/mcp?x=1")).status, 400);
}

TEST_F(McpHttp, WhoMayNotAskIsRefused) {
  std::string bytes = Bytes(Body("ping"), "");
  bytes.replace(bytes.find("Authorization: Bearer ann\r\n"), 27, "");
  const Reply unknown = Ask(bytes);
  EXPECT_EQ(unknown.status, 401);
  EXPECT_EQ(HeaderOf(unknown, "WWW-Authenticate"), "Bearer");
  bytes = Bytes(Body("ping"), "");
  bytes.replace(bytes.find("Bearer ann"), 10, "Bearer reader");
  EXPECT_EQ(Ask(bytes).status, 403);
  for (const char* origin : {"https://evil.example", "null", "http://localhost.evil.example", "http://[::1"}) {
    EXPECT_EQ(
        Ask(Bytes(Body("initialize", {{"protocolVersion", "2025-11-25"}}), std::string("Origin: ") + origin + "\r\n")).status,
        403)
        << origin;
  }
  for (const char* origin : {"http://localhost:3000", "http://127.0.0.1", "http://[::1]:80"}) {
    EXPECT_EQ(
        Ask(Bytes(Body("initialize", {{"protocolVersion", "2025-11-25"}}), std::string("Origin: ") + origin + "\r\n")).status,
        200)
        << origin;
  }
}

TEST_F(McpHttp, TheQueryNamesTheSession) {
  const std::string set =
      Body("tools/call", Stateless({{"name", "kv_store"}, {"arguments", {{"operation", "set"}, {"key", "k"}, {"value", "v"}}}}));
  const std::string list = Body("tools/call", Stateless({{"name", "kv_store"}, {"arguments", {{"operation", "list"}}}}));
  EXPECT_EQ(Ask(Bytes(set, Heads("tools/call", "kv_store"), "POST", "/mcp?session=mine")).status, 200);
  const auto keys = [&](const char* target) {
    return Ask(Bytes(list, Heads("tools/call", "kv_store"), "POST", target))
        .json()
        .at("result")
        .at("structuredContent")
        .at("keys")
        .as_array()
        .size();
  };
  EXPECT_EQ(keys("/mcp?session=mine"), 1u);
  EXPECT_EQ(keys("/mcp"), 0u);
  EXPECT_EQ(Ask(Bytes(list, Heads("tools/call", "kv_store"), "POST", "/mcp?session=other")).status, 404);
}

TEST_F(McpHttp, WhatMayTakeLongIsAnsweredWithEventsToWhoTakesThem) {
  const std::string call = Body("tools/call", Stateless({{"name", "bash"}, {"arguments", {{"commands", "echo hi"}}}}));
  const Reply plain = Ask(Bytes(call, Heads("tools/call", "bash") + "Accept: */*\r\n"));
  EXPECT_EQ(plain.json().at("result").at("structuredContent").at("stdout").as_string(), "hi\n");
  const Reply events = Ask(Bytes(call, Heads("tools/call", "bash") + "Accept: application/json, text/event-stream\r\n"));
  EXPECT_EQ(HeaderOf(events, "Content-Type"), "text/event-stream");
  EXPECT_EQ(HeaderOf(events, "X-Accel-Buffering"), "no");
  EXPECT_NE(events.body.find("event: message"), std::string::npos) << events.body;
  EXPECT_NE(events.body.find(R"("stdout":"hi\n")"), std::string::npos) << events.body;
  EXPECT_EQ(Ask(Bytes(call, Heads("tools/call", "bash") + "Accept: text/html\r\n")).status, 406);
}

TEST_F(McpHttp, AStatelessClientCancelsByGoingAway) {
  const std::string endless =
      Body("tools/call", Stateless({{"name", "bash"}, {"arguments", {{"commands", "while :; do :; done"}}}}));
  for (const char* accept : {"", "Accept: application/json, text/event-stream\r\n"}) {
    net::RawClient client = server_.Open();
    client.Send(Bytes(endless, Heads("tools/call", "bash") + accept));
    if (*accept != '\0') client.ReceiveUntil("\r\n\r\n");
    client.Close();
    // One thing runs in a shell at a time: this answers when the other has ended.
    const std::string next = Body("tools/call", Stateless({{"name", "bash"}, {"arguments", {{"commands", "echo free"}}}}));
    EXPECT_NE(Ask(Bytes(next, Heads("tools/call", "bash"))).body.find("free"), std::string::npos);
  }
}

TEST_F(McpHttp, WithAHandshakeANotificationCancels) {
  const std::string headers = Begin();
  net::RawClient client = server_.Open();
  client.Send(Bytes(Body("tools/call", {{"name", "bash"}, {"arguments", {{"commands", "while :; do :; done"}}}}, "long"),
                    headers + "Accept: application/json, text/event-stream\r\n"));
  client.ReceiveUntil("\r\n\r\n");
  EXPECT_EQ(ErrorCode(Ask(Bytes(Body("ping", {}, "long"), headers)).json()), kInvalidRequest);   // the id is in use
  EXPECT_EQ(Ask(Bytes(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"long"}})", headers)).status,
            202);
  EXPECT_EQ(client.ReceiveAll().find("result"), std::string::npos);
}

TEST_F(McpHttp, TheFirstRevisionHasBatches) {
  const std::string headers = Begin("2025-03-26");
  const std::string batch = "[" + Body("ping") + R"(,{"jsonrpc":"2.0","method":"notifications/x"},7])";
  const Reply reply = Ask(Bytes(batch, headers));
  EXPECT_EQ(json::parse(reply.body).as_array().size(), 2u) << reply.body;
  EXPECT_EQ(Ask(Bytes(R"([{"jsonrpc":"2.0","method":"notifications/x"}])", headers)).status, 202);
  EXPECT_EQ(Ask(Bytes(batch, Begin())).status, 400);
}

TEST_F(McpHttp, BodiesAreBounded) {
  EXPECT_EQ(Ask("POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ann\r\nContent-Type: "
                "application/json\r\nContent-Length: 9000000\r\n\r\n")
                .status,
            413);
  EXPECT_EQ(Ask(Bytes("x=1", "Content-Type: text/plain\r\n")).status, 400);
}

class McpHttpStreams : public McpHttp {
 protected:
  static constexpr const char* kEvents = "Accept: text/event-stream\r\n";
  static constexpr const char* kUri = "paddock://session/a";

  // The stream of a client, from behind an event.
  net::RawClient Listen(const std::string& headers, const std::string& after = "") {
    net::RawClient stream = server_.Open();
    stream.Send(Bytes("", headers + kEvents + (after.empty() ? "" : "Last-Event-ID: " + after + "\r\n"), "GET"));
    EXPECT_TRUE(stream.ReceiveUntil("\r\n\r\n").starts_with("HTTP/1.1 200"));
    return stream;
  }
  void Subscribe(const std::string& headers, const std::string& uri = kUri) {
    const Reply reply = Ask(Bytes(Body("resources/subscribe", {{"uri", uri}}), headers));
    EXPECT_TRUE(reply.json().contains("result")) << reply.body;
  }
  void Write(const std::string& text, const char* path = "/a") {
    const Reply reply = Ask(Bytes(Body("tools/call", Stateless({{"name", "write_file"}, {"arguments", {{"path", path}, {"content", text}}}})),
                                  Heads("tools/call", "write_file")));
    EXPECT_EQ(reply.status, 200) << reply.body;
  }
  // The id of the next event that tells of the file; the rest of the event is read, too.
  static std::string NextUpdate(net::RawClient& stream) {
    const std::string text = stream.ReceiveUntil("notifications/resources/updated");
    const size_t id = text.rfind("id: ");
    stream.ReceiveUntil("\n\n");
    return id == std::string::npos ? "" : text.substr(id + 4, text.find('\n', id) - id - 4);
  }
};

TEST_F(McpHttpStreams, TellWhatAClientSubscribedToAndGoOnWhereItWas) {
  const std::string headers = Begin();
  net::RawClient stream = Listen(headers);
  EXPECT_NE(stream.ReceiveUntil("\n\n").find("id: 0\ndata: \n"), std::string::npos);   // from where to go on
  Subscribe(headers);
  Write("1");
  const std::string first = NextUpdate(stream);
  EXPECT_EQ(first, "1");
  Write("22");
  NextUpdate(stream);
  stream.Close();
  Write("333");   // nobody listens
  net::RawClient again = Listen(headers, first);
  EXPECT_EQ(NextUpdate(again), "2");
  EXPECT_EQ(NextUpdate(again), "3");
  // Another stream takes its place, and goes on behind it.
  net::RawClient other = Listen(headers);
  again.ReceiveAll();
  Write("4444");
  EXPECT_EQ(NextUpdate(other), "4");
  // The end of the client ends its stream.
  EXPECT_EQ(Ask(Bytes("", headers, "DELETE")).status, 204);
  other.ReceiveAll();
  EXPECT_EQ(Ask(Bytes("", headers + kEvents, "GET")).status, 404);
}

TEST_F(McpHttpStreams, AreTheClientsOwn) {
  const std::string headers = Begin();
  std::string stolen = Bytes("", headers + kEvents, "GET");
  stolen.replace(stolen.find("Bearer ann"), 10, "Bearer bob");
  EXPECT_EQ(Ask(stolen).status, 404);
  EXPECT_EQ(Ask(Bytes("", headers, "GET")).status, 406);
  EXPECT_EQ(Ask(Bytes("", kEvents, "GET")).status, 400);
  EXPECT_EQ(Ask(Bytes("", headers + kEvents + "Last-Event-ID: 7\r\n", "GET")).status, 400);
  EXPECT_EQ(Ask(Bytes("", headers + kEvents + "Last-Event-ID: x\r\n", "GET")).status, 400);
  // Two clients of one owner hear what each has asked for.
  const std::string others = Begin();
  net::RawClient mine = Listen(headers), other = Listen(others);
  Subscribe(headers, "paddock://session/a");
  Subscribe(others, "paddock://session/b");
  Write("1", "/a");
  Write("1", "/b");
  EXPECT_EQ(other.ReceiveUntil("paddock://session/").find("list_changed"), std::string::npos);
  EXPECT_EQ(other.Receive(1), "b");
  mine.ReceiveUntil("paddock://session/");
  EXPECT_EQ(mine.Receive(1), "a");
}

TEST_F(McpHttpStreams, OldRevisionsGetNoEmptyEvent) {
  const std::string headers = Begin("2025-06-18");
  net::RawClient stream = Listen(headers);
  Subscribe(headers);
  Write("1");
  EXPECT_TRUE(stream.ReceiveUntil("\n\n").find("notifications/resources/updated") != std::string::npos);
}

TEST_F(McpHttpStreams, AStatelessClientListensOnARequestOfItsOwn) {
  const std::string listen = Body("subscriptions/listen", Stateless({{"notifications", {{"resourceSubscriptions", {kUri}}, {"resourcesListChanged", true}}}}), "l");
  EXPECT_EQ(Ask(Bytes(listen, Heads("subscriptions/listen") + "Accept: application/json\r\n")).status, 406);
  EXPECT_EQ(Ask(Bytes(Body("subscriptions/listen", Stateless()), Heads("subscriptions/listen") + kEvents + "Accept: application/json\r\n")).status, 400);
  net::RawClient stream = server_.Open();
  stream.Send(Bytes(listen, Heads("subscriptions/listen") + "Accept: application/json, text/event-stream\r\n"));
  stream.ReceiveUntil("\r\n\r\n");
  EXPECT_NE(stream.ReceiveUntil("\n\n").find("notifications/subscriptions/acknowledged"), std::string::npos);
  Write("1");
  std::string heard = stream.ReceiveUntil("\n\n");
  heard += stream.ReceiveUntil("\n\n");
  for (const char* part : {"notifications/resources/updated", "notifications/resources/list_changed", R"("io.modelcontextprotocol/subscriptionId":"l")"}) {
    EXPECT_NE(heard.find(part), std::string::npos) << part << heard;
  }
}

TEST_F(McpHttpStreams, OneOwnerGetsAQuarterOfThemAndGivesThemBack) {
  std::vector<net::RawClient> streams;
  const std::string listen = Bytes(Body("subscriptions/listen", Stateless({{"notifications", json::object()}})),
                                   Heads("subscriptions/listen") + "Accept: application/json, text/event-stream\r\n");
  for (size_t i = 0; i < 256; ++i) {
    streams.push_back(server_.Open());
    streams.back().Send(listen);
    streams.back().ReceiveUntil("acknowledged");
  }
  EXPECT_EQ(Ask(listen).status, 429);
  std::string others = listen;
  others.replace(others.find("Bearer ann"), 10, "Bearer bob");
  net::RawClient bob = server_.Open();
  bob.Send(others);
  EXPECT_TRUE(bob.ReceiveUntil("\r\n\r\n").starts_with("HTTP/1.1 200"));
  streams.clear();
  for (;;) {   // they are given back when the server sees that they have gone
    net::RawClient again = server_.Open();
    again.Send(listen);
    if (again.ReceiveUntil("\r\n\r\n").starts_with("HTTP/1.1 200")) break;
  }
}

TEST_F(McpHttp, ClosingEndsWhatRuns) {
  net::RawClient client = server_.Open();
  client.Send(Bytes(Body("tools/call", {{"name", "bash"}, {"arguments", {{"commands", "while :; do :; done"}}}}),
                    Begin() + "Accept: application/json, text/event-stream\r\n"));
  client.ReceiveUntil("\r\n\r\n");
  server_.Reset();
  face_.Close();
}

TEST(McpHttpClients, OfAnOwnersManyTheLeastRecentlyUsedIsForgotten) {
  HttpClients clients;
  const auto first = clients.Add("ann", kNewestWithHandshake), second = clients.Add("ann", kNewestWithHandshake),
             other = clients.Add("bob", kNewestWithHandshake);
  EXPECT_TRUE(clients.Find("ann", first->id));
  for (size_t i = 2; i <= kMostClientsOfOwner; ++i) clients.Add("ann", kNewestWithHandshake);
  EXPECT_TRUE(clients.Find("ann", first->id));
  EXPECT_FALSE(clients.Find("ann", second->id));
  EXPECT_TRUE(clients.Find("bob", other->id));
}

}  // namespace
}  // namespace paddock::mcp
