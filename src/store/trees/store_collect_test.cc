#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "store/trees/memory_capture.h"
#include "store/trees/random_tree_for_test.h"
#include "store/trees/restore.h"
#include "store/trees/scratch_for_test.h"
#include "store/trees/tree_check.h"

namespace paddock::trees {
namespace {

using vfs::MemoryVolume;

class HandClock final : public Clock {
 public:
  Nanoseconds RealNow() const override { return now_; }
  Nanoseconds MonotonicNow() const override { return now_; }
  void Advance(Nanoseconds time) { now_ += time; }

 private:
  Nanoseconds now_{std::chrono::hours(1)};
};

const CollectOptions kAtOnce{.grace = Nanoseconds(0), .least_garbage = 0};

std::shared_ptr<MemoryVolume> VolumeWith(const std::string& name, const std::string& content) {
  auto volume = std::make_shared<MemoryVolume>(SystemClock(), vfs::Quota{});
  EXPECT_TRUE(volume->CreateFile(volume->root(), name, 0644, content));
  return volume;
}

ObjectId TreeOf(Store& store, vfs::Volume& volume) {
  Session session = store.Begin();
  const auto captured = Capture(session, volume);
  EXPECT_TRUE(captured) << captured.error().Text();
  return captured->tree;
}

void ExpectSound(Store& store, const std::vector<ObjectId>& roots) {
  const CheckReport report = CheckStore(store, roots);
  EXPECT_EQ(report.problem_count, 0u) << (report.problems.empty() ? "" : report.problems[0].text);
}

TEST(CollectTest, WhatNoRootLeadsToGoesAndTheRestStays) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch, {.block_bytes = 4096, .pack_bytes = 100'000});
  std::mt19937 random(1);
  std::vector<ObjectId> roots;
  std::vector<std::string> described;
  auto volume = std::make_shared<MemoryVolume>(SystemClock(), vfs::Quota{});
  for (int i = 0; i < 12; ++i) {
    Disturb(*volume, random, 40);
    roots.push_back(TreeOf(*store, *volume));
    described.push_back(Describe(*volume));
  }
  const StoreUsage before = store->usage();
  std::vector<ObjectId> kept{roots[3], roots[11]};
  const auto collected = CollectBut(*store, kept, kAtOnce);
  ASSERT_TRUE(collected) << collected.error().Text();
  EXPECT_GT(collected->objects, 0u);
  EXPECT_EQ(store->usage().objects, before.objects - collected->objects);
  EXPECT_LT(store->usage().disk_bytes, before.disk_bytes);
  for (int reopened = 0; reopened < 2; ++reopened) {
    ExpectSound(*store, kept);
    EXPECT_EQ(store->usage().objects, before.objects - collected->objects);
    EXPECT_EQ(Describe(**RestoreMemory(*store, roots[3], SystemClock(), {})), described[3]);
    EXPECT_EQ(Describe(**RestoreMemory(*store, roots[11], SystemClock(), {})), described[11]);
    EXPECT_FALSE(store->Has(roots[5]));
    store = nullptr;
    store = OpenStore(scratch);
  }
  ASSERT_TRUE(CollectBut(*store, {}, kAtOnce));
  EXPECT_EQ(store->usage().objects, 0u);
}

TEST(CollectTest, LittleGarbageWaitsWithEverythingItLeadsTo) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  const ObjectId large = TreeOf(*store, *VolumeWith("large", std::string(60'000, 'x')));
  const ObjectId small = TreeOf(*store, *VolumeWith("small", "y"));
  const auto collected = CollectBut(*store, {large}, {.grace = Nanoseconds(0), .least_garbage = 0.9});
  ASSERT_TRUE(collected) << collected.error().Text();
  EXPECT_EQ(collected->objects, 0u);
  EXPECT_TRUE(CheckTree(*store, small));
  EXPECT_GT(CollectBut(*store, {large}, kAtOnce)->objects, 0u);
  EXPECT_FALSE(store->Has(small));
}

TEST(CollectTest, YoungObjectsStayUntilTheirGraceIsOver) {
  const TemporaryDirectory scratch;
  HandClock clock;
  auto store = OpenStore(scratch, {.clock = &clock});
  clock.Advance(std::chrono::hours(1));
  const ObjectId old = TreeOf(*store, *VolumeWith("a", "x"));
  clock.Advance(std::chrono::seconds(500));
  const ObjectId young = TreeOf(*store, *VolumeWith("b", "y"));
  clock.Advance(std::chrono::seconds(101));
  const CollectOptions options{.grace = std::chrono::seconds(600), .least_garbage = 0};
  ASSERT_TRUE(CollectBut(*store, {}, options));
  EXPECT_FALSE(store->Has(old));
  EXPECT_TRUE(CheckTree(*store, young));
  clock.Advance(std::chrono::seconds(600));
  ASSERT_TRUE(CollectBut(*store, {}, options));
  EXPECT_FALSE(store->Has(young));
}

TEST(CollectTest, ASessionKeepsWhatItStoredAndMet) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  const auto volume = VolumeWith("a", "content");
  const ObjectId tree = TreeOf(*store, *volume);
  {
    Session session = store->Begin();
    ASSERT_TRUE(session.Touch(tree));
    ASSERT_TRUE(CollectBut(*store, {}, kAtOnce));
    EXPECT_TRUE(CheckTree(*store, tree));
  }
  ASSERT_TRUE(CollectBut(*store, {}, kAtOnce));
  EXPECT_FALSE(store->Has(tree));
}

TEST(CollectTest, ASessionThatEndsDuringACollectionHasItsRootHeard) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  const auto volume = VolumeWith("a", "content");
  auto before = std::make_unique<Session>(store->Begin());
  ObjectId kept = Capture(*before, *volume)->tree;
  ObjectId later;
  const auto collected = store->Collect(
      [&]() -> Result<std::vector<ObjectId>> {
        // Both end after the roots were asked for and before anything is taken away.
        before.reset();
        later = TreeOf(*store, *VolumeWith("b", "other"));
        return std::vector<ObjectId>();
      },
      kAtOnce);
  ASSERT_TRUE(collected) << collected.error().Text();
  EXPECT_TRUE(CheckTree(*store, kept));
  EXPECT_TRUE(CheckTree(*store, later));
  ASSERT_TRUE(CollectBut(*store, {}, kAtOnce));
  EXPECT_FALSE(store->Has(kept));
  EXPECT_FALSE(store->Has(later));
}

TEST(CollectTest, RootsThatCannotBeReadTakeNothingAway) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  const ObjectId tree = TreeOf(*store, *VolumeWith("a", "content"));
  const auto collected = store->Collect([]() -> Result<std::vector<ObjectId>> { return Error(Code::kIo, "no database"); }, kAtOnce);
  EXPECT_EQ(collected.error().code, Code::kIo);
  EXPECT_TRUE(CheckTree(*store, tree));
}

TEST(CollectTest, AMissingRootStopsEverything) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  const ObjectId tree = TreeOf(*store, *VolumeWith("a", "content"));
  EXPECT_EQ(CollectBut(*store, {IdOf(ObjectKind::kTree, "none")}, kAtOnce).error().code, Code::kNoEntry);
  EXPECT_TRUE(CheckTree(*store, tree));
}

TEST(CollectTest, RemembersThatACaptureIsGone) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  const auto volume = VolumeWith("a", "content");
  MemoryCapture memory;
  ObjectId tree;
  {
    Session session = store->Begin();
    tree = memory.Capture(session, *volume)->tree;
  }
  ASSERT_TRUE(CollectBut(*store, {}, kAtOnce));
  ASSERT_FALSE(store->Has(tree));
  Session session = store->Begin();
  EXPECT_EQ(memory.Capture(session, *volume)->tree, tree);
  EXPECT_TRUE(CheckTree(*store, tree));
}

TEST(CollectTest, IsSafeBesideCaptures) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch, {.block_bytes = 4096, .pack_bytes = 50'000});
  std::mutex mutex;
  std::vector<ObjectId> roots;
  std::atomic<int> running{2};
  const auto capture = [&](unsigned seed) {
    std::mt19937 random(seed);
    auto volume = std::make_shared<MemoryVolume>(SystemClock(), vfs::Quota{});
    MemoryCapture memory;
    for (int i = 0; i < 25; ++i) {
      Disturb(*volume, random, 15);
      Session session = store->Begin();
      const auto captured = memory.Capture(session, *volume);
      ASSERT_TRUE(captured) << captured.error().Text();
      const std::lock_guard lock(mutex);
      // Half of the trees are dropped again.
      if (random() % 2 == 0) roots.push_back(captured->tree);
      if (roots.size() > 6) roots.erase(roots.begin());
    }
    --running;
  };
  std::thread one(capture, 1);
  std::thread two(capture, 2);
  while (running > 0) {
    const auto now = [&] {
      const std::lock_guard lock(mutex);
      return roots;
    };
    const auto collected = store->Collect(now, kAtOnce);
    ASSERT_TRUE(collected) << collected.error().Text();
  }
  one.join();
  two.join();
  ExpectSound(*store, roots);
}

// A process that captures, reports and collects until it is killed.
[[noreturn]] void CaptureUntilKilled(const std::string& directory, int report, unsigned seed, std::vector<ObjectId> roots) {
  auto store = Store::Open(directory, {.block_bytes = 4096, .pack_bytes = 60'000});
  if (!store) _exit(1);
  std::mt19937 random(seed);
  auto volume = std::make_shared<MemoryVolume>(SystemClock(), vfs::Quota{});
  MemoryCapture memory;
  for (int i = 0;; ++i) {
    Disturb(*volume, random, 10);
    Session session = (*store)->Begin();
    const auto captured = memory.Capture(session, *volume);
    if (!captured) _exit(2);
    roots.push_back(captured->tree);
    if (write(report, captured->tree.bytes.data(), ObjectId::kSize) != static_cast<ssize_t>(ObjectId::kSize)) _exit(3);
    if (i % 3 == 2 && !CollectBut(**store, roots, kAtOnce)) _exit(4);
  }
}

TEST(TreeCrashTest, KilledAtAnyMomentItKeepsEveryFinishedTree) {
  const TemporaryDirectory scratch;
  { OpenStore(scratch); }
  std::vector<ObjectId> roots;
  std::mt19937 random(7);
  for (unsigned round = 0; round < 15; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      close(ends[0]);
      CaptureUntilKilled(scratch.Path("store"), ends[1], round, roots);
    }
    close(ends[1]);
    const size_t wanted = 1 + random() % 12;
    ObjectId id;
    for (size_t i = 0; i < wanted && read(ends[0], id.bytes.data(), ObjectId::kSize) == static_cast<ssize_t>(ObjectId::kSize); ++i) {
      roots.push_back(id);
    }
    // Some way into whatever comes next.
    for (volatile unsigned long turn = 0, turns = random() % 20'000'000; turn < turns;) turn = turn + 1;
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status)) << "round " << round << ": the writer failed with " << WEXITSTATUS(status);
    while (read(ends[0], id.bytes.data(), ObjectId::kSize) == static_cast<ssize_t>(ObjectId::kSize)) roots.push_back(id);
    close(ends[0]);
    auto store = OpenStore(scratch);
    ExpectSound(*store, roots);
    if (HasFailure()) return;
    if (roots.size() > 8) roots.erase(roots.begin(), roots.end() - 4);
  }
}

}  // namespace
}  // namespace paddock::trees
