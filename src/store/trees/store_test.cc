#include "store/trees/store.h"

#include <gtest/gtest.h>

#include "store/trees/scratch_for_test.h"

namespace paddock::trees {
namespace {

TEST(ObjectIdTest, TextComesBack) {
  const ObjectId id = IdOf(ObjectKind::kChunk, "x");
  EXPECT_EQ(id.ToString().size(), 71u);
  EXPECT_EQ(*ObjectId::Parse(id.ToString()), id);
  EXPECT_FALSE(ObjectId::Parse(id.ToString() + "0"));
  EXPECT_FALSE(ObjectId::Parse(id.ToString().substr(7)));
  std::string upper = id.ToString();
  upper[20] = 'F';
  EXPECT_FALSE(ObjectId::Parse(upper));
}

TEST(ObjectIdTest, KindIsPartOfTheName) { EXPECT_NE(IdOf(ObjectKind::kChunk, "x"), IdOf(ObjectKind::kDirectory, "x")); }

TEST(TreeStoreTest, ObjectsComeBackBeforeAndAfterTheyAreWritten) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  Session session = store->Begin();
  const ObjectId id = *session.Put(ObjectKind::kChunk, "some bytes");
  EXPECT_EQ(store->Get(ObjectKind::kChunk, id)->bytes, "some bytes");
  ASSERT_TRUE(session.Finish());
  EXPECT_EQ(store->Get(ObjectKind::kChunk, id)->bytes, "some bytes");
}

TEST(TreeStoreTest, FinishedObjectsAreThereAfterReopening) {
  const TemporaryDirectory scratch;
  std::vector<ObjectId> ids;
  {
    auto store = OpenStore(scratch, {.block_bytes = 1000, .pack_bytes = 20'000});
    Session session = store->Begin();
    for (int i = 0; i < 500; ++i) ids.push_back(*session.Put(ObjectKind::kChunk, "number " + std::to_string(i * 7919) + std::string(100, 'x')));
    ids.push_back(*session.Put(ObjectKind::kChunk, ""));
    ASSERT_TRUE(session.Finish());
  }
  auto store = OpenStore(scratch);
  for (int i = 0; i < 500; ++i) {
    const auto block = store->Get(ObjectKind::kChunk, ids[static_cast<size_t>(i)]);
    ASSERT_TRUE(block) << block.error().Text();
    EXPECT_EQ(block->bytes, "number " + std::to_string(i * 7919) + std::string(100, 'x'));
  }
  EXPECT_EQ(store->Get(ObjectKind::kChunk, ids.back())->bytes, "");
  EXPECT_EQ(store->usage().objects, 501u);
}

TEST(TreeStoreTest, TheSameContentIsKeptOnce) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  {
    Session one = store->Begin();
    static_cast<void>(one.Put(ObjectKind::kChunk, std::string(5000, 'x')));
    ASSERT_TRUE(one.Finish());
  }
  const StoreUsage before = store->usage();
  Session other = store->Begin();
  static_cast<void>(other.Put(ObjectKind::kChunk, std::string(5000, 'x')));
  ASSERT_TRUE(other.Finish());
  EXPECT_EQ(store->usage().disk_bytes, before.disk_bytes);
  EXPECT_EQ(store->usage().objects, 1u);
}

TEST(TreeStoreTest, AbsentObjectsAndOtherKindsAreErrors) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  Session session = store->Begin();
  const ObjectId id = *session.Put(ObjectKind::kChunk, "x");
  EXPECT_EQ(store->Get(ObjectKind::kChunk, IdOf(ObjectKind::kChunk, "y")).error().code, Code::kNoEntry);
  EXPECT_EQ(store->Get(ObjectKind::kDirectory, id).error().code, Code::kSyntax);
}

TEST(TreeStoreTest, ASecondOpenerIsTurnedAway) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  EXPECT_EQ(Store::Open(scratch.Path("store")).error().code, Code::kBusy);
}

TEST(TreeStoreTest, AnotherFormatIsRefused) {
  const TemporaryDirectory scratch;
  { OpenStore(scratch); }
  scratch.Put("store/format", "paddock trees 2\n");
  EXPECT_EQ(Store::Open(scratch.Path("store")).error().code, Code::kSyntax);
}

TEST(TreeStoreTest, AnyTornEndLeavesWhatWasFinishedBefore) {
  const TemporaryDirectory scratch;
  ObjectId first;
  {
    auto store = OpenStore(scratch);
    Session session = store->Begin();
    first = *session.Put(ObjectKind::kChunk, "first");
    ASSERT_TRUE(session.Finish());
  }
  const std::string pack = "store/packs/" + PackFile::NameOf(1);
  const std::string before = scratch.Get(pack);
  {
    auto store = OpenStore(scratch);
    Session session = store->Begin();
    static_cast<void>(session.Put(ObjectKind::kChunk, "second"));
    ASSERT_TRUE(session.Finish());
  }
  const std::string after = scratch.Get(pack);
  ASSERT_GT(after.size(), before.size());
  for (size_t size = before.size(); size < after.size(); ++size) {
    scratch.Put(pack, after.substr(0, size));
    auto store = OpenStore(scratch);
    EXPECT_EQ(store->Get(ObjectKind::kChunk, first)->bytes, "first");
    EXPECT_EQ(store->usage().objects, 1u);
    Session session = store->Begin();
    const ObjectId third = *session.Put(ObjectKind::kChunk, "third");
    ASSERT_TRUE(session.Finish());
    EXPECT_EQ(store->Get(ObjectKind::kChunk, third)->bytes, "third");
  }
}

TEST(TreeStoreTest, AFlippedByteIsAnErrorOrNothingButNeverOtherBytes) {
  const TemporaryDirectory scratch;
  std::vector<std::pair<ObjectId, std::string>> objects;
  {
    auto store = OpenStore(scratch, {.block_bytes = 200});
    Session session = store->Begin();
    for (int i = 0; i < 12; ++i) {
      const std::string body = std::string(static_cast<size_t>(40 + i), static_cast<char>('a' + i)) + std::to_string(i * 31);
      objects.emplace_back(*session.Put(ObjectKind::kChunk, body), body);
    }
    ASSERT_TRUE(session.Finish());
  }
  const std::string pack = "store/packs/" + PackFile::NameOf(1);
  const std::string good = scratch.Get(pack);
  for (size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
    scratch.Put(pack, bad);
    auto store = OpenStore(scratch, {.cache_bytes = 0});
    size_t intact = 0;
    for (const auto& [id, body] : objects) {
      const auto block = store->Get(ObjectKind::kChunk, id);
      if (block) {
        ASSERT_EQ(block->bytes, body) << "byte " << at;
        ++intact;
      } else {
        ASSERT_NE(block.error().Text().find(id.ToString()), std::string_view::npos) << block.error().Text();
      }
    }
    // What is not in the block that was hit is not lost with it.
    EXPECT_GE(intact, at < 32 ? 12u : 6u) << "byte " << at;
    // What is damaged or lost can be stored again.
    Session session = store->Begin();
    for (const auto& [id, body] : objects) ASSERT_EQ(*session.Put(ObjectKind::kChunk, body), id);
    ASSERT_TRUE(session.Finish());
    for (const auto& [id, body] : objects) {
      const auto block = store->Get(ObjectKind::kChunk, id);
      ASSERT_TRUE(block) << block.error().Text();
      ASSERT_EQ(block->bytes, body);
    }
  }
}

}  // namespace
}  // namespace paddock::trees
