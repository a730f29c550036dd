#include "drivers/oci/bundle.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include <set>

namespace paddock::oci {
namespace {

namespace json = boost::json;

BundleSpec Widest() {
  BundleSpec spec;
  spec.stage = "/mnt";
  spec.has_writable_root = true;
  spec.mounts = {{.place = "private/tmp", .target = "/tmp", .is_writable = true}, {.place = "tools", .target = "/.paddock"}};
  spec.hostname = "host\"name";
  spec.user = 1000;
  spec.first_host_id = 0x71000000;
  spec.cgroup = "/paddock-oci-default/oci-x";
  spec.file_bytes = 5;
  spec.annotations = {{"org.paddock.sandbox", "oci-x"}};
  return spec;
}

json::object Config(const BundleSpec& spec) { return json::parse(BundleConfig(spec)).as_object(); }

TEST(Bundle, HasNothingThatOpensAContainer) {
  const json::object config = Config(Widest());
  const json::object& process = config.at("process").as_object();
  for (const auto& [set, names] : process.at("capabilities").as_object()) EXPECT_TRUE(names.as_array().empty()) << set;
  EXPECT_EQ(process.at("capabilities").as_object().size(), 5u);
  EXPECT_TRUE(process.at("noNewPrivileges").as_bool());
  EXPECT_FALSE(config.contains("hooks"));
  const json::object& linux_part = config.at("linux").as_object();
  for (const char* name : {"devices", "sysctl", "mountLabel", "intelRdt", "personality"}) EXPECT_FALSE(linux_part.contains(name)) << name;
  for (const char* name : {"selinuxLabel", "apparmorProfile", "oomScoreAdj", "consoleSize"}) EXPECT_FALSE(process.contains(name)) << name;
  std::set<std::string> namespaces;
  for (const json::value& one : linux_part.at("namespaces").as_array()) {
    namespaces.insert(std::string(one.at("type").as_string()));
    EXPECT_FALSE(one.as_object().contains("path")) << "somebody else's";
  }
  EXPECT_EQ(namespaces, (std::set<std::string>{"cgroup", "ipc", "mount", "network", "pid", "user", "uts"}));
  for (const json::value& rule : linux_part.at("resources").at("devices").as_array()) EXPECT_FALSE(rule.at("allow").as_bool());
  EXPECT_EQ(linux_part.at("seccomp").at("defaultAction").as_string(), "SCMP_ACT_ERRNO");
}

TEST(Bundle, MountsOnlyPlacesOfTheStage) {
  const json::object config = Config(Widest());
  for (const json::value& one : config.at("mounts").as_array()) {
    const std::string source(one.at("source").as_string()), type(one.at("type").as_string());
    EXPECT_TRUE(type == "bind" ? source.starts_with("/mnt/") : !source.starts_with('/')) << source;
    if (type != "bind") continue;
    const std::string options = json::serialize(one.at("options"));
    EXPECT_NE(options.find("\"nosuid\",\"nodev\""), std::string::npos) << options;
    EXPECT_EQ(options.find("\"rw\"") != std::string::npos, source == "/mnt/private/tmp") << source;
    EXPECT_EQ(options.find("rbind"), std::string::npos);
  }
}

TEST(Bundle, RootInsideIsNobodyOutside) {
  for (const uint32_t user : {0u, 1000u}) {
    BundleSpec spec = Widest();
    spec.user = user;
    const json::object config = Config(spec);
    for (const char* kind : {"uidMappings", "gidMappings"}) {
      const json::array& maps = config.at("linux").at(kind).as_array();
      EXPECT_EQ(maps.size(), user == 0 ? 1u : 2u);
      for (const json::value& one : maps) {
        EXPECT_GE(one.at("hostID").to_number<uint32_t>(), spec.first_host_id);
        EXPECT_EQ(one.at("size").to_number<int>(), 1);
      }
    }
    EXPECT_EQ(config.at("process").at("user").at("uid").to_number<uint32_t>(), user);
  }
}

TEST(Bundle, LimitsAreInTheUnitsOfTheKernel) {
  BundleSpec spec = Widest();
  spec.memory_bytes = 64 << 20;
  spec.nano_cpus = 1'500'000'000;
  spec.pids = 17;
  const json::value resources = Config(spec).at("linux").at("resources");
  EXPECT_EQ(resources.at("memory").at("limit").to_number<uint64_t>(), 64u << 20);
  EXPECT_EQ(resources.at("memory").at("swap").to_number<uint64_t>(), 64u << 20) << "of memory and swap together";
  EXPECT_EQ(resources.at("cpu").at("quota").to_number<int64_t>(), 150'000);
  EXPECT_EQ(resources.at("cpu").at("period").to_number<int64_t>(), 100'000);
  EXPECT_EQ(resources.at("pids").at("limit").to_number<int64_t>(), 17);
  spec.limits_swap = false;
  EXPECT_FALSE(Config(spec).at("linux").at("resources").at("memory").as_object().contains("swap"));
}

TEST(Bundle, TextIsOnlyText) {
  EXPECT_EQ(Config(Widest()).at("hostname").as_string(), "host\"name");
  EXPECT_FALSE(Config(Widest()).at("root").at("readonly").as_bool());
  EXPECT_TRUE(Config(BundleSpec{}).at("root").at("readonly").as_bool());
}

}  // namespace
}  // namespace paddock::oci
