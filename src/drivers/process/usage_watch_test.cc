#include "drivers/process/usage_watch.h"

#include <gtest/gtest.h>

#include <fstream>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <functional>

namespace paddock::process_wall {
namespace {

using sandbox::Termination;

constexpr size_t kMiB = 1 << 20;

void Touch(size_t bytes) {
  auto* memory = static_cast<volatile char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  for (size_t at = 0; at < bytes; at += 4096) memory[at] = 1;
}

void Spin(std::chrono::milliseconds time) {
  timespec spent{};
  do {
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  } while (std::chrono::seconds(spent.tv_sec) + std::chrono::nanoseconds(spent.tv_nsec) < time);
}

// A process that says when it has done `work`, and stays.
class Busy {
 public:
  explicit Busy(const std::function<void()>& work) {
    int ready[2];
    if (pipe(ready) != 0) abort();
    pid_ = fork();
    if (pid_ == 0) {
      work();
      (void)!write(ready[1], "r", 1);
      while (true) pause();
    }
    char byte = 0;
    (void)!read(ready[0], &byte, 1);
    close(ready[0]);
    close(ready[1]);
  }
  ~Busy() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

// The work happens in a grandchild of the process that is watched.
void InGrandchild(const std::function<void()>& work) {
  int ready[2];
  if (pipe(ready) != 0) abort();
  if (fork() == 0) {
    if (fork() == 0) {
      work();
      (void)!write(ready[1], "r", 1);
    }
    // Ends with the watched process.
    char byte = 0;
    close(ready[1]);
    while (getppid() != 1 && read(ready[0], &byte, 0) == 0) usleep(1000);
    _exit(0);
  }
  char byte = 0;
  (void)!read(ready[0], &byte, 1);
}

// What this program holds: its children begin with it.
uint64_t OwnMemory() {
  std::ifstream statm("/proc/self/statm");
  uint64_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

TEST(UsageWatch, MemoryOfGrandchildrenCounts) {
  const Busy busy([] { InGrandchild([] { Touch(64 * kMiB); }); });
  UsageWatch watch(busy.pid(), {.memory_bytes = 32 * kMiB});
  EXPECT_TRUE(watch.Look());
}

TEST(UsageWatch, PagesThatProcessesShareCountOnce) {
  const Busy busy([] {
    Touch(64 * kMiB);
    InGrandchild([] {});
  });
  UsageWatch watch(busy.pid(), {.memory_bytes = 100 * kMiB + OwnMemory()});
  EXPECT_FALSE(watch.Look());
  EXPECT_EQ(watch.Interval(), std::chrono::milliseconds(10)) << "the resident sets alone are near the bound";
}

TEST(UsageWatch, ProcessorTimeCountsFromTheStartOfTheWatch) {
  const Busy busy([] { Spin(std::chrono::milliseconds(200)); });
  UsageWatch watch(busy.pid(), {.cpu_time = std::chrono::milliseconds(100)});
  EXPECT_FALSE(watch.Look());
}

TEST(UsageWatch, ProcessorTimeBeyondTheBoundIsTold) {
  int go[2];
  ASSERT_EQ(pipe(go), 0);
  const Busy busy([&] {
    if (fork() != 0) return;
    char byte = 0;
    (void)!read(go[0], &byte, 1);
    Spin(std::chrono::milliseconds(300));
    _exit(0);
  });
  UsageWatch watch(busy.pid(), {.cpu_time = std::chrono::milliseconds(100)});
  EXPECT_FALSE(watch.Look());
  (void)!write(go[1], "g", 1);
  std::optional<UsageWatch::Excess> excess;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!excess && std::chrono::steady_clock::now() < until) excess = watch.Look();
  ASSERT_TRUE(excess);
  EXPECT_EQ(excess->reason, Termination::Reason::kCpu);
  EXPECT_GE(excess->peak, 100'000'000u);
  close(go[0]);
  close(go[1]);
}

TEST(UsageWatch, MemoryBeyondTheBoundIsTold) {
  const Busy busy([] { Touch(64 * kMiB); });
  UsageWatch watch(busy.pid(), {.memory_bytes = 32 * kMiB});
  const auto excess = watch.Look();
  ASSERT_TRUE(excess);
  EXPECT_EQ(excess->reason, Termination::Reason::kOom);
  EXPECT_GE(excess->peak, 64 * kMiB);
}

TEST(UsageWatch, MemoryBelowTheBoundIsLeftAlone) {
  const Busy busy([] { Touch(64 * kMiB); });
  UsageWatch watch(busy.pid(), {.memory_bytes = 512 * kMiB + 8 * OwnMemory()});
  EXPECT_FALSE(watch.Look());
  EXPECT_GE(watch.peak_memory_bytes(), 64 * kMiB);
  EXPECT_EQ(watch.Interval(), std::chrono::milliseconds(100));
}

}  // namespace
}  // namespace paddock::process_wall
