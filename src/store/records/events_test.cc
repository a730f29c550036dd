#include <gtest/gtest.h>

#include <thread>

#include "store/records/records.h"
#include "store/records/store_for_test.h"

namespace paddock::records {
namespace {

using std::chrono::seconds;

class EventsTest : public StoreTest {
 protected:
  int64_t Append(std::string_view stream, int count) {
    std::vector<Event> events(static_cast<size_t>(count), Event{.type = "t", .subject = "s", .body = "b"});
    const auto last = store_->AppendEvents(stream, events);
    EXPECT_TRUE(last) << last.error().Text();
    return last.value_or(-1);
  }
  size_t Trim(std::string_view stream, Time before, size_t keep) {
    size_t gone = 0;
    const Status status = store_->Transact([&](Transaction& transaction) -> Status {
      PADDOCK_ASSIGN(gone, transaction.TrimEvents(stream, before, keep));
      return {};
    });
    EXPECT_TRUE(status) << status.error().Text();
    return gone;
  }
};
INSTANTIATE_TEST_SUITE_P(Both, EventsTest, testing::Values(Backend::kSqlite, Backend::kPostgres), BackendName);

TEST_P(EventsTest, EventsAreNumberedFromOneAndReadInOrder) {
  const std::vector<Event> events = {{.type = "created", .subject = "sbx_1", .body = std::string("\0a", 2)}, {.type = "started"}};
  EXPECT_EQ(*store_->AppendEvents("log", events), 2);
  EXPECT_EQ(Append("other", 1), 1);
  EXPECT_EQ(Append("log", 3), 5);
  const auto page = store_->ReadEvents("log", 0, 3);
  ASSERT_TRUE(page) << page.error().Text();
  EXPECT_EQ(page->last, 5);
  EXPECT_EQ(page->lost, 0);
  ASSERT_EQ(page->events.size(), 3u);
  EXPECT_EQ(page->events[0].sequence, 1);
  EXPECT_EQ(page->events[0].type, "created");
  EXPECT_EQ(page->events[0].subject, "sbx_1");
  EXPECT_EQ(page->events[0].body, std::string("\0a", 2));
  EXPECT_EQ(page->events[0].at, clock_.now());
  EXPECT_EQ(page->events[2].sequence, 3);
  EXPECT_EQ(store_->ReadEvents("log", 3, 10)->events.size(), 2u);
}

TEST_P(EventsTest, StreamsAreListedInOrderAndByPages) {
  for (const char* name : {"b", "a", "c"}) Append(name, 1);
  EXPECT_EQ(*store_->Streams("", 10), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(*store_->Streams("", 2), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(*store_->Streams("b", 2), (std::vector<std::string>{"c"}));
  EXPECT_FALSE(store_->Streams("", 0));
}

TEST_P(EventsTest, EndAndUnknownStreamAreEmpty) {
  EXPECT_EQ(store_->ReadEvents("none", 0, 10)->last, 0);
  EXPECT_TRUE(store_->ReadEvents("none", 0, 10)->events.empty());
  Append("log", 2);
  const auto page = store_->ReadEvents("log", 2, 10);
  EXPECT_TRUE(page->events.empty());
  EXPECT_EQ(page->last, 2);
  EXPECT_EQ(page->lost, 0);
}

TEST_P(EventsTest, TrimByCountSaysWhatAReaderLost) {
  Append("log", 10);
  EXPECT_EQ(Trim("log", Time::min(), 4), 6u);
  const auto page = store_->ReadEvents("log", 2, 10);
  ASSERT_EQ(page->events.size(), 4u);
  EXPECT_EQ(page->events[0].sequence, 7);
  EXPECT_EQ(page->lost, 4);
  EXPECT_EQ(Trim("log", Time::min(), 4), 0u);
}

TEST_P(EventsTest, TrimByAgeKeepsTheYoung) {
  Append("log", 3);
  clock_.Advance(seconds(10));
  Append("log", 2);
  EXPECT_EQ(Trim("log", clock_.now(), kMaxPage), 3u);
  EXPECT_EQ(store_->ReadEvents("log", 0, 10)->events.size(), 2u);
}

TEST_P(EventsTest, NumbersAreNotUsedAgainAfterATrim) {
  Append("log", 3);
  EXPECT_EQ(Trim("log", Time::min(), 0), 3u);
  const auto page = store_->ReadEvents("log", 1, 10);
  EXPECT_TRUE(page->events.empty());
  EXPECT_EQ(page->last, 3);
  EXPECT_EQ(page->lost, 2);
  EXPECT_EQ(Append("log", 1), 4);
}

TEST_P(EventsTest, BoundsAreKept) {
  EXPECT_EQ(store_->AppendEvents("log", {}).error().code, Code::kInvalid);
  const std::vector<Event> many(kMaxBatch + 1, Event{.type = "t"});
  EXPECT_EQ(store_->AppendEvents("log", many).error().code, Code::kInvalid);
  EXPECT_EQ(store_->ReadEvents("log", 0, 0).error().code, Code::kInvalid);
  EXPECT_EQ(store_->ReadEvents("log", -1, 1).error().code, Code::kInvalid);
}

TEST_P(EventsTest, PageEndsBeforeItGrowsTooLarge) {
  const Event large{.type = "t", .body = std::string(kMaxBody, 'x')};
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(store_->AppendEvents("log", {&large, 1}));
  const auto page = store_->ReadEvents("log", 0, 100);
  EXPECT_EQ(page->events.size(), kMaxPageBytes / kMaxBody);
  EXPECT_EQ(store_->ReadEvents("log", page->events.back().sequence, 100)->events.size(), 2u);
}

// A reader that goes on from the last number it saw never misses one that becomes visible later with a smaller number.
TEST_P(EventsTest, ReaderMissesNothingWhileManyAppend) {
  constexpr int kThreads = 4, kEach = 25;
  const auto other = Open();
  ASSERT_TRUE(other);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      Records& store = i % 2 == 0 ? *store_ : *other;
      const std::vector<Event> events(2, Event{.type = "t", .subject = std::to_string(i)});
      for (int n = 0; n < kEach; ++n) ASSERT_TRUE(store.AppendEvents("log", events));
    });
  }
  int64_t seen = 0;
  while (seen < kThreads * kEach * 2 && !HasFatalFailure()) {
    const auto page = store_->ReadEvents("log", seen, 7);
    ASSERT_TRUE(page) << page.error().Text();
    ASSERT_EQ(page->lost, 0);
    for (const auto& event : page->events) ASSERT_EQ(event.sequence, ++seen);
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(store_->ReadEvents("log", 0, 1)->last, seen);
}

}  // namespace
}  // namespace paddock::records
