// csv: what needs all records: order, duplicates, joins.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "commands/data/csv.h"
#include "text/utf8.h"

namespace paddock::data {
namespace {

using Operands = std::vector<std::string>;
using Columns = std::vector<size_t>;

// The fields of a key as one text, each with its length: no two keys look alike.
std::string KeyOf(const CsvRecord& record, const Columns& columns, bool ignores_case) {
  std::string key;
  for (const size_t column : columns) {
    const std::string_view field = FieldAt(record, column);
    key += std::to_string(field.size()) + ":";
    key += ignores_case ? LowerUtf8(field) : std::string(field);
  }
  return key;
}

ExitStatus Sort(Invocation& in, const CsvOptions& options, const Operands& operands) {
  const auto file = CsvFile::Open(in, options, CsvOperand(operands, 0));
  if (file == nullptr) return 1;
  const auto columns = SelectColumns(in, options.columns, *file);
  if (!columns) return 1;
  struct Row {
    CsvRecord record;
    std::vector<std::optional<double>> numbers;
  };
  std::vector<Row> rows;
  for (CsvRecord record; file->Next(record);) {
    Row& row = rows.emplace_back();
    row.record = std::move(record);
    for (size_t i = 0; options.is_numeric && i < columns->size(); ++i) row.numbers.push_back(CsvNumber(FieldAt(row.record, (*columns)[i])));
  }
  if (!file->is_good()) return 1;
  const auto order = [&](const Row& a, const Row& b) {
    in.budget.Step();
    for (size_t i = 0; i < columns->size(); ++i) {
      int result = 0;
      if (options.is_numeric && (a.numbers[i] || b.numbers[i])) {
        if (!a.numbers[i] || !b.numbers[i]) {
          result = a.numbers[i] ? 1 : -1;   // what is no number comes first
        } else {
          result = *a.numbers[i] < *b.numbers[i] ? -1 : *a.numbers[i] > *b.numbers[i];
        }
      } else {
        const std::string_view x = FieldAt(a.record, (*columns)[i]), y = FieldAt(b.record, (*columns)[i]);
        result = options.ignores_case ? LowerUtf8(x).compare(LowerUtf8(y)) : x.compare(y);
      }
      if (result != 0) return result;
    }
    return 0;
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) { return options.is_reverse ? order(b, a) < 0 : order(a, b) < 0; });
  CsvOut out(in, options);
  if (!file->headers().empty()) out.WriteHeaders(*file);
  for (size_t i = 0; i < rows.size() && in.out.status(); ++i) {
    if (!options.is_unique || i == 0 || order(rows[i - 1], rows[i]) != 0) out.Write(rows[i].record);
  }
  return 0;
}

ExitStatus Dedup(Invocation& in, const CsvOptions& options, const Operands& operands) {
  const auto file = CsvFile::Open(in, options, CsvOperand(operands, 0));
  if (file == nullptr) return 1;
  const auto columns = SelectColumns(in, options.columns, *file);
  if (!columns) return 1;
  CsvOut out(in, options);
  if (!file->headers().empty()) out.WriteHeaders(*file);
  std::unordered_set<std::string> seen;
  for (CsvRecord record; file->Next(record) && in.out.status();) {
    if (seen.insert(KeyOf(record, *columns, options.ignores_case)).second) out.Write(record);
  }
  return file->is_good() ? 0 : 1;
}

class Joiner {
 public:
  Joiner(Invocation& in, const CsvOptions& options, CsvFile& left, CsvFile& right) : in_(in), options_(options), left_(left), right_(right), out_(in, options) {}

  ExitStatus Run(const Columns& left_columns, const Columns& right_columns) {
    std::vector<CsvRecord> rows;
    std::unordered_map<std::string, std::vector<size_t>> index;
    for (CsvRecord record; right_.Next(record);) {
      if (!options_.is_cross) {
        if (const std::string key = KeyOf(record, right_columns, options_.ignores_case); !IsEmpty(record, right_columns)) index[key].push_back(rows.size());
      }
      rows.push_back(std::move(record));
    }
    if (!right_.is_good()) return 1;
    if (left_.has_headers()) Write(&left_.headers(), &right_.headers());
    std::vector<bool> is_used(rows.size(), false);
    for (CsvRecord record; left_.Next(record) && in_.out.status();) {
      if (options_.is_cross) {
        for (const CsvRecord& other : rows) Write(&record, &other);
        continue;
      }
      const auto found = IsEmpty(record, left_columns) ? index.end() : index.find(KeyOf(record, left_columns, options_.ignores_case));
      if (found == index.end()) {
        if (options_.is_left || options_.is_full) Write(&record, nullptr);
        continue;
      }
      for (const size_t number : found->second) {
        is_used[number] = true;
        Write(&record, &rows[number]);
      }
    }
    if (!left_.is_good()) return 1;
    for (size_t i = 0; i < rows.size() && (options_.is_right || options_.is_full); ++i) {
      if (!is_used[i]) Write(nullptr, &rows[i]);
    }
    return 0;
  }

 private:
  static bool IsEmpty(const CsvRecord& record, const Columns& columns) {
    return std::all_of(columns.begin(), columns.end(), [&](size_t column) { return FieldAt(record, column).empty(); });
  }

  void Write(const CsvRecord* left, const CsvRecord* right) {
    in_.budget.Step();
    joined_.clear();
    for (size_t i = 0; i < left_.headers().size(); ++i) joined_.emplace_back(left == nullptr ? "" : FieldAt(*left, i));
    for (size_t i = 0; i < right_.headers().size(); ++i) joined_.emplace_back(right == nullptr ? "" : FieldAt(*right, i));
    out_.Write(joined_);
  }

  Invocation& in_;
  const CsvOptions& options_;
  CsvFile& left_;
  CsvFile& right_;
  CsvOut out_;
  CsvRecord joined_;
};

ExitStatus Join(Invocation& in, const CsvOptions& options, const Operands& operands) {
  const bool is_cross = options.is_cross;
  if (options.is_left + options.is_right + options.is_full + options.is_cross > 1) return in.Usage("only one of --left, --right, --full and --cross");
  if (operands.size() != (is_cross ? 2u : 4u)) return in.Usage(is_cross ? "two files are needed" : "COLUMNS FILE COLUMNS FILE are needed");
  const std::string& left_name = operands[is_cross ? 0 : 1];
  const std::string& right_name = operands[is_cross ? 1 : 3];
  const auto left = CsvFile::Open(in, options, left_name);
  const auto right = left == nullptr ? nullptr : CsvFile::Open(in, options, right_name);
  if (right == nullptr) return 1;
  std::optional<Columns> left_columns = Columns(), right_columns = Columns();
  if (!is_cross) {
    left_columns = SelectColumns(in, operands[0], *left);
    if (!left_columns) return 1;
    right_columns = SelectColumns(in, operands[2], *right);
    if (!right_columns) return 1;
    if (left_columns->size() != right_columns->size()) return in.Fail("as many columns are needed on either side");
  }
  return Joiner(in, options, *left, *right).Run(*left_columns, *right_columns);
}

constexpr Option kIgnoreCase = Flag<&CsvOptions::ignores_case>('i', "ignore-case", "letters of either case are the same");
constexpr Option kSortOptions[] = {kCsvDelimiter, kCsvOutDelimiter, kCsvNoHeaders, kCsvNoHeadersToo, kCsvFlexible,
                                   Value<&CsvOptions::columns>('s', "select", "COLUMNS", "by these columns (all)"),
                                   Flag<&CsvOptions::is_numeric>('N', "numeric", "by number"), Flag<&CsvOptions::is_reverse>('R', "reverse", "the largest first"),
                                   kIgnoreCase, Flag<&CsvOptions::is_unique>('u', "unique", "one of those that are equal")};
constexpr Option kDedupOptions[] = {kCsvDelimiter, kCsvOutDelimiter, kCsvNoHeaders, kCsvNoHeadersToo, kCsvFlexible,
                                    Value<&CsvOptions::columns>('s', "select", "COLUMNS", "those are alike that are in these columns (all)"), kIgnoreCase};
constexpr Option kJoinOptions[] = {kCsvDelimiter, kCsvOutDelimiter, kCsvNoHeaders, kCsvNoHeadersToo, kCsvFlexible, kIgnoreCase,
                                   Flag<&CsvOptions::is_left>(0, "left", "also records of the first file that have no match"),
                                   Flag<&CsvOptions::is_right>(0, "right", "also those of the second"),
                                   Flag<&CsvOptions::is_full>(0, "full", "both"), Flag<&CsvOptions::is_cross>(0, "cross", "each with each; operands are two files")};
constexpr CsvCommand kCommands[] = {
    {"sort", "records in order", "[FILE]", "", kSortOptions, Sort},
    {"dedup", "the first of records that are alike", "[FILE]", "", kDedupOptions, Dedup},
    {"join", "records of two files that are equal in some columns", "COLUMNS FILE COLUMNS FILE",
     "Records that are empty in these columns match nothing.\n", kJoinOptions, Join},
};

}  // namespace

std::span<const CsvCommand> CsvOrderCommands() { return kCommands; }

}  // namespace paddock::data
