#include <gtest/gtest.h>

#include "store/records/list_sql.h"
#include "store/records/records.h"
#include "store/records/sqlite_session.h"
#include "store/records/store_for_test.h"

namespace paddock::records {
namespace {

using std::chrono::seconds;

class ListTest : public StoreTest {
 protected:
  std::string Ids(const ListQuery& query) {
    const auto page = store_->List(query);
    if (!page) return std::string(page.error().Text());
    std::string ids;
    for (const auto& record : page->records) ids += record.id;
    return ids;
  }
  // a … f, a second apart.
  void PutSix() {
    const std::vector<Record> records = {
        {.kind = "k",
         .id = "a",
         .owner = "ann",
         .parent = "p",
         .name = "n1",
         .state = "on",
         .labels = {{"env", "prod"}, {"tier", "1"}}},
        {.kind = "k", .id = "b", .owner = "ann", .parent = "p", .name = "n2", .state = "off", .labels = {{"env", "prod"}}},
        {.kind = "k",
         .id = "c",
         .owner = "ann",
         .parent = "q",
         .name = "n1",
         .state = "on",
         .labels = {{"env", "test"}, {"tier", "1"}}},
        {.kind = "k", .id = "d", .owner = "bob", .parent = "p", .state = "on", .labels = {{"env", "prod"}, {"tier", "1"}}},
        {.kind = "k", .id = "e", .owner = "bob", .state = "gone"},
        {.kind = "other", .id = "f", .owner = "ann", .parent = "p", .name = "n1", .state = "on", .labels = {{"env", "prod"}}},
    };
    for (const auto& record : records) {
      Put(record);
      clock_.Advance(seconds(1));
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Both, ListTest, testing::Values(Backend::kSqlite, Backend::kPostgres), BackendName);

TEST_P(ListTest, EachFilterNarrows) {
  const Time start = clock_.now();
  PutSix();
  EXPECT_EQ(Ids({.filter = {.kind = "k"}}), "abcde");
  EXPECT_EQ(Ids({.filter = {.kind = "none"}}), "");
  EXPECT_EQ(Ids({.filter = {.kind = "k", .owner = "ann"}}), "abc");
  EXPECT_EQ(Ids({.filter = {.kind = "k", .owner = ""}}), "");
  EXPECT_EQ(Ids({.filter = {.kind = "k", .parent = "p"}}), "abd");
  EXPECT_EQ(Ids({.filter = {.kind = "k", .parent = ""}}), "e");
  EXPECT_EQ(Ids({.filter = {.kind = "k", .name = "n1"}}), "ac");
  EXPECT_EQ(Ids({.filter = {.kind = "k", .name = ""}}), "de");
  EXPECT_EQ(Ids({.filter = {.kind = "k", .states = {"on"}}}), "acd");
  EXPECT_EQ(Ids({.filter = {.kind = "k", .states = {"off", "gone"}}}), "be");
  EXPECT_EQ(Ids({.filter = {.kind = "k", .labels = {{"env", "prod"}}}}), "abd");
  EXPECT_EQ(Ids({.filter = {.kind = "k", .labels = {{"env", "prod"}, {"tier", "1"}}}}), "ad");
  EXPECT_EQ(Ids({.filter = {.kind = "k", .labels = {{"env", "PROD"}}}}), "");
  EXPECT_EQ(Ids({.filter = {.kind = "k", .created_from = start + seconds(2)}}), "cde");
  EXPECT_EQ(Ids({.filter = {.kind = "k", .created_before = start + seconds(2)}}), "ab");
  EXPECT_EQ(Ids({.filter = {.kind = "k",
                            .owner = "ann",
                            .parent = "p",
                            .name = "n1",
                            .states = {"on", "off"},
                            .labels = {{"env", "prod"}, {"tier", "1"}},
                            .created_from = start,
                            .created_before = start + seconds(9)}}),
            "a");
  EXPECT_EQ(*store_->Count({.kind = "k", .owner = "ann", .states = {"on"}}, 100), 2u);
  EXPECT_EQ(*store_->Count({.kind = "k"}, 3), 3u);
}

TEST_P(ListTest, LabelsFollowUpdates) {
  PutSix();
  Record record = *store_->Get("k", "b");
  record.labels = {{"env", "test"}, {"new", ""}};
  ASSERT_TRUE(store_->Update(record));
  EXPECT_EQ(Ids({.filter = {.kind = "k", .labels = {{"env", "prod"}}}}), "ad");
  EXPECT_EQ(Ids({.filter = {.kind = "k", .labels = {{"env", "test"}}}}), "bc");
  EXPECT_EQ(Ids({.filter = {.kind = "k", .labels = {{"new", ""}}}}), "b");
}

TEST_P(ListTest, NewestFirstTurnsTheOrder) {
  PutSix();
  EXPECT_EQ(Ids({.filter = {.kind = "k"}, .is_newest_first = true}), "edcba");
  EXPECT_EQ(Ids({.filter = {.kind = "k", .labels = {{"env", "prod"}}}, .is_newest_first = true}), "dba");
}

TEST_P(ListTest, SameTimeIsOrderedById) {
  for (const char* id : {"b", "é", "a", "B", "Z"}) Put({.kind = "k", .id = id});
  EXPECT_EQ(Ids({.filter = {.kind = "k"}}), "BZabé");
}

TEST_P(ListTest, BodiesAreLeftOutOnRequest) {
  Put({.kind = "k", .id = "a", .labels = {{"x", "y"}}, .body = "text"});
  EXPECT_EQ(store_->List({.filter = {.kind = "k"}})->records[0].body, "text");
  const auto page = store_->List({.filter = {.kind = "k"}, .has_bodies = false});
  EXPECT_EQ(page->records[0].body, "");
  EXPECT_EQ(page->records[0].labels, (Labels{{"x", "y"}}));
}

TEST_P(ListTest, PagesNeitherRepeatNorHide) {
  for (int i = 0; i < 25; ++i) {
    Put({.kind = "k", .id = std::to_string(100 + i), .owner = "ann", .labels = {{"x", "y"}}});
    if (i % 3 == 0) clock_.Advance(seconds(1));
  }
  for (const bool is_newest_first : {false, true}) {
    for (const Labels& labels : {Labels{}, Labels{{"x", "y"}}}) {
      ListQuery query{.filter = {.kind = "k", .owner = "ann", .labels = labels}, .is_newest_first = is_newest_first, .limit = 4};
      std::vector<std::string> ids;
      int pages = 0;
      do {
        const auto page = store_->List(query);
        ASSERT_TRUE(page) << page.error().Text();
        for (const auto& record : page->records) ids.push_back(record.id);
        query.cursor = page->next;
        ++pages;
      } while (!query.cursor.empty());
      EXPECT_EQ(pages, 7);
      if (is_newest_first) std::reverse(ids.begin(), ids.end());
      ASSERT_EQ(ids.size(), 25u);
      for (int i = 0; i < 25; ++i) EXPECT_EQ(ids[static_cast<size_t>(i)], std::to_string(100 + i));
    }
  }
}

TEST_P(ListTest, LastFullPageHasNoCursor) {
  for (const char* id : {"a", "b"}) Put({.kind = "k", .id = id});
  EXPECT_EQ(store_->List({.filter = {.kind = "k"}, .limit = 2})->next, "");
}

TEST_P(ListTest, PagingGoesOnWhenTheLastRecordIsDeleted) {
  PutSix();
  ListQuery query{.filter = {.kind = "k"}, .limit = 2};
  query.cursor = store_->List(query)->next;
  ASSERT_TRUE(store_->Delete("k", "b"));
  ASSERT_TRUE(store_->Delete("k", "c"));
  EXPECT_EQ(Ids(query), "de");
}

TEST_P(ListTest, CursorOfAnotherListIsRefused) {
  PutSix();
  ListQuery query{.filter = {.kind = "k"}, .limit = 2};
  const std::string cursor = store_->List(query)->next;
  ASSERT_FALSE(cursor.empty());
  query.cursor = cursor;
  query.limit = 100;
  EXPECT_EQ(Ids(query), "cde") << "the limit may change";
  const auto refused = [&](const ListQuery& other) {
    return Ids(other) == "cursor does not belong to this list: start again without one";
  };
  query.filter.owner = "ann";
  EXPECT_TRUE(refused(query));
  query = {.filter = {.kind = "k"}, .is_newest_first = true, .cursor = cursor};
  EXPECT_TRUE(refused(query));
  query.is_newest_first = false;
  for (const std::string& bad : {cursor + "0", cursor + "zz", cursor.substr(0, 32), std::string("00"), std::string(600, '0')}) {
    query.cursor = bad;
    EXPECT_TRUE(refused(query)) << bad;
  }
}

TEST_P(ListTest, PageEndsBeforeItGrowsTooLarge) {
  for (int i = 0; i < 10; ++i) Put({.kind = "k", .id = std::to_string(i), .body = std::string(kMaxBody, 'x')});
  ListQuery query{.filter = {.kind = "k"}};
  const auto page = store_->List(query);
  EXPECT_EQ(page->records.size(), kMaxPageBytes / kMaxBody);
  query.cursor = page->next;
  EXPECT_EQ(store_->List(query)->records.size(), 2u);
}

TEST_P(ListTest, BoundsOfAQueryAreKept) {
  EXPECT_EQ(store_->List({.filter = {.kind = "k"}, .limit = 0}).error().code, Code::kInvalid);
  EXPECT_EQ(store_->List({.filter = {.kind = "k"}, .limit = kMaxPage + 1}).error().code, Code::kInvalid);
  EXPECT_EQ(store_->List({.filter = {.kind = ""}}).error().code, Code::kInvalid);
  EXPECT_EQ(store_->List({.filter = {.kind = "k", .states = std::vector<std::string>(17, "s")}}).error().code, Code::kInvalid);
}

// Pages of a large list are read in the order of an index: nothing is sorted, no table is read from end to end.
TEST(ListPlan, CommonListsFollowAnIndex) {
  const std::string path = testing::TempDir() + "paddock_plan_" + std::to_string(getpid()) + ".db";
  std::filesystem::remove(path);
  ASSERT_TRUE(Records::Open({.location = path}));
  auto session = SqliteSession::Open(path, Duration(1000));
  ASSERT_TRUE(session);
  const std::vector<Filter> filters = {
      {.kind = "k"},
      {.kind = "k", .owner = "o"},
      {.kind = "k", .parent = "p"},
      {.kind = "k", .states = {"s"}},
      {.kind = "k", .owner = "o", .labels = {{"a", "b"}}},
      {.kind = "k", .owner = "o", .labels = {{"a", "b"}, {"c", "d"}}},
  };
  for (const Filter& filter : filters) {
    const ListQuery query{.filter = filter};
    const Position after{Time(Duration(1)), "x"};
    const ListStatement statement = MakeListStatement(query, after);
    std::string plan;
    ASSERT_TRUE((*session)->Run("EXPLAIN QUERY PLAN " + statement.sql, statement.parameters, [&](const Row& row) {
      plan += std::string(row.Bytes(3)) + "\n";
      return true;
    }));
    EXPECT_EQ(plan.find("TEMP B-TREE"), std::string::npos) << statement.sql << "\n" << plan;
    EXPECT_EQ(plan.find("SCAN"), std::string::npos) << statement.sql << "\n" << plan;
  }
  session->reset();
  for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path + suffix);
}

}  // namespace
}  // namespace paddock::records
