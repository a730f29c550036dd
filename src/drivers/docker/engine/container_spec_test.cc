#include "drivers/docker/engine/container_spec.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include <set>

namespace paddock::docker {
namespace {

namespace json = boost::json;

// All that a spec can say.
ContainerSpec Widest() {
  ContainerSpec spec;
  spec.image = "sha256:abc";
  spec.entrypoint = {"/paddock-guest"};
  spec.environment = {"A=b"};
  spec.user = "1000:1000";
  spec.labels = {{"org.paddock.session", "x"}};
  spec.network_id = std::string(64, 'a');
  spec.runtime = "runsc";
  spec.seccomp = "{\"defaultAction\":\"SCMP_ACT_ERRNO\"}";
  spec.has_read_only_root = true;
  spec.volumes = {{"paddock-1", "/workspace", false}, {"paddock-agent", "/.paddock", true}};
  spec.tmpfs_bytes = 1 << 20;
  spec.disk_bytes = 1 << 30;
  spec.needs_nproc_limit = true;
  return spec;
}

void CollectKeys(const json::value& value, std::set<std::string>& keys) {
  if (const json::object* object = value.if_object()) {
    for (const auto& [key, inner] : *object) {
      keys.emplace(key);
      CollectKeys(inner, keys);
    }
  }
  if (const json::array* array = value.if_array()) {
    for (const json::value& inner : *array) CollectKeys(inner, keys);
  }
}

TEST(ContainerSpec, TheWidestBodyOpensNothing) {
  const json::object body = CreateBody(Widest());
  std::set<std::string> keys;
  CollectKeys(body, keys);
  for (const char* key : {"Privileged", "Binds", "CapAdd", "Devices", "DeviceRequests", "DeviceCgroupRules", "PidMode", "UTSMode", "UsernsMode", "VolumesFrom",
                          "Links", "CgroupParent", "Sysctls", "OomKillDisable", "OomScoreAdj", "PortBindings", "PublishAllPorts", "ExtraHosts", "GroupAdd"}) {
    EXPECT_FALSE(keys.contains(key)) << key;
  }
  const json::object& host = body.at("HostConfig").as_object();
  EXPECT_EQ(json::serialize(host.at("CapDrop")), "[\"ALL\"]");
  EXPECT_EQ(host.at("NetworkMode").as_string(), std::string(64, 'a'));
  EXPECT_EQ(host.at("Memory"), host.at("MemorySwap"));
  EXPECT_EQ(host.at("SecurityOpt").as_array().at(0).as_string(), "no-new-privileges");
  for (const json::value& mount : host.at("Mounts").as_array()) EXPECT_EQ(mount.at("Type").as_string(), "volume");
}

TEST(ContainerSpec, TheResolverIsOneAddress) {
  ContainerSpec spec;
  EXPECT_FALSE(CreateBody(spec).at("HostConfig").as_object().contains("Dns"));
  spec.resolver = "127.0.0.1";
  EXPECT_EQ(json::serialize(CreateBody(spec).at("HostConfig").at("Dns")), "[\"127.0.0.1\"]");
}

TEST(ContainerSpec, WithoutANetworkThereIsOnlyLoopback) {
  ContainerSpec spec;
  EXPECT_EQ(CreateBody(spec).at("HostConfig").at("NetworkMode").as_string(), "none");
}

TEST(ContainerSpec, ReadsMemoryAsPeopleWriteIt) {
  EXPECT_EQ(*ParseMemory("memory_limit", "2g"), 2ull << 30);
  EXPECT_EQ(*ParseMemory("memory_limit", "2147483648"), 2ull << 30);
  EXPECT_EQ(*ParseMemory("memory_limit", "512MiB"), 512ull << 20);
  for (const char* text : {"", "0", "-1", "2x", "5m", "g", "1e9", "99999999999999999999g"}) {
    const auto bad = ParseMemory("memory_limit", text);
    ASSERT_FALSE(bad) << text;
    EXPECT_TRUE(bad.error().message.starts_with("memory_limit: '")) << bad.error().message;
  }
}

TEST(ContainerSpec, ReadsProcessorsAsPeopleWriteThem) {
  EXPECT_EQ(*ParseCpus("cpu_limit", "1"), 1'000'000'000);
  EXPECT_EQ(*ParseCpus("cpu_limit", "1.5"), 1'500'000'000);
  EXPECT_EQ(*ParseCpus("cpu_limit", "500m"), 500'000'000);
  EXPECT_EQ(*ParseCpus("cpu_limit", "1000000000"), 1'000'000'000);
  for (const char* text : {"", "0", "-1", "2x", "nan", "inf", "1.2.3", ".", "m", "1e9"}) {
    const auto bad = ParseCpus("cpu_limit", text);
    ASSERT_FALSE(bad) << text;
    EXPECT_TRUE(bad.error().message.starts_with("cpu_limit: '")) << bad.error().message;
  }
}

}  // namespace
}  // namespace paddock::docker
