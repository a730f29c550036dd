#include "store/trees/tar_header.h"

#include <gtest/gtest.h>

namespace paddock::trees {
namespace {

// What a reader makes of an archive of this entry alone.
TarEntry Reread(const TarEntry& entry) {
  const std::string archive = EncodeTarHeader(entry) + std::string(1024, '\0');
  EXPECT_EQ(archive.size() % 512, 0u);
  StringSource source(archive);
  TarReader reader(source);
  const auto read = reader.Next();
  EXPECT_TRUE(read.has_value() && read->has_value());
  return read.has_value() ? read->value_or(TarEntry()) : TarEntry();
}

TEST(TarHeader, WhatAHeaderHasNoRoomForSurvives) {
  const std::string path = "d/" + std::string(300, 'x'), target = "../" + std::string(200, 'y');
  const TarEntry link = Reread({.path = path, .type = vfs::FileType::kSymlink, .target = target, .mode = 0777, .uid = UINT32_MAX, .gid = 07777777 + 1});
  EXPECT_EQ(link.path, path);
  EXPECT_EQ(link.type, vfs::FileType::kSymlink);
  EXPECT_EQ(link.target, target);
  EXPECT_EQ(link.mode, 0777u);
  EXPECT_EQ(link.uid, UINT32_MAX);
  EXPECT_EQ(link.gid, 010000000u);
  EXPECT_EQ(Reread({.path = "sch\xc3\xb6n\xff"}).path, "sch\xc3\xb6n\xff");
}

TEST(TarHeader, TimesAreKeptToTheNanosecond) {
  for (const int64_t time : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{-1'000'000'000}, int64_t{1'700'000'000'250'000'000}, (int64_t{1} << 33) * 1'000'000'000,
                             int64_t{-8'999'999'999'999'999'999}}) {
    EXPECT_EQ(Reread({.path = "f", .modify_time = Nanoseconds(time)}).modify_time.count(), time);
  }
}

TEST(TarHeader, KindsOfFilesAreKept) {
  const TarEntry device = Reread({.path = "null", .type = vfs::FileType::kCharDevice, .special = 1 << 8 | 3});
  EXPECT_EQ(device.type, vfs::FileType::kCharDevice);
  EXPECT_EQ(device.special, 1u << 8 | 3u);
  EXPECT_EQ(Reread({.path = "d/", .type = vfs::FileType::kDirectory}).type, vfs::FileType::kDirectory);
  EXPECT_EQ(Reread({.path = "p", .type = vfs::FileType::kFifo}).type, vfs::FileType::kFifo);
  const TarEntry link = Reread({.path = "b", .is_hard_link = true, .target = "a"});
  EXPECT_TRUE(link.is_hard_link);
  EXPECT_EQ(link.target, "a");
}

}  // namespace
}  // namespace paddock::trees
