#include "text/csv.h"

#include "base/budget.h"

namespace paddock {

bool CsvReader::EndField(CsvRecord& record) {
  record.push_back(std::move(field_));
  field_.clear();
  state_ = State::kFieldStart;
  is_quoted_ = false;
  return true;
}

bool CsvReader::Take(std::string_view block, size_t& taken, CsvRecord& record) {
  for (size_t i = 0; i < block.size(); ++i) {
    const char c = block[i];
    if (is_after_return_) {
      is_after_return_ = false;
      if (c == '\n') continue;   // of the record before
    }
    if (c == '\n' || (c == '\r' && (i + 1 >= block.size() || block[i + 1] != '\n'))) ++line_;
    if (state_ == State::kQuoted) {
      if (c == '"') {
        state_ = State::kQuoteInQuoted;
      } else {
        const size_t end = std::min(block.find_first_of("\"\n\r", i + 1), block.size());
        field_.append(block.substr(i, end - i));
        i = end - 1;
      }
      continue;
    }
    if (state_ == State::kQuoteInQuoted && c == '"') {
      field_ += '"';
      state_ = State::kQuoted;
      continue;
    }
    if (c == delimiter_) {
      budget_.Step();
      EndField(record);
      if (record.size() == 1) record_line_ = line_;
    } else if (c == '\n' || c == '\r') {
      is_after_return_ = c == '\r';
      const bool is_empty = record.empty() && field_.empty() && !is_quoted_;
      if (is_empty) {
        state_ = State::kFieldStart;
        continue;
      }
      if (record.empty()) record_line_ = line_ - 1;
      EndField(record);
      taken = i + 1;
      return true;
    } else if (state_ == State::kFieldStart && c == '"') {
      if (record.empty()) record_line_ = line_;
      state_ = State::kQuoted;
      is_quoted_ = true;
    } else {
      field_ += c;
      state_ = State::kBare;
    }
  }
  taken = block.size();
  return false;
}

bool CsvReader::Next(CsvRecord& record) {
  record.clear();
  for (;;) {
    std::string_view block = input_.Peek();
    if (std::exchange(is_first_, false) && block.starts_with("\xEF\xBB\xBF")) {
      input_.Consume(3);
      block = input_.Peek();
    }
    if (block.empty()) break;
    size_t taken = 0;
    const bool is_whole = Take(block, taken, record);
    budget_.Step(1 + static_cast<int64_t>(taken / 16));
    input_.Consume(taken);
    if (is_whole) return true;
  }
  if (record.empty() && field_.empty() && !is_quoted_) return false;
  return EndField(record);
}

void AppendCsv(const CsvRecord& record, char delimiter, std::string& out) {
  const char special[] = {delimiter, '"', '\n', '\r'};
  for (size_t i = 0; i < record.size(); ++i) {
    const std::string& field = record[i];
    if (i > 0) out += delimiter;
    const bool is_lone = field.empty() && record.size() == 1;
    if (!is_lone && field.find_first_of(special, 0, sizeof(special)) == std::string::npos) {
      out += field;
      continue;
    }
    out += '"';
    for (const char c : field) {
      if (c == '"') out += '"';
      out += c;
    }
    out += '"';
  }
  out += '\n';
}

}  // namespace paddock
