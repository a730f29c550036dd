// One connection to a PostgreSQL server.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/records/postgres_library.h"
#include "store/records/postgres_url.h"
#include "store/records/sql.h"

namespace paddock::records {

// What became of a statement, as far as the way on depends on it.
enum class Trouble {
  kNone,
  kOther,
  kRepeat,  // the server gave up on the transaction in favour of another: once more may succeed
  kLost     // the connection is gone
};

// One thread at a time.
class PostgresSession : public Session {
 public:
  // One attempt. kUnavailable with the server's words; `*may_help_to_wait` says whether it is merely not there yet.
  static Result<std::unique_ptr<PostgresSession>> Connect(std::shared_ptr<const PostgresLibrary> library, const PostgresUrl& url,
                                                          const std::string& schema, bool* may_help_to_wait);

  using Session::Run;
  Result<int64_t> Run(std::string_view sql, std::span<const Value> parameters, const OnRow& on_row = {}) override;
  std::string_view for_update() const override { return " FOR UPDATE"; }
  std::string_view for_update_of_free_rows() const override { return " FOR UPDATE SKIP LOCKED"; }

  // Statements without parameters or rows, separated by semicolons.
  Status Execute(const std::string& sql);
  // COMMIT. Errors: also when the server rolled back instead.
  Status Commit();

  // The first error of Run() since the last call, and what it was.
  Status TakeFailure() { return std::exchange(failure_, Status()); }
  // Of the last call that failed.
  Trouble trouble() const { return trouble_; }
  bool is_lost() const { return library_->ConnectionStatus(connection_.get()) != CONNECTION_OK; }
  // Whether it can be given to the next one.
  bool is_idle() const { return library_->TransactionStatus(connection_.get()) == PQTRANS_IDLE; }

 private:
  struct FinishConnection {
    const PostgresLibrary* library = nullptr;
    void operator()(PGconn* connection) const { library->Finish(connection); }
  };
  struct ClearResult {
    const PostgresLibrary* library = nullptr;
    void operator()(PGresult* result) const { library->Clear(result); }
  };
  using ResultHandle = std::unique_ptr<PGresult, ClearResult>;

  PostgresSession(std::shared_ptr<const PostgresLibrary> library, const PostgresUrl& url);
  ResultHandle Own(PGresult* result) const { return ResultHandle(result, ClearResult{library_.get()}); }
  Result<std::string> Find(std::string_view sql, std::span<const Value> parameters);
  Result<int64_t> Send(const std::string& name, std::span<const Value> parameters, const OnRow& on_row);
  Error FailureOf(const PGresult* result);

  std::shared_ptr<const PostgresLibrary> library_;
  const PostgresUrl& url_;
  std::unique_ptr<PGconn, FinishConnection> connection_;
  std::map<std::string, std::string, std::less<>> statements_;  // text -> name
  Status failure_;
  Trouble trouble_ = Trouble::kNone;
};

}  // namespace paddock::records
