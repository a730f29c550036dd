#include <gtest/gtest.h>

#include <map>

#include "base/clock.h"
#include "git/big_endian.h"
#include "git/pack.h"
#include "git/zlib_data.h"
#include "text/digest.h"

namespace paddock::git {
namespace {

class PackWriterTest : public ::testing::Test {
 protected:
  // A pack of these entries, heads and all, with the right checksum.
  static std::string PackOf(const std::vector<std::string>& entries) {
    std::string pack = "PACK";
    Append32(pack, 2);
    Append32(pack, static_cast<uint32_t>(entries.size()));
    for (const std::string& entry : entries) pack += entry;
    return pack + DigestOf(DigestAlgorithm::kSha1, pack);
  }
  // `extra`: the base of a difference.
  std::string Entry(int kind, std::string_view data, const std::string& extra = "") {
    EXPECT_LT(data.size(), 16u);
    return std::string(1, static_cast<char>(kind << 4 | static_cast<int>(data.size()))) + extra + Deflate(data, budget_);
  }
  Result<Object> ReadById(const std::string& pack, const PackIndex& index, const Oid& id) {
    PADDOCK_ASSIGN(Pack opened, Pack::Open(index.bytes, PackBytes(pack)));
    const auto offset = opened.Find(id);
    if (!offset) return Error(Code::kNoEntry);
    return opened.Read(*offset, [](const Oid&) -> Result<Object> { return Error(Code::kNoEntry); }, budget_);
  }
  std::string ProblemOf(const std::string& pack) {
    const auto index = Pack::MakeIndex(PackBytes(pack), budget_);
    return index ? "" : std::string(index.error().Text());
  }

  Budget budget_{{}, SystemClock()};
};

TEST_F(PackWriterTest, WhatIsWrittenHasTheIndexThatReadingItMakes) {
  std::map<Oid, Object> objects;
  std::vector<Oid> ids;
  for (int i = 0; i < 300; ++i) {
    const Object object{i % 3 == 0 ? ObjectType::kCommit : ObjectType::kBlob, std::string(static_cast<size_t>(i) * 7, static_cast<char>('a' + i % 26))};
    ids.push_back(HashObject(object.type, object.data));
    objects.emplace(ids.back(), object);
  }
  std::string pack;
  const auto written = WritePack(ids, [&](const Oid& id) -> Result<Object> { return objects.at(id); },
                                 [&](std::string_view bytes) { pack += bytes; return Status(); }, budget_);
  ASSERT_TRUE(written.has_value());
  const auto made = Pack::MakeIndex(PackBytes(pack), budget_);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->bytes, written->bytes);
  EXPECT_EQ(made->name, written->name);
  EXPECT_EQ(made->count, 300u);
  for (const auto& [id, object] : objects) {
    const auto read = ReadById(pack, *made, id);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->type, object.type);
    EXPECT_EQ(read->data, object.data);
  }
}

TEST_F(PackWriterTest, DifferencesMayNameBasesThatComeLater) {
  const std::string base = "hello", delta = std::string("\5\7\x90\5\2 w", 7);   // copies all of it, then " w"
  const Oid base_id = HashObject(ObjectType::kBlob, base), made_id = HashObject(ObjectType::kBlob, "hello w");
  const std::string second = std::string("\7\x8\x90\7\1!", 6);
  const std::string pack = PackOf({Entry(7, second, std::string(made_id.View())), Entry(7, delta, std::string(base_id.View())), Entry(3, base)});
  const auto index = Pack::MakeIndex(PackBytes(pack), budget_);
  ASSERT_TRUE(index.has_value()) << index.error().Text();
  const auto last = ReadById(pack, *index, HashObject(ObjectType::kBlob, "hello w!"));
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->data, "hello w!");
}

TEST_F(PackWriterTest, WhatIsWrongIsRefused) {
  EXPECT_EQ(ProblemOf(""), "pack is too short");
  EXPECT_EQ(ProblemOf(std::string(40, 'x')), "pack signature mismatch");
  std::string pack = PackOf({Entry(3, "a")});
  EXPECT_EQ(ProblemOf(pack), "");
  pack[12] ^= 1;
  EXPECT_EQ(ProblemOf(pack), "pack is corrupted (SHA1 mismatch)");
  EXPECT_EQ(ProblemOf(PackOf({Entry(3, "a") + "junk"})), "pack has junk at the end");
  const std::string nobody(20, '\1');
  EXPECT_EQ(ProblemOf(PackOf({Entry(7, std::string("\1\1\x90\1", 4), nobody)})), "pack has 1 unresolved deltas");
}

}  // namespace
}  // namespace paddock::git
