#include "vfs/pipe.h"

#include <gtest/gtest.h>

#include "vfs/memory_volume.h"
#include "vfs/test_clock.h"

namespace paddock::vfs {
namespace {

std::string Drain(OpenFile& file, size_t max = 1 << 20) {
  std::string all;
  while (true) {
    auto block = file.ReadBlock(max);
    if (!block || block->bytes.empty()) return all;
    all.append(block->bytes);
  }
}

class PipeTest : public ::testing::Test {
 protected:
  void RunAll() {
    scheduler.RunUntil([this] { return scheduler.fiber_count() == 0; });
  }
  TestClock clock;
  Scheduler scheduler{clock};
};

TEST_F(PipeTest, CarriesMoreThanItHolds) {
  auto ends = MakePipe(scheduler, 4096);
  const std::string sent(1 << 20, 'x');
  std::string received;
  scheduler.Spawn([&, write = std::move(ends.write)]() mutable {
    EXPECT_TRUE(write->Write(sent).has_value());
    write.reset();
  });
  scheduler.Spawn([&, read = std::move(ends.read)] { received = Drain(*read, 1000); });
  RunAll();
  EXPECT_EQ(received.size(), sent.size());
}

TEST_F(PipeTest, ReadAfterLastWriterIsTheEnd) {
  auto ends = MakePipe(scheduler);
  ASSERT_TRUE(ends.write->Write("abc").has_value());
  ends.write.reset();
  EXPECT_EQ(Drain(*ends.read), "abc");
}

TEST_F(PipeTest, WriteWithoutReaderIsBrokenPipe) {
  auto ends = MakePipe(scheduler);
  ends.read.reset();
  EXPECT_EQ(ends.write->Write("x").error().code, Code::kBrokenPipe);
}

TEST_F(PipeTest, WaitingWriterLearnsThatReaderLeft) {
  auto ends = MakePipe(scheduler, 10);
  Status status;
  scheduler.Spawn([&] { status = ends.write->Write(std::string(5000, 'x')); });
  scheduler.Spawn([&] { ends.read.reset(); });
  RunAll();
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, Code::kBrokenPipe);
}

TEST_F(PipeTest, SmallWritesStayWhole) {
  auto ends = MakePipe(scheduler, 8192);
  std::string received;
  for (const char letter : {'a', 'b'}) {
    scheduler.Spawn([&, letter, write = ends.write] {
      for (int i = 0; i < 5; ++i) EXPECT_TRUE(write->Write(std::string(3000, letter)).has_value());
    });
  }
  ends.write.reset();
  scheduler.Spawn([&] { received = Drain(*ends.read, 512); });
  RunAll();
  ASSERT_EQ(received.size(), 30000u);
  for (size_t i = 0; i < received.size(); i += 3000) {
    EXPECT_EQ(received.substr(i, 3000), std::string(3000, received[i]));
  }
}

TEST_F(PipeTest, UnwoundWaiterIsForgotten) {
  auto ends = MakePipe(scheduler);
  Fiber* waiter = scheduler.Spawn([&] {
    try {
      static_cast<void>(ends.read->ReadBlock(1));
    } catch (const int&) {
    }
  });
  scheduler.Spawn([&] {
    waiter->on_wake = [](void*) { throw 1; };
    scheduler.Unpark(waiter);
    scheduler.Yield();
    // Would wake a fiber that is gone.
    EXPECT_TRUE(ends.write->Write("x").has_value());
  });
  RunAll();
}

TEST_F(PipeTest, OutsideFibersNothingWaits) {
  auto ends = MakePipe(scheduler);
  EXPECT_EQ(ends.read->ReadBlock(1).error().code, Code::kAgain);
  EXPECT_FALSE(ends.read->IsReadReady());
  EXPECT_EQ(ends.read->Seek(0, Whence::kCurrent).error().code, Code::kIllegalSeek);
  EXPECT_EQ(ends.read->description(), "pipe:[1]");
  EXPECT_EQ(ends.read->GetAttributes()->type, FileType::kFifo);
}

TEST_F(PipeTest, FifoOpenWaitsForTheOtherEnd) {
  MemoryVolume volume(clock, {});
  volume.set_scheduler(&scheduler);
  NewNode fifo;
  fifo.type = FileType::kFifo;
  const NodeId node = *volume.Create(volume.root(), "f", fifo);
  std::string order;
  std::string received;
  scheduler.Spawn([&] {
    auto read = volume.Open(node, OpenFlags::Read());
    order += 'r';
    received = Drain(**read);
  });
  scheduler.Spawn([&] {
    order += 'w';
    auto write = volume.Open(node, {.write = true});
    EXPECT_TRUE((*write)->Write("hello").has_value());
  });
  RunAll();
  EXPECT_EQ(order, "wr");
  EXPECT_EQ(received, "hello");
}

TEST_F(PipeTest, FifoNonblockingOpen) {
  MemoryVolume volume(clock, {});
  volume.set_scheduler(&scheduler);
  NewNode fifo;
  fifo.type = FileType::kFifo;
  const NodeId node = *volume.Create(volume.root(), "f", fifo);
  EXPECT_EQ(volume.Open(node, {.write = true, .nonblocking = true}).error().code, Code::kNoDevice);
  auto read = volume.Open(node, {.read = true, .nonblocking = true});
  ASSERT_TRUE(read.has_value());
  auto write = volume.Open(node, {.write = true, .nonblocking = true});
  ASSERT_TRUE(write.has_value());
  ASSERT_TRUE((*write)->Write("x").has_value());
  EXPECT_EQ((*read)->ReadBlock(10)->bytes, "x");
}

}  // namespace
}  // namespace paddock::vfs
