// Records of comma-separated values, RFC 4180: fields in quotes hold delimiters, newlines and doubled quotes.
//
// Lenient where files are: either newline ends a record, empty lines are no records, a quote inside a bare field is
// text, text behind a closing quote belongs to the field, and the end of the file closes an open quote.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/stream.h"

namespace paddock {

using CsvRecord = std::vector<std::string>;

class CsvReader {
 public:
  // Both outlive the reader.
  CsvReader(Input& input, char delimiter, Budget& budget) : input_(input), budget_(budget), delimiter_(delimiter) {}

  // The next record; false at the end and when the input fails.
  bool Next(CsvRecord& record);
  // The line on which the last record began, from 1.
  uint64_t line() const { return record_line_; }

 private:
  enum class State { kFieldStart, kBare, kQuoted, kQuoteInQuoted };

  // Takes what of `block` belongs to the record; true when the record is whole.
  bool Take(std::string_view block, size_t& taken, CsvRecord& record);
  bool EndField(CsvRecord& record);

  Input& input_;
  Budget& budget_;
  char delimiter_;
  State state_ = State::kFieldStart;
  std::string field_;
  bool is_quoted_ = false;      // the field began with a quote
  bool is_after_return_ = false;
  bool is_first_ = true;
  uint64_t line_ = 1;
  uint64_t record_line_ = 1;
};

// Appends one record and a newline; quotes fields that need them.
void AppendCsv(const CsvRecord& record, char delimiter, std::string& out);

}  // namespace paddock
