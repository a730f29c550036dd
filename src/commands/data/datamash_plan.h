// What a command line of datamash asks for, and the lines that it is done to. For datamash only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/data/datamash.h"
#include "proc/command.h"

namespace paddock::datamash {

struct Options {
  bool skip_comments = false, full = false, header_in = false, header_out = false, headers = false, ignore_case = false, sort = false;
  bool no_strict = false, narm = false, whitespace = false, zero = false;
  std::string filler = "N/A";
  std::optional<std::string> group, field_separator, format, output, round;
  // By Complete():
  char delimiter = '\t', output_delimiter = '\t';
};
inline constexpr Option kOptions[] = {
    Flag<&Options::skip_comments>('C', "skip-comments", "skip comment lines (starting with '#' or ';' and optional whitespace)"),
    Flag<&Options::full>('f', "full", "print entire input line before op results (default: print only the grouped keys)"),
    Value<&Options::group>('g', "group", "X[,Y,Z]", "group via fields X,[Y,Z]; equivalent to primary operation 'groupby'"),
    Flag<&Options::header_in>(0, "header-in", "first input line is column headers"),
    Flag<&Options::header_out>(0, "header-out", "print column headers as first line"),
    Flag<&Options::headers>('H', "headers", "same as '--header-in --header-out'"),
    Flag<&Options::ignore_case>('i', "ignore-case", "ignore upper/lower case when comparing text"),
    Flag<&Options::sort>('s', "sort", "sort the input before grouping"),
    Flag<&Options::no_strict>(0, "no-strict", "allow lines with varying number of fields"),
    Value<&Options::filler>(0, "filler", "X", "fill missing values with X (default N/A)"),
    Value<&Options::field_separator>('t', "field-separator", "X", "use X instead of TAB as field delimiter"),
    Value<&Options::format>(0, "format", "FORMAT", "print numeric values with printf style floating-point FORMAT"),
    Value<&Options::output>(0, "output-delimiter", "X", "use X instead as output field delimiter"),
    Flag<&Options::narm>(0, "narm", "skip NA/NaN values"),
    Value<&Options::round>('R', "round", "N", "round numeric output to N decimal places"),
    Flag<&Options::whitespace>('W', "whitespace", "use whitespace (one or more spaces and/or tabs) for field delimiters"),
    Flag<&Options::zero>('z', "zero-terminated", "end lines with 0 byte, not newline"),
};
// Puts together what several options say. Errors: with the complaint.
Status Complete(Options& options);

// How numbers are printed.
class NumberFormat {
 public:
  // Errors: with the complaint.
  static Result<NumberFormat> Make(const Options& options);
  std::string Print(long double value, Budget& budget) const;

 private:
  std::string before_, conversion_ = "%.14Lg", after_;
  uint64_t width_ = 0;   // most bytes that the conversion asks for
};

// A field by number, or by a name until ResolveNames().
struct FieldName {
  std::string name;
  size_t field = 0;
};

struct Step {
  const Operation* operation = nullptr;
  Parameter parameter;
  std::string title;   // as it was typed
  FieldName first, second;
  size_t field = 0, second_field = 0;
};

// One line and its fields, which lie in it.
struct Row {
  std::string line;
  std::vector<std::string_view> fields;
  Row() = default;
  Row(const Row& other) { *this = other; }
  Row& operator=(const Row& other);
};

struct Plan {
  enum class Mode { kLines, kGroups, kCrosstab, kTranspose, kReverse, kCheck, kRmdup };
  Mode mode = Mode::kGroups;
  std::vector<FieldName> keys;
  std::vector<Step> steps;
  std::optional<uint64_t> expected_lines, expected_fields;
  NumberFormat format;

  // Null: there is no header. Errors: with the complaint.
  Status ResolveNames(const Row* header);
};
Result<Plan> MakePlan(const Options& options, const std::vector<std::string>& words);

class RowReader {
 public:
  RowReader(Invocation& in, const Options& options) : in_(in), o_(options) {}
  // False at the end.
  Result<bool> Read(Row& row);
  // With -s: what is read from now on comes in the order of these fields.
  Status SortBy(const std::vector<FieldName>& keys);
  uint64_t line_number() const { return line_number_; }

 private:
  bool IsComment(std::string_view line) const;
  void Split(Row& row) const;

  Invocation& in_;
  const Options& o_;
  uint64_t line_number_ = 0;
  bool is_sorted_ = false;
  std::vector<std::string> lines_;
  size_t next_ = 0;
};

}  // namespace paddock::datamash
