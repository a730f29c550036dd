// The waist between what is stored and where: statements with parameters, and rows.
//
// The same text runs on both databases: `$1`, `$2` … in the order of their first use, integers of 64 bits, ON CONFLICT,
// RETURNING. What differs is asked of the Session.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/records/record.h"

namespace paddock::records {

// A parameter; its bytes outlive the call.
struct Value {
  enum class Type { kNull, kInteger, kText, kBlob };

  Value(int64_t number) : type(Type::kInteger), integer(number) {}       // NOLINT
  Value(std::string_view text) : type(Type::kText), bytes(text) {}       // NOLINT
  Value(const std::string& text) : type(Type::kText), bytes(text) {}     // NOLINT
  Value(Time time) : Value(int64_t{time.time_since_epoch().count()}) {}  // NOLINT
  Value(std::optional<Time> time) : type(Type::kNull) {                  // NOLINT
    if (time) *this = Value(*time);
  }
  static Value Blob(std::string_view bytes) {
    Value value(bytes);
    value.type = Type::kBlob;
    return value;
  }

  Type type;
  int64_t integer = 0;
  std::string_view bytes;
};

// One row of a result. Columns count from 0; asking for the wrong type of a column is a bug of ours.
class Row {
 public:
  virtual ~Row() = default;
  virtual bool IsNull(int column) const = 0;
  virtual int64_t Integer(int column) const = 0;
  virtual std::string_view Bytes(int column) const = 0;  // until the next row

  std::optional<Time> TimeOrNone(int column) const {
    if (IsNull(column)) return std::nullopt;
    return Time(Duration(Integer(column)));
  }
};

// Gets each row; false: no more are wanted. Runs no statement itself.
using OnRow = std::function<bool(const Row&)>;

// One connection, in a transaction when it was given out by Database::Write(). One thread.
class Session {
 public:
  virtual ~Session() = default;

  // Runs one statement, prepared once per text; returns how many rows it changed.
  virtual Result<int64_t> Run(std::string_view sql, std::span<const Value> parameters, const OnRow& on_row = {}) = 0;
  Result<int64_t> Run(std::string_view sql, std::initializer_list<Value> parameters, const OnRow& on_row = {}) {
    return Run(sql, std::span(parameters.begin(), parameters.size()), on_row);
  }

  // What follows a SELECT in a write transaction that will update the rows it reads; empty when writers are alone anyway.
  virtual std::string_view for_update() const = 0;
  // The same, passing over the rows that another transaction holds.
  virtual std::string_view for_update_of_free_rows() const = 0;
};

using Work = std::function<Status(Session&)>;

// Any thread.
class Database {
 public:
  virtual ~Database() = default;

  // Single statements that read.
  virtual Status Read(const Work& work) = 0;
  // One transaction, committed when `work` returns no error and no statement failed. `work` may run more than once and on another
  // thread.
  virtual Status Write(const Work& work) = 0;

  virtual const std::string& location() const = 0;
};

Result<std::unique_ptr<Database>> OpenSqlite(const struct Options& options);
Result<std::unique_ptr<Database>> OpenPostgres(const struct Options& options);

}  // namespace paddock::records
