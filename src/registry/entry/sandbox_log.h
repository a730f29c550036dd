// SandboxLog: what all execs of a sandbox wrote, in the order in which it came, with time, stream and process; bounded, and
// kept across restarts.
//
// Pieces have offsets that only grow. The newest lie in memory, for at most some seconds, then in files named ID.OFFSET, oldest
// deleted first. A kill of the daemon loses what was in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/entry/lease.h"
#include "sandbox/sandbox.h"

namespace paddock::registry {

// Any thread.
class SandboxLog {
 public:
  static constexpr size_t kMemoryBytes = 64 << 10;   // held back at most
  static constexpr size_t kPieceBytes = 16 << 10;    // most of one piece

  struct Settings {
    std::string directory;                     // empty: memory alone
    uint64_t most_bytes = 16 << 20;            // of all files; those of a quarter of it are begun anew
    std::optional<Duration> most_age;          // older pieces are neither shown nor kept
  };
  // The files that are there from before, by the offset that each begins with.
  using Files = std::map<uint64_t, uint64_t>;   // offset, bytes
  SandboxLog(std::string sandbox, Settings settings, const Files& files = {});

  void Append(std::string_view process, sandbox::Stream stream, Time at, std::string_view bytes);
  // Writes what lies in memory. What cannot be written stays there, up to kMemoryBytes.
  void Flush(Time now);
  bool has_unwritten() const;
  // Deletes what is too old or too much.
  void Trim(Time now);
  // Nothing comes any more; takes everything away.
  void Remove();

  struct Piece {
    uint64_t offset = 0;       // of its beginning
    uint64_t next = 0;         // of what comes behind it
    Time at{};
    sandbox::Stream stream = sandbox::Stream::kStdout;
    std::string process;
    std::string bytes;
  };
  struct Reading {
    std::vector<Piece> pieces;
    uint64_t next = 0;          // where to read on
    bool is_complete = true;    // false: something between the asked offset and the first piece is gone
    bool has_ended = false;
  };
  // From `offset` on (a piece's, or what comes behind one; else the next piece), only pieces not older than `since`; pieces of together at
  // most `most` bytes, at least one if there is any.
  Reading Read(uint64_t offset, std::optional<Time> since, size_t most, Time now);

  // As OutputLog's.
  uint64_t AddWatcher(std::function<void()> watcher);
  void RemoveWatcher(uint64_t number);

  // "ID.OFFSET" taken apart; none: it is no such name.
  static std::optional<std::pair<std::string, uint64_t>> ParseName(std::string_view name);

 private:
  std::string PathOf(uint64_t start) const;
  void Seal();
  void Write(Time now);
  void DropOldest();
  void Notify();

  const std::string sandbox_;
  const Settings settings_;
  mutable std::mutex mutex_;
  Files files_;                        // the last one is written to, if is_open_
  Time began_{};                       // the last one was
  bool is_open_ = false;
  std::string memory_;                 // encoded pieces behind the files
  uint64_t memory_start_ = 0;          // the offset of the first
  Piece open_;                         // still growing
  bool has_ended_ = false;

  std::mutex watchers_mutex_;          // held while they run
  std::map<uint64_t, std::function<void()>> watchers_;
  uint64_t last_watcher_ = 0;
};

}  // namespace paddock::registry
