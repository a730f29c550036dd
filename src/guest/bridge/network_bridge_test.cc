// The network of a sandbox by way of a real agent, which runs on this machine.
#include "guest/bridge/network_bridge.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "egress/egress_for_test.h"
#include "guest/client/agent_for_test.h"

namespace paddock::guest {
namespace {

using egress::AllowRule;
using egress::TestClient;
using egress::TestServer;

constexpr const char* kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ntoken\n";

class BridgedNetwork : public testing::Test {
 protected:
  BridgedNetwork() { policy.network.mode = policy::NetworkMode::kRules; }
  void Open() {
    auto opened = NetworkBridge::Open(client, policy, 0);
    ASSERT_TRUE(opened) << opened.error().message;
    network = std::move(*opened);
  }
  std::string Variable(const std::string& name) const {
    for (const auto& [one, value] : network->variables()) {
      if (one == name) return value;
    }
    return "";
  }
  uint16_t ProxyPort() const {
    const std::string text = Variable("http_proxy");
    return static_cast<uint16_t>(std::stoi(text.substr(text.rfind(':') + 1)));
  }
  // What a program inside gets that asks the proxy for this.
  std::string Get(const std::string& host) const {
    TestClient inside(ProxyPort());
    inside.Send("GET http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
    inside.Finish();
    return inside.ReceiveAll();
  }

  AgentForTest agent;
  std::shared_ptr<Client> client = agent.Connect();
  policy::Policy policy;
  TestServer server{TestServer::Http(kAnswer)};
  const std::string allowed = "127.0.0.1:" + std::to_string(server.port());
  std::unique_ptr<NetworkBridge> network;
};

TEST_F(BridgedNetwork, WhatARuleAllowsIsReachedThroughTheProxyOfTheVariables) {
  policy.network.rules = {AllowRule("127.0.0.1", server.port())};
  Open();
  EXPECT_EQ(Variable("HTTPS_PROXY"), Variable("http_proxy"));
  EXPECT_EQ(Variable("ALL_PROXY"), "socks5h://127.0.0.1:" + std::to_string(ProxyPort()));
  EXPECT_EQ(Variable("no_proxy"), "localhost,127.0.0.1,::1");
  EXPECT_TRUE(Get(allowed).ends_with("token\n"));
  EXPECT_TRUE(network->TakeDenials().empty());
  const auto traffic = network->traffic();
  ASSERT_TRUE(traffic);
  EXPECT_GT(traffic->in_bytes, 0u);
  EXPECT_GT(traffic->out_bytes, 0u);
  EXPECT_FALSE(network->warnings().empty());
}

TEST_F(BridgedNetwork, WhatNoRuleAllowsIsRefusedAndTold) {
  std::vector<std::string> told;
  policy.network.rules = {AllowRule("example.org")};
  Open();
  network->TellDenials([&](const std::string& line) { told.push_back(line); });
  EXPECT_NE(Get(allowed).find(" 403 "), std::string::npos);
  EXPECT_NE(Get("other.example").find(" 403 "), std::string::npos);
  EXPECT_NE(Get("169.254.169.254").find(" 403 "), std::string::npos);
  EXPECT_NE(Get("[::1]:" + std::to_string(server.port())).find(" 403 "), std::string::npos);
  const std::vector<std::string> denials = network->TakeDenials();
  ASSERT_EQ(denials.size(), 4u);
  EXPECT_NE(denials[1].find("other.example"), std::string::npos) << denials[1];
  EXPECT_EQ(told, denials);
  EXPECT_EQ(server.accepted(), 0u);
}

TEST_F(BridgedNetwork, NewRulesHoldAtOnce) {
  Open();
  EXPECT_NE(Get(allowed).find(" 403 "), std::string::npos);
  policy::NetworkRules rules = policy.network;
  rules.rules = {AllowRule("127.0.0.1", server.port())};
  ASSERT_TRUE(network->UpdateRules(rules));
  EXPECT_TRUE(Get(allowed).ends_with("token\n"));
  ASSERT_TRUE(network->UpdateRules(policy.network));
  EXPECT_NE(Get(allowed).find(" 403 "), std::string::npos);
}

TEST_F(BridgedNetwork, APortThatIsTakenInsideIsNamed) {
  const uint16_t port = server.port();   // the agent of this test shares the host's loopback
  policy.network.host_ports = {port};
  const auto opened = NetworkBridge::Open(client, policy, 0);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("127.0.0.1:" + std::to_string(port)), std::string::npos) << opened.error().message;
}

TEST_F(BridgedNetwork, PortsInsideArePublishedOnTheLoopbackOnly) {
  policy.network.mode = policy::NetworkMode::kNone;
  policy.network.publish = {{.host = 0, .guest = server.port()}};
  Open();
  ASSERT_EQ(network->published().size(), 1u);
  EXPECT_EQ(network->published()[0].guest, server.port());
  TestClient outside(network->published()[0].host);
  outside.Send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(outside.ReceiveUntil("token\n").ends_with("token\n"));
  EXPECT_TRUE(network->variables().empty());
  EXPECT_FALSE(network->traffic());
  EXPECT_FALSE(network->UpdateRules({})) << "made without a network";
  policy.network.publish = network->published();
  EXPECT_FALSE(NetworkBridge::Open(client, policy, 0)) << "the host's port is taken";
}

TEST_F(BridgedNetwork, ManyAtOnceAreServedAndNothingIsAfterTheEnd) {
  policy.network.rules = {AllowRule("127.0.0.1", server.port())};
  Open();
  std::vector<TestClient> clients;
  for (int i = 0; i < 200; ++i) clients.emplace_back(ProxyPort());
  for (TestClient& one : clients) one.Send("GET http://" + allowed + "/ HTTP/1.1\r\nHost: " + allowed + "\r\n\r\n");
  for (TestClient& one : clients) EXPECT_TRUE(one.ReceiveUntil("token\n").ends_with("token\n"));
  network->Stop();
  for (TestClient& one : clients) EXPECT_EQ(one.ReceiveAll(), "");
  EXPECT_TRUE(network->TakeDenials().empty());
}

TEST_F(BridgedNetwork, WhatOnlyAWallOfTheHostCanGiveIsRefused) {
  policy.network.unix_sockets = {{.path = "/run/some.sock", .origin = "test"}};
  EXPECT_EQ(NetworkBridge::Open(client, policy, 0).error().code, Code::kNotSupported);
}

}  // namespace
}  // namespace paddock::guest
