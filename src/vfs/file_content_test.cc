#include "vfs/file_content.h"

#include <gtest/gtest.h>

#include <random>

namespace paddock::vfs {
namespace {

std::string ReadAll(const FileContent& content) {
  std::string all;
  while (true) {
    const Block block = content.Read(all.size(), 1 << 20);
    if (block.bytes.empty()) return all;
    all.append(block.bytes);
  }
}

TEST(FileContent, HolesReadAsZerosAndTakeNothing) {
  FileContent content;
  content.Resize(1 << 20);
  EXPECT_EQ(content.held_bytes(), 0u);
  EXPECT_EQ(content.blocks(), 0u);
  content.Write(3 * FileContent::kChunkBytes, "x");
  EXPECT_EQ(content.blocks(), 8u);
  std::string expected(1 << 20, '\0');
  expected[3 * FileContent::kChunkBytes] = 'x';
  EXPECT_EQ(ReadAll(content), expected);
}

ExtentPtr ExtentOf(std::string bytes) {
  auto kept = std::make_shared<const std::string>(std::move(bytes));
  return std::make_shared<const Extent>(Extent{.name = {.name = "e", .size = kept->size(), .checksum = 0}, .bytes = *kept, .keep = kept});
}

TEST(FileContent, AnExtentIsReadWhereItLiesAndCopiedWhereItIsWritten) {
  std::string bytes(200'000, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7 >> 3);
  const ExtentPtr extent = ExtentOf("before" + bytes + "behind");
  const FileContent whole = FileContent::Of(extent, 6, bytes.size());
  EXPECT_EQ(whole.size(), bytes.size());
  EXPECT_EQ(whole.held_bytes(), bytes.size());
  EXPECT_EQ(whole.blocks(), (bytes.size() + 4095) / 4096 * 8);
  EXPECT_TRUE(ReadAll(whole) == bytes);
  EXPECT_EQ(whole.Read(70'000, 10).bytes.data(), extent->bytes.data() + 70'006);   // no copy
  FileContent changed = whole;
  changed.Write(70'000, "xyz");
  changed.Write(bytes.size(), "more");
  std::string expected = bytes + "more";
  expected.replace(70'000, 3, "xyz");
  EXPECT_TRUE(ReadAll(changed) == expected);
  EXPECT_EQ(changed.held_bytes(), expected.size());
  EXPECT_TRUE(ReadAll(whole) == bytes);
  FileContent cut = whole;
  cut.Resize(70'001);
  cut.Resize(70'003);
  EXPECT_TRUE(ReadAll(cut) == bytes.substr(0, 70'001) + std::string(2, '\0'));
  EXPECT_EQ(cut.held_bytes(), 70'001u);
  cut.Resize(0);
  EXPECT_EQ(cut.held_bytes(), 0u);
}

TEST(FileContent, ReaderKeepsWhatItSawWhileWriterChangesIt) {
  FileContent content;
  content.Write(0, "before");
  const Block block = content.Read(0, 100);
  content.Write(0, "after!");
  content.Resize(2);
  EXPECT_EQ(block.bytes, "before");
  EXPECT_EQ(ReadAll(content), "af");
}

TEST(FileContent, ReadOfUnsharedChunkCopiesNothing) {
  FileContent content;
  content.Write(0, std::string(5000, 'a'));
  EXPECT_EQ(content.Read(0, 10).bytes.data(), content.Read(0, 10).bytes.data());
}

TEST(FileContent, CutAndRegrownPartIsZero) {
  FileContent content;
  content.Write(0, std::string(100'000, 'a'));
  content.Resize(70'000);
  content.Resize(100'000);
  EXPECT_EQ(ReadAll(content), std::string(70'000, 'a') + std::string(30'000, '\0'));
}

TEST(FileContent, AgreesWithStringUnderRandomChanges) {
  std::mt19937 random(3);
  FileContent content;
  std::string model;
  FileContent old_copy;
  std::string old_model;
  for (int step = 0; step < 4000; ++step) {
    const uint64_t offset = random() % 300'000;
    switch (random() % 8) {
      case 0:
        content.Resize(offset);
        model.resize(offset);
        break;
      case 1:
        EXPECT_EQ(ReadAll(old_copy), old_model);
        old_copy = content;
        old_model = model;
        break;
      default: {
        const std::string bytes(random() % (step % 10 == 0 ? 100'000 : 300),
                                static_cast<char>('a' + step % 26));
        const uint64_t before = content.held_bytes();
        const uint64_t cost = content.CostOf(offset, bytes.size());
        content.Write(offset, bytes);
        EXPECT_EQ(content.held_bytes(), before + cost);
        if (!bytes.empty() && model.size() < offset + bytes.size())
          model.resize(offset + bytes.size());
        if (!bytes.empty()) model.replace(offset, bytes.size(), bytes);
      }
    }
    ASSERT_EQ(content.size(), model.size());
    if (step % 100 == 0) {
      ASSERT_EQ(ReadAll(content), model) << step;
    }
  }
  content.Resize(0);
  EXPECT_EQ(content.held_bytes(), 0u);
  EXPECT_EQ(content.blocks(), 0u);
}

}  // namespace
}  // namespace paddock::vfs
