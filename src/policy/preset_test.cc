#include "policy/preset.h"

#include <gtest/gtest.h>

#include "policy/network_verdict.h"
#include "policy/verdict.h"

namespace paddock::policy {
namespace {

HostContext Context() {
  return {.home = "/home/ann", .workspace = "/home/ann/work", .user = "ann", .search_path = {"/usr/bin", "/home/ann/tools/bin", "/home/ann"},
          .variables = {"OPENAI_API_KEY"}};
}

Access In(std::string_view preset, std::string_view path) {
  const auto policy = MakePreset(preset, Context());
  return policy ? AccessOf(policy->files, path).access : Access::kDeny;
}

TEST(Preset, NamesAreListedAndKnown) {
  for (const PresetInfo& preset : Presets()) EXPECT_TRUE(MakePreset(preset.name, Context())) << preset.name;
  EXPECT_FALSE(MakePreset("nothing", Context()));
  EXPECT_FALSE(MakePreset("codex:danger-full-access", Context()));
}

TEST(Preset, CredentialsAreDeniedInEveryPreset) {
  for (const PresetInfo& preset : Presets()) {
    for (const char* path : {"/home/ann/.ssh/id_ed25519", "/home/ann/.aws/credentials", "/home/ann/.cargo/credentials.toml", "/etc/shadow"}) {
      EXPECT_EQ(In(preset.name, path), Access::kDeny) << preset.name << " " << path;
    }
  }
}

TEST(Preset, WorkspaceIsWritableButItsProtectedNames) {
  EXPECT_EQ(In("workspace", "/home/ann/work/a.c"), Access::kWrite);
  EXPECT_EQ(In("workspace", "/home/ann/work/sub/.git/hooks/pre-commit"), Access::kRead);
  EXPECT_EQ(In("read-only", "/home/ann/work/a.c"), Access::kRead);
  EXPECT_EQ(In("codex:read-only", "/home/ann/work/a.c"), Access::kRead);
  EXPECT_EQ(In("codex:workspace-write", "/home/ann/work/a.c"), Access::kWrite);
  EXPECT_EQ(In("codex:workspace-write", "/home/ann/other"), Access::kRead);
}

TEST(Preset, HomeShowsToolsOnly) {
  const auto policy = MakePreset("workspace", Context());
  EXPECT_TRUE(AccessOf(policy->files, "/home/ann/letters").is_private);
  EXPECT_EQ(In("workspace", "/home/ann/.nvm/versions"), Access::kRead);
  EXPECT_EQ(In("workspace", "/home/ann/tools/bin/x"), Access::kRead);
  EXPECT_EQ(In("trusted", "/home/ann/letters"), Access::kRead);
  EXPECT_EQ(In("trusted", "/home/ann/.cache/x"), Access::kWrite);
}

TEST(Preset, HomeInTheSearchPathIsNotShown) {
  const auto policy = MakePreset("workspace", Context());
  ASSERT_TRUE(policy);
  for (const PathRule& rule : policy->files.paths) EXPECT_NE(rule.path, "/home/ann");
}

TEST(Preset, ModelApisAreBrokeredWhenTheHostHasTheKey) {
  const auto policy = MakePreset("agent", Context());
  ASSERT_EQ(policy->secrets.size(), 1u);
  EXPECT_EQ(policy->secrets[0].name, "OPENAI_API_KEY");
  EXPECT_EQ(policy->network.mode, NetworkMode::kRules);
  int anthropic = 0;
  for (const NetworkRule& rule : policy->network.rules) anthropic += rule.host == "api.anthropic.com";
  EXPECT_EQ(anthropic, 0);
}

TEST(Preset, NetworkRulesCompile) {
  for (const PresetInfo& preset : Presets()) {
    const auto policy = MakePreset(preset.name, Context());
    ASSERT_TRUE(policy);
    const auto rules = NetworkRuleSet::Compile(policy->network);
    EXPECT_TRUE(rules) << preset.name << ": " << rules.error().Text();
  }
}

TEST(Preset, OnlyAgentAndTrustedHaveANetwork) {
  for (const PresetInfo& preset : Presets()) {
    const bool expected = std::string_view(preset.name) == "agent" || std::string_view(preset.name) == "trusted";
    const auto policy = MakePreset(preset.name, Context());
    ASSERT_TRUE(policy);
    EXPECT_EQ(policy->network.mode == NetworkMode::kRules, expected) << preset.name;
  }
}

}  // namespace
}  // namespace paddock::policy
