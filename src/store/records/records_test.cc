#include "store/records/records.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "store/records/store_for_test.h"

namespace paddock::records {
namespace {

using std::chrono::seconds;

class RecordsTest : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(Both, RecordsTest, testing::Values(Backend::kSqlite, Backend::kPostgres), BackendName);

template <class T>
Code CodeOf(const Result<T>& result) {
  return result ? Code::kOk : result.error().code;
}

TEST_P(RecordsTest, InsertedRecordReadsBack) {
  const Record record{.kind = "sandbox",
                      .id = "sbx_1",
                      .owner = "ann",
                      .parent = "ses_1",
                      .name = "büro",
                      .state = "running",
                      .labels = {{"team", "core"}, {"quote\"", "\\ \xe2\x82\xac"}},
                      .body = std::string("{\0\xff}", 4),
                      .expires = clock_.now() + seconds(5),
                      .claimed_by = "d1",
                      .claimed_until = clock_.now() + seconds(1)};
  Put(record);
  const auto read = store_->Get("sandbox", "sbx_1");
  ASSERT_TRUE(read) << read.error().Text();
  EXPECT_EQ(read->owner, "ann");
  EXPECT_EQ(read->parent, "ses_1");
  EXPECT_EQ(read->name, "büro");
  EXPECT_EQ(read->state, "running");
  EXPECT_EQ(read->labels, record.labels);
  EXPECT_EQ(read->body, record.body);
  EXPECT_EQ(read->expires, record.expires);
  EXPECT_EQ(read->claimed_by, "d1");
  EXPECT_EQ(read->claimed_until, record.claimed_until);
  EXPECT_EQ(read->created, clock_.now());
  EXPECT_EQ(read->updated, clock_.now());
  EXPECT_EQ(read->version, 1);
}

TEST_P(RecordsTest, LongestBodyIsKept) {
  std::string body(kMaxBody, 'x');
  body.back() = 'y';
  Put({.kind = "k", .id = "1", .body = body});
  EXPECT_EQ(store_->Get("k", "1")->body, body);
}

TEST_P(RecordsTest, AbsentRecordIsNoEntry) {
  EXPECT_EQ(CodeOf(store_->Get("k", "none")), Code::kNoEntry);
  EXPECT_EQ(CodeOf(store_->GetByName("k", "ann", "", "none")), Code::kNoEntry);
  EXPECT_EQ(CodeOf(store_->Update({.kind = "k", .id = "none", .version = 1})), Code::kNoEntry);
  EXPECT_EQ(CodeOf(store_->Delete("k", "none")), Code::kNoEntry);
}

TEST_P(RecordsTest, TakenIdIsRefusedAndNamed) {
  Put({.kind = "k", .id = "1", .body = "first"});
  const auto again = store_->Insert({.kind = "k", .id = "1", .body = "second"});
  EXPECT_EQ(CodeOf(again), Code::kExists);
  EXPECT_EQ(again.error().Text(), "k 1 exists already");
  EXPECT_EQ(store_->Get("k", "1")->body, "first");
  Put({.kind = "other", .id = "1"});
}

TEST_P(RecordsTest, NameIsUniqueWithinKindOwnerAndParent) {
  Put({.kind = "k", .id = "1", .owner = "ann", .name = "web"});
  const auto again = store_->Insert({.kind = "k", .id = "2", .owner = "ann", .name = "web"});
  EXPECT_EQ(CodeOf(again), Code::kExists);
  EXPECT_EQ(again.error().Text(), "k named 'web' exists already");
  Put({.kind = "k", .id = "3", .owner = "bob", .name = "web"});
  Put({.kind = "k", .id = "4", .owner = "ann", .parent = "p", .name = "web"});
  Put({.kind = "l", .id = "5", .owner = "ann", .name = "web"});
  EXPECT_EQ(store_->GetByName("k", "bob", "", "web")->id, "3");
  EXPECT_EQ(store_->GetByName("k", "ann", "p", "web")->id, "4");
}

TEST_P(RecordsTest, NameIsFreeAfterDeleteAndAfterItWasCleared) {
  Record record = Put({.kind = "k", .id = "1", .owner = "ann", .name = "web"});
  record.name.clear();
  ASSERT_TRUE(store_->Update(record));
  Put({.kind = "k", .id = "2", .owner = "ann", .name = "web"});
  ASSERT_TRUE(store_->Delete("k", "2"));
  Put({.kind = "k", .id = "3", .owner = "ann", .name = "web"});
}

TEST_P(RecordsTest, UpdateNeedsTheStoredVersion) {
  const Record first = Put({.kind = "k", .id = "1", .state = "a"});
  clock_.Advance(seconds(1));
  Record changed = first;
  changed.state = "b";
  changed.body = "new";
  const auto second = store_->Update(changed);
  ASSERT_TRUE(second) << second.error().Text();
  EXPECT_EQ(second->version, 2);
  EXPECT_EQ(second->created, first.created);
  EXPECT_EQ(second->updated, clock_.now());
  const auto late = store_->Update(changed);
  EXPECT_EQ(CodeOf(late), Code::kConflict);
  EXPECT_EQ(late.error().Text(), "k 1 was changed by someone else: version 2, not 1");
  EXPECT_EQ(store_->Get("k", "1")->body, "new");
}

TEST_P(RecordsTest, UpdateToATakenNameIsRefused) {
  Put({.kind = "k", .id = "1", .name = "web"});
  Record other = Put({.kind = "k", .id = "2", .name = "db"});
  other.name = "web";
  EXPECT_EQ(CodeOf(store_->Update(other)), Code::kExists);
  EXPECT_EQ(store_->Get("k", "2")->name, "db");
}

TEST_P(RecordsTest, OwnerAndParentDoNotChange) {
  Record record = Put({.kind = "k", .id = "1", .owner = "ann"});
  record.owner = "bob";
  EXPECT_EQ(CodeOf(store_->Update(record)), Code::kInvalid);
  record.owner = "ann";
  record.parent = "p";
  EXPECT_EQ(CodeOf(store_->Update(record)), Code::kInvalid);
}

TEST_P(RecordsTest, DeleteNeedsTheExpectedVersion) {
  Record record = Put({.kind = "k", .id = "1"});
  ASSERT_TRUE(store_->Update(record));
  EXPECT_EQ(CodeOf(store_->Delete("k", "1", 1)), Code::kConflict);
  EXPECT_TRUE(store_->Delete("k", "1", 2));
  EXPECT_EQ(CodeOf(store_->Get("k", "1")), Code::kNoEntry);
}

TEST_P(RecordsTest, WhatIsOutOfBoundsIsRefused) {
  const auto refused = [&](Record record) { return CodeOf(store_->Insert(std::move(record))) == Code::kInvalid; };
  EXPECT_TRUE(refused({.kind = "", .id = "1"}));
  EXPECT_TRUE(refused({.kind = "k", .id = ""}));
  EXPECT_TRUE(refused({.kind = "k", .id = std::string(kMaxId + 1, 'x')}));
  EXPECT_TRUE(refused({.kind = "k", .id = "1", .owner = std::string("a\0b", 3)}));
  EXPECT_TRUE(refused({.kind = "k", .id = "1", .name = "\xff"}));
  EXPECT_TRUE(refused({.kind = "k", .id = "1", .labels = {{"", "x"}}}));
  EXPECT_TRUE(refused({.kind = "k", .id = "1", .labels = {{"x", std::string(kMaxLabelValue + 1, 'x')}}}));
  EXPECT_TRUE(refused({.kind = "k", .id = "1", .body = std::string(kMaxBody + 1, 'x')}));
  Labels many;
  for (size_t i = 0; i <= kMaxLabels; ++i) many[std::to_string(i)];
  EXPECT_TRUE(refused({.kind = "k", .id = "1", .labels = many}));
  EXPECT_EQ(CodeOf(store_->Get("k", "1")), Code::kNoEntry);
}

TEST_P(RecordsTest, LongestTextsFitTheIndexes) {
  const std::string wide(kMaxName, 'n');
  Put({.kind = std::string(kMaxKind, 'k'),
       .id = std::string(kMaxId, 'i'),
       .owner = std::string(kMaxOwner, 'o'),
       .parent = std::string(kMaxId, 'p'),
       .name = wide,
       .state = std::string(kMaxState, 's'),
       .labels = {{std::string(kMaxLabelKey, 'a'), std::string(kMaxLabelValue, 'b')}}});
}

TEST_P(RecordsTest, DeletedChildrenAreOfThatKindAndParent) {
  for (int i = 0; i < 5; ++i) Put({.kind = "file", .id = std::to_string(i), .parent = "a", .labels = {{"x", "1"}}});
  Put({.kind = "file", .id = "9", .parent = "b", .labels = {{"x", "1"}}});
  Put({.kind = "key", .id = "1", .parent = "a"});
  size_t gone = 0;
  const auto delete_some = [&](size_t limit) {
    return store_->Transact([&](Transaction& transaction) -> Status {
      PADDOCK_ASSIGN(gone, transaction.DeleteChildren("file", "a", limit));
      return {};
    });
  };
  ASSERT_TRUE(delete_some(3));
  EXPECT_EQ(gone, 3u);
  ASSERT_TRUE(delete_some(100));
  EXPECT_EQ(gone, 2u);
  EXPECT_EQ(*store_->Count({.kind = "file"}, 100), 1u);
  EXPECT_EQ(*store_->Count({.kind = "file", .labels = {{"x", "1"}}}, 100), 1u);
  EXPECT_TRUE(store_->Get("key", "1"));
}

TEST_P(RecordsTest, TransactionIsAllOrNothing) {
  Put({.kind = "k", .id = "0"});
  const auto status = store_->Transact([&](Transaction& transaction) -> Status {
    PADDOCK_TRY(transaction.Insert({.kind = "k", .id = "1", .labels = {{"a", "b"}}}));
    EXPECT_TRUE(transaction.Get("k", "1")) << "a transaction sees its own writes";
    const Event event{.type = "made"};
    PADDOCK_TRY(transaction.AppendEvents("log", {&event, 1}));
    PADDOCK_TRY(transaction.AddToCounter("ann", "n", 1));
    PADDOCK_TRY(transaction.Delete("k", "0"));
    PADDOCK_TRY(transaction.Insert({.kind = "k", .id = "1"}));
    return {};
  });
  EXPECT_EQ(CodeOf(status), Code::kExists);
  EXPECT_TRUE(store_->Get("k", "0"));
  EXPECT_EQ(CodeOf(store_->Get("k", "1")), Code::kNoEntry);
  EXPECT_EQ(store_->ReadEvents("log", 0, 10)->last, 0);
  EXPECT_EQ(*store_->Counter("ann", "n"), 0);
  EXPECT_EQ(*store_->Count({.kind = "k", .labels = {{"a", "b"}}}, 10), 0u);
}

TEST_P(RecordsTest, RefusedInsertLeavesTheTransactionUsable) {
  Put({.kind = "k", .id = "1", .name = "web"});
  ASSERT_TRUE(store_->Transact([&](Transaction& transaction) -> Status {
    EXPECT_EQ(CodeOf(transaction.Insert({.kind = "k", .id = "2", .name = "web"})), Code::kExists);
    EXPECT_EQ(CodeOf(transaction.AddToCounter("", "n", 2, {0, 1})), Code::kLimit);
    PADDOCK_TRY(transaction.Insert({.kind = "k", .id = "2", .name = "web-2"}));
    return {};
  }));
  EXPECT_EQ(store_->Get("k", "2")->name, "web-2");
}

TEST_P(RecordsTest, OnlyOneOfManyGetsTheName) {
  std::atomic<int> won = 0, lost = 0, other = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const Code code = CodeOf(store_->Insert({.kind = "k", .id = std::to_string(i), .owner = "ann", .name = "web"}));
      (code == Code::kOk ? won : code == Code::kExists ? lost : other)++;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(won, 1);
  EXPECT_EQ(lost, 7);
  EXPECT_EQ(other, 0);
}

TEST_P(RecordsTest, NoUpdateIsLostBetweenThreads) {
  Put({.kind = "k", .id = "1", .body = "0"});
  constexpr int kThreads = 6, kEach = 20;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int done = 0; done < kEach;) {
        auto record = store_->Get("k", "1");
        ASSERT_TRUE(record) << record.error().Text();
        record->body = std::to_string(std::stoi(record->body) + 1);
        const auto updated = store_->Update(*record);
        if (updated)
          ++done;
        else
          ASSERT_EQ(updated.error().code, Code::kConflict) << updated.error().Text();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const auto record = store_->Get("k", "1");
  EXPECT_EQ(record->body, std::to_string(kThreads * kEach));
  EXPECT_EQ(record->version, kThreads * kEach + 1);
}

TEST_P(RecordsTest, TwoStoresShareADatabase) {
  const auto other = Open();
  ASSERT_TRUE(other);
  Put({.kind = "k", .id = "1"});
  EXPECT_TRUE(other->Get("k", "1"));
  ASSERT_TRUE(other->Insert({.kind = "k", .id = "2"}));
  EXPECT_TRUE(store_->Get("k", "2"));
}

TEST_P(RecordsTest, WritesOutliveTheStore) {
  Put({.kind = "k", .id = "1", .body = "kept"});
  store_ = Open();
  ASSERT_TRUE(store_);
  EXPECT_EQ(store_->Get("k", "1")->body, "kept");
}

TEST_P(RecordsTest, OnlyTheExpiredAreClaimedOldestFirst) {
  Put({.kind = "lease", .id = "late", .expires = clock_.now() + seconds(20)});
  Put({.kind = "lease", .id = "second", .expires = clock_.now() + seconds(10)});
  Put({.kind = "lease", .id = "first", .body = "b", .expires = clock_.now() + seconds(5)});
  Put({.kind = "lease", .id = "never"});
  Put({.kind = "other", .id = "x", .expires = clock_.now()});
  EXPECT_TRUE(store_->ClaimExpired("lease", "me", seconds(60), 10)->empty());
  clock_.Advance(seconds(10));
  const auto claimed = store_->ClaimExpired("lease", "me", seconds(60), 10);
  ASSERT_TRUE(claimed) << claimed.error().Text();
  ASSERT_EQ(claimed->size(), 2u);
  EXPECT_EQ((*claimed)[0].id, "first");
  EXPECT_EQ((*claimed)[0].body, "b");
  EXPECT_EQ((*claimed)[0].version, 2);
  EXPECT_EQ((*claimed)[1].id, "second");
  const auto stored = store_->Get("lease", "first");
  EXPECT_EQ(stored->claimed_by, "me");
  EXPECT_EQ(stored->claimed_until, clock_.now() + seconds(60));
  EXPECT_EQ(stored->version, 2);
}

TEST_P(RecordsTest, ClaimHoldsUntilItsDeadlineThenIsRetaken) {
  Put({.kind = "lease", .id = "1", .expires = clock_.now()});
  const auto mine = store_->ClaimExpired("lease", "me", seconds(60), 10);
  ASSERT_EQ(mine->size(), 1u);
  clock_.Advance(seconds(59));
  EXPECT_TRUE(store_->ClaimExpired("lease", "you", seconds(60), 10)->empty());
  clock_.Advance(seconds(1));
  const auto yours = store_->ClaimExpired("lease", "you", seconds(60), 10);
  ASSERT_EQ(yours->size(), 1u);
  EXPECT_EQ(yours->front().claimed_by, "you");
  EXPECT_EQ(CodeOf(store_->Delete("lease", "1", mine->front().version)), Code::kConflict) << "the late cleaner has lost it";
  EXPECT_TRUE(store_->Delete("lease", "1", yours->front().version));
}

TEST_P(RecordsTest, RefreshThatLosesToAClaimIsAConflict) {
  Record lease = Put({.kind = "lease", .id = "1", .expires = clock_.now()});
  ASSERT_EQ(store_->ClaimExpired("lease", "cleaner", seconds(60), 10)->size(), 1u);
  lease.expires = clock_.now() + seconds(600);
  EXPECT_EQ(CodeOf(store_->Update(lease)), Code::kConflict);
}

TEST_P(RecordsTest, RefreshThatWinsKeepsTheClaimAway) {
  Record lease = Put({.kind = "lease", .id = "1", .expires = clock_.now()});
  lease.expires = clock_.now() + seconds(600);
  ASSERT_TRUE(store_->Update(lease));
  EXPECT_TRUE(store_->ClaimExpired("lease", "cleaner", seconds(60), 10)->empty());
}

TEST_P(RecordsTest, ReleasedClaimCanBeTakenAgain) {
  Put({.kind = "lease", .id = "1", .expires = clock_.now()});
  Record mine = store_->ClaimExpired("lease", "me", seconds(60), 10)->front();
  mine.claimed_by.clear();
  mine.claimed_until.reset();
  mine.expires = clock_.now() + seconds(5);
  ASSERT_TRUE(store_->Update(mine));
  clock_.Advance(seconds(5));
  EXPECT_EQ(store_->ClaimExpired("lease", "you", seconds(60), 10)->size(), 1u);
}

TEST_P(RecordsTest, ClaimersNeverShareARecord) {
  constexpr int kRecords = 60;
  for (int i = 0; i < kRecords; ++i) Put({.kind = "lease", .id = std::to_string(i), .expires = clock_.now()});
  const auto other = Open();
  ASSERT_TRUE(other);
  std::mutex mutex;
  std::multiset<std::string> claimed;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      Records& store = i % 2 == 0 ? *store_ : *other;
      for (int empty = 0; empty < 3;) {
        const auto mine = store.ClaimExpired("lease", "claimer" + std::to_string(i), seconds(60), 7);
        ASSERT_TRUE(mine) << mine.error().Text();
        if (mine->empty()) ++empty;
        const std::lock_guard lock(mutex);
        for (const auto& record : *mine) claimed.insert(record.id);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(claimed.size(), size_t{kRecords});
  EXPECT_EQ(std::set<std::string>(claimed.begin(), claimed.end()).size(), size_t{kRecords});
}

Result<KeyState> Use(Records& store, std::string_view owner, std::string_view key, std::string_view digest, Time expires) {
  KeyState state;
  PADDOCK_TRY(store.Transact([&](Transaction& transaction) -> Status {
    PADDOCK_ASSIGN(state, transaction.UseKey(owner, key, digest, expires));
    return {};
  }));
  return state;
}

TEST_P(RecordsTest, KeyIsNewOnceThenSameOrDifferent) {
  const Time expires = clock_.now() + seconds(60);
  EXPECT_EQ(Use(*store_, "ann", "k", "d1", expires)->use, KeyUse::kNew);
  const auto same = Use(*store_, "ann", "k", "d1", expires);
  EXPECT_EQ(same->use, KeyUse::kSame);
  EXPECT_FALSE(same->result);
  EXPECT_EQ(Use(*store_, "ann", "k", "d2", expires)->use, KeyUse::kDifferent);
  EXPECT_EQ(Use(*store_, "bob", "k", "d2", expires)->use, KeyUse::kNew);
}

TEST_P(RecordsTest, KeyKeepsItsResultUntilItExpires) {
  const Time expires = clock_.now() + seconds(60);
  ASSERT_EQ(Use(*store_, "ann", "k", "d1", expires)->use, KeyUse::kNew);
  const std::string result("{\0}", 3);
  ASSERT_TRUE(store_->Transact([&](Transaction& transaction) { return transaction.SetKeyResult("ann", "k", result); }));
  EXPECT_EQ(Use(*store_, "ann", "k", "d1", expires)->result, result);
  clock_.Advance(seconds(60));
  const auto renewed = Use(*store_, "ann", "k", "d2", clock_.now() + seconds(60));
  EXPECT_EQ(renewed->use, KeyUse::kNew);
  EXPECT_FALSE(Use(*store_, "ann", "k", "d2", clock_.now() + seconds(60))->result);
}

TEST_P(RecordsTest, AForgottenKeyIsNew) {
  const Time expires = clock_.now() + seconds(60);
  ASSERT_EQ(Use(*store_, "ann", "k", "d1", expires)->use, KeyUse::kNew);
  ASSERT_EQ(Use(*store_, "bob", "k", "d1", expires)->use, KeyUse::kNew);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(store_->Transact([](Transaction& transaction) { return transaction.DropKey("ann", "k"); }));
  EXPECT_EQ(Use(*store_, "ann", "k", "d2", expires)->use, KeyUse::kNew);
  EXPECT_EQ(Use(*store_, "bob", "k", "d1", expires)->use, KeyUse::kSame);
}

TEST_P(RecordsTest, ExpiredKeysAreDropped) {
  ASSERT_TRUE(Use(*store_, "ann", "old", "d", clock_.now() + seconds(1)));
  ASSERT_TRUE(Use(*store_, "ann", "young", "d", clock_.now() + seconds(9)));
  clock_.Advance(seconds(5));
  size_t gone = 0;
  ASSERT_TRUE(store_->Transact([&](Transaction& transaction) -> Status {
    PADDOCK_ASSIGN(gone, transaction.DropExpiredKeys());
    return {};
  }));
  EXPECT_EQ(gone, 1u);
  EXPECT_EQ(CodeOf(store_->Transact([](Transaction& transaction) { return transaction.SetKeyResult("ann", "old", ""); })),
            Code::kNoEntry);
  EXPECT_EQ(Use(*store_, "ann", "young", "d", clock_.now())->use, KeyUse::kSame);
}

TEST_P(RecordsTest, KeyIsNewForExactlyOneOfMany) {
  std::atomic<int> fresh = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const auto state = Use(*store_, "ann", "k", "d", clock_.now() + seconds(60));
      ASSERT_TRUE(state) << state.error().Text();
      if (state->use == KeyUse::kNew) ++fresh;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(fresh, 1);
}

TEST_P(RecordsTest, CounterStaysWithinItsBounds) {
  EXPECT_EQ(*store_->Counter("ann", "cpus"), 0);
  EXPECT_EQ(*store_->AddToCounter("ann", "cpus", 3, {0, 4}), 3);
  const auto over = store_->AddToCounter("ann", "cpus", 2, {0, 4});
  EXPECT_EQ(CodeOf(over), Code::kLimit);
  EXPECT_EQ(over.error().Text(), "counter cpus would leave 0 … 4: it is 3");
  EXPECT_EQ(CodeOf(store_->AddToCounter("ann", "cpus", -4, {0, 4})), Code::kLimit);
  EXPECT_EQ(*store_->AddToCounter("ann", "cpus", 1, {0, 4}), 4);
  EXPECT_EQ(*store_->Counter("ann", "cpus"), 4);
  EXPECT_EQ(*store_->Counter("bob", "cpus"), 0);
  EXPECT_EQ(*store_->AddToCounter("bob", "far", kMaxCounter), kMaxCounter);
  EXPECT_EQ(CodeOf(store_->AddToCounter("bob", "far", kMaxCounter)), Code::kLimit);
  EXPECT_EQ(CodeOf(store_->AddToCounter("bob", "far", kMaxCounter + 1)), Code::kInvalid);
}

TEST_P(RecordsTest, ManyThreadsDoNotOvershootAQuota) {
  std::atomic<int> got = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 20; ++n) {
        const Code code = CodeOf(store_->AddToCounter("ann", "sandboxes", 1, {0, 50}));
        if (code == Code::kOk)
          ++got;
        else
          ASSERT_EQ(code, Code::kLimit);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(got, 50);
  EXPECT_EQ(*store_->Counter("ann", "sandboxes"), 50);
}

}  // namespace
}  // namespace paddock::records
