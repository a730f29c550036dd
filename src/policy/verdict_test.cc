#include "policy/verdict.h"

#include <gtest/gtest.h>

#include "policy/preset.h"

namespace paddock::policy {
namespace {

FileRules Rules(std::vector<PathRule> paths) {
  FileRules rules;
  rules.paths = std::move(paths);
  rules.protected_names = {".git/hooks", ".envrc"};
  return rules;
}

TEST(AccessOf, LongestRuleDecides) {
  const FileRules rules = Rules({{"/a", Access::kRead}, {"/a/b", Access::kWrite}, {"/a/b/c", Access::kDeny}});
  EXPECT_EQ(AccessOf(rules, "/a/x").access, Access::kRead);
  EXPECT_EQ(AccessOf(rules, "/a/b/x").access, Access::kWrite);
  EXPECT_EQ(AccessOf(rules, "/a/b/c").access, Access::kDeny);
  EXPECT_EQ(AccessOf(rules, "/a/b/cc").access, Access::kWrite);
  EXPECT_EQ(AccessOf(rules, "/z").access, Access::kDeny);
}

TEST(AccessOf, StricterRuleWinsATie) {
  EXPECT_EQ(AccessOf(Rules({{"/a", Access::kWrite}, {"/a", Access::kRead}}), "/a").access, Access::kRead);
  EXPECT_EQ(AccessOf(Rules({{"/a", Access::kDeny}, {"/a", Access::kWrite}}), "/a").access, Access::kDeny);
}

TEST(AccessOf, ProtectedNameIsReadOnlyAtAnyDepth) {
  const FileRules rules = Rules({{"/a", Access::kWrite, true, "p.toml:1"}});
  EXPECT_EQ(AccessOf(rules, "/a/.git/hooks").access, Access::kRead);
  EXPECT_EQ(AccessOf(rules, "/a/x/y/.git/hooks/pre-commit").access, Access::kRead);
  EXPECT_EQ(AccessOf(rules, "/a/x/.ENVRC").access, Access::kRead);
  EXPECT_EQ(AccessOf(rules, "/a/.git/HEAD").access, Access::kWrite);
  EXPECT_EQ(AccessOf(rules, "/a/hooks").access, Access::kWrite);
  EXPECT_EQ(AccessOf(rules, "/a/x/.envrc").rule, "protected name .envrc below write /a (p.toml:1)");
}

TEST(AccessOf, ProtectedNameAboveTheRuleDoesNotCount) {
  EXPECT_EQ(AccessOf(Rules({{"/a/.envrc/b", Access::kWrite}}), "/a/.envrc/b/c").access, Access::kWrite);
}

TEST(AccessOf, PrivateDirectoriesGiveWayToRules) {
  FileRules rules = Rules({{"/tmp/shared", Access::kRead}, {"/var/tmp", Access::kDeny}});
  rules.home = "/home/ann";
  EXPECT_TRUE(AccessOf(rules, "/tmp/x").is_private);
  EXPECT_EQ(AccessOf(rules, "/tmp/x").access, Access::kWrite);
  EXPECT_EQ(AccessOf(rules, "/tmp/shared/x").access, Access::kRead);
  EXPECT_EQ(AccessOf(rules, "/var/tmp").access, Access::kDeny);
  EXPECT_TRUE(AccessOf(rules, "/home/ann/.envrc").is_private);
}

TEST(AccessOf, HostViewShowsTheSystem) {
  FileRules rules = Rules({});
  EXPECT_EQ(AccessOf(rules, "/usr/bin/env").access, Access::kRead);
  EXPECT_EQ(AccessOf(rules, "/srv").access, Access::kDeny);
  rules.host_view = false;
  EXPECT_EQ(AccessOf(rules, "/usr/bin/env").access, Access::kDeny);
}

}  // namespace
}  // namespace paddock::policy
