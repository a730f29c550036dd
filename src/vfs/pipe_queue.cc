#include "vfs/pipe_queue.h"

#include <algorithm>
#include <utility>

namespace paddock::vfs {

bool PipeQueue::WaitAmong(Waiters& waiters) {
  Fiber* self = scheduler_.current();
  if (self == nullptr) return false;
  // The fiber may be unwound while it waits; then it must not stay in the list.
  struct Enlisted {
    Waiters& list;
    Fiber* fiber;
    ~Enlisted() {
      const auto it = std::find(list.begin(), list.end(), fiber);
      if (it != list.end()) list.erase(it);
    }
  };
  waiters.push_back(self);
  const Enlisted enlisted{waiters, self};
  scheduler_.Park();
  return true;
}

void PipeQueue::Wake(Waiters& waiters) {
  for (Fiber* fiber : waiters) scheduler_.Unpark(fiber);
}

Result<Block> PipeQueue::Take(size_t max) {
  if (max == 0) return Block{};
  while (queued_ == 0) {
    if (writers_ == 0) return Block{};
    if (!WaitAmong(waiting_readers_)) return Code::kAgain;
  }
  const std::shared_ptr<std::string>& front = blocks_.front();
  const std::string_view taken = std::string_view(*front).substr(front_used_, max);
  Block block{front, taken};
  front_used_ += taken.size();
  queued_ -= taken.size();
  if (front_used_ == front->size()) {
    blocks_.pop_front();
    front_used_ = 0;
  }
  Wake(waiting_writers_);
  return block;
}

void PipeQueue::Append(std::string_view bytes) {
  queued_ += bytes.size();
  // A block that a reader holds has to stay as it is, even beyond what the reader sees of it,
  // because growing could move it.
  constexpr size_t kSmallBlock = 4096;
  if (!blocks_.empty()) {
    std::string& last = *blocks_.back();
    if (blocks_.back().use_count() == 1 && last.capacity() - last.size() >= bytes.size()) {
      last.append(bytes);
      return;
    }
  }
  auto block = std::make_shared<std::string>();
  block->reserve(std::max(bytes.size(), kSmallBlock));
  block->append(bytes);
  blocks_.push_back(std::move(block));
}

Status PipeQueue::Put(std::string_view bytes) {
  while (!bytes.empty()) {
    if (readers_ == 0) return Code::kBrokenPipe;
    const size_t room = capacity_ > queued_ ? capacity_ - queued_ : 0;
    const size_t needed = bytes.size() <= kAtomicBytes ? std::min(bytes.size(), capacity_) : 1;
    if (room < needed) {
      if (!WaitAmong(waiting_writers_)) return Code::kAgain;
      continue;
    }
    const std::string_view piece = bytes.substr(0, room);
    Append(piece);
    bytes.remove_prefix(piece.size());
    Wake(waiting_readers_);
  }
  return {};
}

void PipeQueue::Clear() {
  blocks_.clear();
  front_used_ = 0;
  queued_ = 0;
}

void PipeQueue::AddReader() {
  ++readers_;
  ++reader_opens_;
  Wake(waiting_writers_);
}

void PipeQueue::AddWriter() {
  ++writers_;
  ++writer_opens_;
  Wake(waiting_readers_);
}

void PipeQueue::DropReader() {
  if (--readers_ > 0) return;
  if (writers_ == 0) Clear();
  Wake(waiting_writers_);
}

void PipeQueue::DropWriter() {
  if (--writers_ > 0) return;
  if (readers_ == 0) Clear();
  Wake(waiting_readers_);
}

Status PipeQueue::AwaitReader() {
  const uint64_t seen = reader_opens_;
  while (readers_ == 0 && reader_opens_ == seen) {
    if (!WaitAmong(waiting_writers_)) return Code::kAgain;
  }
  return {};
}

Status PipeQueue::AwaitWriter() {
  const uint64_t seen = writer_opens_;
  while (writers_ == 0 && writer_opens_ == seen) {
    if (!WaitAmong(waiting_readers_)) return Code::kAgain;
  }
  return {};
}

PipeEnd::PipeEnd(std::shared_ptr<PipeQueue> queue, bool reads, bool writes, Origin origin)
    : queue_(std::move(queue)), reads_(reads), writes_(writes), origin_(std::move(origin)) {
  if (reads_) queue_->AddReader();
  if (writes_) queue_->AddWriter();
}

PipeEnd::~PipeEnd() {
  if (reads_) queue_->DropReader();
  if (writes_) queue_->DropWriter();
}

Result<Block> PipeEnd::ReadBlock(size_t max) {
  if (!reads_) return Code::kBadDescriptor;
  // The descriptor may be closed by another fiber while this one waits.
  const std::shared_ptr<PipeQueue> queue = queue_;
  return queue->Take(max);
}

Status PipeEnd::Write(std::string_view bytes) {
  if (!writes_) return Code::kBadDescriptor;
  const std::shared_ptr<PipeQueue> queue = queue_;
  return queue->Put(bytes);
}

void PipeEnd::set_path(std::string path) {
  if (origin_.description.empty()) origin_.description = std::move(path);
}

}  // namespace paddock::vfs
