#include "text/nearest.h"

#include <gtest/gtest.h>

#include <string>

namespace paddock {
namespace {

constexpr std::string_view kWords[] = {"command", "working_dir", "timeout_ms", "env"};

TEST(Nearest, TakesTheWordWithTheFewestChanges) {
  EXPECT_EQ(NearestWord("comand", kWords), "command");
  EXPECT_EQ(NearestWord("workingdir", kWords), "working_dir");
}

TEST(Nearest, ABeginningIsNearItsWord) {
  EXPECT_EQ(NearestWord("timeout", kWords), "timeout_ms");
  EXPECT_EQ(NearestWord("environment", kWords), "env");
}

TEST(Nearest, AWordFarFromAllIsNearNone) {
  EXPECT_EQ(NearestWord("frobnicate", kWords), "");
  EXPECT_EQ(NearestWord("x", kWords), "");
  EXPECT_EQ(NearestWord(std::string(1 << 20, 'e'), kWords), "");
  EXPECT_EQ(NearestWord("env", {}), "");
}

}  // namespace
}  // namespace paddock
