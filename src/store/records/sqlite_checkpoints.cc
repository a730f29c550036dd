#include "store/records/sqlite_checkpoints.h"

#include <chrono>

namespace paddock::records {
namespace {

constexpr uint64_t kCommits = 100;                       // some thousand pages at most
constexpr auto kRest = std::chrono::seconds(2);          // without that many: what there is

}  // namespace

SqliteCheckpoints::SqliteCheckpoints(std::unique_ptr<SqliteSession> session) : session_(std::move(session)), thread_([this] { Run(); }) {}

SqliteCheckpoints::~SqliteCheckpoints() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void SqliteCheckpoints::NoteCommit() {
  bool is_time = false;
  {
    const std::lock_guard lock(mutex_);
    ++commits_;
    is_time = commits_ == 1 || commits_ == kCommits;
  }
  if (is_time) changed_.notify_one();
}

void SqliteCheckpoints::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return is_ending_ || commits_ > 0; });
    changed_.wait_for(lock, kRest, [&] { return is_ending_ || commits_ >= kCommits; });
    if (is_ending_) return;   // the last connection that closes makes one
    commits_ = 0;
    lock.unlock();
    // Where that fails nothing is lost: it stays in the log, and a commit that finds no room says so.
    static_cast<void>(session_->Ask("PRAGMA wal_checkpoint(PASSIVE)"));
    static_cast<void>(session_->TakeFailure());
    lock.lock();
  }
}

}  // namespace paddock::records
