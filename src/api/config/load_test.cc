#include "api/config/load.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "api/config/settings.h"

namespace paddock::api {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

Sources WithFile(const std::string& text) {
  return {.file_name = "paddock.toml", .file_text = text, .default_directory = "/var/lib/paddock"};
}

std::string ErrorOf(const Sources& sources) {
  const auto loaded = LoadConfig(sources);
  return loaded ? "" : std::string(loaded.error().Text());
}
std::string ErrorOf(const std::string& file) {
  return ErrorOf(WithFile(file));
}

Config Load(const Sources& sources) {
  const auto loaded = LoadConfig(sources);
  EXPECT_TRUE(loaded) << loaded.error().Text();
  return loaded ? loaded->config : Config{};
}

std::string Line(const LoadedConfig& loaded, const std::string& setting) {
  for (const EffectiveValue& one : loaded.values) {
    if (one.setting == setting) return one.value + " from " + one.origin;
  }
  return "";
}

TEST(LoadConfig, WithoutAnySourceTheDefaultsHold) {
  const Config config = Load({.default_directory = "/var/lib/paddock"});
  EXPECT_EQ(config.server.address, "127.0.0.1");
  EXPECT_EQ(config.server.port, 7420);
  EXPECT_TRUE(config.server.IsLoopback());
  EXPECT_EQ(config.data.directory, "/var/lib/paddock");
  EXPECT_EQ(config.data.database, "/var/lib/paddock/records.db");
  EXPECT_EQ(config.data.durability, CommitWait::kProcess);
  EXPECT_EQ(config.isolation, "virtual");
  EXPECT_EQ(config.limits.memory_bytes, uint64_t{512} << 20);
  EXPECT_EQ(config.limits.cpus, std::nullopt);
  EXPECT_EQ(config.lease.ttl, std::nullopt);
  EXPECT_EQ(config.lease.idle_ttl, minutes(30));
  EXPECT_EQ(config.lease.on_expiry, "pause");
  EXPECT_EQ(config.quota.sandboxes, 1000u);
  EXPECT_EQ(config.retention.idempotency_keys, hours(24));
  EXPECT_EQ(config.rates.cpu_hour, 0);
}

TEST(LoadConfig, FileSetsEachSection) {
  const Config config = Load(WithFile(R"(
[server]
address = "::"
port = 443
tls_certificate = "/etc/paddock/cert.pem"
tls_key = "/etc/paddock/key.pem"
[data]
directory = "/srv/paddock"
database = "postgresql://ann:geheim@db/paddock"
schema = "other"
durability = "power"
[sandbox]
isolation = "process"
[limits]
memory = "2GiB"
processes = "none"
cpus = 1.5
time = "90s"
[lease]
ttl = "20m"
idle_ttl = "none"
on_expiry = "delete"
[quota]
sandboxes = 5
[quota.owners."ann@example.org"]
sandboxes = 50
snapshot_bytes = "none"
[retention]
events = "2d"
event_count = 7
[rates]
currency = "EUR"
cpu_hour = 0.0504
memory_gib_hour = 0.0000001
)"));
  EXPECT_FALSE(config.server.IsLoopback());
  EXPECT_EQ(config.server.port, 443);
  EXPECT_EQ(config.server.tls_key, "/etc/paddock/key.pem");
  EXPECT_EQ(config.data.database, "postgresql://ann:geheim@db/paddock");
  EXPECT_EQ(config.data.schema, "other");
  EXPECT_EQ(config.data.durability, CommitWait::kPower);
  EXPECT_EQ(config.isolation, "process");
  EXPECT_EQ(config.limits.memory_bytes, uint64_t{2} << 30);
  EXPECT_EQ(config.limits.processes, std::nullopt);
  EXPECT_EQ(config.limits.cpus, 1.5);
  EXPECT_EQ(config.limits.time, std::chrono::seconds(90));
  EXPECT_EQ(config.lease.ttl, minutes(20));
  EXPECT_EQ(config.lease.idle_ttl, std::nullopt);
  EXPECT_EQ(config.lease.on_expiry, "delete");
  EXPECT_EQ(config.QuotaOf("bob").sandboxes, 5u);
  EXPECT_EQ(config.QuotaOf("ann@example.org").sandboxes, 50u);
  EXPECT_EQ(config.QuotaOf("ann@example.org").snapshot_bytes, std::nullopt);
  EXPECT_EQ(config.QuotaOf("ann@example.org").sessions, config.quota.sessions);
  EXPECT_EQ(config.retention.events, hours(48));
  EXPECT_EQ(config.retention.event_count, 7u);
  EXPECT_EQ(config.rates.currency, "EUR");
  EXPECT_EQ(config.rates.cpu_hour, 50'400'000);
  EXPECT_EQ(config.rates.memory_gib_hour, 100);
}

TEST(LoadConfig, CommandLineWinsOverEnvironmentOverFile) {
  Sources sources = WithFile("[server]\nport = 1\naddress = \"127.0.0.2\"\n[data]\nschema = \"file\"");
  sources.environment = {{"PADDOCK_SERVER_PORT", "2"}, {"PADDOCK_SERVER_ADDRESS", "127.0.0.3"}, {"PADDOCK_QUOTA_EXECS", "9"}};
  sources.overrides = {{"server.port", "3", "--port"}};
  const auto loaded = LoadConfig(sources);
  ASSERT_TRUE(loaded) << loaded.error().Text();
  EXPECT_EQ(loaded->config.server.port, 3);
  EXPECT_EQ(loaded->config.server.address, "127.0.0.3");
  EXPECT_EQ(loaded->config.data.schema, "file");
  EXPECT_EQ(loaded->config.quota.execs, 9u);
  EXPECT_EQ(Line(*loaded, "server.port"), "3 from --port");
  EXPECT_EQ(Line(*loaded, "server.address"), "127.0.0.3 from PADDOCK_SERVER_ADDRESS");
  EXPECT_EQ(Line(*loaded, "data.schema"), "file from paddock.toml:5");
  EXPECT_EQ(Line(*loaded, "sandbox.isolation"), "virtual from default");
  EXPECT_EQ(Line(*loaded, "quota.execs"), "9 from PADDOCK_QUOTA_EXECS");
}

TEST(LoadConfig, EveryUnknownKeyIsAnErrorWithTheNearestName) {
  EXPECT_EQ(ErrorOf("[server]\nprot = 1"), "paddock.toml:2: server.prot: unknown key; did you mean 'port'?");
  EXPECT_EQ(ErrorOf("[sever]\n"), "paddock.toml:1: sever: unknown key; did you mean 'server'?");
  EXPECT_EQ(ErrorOf("port = 1"),
            "paddock.toml:1: port: unknown key; the keys here are server, data, sandbox, limits, containers, lease, quota, retention, rates, "
            "harness, agent");
  EXPECT_EQ(ErrorOf("[quota]\nowner = 1"), "paddock.toml:2: quota.owner: unknown key; did you mean 'owners'?");
  EXPECT_EQ(ErrorOf("[quota.owners.ann]\nsandbox = 1"),
            "paddock.toml:2: quota.owners.ann.sandbox: unknown key; did you mean 'sandboxes'?");
}

TEST(LoadConfig, UnknownVariableOfASectionIsAnErrorOthersAreNot) {
  EXPECT_EQ(ErrorOf({.environment = {{"PADDOCK_DATA_DIR", "/x"}}, .default_directory = "/d"}),
            "PADDOCK_DATA_DIR: there is no such setting; those of its section are PADDOCK_DATA_DIRECTORY, PADDOCK_DATA_DATABASE, "
            "PADDOCK_DATA_SCHEMA, PADDOCK_DATA_DURABILITY");
  EXPECT_EQ(ErrorOf({.environment = {{"PADDOCK_URL", "x"}, {"PATH", "/bin"}}, .default_directory = "/d"}), "");
}

TEST(LoadConfig, UnknownOverrideIsAnError) {
  EXPECT_EQ(ErrorOf({.overrides = {{"server.prt", "1", "--set"}}, .default_directory = "/d"}),
            "--set: there is no setting server.prt");
}

TEST(LoadConfig, WrongValuesNamePlaceAndSetting) {
  EXPECT_EQ(ErrorOf("[server]\nport = 65536"), "paddock.toml:2: server.port: is not a whole number of at most 65535");
  EXPECT_EQ(ErrorOf("[server]\nport = -1"), "paddock.toml:2: server.port: is not a whole number of at most 65535");
  EXPECT_EQ(ErrorOf("[server]\nport = \"80\""), "paddock.toml:2: server.port: must be a number or \"none\", not a string");
  EXPECT_NE(ErrorOf("[server]\nport = \"none\""), "");
  EXPECT_NE(ErrorOf("[server]\naddress = \"localhost\"").find("server.address: is not an IPv4 or IPv6 address"),
            std::string::npos);
  EXPECT_EQ(ErrorOf("[server]\ntls_key = \"key.pem\""), "paddock.toml:2: server.tls_key: is not an absolute path");
  EXPECT_NE(ErrorOf("[data]\ndatabase = \"mysql://x\"").find("data.database: is neither"), std::string::npos);
  EXPECT_EQ(ErrorOf("[data]\ndurability = \"yes\""), "paddock.toml:2: data.durability: is not one of: process, power");
  EXPECT_EQ(ErrorOf("[data]\ndirectory = \"\""), "paddock.toml:2: data.directory: must not be empty");
  EXPECT_NE(ErrorOf("[limits]\nmemory = 5"), "");
  EXPECT_NE(ErrorOf("[limits]\ncpus = 0.001"), "");
  EXPECT_NE(ErrorOf("[limits]\ntime = \"10\"").find("paddock.toml:2: limits.time: "), std::string::npos);
  EXPECT_EQ(ErrorOf("[lease]\nttl = \"10us\""), "paddock.toml:2: lease.ttl: is less than a millisecond");
  EXPECT_NE(ErrorOf("[lease]\non_expiry = \"kill\""), "");
  EXPECT_NE(ErrorOf("[rates]\ncpu_hour = -1"), "");
  EXPECT_NE(ErrorOf("[rates]\ncpu_hour = inf"), "");
  EXPECT_NE(ErrorOf("[rates]\ncurrency = \"euro\""), "");
  EXPECT_EQ(ErrorOf("server = 5"), "paddock.toml:1: server: must be a table, not a whole number");
  EXPECT_NE(ErrorOf("[server").find("paddock.toml:1: "), std::string::npos);
  EXPECT_EQ(ErrorOf({.environment = {{"PADDOCK_SERVER_PORT", "x"}}, .default_directory = "/d"}),
            "PADDOCK_SERVER_PORT: is not a whole number of at most 65535");
}

TEST(LoadConfig, SettingsThatContradictEachOtherAreRefused) {
  EXPECT_EQ(ErrorOf("[server]\ntls_key = \"/k\""), "server.tls_certificate and server.tls_key are set together or not at all");
  EXPECT_EQ(ErrorOf("[lease]\nttl = \"2h\"\nmax_lifetime = \"1h\""), "lease.ttl is longer than lease.max_lifetime");
  EXPECT_EQ(ErrorOf("[lease]\nmax_lifetime = \"1m\""), "lease.idle_ttl is longer than lease.max_lifetime");
}

TEST(LoadConfig, PasswordIsNotListed) {
  for (const char* url :
       {"postgresql://ann:geheim@db/x", "postgresql://ann:ge@geheim@db/x", "postgresql:///x?user=ann&password=geheim"}) {
    const auto loaded = LoadConfig(WithFile("[data]\ndatabase = \"" + std::string(url) + "\""));
    ASSERT_TRUE(loaded) << loaded.error().Text();
    EXPECT_EQ(ConfigText(*loaded).find("geheim"), std::string::npos) << url;
    EXPECT_EQ(loaded->config.data.database, url);
  }
}

TEST(LoadConfig, HarnessesAndAgentsAreHandedOnAsJson) {
  const auto loaded = LoadConfig(WithFile(R"([harness.coding]
prompt = "be brief"
capabilities = ["session_storage", { ref = "sandbox", config = { isolation = "process" } }]

[agent.reviewer]
harness = "coding"
)"));
  ASSERT_TRUE(loaded) << loaded.error().Text();
  ASSERT_EQ(loaded->config.harnesses.size(), 1u);
  EXPECT_EQ(loaded->config.harnesses[0].name, "coding");
  EXPECT_EQ(
      loaded->config.harnesses[0].json,
      R"({"capabilities": ["session_storage", {"config": {"isolation": "process"}, "ref": "sandbox"}], "prompt": "be brief"})");
  EXPECT_EQ(loaded->config.agents[0].origin, "paddock.toml:5");
  EXPECT_EQ(Line(*loaded, "agent.reviewer"), "(defined) from paddock.toml:5");
  EXPECT_EQ(ErrorOf("[harness]\ncoding = 1"), "paddock.toml:2: harness.coding: must be a table, not a whole number");
}

TEST(LoadConfig, ListNamesEverySettingOnce) {
  const auto loaded = LoadConfig(WithFile(""));
  std::set<std::string> names;
  for (const EffectiveValue& one : loaded->values) EXPECT_TRUE(names.insert(one.setting).second) << one.setting;
  for (const Setting& setting : Settings()) EXPECT_TRUE(names.contains(setting.name)) << setting.name;
  for (const QuotaSetting& setting : QuotaSettings()) EXPECT_TRUE(names.contains("quota." + std::string(setting.name)));
}

// docs/configuration.md has a row for every setting, with its default.
const std::filesystem::path kStart = std::filesystem::current_path();   // before tests go elsewhere

TEST(Settings, AreAllDocumented) {
  // Beside this source, or below the directory that the tests run in: the compiler may know the source by a relative path.
  std::filesystem::path page = kStart / "docs/configuration.md";
  if (!std::filesystem::exists(page)) page = std::filesystem::path(__FILE__).parent_path() / "../../../docs/configuration.md";
  if (!std::filesystem::exists(page)) GTEST_SKIP() << "the documentation is not here: run the tests in the repository";
  std::stringstream read;
  read << std::ifstream(page).rdbuf();
  const std::string text = read.str();
  const auto expect_row = [&](const std::string& name, const std::string& standard) {
    const std::string shown = standard.empty() ? "" : " `" + standard + "` ";
    EXPECT_NE(text.find("| `" + name + "` |" + shown), std::string::npos) << name << " " << standard;
  };
  for (const Setting& setting : Settings()) expect_row(setting.name, setting.standard);
  for (const QuotaSetting& setting : QuotaSettings()) expect_row("quota." + std::string(setting.name), setting.standard);
}

}  // namespace
}  // namespace paddock::api
