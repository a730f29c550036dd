#include "registry/entry/sandbox_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace paddock::registry {
namespace {

using namespace std::chrono_literals;
using sandbox::Stream;

constexpr const char* kId = "sbx_aaaaaaaaaaaaaaaaaaaa";
constexpr Time kStart = Time(Duration(1'800'000'000'000));

class SandboxLogTest : public testing::Test {
 protected:
  SandboxLogTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "log-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
  }
  ~SandboxLogTest() override { std::filesystem::remove_all(directory_); }

  SandboxLog::Files Found() const {
    SandboxLog::Files files;
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
      const auto name = SandboxLog::ParseName(entry.path().filename().string());
      EXPECT_TRUE(name) << entry.path();
      if (name) files[name->second] = entry.file_size();
    }
    return files;
  }
  static std::string TextOf(const SandboxLog::Reading& reading) {
    std::string text;
    for (const auto& piece : reading.pieces) text += piece.bytes;
    return text;
  }

  std::string directory_;
};

TEST_F(SandboxLogTest, PiecesKeepTheirOrderStreamTimeAndProcess) {
  SandboxLog log(kId, {.directory = directory_});
  log.Append("proc_a", Stream::kStdout, kStart, "one");
  log.Append("proc_a", Stream::kStdout, kStart + 10ms, " more");
  log.Append("proc_b", Stream::kStdout, kStart + 11ms, "two");
  log.Append("proc_b", Stream::kStderr, kStart + 12ms, "three");
  const auto reading = log.Read(0, std::nullopt, 1000, kStart);
  ASSERT_EQ(reading.pieces.size(), 3u);
  EXPECT_EQ(reading.pieces[0].bytes, "one more");
  EXPECT_EQ(reading.pieces[0].process, "proc_a");
  EXPECT_EQ(reading.pieces[1].process, "proc_b");
  EXPECT_EQ(reading.pieces[2].stream, Stream::kStderr);
  EXPECT_EQ(reading.pieces[2].at, kStart + 12ms);
  EXPECT_EQ(reading.pieces[2].next, reading.next);
  EXPECT_EQ(TextOf(log.Read(reading.pieces[0].next, std::nullopt, 1000, kStart)), "twothree");
  EXPECT_EQ(TextOf(log.Read(0, kStart + 12ms, 1000, kStart)), "three");
  EXPECT_TRUE(log.Read(reading.next, std::nullopt, 1000, kStart).pieces.empty());
}

TEST_F(SandboxLogTest, GoesOnWhereTheDaemonBeforeEnded) {
  uint64_t next = 0;
  {
    SandboxLog log(kId, {.directory = directory_});
    log.Append("p", Stream::kStdout, kStart, "kept ");
    log.Flush(kStart);
    log.Append("p", Stream::kStdout, kStart, "and lost");
    next = log.Read(0, std::nullopt, 1, kStart).next;
  }
  SandboxLog log(kId, {.directory = directory_}, Found());
  EXPECT_EQ(TextOf(log.Read(0, std::nullopt, 1000, kStart)), "kept ");
  log.Append("p", Stream::kStdout, kStart, "new");
  EXPECT_EQ(TextOf(log.Read(0, std::nullopt, 1000, kStart)), "kept new");
  EXPECT_EQ(TextOf(log.Read(next, std::nullopt, 1000, kStart)), "new");
  EXPECT_EQ(TextOf(log.Read(1 << 30, std::nullopt, 1000, kStart)), "");
}

TEST_F(SandboxLogTest, ATornEndIsPassedOver) {
  {
    SandboxLog log(kId, {.directory = directory_});
    log.Append("p", Stream::kStdout, kStart, "whole");
    log.Append("p", Stream::kStderr, kStart, "torn");
    log.Flush(kStart);
  }
  const auto path = std::filesystem::path(directory_) / (std::string(kId) + ".0");
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 2);
  SandboxLog log(kId, {.directory = directory_}, Found());
  log.Append("p", Stream::kStdout, kStart, " behind");
  log.Flush(kStart);
  EXPECT_EQ(TextOf(log.Read(0, std::nullopt, 1000, kStart)), "whole behind");
  EXPECT_EQ(TextOf(log.Read(3, std::nullopt, 1000, kStart)), " behind") << "an offset within a piece begins behind it";
}

TEST_F(SandboxLogTest, TheOldestGoWhenItIsTooMuchAndThatIsTold) {
  SandboxLog log(kId, {.directory = directory_, .most_bytes = 400'000});
  for (int i = 0; i < 100; ++i) log.Append("p", i % 2 == 0 ? Stream::kStdout : Stream::kStderr, kStart, std::string(10'000, static_cast<char>('a' + i % 26)));
  log.Flush(kStart);
  uint64_t sum = 0;
  for (const auto& [start, size] : Found()) sum += size;
  EXPECT_LE(sum, 600'000u);
  const auto reading = log.Read(0, std::nullopt, 20'000, kStart);
  EXPECT_FALSE(reading.is_complete);
  EXPECT_EQ(reading.pieces.size(), 2u);
  EXPECT_EQ(log.Read(0, std::nullopt, 10'000'000, kStart).pieces.back().bytes[0], 'a' + 99 % 26);
}

TEST_F(SandboxLogTest, WhatIsTooOldIsNotShownAndGoes) {
  SandboxLog log(kId, {.directory = directory_, .most_age = 1h});
  log.Append("p", Stream::kStdout, kStart, "old");
  log.Flush(kStart);
  log.Append("p", Stream::kStdout, kStart + 50min, "new");
  log.Flush(kStart + 50min);
  EXPECT_EQ(Found().size(), 2u) << "a file does not live for long";
  EXPECT_EQ(TextOf(log.Read(0, std::nullopt, 1000, kStart + 50min)), "oldnew");
  EXPECT_EQ(TextOf(log.Read(0, std::nullopt, 1000, kStart + 70min)), "new");
  log.Trim(kStart + 70min);
  EXPECT_EQ(Found().size(), 1u);
}

TEST_F(SandboxLogTest, WithoutADirectoryOrRoomTheNewestStays) {
  for (const std::string& directory : {std::string(), directory_ + "/none"}) {
    SandboxLog log(kId, {.directory = directory});
    for (int i = 0; i < 50; ++i) log.Append("p", i % 2 == 0 ? Stream::kStdout : Stream::kStderr, kStart, std::string(10'000, static_cast<char>('a' + i % 26)));
    const auto reading = log.Read(0, std::nullopt, 10'000'000, kStart);
    EXPECT_FALSE(reading.is_complete);
    EXPECT_LE(TextOf(reading).size(), 2 * SandboxLog::kMemoryBytes);
    EXPECT_EQ(TextOf(reading).back(), 'a' + 49 % 26);
  }
}

TEST_F(SandboxLogTest, RemovingTakesTheFilesAndEndsReaders) {
  SandboxLog log(kId, {.directory = directory_});
  log.Append("p", Stream::kStdout, kStart, "x");
  log.Flush(kStart);
  int calls = 0;
  const uint64_t watcher = log.AddWatcher([&] { ++calls; });
  log.Remove();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(Found().empty());
  EXPECT_TRUE(log.Read(0, std::nullopt, 10, kStart).has_ended);
  log.Append("p", Stream::kStdout, kStart, "y");
  log.Flush(kStart);
  EXPECT_TRUE(Found().empty());
  log.RemoveWatcher(watcher);
}

TEST_F(SandboxLogTest, NamesOfOtherFilesAreNone) {
  EXPECT_TRUE(SandboxLog::ParseName(std::string(kId) + ".12"));
  for (const char* name : {"", "sbx_a.1", "x.1", "sbx_aaaaaaaaaaaaaaaaaaaa", "sbx_aaaaaaaaaaaaaaaaaaaa.", "sbx_aaaaaaaaaaaaaaaaaaaa.-1", "sbx_aaaaaaaaaaaaaaaaaaaa.1x"}) {
    EXPECT_FALSE(SandboxLog::ParseName(name)) << name;
  }
}

}  // namespace
}  // namespace paddock::registry
