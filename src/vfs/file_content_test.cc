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
