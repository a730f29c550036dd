#include "cli/policy_table.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace paddock::cli {
namespace {

TEST(PolicyTable, ShowsNoSecretAndNoControlCharacter) {
  policy::Policy policy;
  policy.name = "p\x1b[2J";
  policy.network.mode = policy::NetworkMode::kRules;
  policy.network.upstream_proxy = "http://u:hunter2@proxy.example.org:1";
  policy.secrets.push_back({.name = "K", .source = policy::SecretBinding::Source::kValue, .from = "hunter2"});
  const std::string table = PolicyTable(policy);
  EXPECT_EQ(table.find("hunter2"), std::string::npos);
  EXPECT_EQ(table.find('\x1b'), std::string::npos);
}

TEST(AnswerQuestions, NamesTheRule) {
  policy::Policy policy;
  policy.files.paths.push_back({.path = "/a", .access = policy::Access::kRead, .origin = "p.toml:3"});
  const auto answers = AnswerQuestions(policy, {"read", "/a/../a/b", "write", "/a"});
  ASSERT_TRUE(answers);
  EXPECT_EQ(AnswersText(*answers, false), "yes  read /a/b  read /a (p.toml:3)\nno   write /a  read /a (p.toml:3)\n");
  EXPECT_EQ(AnswersText({answers->at(1)}, true), "[{\"question\":\"write /a\",\"allowed\":false,\"rule\":\"read /a (p.toml:3)\"}]\n");
}

TEST(AnswerQuestions, SymlinkIsJudgedWhereItLeads) {
  const std::string root = std::filesystem::canonical(testing::TempDir()).string() + "/paddock_answer_" + std::to_string(::getpid());
  std::filesystem::create_directories(root);
  std::filesystem::create_symlink("/etc/shadow", root + "/link");
  policy::Policy policy;
  policy.files.paths = {{.path = root, .access = policy::Access::kWrite}, {.path = "/etc/shadow", .access = policy::Access::kDeny}};
  const auto answers = AnswerQuestions(policy, {"read", root + "/link", "read", root + "/other"});
  std::filesystem::remove_all(root);
  ASSERT_TRUE(answers);
  EXPECT_FALSE(answers->at(0).is_allowed);
  EXPECT_TRUE(answers->at(1).is_allowed);
}

TEST(AnswerQuestions, ConnectFollowsTheNetworkRules) {
  policy::Policy policy;
  EXPECT_FALSE(AnswerQuestions(policy, {"connect", "example.org:443"})->at(0).is_allowed);
  policy.network.mode = policy::NetworkMode::kRules;
  policy.network.rules.push_back({.host = "*.example.org", .ports = {{443, 443}}, .origin = "p.toml:1"});
  policy.network.rules.push_back({.verdict = policy::NetworkRule::Verdict::kDeny, .host = "bad.example.org", .reason = "no", .origin = "p.toml:2"});
  const auto answers = AnswerQuestions(policy, {"connect", "a.example.org:443", "connect", "a.example.org:80", "connect", "BAD.example.org:443"});
  ASSERT_TRUE(answers);
  EXPECT_TRUE(answers->at(0).is_allowed);
  EXPECT_EQ(answers->at(0).rule, "p.toml:1");
  EXPECT_FALSE(answers->at(1).is_allowed);
  EXPECT_FALSE(answers->at(2).is_allowed);
  EXPECT_NE(answers->at(2).rule.find("p.toml:2"), std::string::npos);
  EXPECT_FALSE(AnswerQuestions(policy, {"connect", "example.org"}));
}

TEST(AnswerQuestions, WhatIsNoQuestionIsAnError) {
  EXPECT_FALSE(AnswerQuestions({}, {"delete", "/"}));
  EXPECT_FALSE(AnswerQuestions({}, {"read"}));
}

}  // namespace
}  // namespace paddock::cli
