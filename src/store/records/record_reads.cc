#include "store/records/record_reads.h"

#include "store/records/list_sql.h"
#include "store/records/record_rows.h"

namespace paddock::records {
namespace {

Status CheckLimit(size_t limit) {
  if (limit < 1 || limit > kMaxPage) return Error(Code::kInvalid, "limit is not within 1 and " + std::to_string(kMaxPage));
  return {};
}

// At most one row.
Result<std::optional<Record>> ReadOne(Session& session, std::string_view where, std::initializer_list<Value> parameters) {
  std::optional<Record> record;
  PADDOCK_TRY(session.Run("SELECT " + std::string(kRecordColumns) + " FROM records WHERE " + std::string(where), parameters,
                          [&](const Row& row) {
                            record = ReadRecord(row, true);
                            return true;
                          }));
  return record;
}

Status ReadEvents(Session& session, std::string_view stream, int64_t after, size_t limit, EventPage& page) {
  size_t bytes = 0;
  PADDOCK_TRY(
      session.Run("SELECT (SELECT last FROM streams WHERE stream = $1), sequence, at, type, subject, body FROM events"
                  " WHERE stream = $1 AND sequence > $2 ORDER BY sequence LIMIT $3",
                  {stream, after, static_cast<int64_t>(limit)}, [&](const Row& row) {
                    bytes += row.Bytes(5).size();
                    if (!page.events.empty() && bytes > kMaxPageBytes) return false;
                    page.last = row.Integer(0);
                    page.events.push_back({.sequence = row.Integer(1),
                                           .at = Time(Duration(row.Integer(2))),
                                           .type = std::string(row.Bytes(3)),
                                           .subject = std::string(row.Bytes(4)),
                                           .body = std::string(row.Bytes(5))});
                    return true;
                  }));
  if (!page.events.empty()) page.lost = page.events.front().sequence - after - 1;
  return {};
}

}  // namespace

Result<Record> GetRecord(Session& session, std::string_view kind, std::string_view id) {
  PADDOCK_TRY(CheckText("kind", kind, kMaxKind, false));
  PADDOCK_TRY(CheckText("id", id, kMaxId, false));
  PADDOCK_ASSIGN(auto record, ReadOne(session, "kind = $1 AND id = $2", {kind, id}));
  if (!record) return Error(Code::kNoEntry, Named(kind, id) + " does not exist");
  return std::move(*record);
}

Result<Record> GetRecordByName(Session& session, std::string_view kind, std::string_view owner, std::string_view parent,
                               std::string_view name) {
  PADDOCK_TRY(CheckText("kind", kind, kMaxKind, false));
  PADDOCK_TRY(CheckText("owner", owner, kMaxOwner, true));
  PADDOCK_TRY(CheckText("parent", parent, kMaxId, true));
  PADDOCK_TRY(CheckText("name", name, kMaxName, false));
  PADDOCK_ASSIGN(auto record, ReadOne(session, "kind = $1 AND owner = $2 AND parent = $3 AND name = $4 AND name <> ''",
                                      {kind, owner, parent, name}));
  if (!record) return Error(Code::kNoEntry, Named(kind, "named '" + std::string(name) + "'") + " does not exist");
  return std::move(*record);
}

Result<Page> ListRecords(Session& session, const ListQuery& query) {
  PADDOCK_TRY(CheckFilter(query.filter));
  PADDOCK_TRY(CheckLimit(query.limit));
  std::optional<Position> after;
  if (!query.cursor.empty()) {
    PADDOCK_ASSIGN(after, ReadCursor(query));
  }
  const ListStatement statement = MakeListStatement(query, after);
  Page page;
  bool has_more = false;
  size_t bytes = 0;
  PADDOCK_TRY(session.Run(statement.sql, statement.parameters, [&](const Row& row) {
    if (query.has_bodies) bytes += row.Bytes(13).size();
    has_more = page.records.size() == query.limit || (!page.records.empty() && bytes > kMaxPageBytes);
    if (!has_more) page.records.push_back(ReadRecord(row, query.has_bodies));
    return !has_more;
  }));
  if (has_more) page.next = WriteCursor(query, {page.records.back().created, page.records.back().id});
  return page;
}

Result<size_t> CountRecords(Session& session, const Filter& filter, size_t most) {
  PADDOCK_TRY(CheckFilter(filter));
  const ListStatement statement = MakeCountStatement(filter, most);
  size_t count = 0;
  PADDOCK_TRY(session.Run(statement.sql, statement.parameters, [&](const Row& row) {
    count = static_cast<size_t>(row.Integer(0));
    return true;
  }));
  return count;
}

Result<EventPage> ReadEventPage(Session& session, std::string_view stream, int64_t after, size_t limit) {
  PADDOCK_TRY(CheckText("stream", stream, kMaxOwner, false));
  PADDOCK_TRY(CheckLimit(limit));
  if (after < 0) return Error(Code::kInvalid, "an event's number is not negative");
  EventPage page;
  PADDOCK_TRY(ReadEvents(session, stream, after, limit, page));
  if (!page.events.empty()) return page;
  int64_t last = 0;
  PADDOCK_TRY(session.Run("SELECT last FROM streams WHERE stream = $1", {stream}, [&](const Row& row) {
    last = row.Integer(0);
    return true;
  }));
  page.last = last;
  if (last <= after) return page;
  // Either trimmed, or appended between the two statements.
  PADDOCK_TRY(ReadEvents(session, stream, after, limit, page));
  if (page.events.empty()) page.lost = last - after;
  return page;
}

Result<std::vector<std::string>> StreamNames(Session& session, std::string_view after, size_t limit) {
  PADDOCK_TRY(CheckText("stream", after, kMaxOwner, true));
  PADDOCK_TRY(CheckLimit(limit));
  std::vector<std::string> names;
  PADDOCK_TRY(session.Run("SELECT stream FROM streams WHERE stream > $1 ORDER BY stream LIMIT $2", {after, static_cast<int64_t>(limit)}, [&](const Row& row) {
    names.emplace_back(row.Bytes(0));
    return true;
  }));
  return names;
}

Result<int64_t> CounterValue(Session& session, std::string_view owner, std::string_view name) {
  PADDOCK_TRY(CheckText("owner", owner, kMaxOwner, true));
  PADDOCK_TRY(CheckText("counter's name", name, kMaxName, false));
  int64_t value = 0;
  PADDOCK_TRY(session.Run("SELECT value FROM counters WHERE owner = $1 AND name = $2", {owner, name}, [&](const Row& row) {
    value = row.Integer(0);
    return true;
  }));
  return value;
}

}  // namespace paddock::records
