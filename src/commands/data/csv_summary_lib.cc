// csv: what tells about columns: statistics and frequencies.
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "commands/data/csv.h"

namespace paddock::data {
namespace {

using Operands = std::vector<std::string>;

// Is so-and-so of one column, in one pass; the median and the number of distinct values keep all of them.
class ColumnSummary {
 public:
  explicit ColumnSummary(bool keeps_all) : keeps_all_(keeps_all) {}

  void Add(const std::string& field) {
    ++count_;
    shortest_ = count_ == 1 ? field.size() : std::min(shortest_, field.size());
    longest_ = std::max(longest_, field.size());
    if (keeps_all_) distinct_.insert(field);
    if (field.empty()) {
      ++empty_;
      return;
    }
    if (!has_text_ || field < least_) least_ = field;
    if (!has_text_ || field > greatest_) greatest_ = field;
    has_text_ = true;
    const auto number = CsvNumber(field);
    if (!number) {
      is_numeric_ = false;
      return;
    }
    if (field.find_first_of(".eE") != std::string::npos) is_integer_ = false;
    ++numbers_;
    smallest_ = numbers_ == 1 ? *number : std::min(smallest_, *number);
    largest_ = numbers_ == 1 ? *number : std::max(largest_, *number);
    sum_ += *number;
    const double delta = *number - mean_;
    mean_ += delta / static_cast<double>(numbers_);
    squares_ += delta * (*number - mean_);
    if (keeps_all_) values_.push_back(*number);
  }

  CsvRecord Row(const std::string& name) {
    const bool is_number = has_text_ && is_numeric_;
    const auto if_number = [&](double value) { return is_number ? CsvNumberText(value) : std::string(); };
    CsvRecord row = {name, !has_text_ ? "NULL" : !is_numeric_ ? "Unicode" : is_integer_ ? "Integer" : "Float", if_number(sum_)};
    row.push_back(is_number ? CsvNumberText(smallest_) : least_);
    row.push_back(is_number ? CsvNumberText(largest_) : greatest_);
    row.push_back(std::to_string(shortest_));
    row.push_back(std::to_string(longest_));
    row.push_back(if_number(mean_));
    row.push_back(if_number(numbers_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(numbers_))));
    if (!keeps_all_) return row;
    row.push_back(is_number ? CsvNumberText(Median()) : "");
    row.push_back(std::to_string(distinct_.size()));
    row.push_back(std::to_string(empty_));
    return row;
  }

 private:
  double Median() {
    const auto middle = values_.begin() + static_cast<std::ptrdiff_t>(values_.size() / 2);
    std::nth_element(values_.begin(), middle, values_.end());
    if (values_.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values_.begin(), middle)) / 2;
  }

  bool keeps_all_;
  uint64_t count_ = 0, empty_ = 0, numbers_ = 0;
  size_t shortest_ = 0, longest_ = 0;
  bool has_text_ = false, is_numeric_ = true, is_integer_ = true;
  std::string least_, greatest_;
  double smallest_ = 0, largest_ = 0, sum_ = 0, mean_ = 0, squares_ = 0;
  std::vector<double> values_;
  std::unordered_set<std::string> distinct_;
};

ExitStatus Stats(Invocation& in, const CsvOptions& options, const Operands& operands) {
  const auto file = CsvFile::Open(in, options, CsvOperand(operands, 0));
  if (file == nullptr) return 1;
  const auto columns = SelectColumns(in, options.columns, *file);
  if (!columns) return 1;
  std::vector<ColumnSummary> summaries(columns->size(), ColumnSummary(options.everything));
  for (CsvRecord record; file->Next(record);) {
    for (size_t i = 0; i < columns->size(); ++i) {
      in.budget.Step();
      summaries[i].Add(std::string(FieldAt(record, (*columns)[i])));
    }
  }
  if (!file->is_good()) return 1;
  CsvOut out(in, options);
  CsvRecord titles = {"field", "type", "sum", "min", "max", "min_length", "max_length", "mean", "stddev"};
  if (options.everything) titles.insert(titles.end(), {"median", "cardinality", "empty"});
  out.Write(titles);
  for (size_t i = 0; i < columns->size(); ++i) {
    in.budget.Step();
    out.Write(summaries[i].Row(file->headers()[(*columns)[i]]));
  }
  return 0;
}

ExitStatus Frequency(Invocation& in, const CsvOptions& options, const Operands& operands) {
  const auto file = CsvFile::Open(in, options, CsvOperand(operands, 0));
  if (file == nullptr) return 1;
  const auto columns = SelectColumns(in, options.columns, *file);
  if (!columns) return 1;
  struct Count {
    std::string value;
    uint64_t count = 0;
  };
  struct Column {
    std::vector<Count> counts;
    std::unordered_map<std::string, size_t> index;
  };
  std::vector<Column> found(columns->size());
  for (CsvRecord record; file->Next(record);) {
    for (size_t i = 0; i < columns->size(); ++i) {
      in.budget.Step();
      const std::string value(FieldAt(record, (*columns)[i]));
      const auto [at, is_new] = found[i].index.emplace(value, found[i].counts.size());
      if (is_new) found[i].counts.push_back({value});
      ++found[i].counts[at->second].count;
    }
  }
  if (!file->is_good()) return 1;
  CsvOut out(in, options);
  out.Write({"field", "value", "count"});
  for (size_t i = 0; i < columns->size(); ++i) {
    std::vector<Count>& counts = found[i].counts;
    std::stable_sort(counts.begin(), counts.end(), [&](const Count& a, const Count& b) {
      in.budget.Step();
      return options.is_reverse ? a.count < b.count : a.count > b.count;
    });
    for (size_t n = 0; n < counts.size() && (options.limit == 0 || n < options.limit); ++n) {
      out.Write({file->headers()[(*columns)[i]], counts[n].value.empty() ? "(NULL)" : counts[n].value, std::to_string(counts[n].count)});
    }
  }
  return 0;
}

constexpr Option kStatsOptions[] = {kCsvDelimiter, kCsvOutDelimiter, kCsvNoHeaders, kCsvNoHeadersToo, kCsvFlexible, kCsvColumns,
                                    Flag<&CsvOptions::everything>('e', "everything", "also median, number of distinct values and of empty ones")};
constexpr Option kFrequencyOptions[] = {kCsvDelimiter, kCsvOutDelimiter, kCsvNoHeaders, kCsvNoHeadersToo, kCsvFlexible, kCsvColumns,
                                        Value<&CsvOptions::limit>('l', "limit", "N", "so many values a column (10), 0 for all"),
                                        Flag<&CsvOptions::is_reverse>('a', "asc", "the rarest first")};
constexpr CsvCommand kCommands[] = {
    {"stats", "type, sum, least, greatest, mean … of each column", "[FILE]", "", kStatsOptions, Stats},
    {"frequency", "how often each value is in a column", "[FILE]", "", kFrequencyOptions, Frequency},
};

}  // namespace

std::span<const CsvCommand> CsvSummaryCommands() { return kCommands; }

}  // namespace paddock::data
