// Lists: from a filter to a statement, and cursors.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "store/records/record.h"
#include "store/records/sql.h"

namespace paddock::records {

// A statement and its parameters; these point into the query that it was made from.
struct ListStatement {
  std::string sql;
  std::vector<Value> parameters;
};

// Where a page ended.
struct Position {
  Time created{};
  std::string id;
};

// The rows after `after` (when given), one more than the query's limit.
ListStatement MakeListStatement(const ListQuery& query, const std::optional<Position>& after);
// One row with the number of matches, counted to `most`.
ListStatement MakeCountStatement(const Filter& filter, size_t most);

// A position of this query's results as URL-safe text, and back. kInvalid: not made by WriteCursor() for a query with
// the same filter and order.
std::string WriteCursor(const ListQuery& query, const Position& position);
Result<Position> ReadCursor(const ListQuery& query);

}  // namespace paddock::records
