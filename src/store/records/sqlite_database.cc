// SQLite: a write-ahead log, one writer, several readers. Transactions that arrive while another commits share the next
// commit: one thread runs them all, each within a savepoint, so that a wait for the disk serves many.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <vector>

#include "base/check.h"
#include "base/descriptor.h"
#include "store/records/records.h"
#include "store/records/schema.h"
#include "store/records/sql.h"
#include "store/records/sqlite_checkpoints.h"
#include "store/records/sqlite_session.h"

namespace paddock::records {
namespace {

constexpr size_t kMaxShared = 64;  // transactions of one commit

class SqliteDatabase : public Database {
 public:
  SqliteDatabase(const Options& options, std::unique_ptr<SqliteSession> writer, std::unique_ptr<SqliteSession> other)
      : path_(options.location),
        patience_(options.patience),
        max_readers_(std::max<size_t>(options.connections, 1)),
        writer_(std::move(writer)),
        checkpoints_(std::move(other)) {}

  Status Read(const Work& work) override {
    PADDOCK_ASSIGN(auto session, TakeReader());
    Status status = work(*session);
    if (const Status failure = session->TakeFailure(); !failure) status = failure;
    const std::lock_guard lock(readers_mutex_);
    idle_readers_.push_back(std::move(session));
    reader_is_idle_.notify_one();
    return status;
  }

  Status Write(const Work& work) override {
    Waiting mine{work};
    std::unique_lock lock(queue_mutex_);
    queue_.push_back(&mine);
    // The first in the queue works for those behind it.
    mine.changed.wait(lock, [&] { return mine.is_done || queue_.front() == &mine; });
    if (mine.is_done) return mine.status;
    const std::vector<Waiting*> shared(queue_.begin(),
                                       queue_.begin() + static_cast<std::ptrdiff_t>(std::min(queue_.size(), kMaxShared)));
    lock.unlock();
    RunShared(shared);
    checkpoints_.NoteCommit();
    lock.lock();
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(shared.size()));
    for (Waiting* waiting : shared) {
      waiting->is_done = true;
      if (waiting != &mine) waiting->changed.notify_one();
    }
    if (!queue_.empty()) queue_.front()->changed.notify_one();
    return mine.status;
  }

  const std::string& location() const override { return path_; }

 private:
  struct Waiting {
    explicit Waiting(const Work& its_work) : work(its_work) {}

    const Work& work;
    Status status;
    bool is_done = false;
    std::condition_variable changed;
  };

  Result<std::unique_ptr<SqliteSession>> TakeReader() {
    std::unique_lock lock(readers_mutex_);
    const bool is_ready =
        reader_is_idle_.wait_for(lock, patience_, [&] { return !idle_readers_.empty() || reader_count_ < max_readers_; });
    if (!is_ready)
      return Error(Code::kBusy, "database " + path_ + ": all " + std::to_string(max_readers_) + " readers are in use");
    if (!idle_readers_.empty()) {
      auto reader = std::move(idle_readers_.back());
      idle_readers_.pop_back();
      return reader;
    }
    ++reader_count_;
    lock.unlock();
    auto reader = SqliteSession::Open(path_, patience_);
    Status status = reader ? (*reader)->Execute("PRAGMA query_only = ON; PRAGMA cache_size = -4000") : Status(reader.error());
    if (status) return reader;
    lock.lock();
    --reader_count_;
    reader_is_idle_.notify_one();
    return status.error();
  }

  // What `work` says, or the statement that failed in it.
  Status RunWork(const Work& work) {
    Status status = work(*writer_);
    const Status failure = writer_->TakeFailure();
    return failure ? status : failure;
  }

  void RollBack() {
    if (writer_->is_in_transaction()) static_cast<void>(writer_->Execute("ROLLBACK"));
  }

  Status RunAlone(const Work& work) {
    PADDOCK_TRY(writer_->Execute("BEGIN IMMEDIATE"));
    Status status = RunWork(work);
    if (status) {
      PADDOCK_CHECK(writer_->is_in_transaction());
      status = writer_->Execute("COMMIT");
    }
    if (!status) RollBack();
    return status;
  }

  // Runs them in one transaction; false: it was rolled back, none took place.
  bool TryTogether(const std::vector<Waiting*>& shared) {
    if (!writer_->Execute("BEGIN IMMEDIATE")) return false;
    for (Waiting* waiting : shared) {
      if (!writer_->Run("SAVEPOINT one", {})) return false;
      waiting->status = waiting->work(*writer_);
      if (!writer_->TakeFailure()) return false;
      if (!waiting->status && !writer_->Run("ROLLBACK TO one", {})) return false;
      if (!writer_->Run("RELEASE one", {})) return false;
    }
    return writer_->Execute("COMMIT").has_value();
  }

  void RunShared(const std::vector<Waiting*>& shared) {
    if (shared.size() > 1) {
      if (TryTogether(shared)) return;
      RollBack();
      static_cast<void>(writer_->TakeFailure());
    }
    for (Waiting* waiting : shared) waiting->status = RunAlone(waiting->work);
  }

  const std::string path_;
  const Duration patience_;
  const size_t max_readers_;

  std::mutex queue_mutex_;
  std::deque<Waiting*> queue_;
  std::unique_ptr<SqliteSession> writer_;  // used by the first in the queue
  SqliteCheckpoints checkpoints_;

  std::mutex readers_mutex_;
  std::condition_variable reader_is_idle_;
  std::vector<std::unique_ptr<SqliteSession>> idle_readers_;
  size_t reader_count_ = 0;
};

// SQLite makes files that everybody may read; this one holds what others should not see.
Status MakeFileIfAbsent(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600));
  if (file || errno == EEXIST) return {};
  return SqliteError(path, SQLITE_CANTOPEN, errno, "");
}

Result<int64_t> AskNumber(SqliteSession& session, const std::string& sql) {
  PADDOCK_ASSIGN(const std::string text, session.Ask(sql));
  return static_cast<int64_t>(std::atoll(text.c_str()));
}

// Whether the file is ours, or holds nothing yet; any version. In a transaction: another program that makes its tables
// at this moment is seen before or after it.
Status CheckOwner(SqliteSession& session, const std::string& path) {
  PADDOCK_ASSIGN(const int64_t application, AskNumber(session, "PRAGMA application_id"));
  if (application == kApplicationId) return {};
  PADDOCK_ASSIGN(const int64_t tables, AskNumber(session, "SELECT count(*) FROM sqlite_master"));
  PADDOCK_ASSIGN(const int64_t version, AskNumber(session, "PRAGMA user_version"));
  if (application == 0 && tables == 0 && version == 0) return {};
  return Error(Code::kInvalid, "database " + path + " belongs to another program: give another path");
}

Status CheckOwnerFirst(SqliteSession& session, const std::string& path) {
  PADDOCK_TRY(session.Execute("BEGIN"));
  const Status status = CheckOwner(session, path);
  if (session.is_in_transaction()) static_cast<void>(session.Execute("ROLLBACK"));
  return status;
}

Status Migrate(SqliteSession& session, const std::string& path) {
  PADDOCK_TRY(session.Execute("BEGIN IMMEDIATE"));
  const auto steps = [&]() -> Status {
    PADDOCK_TRY(CheckOwner(session, path));
    PADDOCK_ASSIGN(int64_t version, AskNumber(session, "PRAGMA user_version"));
    if (version > kSchemaVersion || version < 0) {
      return Error(Code::kNotSupported, "database " + path + " has version " + std::to_string(version) +
                                            ", this program knows versions up to " + std::to_string(kSchemaVersion) +
                                            ": use a newer paddock");
    }
    if (version == kSchemaVersion) return {};
    for (; version < kSchemaVersion; ++version) PADDOCK_TRY(session.Execute(SchemaStep(version, Dialect::kSqlite)));
    return session.Execute("PRAGMA application_id = " + std::to_string(kApplicationId) +
                           "; PRAGMA user_version = " + std::to_string(version));
  };
  Status status = steps();
  if (status) status = session.Execute("COMMIT");
  if (!status && session.is_in_transaction()) static_cast<void>(session.Execute("ROLLBACK"));
  return status;
}

Status CheckDamage(SqliteSession& session, const std::string& path) {
  PADDOCK_ASSIGN(const std::string found, session.Ask("PRAGMA quick_check(1)"));
  if (found == "ok") return {};
  return SqliteError(path, SQLITE_CORRUPT, 0, found);
}

Status UseLog(SqliteSession& session, const Options& options) {
  PADDOCK_ASSIGN(std::string mode, session.Ask("PRAGMA journal_mode"));
  // SQLite does not wait for the lock of another program that does the same at this moment.
  for (int tries = 0; mode != "wal" && tries < 100; ++tries) {
    auto changed = session.Ask("PRAGMA journal_mode = WAL");
    if (!changed && changed.error().code != Code::kBusy) return changed.error();
    if (!changed && tries == 99) return changed.error();
    if (changed) {
      mode = *changed;
      break;
    }
    sqlite3_sleep(20);
  }
  if (mode != "wal") {
    return Error(Code::kNotSupported,
                 "database " + options.location + ": its file system cannot hold a write-ahead log; use a local disk");
  }
  const bool waits = options.durability == Durability::kPower;
  // SqliteCheckpoints comes before the writer's own checkpoint, which is for a log that never comes to rest.
  return session.Execute(std::string("PRAGMA synchronous = ") + (waits ? "FULL" : "NORMAL") +
                         "; PRAGMA journal_size_limit = 67108864; PRAGMA wal_autocheckpoint = 16384; PRAGMA cache_size = -16000");
}

}  // namespace

Result<std::unique_ptr<Database>> OpenSqlite(const Options& options) {
  const std::string& path = options.location;
  if (path.empty() || path.find('\0') != std::string::npos)
    return Error(Code::kInvalid, "the database's path is empty or holds a NUL byte");
  PADDOCK_TRY(MakeFileIfAbsent(path));
  PADDOCK_ASSIGN(auto writer, SqliteSession::Open(path, options.patience));
  if (writer->is_read_only()) return SqliteError(path, SQLITE_READONLY, 0, "");
  PADDOCK_TRY(CheckOwnerFirst(*writer, path));
  if (options.is_checked) PADDOCK_TRY(CheckDamage(*writer, path));
  PADDOCK_TRY(UseLog(*writer, options));
  PADDOCK_TRY(Migrate(*writer, path));
  PADDOCK_ASSIGN(auto other, SqliteSession::Open(path, options.patience));
  return std::unique_ptr<Database>(std::make_unique<SqliteDatabase>(options, std::move(writer), std::move(other)));
}

}  // namespace paddock::records
