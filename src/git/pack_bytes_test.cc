#include "git/pack_bytes.h"

#include <gtest/gtest.h>

#include "vfs/memory_volume.h"
#include "vfs/namespace.h"
#include "vfs/test_clock.h"
#include "vfs/view.h"

namespace paddock::git {
namespace {

class PackBytesTest : public ::testing::Test {
 protected:
  void Write(uint64_t size) {
    text_.resize(size);
    for (size_t i = 0; i < size; ++i) text_[i] = static_cast<char>((i * 2654435761u) >> 13);
    ASSERT_TRUE(vfs::WriteFile(view_, "/pack", text_).has_value());
  }
  PackBytes Open(uint64_t size) {
    return PackBytes([this] { ++opened_; return view_.Open("/pack", vfs::OpenFlags::Read()); }, size);
  }
  void ExpectSame(PackBytes& bytes, uint64_t offset, size_t least) {
    const auto got = bytes.From(offset, least);
    ASSERT_TRUE(got.has_value()) << offset;
    ASSERT_GE(got->size(), std::min<uint64_t>(least, text_.size() - offset)) << offset;
    ASSERT_EQ(*got, std::string_view(text_).substr(offset, got->size())) << offset;
  }

  vfs::TestClock clock_;
  vfs::Namespace names_{std::make_shared<vfs::MemoryVolume>(clock_, vfs::Quota{})};
  vfs::View view_{names_, clock_, vfs::Credentials{0, 0}, 022};
  std::string text_;
  int opened_ = 0;
};

TEST_F(PackBytesTest, SmallFileIsReadOnce) {
  Write(60'000);
  PackBytes bytes = Open(text_.size());
  for (const uint64_t offset : {0, 12, 59'999, 30'000}) ExpectSame(bytes, offset, 64);
  EXPECT_EQ(opened_, 1);
  EXPECT_TRUE(bytes.From(60'000)->empty());
}

TEST_F(PackBytesTest, LargeFileComesInWindows) {
  Write((16 << 20) + 12'345);
  PackBytes bytes = Open(text_.size());
  // The borders of windows, more of them than are kept, there and back.
  for (uint64_t at = 8 << 10; at < text_.size(); at += 8 << 10) {
    for (const uint64_t offset : {at - 1, at - 63, at, at + 256}) ExpectSame(bytes, std::min<uint64_t>(offset, text_.size() - 1), 64);
  }
  ExpectSame(bytes, 0, 256);
  ExpectSame(bytes, (8 << 10) - 1, 256);
  ExpectSame(bytes, text_.size() - 1, 4096);
}

TEST_F(PackBytesTest, FileThatShrankIsCorrupt) {
  Write((16 << 20) + 12'345);
  PackBytes bytes = Open(text_.size());
  ASSERT_TRUE(view_.Truncate("/pack", 1 << 20).has_value());
  ExpectSame(bytes, (1 << 20) - 10, 10);
  for (const uint64_t offset : {(1 << 20) - 9, 1 << 20, 16 << 20}) {
    const auto got = bytes.From(offset, 10);
    ASSERT_FALSE(got.has_value()) << offset;
    EXPECT_EQ(got.error().code, Code::kCorrupt);
  }
  ASSERT_TRUE(view_.RemoveFile("/pack").has_value());
  EXPECT_EQ(bytes.From(5 << 20).error().code, Code::kNoEntry);
}

}  // namespace
}  // namespace paddock::git
