#include "policy/srt_policy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "policy/srt_paths.h"
#include "policy/verdict.h"

namespace paddock::policy {
namespace {

namespace fs = std::filesystem;

class SrtPolicyTest : public testing::Test {
 protected:
  SrtPolicyTest() {
    fs::remove_all(root_);
    for (const char* name : {"home/w/sec/pub", "home/w/deep/a/sec", "home/w/ro", "outside"}) fs::create_directories(root_ + "/" + name);
    root_ = fs::canonical(root_);
    for (const char* name : {"home/w/.env", "home/w/sec/f", "home/w/sec/pub/f", "home/w/deep/a/.env", "home/key", "outside/f"}) {
      std::ofstream(root_ + "/" + name) << "x";
    }
    work_ = root_ + "/home/w";
    host_.context = {.home = root_ + "/home", .workspace = work_, .user = "ann", .search_path = {}, .variables = {"TOKEN"}};
  }
  ~SrtPolicyTest() override { fs::remove_all(root_); }

  SrtPolicy Make() {
    auto made = MakeSrtPolicy(settings_, host_);
    EXPECT_TRUE(made) << made.error().Text();
    return made ? std::move(*made) : SrtPolicy();
  }
  std::string ErrorOf() {
    const auto made = MakeSrtPolicy(settings_, host_);
    return made ? "" : std::string(made.error().Text());
  }
  Access At(const std::string& path) { return AccessOf(Make().policy.files, path.starts_with('/') ? path : work_ + "/" + path).access; }

  std::string root_ = testing::TempDir() + "paddock_srt_" + std::to_string(::getpid());
  std::string work_;
  SrtSettings settings_;
  SrtHost host_;
};

TEST_F(SrtPolicyTest, DefaultsShowEverythingAndAllowNoWriting) {
  EXPECT_EQ(At(".env"), Access::kRead);
  EXPECT_EQ(At(root_ + "/home/key"), Access::kRead);
  EXPECT_EQ(At("/usr/bin/env"), Access::kRead);
  EXPECT_EQ(At("/var/lib"), Access::kRead);
  EXPECT_EQ(At("/run/docker.sock"), Access::kDeny);
  const SrtPolicy made = Make();
  EXPECT_TRUE(made.policy.network.rules.empty());
  EXPECT_EQ(made.directory, work_);
  EXPECT_EQ(made.policy.files.workspace_mode, WorkspaceMode::kReadOnly);
}

TEST_F(SrtPolicyTest, AllowWriteDeniesOutside) {
  settings_.allow_write = {"."};
  EXPECT_EQ(At("new"), Access::kWrite);
  EXPECT_EQ(At(root_ + "/home/key"), Access::kRead);
  EXPECT_EQ(Make().policy.files.workspace_mode, WorkspaceMode::kDirect);
}

TEST_F(SrtPolicyTest, DenyWriteWinsAtAboveAndBelow) {
  settings_.allow_write = {".", "ro"};
  settings_.deny_write = {".env"};
  EXPECT_EQ(At(".env"), Access::kRead);
  EXPECT_EQ(At("ro/x"), Access::kWrite);
  settings_.deny_write = {"ro"};
  EXPECT_EQ(At("ro/x"), Access::kRead);
  settings_.deny_write = {"."};
  EXPECT_EQ(At("ro/x"), Access::kRead);
  EXPECT_EQ(At("x"), Access::kRead);
}

TEST_F(SrtPolicyTest, TheWholeHostIsNotWritable) {
  settings_.allow_write = {"/"};
  EXPECT_NE(ErrorOf().find("filesystem.allowWrite.0: protected names"), std::string::npos);
  settings_.deny_write = {"/"};
  EXPECT_EQ(At("x"), Access::kRead);
}

TEST_F(SrtPolicyTest, DenyWritePatternsAreExpanded) {
  settings_.allow_write = {"."};
  settings_.deny_write = {"**/.env"};
  EXPECT_EQ(At("deep/a/.env"), Access::kRead);
  EXPECT_EQ(At("deep/a/other"), Access::kWrite);
}

TEST_F(SrtPolicyTest, AllowReadOpensInsideDenyRead) {
  settings_.deny_read = {"sec"};
  settings_.allow_read = {"sec/pub"};
  EXPECT_EQ(At("sec/f"), Access::kDeny);
  EXPECT_EQ(At("sec/pub/f"), Access::kRead);
  settings_.deny_read = {".", "sec"};
  settings_.allow_read = {"."};
  EXPECT_EQ(At("sec/f"), Access::kDeny);
  EXPECT_EQ(At("ro"), Access::kRead);
}

TEST_F(SrtPolicyTest, NothingBelowAHiddenSubtreePatternIsShownAgain) {
  settings_.deny_read = {"sec/**"};
  settings_.allow_read = {"sec/pub"};
  EXPECT_EQ(At("sec/pub/f"), Access::kDeny);
}

TEST_F(SrtPolicyTest, AllowReadInsideAWritablePlaceDoesNotMakeItReadOnly) {
  settings_.allow_write = {"."};
  settings_.allow_read = {"ro"};
  EXPECT_EQ(At("ro/x"), Access::kWrite);
}

TEST_F(SrtPolicyTest, DenyWriteInsideAHiddenPlaceDoesNotShowIt) {
  settings_.allow_write = {"."};
  settings_.deny_read = {"sec"};
  settings_.deny_write = {"sec/f"};
  EXPECT_EQ(At("sec/f"), Access::kDeny);
}

TEST_F(SrtPolicyTest, CredentialFileIsShownByNoOtherList) {
  settings_.credential_files = {{.field = "credentials.files.0", .subject = "~/key", .mode = SrtCredential::Mode::kDeny, .inject_hosts = std::nullopt}};
  settings_.allow_read = {"~/key"};
  settings_.allow_write = {"~/key"};
  EXPECT_EQ(At(root_ + "/home/key"), Access::kDeny);
}

TEST_F(SrtPolicyTest, HiddenHomeLeavesNone) {
  settings_.deny_read = {"~"};
  settings_.allow_write = {"."};
  const SrtPolicy made = Make();
  EXPECT_EQ(made.policy.files.home, "");
  EXPECT_EQ(AccessOf(made.policy.files, root_ + "/home/key").access, Access::kDeny);
  EXPECT_EQ(AccessOf(made.policy.files, work_ + "/x").access, Access::kWrite);
}

TEST_F(SrtPolicyTest, LinkThatTheCommandCanReplaceLeadsNoWritingAway) {
  fs::create_directory_symlink(root_ + "/outside", work_ + "/build");
  settings_.allow_write = {"build"};
  EXPECT_EQ(At(root_ + "/outside/f"), Access::kWrite);   // nobody inside can change the link
  settings_.allow_write = {".", "build"};
  EXPECT_NE(ErrorOf().find("filesystem.allowWrite.1: leads through the symlink " + work_ + "/build"), std::string::npos) << ErrorOf();
}

TEST_F(SrtPolicyTest, SettingsInAWritablePlaceStayReadOnly) {
  host_.settings_path = work_ + "/settings.json";
  std::ofstream(host_.settings_path) << "{}";
  settings_.allow_write = {"."};
  EXPECT_EQ(At("settings.json"), Access::kRead);
}

TEST_F(SrtPolicyTest, MandatoryNamesAreProtectedAlsoWhereNamed) {
  settings_.allow_write = {".", ".git/hooks"};
  fs::create_directories(work_ + "/.git/hooks");
  EXPECT_EQ(At(".git/hooks/x"), Access::kRead);
  EXPECT_EQ(At(".git/config"), Access::kRead);
  EXPECT_EQ(At("sub/.mcp.json"), Access::kRead);
  settings_.allow_git_config = true;
  EXPECT_EQ(At(".git/config"), Access::kWrite);
  EXPECT_EQ(At(".git/hooks/x"), Access::kRead);
}

TEST_F(SrtPolicyTest, FilesSwitchedOffKeepCredentialFilesHidden) {
  settings_.files_disabled = true;
  settings_.credential_files = {{.field = "credentials.files.0", .subject = "~/key", .mode = SrtCredential::Mode::kDeny, .inject_hosts = std::nullopt}};
  EXPECT_EQ(At(".bashrc"), Access::kWrite);
  EXPECT_EQ(At(root_ + "/home/key"), Access::kDeny);
}

TEST_F(SrtPolicyTest, PatternThatSrtSkipsIsAnError) {
  settings_.deny_read = {"/**/*.pem"};
  EXPECT_NE(ErrorOf().find("filesystem.denyRead.0: begins with a wildcard"), std::string::npos);
  settings_.deny_read = {"a**b"};
  EXPECT_NE(ErrorOf().find("'**' inside a name"), std::string::npos);
}

TEST_F(SrtPolicyTest, PatternsFollowLinksOnceAndNameRealPlaces) {
  fs::create_directory_symlink("..", work_ + "/sec/up");
  fs::create_directory_symlink(root_ + "/outside", work_ + "/out");
  const auto matches = ExpandSrtPattern("**/f", {work_, ""});
  ASSERT_TRUE(matches) << matches.error().Text();
  EXPECT_EQ(matches->paths, (std::vector<std::string>{work_ + "/sec/f", work_ + "/sec/pub/f", root_ + "/outside/f"}));
}

TEST_F(SrtPolicyTest, StarDeniesAddressesToo) {
  settings_.allowed_domains = {"127.0.0.1"};
  settings_.denied_domains = {"*:22"};
  const auto network = MakeSrtNetwork(settings_, host_);
  ASSERT_TRUE(network);
  std::vector<std::string> denied;
  for (const NetworkRule& rule : network->rules) {
    if (rule.verdict == NetworkRule::Verdict::kDeny) denied.push_back(rule.host);
  }
  EXPECT_EQ(denied, (std::vector<std::string>{"0.0.0.0/0", "::/0", "*"}));
}

TEST_F(SrtPolicyTest, OnlyWhatIsWrittenMayBePrivate) {
  settings_.allowed_domains = {"example.org", "localhost:3000", "10.1.2.3"};
  const auto network = MakeSrtNetwork(settings_, host_);
  ASSERT_TRUE(network);
  EXPECT_FALSE(network->rules[0].allow_private);
  EXPECT_TRUE(network->rules[1].allow_private);
  EXPECT_TRUE(network->rules[2].allow_private);
}

TEST_F(SrtPolicyTest, MaskedVariableGoesToItsHostsOrToEveryAllowedOne) {
  settings_.allowed_domains = {"a.org", "b.org:443"};
  settings_.credential_variables = {{.field = "c", .subject = "TOKEN", .mode = SrtCredential::Mode::kMask, .inject_hosts = std::vector<std::string>{"a.org"}}};
  SrtPolicy made = Make();
  ASSERT_EQ(made.policy.secrets.size(), 1u);
  ASSERT_EQ(made.policy.secrets[0].destinations.size(), 1u);
  EXPECT_EQ(made.policy.secrets[0].destinations[0].host, "a.org");
  EXPECT_EQ(made.policy.environment.deny, std::vector<std::string>{"TOKEN"});
  settings_.credential_variables[0].inject_hosts.reset();
  made = Make();
  ASSERT_EQ(made.policy.secrets[0].destinations.size(), 2u);
  EXPECT_EQ(made.policy.secrets[0].destinations[1].ports, (std::vector<PortRange>{{443, 443}}));
}

TEST_F(SrtPolicyTest, ParentProxyIsOneForBoth) {
  settings_.parent_proxy = SrtParentProxy{"http://p:8080", "http://p:8080/", "localhost, .corp.org"};
  EXPECT_NE(ErrorOf(), "");
  settings_.parent_proxy->https = "http://p:8080";
  const auto network = MakeSrtNetwork(settings_, host_);
  ASSERT_TRUE(network) << network.error().Text();
  EXPECT_EQ(network->upstream_proxy, "http://p:8080");
  EXPECT_EQ(network->no_upstream, (std::vector<std::string>{"localhost", "*.localhost", "corp.org", "*.corp.org"}));
  settings_.parent_proxy = SrtParentProxy{"socks5://p:1", "socks5://p:1", ""};
  EXPECT_NE(ErrorOf().find("only http://"), std::string::npos);
}

TEST_F(SrtPolicyTest, TheEnvironmentsProxyIsUsedWithoutParentProxy) {
  host_.https_proxy = "http://env:3128";
  EXPECT_EQ(MakeSrtNetwork(settings_, host_)->upstream_proxy, "http://env:3128");
  settings_.parent_proxy = SrtParentProxy{};
  EXPECT_EQ(MakeSrtNetwork(settings_, host_)->upstream_proxy, "");
}

TEST_F(SrtPolicyTest, IgnoredViolationsMatchCommandAndPath) {
  settings_.ignored = {{"*", {"/usr/bin"}}, {"npm", {"/private"}}};
  EXPECT_TRUE(IsIgnoredViolation(settings_, "ls", "denied write /usr/bin/x"));
  EXPECT_TRUE(IsIgnoredViolation(settings_, "npm test", "denied write /private/x"));
  EXPECT_FALSE(IsIgnoredViolation(settings_, "ls", "denied write /private/x"));
}

}  // namespace
}  // namespace paddock::policy
