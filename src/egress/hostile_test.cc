// Clients and servers that play tricks, against the running engine.
#include <chrono>

#include "egress/egress_for_test.h"

namespace paddock::egress {
namespace {

std::string Port(uint16_t port) { return std::to_string(port); }
const char kHello[] = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello\n";

// What the engine's proxy answers to these bytes.
std::string Ask(const TestEngine& engine, std::string_view bytes) {
  TestClient client(engine.proxy_port);
  client.Send(bytes);
  client.Finish();
  return client.ReceiveAll();
}

TEST(EgressHostile, EveryRequestOfAConnectionIsJudged) {
  std::vector<std::string> heads;
  TestServer server(TestServer::Http(kHello, &heads));
  auto rule = AllowRule("allowed.example");
  rule.methods = {"GET"};
  rule.paths = {"/ok"};
  TestEngine engine({rule});
  engine.names["allowed.example"] = {"127.0.0.1"};
  const std::string host = "allowed.example:" + Port(server.port());
  const std::string base = "http://" + host;
  const auto request = [&](const std::string& method, const std::string& path) {
    return method + " " + base + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
  };
  const std::string answers =
      Ask(engine, request("GET", "/ok/1") + request("GET", "/no") + request("DELETE", "/ok") + request("GET", "/ok/2"));
  ASSERT_EQ(heads.size(), 2u) << answers;
  EXPECT_TRUE(heads[0].starts_with("GET /ok/1 HTTP/1.1\r\nHost: " + host + "\r\n")) << heads[0];
  EXPECT_TRUE(heads[1].starts_with("GET /ok/2 ")) << heads[1];
  EXPECT_NE(answers.find("do not allow this path"), std::string::npos);
  EXPECT_NE(answers.find("do not allow method DELETE"), std::string::npos);
}

TEST(EgressHostile, FieldsThatOverrideMethodOrPathAreJudgedToo) {
  std::vector<std::string> heads;
  TestServer server(TestServer::Http(kHello, &heads));
  auto rule = AllowRule("allowed.example");
  rule.methods = {"GET"};
  rule.paths = {"/ok"};
  TestEngine engine({rule});
  engine.names["allowed.example"] = {"127.0.0.1"};
  const std::string host = "allowed.example:" + Port(server.port());
  const std::string start = "GET http://" + host + "/ok HTTP/1.1\r\nHost: " + host + "\r\n";
  for (const char* field : 
       {"X-HTTP-Method-Override: delete", "x-method-override: POST", "X-Original-URL: /admin", "X-Rewrite-Url: /ok/../x"}) {
    EXPECT_TRUE(Ask(engine, start + field + "\r\n\r\n").starts_with("HTTP/1.1 403 ")) << field;
  }
  EXPECT_EQ(heads.size(), 0u);
  EXPECT_TRUE(Ask(engine, start + "X-HTTP-Method-Override: get\r\nX-Original-URL: /ok/1\r\n\r\n").ends_with("hello\n"));
}

TEST(EgressHostile, SmuggledRequestsDoNotReachTheServer) {
  std::vector<std::string> heads;
  TestServer server(TestServer::Http(kHello, &heads));
  TestEngine engine({AllowRule("allowed.example")});
  engine.names["allowed.example"] = {"127.0.0.1"};
  const std::string host = "allowed.example:" + Port(server.port());
  const std::string start = "POST http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\n";
  const std::string inner = "GET /smuggled HTTP/1.1\r\nHost: evil.example\r\n\r\n";
  for (const std::string& rest : {
           "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n" + inner,
           "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n" + inner,
           "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + inner,
           "Content-Length: 4\r\nContent-Length: 100\r\n\r\nbody" + inner,
           "X: y\nTransfer-Encoding: chunked\r\n\r\n" + inner,
           "X: y\r\n folded\r\n\r\n" + inner,
           "Host: evil.example\r\n\r\n" + inner,
       }) {
    EXPECT_TRUE(Ask(engine, start + rest).starts_with("HTTP/1.1 400 ")) << rest;
  }
  EXPECT_EQ(heads.size(), 0u);
}

TEST(EgressHostile, BodiesAreNotReadAsRequests) {
  std::vector<std::string> heads;
  std::string bodies;
  TestServer server([&](TestClient client) {
    for (;;) {
      const std::string head = client.ReceiveUntil("\r\n\r\n");
      if (head.empty()) return;
      heads.push_back(head);
      const size_t length = heads.back().find("Content-Length: ");
      if (length != std::string::npos) bodies += client.ReceiveExactly(std::stoul(heads.back().substr(length + 16)));
      if (heads.back().find("chunked") != std::string::npos) bodies += client.ReceiveUntil("0\r\n\r\n");
      client.Send(kHello);
    }
  });
  TestEngine engine({AllowRule("allowed.example")});
  engine.names["allowed.example"] = {"127.0.0.1"};
  const std::string host = "allowed.example:" + Port(server.port());
  const std::string inner = "GET http://" + host + "/inner HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
  const std::string start = "POST http://" + host + "/outer HTTP/1.1\r\nHost: " + host + "\r\n";
  char size[16];
  snprintf(size, sizeof size, "%zx\r\n", inner.size());
  Ask(engine, start + "Content-Length: " + std::to_string(inner.size()) + "\r\n\r\n" + inner + start +
                  "Transfer-Encoding: chunked\r\n\r\n" + size + inner + "\r\n0\r\n\r\n" + "GET http://" + host +
                  "/last HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
  ASSERT_EQ(heads.size(), 3u);
  EXPECT_TRUE(heads[0].starts_with("POST /outer ") && heads[1].starts_with("POST /outer ") && heads[2].starts_with("GET /last "));
  EXPECT_EQ(bodies, inner + size + inner + "\r\n0\r\n\r\n");
  EXPECT_EQ(server.accepted(), 1u);
}

TEST(EgressHostile, HostAndTargetHaveToAgree) {
  TestEngine engine({AllowRule("allowed.example"), AllowRule("other.example")});
  for (const std::string& request : std::vector<std::string>{
           "GET http://allowed.example/ HTTP/1.1\r\nHost: other.example\r\n\r\n",
           "GET http://allowed.example/ HTTP/1.1\r\nHost: allowed.example:81\r\n\r\n",
           "GET http://allowed.example@other.example/ HTTP/1.1\r\nHost: other.example\r\n\r\n",
           "GET http://allowed.example\\@other.example/ HTTP/1.1\r\nHost: other.example\r\n\r\n",
           "GET http://2130706433/ HTTP/1.1\r\nHost: 2130706433\r\n\r\n",
           "GET http://0x7f.1/ HTTP/1.1\r\nHost: 0x7f.1\r\n\r\n",
           "GET http://allowed.example:0/ HTTP/1.1\r\nHost: allowed.example:0\r\n\r\n",
           "GET http:///etc/passwd HTTP/1.1\r\nHost: allowed.example\r\n\r\n",
           "GET https://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\n\r\n",
           "GET file:///etc/passwd HTTP/1.1\r\nHost: allowed.example\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: allowed.example\r\n\r\n",
           "GET gopher://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\n\r\n",
           "CONNECT allowed.example HTTP/1.1\r\nHost: allowed.example\r\n\r\n",
           "CONNECT allowed.example:443 HTTP/1.1\r\nHost: other.example:443\r\n\r\n",
           "CONNECT allowed.example:443 HTTP/1.1\r\nHost: allowed.example:443\r\nContent-Length: 5\r\n\r\nhello",
           "CONNECT http://allowed.example:443 HTTP/1.1\r\nHost: allowed.example:443\r\n\r\n",
           "CONNECT 127.1:443 HTTP/1.1\r\nHost: 127.1:443\r\n\r\n",
           "CONNECT [::ffff:127.0.0.1:443 HTTP/1.1\r\nHost: a\r\n\r\n",
       }) {
    EXPECT_TRUE(Ask(engine, request).starts_with("HTTP/1.1 400 ")) << request;
  }
}

TEST(EgressHostile, HttpInATunnelIsJudgedLikeAnyOther) {
  std::vector<std::string> heads;
  TestServer server(TestServer::Http(kHello, &heads));
  TestEngine engine({AllowRule("allowed.example")});
  engine.names["allowed.example"] = {"127.0.0.1"};
  const std::string host = "allowed.example:" + Port(server.port());
  const std::string connect = "CONNECT " + host + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
  EXPECT_NE(Ask(engine, connect + "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").find("Host names evil.example"),
            std::string::npos);
  EXPECT_NE(Ask(engine, connect + "\r\n\r\nGET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").find("400 Bad Request"),
            std::string::npos);
  EXPECT_NE(Ask(engine, connect + "get / http/1.1\r\nHost: evil.example\r\n\r\n").find("400 Bad Request"), std::string::npos);
  EXPECT_NE(
      Ask(engine, connect + "GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n").find("Host names evil.example"),
      std::string::npos);
  EXPECT_NE(
      Ask(engine, connect + "GET http://evil.example/ HTTP/1.1\r\nHost: " + host + "\r\n\r\n").find("Host names another server"),
      std::string::npos);
  EXPECT_NE(Ask(engine, connect + "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").find("400 Bad Request"), std::string::npos);
  EXPECT_NE(Ask(engine, connect + "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").find("HTTP/2, which is not spoken here; use HTTP/1.1"), std::string::npos);
  EXPECT_EQ(heads.size(), 0u);
  EXPECT_NE(Ask(engine, connect + "GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n").find("hello\n"), std::string::npos);
}

TEST(EgressHostile, UpgradesOtherThanWebSocketAreNotPassedOn) {
  std::vector<std::string> heads;
  TestServer server(TestServer::Http(kHello, &heads));
  TestEngine engine({AllowRule("allowed.example")});
  engine.names["allowed.example"] = {"127.0.0.1"};
  const std::string host = "allowed.example:" + Port(server.port());
  Ask(engine, "GET http://" + host + "/ HTTP/1.1\r\nHost: " + host +
                  "\r\nConnection: Upgrade, HTTP2-Settings, X-Own\r\nUpgrade: h2c\r\nHTTP2-Settings: AAAA\r\nX-Own: 1\r\nX-Kept: "
                  "2\r\n\r\n");
  ASSERT_EQ(heads.size(), 1u);
  for (const char* gone : {"h2c", "HTTP2-Settings", "X-Own", "Connection"})
    EXPECT_EQ(heads[0].find(gone), std::string::npos) << heads[0];
  EXPECT_NE(heads[0].find("X-Kept: 2\r\n"), std::string::npos);
}

TEST(EgressHostile, WebSocketsAreRawAfterTheServersConsent) {
  TestServer server([](TestClient client) {
    client.ReceiveUntil("\r\n\r\n");
    client.Send(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n");
    client.Send("echo " + client.ReceiveUntil("!"));
  });
  TestEngine engine({AllowRule("allowed.example")});
  engine.names["allowed.example"] = {"127.0.0.1"};
  const std::string host = "allowed.example:" + Port(server.port());
  TestClient client(engine.proxy_port);
  client.Send("GET http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  const std::string head = client.ReceiveUntil("\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 101 ")) << head;
  EXPECT_NE(head.find("Upgrade: websocket\r\n"), std::string::npos);
  client.Send("\x81\x01!");
  EXPECT_EQ(client.ReceiveAll(), "echo \x81\x01!");
}

TEST(EgressHostile, NewRulesCutAnswersThatAreUnderWay) {
  TestServer server([](TestClient client) {
    client.ReceiveUntil("\r\n\r\n");
    client.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n");
    client.ReceiveAll();
  });
  auto rule = AllowRule("allowed.example");
  rule.methods = {"GET"};
  TestEngine engine({rule});
  engine.names["allowed.example"] = {"127.0.0.1"};
  const std::string host = "allowed.example:" + Port(server.port());
  TestClient client(engine.proxy_port);
  client.Send("GET http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
  EXPECT_TRUE(client.ReceiveUntil("hi\r\n").ends_with("2\r\nhi\r\n"));
  policy::NetworkRules rules;
  rules.mode = policy::NetworkMode::kRules;
  rule.methods = {"POST"};
  rules.rules = {rule};
  ASSERT_TRUE(engine.engine->UpdateRules(rules));
  EXPECT_EQ(client.ReceiveAll(), "");
}

TEST(EgressHostile, RebindingNamesAreDialledAtTheCheckedAddressOnly) {
  TestServer server(TestServer::Http(kHello));
  auto rule = AllowRule("allowed.example");
  rule.allow_private = false;
  TestEngine engine({rule});
  // Public, private and disguised ones in one answer: only those that pass are tried. TEST-NET addresses are not public either.
  engine.names["allowed.example"] = {"127.0.0.1",       "::1",     "::ffff:127.0.0.1", "64:ff9b::7f00:1",
                                     "169.254.169.254", "0.0.0.0", "fe80::1",          "10.0.0.1"};
  const std::string host = "allowed.example:" + Port(server.port());
  EXPECT_TRUE(Ask(engine, "GET http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                  .starts_with("HTTP/1.1 403 "));
  EXPECT_EQ(engine.lookups("allowed.example"), 1);
  EXPECT_EQ(server.accepted(), 0u);
}

TEST(EgressHostile, MetadataIsRefusedEvenWherePrivateAddressesAreAllowed) {
  TestEngine engine({AllowRule("allowed.example"), AllowRule("169.254.0.0/16")});
  engine.names["allowed.example"] = {"169.254.169.254"};
  for (const std::string host : {"allowed.example", "169.254.169.254"}) {
    EXPECT_NE(Ask(engine, "GET http://" + host + "/latest/meta-data/ HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                  .find("metadata service"),
              std::string::npos);
  }
}

TEST(EgressHostile, PortEightyCarriesHttpOnly) {
  TestEngine engine({AllowRule("127.0.0.1", 80)});
  TestClient client = engine.Captured("127.0.0.1", 80);
  EXPECT_EQ(client.ReceiveAll(), "");   // its own loopback
  TestClient socks(engine.proxy_port);
  socks.Send(std::string("\5\1\0\5\1\0\1\x7f\0\0\1\0\x50", 13));
  EXPECT_EQ(socks.ReceiveExactly(12), std::string("\5\0\5\0\0\1\0\0\0\0\0\0", 12));
  socks.Send("SSH-2.0-x\r\n");
  EXPECT_EQ(socks.ReceiveAll(), "");
  EXPECT_TRUE(engine.HasEvent("not HTTP, on port 80"));
}

TEST(EgressHostile, TlsBehindAServerThatSpokeFirstIsCut) {
  TestServer server([](TestClient client) {
    client.Send("220 ready\r\n");
    EXPECT_EQ(client.ReceiveAll(), "");
  });
  TestEngine engine({AllowRule("mail.example")});
  engine.names["mail.example"] = {"127.0.0.1"};
  TestClient client(engine.proxy_port);
  const std::string target = "mail.example:" + Port(server.port());
  client.Send("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n");
  client.ReceiveUntil("ready\r\n");
  client.Send("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  EXPECT_EQ(client.ReceiveAll(), "");
  EXPECT_TRUE(engine.HasEvent("behind a server that spoke first"));
}

TEST(EgressHostile, BrokenAnswersBecomeAFailureAndNotTwo) {
  for (const std::string answer :
       {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "nonsense\r\n\r\n",
        "HTTP/1.1 200 OK\nX: y\n\n", "", "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"}) {
    TestServer server([answer](TestClient client) {
      client.ReceiveUntil("\r\n\r\n");
      client.Send(answer);
    });
    TestEngine engine({AllowRule("allowed.example")});
    engine.names["allowed.example"] = {"127.0.0.1"};
    const std::string host = "allowed.example:" + Port(server.port());
    EXPECT_TRUE(Ask(engine, "GET http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\n\r\n").starts_with("HTTP/1.1 502 "))
        << answer;
    EXPECT_TRUE(engine.HasEvent("failed http GET"));
  }
}

TEST(EgressHostile, ABodyThatBreaksOffIsNotMadeWhole) {
  std::string body;
  std::mutex mutex;
  TestServer server([&](TestClient client) {
    client.ReceiveUntil("\r\n\r\n");
    const std::string all = client.ReceiveAll();
    const std::lock_guard lock(mutex);
    body = all;
  });
  TestEngine engine({AllowRule("allowed.example")});
  engine.names["allowed.example"] = {"127.0.0.1"};
  const std::string host = "allowed.example:" + Port(server.port());
  const std::string start = "POST http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_TRUE(Ask(engine, start + "5\r\nhello\r\nzz\r\n").starts_with("HTTP/1.1 400 "));
  const std::lock_guard lock(mutex);
  EXPECT_EQ(body.find("0\r\n\r\n"), std::string::npos);
}

TEST(EgressHostile, SlowHeadsAreCutOff) {
  EgressOptions options;
  options.limits.head_timeout = std::chrono::seconds(1);
  TestEngine engine({AllowRule("allowed.example")}, std::move(options));
  std::vector<TestClient> clients;
  for (const std::string& start : {std::string("GET http://allo"), std::string("\5"), std::string("\4\1\0")}) {
    clients.emplace_back(engine.proxy_port);
    clients.back().Send(start);
  }
  const auto before = std::chrono::steady_clock::now();
  for (TestClient& client : clients) EXPECT_EQ(client.ReceiveAll(), "");
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5));
}

TEST(EgressHostile, ConnectionsBeyondTheLimitWait) {
  EgressOptions options;
  options.limits.connections = 2;
  TestServer server(TestServer::Http(kHello));
  TestEngine engine({AllowRule("allowed.example")}, std::move(options));
  engine.names["allowed.example"] = {"127.0.0.1"};
  const std::string host = "allowed.example:" + Port(server.port());
  auto first = std::make_unique<TestClient>(engine.proxy_port), second = std::make_unique<TestClient>(engine.proxy_port);
  first->Send("GET");
  second->Send("GET");
  TestClient third(engine.proxy_port);
  third.Send("GET http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
  pollfd entry{third.fd(), POLLIN, 0};
  EXPECT_EQ(poll(&entry, 1, 200), 0);
  first.reset();
  EXPECT_TRUE(third.ReceiveAll().ends_with("hello\n"));
}

TEST(EgressHostile, AThousandConnectionsAtOnce) {
  TestServer server([](TestClient client) { client.Send(client.ReceiveUntil("\n")); });
  TestEngine engine({AllowRule("any.example")});
  engine.names["any.example"] = {"127.0.0.1"};
  const std::string target = "any.example:" + Port(server.port());
  std::vector<TestClient> clients;
  for (int i = 0; i < 1000; ++i) {
    clients.emplace_back(engine.proxy_port);
    clients.back().Send("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n");
  }
  for (TestClient& client : clients) ASSERT_EQ(client.ReceiveUntil("\r\n\r\n"), "HTTP/1.1 200 Connection established\r\n\r\n");
  for (size_t i = 0; i < clients.size(); ++i) clients[i].Send("\x01" + std::to_string(i) + "\n");
  for (size_t i = 0; i < clients.size(); ++i) ASSERT_EQ(clients[i].ReceiveAll(), "\x01" + std::to_string(i) + "\n");
}

TEST(EgressHostile, StopEndsEverythingAtOnce) {
  TestServer server([](TestClient client) { client.ReceiveAll(); });
  auto engine = std::make_unique<TestEngine>(std::vector{AllowRule("any.example")});
  engine->names["any.example"] = {"127.0.0.1"};
  const std::string target = "any.example:" + Port(server.port());
  std::vector<TestClient> clients;
  for (int i = 0; i < 20; ++i) {
    clients.emplace_back(engine->proxy_port);
    if (i % 2 == 0) clients.back().Send("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n");
  }
  clients[0].ReceiveUntil("\r\n\r\n");
  const auto before = std::chrono::steady_clock::now();
  engine->engine->Stop();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5));
  for (TestClient& client : clients) client.ReceiveAll();
  EXPECT_FALSE(engine->engine->AddListener({LoopbackSocket().Release(), ListenerKind::kProxy}));
}

TEST(EgressHostile, ChainedProxyIsAskedWithItsCredentialsAndOnlyForAllowedHosts) {
  std::string asked;
  std::mutex mutex;
  TestServer proxy([&](TestClient client) {
    const std::string head = client.ReceiveUntil("\r\n\r\n");
    {
      const std::lock_guard lock(mutex);
      asked += head;
    }
    client.Send("HTTP/1.1 200 OK\r\n\r\n");
    client.ReceiveUntil("\r\n\r\n");
    client.Send(kHello);
  });
  EgressOptions options;
  options.rules.upstream_proxy = "http://us%65r:pa:ss@127.0.0.1:" + Port(proxy.port());
  TestEngine engine({AllowRule("far.example")}, std::move(options));
  EXPECT_NE(Ask(engine, "GET http://far.example/ HTTP/1.1\r\nHost: far.example\r\n\r\n").find("hello\n"), std::string::npos);
  EXPECT_EQ(asked,
            "CONNECT far.example:80 HTTP/1.1\r\nHost: far.example:80\r\nProxy-Authorization: Basic dXNlcjpwYTpzcw==\r\n\r\n");
  EXPECT_TRUE(Ask(engine, "GET http://denied.example/ HTTP/1.1\r\nHost: denied.example\r\nConnection: close\r\n\r\n")
                  .starts_with("HTTP/1.1 403 "));
  EXPECT_EQ(proxy.accepted(), 1u);
}

TEST(EgressHostile, SlowHandlersLoseEventsAndAreToldHowMany) {
  std::atomic<bool> may_go{false};
  std::vector<Event> events;
  EgressOptions options;
  options.rules.mode = policy::NetworkMode::kRules;
  options.limits.events = 2;
  options.on_event = [&](const Event& event) {
    while (!may_go) std::this_thread::yield();
    events.push_back(event);
  };
  Descriptor listener = LoopbackSocket();
  const uint16_t port = PortOf(listener.get());
  options.listeners = {{listener.Release(), ListenerKind::kProxy}};
  auto engine = Egress::Start(std::move(options));
  ASSERT_TRUE(engine);
  const auto deny = [&] {
    TestClient client(port);
    client.Send("GET http://no.example/ HTTP/1.1\r\nHost: no.example\r\nConnection: close\r\n\r\n");
    client.ReceiveAll();
  };
  for (int i = 0; i < 10; ++i) deny();
  may_go = true;
  (*engine)->FlushEvents();
  deny();
  (*engine)->Stop();
  uint64_t dropped = 0;
  for (const Event& event : events) dropped += event.dropped_before;
  EXPECT_EQ(events.size() + dropped, 11u);
  EXPECT_GE(dropped, 7u);
}

}  // namespace
}  // namespace paddock::egress
