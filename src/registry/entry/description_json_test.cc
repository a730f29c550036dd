#include "registry/entry/description_json.h"

#include <gtest/gtest.h>

namespace paddock::registry {
namespace {

using namespace std::chrono_literals;

SandboxInfo Full() {
  SandboxInfo info;
  SandboxRequest& request = info.request;
  request.isolation = "process";
  request.base = "snap_abc";
  request.environment = {{"A", "1"}, {"QUOTED", "\"\\\n\xc3\xa4"}};
  request.working_directory = "/workspace";
  request.hostname = "box";
  request.image = {.command = {"run", "a b", ""}, .working_directory = "/srv", .user = sandbox::WallUser{.name = "app", .uid = 4'000'000'000, .gid = 7}};
  request.limits = {.memory_bytes = 1ull << 40, .processes = 7, .cpus = 0.5, .disk_bytes = 4096, .is_disk_usual = true, .files = 9, .exec_time = 5s, .cpu_time = 2s, .output_bytes = 1};
  request.network.mode = policy::NetworkMode::kRules;
  request.network.rules.push_back({.host = "example.org", .ports = {{443, 443}}, .methods = {"GET"}, .paths = {"/a"}, .terminate_tls = true});
  request.network.publish.push_back({.host = 0, .guest = 8080});
  request.lease = {.ttl = 1h, .idle_ttl = 10min, .max_lifetime = 24h, .on_expiry = OnExpiry::kDelete, .remove_after = 20min};
  request.container = {.engine = "tcp://10.0.0.1:2376", .image = "debian:12", .runtime = "gvisor"};
  info.was_idle = true;
  info.created = Time(1s);
  info.extended = Time(2s);
  info.last_active = Time(3s);
  return info;
}

TEST(DescriptionJson, ReadsBackAsTheSame) {
  const SandboxInfo info = Full();
  SandboxInfo read;
  ASSERT_TRUE(ReadDescription(DescriptionText(info), read));
  EXPECT_EQ(DescriptionText(read), DescriptionText(info));
  EXPECT_EQ(read.request.environment, info.request.environment);
  EXPECT_EQ(read.request.image, info.request.image);
  EXPECT_EQ(read.request.limits, info.request.limits);
  EXPECT_EQ(read.request.lease, info.request.lease);
  EXPECT_EQ(read.request.container, info.request.container);
  ASSERT_EQ(read.request.network.rules.size(), 1u);
  EXPECT_EQ(read.request.network.rules[0].paths, (std::vector<std::string>{"/a"}));
  EXPECT_EQ(read.created, Time(1s));
  EXPECT_TRUE(read.was_idle);
}

TEST(DescriptionJson, NothingSetReadsBackToo) {
  SandboxInfo read;
  ASSERT_TRUE(ReadDescription(DescriptionText(SandboxInfo()), read));
  EXPECT_EQ(DescriptionText(read), DescriptionText(SandboxInfo()));
  EXPECT_FALSE(read.request.lease.ttl);
}

TEST(DescriptionJson, DamageIsToldAndNeverBelieved) {
  const std::string text = DescriptionText(Full());
  SandboxInfo read;
  EXPECT_FALSE(ReadDescription("", read));
  EXPECT_FALSE(ReadDescription("[]", read));
  EXPECT_FALSE(ReadDescription("{}", read));
  for (size_t cut = 0; cut < text.size(); ++cut) EXPECT_FALSE(ReadDescription(text.substr(0, cut), read)) << cut;
  std::string other = text;
  other.replace(other.find("\"ttl_ms\":3600000"), 16, "\"ttl_ms\":\"a long\"");
  EXPECT_FALSE(ReadDescription(other, read));
}

}  // namespace
}  // namespace paddock::registry
