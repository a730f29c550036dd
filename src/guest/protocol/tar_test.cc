#include "guest/protocol/tar.h"

#include <gtest/gtest.h>

#include <vector>

namespace paddock::guest {
namespace {

class Collector final : public TarReader::Visitor {
 public:
  void Begin(const TarEntry& entry) override { entries.push_back(entry); contents.emplace_back(); }
  void Data(std::string_view bytes) override { contents.back() += bytes; }
  void End() override { ++ended; }

  std::vector<TarEntry> entries;
  std::vector<std::string> contents;
  size_t ended = 0;
};

std::string Archived(const TarEntry& entry, std::string_view content = {}) {
  return EncodeTarHeader(entry) + std::string(content) + std::string(TarPadding(content.size()), '\0');
}

TarEntry File(std::string name, uint64_t size) { return {.name = std::move(name), .size = size}; }

// A header as others write it: fields put where they belong, the checksum made to fit.
std::string Header(const std::function<void(std::string&)>& change) {
  std::string block = EncodeTarHeader(File("name", 0));
  change(block);
  block.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char byte : block.substr(0, kTarBlock)) sum += static_cast<unsigned char>(byte);
  char text[8];
  std::snprintf(text, sizeof text, "%06o", sum);
  block.replace(148, 7, text, 7);
  return block;
}

std::string Extension(char type, const std::string& content) {
  TarEntry entry = File("long", content.size());
  std::string bytes = Archived(entry, content);
  return Header([&](std::string& block) {
    block = bytes;
    block[156] = type;
  });
}

TEST(Tar, WhatIsWrittenIsReadBackInAnyPieces) {
  TarEntry entry;
  entry.name = std::string(300, 'n') + "/\xff\n=x";
  entry.mode = 06755;
  entry.uid = uint64_t{1} << 31;
  entry.gid = 7;
  entry.modified_ns = -1'500'000'001;
  entry.size = 700;
  TarEntry link;
  link.kind = TarEntry::Kind::kSymlink;
  link.name = "l";
  link.target = std::string(4000, 't');
  link.modified_ns = 1'234'567'890'000'000'000;
  TarEntry device{.kind = TarEntry::Kind::kCharacterDevice, .name = "d", .device_major = 5, .device_minor = 1};
  const std::string content(700, 'c');
  const std::string archive = Archived(entry, content) + Archived(link) + Archived(device) + TarEnd() + "anything";
  for (const size_t piece : {size_t{1}, size_t{511}, size_t{512}, size_t{513}, archive.size()}) {
    Collector seen;
    TarReader reader;
    const std::string_view bytes = archive;
    for (size_t at = 0; at < bytes.size(); at += piece) ASSERT_TRUE(reader.Feed(bytes.substr(at, piece), seen));
    ASSERT_TRUE(reader.Finish());
    ASSERT_EQ(seen.entries.size(), 3u);
    EXPECT_EQ(seen.ended, 3u);
    EXPECT_EQ(seen.entries[0].name, entry.name);
    EXPECT_EQ(seen.entries[0].mode, 06755u);
    EXPECT_EQ(seen.entries[0].uid, entry.uid);
    EXPECT_EQ(seen.entries[0].gid, 7u);
    EXPECT_EQ(seen.entries[0].modified_ns, entry.modified_ns);
    EXPECT_EQ(seen.contents[0], content);
    EXPECT_EQ(seen.entries[1].kind, TarEntry::Kind::kSymlink);
    EXPECT_EQ(seen.entries[1].target, link.target);
    EXPECT_EQ(seen.entries[1].modified_ns, link.modified_ns);
    EXPECT_EQ(seen.entries[2].device_major, 5u);
    EXPECT_EQ(seen.entries[2].device_minor, 1u);
  }
}

TEST(Tar, SizesBeyondOctalSurvive) {
  const uint64_t size = uint64_t{1} << 40;
  Collector seen;
  TarReader reader;
  ASSERT_TRUE(reader.Feed(EncodeTarHeader(File("huge", size)), seen));
  EXPECT_EQ(seen.entries.at(0).size, size);
  EXPECT_FALSE(reader.Finish()) << "its content never came";
}

TEST(Tar, TimesBeyondOctalSurvive) {
  for (const int64_t seconds : {int64_t{077777777777}, int64_t{0100000000000}, INT64_MAX / 1'000'000'000}) {
    TarEntry entry = File("late", 0);
    entry.modified_ns = seconds * 1'000'000'000;
    Collector seen;
    TarReader reader;
    ASSERT_TRUE(reader.Feed(EncodeTarHeader(entry), seen));
    EXPECT_EQ(seen.entries.at(0).modified_ns, entry.modified_ns);
  }
}

TEST(Tar, OtherWritersWaysAreRead) {
  const std::string name(200, 'g'), target(150, 't');
  const std::string archive =
      Extension('L', name + std::string(1, '\0')) + Extension('K', target) +
      Header([](std::string& block) { block[156] = '2'; }) +
      Header([](std::string& block) {   // a directory by its name alone, and numbers in binary
        block.replace(0, 4, "old/");
        block[156] = '\0';
        block.replace(108, 8, std::string("\x80\0\0\0\0\1\0\2", 8));
        block.replace(136, 12, std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe", 12));
        block.replace(257, 8, std::string(8, '\0'));
        block.replace(345, 5, "stray");   // no prefix without the magic
      }) +
      Header([](std::string& block) { block.replace(345, 6, "prefix"); }) +
      Header([](std::string& block) {   // a directory with a size that means nothing
        block[156] = '5';
        block.replace(124, 11, "00000001000");
      });
  Collector seen;
  TarReader reader;
  ASSERT_TRUE(reader.Feed(archive, seen));
  ASSERT_TRUE(reader.Finish()) << "the mark of the end may be missing";
  ASSERT_EQ(seen.entries.size(), 4u);
  EXPECT_EQ(seen.entries[0].name, name);
  EXPECT_EQ(seen.entries[0].target, target);
  EXPECT_EQ(seen.entries[1].name, "old/");
  EXPECT_EQ(seen.entries[1].kind, TarEntry::Kind::kDirectory);
  EXPECT_EQ(seen.entries[1].uid, 0x10002u);
  EXPECT_EQ(seen.entries[1].modified_ns, -2'000'000'000);
  EXPECT_EQ(seen.entries[2].name, "prefix/name");
  EXPECT_EQ(seen.entries[3].size, 0u);
}

TEST(Tar, SparseFilesAreNotTakenForWhole) {
  Collector seen;
  TarReader reader;
  ASSERT_TRUE(reader.Feed(Extension('x', "22 GNU.sparse.major=1\n") + Archived(File("s", 3), "map"), seen));
  ASSERT_EQ(seen.entries.size(), 1u);
  EXPECT_EQ(seen.entries[0].kind, TarEntry::Kind::kOther);
  TarReader old;
  EXPECT_EQ(old.Feed(Header([](std::string& block) { block[156] = 'S'; }), seen).error().code, Code::kNotSupported);
}

TEST(Tar, WhatIsBrokenIsRefused) {
  const auto refuses = [](const std::string& bytes) {
    Collector seen;
    TarReader reader;
    const Status fed = reader.Feed(bytes, seen);
    return !fed && fed.error().code == Code::kInvalid && seen.entries.empty();
  };
  std::string wrong = EncodeTarHeader(File("name", 0));
  wrong[0] = 'x';
  EXPECT_TRUE(refuses(wrong));
  EXPECT_TRUE(refuses(std::string(512, 'x')));
  EXPECT_TRUE(refuses(Header([](std::string& block) { block.replace(124, 11, "9999999999x"); })));
  EXPECT_TRUE(refuses(Header([](std::string& block) { block.replace(124, 12, std::string(12, '\xff')); }))) << "a negative size";
  EXPECT_TRUE(refuses(Header([](std::string& block) {
    block.replace(124, 12, "\x80" + std::string(2, '\x7f') + std::string(9, '\0'));
  }))) << "a size beyond 64 bits";
  EXPECT_TRUE(refuses(Header([](std::string& block) { block.replace(108, 8, std::string(8, '\xff')); }))) << "a negative user";
  EXPECT_TRUE(refuses(Extension('x', std::string(70'000, ' '))));
  for (const char* records : {"x", "5 a=b", "6 a=b\n\n", "4 ab\n", "99 path=x\n", "0 path=x\n", "12 size=-10\n", "11 mtime=x\n",
                              "30 mtime=99999999999999999999\n", "999999999999999999999 a=b\n", "-6 a=b\n"}) {
    EXPECT_TRUE(refuses(Extension('x', records) + Archived(File("f", 0)))) << records;
  }
  Collector seen;
  TarReader cut;
  ASSERT_TRUE(cut.Feed(Archived(File("f", 10), "0123456789").substr(0, 515), seen));
  EXPECT_FALSE(cut.Finish());
  EXPECT_EQ(seen.ended, 0u);
}

}  // namespace
}  // namespace paddock::guest
