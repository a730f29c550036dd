#include "policy/write.h"

#include <gtest/gtest.h>

#include "policy/parse.h"
#include "policy/preset.h"

namespace paddock::policy {
namespace {

const HostContext kContext = {.home = "/home/ann", .workspace = "/home/ann/work", .user = "ann", .search_path = {},
                              .variables = {"OPENAI_API_KEY", "ANTHROPIC_API_KEY"}};

Result<Policy> Read(DocumentFormat format, std::string text) {
  return ParsePolicy({.name = "p", .directory = "/", .format = format, .text = std::move(text)}, kContext);
}

TEST(Write, EveryPresetReadsBackAsTheSame) {
  for (const PresetInfo& preset : Presets()) {
    const Value document = ToDocument(*MakePreset(preset.name, kContext));
    const auto toml = Read(DocumentFormat::kToml, TomlText(document));
    const auto json = Read(DocumentFormat::kJson, JsonText(document));
    ASSERT_TRUE(toml) << toml.error().Text();
    ASSERT_TRUE(json) << json.error().Text();
    EXPECT_EQ(JsonText(ToDocument(*toml)), JsonText(document)) << preset.name;
    EXPECT_EQ(JsonText(ToDocument(*json)), JsonText(document)) << preset.name;
  }
}

TEST(Write, EveryKeyReadsBackAsTheSame) {
  const auto policy = Read(DocumentFormat::kToml, R"(
name = "all \"keys\""
description = "d"
[files]
workspace = "/srv/w"
mode = "overlay"
home_store = "/srv/home"
read = ["/a", {path = "/b", required = true}]
write = ["/c"]
deny = ["/d"]
protect = [".x/y"]
unprotect = [".idea"]
tmp = "64MiB"
[network]
allow = ["*", "[2001:db8::1]:443", {host = "a.org", ports = [80, "8000-8999"], methods = ["GET"], paths = ["/p"], terminate_tls = true, allow_private = true, reason = "r"}]
deny = ["b.org"]
deny_addresses = ["100.64.0.0/10"]
publish = ["8080:80", ":81", 82]
host_ports = [5432]
unix_sockets = ["/run/x.sock"]
upstream = "http://proxy.example.org:3128"
no_upstream = ["*.local.example.org"]
tls_exclude = ["bank.example.org"]
tls_trust = ["/srv/company.pem"]
[secrets.K]
from = "env:HOST_K"
plaintext = true
hosts = [{host = "a.org:443", header = "X-Key", methods = ["post"], websocket = true}]
[secrets.F]
from = "file:/srv/keys/f"
hosts = ["a.org"]
[limits]
memory = 1048577
processes = 5
cpus = 0.1
cpu_time = "90s"
time = "1500ms"
output = "1M"
disk = "1kB"
file_size = "1T"
open_files = 64
[environment]
inherit = true
pass = ["A_*"]
deny = ["B"]
set = {C = "tab\tquote\"", D = ""}
[kernel]
ptrace = true
nested = true
)");
  ASSERT_TRUE(policy) << policy.error().Text();
  const std::string text = TomlText(ToDocument(*policy));
  const auto again = Read(DocumentFormat::kToml, text);
  ASSERT_TRUE(again) << again.error().Text() << text;
  EXPECT_EQ(TomlText(ToDocument(*again)), text);
  EXPECT_EQ(again->limits.cpus, 0.1);
  EXPECT_EQ(again->environment.set, policy->environment.set);
  EXPECT_EQ(again->network.rules.size(), policy->network.rules.size());
}

TEST(Write, PasswordsAndValuesAreNotShown) {
  Policy policy;
  policy.network.upstream_proxy = "http://user:hunter2@proxy.example.org:3128";
  policy.secrets.push_back({.name = "K", .source = SecretBinding::Source::kValue, .from = "hunter2"});
  EXPECT_EQ(TomlText(ToDocument(policy)).find("hunter2"), std::string::npos);
}

}  // namespace
}  // namespace paddock::policy
