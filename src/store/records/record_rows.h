// Records as rows: columns, bounds, labels.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "store/records/record.h"
#include "store/records/sql.h"

namespace paddock::records {

// The columns of a record in the order that ReadRecord() expects.
inline constexpr std::string_view kRecordColumns =
    "kind, id, owner, parent, name, state, expires, claimed_by, claimed_until, created, updated, version, labels, body";

// The record of a row. Without `has_body` the row ends before that column.
Record ReadRecord(const Row& row, bool has_body);

// One JSON object; what the column holds, keys in order.
std::string LabelsText(const Labels& labels);

// kInvalid with the name of the field: longer than `most`, bad UTF-8, NUL; empty where it has to be something.
Status CheckText(std::string_view field, std::string_view text, size_t most, bool may_be_empty);
Status CheckRecord(const Record& record);
Status CheckFilter(const Filter& filter);

// "sandbox sbx_…" for messages.
std::string Named(std::string_view kind, std::string_view id);

}  // namespace paddock::records
