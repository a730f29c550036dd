#include "drivers/docker/engine/endpoint.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "net/net_for_test.h"

namespace paddock::docker {
namespace {

std::string TextOf(const EndpointSettings& settings) {
  const auto endpoint = ParseEndpoint(settings);
  return endpoint ? endpoint->text : "error: " + endpoint.error().message;
}

TEST(Endpoint, ReadsTheUsualForms) {
  EXPECT_EQ(TextOf({.host = "unix:///run/docker.sock"}), "unix:///run/docker.sock");
  EXPECT_EQ(TextOf({.host = "/run/docker.sock"}), "unix:///run/docker.sock");
  EXPECT_EQ(TextOf({.host = "tcp://127.0.0.1:2375"}), "tcp://127.0.0.1:2375");
  EXPECT_EQ(TextOf({.host = "tcp://localhost"}), "tcp://localhost:2375");
  EXPECT_EQ(TextOf({.host = "http://[::1]:99/"}), "tcp://[::1]:99");
  EXPECT_EQ(TextOf({.host = "https://engine.example"}), "https://engine.example:2376");
  EXPECT_EQ(TextOf({.host = "tcp://10.0.0.3:2376", .ca_file = "/ca.pem"}), "https://10.0.0.3:2376");
  EXPECT_EQ(TextOf({.host = "tcp://10.0.0.3:2375", .allows_insecure = true}), "tcp://10.0.0.3:2375");
}

TEST(Endpoint, RefusesWithTheReason) {
  const std::pair<EndpointSettings, const char*> cases[] = {
      {{.host = "tcp://10.0.0.3:2375"}, "plain TCP beyond this machine"},
      {{.host = "http://engine.example:2375"}, "plain TCP beyond this machine"},
      {{.host = "ssh://me@there"}, "ssh:// cannot be used"},
      {{.host = "npipe:////./pipe/docker"}, "npipe:// cannot be used"},
      {{.host = "gopher://x"}, "an unknown form"},
      {{.host = "unix://run/x"}, "must be absolute"},
      {{.host = "tcp://"}, "host's name is missing"},
      {{.host = "tcp://127.0.0.1:0"}, "no host and port"},
      {{.host = "tcp://127.0.0.1:99999"}, "no host and port"},
      {{.host = "tcp://127.0.0.1:2375/v1.41"}, "a path after the port"},
      {{.host = "tcp://me@127.0.0.1:2375"}, "a user name"},
      {{.host = "http://127.0.0.1:2375", .ca_file = "/ca.pem"}, "http:// takes no TLS files"},
      {{.host = "https://127.0.0.1", .certificate_file = "/c.pem"}, "needs its key"},
      {{.host = "unix:///run/x", .ca_file = "/ca.pem"}, "takes no TLS files"},
  };
  for (const auto& [settings, reason] : cases) EXPECT_NE(TextOf(settings).find(reason), std::string::npos) << TextOf(settings);
}

// The endpoints that are found with these variables, or the error.
std::string Found(const EndpointSettings& settings, const std::map<std::string, std::string>& variables) {
  const auto endpoints = FindEndpoints(settings, [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  }, 4'000'000);
  if (!endpoints) return "error: " + endpoints.error().message;
  std::string texts;
  for (const Endpoint& endpoint : *endpoints) texts += (texts.empty() ? "" : " ") + endpoint.text;
  return texts;
}

TEST(Endpoint, TheNearestSettingWins) {
  const std::map<std::string, std::string> both{{"CONTAINER_SANDBOX_DOCKER_HOST", "unix:///b"}, {"DOCKER_HOST", "unix:///c"}};
  EXPECT_EQ(Found({.host = "unix:///a"}, both), "unix:///a");
  EXPECT_EQ(Found({}, both), "unix:///b");
  EXPECT_EQ(Found({}, {{"DOCKER_HOST", "unix:///c"}}), "unix:///c");
  EXPECT_EQ(Found({}, {{"CONTAINER_SANDBOX_DOCKER_HOST", "ftp://x"}}).find("error: CONTAINER_SANDBOX_DOCKER_HOST: "), 0u);
}

TEST(Endpoint, TakesDockersTlsVariables) {
  EXPECT_EQ(Found({}, {{"DOCKER_HOST", "tcp://10.0.0.3:2376"}, {"DOCKER_TLS_VERIFY", "1"}, {"DOCKER_CERT_PATH", "/certs"}}), "https://10.0.0.3:2376");
  EXPECT_NE(Found({}, {{"DOCKER_HOST", "tcp://10.0.0.3:2376"}, {"DOCKER_TLS_VERIFY", "1"}}).find("DOCKER_CERT_PATH must name"), std::string::npos);
}

TEST(Endpoint, FindsTheSocketsThatAreThere) {
  std::string directory = (std::filesystem::temp_directory_path() / "endpoint_test_XXXXXX").string();
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  net::Address address{.is_unix = true, .host = directory + "/docker.sock"};
  const auto socket = net::Listen(&address, 0600);
  ASSERT_TRUE(socket);
  EXPECT_NE(Found({}, {{"XDG_RUNTIME_DIR", directory}}).find("unix://" + directory + "/docker.sock"), std::string::npos);
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace paddock::docker
