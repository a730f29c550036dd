// kill -9 of a writing process, again and again: what it was told is stored stays stored, and nothing is half there.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <random>
#include <thread>

#include "base/descriptor.h"
#include "store/records/store_for_test.h"

namespace paddock::records {
namespace {

class CrashTest : public StoreTest {
 protected:
  // Writes pairs of records from two threads until it is killed; tells each acknowledged one's number on `out`.
  [[noreturn]] void WriteForEver(int round, int out) {
    auto store = Records::Open(options_);
    if (!store) _exit(1);
    const auto write = [&](int thread) {
      for (int n = 0;; ++n) {
        const int32_t number = round * 1'000'000 + thread * 500'000 + n;
        const Status status = (*store)->Transact([&](Transaction& transaction) -> Status {
          PADDOCK_TRY(transaction.Insert(
              {.kind = "left", .id = std::to_string(number), .labels = {{"x", "y"}}, .body = std::string(2000, 'x')}));
          const Event event{.type = "wrote", .subject = std::to_string(number)};
          PADDOCK_TRY(transaction.AppendEvents("log", {&event, 1}));
          PADDOCK_TRY(transaction.Insert({.kind = "right", .id = std::to_string(number)}));
          return {};
        });
        if (!status || ::write(out, &number, sizeof number) != sizeof number) _exit(1);
      }
    };
    std::thread second([&] { write(1); });
    write(0);
    _exit(1);
  }
};
INSTANTIATE_TEST_SUITE_P(Both, CrashTest, testing::Values(Backend::kSqlite, Backend::kPostgres), BackendName);

TEST_P(CrashTest, KilledWriterLosesNoAcknowledgedWrite) {
  constexpr int kRounds = 12;
  std::mt19937 random(7);
  std::vector<int32_t> acknowledged;
  store_.reset();
  for (int round = 0; round < kRounds; ++round) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const Descriptor read_end(ends[0]);
    Descriptor write_end(ends[1]);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);
      WriteForEver(round, write_end.get());
    }
    write_end.Reset();
    // Killed after so many writes, at whatever it is doing then.
    const int enough = static_cast<int>(random() % 60) + 1;
    int32_t number;
    for (int n = 0; n < enough; ++n) {
      ASSERT_EQ(read(read_end.get(), &number, sizeof number), static_cast<ssize_t>(sizeof number)) << "the writer failed";
      acknowledged.push_back(number);
    }
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    while (read(read_end.get(), &number, sizeof number) == static_cast<ssize_t>(sizeof number)) acknowledged.push_back(number);

    store_ = Open();
    ASSERT_TRUE(store_);
    for (const int32_t stored : acknowledged) ASSERT_TRUE(store_->Get("right", std::to_string(stored))) << stored;
    const size_t left = *store_->Count({.kind = "left"}, 1'000'000);
    EXPECT_GE(left, acknowledged.size());
    EXPECT_EQ(*store_->Count({.kind = "right"}, 1'000'000), left);
    EXPECT_EQ(*store_->Count({.kind = "left", .labels = {{"x", "y"}}}, 1'000'000), left);
    EXPECT_EQ(static_cast<size_t>(store_->ReadEvents("log", 0, 1)->last), left);
    store_.reset();
  }
}

}  // namespace
}  // namespace paddock::records
