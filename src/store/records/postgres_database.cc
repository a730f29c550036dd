// PostgreSQL: a pool of connections. A lost one is replaced, with growing pauses while the server is away; what had not reached
// its COMMIT is run again, what had is reported as unknown.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "store/records/postgres_library.h"
#include "store/records/postgres_session.h"
#include "store/records/postgres_url.h"
#include "store/records/records.h"
#include "store/records/schema.h"
#include "store/records/sql.h"

namespace paddock::records {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr int kMaxTries = 6;  // of one transaction
constexpr Duration kFirstPause{50};
constexpr Duration kLongestPause{5000};
constexpr int64_t kMigrationLock = 0x5064636b;  // advisory

class PostgresDatabase : public Database {
 public:
  PostgresDatabase(const Options& options, std::shared_ptr<const PostgresLibrary> library, PostgresUrl url)
      : library_(std::move(library)),
        url_(std::move(url)),
        schema_(options.schema),
        patience_(options.patience),
        max_sessions_(std::max<size_t>(options.connections, 1)) {}

  Status Read(const Work& work) override {
    return Repeat([&](PostgresSession& session) {
      Status status = work(session);
      const Status failure = session.TakeFailure();
      return failure ? Outcome{status, false} : Outcome{failure, MayRepeat(session)};
    });
  }

  Status Write(const Work& work) override {
    return Repeat([&](PostgresSession& session) { return RunTransaction(session, work); });
  }

  const std::string& location() const override { return url_.shown; }
  const std::string& schema() const { return schema_; }

 private:
  struct Outcome {
    Status status;
    bool may_repeat = false;
  };
  using Handle = std::unique_ptr<PostgresSession>;

  static bool MayRepeat(const PostgresSession& session) {
    return session.trouble() == Trouble::kRepeat || session.trouble() == Trouble::kLost;
  }

  Outcome RunTransaction(PostgresSession& session, const Work& work) {
    if (Status begun = session.Execute("BEGIN"); !begun) return {begun, MayRepeat(session)};
    Status status = work(session);
    const Status failure = session.TakeFailure();
    if (!failure) status = failure;
    if (!status) {
      const bool may_repeat = !failure && MayRepeat(session);
      if (!session.is_lost()) static_cast<void>(session.Execute("ROLLBACK"));
      return {status, may_repeat};
    }
    status = session.Commit();
    if (status) return {};
    if (session.trouble() != Trouble::kLost) return {status, MayRepeat(session)};
    return {
        Error(Code::kUnavailable, std::string(status.error().Text()) + "; it is not known whether the transaction took place"),
        false};
  }

  template <class Try>
  Status Repeat(const Try& attempt) {
    for (int tries = 1;; ++tries) {
      PADDOCK_ASSIGN(Handle session, Take());
      const Outcome outcome = attempt(*session);
      GiveBack(std::move(session));
      if (!outcome.may_repeat || tries == kMaxTries) return outcome.status;
    }
  }

  // An idle connection, or a new one. Waits for either until the patience is at its end.
  Result<Handle> Take() {
    const SteadyTime deadline = std::chrono::steady_clock::now() + patience_;
    std::unique_lock lock(mutex_);
    const bool is_ready = changed_.wait_until(lock, deadline, [&] { return !idle_.empty() || count_ < max_sessions_; });
    if (!is_ready) {
      return Error(Code::kBusy, "database " + url_.shown + ": all " + std::to_string(max_sessions_) + " connections are in use");
    }
    if (!idle_.empty()) {
      Handle session = std::move(idle_.back());
      idle_.pop_back();
      return session;
    }
    ++count_;
    auto session = Connect(lock, deadline);
    if (!session) {
      --count_;
      changed_.notify_one();
    }
    return session;
  }

  // `lock` is held before and after, not while connecting. Attempts of all callers keep the pause between them.
  Result<Handle> Connect(std::unique_lock<std::mutex>& lock, SteadyTime deadline) {
    for (;;) {
      const SteadyTime start = std::max(next_attempt_, std::chrono::steady_clock::now());
      if (start > deadline && last_error_) return *last_error_;
      next_attempt_ = start + pause_;
      while (std::chrono::steady_clock::now() < start) pause_over_.wait_until(lock, start);
      lock.unlock();
      bool may_help_to_wait = false;
      auto session = PostgresSession::Connect(library_, url_, schema_, &may_help_to_wait);
      lock.lock();
      if (session) {
        pause_ = kFirstPause;
        next_attempt_ = {};
        last_error_.reset();
        return session;
      }
      if (!may_help_to_wait) return session.error();
      last_error_ = session.error();
      pause_ = std::min(pause_ * 2, kLongestPause);
      if (std::chrono::steady_clock::now() >= deadline) return session.error();
    }
  }

  void GiveBack(Handle session) {
    const bool is_good = !session->is_lost() && session->trouble() != Trouble::kLost && session->is_idle();
    std::vector<Handle> stale;  // closed without the lock
    const std::lock_guard lock(mutex_);
    if (is_good) {
      idle_.push_back(std::move(session));
    } else {
      // The server that took this one away took the idle ones too.
      stale.swap(idle_);
      stale.push_back(std::move(session));
      count_ -= stale.size();
    }
    changed_.notify_all();
  }

  const std::shared_ptr<const PostgresLibrary> library_;
  const PostgresUrl url_;
  const std::string schema_;
  const Duration patience_;
  const size_t max_sessions_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable pause_over_;  // nobody notifies: it ends with time
  std::vector<Handle> idle_;
  size_t count_ = 0;  // idle and in use
  SteadyTime next_attempt_{};
  Duration pause_ = kFirstPause;
  std::optional<Error> last_error_;
};

Result<int64_t> AskNumber(Session& session, std::string_view sql, std::span<const Value> parameters) {
  int64_t number = 0;
  PADDOCK_TRY(session.Run(sql, parameters, [&](const Row& row) {
    number = row.Integer(0);
    return true;
  }));
  return number;
}

// In one transaction, alone among the daemons that start now.
Status Migrate(PostgresSession& session, const std::string& schema, const std::string& shown) {
  PADDOCK_TRY(session.Run("SELECT pg_advisory_xact_lock($1)", {kMigrationLock}));
  const Value name(schema);
  const std::string is_there = "SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname = $1";
  PADDOCK_ASSIGN(const int64_t schemas, AskNumber(session, is_there, {&name, 1}));
  if (schemas == 0) PADDOCK_TRY(session.Execute("CREATE SCHEMA " + schema));
  const std::string tables_of =
      "SELECT count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1";
  PADDOCK_ASSIGN(const int64_t tables, AskNumber(session, tables_of, {&name, 1}));
  PADDOCK_ASSIGN(const int64_t marks, AskNumber(session, tables_of + " AND c.relname = 'paddock_schema'", {&name, 1}));
  int64_t version = 0;
  if (marks == 0 && tables > 0) {
    return Error(Code::kInvalid,
                 "database " + shown + ": schema " + schema + " belongs to another program: give another schema or database");
  }
  if (marks == 0) {
    PADDOCK_TRY(session.Execute("CREATE TABLE paddock_schema (version BIGINT NOT NULL); INSERT INTO paddock_schema VALUES (0)"));
  } else {
    PADDOCK_ASSIGN(version, AskNumber(session, "SELECT version FROM paddock_schema", {}));
  }
  if (version > kSchemaVersion || version < 0) {
    return Error(Code::kNotSupported, "database " + shown + " has version " + std::to_string(version) +
                                          ", this program knows versions up to " + std::to_string(kSchemaVersion) +
                                          ": use a newer paddock");
  }
  if (version == kSchemaVersion) return {};
  for (; version < kSchemaVersion; ++version) PADDOCK_TRY(session.Execute(SchemaStep(version, Dialect::kPostgres)));
  return session.Execute("UPDATE paddock_schema SET version = " + std::to_string(version));
}

bool IsSchemaName(std::string_view name) {
  const auto is_good = [](char c) { return (c >= 'a' && c <= 'z') || c == '_' || (c >= '0' && c <= '9'); };
  return !name.empty() && name.size() <= 63 && !(name[0] >= '0' && name[0] <= '9') && !name.starts_with("pg_") &&
         std::all_of(name.begin(), name.end(), is_good);
}

}  // namespace

Result<std::unique_ptr<Database>> OpenPostgres(const Options& options) {
  if (!IsSchemaName(options.schema)) {
    return Error(Code::kInvalid,
                 "the database schema's name is not lower-case letters, digits and _ (at most 63, no digit or pg_ in front)");
  }
  PADDOCK_ASSIGN(auto library, PostgresLibrary::Load());
  PADDOCK_ASSIGN(auto url, ReadPostgresUrl(*library, options.location));
  auto database = std::make_unique<PostgresDatabase>(options, library, std::move(url));
  PADDOCK_TRY(database->Write([&](Session& session) {
    return Migrate(static_cast<PostgresSession&>(session), database->schema(), database->location());
  }));
  return std::unique_ptr<Database>(std::move(database));
}

}  // namespace paddock::records
