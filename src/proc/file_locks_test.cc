#include "proc/file_locks.h"

#include <gtest/gtest.h>

#include "base/fiber.h"

namespace paddock::proc {
namespace {

class Description final : public vfs::OpenFile {
 public:
  explicit Description(uint64_t inode) : inode_(inode) {}
  Result<Block> ReadBlock(size_t) override { return Code::kBadDescriptor; }
  void GiveBack(size_t) override {}
  Status Write(std::string_view) override { return Code::kBadDescriptor; }
  Result<vfs::Attributes> GetAttributes() const override { return vfs::Attributes{.inode = inode_, .device = 1}; }
  bool is_readable() const override { return true; }
  bool is_writable() const override { return false; }
  std::string description() const override { return "file"; }

 private:
  uint64_t inode_;
};

using Kind = FileLocks::Kind;

TEST(FileLocks, ExclusiveKeepsOthersOutUntilTheLastOwnerCloses) {
  Scheduler scheduler(SystemClock());
  FileLocks locks(scheduler);
  auto first = std::make_shared<Description>(7);
  auto inherited = first;
  Description second(7), other_file(8);
  EXPECT_TRUE(locks.TryLock(*first, Kind::kExclusive).has_value());
  EXPECT_EQ(locks.TryLock(second, Kind::kExclusive).error().code, Code::kAgain);
  EXPECT_EQ(locks.TryLock(second, Kind::kShared).error().code, Code::kAgain);
  EXPECT_TRUE(locks.TryLock(other_file, Kind::kExclusive).has_value());
  first.reset();
  EXPECT_FALSE(locks.TryLock(second, Kind::kShared).has_value());
  inherited.reset();
  EXPECT_TRUE(locks.TryLock(second, Kind::kShared).has_value());
}

TEST(FileLocks, SharedOnesGoTogetherAndChangeInPlace) {
  Scheduler scheduler(SystemClock());
  FileLocks locks(scheduler);
  Description a(1), b(1);
  EXPECT_TRUE(locks.TryLock(a, Kind::kShared).has_value());
  EXPECT_TRUE(locks.TryLock(b, Kind::kShared).has_value());
  EXPECT_FALSE(locks.TryLock(a, Kind::kExclusive).has_value());
  EXPECT_EQ(a.lock(), nullptr);   // what was held is lost, as with flock(2)
  FileLocks::Unlock(b);
  EXPECT_TRUE(locks.TryLock(a, Kind::kExclusive).has_value());
}

TEST(FileLocks, TablesDoNotSeeEachOtherAndMayGoFirst) {
  Scheduler scheduler(SystemClock());
  Description a(1), b(1);
  {
    FileLocks one(scheduler), two(scheduler);
    EXPECT_TRUE(one.TryLock(a, Kind::kExclusive).has_value());
    EXPECT_TRUE(two.TryLock(b, Kind::kExclusive).has_value());
  }
  EXPECT_NE(a.lock(), nullptr);
}

}  // namespace
}  // namespace paddock::proc
