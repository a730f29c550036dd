#include "base/memory_meter.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>

#include "base/termination.h"

namespace paddock {
namespace {

thread_local int64_t live_bytes = 0;
thread_local int64_t ceiling_bytes = std::numeric_limits<int64_t>::max();
thread_local int64_t* ceiling_fuel = nullptr;

constexpr size_t kWorkRequest = 64 << 10;
constexpr size_t kMostWork = 1 << 30;
constexpr size_t kBytesOfStep = 32;

// A large request over the ceiling. Derives from bad_alloc because operator new may throw nothing else;
// the process boundary treats it as Termination(kMemory).
void* Allocate(size_t size, size_t alignment) {
  if (size >= kWorkRequest) [[unlikely]] {
    // Whoever takes so much writes to it next: a copy of a long string that counts as one step of a loop.
    if (ceiling_fuel != nullptr) *ceiling_fuel -= static_cast<int64_t>(std::min(size, kMostWork) / kBytesOfStep);
  }
  if (size >= MemoryMeter::kLargeRequest) [[unlikely]] {
    if (size > static_cast<size_t>(std::numeric_limits<int64_t>::max()) ||
        live_bytes > ceiling_bytes - static_cast<int64_t>(size)) {
      throw std::bad_alloc();
    }
  }
  void* block = alignment == 0 ? std::malloc(size == 0 ? 1 : size)
                               : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (block == nullptr) throw std::bad_alloc();
  live_bytes += static_cast<int64_t>(malloc_usable_size(block));
  if (live_bytes > ceiling_bytes && ceiling_fuel != nullptr) [[unlikely]] *ceiling_fuel = 0;
  return block;
}

void Release(void* block) noexcept {
  if (block == nullptr) return;
  live_bytes -= static_cast<int64_t>(malloc_usable_size(block));
  std::free(block);
}

}  // namespace

int64_t MemoryMeter::LiveBytes() { return live_bytes; }

MemoryMeter::Ceiling::Ceiling(int64_t ceiling, int64_t* fuel)
    : previous_(ceiling_bytes), previous_fuel_(ceiling_fuel) {
  ceiling_bytes = ceiling;
  ceiling_fuel = fuel;
}
MemoryMeter::Ceiling::~Ceiling() {
  ceiling_bytes = previous_;
  ceiling_fuel = previous_fuel_;
}

void ChargeExec(int64_t steps) {
  if (ceiling_fuel != nullptr) *ceiling_fuel -= steps;
}

// Without fast bins, whose whole content glibc merges again at every large allocation; the caches of each
// thread stay. Parsing a large script takes a tenth less.
void TuneAllocator() { mallopt(M_MXFAST, 0); }

void TuneAllocatorForOneRun() {
  constexpr size_t kAhead = 64 << 20, kLargest = 4 << 20, kLargePage = 2 << 20;
  mallopt(M_TOP_PAD, kAhead);
  mallopt(M_TRIM_THRESHOLD, 2 * kAhead);
  mallopt(M_MMAP_THRESHOLD, kLargest);
  // The heap grows for this block, and keeps what it grew by.
  void* const block = std::malloc(kLargePage);
  if (block == nullptr) return;
  const uintptr_t at = reinterpret_cast<uintptr_t>(block), begin = (at + kLargePage - 1) / kLargePage * kLargePage, end = reinterpret_cast<uintptr_t>(sbrk(0));
  std::free(block);
  if (begin >= end || end - begin > 2 * kAhead) return;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  // What lies before the first large page stays untouched, so that it is none of the program's memory.
  [[maybe_unused]] static void* volatile untouched = nullptr;
  if (begin - at > 64) untouched = std::malloc(begin - at - 32);
}

}  // namespace paddock

void* operator new(size_t size) { return paddock::Allocate(size, 0); }
void* operator new[](size_t size) { return paddock::Allocate(size, 0); }
void* operator new(size_t size, std::align_val_t alignment) {
  return paddock::Allocate(size, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment) {
  return paddock::Allocate(size, static_cast<size_t>(alignment));
}
// Null where the others throw: the standard library sorts with less memory then.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  try {
    return paddock::Allocate(size, 0);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new[](size_t size, const std::nothrow_t& tag) noexcept { return operator new(size, tag); }
void operator delete(void* block) noexcept { paddock::Release(block); }
void operator delete[](void* block) noexcept { paddock::Release(block); }
void operator delete(void* block, size_t) noexcept { paddock::Release(block); }
void operator delete[](void* block, size_t) noexcept { paddock::Release(block); }
void operator delete(void* block, std::align_val_t) noexcept { paddock::Release(block); }
void operator delete[](void* block, std::align_val_t) noexcept { paddock::Release(block); }
void operator delete(void* block, size_t, std::align_val_t) noexcept { paddock::Release(block); }
void operator delete[](void* block, size_t, std::align_val_t) noexcept { paddock::Release(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { paddock::Release(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { paddock::Release(block); }
