// The engine with real sockets: each protocol from a client to a server on the loopback.
#include "egress/egress_for_test.h"

namespace paddock::egress {
namespace {

const char kHello[] = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nContent-Type: text/plain\r\n\r\nhello\n";

std::string Port(uint16_t port) { return std::to_string(port); }

TEST(Egress, CurlReachesAnAllowedHostThroughTheHttpProxy) {
  TestServer server(TestServer::Http(kHello));
  TestEngine engine({AllowRule("allowed.example")});
  engine.names["allowed.example"] = {"127.0.0.1"};
  const auto result = RunProgram({"curl", "-sS", "http://allowed.example:" + Port(server.port()) + "/a?b"},
                                 {"http_proxy=http://127.0.0.1:" + Port(engine.proxy_port)});
  EXPECT_EQ(result.output, "hello\n");
  EXPECT_TRUE(engine.HasEvent("allowed http GET allowed.example:" + Port(server.port()) + "/a (127.0.0.1) [test rule]"));
}

TEST(Egress, CurlReachesAnAllowedHostThroughSocks5AndSocks4a) {
  TestServer server(TestServer::Http(kHello));
  TestEngine engine({AllowRule("allowed.example")});
  engine.names["allowed.example"] = {"127.0.0.1"};
  for (const std::string scheme : {"socks5h", "socks4a"}) {
    const auto result = RunProgram({"curl", "-sS", "-x", scheme + "://127.0.0.1:" + Port(engine.proxy_port),
                                    "http://allowed.example:" + Port(server.port()) + "/"});
    EXPECT_EQ(result.output, "hello\n") << scheme;
  }
}

TEST(Egress, CurlIsToldWhatWasDeniedAndHowToAsk) {
  TestEngine engine({AllowRule("allowed.example")});
  const auto result =
      RunProgram({"curl", "-sS", "-i", "-x", "http://127.0.0.1:" + Port(engine.proxy_port), "http://other.example/x"});
  EXPECT_NE(result.output.find("403 Forbidden"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("paddock denied GET http://other.example/x\nreason: no rule allows it\n"), std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("--allow-host other.example"), std::string::npos);
  EXPECT_TRUE(engine.HasEvent("denied http GET other.example:80/x: no rule allows it"));
  EXPECT_EQ(engine.lookups("other.example"), 0);
}

TEST(Egress, ConnectAndSocksAreDeniedInTheirOwnWords) {
  TestEngine engine({AllowRule("allowed.example", 443)});
  TestClient connect(engine.proxy_port);
  connect.Send("CONNECT other.example:443 HTTP/1.1\r\nHost: other.example:443\r\n\r\n");
  EXPECT_TRUE(connect.ReceiveAll().starts_with("HTTP/1.1 403 "));
  TestClient socks(engine.proxy_port);
  socks.Send(std::string("\x05\x01\x00\x05\x01\x00\x03\x0dother.example\x01\xbb", 3 + 5 + 13 + 2));
  EXPECT_EQ(socks.ReceiveExactly(12), std::string("\x05\x00\x05\x02\x00\x01\0\0\0\0\0\0", 12));
  EXPECT_TRUE(engine.HasEvent("denied connect other.example:443"));
  EXPECT_TRUE(engine.HasEvent("denied socks5 other.example:443"));
}

TEST(Egress, CapturedConnectionsGoToTheNameThatTheirAddressStandsFor) {
  TestServer server(TestServer::Http(kHello));
  TestEngine engine({AllowRule("allowed.example")});
  engine.names["allowed.example"] = {"127.0.0.1"};
  // 198.18.1.0 is the first address that is given out.
  const auto lookup =
      RunProgram({"/usr/bin/python3", "-c",
                  "import socket,sys\n"
                  "q=b'\\x12\\x34\\x01\\x00\\x00\\x01'+bytes(6)+b'\\x07allowed\\x07example\\x00\\x00\\x01\\x00\\x01'\n"
                  "s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM); s.settimeout(10)\n"
                  "s.sendto(q,('127.0.0.1',int(sys.argv[1])))\n"
                  "print(socket.inet_ntoa(s.recv(512)[-4:]))",
                  Port(engine.dns_port)});
  EXPECT_EQ(lookup.output, "198.18.1.0\n");
  TestClient client = engine.Captured("198.18.1.0", server.port());
  client.Send("GET /x HTTP/1.1\r\nHost: allowed.example:" + Port(server.port()) + "\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(client.ReceiveAll().ends_with("hello\n"));
  TestClient unknown = engine.Captured("198.18.1.1", server.port());
  unknown.Send("GET /x HTTP/1.1\r\nHost: allowed.example\r\n\r\n");
  EXPECT_NE(unknown.ReceiveAll().find("paddock denied the connection to 198.18.1.1:"), std::string::npos);
  EXPECT_TRUE(engine.HasEvent("denied transparent 198.18.1.1:" + Port(server.port()) + ": no rule names this address"));
}

TEST(Egress, CapturedClientsAreToldInTheirOwnProtocol) {
  TestEngine engine({AllowRule("allowed.example")});
  TestClient http = engine.Captured("192.0.2.1", 80), tls = engine.Captured("192.0.2.1", 443), other = engine.Captured("192.0.2.1", 22);
  http.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(http.ReceiveUntil("\r\n").starts_with("HTTP/1.1 403 "));
  tls.Send("\x16\x03\x01");
  EXPECT_EQ(tls.ReceiveExactly(7), std::string("\x15\3\3\0\2\2\x31", 7));
  other.Send("SSH-2.0-x\r\n");
  EXPECT_EQ(other.ReceiveAll(), "");
}

TEST(Egress, ServerThatSpeaksFirstIsReachedWhereTheRuleSeesNoRequests) {
  TestServer server([](TestClient client) {
    client.Send("SSH-2.0-test\r\n");
    client.Send("got " + client.ReceiveUntil("\n"));
  });
  TestEngine engine({AllowRule("git.example")});
  engine.names["git.example"] = {"127.0.0.1"};
  TestClient client(engine.proxy_port);
  const std::string target = "git.example:" + Port(server.port());
  client.Send("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n");
  EXPECT_EQ(client.ReceiveUntil("\r\n\r\n"), "HTTP/1.1 200 Connection established\r\n\r\n");
  EXPECT_EQ(client.ReceiveUntil("\n"), "SSH-2.0-test\r\n");
  client.Send("SSH-2.0-client\r\n");
  EXPECT_EQ(client.ReceiveAll(), "got SSH-2.0-client\r\n");
}

TEST(Egress, PrivateAddressesNeedARuleThatSaysSo) {
  TestServer server(TestServer::Http(kHello));
  auto rule = AllowRule("allowed.example");
  rule.allow_private = false;
  TestEngine engine({rule});
  engine.names["allowed.example"] = {"127.0.0.1", "10.1.2.3", "::ffff:127.0.0.1"};
  TestClient client(engine.proxy_port);
  const std::string target = "allowed.example:" + Port(server.port());
  client.Send("GET http://" + target + "/ HTTP/1.1\r\nHost: " + target + "\r\nConnection: close\r\n\r\n");
  EXPECT_NE(client.ReceiveAll().find("address 127.0.0.1 is private; the rule needs allow_private"), std::string::npos);
  EXPECT_EQ(server.accepted(), 0u);
}

TEST(Egress, HalfCloseIsKeptInBothDirections) {
  TestServer server([](TestClient client) {
    const std::string all = client.ReceiveAll();
    client.Send("after the end: " + std::to_string(all.size()));
  });
  TestEngine engine({AllowRule("any.example")});
  engine.names["any.example"] = {"127.0.0.1"};
  TestClient client(engine.proxy_port);
  const std::string target = "any.example:" + Port(server.port());
  client.Send("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n");
  client.ReceiveUntil("\r\n\r\n");
  client.Send("\x01" + std::string(3'000'000, 'x'));
  client.Finish();
  EXPECT_EQ(client.ReceiveAll(), "after the end: 3000001");
}

TEST(Egress, TrafficIsWhatWentToAndCameFromTheFarEnd) {
  TestServer server([](TestClient client) {
    const std::string all = client.ReceiveAll();
    client.Send("got " + std::to_string(all.size()));
  });
  TestEngine engine({AllowRule("any.example")});
  engine.names["any.example"] = {"127.0.0.1"};
  TestClient client(engine.proxy_port);
  const std::string target = "any.example:" + Port(server.port());
  client.Send("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n");
  client.ReceiveUntil("\r\n\r\n");
  client.Send("\x01" + std::string(300'000, 'x'));
  client.Finish();
  EXPECT_EQ(client.ReceiveAll(), "got 300001");
  EXPECT_EQ(engine.engine->traffic().out_bytes, 300'001u);
  EXPECT_EQ(engine.engine->traffic().in_bytes, 10u);
  TestClient refused(engine.proxy_port);
  refused.Send("CONNECT other.example:443 HTTP/1.1\r\nHost: other.example\r\n\r\n");
  refused.ReceiveAll();
  EXPECT_EQ(engine.engine->traffic().out_bytes, 300'001u) << "what is refused is not carried";
}

TEST(Egress, NoNetworkMeansNone) {
  TestEngine engine({AllowRule("allowed.example")});
  policy::NetworkRules none;
  none.mode = policy::NetworkMode::kNone;
  none.rules = {AllowRule("allowed.example")};
  ASSERT_TRUE(engine.engine->UpdateRules(none));
  TestClient client(engine.proxy_port);
  client.Send("GET http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\nConnection: close\r\n\r\n");
  EXPECT_NE(client.ReceiveAll().find("the policy allows no network"), std::string::npos);
}

TEST(Egress, NewRulesCutTheTunnelsThatTheyDeny) {
  TestServer server([](TestClient client) {
    client.Send("hi\n");
    client.ReceiveAll();
  });
  TestEngine engine({AllowRule("any.example")});
  engine.names["any.example"] = {"127.0.0.1"};
  TestClient client(engine.proxy_port);
  const std::string target = "any.example:" + Port(server.port());
  client.Send("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n");
  client.ReceiveUntil("hi\n");
  policy::NetworkRules rules;
  rules.mode = policy::NetworkMode::kRules;
  ASSERT_TRUE(engine.engine->UpdateRules(rules));
  EXPECT_EQ(client.ReceiveAll(), "");
}

TEST(Egress, HostPortsAreReachedOnlyWhileTheRulesNameThem) {
  TestServer server([](TestClient client) { client.Send("db\n"); });
  TestEngine engine({});
  Descriptor listener = LoopbackSocket();
  const uint16_t inside = PortOf(listener.get());
  ASSERT_TRUE(engine.engine->AddListener({listener.Release(), ListenerKind::kHostPort, server.port()}));
  EXPECT_EQ(TestClient(inside).ReceiveAll(), "");
  policy::NetworkRules rules;
  rules.mode = policy::NetworkMode::kRules;
  rules.host_ports = {server.port()};
  ASSERT_TRUE(engine.engine->UpdateRules(rules));
  EXPECT_EQ(TestClient(inside).ReceiveAll(), "db\n");
}

}  // namespace
}  // namespace paddock::egress
