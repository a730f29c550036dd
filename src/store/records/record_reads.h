// The reads that a transaction and the store itself share.
#pragma once

#include <string_view>

#include "base/result.h"
#include "store/records/record.h"
#include "store/records/sql.h"

namespace paddock::records {

// As the functions of Records.
Result<Record> GetRecord(Session& session, std::string_view kind, std::string_view id);
Result<Record> GetRecordByName(Session& session, std::string_view kind, std::string_view owner, std::string_view parent,
                               std::string_view name);
Result<Page> ListRecords(Session& session, const ListQuery& query);
Result<size_t> CountRecords(Session& session, const Filter& filter, size_t most);
Result<EventPage> ReadEventPage(Session& session, std::string_view stream, int64_t after, size_t limit);
Result<std::vector<std::string>> StreamNames(Session& session, std::string_view after, size_t limit);
Result<int64_t> CounterValue(Session& session, std::string_view owner, std::string_view name);

}  // namespace paddock::records
