#include "registry/entry/scan_watch.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "vfs/memory_volume.h"
#include "vfs/view.h"

namespace paddock::registry {
namespace {

using sandbox::FileEvent;
using Kind = FileEvent::Kind;

class ScanWatchTest : public testing::Test {
 protected:
  ScanWatchTest() {
    EXPECT_TRUE(files_.MakeDirectory("/w", 0755));
    EXPECT_TRUE(files_.MakeDirectory("/w/sub", 0755));
  }
  ScanWatch::Look Look() {
    return [this](const std::function<Status(vfs::FileSystem&)>& body) -> Status {
      if (!look_) return look_;
      return body(files_);
    };
  }
  std::unique_ptr<ScanWatch> Watch(bool is_recursive = true) {
    auto watch = ScanWatch::Make(Look(), "/w", is_recursive);
    EXPECT_TRUE(watch) << watch.error().Text();
    return std::move(*watch);
  }
  void Put(const std::string& path, const std::string& text) {
    auto file = files_.Open(path, {.write = true, .create = true, .truncate = true}, 0644);
    ASSERT_TRUE(file) << file.error().Text();
    ASSERT_TRUE((*file)->Write(text));
  }

  vfs::Namespace names_{std::make_shared<vfs::MemoryVolume>(SystemClock(), vfs::Quota{})};
  vfs::View files_{names_, SystemClock(), vfs::Credentials{0, 0}, 022};
  Status look_;
};

TEST_F(ScanWatchTest, TellsWhatCameChangedAndWent) {
  const auto watch = Watch();
  EXPECT_TRUE(watch->Take()->empty());
  Put("/w/sub/a", "1");
  EXPECT_EQ(*watch->Take(), (std::vector<FileEvent>{{Kind::kCreated, false, "/w/sub/a", ""}}));
  Put("/w/sub/a", "longer");
  EXPECT_EQ(*watch->Take(), (std::vector<FileEvent>{{Kind::kModified, false, "/w/sub/a", ""}}));
  ASSERT_TRUE(files_.SetMode("/w/sub/a", 0600));
  EXPECT_EQ(*watch->Take(), (std::vector<FileEvent>{{Kind::kAttributes, false, "/w/sub/a", ""}}));
  ASSERT_TRUE(files_.RemoveFile("/w/sub/a"));
  EXPECT_EQ(*watch->Take(), (std::vector<FileEvent>{{Kind::kRemoved, false, "/w/sub/a", ""}}));
  EXPECT_TRUE(watch->Take()->empty());
}

TEST_F(ScanWatchTest, AMoveIsOneEventAndADirectoryTakesItsFilesAlong) {
  Put("/w/sub/a", "1");
  const auto watch = Watch();
  ASSERT_TRUE(files_.Rename("/w/sub", "/w/new"));
  EXPECT_EQ(*watch->Take(), (std::vector<FileEvent>{{Kind::kMoved, true, "/w/new", "/w/sub"}}));
  ASSERT_TRUE(files_.Rename("/w/new/a", "/w/b"));
  EXPECT_EQ(*watch->Take(), (std::vector<FileEvent>{{Kind::kMoved, false, "/w/b", "/w/new/a"}}));
}

TEST_F(ScanWatchTest, AFileThatAnotherReplacesIsModified) {
  Put("/w/a", "1");
  Put("/other", "2");
  const auto watch = Watch();
  ASSERT_TRUE(files_.Rename("/other", "/w/a"));
  EXPECT_EQ(*watch->Take(), (std::vector<FileEvent>{{Kind::kModified, false, "/w/a", ""}}));
}

TEST_F(ScanWatchTest, RemovedHardLinksAreToldOneByOne) {
  Put("/w/a", "1");
  ASSERT_TRUE(files_.MakeLink("/w/a", "/w/b"));
  const auto watch = Watch();
  ASSERT_TRUE(files_.RemoveFile("/w/a"));
  ASSERT_TRUE(files_.RemoveFile("/w/b"));
  EXPECT_EQ(watch->Take()->size(), 2u);
}

TEST_F(ScanWatchTest, WithoutRecursionOnlyTheDirectoryItself) {
  const auto watch = Watch(false);
  Put("/w/sub/a", "1");
  EXPECT_TRUE(watch->Take()->empty());
  Put("/w/b", "1");
  EXPECT_EQ(watch->Take()->size(), 1u);
}

TEST_F(ScanWatchTest, NoMomentIsNoEventAndNothingIsLost) {
  const auto watch = Watch();
  Put("/w/a", "1");
  look_ = Status(Code::kBusy);
  EXPECT_TRUE(watch->Take()->empty());
  look_ = Status();
  EXPECT_EQ(watch->Take()->size(), 1u);
}

TEST_F(ScanWatchTest, WhenItIsGoneItEnds) {
  const auto watch = Watch();
  ASSERT_TRUE(files_.RemoveDirectory("/w/sub"));
  ASSERT_TRUE(files_.RemoveDirectory("/w"));
  EXPECT_EQ(*watch->Take(), (std::vector<FileEvent>{{Kind::kRemoved, true, "/w/sub", ""}, {Kind::kRemoved, true, "/w", ""}}));
  EXPECT_EQ(watch->Take().error().code, Code::kNoEntry);
}

TEST_F(ScanWatchTest, WhatIsNotThereOrTooMuchIsRefused) {
  EXPECT_EQ(ScanWatch::Make(Look(), "/none", true).error().code, Code::kNoEntry);
  for (size_t i = 0; i <= ScanWatch::kMostFiles; ++i) ASSERT_TRUE(files_.MakeDirectory("/w/sub/" + std::to_string(i), 0755));
  EXPECT_EQ(ScanWatch::Make(Look(), "/w", true).error().code, Code::kLimit);
  EXPECT_TRUE(ScanWatch::Make(Look(), "/w", false));
}

}  // namespace
}  // namespace paddock::registry
