// PipeQueue: the bounded byte queue behind pipes and FIFOs, and the open files at its ends.
//
// Not an interface of the folder: pipe.h and FIFOs of memory volumes are built on it.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/fiber.h"
#include "vfs/open_file.h"

namespace paddock::vfs {

class PipeQueue {
 public:
  // Writes of at most this many bytes are never split. Source: POSIX PIPE_BUF.
  static constexpr size_t kAtomicBytes = 4096;

  PipeQueue(Scheduler& scheduler, size_t capacity) : scheduler_(scheduler), capacity_(capacity) {}

  // Waits while the queue is empty and has writers. Outside fibers kAgain instead of waiting.
  Result<Block> Take(size_t max);
  // Waits while the queue is full and has readers; kBrokenPipe without readers.
  Status Put(std::string_view bytes);
  bool IsReadReady() const { return queued_ > 0 || writers_ == 0; }
  size_t queued_bytes() const { return queued_; }

  void AddReader();
  void AddWriter();
  void DropReader();
  void DropWriter();
  bool HasReaders() const { return readers_ > 0; }
  // Opening a FIFO: waits until the other side is, or has meanwhile been, open.
  Status AwaitReader();
  Status AwaitWriter();

 private:
  using Waiters = std::vector<Fiber*>;
  // Parks the fiber among `waiters`; false outside fibers.
  bool WaitAmong(Waiters& waiters);
  void Wake(Waiters& waiters);
  void Append(std::string_view bytes);
  void Clear();

  Scheduler& scheduler_;
  const size_t capacity_;
  std::deque<std::shared_ptr<std::string>> blocks_;  // none is empty
  size_t front_used_ = 0;                            // bytes of the first block that were taken
  size_t queued_ = 0;
  size_t readers_ = 0;
  size_t writers_ = 0;
  uint64_t reader_opens_ = 0;
  uint64_t writer_opens_ = 0;
  Waiters waiting_readers_;  // for bytes or for a writer
  Waiters waiting_writers_;  // for room or for a reader
};

// An open end of a queue: the read end, the write end, or both (a FIFO opened for both).
class PipeEnd final : public OpenFile {
 public:
  // What the ends share besides the queue. `attributes` answers fstat.
  struct Origin {
    std::string description;
    std::function<Result<Attributes>()> attributes;
  };
  PipeEnd(std::shared_ptr<PipeQueue> queue, bool reads, bool writes, Origin origin);
  ~PipeEnd() override;

  Result<Block> ReadBlock(size_t max) override;
  void GiveBack(size_t /*count*/) override {}
  Status Write(std::string_view bytes) override;
  Result<Attributes> GetAttributes() const override { return origin_.attributes(); }
  bool IsReadReady() const override { return !reads_ || queue_->IsReadReady(); }
  bool is_readable() const override { return reads_; }
  bool is_writable() const override { return writes_; }
  std::string description() const override { return origin_.description; }
  void set_path(std::string path) override;

 private:
  const std::shared_ptr<PipeQueue> queue_;
  const bool reads_;
  const bool writes_;
  Origin origin_;
};

}  // namespace paddock::vfs
