#include "store/records/records.h"

#include <utility>

#include "store/records/record_reads.h"
#include "store/records/sql.h"

namespace paddock::records {
namespace {

template <class T>
Result<T> ReadWith(Database& database, const std::function<Result<T>(Session&)>& read) {
  std::optional<T> value;
  PADDOCK_TRY(database.Read([&](Session& session) -> Status {
    PADDOCK_ASSIGN(value, read(session));
    return {};
  }));
  return std::move(*value);
}

template <class T>
Result<T> WriteWith(Records& records, const std::function<Result<T>(Transaction&)>& write) {
  std::optional<T> value;
  PADDOCK_TRY(records.Transact([&](Transaction& transaction) -> Status {
    PADDOCK_ASSIGN(value, write(transaction));
    return {};
  }));
  return std::move(*value);
}

}  // namespace

Records::Records(std::unique_ptr<Database> database, const Clock& clock) : database_(std::move(database)), clock_(clock) {}

Records::~Records() = default;

Result<std::unique_ptr<Records>> Records::Open(const Options& options) {
  const bool is_url = options.location.find("://") != std::string::npos;
  auto database = is_url ? OpenPostgres(options) : OpenSqlite(options);
  if (!database) return database.error();
  return std::unique_ptr<Records>(
      new Records(std::move(*database), *options.clock));  // allow(raw-new): the constructor is private
}

Time Records::Now() const {
  return Time(std::chrono::duration_cast<Duration>(clock_.RealNow()));
}

const std::string& Records::location() const {
  return database_->location();
}

Status Records::Transact(const std::function<Status(Transaction&)>& body) {
  return database_->Write([&](Session& session) {
    Transaction transaction(session, Now());
    return body(transaction);
  });
}

Result<Record> Records::Insert(Record record) {
  return WriteWith<Record>(*this, [&](Transaction& transaction) { return transaction.Insert(record); });
}

Result<Record> Records::Update(Record record) {
  return WriteWith<Record>(*this, [&](Transaction& transaction) { return transaction.Update(record); });
}

Status Records::Delete(std::string_view kind, std::string_view id, std::optional<int64_t> version) {
  return Transact([&](Transaction& transaction) { return transaction.Delete(kind, id, version); });
}

Result<std::vector<Record>> Records::ClaimExpired(std::string_view kind, std::string_view claimer, Duration claim_for,
                                                  size_t limit) {
  return WriteWith<std::vector<Record>>(
      *this, [&](Transaction& transaction) { return transaction.ClaimExpired(kind, claimer, claim_for, limit); });
}

Result<int64_t> Records::AppendEvents(std::string_view stream, std::span<const Event> events) {
  return WriteWith<int64_t>(*this, [&](Transaction& transaction) { return transaction.AppendEvents(stream, events); });
}

Result<int64_t> Records::AddToCounter(std::string_view owner, std::string_view name, int64_t amount, Bounds bounds) {
  return WriteWith<int64_t>(*this,
                            [&](Transaction& transaction) { return transaction.AddToCounter(owner, name, amount, bounds); });
}

Result<Record> Records::Get(std::string_view kind, std::string_view id) {
  return ReadWith<Record>(*database_, [&](Session& session) { return GetRecord(session, kind, id); });
}

Result<Record> Records::GetByName(std::string_view kind, std::string_view owner, std::string_view parent, std::string_view name) {
  return ReadWith<Record>(*database_, [&](Session& session) { return GetRecordByName(session, kind, owner, parent, name); });
}

Result<Page> Records::List(const ListQuery& query) {
  return ReadWith<Page>(*database_, [&](Session& session) { return ListRecords(session, query); });
}

Result<size_t> Records::Count(const Filter& filter, size_t most) {
  return ReadWith<size_t>(*database_, [&](Session& session) { return CountRecords(session, filter, most); });
}

Result<EventPage> Records::ReadEvents(std::string_view stream, int64_t after, size_t limit) {
  return ReadWith<EventPage>(*database_, [&](Session& session) { return ReadEventPage(session, stream, after, limit); });
}

Result<std::vector<std::string>> Records::Streams(std::string_view after, size_t limit) {
  return ReadWith<std::vector<std::string>>(*database_, [&](Session& session) { return StreamNames(session, after, limit); });
}

Result<int64_t> Records::Counter(std::string_view owner, std::string_view name) {
  return ReadWith<int64_t>(*database_, [&](Session& session) { return CounterValue(session, owner, name); });
}

}  // namespace paddock::records
