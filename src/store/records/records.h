// Records: the daemon's durable metadata, in an SQLite file or a PostgreSQL database.
//
// Errors of every call that reaches the database; the text names the file, or the URL without its password:
//   kBusy         another program holds the lock, or all connections are in use, for longer than `patience`
//   kNoSpace      the disk is full; nothing of the transaction was written, and it works again when there is room
//   kReadOnly, kAccess   the file or directory may not be written
//   kCorrupt      the file is damaged
//   kUnavailable  the server is not reachable, or the connection was lost. Lost while committing, the text says that
//                 it is not known whether the transaction took place.
//   kIo           anything else that the database reports
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "store/records/record.h"
#include "store/records/transaction.h"

namespace paddock::records {

class Database;

// What an acknowledged write survives. Neither loses one to a kill of this process, and neither leaves a damaged file.
enum class Durability {
  kProcess,  // SQLite writes to the log without waiting for the disk: the last ones before a power cut may be lost
  kPower     // SQLite waits for the disk; transactions that arrive meanwhile share the next wait
};  // PostgreSQL follows its server's synchronous_commit either way.

struct Options {
  // A file (made when absent, with mode 0600; its directory has to exist, on a local disk), or `postgresql://…`.
  std::string location;
  Durability durability = Durability::kProcess;
  Duration patience{5000};              // for a lock, a free connection, an unreachable server
  size_t connections = 6;               // readers of SQLite, all of PostgreSQL
  bool is_checked = true;               // SQLite: look for damage when it is opened
  std::string schema = "paddock";       // PostgreSQL: where the tables lie; [a-z_][a-z0-9_]*, at most 63
  const Clock* clock = &SystemClock();  // outlives the store
};

// Any thread, any number at once. Reads of SQLite do not wait for writers.
class Records {
 public:
  // Opens, makes or migrates. kInvalid: the location does not parse, or holds another program's database.
  // kNotSupported: it was made by a newer version, the file system cannot do it, or libpq is not installed.
  static Result<std::unique_ptr<Records>> Open(const Options& options);
  ~Records();

  // Runs `body` in a transaction that takes place when it returns no error. The body may run more than once (after a
  // deadlock, a lost connection, a failed neighbour in a shared commit) and on another caller's thread: it has no effects of its
  // own but values that it sets anew each time, takes no lock that the caller holds, waits for nothing and opens no other
  // transaction.
  Status Transact(const std::function<Status(Transaction&)>& body);

  // As the functions of Transaction, each on its own.
  Result<Record> Insert(Record record);
  Result<Record> Update(Record record);
  Status Delete(std::string_view kind, std::string_view id, std::optional<int64_t> version = std::nullopt);
  Result<std::vector<Record>> ClaimExpired(std::string_view kind, std::string_view claimer, Duration claim_for, size_t limit);
  Result<int64_t> AppendEvents(std::string_view stream, std::span<const Event> events);
  Result<int64_t> AddToCounter(std::string_view owner, std::string_view name, int64_t amount, Bounds bounds = {});

  // kNoEntry: none has this id, or name.
  Result<Record> Get(std::string_view kind, std::string_view id);
  Result<Record> GetByName(std::string_view kind, std::string_view owner, std::string_view parent, std::string_view name);
  // kInvalid: the cursor is not one of this query.
  Result<Page> List(const ListQuery& query);
  Result<size_t> Count(const Filter& filter, size_t most);
  // The events after number `after` (0: from the start), at most `limit` (1 … kMaxPage). A stream that never was is empty.
  Result<EventPage> ReadEvents(std::string_view stream, int64_t after, size_t limit);
  // Names of streams behind `after`, in order of bytes, at most `limit` (1 … kMaxPage).
  Result<std::vector<std::string>> Streams(std::string_view after, size_t limit);
  // 0 when it was never added to.
  Result<int64_t> Counter(std::string_view owner, std::string_view name);

  // Where it is, fit to be shown: the path, or the URL without its password.
  const std::string& location() const;

 private:
  Records(std::unique_ptr<Database> database, const Clock& clock);
  Time Now() const;

  std::unique_ptr<Database> database_;
  const Clock& clock_;
};

}  // namespace paddock::records
