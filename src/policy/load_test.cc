#include "policy/load.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace paddock::policy {
namespace {

namespace fs = std::filesystem;

class LoadTest : public testing::Test {
 protected:
  LoadTest() {
    fs::remove_all(root_);
    fs::create_directories(root_ + "/work/sub");
    fs::create_directories(root_ + "/safe");
    root_ = fs::canonical(root_);
    context_ = {.home = root_ + "/home", .workspace = root_ + "/work", .user = "ann", .search_path = {}, .variables = {}};
  }
  ~LoadTest() override { fs::remove_all(root_); }

  void Write(const std::string& name, const std::string& text) { std::ofstream(root_ + "/" + name) << text; }
  std::string Load(const std::string& name) {
    const auto policy = LoadPolicy(root_ + "/" + name, context_);
    return policy ? "" : std::string(policy.error().Text());
  }

  std::string root_ = testing::TempDir() + "paddock_load_" + std::to_string(::getpid());
  HostContext context_;
};

TEST_F(LoadTest, DocumentOutsideIsRead) {
  Write("safe/p.toml", "extends = \"base.json\"\n[limits]\nprocesses = 7\n");
  Write("safe/base.json", R"({"extends": "workspace", "limits": {"time": "9s"}})");
  const auto policy = LoadPolicy(root_ + "/safe/p.toml", context_);
  ASSERT_TRUE(policy) << policy.error().Text();
  EXPECT_EQ(policy->limits.processes, 7u);
  EXPECT_EQ(policy->limits.time, std::chrono::seconds(9));
}

TEST_F(LoadTest, DocumentInTheWritableWorkspaceIsRefused) {
  Write("work/p.toml", "extends = \"workspace\"");
  EXPECT_NE(Load("work/p.toml").find("lies where it lets the code inside write"), std::string::npos);
}

TEST_F(LoadTest, DocumentInAReadOnlyWorkspaceIsRead) {
  Write("work/p.toml", "extends = \"read-only\"");
  EXPECT_EQ(Load("work/p.toml"), "");
}

TEST_F(LoadTest, SymlinkIntoTheWorkspaceIsRefused) {
  Write("work/p.toml", "extends = \"workspace\"");
  fs::create_symlink(root_ + "/work/p.toml", root_ + "/safe/p.toml");
  EXPECT_NE(Load("safe/p.toml").find("lets the code inside write"), std::string::npos);
}

TEST_F(LoadTest, SymlinkOutOfTheWorkspaceIsRefused) {
  Write("safe/p.toml", "extends = \"workspace\"");
  fs::create_symlink("../../safe", root_ + "/work/sub/link");
  EXPECT_NE(Load("work/sub/link/p.toml").find("lets the code inside write"), std::string::npos);
}

TEST_F(LoadTest, SymlinkedWorkspaceIsSeenThrough) {
  Write("work/p.toml", "files.write = [\"../alias\"]\nfiles.workspace = false\n");
  fs::create_symlink(root_ + "/work", root_ + "/alias");
  EXPECT_NE(Load("work/p.toml").find("lets the code inside write"), std::string::npos);
}

TEST_F(LoadTest, WhatOptionsAddIsCheckedToo) {
  Write("safe/p.toml", "extends = \"read-only\"");
  const auto writes = [&](Policy& policy) -> Status {
    policy.files.paths.push_back({.path = root_ + "/safe", .access = Access::kWrite, .origin = "--allow-write"});
    return {};
  };
  const auto moves = [&](Policy& policy) -> Status {
    policy.files.workspace = root_;
    policy.files.workspace_mode = WorkspaceMode::kDirect;
    return {};
  };
  EXPECT_TRUE(LoadPolicy(root_ + "/safe/p.toml", context_));
  EXPECT_FALSE(LoadPolicy(root_ + "/safe/p.toml", context_, writes));
  EXPECT_FALSE(LoadPolicy(root_ + "/safe/p.toml", context_, moves));
}

TEST_F(LoadTest, BaseInTheWorkspaceIsRefused) {
  Write("safe/p.toml", "extends = \"../work/base.toml\"");
  Write("work/base.toml", "extends = \"workspace\"");
  EXPECT_NE(Load("safe/p.toml").find("work/base.toml' lies where"), std::string::npos);
}

TEST_F(LoadTest, DocumentWithAProtectedNameIsNoException) {
  fs::create_directories(root_ + "/work/.vscode");
  Write("work/.vscode/p.toml", "extends = \"workspace\"");
  EXPECT_NE(Load("work/.vscode/p.toml").find("lets the code inside write"), std::string::npos);
}

TEST_F(LoadTest, DocumentThatEverybodyCanWriteIsRefused) {
  Write("safe/p.toml", "");
  chmod((root_ + "/safe/p.toml").c_str(), 0666);
  EXPECT_NE(Load("safe/p.toml").find("chmod o-w"), std::string::npos);
}

TEST_F(LoadTest, WhatIsNoFileIsRefusedWithoutWaiting) {
  mkfifo((root_ + "/safe/p.toml").c_str(), 0600);
  EXPECT_NE(Load("safe/p.toml").find("is not a regular file"), std::string::npos);
  EXPECT_NE(Load("safe/absent.toml").find("No such file"), std::string::npos);
  EXPECT_NE(Load("safe/absent.yaml").find("must be named .toml or .json"), std::string::npos);
}

TEST_F(LoadTest, PathIsResolvedAsFarAsItExists) {
  fs::create_symlink(root_ + "/work", root_ + "/alias");
  EXPECT_EQ(*ResolvePath(root_ + "/alias/new/file"), root_ + "/work/new/file");
  EXPECT_EQ(*ResolvePath("/"), "/");
}

}  // namespace
}  // namespace paddock::policy
