#include "drivers/process/unswept.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/descriptor.h"

namespace paddock::process_wall {
namespace {

TEST(Unswept, ANoteIsReadAsWrittenUntilItIsCleared) {
  const std::string path = testing::TempDir() + "/paddock_unswept_" + std::to_string(getpid());
  std::filesystem::create_directories(path);
  const Descriptor directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_FALSE(ReadUnswept(directory.get()));
  NoteUnswept(directory.get(), {.started = 17, .roots = {"/a b\nc", "/d"}});
  const auto run = ReadUnswept(directory.get());
  ASSERT_TRUE(run);
  EXPECT_EQ(run->started, 17);
  EXPECT_EQ(run->roots, (std::vector<std::string>{"/a b\nc", "/d"}));
  ClearUnswept(directory.get());
  EXPECT_FALSE(ReadUnswept(directory.get()));
  std::filesystem::remove_all(path);
}

TEST(Unswept, OnlyWhatChangedSinceAndLiesThereIsTold) {
  ProtectedSnapshot snapshot;
  snapshot.entries[".envrc"] = {.changed = 20};
  snapshot.entries["sub/.npm\nrc"] = {.changed = 30};
  snapshot.entries[".bashrc"] = {.changed = 10};
  const UnsweptRun run{.started = 20, .roots = {"/home/a/work"}};
  const std::string text = UnsweptText(run, "/home/a/work", snapshot);
  EXPECT_NE(text.find(": .envrc, sub/.npm"), std::string::npos) << text;
  EXPECT_EQ(text.find(".bashrc"), std::string::npos);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_NE(UnsweptText(run, "/home/a", snapshot), "");
  EXPECT_NE(UnsweptText(run, "/home/a/work/sub", snapshot), "");
  EXPECT_EQ(UnsweptText(run, "/home/a/worker", snapshot), "");
  EXPECT_EQ(UnsweptText({.started = 40, .roots = {"/home/a/work"}}, "/home/a/work", snapshot), "");
}

}  // namespace
}  // namespace paddock::process_wall
