#include "cli/history_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace paddock::cli {
namespace {

class HistoryFileTest : public testing::Test {
 protected:
  HistoryFileTest() { std::filesystem::remove_all(directory_); }
  ~HistoryFileTest() override { std::filesystem::remove_all(directory_); }

  std::string directory_ = testing::TempDir() + "paddock_history_" + std::to_string(::getpid());
  std::string path_ = directory_ + "/state/history";
};

TEST_F(HistoryFileTest, EntriesComeBackAsTheyWere) {
  const std::vector<std::string> entries = {"echo a", "for i in 1\ndo :\ndone", "printf 'a\\nb'", "\\", "caf\xC3\xA9"};
  HistoryFile file(path_);
  for (const std::string& entry : entries) ASSERT_TRUE(file.Append(entry));
  EXPECT_EQ(*HistoryFile(path_).Load(), entries);
}

TEST_F(HistoryFileTest, NoFileIsNoHistory) { EXPECT_TRUE(HistoryFile(path_).Load()->empty()); }

TEST_F(HistoryFileTest, FileIsPrivate) {
  ASSERT_TRUE(HistoryFile(path_).Append("x"));
  struct stat status {};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(HistoryFileTest, LongFileIsCutToTheNewest) {
  std::filesystem::create_directories(directory_ + "/state");
  {
    std::ofstream out(path_);
    for (size_t i = 0; i < 2 * HistoryFile::kMaxEntries + 5; ++i) out << "echo " << i << "\n";
  }
  EXPECT_EQ(HistoryFile(path_).Load()->size(), HistoryFile::kMaxEntries);
  EXPECT_EQ(HistoryFile(path_).Load()->back(), "echo " + std::to_string(2 * HistoryFile::kMaxEntries + 4));
}

}  // namespace
}  // namespace paddock::cli
