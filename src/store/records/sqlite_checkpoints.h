// SqliteCheckpoints: moves what the write-ahead log has grown by into the database, on a thread of its own, so that no transaction waits for it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

#include "store/records/sqlite_session.h"

namespace paddock::records {

// Any thread, but for the destructor.
class SqliteCheckpoints {
 public:
  // `session` is used by nobody else.
  explicit SqliteCheckpoints(std::unique_ptr<SqliteSession> session);
  ~SqliteCheckpoints();
  SqliteCheckpoints(const SqliteCheckpoints&) = delete;
  SqliteCheckpoints& operator=(const SqliteCheckpoints&) = delete;

  // To be told behind each commit. Never waits for the disk.
  void NoteCommit();

 private:
  void Run();

  const std::unique_ptr<SqliteSession> session_;
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t commits_ = 0;     // since the last checkpoint
  bool is_ending_ = false;
  std::thread thread_;       // last: begins when all else is there
};

}  // namespace paddock::records
