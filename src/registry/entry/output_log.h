// OutputLog: what a process wrote, in order, by offset, so that a reader can come, go and come back.
//
// Offsets count the bytes of both streams together from 0. The beginning is kept in memory; what is beyond goes to a file
// that has no name, up to the process's own limit of output. Where there is no room for it, the beginning and the newest
// part stay, and a reader is told how much lies between them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "sandbox/sandbox.h"

namespace paddock::registry {

// Any thread; one writer.
class OutputLog {
 public:
  static constexpr size_t kMemoryBytes = 256 << 10;     // kept from the beginning, and from the end where the file is full
  static constexpr uint64_t kFileBytes = 512ull << 20;  // most that the file takes
  static constexpr size_t kPieceBytes = 16 << 10;       // most of one stream in a piece

  // `directory` takes the file; empty: none is made.
  explicit OutputLog(std::string directory) : directory_(std::move(directory)) {}

  void Append(sandbox::Stream stream, std::string_view bytes);
  // Nothing more will come. Idempotent.
  void End();

  struct Piece {
    uint64_t offset = 0;
    sandbox::Stream stream = sandbox::Stream::kStdout;
    std::string bytes;
  };
  struct Reading {
    std::vector<Piece> pieces;   // without gaps
    uint64_t next = 0;           // where to read on
    uint64_t lost = 0;           // bytes before the first piece that were asked for and are gone
    bool has_ended = false;      // and all of it has been read
  };
  using Time = std::chrono::steady_clock::time_point;
  // At most `most` bytes from `offset` on, waiting until `until` for the first. An offset past the end reads nothing.
  Reading Read(uint64_t offset, size_t most, Time until);

  uint64_t size() const;

  // Calls `watcher` after each Append and End, on the writer's thread and outside the lock; it must be quick. The number
  // takes it away again: when that returns it is not running.
  uint64_t AddWatcher(std::function<void()> watcher);
  void RemoveWatcher(uint64_t number);

 private:
  // Pieces are kept one after the other, each behind its stream and size: the first kMemoryBytes in memory, then in the file.
  struct Mark {
    uint64_t offset;     // of a piece
    uint64_t position;   // where it lies
  };

  void Seal();
  bool Store(std::string_view encoded);
  std::string Load(uint64_t position, size_t most) const;
  void ReadStored(uint64_t until, size_t& most, Reading& reading) const;
  static void Take(const Piece& piece, size_t& most, Reading& reading);
  void Notify();

  const std::string directory_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string head_;
  Descriptor file_;
  uint64_t stored_ = 0;          // bytes in head and file
  uint64_t stored_end_ = 0;      // the offset behind what they hold
  std::vector<Mark> marks_;
  Piece open_;                   // the newest piece, still growing
  bool is_full_ = false;         // the file takes no more; from then on the newest pieces are kept here
  std::deque<Piece> newest_;
  size_t newest_bytes_ = 0;
  uint64_t size_ = 0;
  bool has_ended_ = false;

  std::mutex watchers_mutex_;    // held while they run
  std::map<uint64_t, std::function<void()>> watchers_;
  uint64_t last_watcher_ = 0;
};

}  // namespace paddock::registry
