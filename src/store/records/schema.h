// The tables, as steps from one version to the next. Both databases hold the same ones.
#pragma once

#include <cstdint>
#include <string>

namespace paddock::records {

enum class Dialect { kSqlite, kPostgres };

// The version that this program reads and writes.
inline constexpr int64_t kSchemaVersion = 1;

// SQLite's application_id of our files: "Pdck".
inline constexpr int64_t kApplicationId = 0x5064636b;

// The statements, separated by semicolons, that lead from `version` to `version + 1`; 0 is an empty database.
std::string SchemaStep(int64_t version, Dialect dialect);

}  // namespace paddock::records
