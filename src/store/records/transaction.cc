#include "store/records/transaction.h"

#include <algorithm>

#include "store/records/list_sql.h"
#include "store/records/record_reads.h"
#include "store/records/record_rows.h"
#include "store/records/sql.h"

namespace paddock::records {
namespace {

constexpr int64_t kMaxDropped = 10'000;  // rows of one clean-up, so that other writers get their turn

Status WriteLabels(Session& session, const Record& record) {
  for (const auto& [key, value] : record.labels) {
    PADDOCK_TRY(session.Run("INSERT INTO labels (kind, id, key, value, owner, created) VALUES ($1, $2, $3, $4, $5, $6)",
                            {record.kind, record.id, key, value, record.owner, record.created}));
  }
  return {};
}

Status DropLabels(Session& session, std::string_view kind, std::string_view id) {
  PADDOCK_TRY(session.Run("DELETE FROM labels WHERE kind = $1 AND id = $2", {kind, id}));
  return {};
}

Error NoSuchRecord(std::string_view kind, std::string_view id) {
  return Error(Code::kNoEntry, Named(kind, id) + " does not exist");
}

Error ChangedMeanwhile(std::string_view kind, std::string_view id, int64_t expected, int64_t stored) {
  return Error(Code::kConflict, Named(kind, id) + " was changed by someone else: version " + std::to_string(stored) + ", not " +
                                    std::to_string(expected));
}

Status CheckStream(std::string_view stream) {
  return CheckText("stream", stream, kMaxOwner, false);
}

}  // namespace

Result<Record> Transaction::Get(std::string_view kind, std::string_view id) {
  return GetRecord(session_, kind, id);
}

Result<Record> Transaction::GetByName(std::string_view kind, std::string_view owner, std::string_view parent,
                                      std::string_view name) {
  return GetRecordByName(session_, kind, owner, parent, name);
}

Result<size_t> Transaction::Count(const Filter& filter, size_t most) {
  return CountRecords(session_, filter, most);
}

Status Transaction::CheckNameIsFree(const Record& record) {
  if (record.name.empty()) return {};
  bool is_taken = false;
  PADDOCK_TRY(
      session_.Run("SELECT 1 FROM records WHERE kind = $1 AND owner = $2 AND parent = $3 AND name = $4 AND name <> ''"
                   " AND id <> $5",
                   {record.kind, record.owner, record.parent, record.name, record.id}, [&](const Row&) {
                     is_taken = true;
                     return false;
                   }));
  if (is_taken) return Error(Code::kExists, Named(record.kind, "named '" + record.name + "'") + " exists already");
  return {};
}

Result<Record> Transaction::Insert(Record record) {
  PADDOCK_TRY(CheckRecord(record));
  record.created = record.updated = now_;
  record.version = 1;
  bool is_inserted = false;
  PADDOCK_TRY(session_.Run(
      "INSERT INTO records (kind, id, owner, parent, name, state, labels, expires, claimed_by, claimed_until, created, updated,"
      " version, body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, 1, $12) ON CONFLICT DO NOTHING RETURNING 1",
      {record.kind, record.id, record.owner, record.parent, record.name, record.state, LabelsText(record.labels), record.expires,
       record.claimed_by, record.claimed_until, now_, Value::Blob(record.body)},
      [&](const Row&) { return is_inserted = true; }));
  if (!is_inserted) {
    PADDOCK_TRY(CheckNameIsFree(record));
    return Error(Code::kExists, Named(record.kind, record.id) + " exists already");
  }
  PADDOCK_TRY(WriteLabels(session_, record));
  return record;
}

Result<Record> Transaction::Update(Record record) {
  PADDOCK_TRY(CheckRecord(record));
  bool is_there = false;
  int64_t version = 0;
  std::string owner, parent, name, labels;
  PADDOCK_TRY(session_.Run("SELECT version, owner, parent, name, labels, created FROM records WHERE kind = $1 AND id = $2" +
                               std::string(session_.for_update()),
                           {record.kind, record.id}, [&](const Row& row) {
                             is_there = true;
                             version = row.Integer(0);
                             owner = row.Bytes(1);
                             parent = row.Bytes(2);
                             name = row.Bytes(3);
                             labels = row.Bytes(4);
                             record.created = Time(Duration(row.Integer(5)));
                             return true;
                           }));
  if (!is_there) return NoSuchRecord(record.kind, record.id);
  if (version != record.version) return ChangedMeanwhile(record.kind, record.id, record.version, version);
  if (owner != record.owner || parent != record.parent) {
    return Error(Code::kInvalid, "owner and parent of " + Named(record.kind, record.id) + " do not change");
  }
  if (name != record.name) PADDOCK_TRY(CheckNameIsFree(record));
  record.updated = std::max(now_, record.created);
  record.version = version + 1;
  const std::string new_labels = LabelsText(record.labels);
  PADDOCK_TRY(session_.Run(
      "UPDATE records SET name = $3, state = $4, labels = $5, expires = $6, claimed_by = $7, claimed_until = $8, updated = $9,"
      " version = $10, body = $11 WHERE kind = $1 AND id = $2",
      {record.kind, record.id, record.name, record.state, new_labels, record.expires, record.claimed_by, record.claimed_until,
       record.updated, record.version, Value::Blob(record.body)}));
  if (labels != new_labels) {
    PADDOCK_TRY(DropLabels(session_, record.kind, record.id));
    PADDOCK_TRY(WriteLabels(session_, record));
  }
  return record;
}

Status Transaction::Delete(std::string_view kind, std::string_view id, std::optional<int64_t> version) {
  PADDOCK_TRY(CheckText("kind", kind, kMaxKind, false));
  PADDOCK_TRY(CheckText("id", id, kMaxId, false));
  std::optional<int64_t> stored;
  PADDOCK_TRY(session_.Run("SELECT version FROM records WHERE kind = $1 AND id = $2" + std::string(session_.for_update()),
                           {kind, id}, [&](const Row& row) {
                             stored = row.Integer(0);
                             return true;
                           }));
  if (!stored) return NoSuchRecord(kind, id);
  if (version && *version != *stored) return ChangedMeanwhile(kind, id, *version, *stored);
  PADDOCK_TRY(DropLabels(session_, kind, id));
  PADDOCK_TRY(session_.Run("DELETE FROM records WHERE kind = $1 AND id = $2", {kind, id}));
  return {};
}

Result<size_t> Transaction::DeleteChildren(std::string_view kind, std::string_view parent, size_t limit) {
  PADDOCK_TRY(CheckText("kind", kind, kMaxKind, false));
  PADDOCK_TRY(CheckText("parent", parent, kMaxId, false));
  std::vector<std::string> ids;
  PADDOCK_TRY(
      session_.Run("SELECT id FROM records WHERE kind = $1 AND parent = $2 AND parent <> '' ORDER BY created, id LIMIT $3" +
                       std::string(session_.for_update()),
                   {kind, parent, static_cast<int64_t>(std::min<size_t>(limit, kMaxDropped))}, [&](const Row& row) {
                     ids.emplace_back(row.Bytes(0));
                     return true;
                   }));
  for (const auto& id : ids) {
    PADDOCK_TRY(DropLabels(session_, kind, id));
    PADDOCK_TRY(session_.Run("DELETE FROM records WHERE kind = $1 AND id = $2", {kind, id}));
  }
  return ids.size();
}

Result<std::vector<Record>> Transaction::ClaimExpired(std::string_view kind, std::string_view claimer, Duration claim_for,
                                                      size_t limit) {
  PADDOCK_TRY(CheckText("kind", kind, kMaxKind, false));
  PADDOCK_TRY(CheckText("claimer", claimer, kMaxId, false));
  if (claim_for <= Duration(0)) return Error(Code::kInvalid, "a claim lasts longer than no time");
  std::vector<Record> claimed;
  PADDOCK_TRY(
      session_.Run("SELECT " + std::string(kRecordColumns) +
                       " FROM records WHERE kind = $1 AND expires <= $2 AND (claimed_until IS NULL OR claimed_until <= $2)"
                       " ORDER BY expires LIMIT $3" +
                       std::string(session_.for_update_of_free_rows()),
                   {kind, now_, static_cast<int64_t>(std::min(limit, kMaxPage))}, [&](const Row& row) {
                     claimed.push_back(ReadRecord(row, true));
                     return true;
                   }));
  for (auto& record : claimed) {
    record.claimed_by = claimer;
    record.claimed_until = now_ + claim_for;
    record.version++;
    PADDOCK_TRY(session_.Run("UPDATE records SET claimed_by = $3, claimed_until = $4, version = $5 WHERE kind = $1 AND id = $2",
                             {kind, record.id, claimer, record.claimed_until, record.version}));
  }
  return claimed;
}

Result<int64_t> Transaction::AppendEvents(std::string_view stream, std::span<const Event> events) {
  PADDOCK_TRY(CheckStream(stream));
  if (events.empty() || events.size() > kMaxBatch) {
    return Error(Code::kInvalid, "1 to " + std::to_string(kMaxBatch) + " events are appended at once");
  }
  for (const auto& event : events) {
    PADDOCK_TRY(CheckText("event's type", event.type, kMaxKind, false));
    PADDOCK_TRY(CheckText("event's subject", event.subject, kMaxId, true));
    if (event.body.size() > kMaxBody)
      return Error(Code::kInvalid, "event's body is longer than " + std::to_string(kMaxBody) + " bytes");
  }
  // This row is held until the commit: numbers become visible in their order.
  int64_t last = 0;
  PADDOCK_TRY(
      session_.Run("INSERT INTO streams (stream, last) VALUES ($1, $2) ON CONFLICT (stream)"
                   " DO UPDATE SET last = streams.last + excluded.last RETURNING last",
                   {stream, static_cast<int64_t>(events.size())}, [&](const Row& row) {
                     last = row.Integer(0);
                     return true;
                   }));
  int64_t sequence = last - static_cast<int64_t>(events.size());
  for (const auto& event : events) {
    PADDOCK_TRY(session_.Run("INSERT INTO events (stream, sequence, at, type, subject, body) VALUES ($1, $2, $3, $4, $5, $6)",
                             {stream, ++sequence, now_, event.type, event.subject, Value::Blob(event.body)}));
  }
  return last;
}

Result<size_t> Transaction::TrimEvents(std::string_view stream, Time before, size_t keep) {
  PADDOCK_TRY(CheckStream(stream));
  int64_t first = 0;
  int64_t last = 0;
  PADDOCK_TRY(session_.Run("SELECT min(sequence), max(sequence) FROM events WHERE stream = $1", {stream}, [&](const Row& row) {
    if (!row.IsNull(0)) {
      first = row.Integer(0);
      last = row.Integer(1);
    }
    return true;
  }));
  if (first == 0) return size_t{0};
  const int64_t look_to = std::min(last, first + kMaxDropped - 1);
  // Events go from the front only: the log stays without holes.
  int64_t first_young = look_to + 1;
  PADDOCK_TRY(
      session_.Run("SELECT sequence FROM events WHERE stream = $1 AND sequence >= $2 AND sequence <= $3 AND at >= $4"
                   " ORDER BY sequence LIMIT 1",
                   {stream, first, look_to, before}, [&](const Row& row) {
                     first_young = row.Integer(0);
                     return true;
                   }));
  const int64_t kept = static_cast<int64_t>(std::min<size_t>(keep, kMaxCounter));
  const int64_t until = std::min(look_to, std::max(first_young - 1, last - kept));
  PADDOCK_ASSIGN(const int64_t gone, session_.Run("DELETE FROM events WHERE stream = $1 AND sequence <= $2", {stream, until}));
  return static_cast<size_t>(gone);
}

Result<KeyState> Transaction::UseKey(std::string_view owner, std::string_view key, std::string_view request_digest,
                                     Time expires) {
  PADDOCK_TRY(CheckText("owner", owner, kMaxOwner, true));
  PADDOCK_TRY(CheckText("idempotency key", key, kMaxOwner, false));
  PADDOCK_TRY(CheckText("request's digest", request_digest, kMaxId, false));
  KeyState state{KeyUse::kDifferent, std::nullopt};
  PADDOCK_TRY(
      session_.Run("INSERT INTO request_keys (owner, key, digest, expires, result) VALUES ($1, $2, $3, $4, NULL)"
                   " ON CONFLICT (owner, key) DO UPDATE SET digest = excluded.digest, expires = excluded.expires, result = NULL"
                   " WHERE request_keys.expires <= $5 RETURNING 1",
                   {owner, key, request_digest, expires, now_}, [&](const Row&) {
                     state.use = KeyUse::kNew;
                     return true;
                   }));
  if (state.use == KeyUse::kNew) return state;
  PADDOCK_TRY(
      session_.Run("SELECT digest, result FROM request_keys WHERE owner = $1 AND key = $2", {owner, key}, [&](const Row& row) {
        if (row.Bytes(0) != request_digest) return true;
        state.use = KeyUse::kSame;
        if (!row.IsNull(1)) state.result = std::string(row.Bytes(1));
        return true;
      }));
  return state;
}

Status Transaction::SetKeyResult(std::string_view owner, std::string_view key, std::string_view result) {
  if (result.size() > kMaxBody) return Error(Code::kInvalid, "result is longer than " + std::to_string(kMaxBody) + " bytes");
  PADDOCK_TRY(CheckText("owner", owner, kMaxOwner, true));
  PADDOCK_TRY(CheckText("idempotency key", key, kMaxOwner, false));
  PADDOCK_ASSIGN(const int64_t changed, session_.Run("UPDATE request_keys SET result = $3 WHERE owner = $1 AND key = $2",
                                                     {owner, key, Value::Blob(result)}));
  if (changed == 0) return Error(Code::kNoEntry, "idempotency key is not kept");
  return {};
}

Status Transaction::DropKey(std::string_view owner, std::string_view key) {
  PADDOCK_TRY(CheckText("owner", owner, kMaxOwner, true));
  PADDOCK_TRY(CheckText("idempotency key", key, kMaxOwner, false));
  PADDOCK_TRY(session_.Run("DELETE FROM request_keys WHERE owner = $1 AND key = $2", {owner, key}));
  return {};
}

Result<size_t> Transaction::DropExpiredKeys() {
  int64_t gone = 0;
  PADDOCK_ASSIGN(gone, session_.Run("DELETE FROM request_keys WHERE (owner, key) IN"
                                    " (SELECT owner, key FROM request_keys WHERE expires <= $1 ORDER BY expires LIMIT $2)",
                                    {now_, kMaxDropped}));
  return static_cast<size_t>(gone);
}

Result<int64_t> Transaction::AddToCounter(std::string_view owner, std::string_view name, int64_t amount, Bounds bounds) {
  PADDOCK_TRY(CheckText("owner", owner, kMaxOwner, true));
  PADDOCK_TRY(CheckText("counter's name", name, kMaxName, false));
  for (const int64_t number : {amount, bounds.least, bounds.most}) {
    if (number > kMaxCounter || number < -kMaxCounter) return Error(Code::kInvalid, "a counter's number is not below 2^62");
  }
  PADDOCK_TRY(session_.Run("INSERT INTO counters (owner, name, value) VALUES ($1, $2, 0) ON CONFLICT DO NOTHING", {owner, name}));
  std::optional<int64_t> value;
  PADDOCK_TRY(
      session_.Run("UPDATE counters SET value = value + $3 WHERE owner = $1 AND name = $2"
                   " AND value + $3 >= $4 AND value + $3 <= $5 RETURNING value",
                   {owner, name, amount, bounds.least, bounds.most}, [&](const Row& row) {
                     value = row.Integer(0);
                     return true;
                   }));
  if (value) return *value;
  PADDOCK_ASSIGN(const int64_t current, CounterValue(session_, owner, name));
  return Error(Code::kLimit, "counter " + Named(name, "") + "would leave " + std::to_string(bounds.least) + " … " +
                                 std::to_string(bounds.most) + ": it is " + std::to_string(current));
}

}  // namespace paddock::records
