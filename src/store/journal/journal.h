// Journal: an append-only file of what happened to one sandbox since a base: the changes of its files and of its shell.
//
// It starts with the name of the base (what that means is the owner's business) and goes on with numbered records. A record
// is written before Append() returns, so it outlives the death of this process; with Options::syncs the machine's, too.
// Nothing of a record that was cut off is ever seen: each has a checksum, and a torn tail is cut when the file is opened.
// When it has grown, the owner gives one record that says the same as all, and a new file takes the old one's place.
//
// The bytes of records are not looked at. A journal has one owner and is used by one thread at a time. The format is told
// in docs/persistence.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace paddock::store {

class Journal {
 public:
  struct Options {
    bool syncs = false;                       // records outlive a loss of power, too: some milliseconds each
    uint64_t compact_bytes = 4ull << 20;      // ask for one record instead of many when the file is larger
    uint64_t max_record_bytes = 4ull << 30;   // kFileTooBig beyond
  };
  struct Record {
    uint64_t sequence = 0;   // counts up by one, over all files that followed each other
    std::string_view files;
    std::string_view state;
  };
  // What the file starts with when all was written anew: the base, and all changes since it as one record, unless there
  // are none.
  struct Start {
    std::string base;
    std::string files;
    std::string state;
  };
  using Visit = std::function<Status(const Record& record)>;
  using Compact = std::function<Result<Start>()>;

  // A new journal at `path`, whose folder exists. kExists.
  static Result<std::unique_ptr<Journal>> Create(std::string path, const Start& start, const Options& options);
  // Reads a journal: visits its records in order (the views hold during the call; an error of the visit ends it) and cuts
  // a torn tail. kNoEntry; kIo if it is damaged in the middle, which no crash does, and then leaves it alone; kInvalid if it
  // is no journal of this version.
  static Result<std::unique_ptr<Journal>> Open(std::string path, const Options& options, const Visit& visit);
  // The base of the journal at `path`, whatever its owner does with it meanwhile; nothing else is read. Errors as of Open().
  static Result<std::string> BaseOf(const std::string& path);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Writes a record with the next number. After an error it is as if it had not been called. Then compacts if that is due.
  Status Append(std::string_view files, std::string_view state);
  // Writes all anew in one step: after a crash there is the old file or the new one. Keeps the sequence number.
  Status Restart(const Start& start);
  // What Append() calls when the file is larger than Options::compact_bytes and has doubled since the last time.
  void set_compact(Compact compact) { compact_ = std::move(compact); }
  // Why the last compaction failed. Appending goes on all the same, and the next one is tried when the file has doubled.
  const Status& compaction() const { return compaction_; }

  const std::string& base() const { return base_; }
  uint64_t sequence() const { return sequence_; }   // of the last record; 0 before the first one
  uint64_t bytes() const { return size_; }
  uint64_t torn_bytes() const { return torn_bytes_; }   // cut off when it was opened
  // Closes the descriptor until the next record, for owners of many idle journals.
  void Park();

 private:
  Journal(std::string path, const Options& options) : path_(std::move(path)), options_(options) {}
  Status Read(const Visit& visit);
  Status Reach();
  void SetNextCompaction();

  const std::string path_;
  const Options options_;
  Compact compact_;
  Status compaction_;
  std::string base_;
  int descriptor_ = -1;
  uint64_t device_ = 0;   // with inode_: the file that this journal wrote
  uint64_t inode_ = 0;
  uint64_t size_ = 0;
  uint64_t sequence_ = 0;
  uint64_t torn_bytes_ = 0;
  uint64_t next_compaction_ = 0;
};

}  // namespace paddock::store
