// Counts the heap bytes of the current thread by replacing operator new and delete.
//
// An exec runs on one thread, so the difference between two readings is what it holds: strings, trees,
// buffers of every command and library, whatever path allocated them. Memory that C libraries take with
// malloc() is not counted; those are given limits of their own where they are called. A single request
// over kLargeRequest is checked against the installed ceiling before it is made, and one of 64 KiB and more charges the
// exec a step for 32 bytes, for the copy that it is taken for.
#pragma once

#include <cstddef>
#include <cstdint>

namespace paddock {

class MemoryMeter {
 public:
  // Bytes allocated minus bytes freed by this thread so far; may be negative when the thread frees
  // what another one allocated.
  static int64_t LiveBytes();

  // While one exists, a single large allocation that would lift LiveBytes() above `ceiling` throws
  // instead of being made. A small one that does so is made, and sets `*fuel` to 0: the Budget looks at the
  // limit in its next Step(), not thousands of steps and as many allocations later.
  class Ceiling {
   public:
    Ceiling(int64_t ceiling, int64_t* fuel);
    ~Ceiling();
    Ceiling(const Ceiling&) = delete;
    Ceiling& operator=(const Ceiling&) = delete;

   private:
    int64_t previous_;
    int64_t* previous_fuel_;
  };

  static constexpr size_t kLargeRequest = 1 << 20;
};

// Charges steps to the budget of the exec that runs on this thread, if there is one, where none is at hand and nothing may be thrown: a
// walk of a path. Its next Step() looks at the limits when that was much.
void ChargeExec(int64_t steps);

// Settings of the C library's allocator for a program full of sandboxes. Once, early in main().
void TuneAllocator();
// Settings for a program that runs one script and ends: the heap grows in large steps, in large pages where the kernel has them, and
// gives nothing back in between. Fresh small pages cost a short command more than its work.
void TuneAllocatorForOneRun();

}  // namespace paddock
