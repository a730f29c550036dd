#include "cli/config_source.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace paddock::cli {
namespace {

class FindConfigTest : public testing::Test {
 protected:
  FindConfigTest() {
    std::filesystem::create_directories(directory_ + "/paddock");
    setenv("XDG_CONFIG_HOME", directory_.c_str(), 1);
    setenv("XDG_STATE_HOME", "/state", 1);
    unsetenv("PADDOCK_CONFIG");
  }
  ~FindConfigTest() override {
    std::filesystem::remove_all(directory_);
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_STATE_HOME", "PADDOCK_CONFIG", "PADDOCK_SERVER_PORT"}) unsetenv(name);
  }
  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(directory_ + "/" + name) << text;
    return directory_ + "/" + name;
  }

  const std::string directory_ = testing::TempDir() + "paddock_config_" + std::to_string(getpid());
};

TEST_F(FindConfigTest, NamedFileWinsOverTheVariableOverTheStandardPlace) {
  const std::string standard = Write("paddock/paddock.toml", "standard");
  const std::string by_variable = Write("variable.toml", "variable");
  const std::string named = Write("named.toml", "named");
  EXPECT_EQ(FindConfig("")->file_text, "standard");
  EXPECT_EQ(FindConfig("")->file_name, standard);
  setenv("PADDOCK_CONFIG", by_variable.c_str(), 1);
  EXPECT_EQ(FindConfig("")->file_text, "variable");
  EXPECT_EQ(FindConfig(named)->file_text, "named");
}

TEST_F(FindConfigTest, NamedFileHasToExist) {
  const auto found = FindConfig(directory_ + "/absent.toml");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().Text(), directory_ + "/absent.toml: No such file or directory");
}

TEST_F(FindConfigTest, WhatIsNoShortFileIsRefused) {
  EXPECT_EQ(FindConfig(directory_).error().code, Code::kInvalid);
  const std::string pipe = directory_ + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(FindConfig(pipe).error().code, Code::kInvalid);
  EXPECT_EQ(FindConfig(Write("long.toml", std::string((1 << 20) + 1, '#'))).error().code, Code::kLimit);
}

TEST_F(FindConfigTest, EnvironmentAndStateDirectoryAreGathered) {
  setenv("PADDOCK_SERVER_PORT", "81=x", 1);
  const auto found = FindConfig(Write("empty.toml", ""));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->default_directory, "/state/paddock");
  const std::pair<std::string, std::string> expected = {"PADDOCK_SERVER_PORT", "81=x"};
  EXPECT_EQ(std::count(found->environment.begin(), found->environment.end(), expected), 1);
}

}  // namespace
}  // namespace paddock::cli
