#include "drivers/process/usage_watch.h"

#include <gtest/gtest.h>

#include <fstream>
#include <signal.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <ctime>
#include <functional>
#include <memory>
#include <string>

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

char StateOf(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  return text[text.rfind(')') + 2];
}

// A stop is obeyed a moment later.
bool ComesTo(pid_t process, bool is_stopped) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while ((StateOf(process) == 'T') != is_stopped) {
    if (std::chrono::steady_clock::now() > until) return false;
    sched_yield();
  }
  return true;
}

// A process with two children, one of which is stopped already.
class HeldProcessesTest : public testing::Test {
 protected:
  HeldProcessesTest() {
    int told[2];
    if (pipe(told) != 0) abort();
    init_ = std::make_unique<Busy>([&told] {
      std::array<pid_t, 2> children{};
      for (pid_t& child : children) {
        child = fork();
        if (child == 0) {
          prctl(PR_SET_PDEATHSIG, SIGKILL);
          while (true) pause();
        }
      }
      (void)!write(told[1], children.data(), sizeof children);
    });
    EXPECT_EQ(read(told[0], children_.data(), sizeof children_), static_cast<ssize_t>(sizeof children_));
    close(told[0]);
    close(told[1]);
    kill(children_[1], SIGSTOP);
    EXPECT_TRUE(ComesTo(children_[1], true));
  }
  ~HeldProcessesTest() override {
    for (const pid_t child : children_) kill(child, SIGKILL);
  }
  std::unique_ptr<Busy> init_;
  std::array<pid_t, 2> children_{};
};

TEST_F(HeldProcessesTest, AllButInitAreStoppedAndGoOn) {
  {
    const HeldProcesses held(init_->pid());
    EXPECT_TRUE(ComesTo(children_[0], true));
    EXPECT_NE(StateOf(init_->pid()), 'T');
  }
  EXPECT_TRUE(ComesTo(children_[0], false));
}

TEST_F(HeldProcessesTest, WhatSomebodyElseHasStoppedStaysSo) {
  { const HeldProcesses held(init_->pid()); }
  EXPECT_TRUE(ComesTo(children_[0], false));
  EXPECT_EQ(StateOf(children_[1]), 'T');
}

TEST(UsageWatch, BytesThatWereWrittenToADiskAreCounted) {
  const std::string path = testing::TempDir() + "written-" + std::to_string(getpid());
  int go[2], done[2];
  ASSERT_EQ(pipe(go) | pipe(done), 0);
  const Busy writer([&] {
    if (fork() != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    char byte = 0;
    (void)!read(go[0], &byte, 1);
    std::ofstream(path) << std::string(4 * kMiB, 'x');
    (void)!write(done[1], "d", 1);
    while (true) pause();
  });
  const auto before = WrittenInside(writer.pid());
  char byte = 0;
  ASSERT_EQ(write(go[1], "g", 1), 1);
  ASSERT_EQ(read(done[0], &byte, 1), 1);
  const auto after = WrittenInside(writer.pid());
  struct statfs system {};
  const bool is_in_memory = statfs(testing::TempDir().c_str(), &system) == 0 && system.f_type == 0x01021994;
  unlink(path.c_str());
  for (const int end : {go[0], go[1], done[0], done[1]}) close(end);
  if (!before || !after) GTEST_SKIP() << "this kernel does not tell what processes write";
  if (is_in_memory) GTEST_SKIP() << "the temporary directory is in memory";
  EXPECT_GE(*after - *before, 4 * kMiB);
}

}  // namespace
}  // namespace paddock::process_wall
