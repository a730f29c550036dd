#include "bounded_run.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>

#include "proc/kernel.h"
#include "vfs/memory_volume.h"

// Defaults of the sanitizer for the fuzz targets: the fuzzer's own library mixes the allocation functions
// that base/memory_meter.cc replaces with the C library's.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "alloc_dealloc_mismatch=0"; }
extern "C" const char* __ubsan_default_options();
extern "C" const char* __ubsan_default_options() { return "print_stacktrace=1"; }

namespace paddock::fuzz {
namespace {

constexpr Nanoseconds kMaxCpu = std::chrono::milliseconds(1500);

// The processor time of this thread: what other programs of the machine take does not count.
Nanoseconds CpuNow() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + Nanoseconds(now.tv_nsec);
}

class NoSources final : public IdleWaiter {
 public:
  void Wait(Nanoseconds) override {}
  void Interrupt() override {}
  bool HasSources() const override { return false; }
};

}  // namespace

CpuGuard::CpuGuard() : start_(CpuNow()) {}

CpuGuard::~CpuGuard() {
  const Nanoseconds used = CpuNow() - start_;
  if (used <= kMaxCpu) return;
  std::fprintf(stderr, "slow input: %lld ms of processor time\n", static_cast<long long>(used.count() / 1'000'000));
  std::abort();
}

LimitKind RunBounded(const std::function<void(Budget&)>& body, const Limits& limits) {
  const CpuGuard guard;
  Budget budget(limits, SystemClock());
  auto root = std::make_shared<vfs::MemoryVolume>(SystemClock(), vfs::Quota{});
  NoSources waiter;
  proc::Kernel kernel(std::make_unique<vfs::Namespace>(root), SystemClock(), waiter);
  root->set_scheduler(&kernel.scheduler());
  kernel.set_budget(&budget);
  kernel.StartInitial({0, 0}, [](proc::Process&) {}, [&](proc::Process&) {
    body(budget);
    return 0;
  });
  kernel.RunUntil([&] { return !kernel.HasLiveProcesses(); });
  kernel.EndAll();
  return budget.stopped_by();
}

}  // namespace paddock::fuzz
