// The network of containers on real engines (real_engine_for_test.h). That something is not reached is told by a token that does not
// arrive: a connect that succeeds says nothing.
#include <arpa/inet.h>
#include <dirent.h>
#include <ifaddrs.h>
#include <sys/socket.h>

#include <atomic>
#include <iostream>
#include <thread>

#include "drivers/docker/real_driver_for_test.h"
#include "egress/egress_for_test.h"

namespace paddock::docker {
namespace {

using egress::AllowRule;
using egress::PortOf;
using egress::TestClient;
using egress::TestServer;

constexpr const char* kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ntoken\n";

// IPv4 addresses of this host but those of its loopback, with spaces between, and what engines and clouds usually have.
std::string HostAddresses() {
  std::string hosts = "172.17.0.1 169.254.169.254";
  ifaddrs* interfaces = nullptr;
  EXPECT_EQ(getifaddrs(&interfaces), 0);
  for (const ifaddrs* one = interfaces; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    std::array<char, INET_ADDRSTRLEN> text{};
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr, text.data(), text.size());
    if (!std::string_view(text.data()).starts_with("127.")) hosts += " " + std::string(text.data());
  }
  freeifaddrs(interfaces);
  return hosts;
}

size_t OpenDescriptors() {
  DIR* const list = opendir("/proc/self/fd");
  size_t count = 0;
  while (readdir(list) != nullptr) ++count;
  closedir(list);
  return count;
}

// A server on every address of the host, which says a token to whoever comes.
class OpenServer {
 public:
  OpenServer() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {.s_addr = htonl(INADDR_ANY)}, .sin_zero = {}};
    EXPECT_EQ(bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener_.get(), 64), 0);
    thread_ = std::thread([this] {
      for (;;) {
        const Descriptor connection(accept(listener_.get(), nullptr, nullptr));
        if (!connection) return;
        (void)!write(connection.get(), kToken, std::strlen(kToken));
      }
    });
  }
  ~OpenServer() {
    shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }
  std::string port() const { return std::to_string(PortOf(listener_.get())); }
  static constexpr const char* kToken = "HTTP/1.0 200 OK\r\n\r\nsecret-token\n";

 private:
  Descriptor listener_;
  std::thread thread_;
};

class RealEngineNetwork : public RealEngineDriver {
 protected:
  RealEngineNetwork() {
    spec_.policy.emplace();
    spec_.policy->network.mode = policy::NetworkMode::kRules;
  }
  policy::NetworkRules& rules() { return spec_.policy->network; }
  // Its address on the engine's network; empty without one.
  static std::string AddressOf(sandbox::Sandbox& box) {
    std::string text = Out(box, "/bin/busybox ip -4 -o addr show | grep -v ' lo ' | grep -o 'inet [0-9.]*' | cut -d' ' -f2");
    if (!text.empty()) text.pop_back();
    return text;
  }
  // Fetches with wget, which uses the proxy for all; gives what came.
  static std::string Fetch(sandbox::Sandbox& box, const std::string& url) { return Run(box, "/bin/busybox timeout 10 /bin/busybox wget -q -O - " + url + " 2>/dev/null").stdout_text; }

  // Runs a server inside until it is dropped.
  class Service {
   public:
    Service(sandbox::Sandbox& box, const std::string& command) {
      sandbox::ExecSpec spec;
      spec.script = "exec " + command;
      auto process = box.Start(std::move(spec), {}, nullptr);
      if (!process) {
        ADD_FAILURE() << process.error().message;
        return;
      }
      process_ = std::move(*process);
      thread_ = std::thread([this] { result_ = process_->Wait(); });
    }
    sandbox::ExecResult End() {
      if (thread_.joinable()) thread_.join();
      return result_;
    }
    ~Service() {
      if (process_) process_->Cancel();
      if (thread_.joinable()) thread_.join();
    }

   private:
    std::unique_ptr<sandbox::Process> process_;
    sandbox::ExecResult result_;
    std::thread thread_;
  };
  static void WaitForListener(sandbox::Sandbox& box, uint16_t port) {
    EXPECT_EQ(Out(box, "i=0; until /bin/busybox netstat -ltn | grep -q ':" + std::to_string(port) + " '; do i=$((i+1)); [ $i -lt 200 ] || exit 9; sleep 0.05; done"), "");
  }

  sandbox::SandboxSpec spec_;
};

TEST_F(RealEngineNetwork, AnAllowedNameIsFetchedThroughTheProxy) {
  TestServer server(TestServer::Http(kAnswer));
  rules().rules = {AllowRule("localhost", server.port())};
  const auto driver = Driver();
  const auto box = Make(*driver, spec_);
  ASSERT_NE(box, nullptr);
  EXPECT_EQ(Out(*box, "echo $http_proxy $HTTPS_PROXY $ALL_PROXY $no_proxy"),
            "http://127.0.0.1:3128 http://127.0.0.1:3128 socks5h://127.0.0.1:3128 localhost,127.0.0.1,::1\n");
  const sandbox::ExecResult result = Run(*box, "/bin/busybox wget -q -O - http://localhost:" + std::to_string(server.port()) + "/");
  EXPECT_EQ(result.stdout_text, "token\n") << result.stderr_text;
  EXPECT_TRUE(result.denials.empty());
  const sandbox::Measured measured = dynamic_cast<sandbox::Metered&>(*box).Measure();
  EXPECT_GT(measured.network_in_bytes.value_or(0), 6u);
  EXPECT_GT(measured.network_out_bytes.value_or(0), 6u);
  bool is_told = false;
  for (const std::string& line : box->Warnings()) is_told = is_told || line.find("HTTP_PROXY") != line.npos;
  EXPECT_TRUE(is_told) << "that only the proxy is a way out";
}

TEST_F(RealEngineNetwork, WhatNoRuleAllowsIsRefusedWithADenialInTheResult) {
  TestServer server(TestServer::Http(kAnswer));
  const std::string port = std::to_string(server.port());
  rules().rules = {AllowRule("allowed.example")};
  const auto driver = Driver();
  const auto box = Make(*driver, spec_);
  ASSERT_NE(box, nullptr);
  for (const std::string& host : {std::string("other.example"), "127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port, std::string("169.254.169.254"),
                                  std::string("[fd00:ec2::254]"), std::string("192.0.2.1")}) {
    const sandbox::ExecResult result = Run(*box, "/bin/busybox timeout 10 /bin/busybox wget -q -O - http://" + host + "/ 2>/dev/null");
    EXPECT_NE(result.exit_code, 0) << host;
    EXPECT_EQ(result.stdout_text, "") << host;
    ASSERT_EQ(result.denials.size(), 1u) << host;
    EXPECT_NE(result.denials[0].find(host[0] == '[' ? host.substr(0, host.find(']') + 1) : host.substr(0, host.find(':'))), std::string::npos) << result.denials[0];
  }
  EXPECT_EQ(server.accepted(), 0u);
}

TEST_F(RealEngineNetwork, TheHostIsNotReachedPastTheProxyNorThroughIt) {
  settings_.has_network = true;
  OpenServer server;
  const std::string port = server.port();
  policy::NetworkRule all = AllowRule("*");
  all.allow_private = false;
  rules().rules = {all};   // a rule for all names is none for addresses of the host
  const auto driver = Driver();
  const auto box = Make(*driver, spec_);
  ASSERT_NE(box, nullptr);
  std::string hosts = HostAddresses();
  if (const std::string own = AddressOf(*box); !own.empty()) hosts += " " + own.substr(0, own.rfind('.')) + ".1";   // the bridge's, were there one
  EXPECT_EQ(Out(*box, "for h in " + hosts + "; do /bin/busybox timeout 2 /bin/busybox nc $h " + port + " < /dev/null 2>/dev/null; done; echo end"), "end\n");
  EXPECT_EQ(Out(*box, "for h in 127.0.0.1 localhost " + hosts + "; do /bin/busybox timeout 5 /bin/busybox wget -q -O - http://$h:" + port + "/ 2>/dev/null; done; echo end"), "end\n");
  // What the test is worth: the same server, when a rule names it.
  all.host = "127.0.0.1";
  all.allow_private = true;
  rules().rules = {all};
  ASSERT_TRUE(dynamic_cast<sandbox::LivePolicy&>(*box).UpdateNetwork(rules()));
  EXPECT_EQ(Fetch(*box, "http://127.0.0.1:" + port + "/"), "secret-token\n");
}

TEST_F(RealEngineNetwork, OneSandboxDoesNotReachAnother) {
  settings_.has_network = true;
  rules().rules = {AllowRule("127.0.0.1"), AllowRule("localhost"), AllowRule("10.0.0.0/8")};
  const auto driver = Driver();
  const auto a = Make(*driver, spec_), b = Make(*driver, spec_);
  ASSERT_NE(a, nullptr);
  ASSERT_NE(b, nullptr);
  const std::string address = AddressOf(*a);
  ASSERT_NE(address, "");
  ASSERT_EQ(Out(*a, "echo a-token > f; echo made"), "made\n");
  Service service(*a, "/bin/busybox httpd -f -p 8099 -h /workspace");
  WaitForListener(*a, 8099);
  EXPECT_EQ(Run(*a, "/bin/busybox wget -Y off -q -O - http://" + address + ":8099/f").stdout_text, "a-token\n") << "what the test is worth";
  for (const std::string& host : {address, std::string("127.0.0.1"), std::string("localhost")}) {
    EXPECT_EQ(Run(*b, "/bin/busybox timeout 3 /bin/busybox wget -Y off -q -O - http://" + host + ":8099/f 2>/dev/null").stdout_text, "") << host;
    EXPECT_EQ(Run(*b, "/bin/busybox timeout 12 /bin/busybox wget -q -O - http://" + host + ":8099/f 2>/dev/null").stdout_text, "") << host;
  }
}

TEST_F(RealEngineNetwork, NoResolverIsAskedFromInside) {
  settings_.has_network = true;
  const Descriptor resolver(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {.s_addr = htonl(INADDR_ANY)}, .sin_zero = {}};
  ASSERT_EQ(bind(resolver.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const std::string port = std::to_string(PortOf(resolver.get()));
  rules().rules = {AllowRule("allowed.example")};
  const auto driver = Driver();
  const auto box = Make(*driver, spec_);
  ASSERT_NE(box, nullptr);
  Run(*box, "for h in 127.0.0.1 " + HostAddresses() + "; do /bin/busybox timeout 2 /bin/busybox nslookup token.example $h:" + port + "; done >/dev/null 2>&1");
  char query[512];
  EXPECT_LT(recv(resolver.get(), query, sizeof query, 0), 0) << "a question came out";
  egress::RunProgram({"busybox", "timeout", "2", "busybox", "nslookup", "token.example", "127.0.0.1:" + port});
  EXPECT_GT(recv(resolver.get(), query, sizeof query, 0), 0) << "what the test is worth";
  EXPECT_NE(Run(*box, "/bin/busybox timeout 5 /bin/busybox nslookup allowed.example >/dev/null 2>&1").exit_code, 0);
}

TEST_F(RealEngineNetwork, APublishedPortAnswersOnTheLoopbackOnly) {
  rules().mode = policy::NetworkMode::kNone;
  rules().publish = {{.host = 0, .guest = 8000}};
  const auto driver = Driver();
  const auto box = Make(*driver, spec_);
  ASSERT_NE(box, nullptr);
  const auto published = dynamic_cast<sandbox::PublishesPorts&>(*box).Published();
  ASSERT_EQ(published.size(), 1u);
  ASSERT_NE(published[0].host, 0);
  EXPECT_EQ(TestClient(published[0].host).ReceiveAll(), "") << "nobody listens inside yet";
  ASSERT_EQ(Out(*box, "echo from inside > f; echo made"), "made\n");
  Service service(*box, "/bin/busybox httpd -f -p 127.0.0.1:8000 -h /workspace");
  WaitForListener(*box, 8000);
  const std::string url = ":" + std::to_string(published[0].host) + "/f";
  EXPECT_EQ(egress::RunProgram({"busybox", "wget", "-q", "-O", "-", "http://127.0.0.1" + url}).output, "from inside\n");
  std::istringstream hosts(HostAddresses());
  for (std::string host; hosts >> host;) {
    EXPECT_EQ(egress::RunProgram({"busybox", "timeout", "2", "busybox", "wget", "-q", "-O", "-", "http://" + host + url}).output.find("from inside"), std::string::npos) << host;
  }
}

TEST_F(RealEngineNetwork, APortOfTheHostIsReachedWhereThePolicyNamesIt) {
  TestServer server(TestServer::Http(kAnswer)), other(TestServer::Http(kAnswer));
  rules().host_ports = {server.port()};
  const auto driver = Driver();
  const auto box = Make(*driver, spec_);
  ASSERT_NE(box, nullptr);
  EXPECT_EQ(Out(*box, "/bin/busybox wget -Y off -q -O - http://127.0.0.1:" + std::to_string(server.port()) + "/"), "token\n");
  EXPECT_EQ(Run(*box, "/bin/busybox timeout 5 /bin/busybox wget -Y off -q -O - http://127.0.0.1:" + std::to_string(other.port()) + "/ 2>/dev/null").stdout_text, "");
}

TEST_F(RealEngineNetwork, ASecretIsAPlaceholderInsideAndCertificatesAreShown) {
  std::vector<std::string> heads;
  TestServer server(TestServer::Http(kAnswer, &heads));
  rules().rules = {AllowRule("localhost", server.port())};
  policy::SecretBinding binding;
  binding.name = "API_KEY";
  binding.source = policy::SecretBinding::Source::kValue;
  binding.from = "the-true-value-of-it";
  binding.destinations = {{.host = "localhost", .ports = {}, .header = "Authorization", .methods = {}}};
  binding.allow_plaintext = true;
  binding.origin = "test";
  spec_.policy->secrets = {binding};
  const auto driver = Driver();
  const auto box = Make(*driver, spec_);
  ASSERT_NE(box, nullptr);
  EXPECT_EQ(Out(*box, "env | grep -c the-true || true; test -n \"$API_KEY\"; head -n 1 $NODE_EXTRA_CA_CERTS; grep -c BEGIN $NODE_EXTRA_CA_CERTS"), "0\n-----BEGIN CERTIFICATE-----\n1\n");
  EXPECT_NE(Out(*box, "grep -c BEGIN $SSL_CERT_FILE"), "0\n");
  EXPECT_EQ(Run(*box, "/bin/busybox wget -q -O - --header \"Authorization: Bearer $API_KEY\" http://localhost:" + std::to_string(server.port()) + "/").stdout_text, "token\n");
  ASSERT_EQ(heads.size(), 1u);
  EXPECT_NE(heads[0].find("Bearer the-true-value-of-it"), std::string::npos);
}

TEST_F(RealEngineNetwork, TwoHundredConnectionsAtOnceAreServed) {
  settings_.memory_bytes = 512 << 20;
  settings_.pids = 1024;
  std::atomic<int> waiting = 0;
  std::atomic<bool> is_open = false;
  // Answers when all are there.
  TestServer server([&](TestClient peer) {
    if (peer.ReceiveUntil("\r\n\r\n").empty()) return;
    if (++waiting == 200) {
      is_open = true;
      is_open.notify_all();
    }
    is_open.wait(false);
    peer.Send(kAnswer);
  });
  rules().rules = {AllowRule("localhost", server.port())};
  const auto driver = Driver();
  const auto box = Make(*driver, spec_);
  Limits limits;
  limits.time = std::chrono::seconds(60);
  const sandbox::ExecResult result = Run(*box, "for i in $(seq 200); do /bin/busybox timeout 50 /bin/busybox wget -q -O - http://localhost:" + std::to_string(server.port()) + "/ & done; wait", limits);
  is_open = true;
  is_open.notify_all();
  size_t tokens = 0;
  for (size_t at = 0; (at = result.stdout_text.find("token\n", at)) != std::string::npos; ++at) ++tokens;
  EXPECT_EQ(tokens, 200u) << waiting << " came; " << result.stderr_text.substr(0, 500);
}

TEST_F(RealEngineNetwork, AReaderInsideThatIsSlowStopsTheSender) {
  std::atomic<size_t> sent = 0;
  std::atomic<bool> is_stuck = false;
  TestServer server([&](TestClient peer) {
    if (peer.ReceiveUntil("\r\n\r\n").empty()) return;
    peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
    timeval patience{.tv_sec = 2, .tv_usec = 0};
    setsockopt(peer.fd(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    const std::string block(64 << 10, 'x');
    for (ssize_t count; sent < 1'000'000'000 && (count = send(peer.fd(), block.data(), block.size(), MSG_NOSIGNAL)) > 0;) sent += static_cast<size_t>(count);
    is_stuck = true;
    is_stuck.notify_all();
  });
  rules().rules = {AllowRule("localhost", server.port())};
  const auto driver = Driver();
  const auto box = Make(*driver, spec_);
  Service reader(*box, "/bin/busybox wget -q -O - http://localhost:" + std::to_string(server.port()) + "/ | sleep 1000");
  is_stuck.wait(false);
  EXPECT_GT(sent, 0u);
  EXPECT_LT(sent, 64u << 20);
  EXPECT_EQ(Out(*box, "echo alive"), "alive\n");
}

TEST_F(RealEngineNetwork, AContainerThatIsKilledWithConnectionsOpenLeavesNoDescriptor) {
  std::atomic<int> waiting = 0;
  TestServer server([&](TestClient peer) {
    peer.ReceiveUntil("\r\n\r\n");
    ++waiting;
    waiting.notify_all();
    peer.ReceiveAll();   // until the other side goes
  });
  rules().rules = {AllowRule("localhost", server.port())};
  rules().publish = {{.host = 0, .guest = 8000}};
  const auto driver = Driver();
  ASSERT_NE(Make(*driver, spec_), nullptr);   // what the driver keeps is there from now on
  const size_t before = OpenDescriptors();
  {
    const auto box = Make(*driver, spec_);
    ASSERT_NE(box, nullptr);
    Service clients(*box, "/bin/sh -c 'for i in 1 2 3 4 5 6 7 8; do /bin/busybox wget -q -O - http://localhost:" + std::to_string(server.port()) + "/ & done; wait'");
    for (int seen = waiting; seen < 8; seen = waiting) waiting.wait(seen);
    // A busy Podman refuses this now and then; it is not what is tested here.
    const auto soon = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    Status killed = KillContainer(*Connected(), dynamic_cast<DockerSandbox&>(*box).container_id(), "KILL");
    while (!killed && std::chrono::steady_clock::now() < soon) {
      std::cout << "killing it: " << killed.error().Text() << "\n";
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      killed = KillContainer(*Connected(), dynamic_cast<DockerSandbox&>(*box).container_id(), "KILL");
    }
    ASSERT_TRUE(killed) << killed.error().Text();
    EXPECT_EQ(clients.End().termination.reason, sandbox::Termination::Reason::kInfra);
    EXPECT_EQ(TestClient(dynamic_cast<sandbox::PublishesPorts&>(*box).Published()[0].host).ReceiveAll(), "");
  }
  // The server's own are in this process, too, and it has to see first that they have ended.
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (OpenDescriptors() > before && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(OpenDescriptors(), before);
}

TEST_F(RealEngineNetwork, NewRulesHoldAtOnce) {
  TestServer server(TestServer::Http(kAnswer));
  const std::string url = "http://localhost:" + std::to_string(server.port()) + "/";
  const auto driver = Driver();
  const auto box = Make(*driver, spec_);
  ASSERT_NE(box, nullptr);
  EXPECT_EQ(Fetch(*box, url), "");
  policy::NetworkRules wider = rules();
  wider.rules = {AllowRule("localhost", server.port())};
  auto& live = dynamic_cast<sandbox::LivePolicy&>(*box);
  ASSERT_TRUE(live.UpdateNetwork(wider));
  EXPECT_EQ(Fetch(*box, url), "token\n");
  ASSERT_TRUE(live.UpdateNetwork(rules()));
  EXPECT_EQ(Fetch(*box, url), "");
}

TEST_F(RealEngineNetwork, ASandboxWithoutANetworkHasTheProxyNeither) {
  rules().mode = policy::NetworkMode::kNone;
  const auto driver = Driver();
  const auto box = Make(*driver, spec_);
  ASSERT_NE(box, nullptr);
  EXPECT_EQ(Out(*box, "echo [$http_proxy]; /bin/busybox netstat -ltn | grep -c 3128 || true"), "[]\n0\n");
  EXPECT_FALSE(dynamic_cast<sandbox::LivePolicy&>(*box).UpdateNetwork({}));
}

TEST_F(RealEngineNetwork, WithoutANetworkThereIsNoInterfaceButTheLoopbackAndStillTheProxy) {
  settings_.has_network = false;
  TestServer server(TestServer::Http(kAnswer));
  rules().rules = {AllowRule("localhost", server.port())};
  const auto driver = Driver();
  const auto box = Make(*driver, spec_);
  ASSERT_NE(box, nullptr);
  EXPECT_EQ(Out(*box, "grep -c : /proc/net/dev; grep -c lo: /proc/net/dev; tail -n +2 /proc/net/route"), "1\n1\n");
  EXPECT_EQ(AddressOf(*box), "");
  EXPECT_EQ(Fetch(*box, "http://localhost:" + std::to_string(server.port()) + "/"), "token\n");
}

}  // namespace
}  // namespace paddock::docker
