// csv: what looks at one record after the other.
#include <deque>

#include "commands/data/csv.h"
#include "text/regex.h"

namespace paddock::data {
namespace {

using Operands = std::vector<std::string>;

ExitStatus Headers(Invocation& in, const CsvOptions& options, const Operands& operands) {
  ExitStatus status = 0;
  for (const std::string& name : operands.empty() ? Operands{"-"} : operands) {
    const auto file = CsvFile::Open(in, options, name);
    if (file == nullptr) {
      status = 1;
      continue;
    }
    for (size_t i = 0; i < file->headers().size(); ++i) {
      in.budget.Step();
      std::string number = std::to_string(i + 1);
      number.resize(std::max<size_t>(number.size() + 1, 4), ' ');
      in.out.WriteLine((options.just_names ? "" : number) + file->headers()[i]);
    }
  }
  return status;
}

ExitStatus Count(Invocation& in, const CsvOptions& options, const Operands& operands) {
  const auto file = CsvFile::Open(in, options, CsvOperand(operands, 0));
  if (file == nullptr) return 1;
  uint64_t count = 0;
  for (CsvRecord record; file->Next(record);) ++count;
  if (!file->is_good()) return 1;
  in.out.WriteLine(std::to_string(count));
  return 0;
}

ExitStatus Select(Invocation& in, const CsvOptions& options, const Operands& operands) {
  if (operands.empty()) return in.Usage("missing columns");
  const auto file = CsvFile::Open(in, options, CsvOperand(operands, 1));
  if (file == nullptr) return 1;
  const auto columns = SelectColumns(in, (options.inverts ? "!" : "") + operands[0], *file);
  if (!columns) return 1;
  CsvOut out(in, options);
  CsvRecord selected;
  const auto write = [&](const CsvRecord& record) {
    selected.clear();
    for (const size_t column : *columns) selected.emplace_back(FieldAt(record, column));
    in.budget.Step(static_cast<int64_t>(columns->size() / 8));
    out.Write(selected);
  };
  if (file->has_headers() && !file->headers().empty()) write(file->headers());
  for (CsvRecord record; file->Next(record) && in.out.status();) write(record);
  return file->is_good() ? 0 : 1;
}

ExitStatus Head(Invocation& in, const CsvOptions& options, const Operands& operands) {
  const auto file = CsvFile::Open(in, options, CsvOperand(operands, 0));
  if (file == nullptr) return 1;
  CsvOut out(in, options);
  if (!file->headers().empty()) out.WriteHeaders(*file);
  uint64_t left = options.count;
  for (CsvRecord record; left > 0 && file->Next(record); --left) out.Write(record);
  return file->is_good() ? 0 : 1;
}

ExitStatus Tail(Invocation& in, const CsvOptions& options, const Operands& operands) {
  const auto file = CsvFile::Open(in, options, CsvOperand(operands, 0));
  if (file == nullptr) return 1;
  CsvOut out(in, options);
  if (!file->headers().empty()) out.WriteHeaders(*file);
  std::deque<CsvRecord> kept;
  for (CsvRecord record; file->Next(record);) {
    if (options.count == 0) continue;
    if (kept.size() == options.count) kept.pop_front();
    kept.push_back(std::move(record));
  }
  for (const CsvRecord& record : kept) out.Write(record);
  return file->is_good() ? 0 : 1;
}

ExitStatus Slice(Invocation& in, const CsvOptions& options, const Operands& operands) {
  uint64_t start = options.start.value_or(0), end = options.end.value_or(UINT64_MAX);
  if (options.index && (options.start || options.end || options.length)) return in.Usage("--index stands alone");
  if (options.end && options.length) return in.Usage("--end and --len exclude each other");
  if (options.length) end = *options.length > UINT64_MAX - start ? UINT64_MAX : start + *options.length;
  if (options.index) start = *options.index, end = *options.index == UINT64_MAX ? UINT64_MAX : *options.index + 1;
  const auto file = CsvFile::Open(in, options, CsvOperand(operands, 0));
  if (file == nullptr) return 1;
  CsvOut out(in, options);
  if (!file->headers().empty()) out.WriteHeaders(*file);
  uint64_t number = 0;
  for (CsvRecord record; number < end && file->Next(record); ++number) {
    if (number >= start) out.Write(record);
  }
  return file->is_good() ? 0 : 1;
}

ExitStatus Cat(Invocation& in, const CsvOptions& options, const Operands& operands) {
  CsvOut out(in, options);
  std::optional<CsvRecord> headers;
  for (const std::string& name : operands.empty() ? Operands{"-"} : operands) {
    const auto file = CsvFile::Open(in, options, name);
    if (file == nullptr) return 1;
    if (!headers) {
      headers = file->headers();
      if (!file->headers().empty()) out.WriteHeaders(*file);
    } else if (file->headers() != *headers && !file->headers().empty() && !options.is_flexible) {
      return in.Fail(name + ": other columns than the first file");
    }
    for (CsvRecord record; file->Next(record) && in.out.status();) out.Write(record);
    if (!file->is_good()) return 1;
  }
  return 0;
}

ExitStatus Search(Invocation& in, const CsvOptions& options, const Operands& operands) {
  if (operands.empty()) return in.Usage("missing regular expression");
  auto regex = Regex::Compile(operands[0], {.dialect = RegexDialect::kPerl, .ignore_case = options.ignores_case, .is_utf8 = in.locale.is_utf8});
  if (!regex) return in.Fail(std::string(regex.error().Text()) + ": " + operands[0], 2);
  const auto file = CsvFile::Open(in, options, CsvOperand(operands, 1));
  if (file == nullptr) return 2;
  const auto columns = SelectColumns(in, options.columns, *file);
  if (!columns) return 2;
  CsvOut out(in, options);
  if (!file->headers().empty()) out.WriteHeaders(*file);
  bool has_match = false;
  for (CsvRecord record; file->Next(record) && in.out.status();) {
    bool is_match = false;
    for (size_t i = 0; i < columns->size() && !is_match; ++i) {
      const auto found = regex->Search(FieldAt(record, (*columns)[i]), 0, nullptr, in.budget);
      if (!found) return in.Fail(found.error().Text(), 2);
      is_match = *found;
    }
    if (is_match == options.inverts) continue;
    has_match = true;
    out.Write(record);
  }
  return !file->is_good() ? 2 : has_match ? 0 : 1;
}

// COLUMN OPERATOR VALUE
struct Condition {
  enum Operator { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual, kMatch, kNoMatch };
  Operator op = kEqual;
  size_t column = 0;
  std::string value;
  std::optional<double> number;
  std::optional<Regex> regex;
};

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<Condition> ReadCondition(Invocation& in, const CsvOptions& options, std::string_view text, const CsvFile& file) {
  static constexpr std::pair<std::string_view, Condition::Operator> kOperators[] = {
      {"==", Condition::kEqual},   {"!=", Condition::kNotEqual},     {"<=", Condition::kLessEqual}, {">=", Condition::kGreaterEqual},
      {"=~", Condition::kMatch},   {"!~", Condition::kNoMatch},      {"=", Condition::kEqual},      {"<", Condition::kLess},
      {">", Condition::kGreater},  {"~", Condition::kMatch}};
  bool is_quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    in.budget.Step();
    if (text[i] == '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    for (const auto& [name, op] : kOperators) {
      if (!text.substr(i).starts_with(name)) continue;
      Condition condition;
      condition.op = op;
      const auto columns = SelectColumns(in, Trimmed(text.substr(0, i)), file);
      if (!columns) return std::nullopt;
      if (columns->size() != 1) {
        in.Fail("not one column: " + std::string(text), 2);
        return std::nullopt;
      }
      condition.column = columns->front();
      std::string_view value = Trimmed(text.substr(i + name.size()));
      const bool is_string = value.size() >= 2 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0];
      if (is_string) value = value.substr(1, value.size() - 2);
      condition.value = value;
      if (!is_string) condition.number = CsvNumber(value);
      if (op == Condition::kMatch || op == Condition::kNoMatch) {
        auto regex = Regex::Compile(value, {.dialect = RegexDialect::kPerl, .ignore_case = options.ignores_case, .is_utf8 = in.locale.is_utf8});
        if (!regex) {
          in.Fail(std::string(regex.error().Text()) + ": " + condition.value, 2);
          return std::nullopt;
        }
        condition.regex = std::move(*regex);
      }
      return condition;
    }
  }
  in.Fail("no comparison in '" + std::string(text) + "': COLUMN == VALUE, or with != < <= > >= =~ !~", 2);
  return std::nullopt;
}

Result<bool> Holds(const Condition& condition, std::string_view field, Budget& budget) {
  if (condition.regex) {
    const auto found = condition.regex->Search(field, 0, nullptr, budget);
    if (!found) return found.error();
    return *found == (condition.op == Condition::kMatch);
  }
  int order = 0;
  const auto number = condition.number ? CsvNumber(field) : std::nullopt;
  if (number) {
    order = *number < *condition.number ? -1 : *number > *condition.number;
  } else if (condition.number && condition.op != Condition::kEqual && condition.op != Condition::kNotEqual) {
    return false;   // text is neither below nor above a number
  } else {
    order = field.compare(condition.value);
  }
  switch (condition.op) {
    case Condition::kEqual: return order == 0;
    case Condition::kNotEqual: return order != 0;
    case Condition::kLess: return order < 0;
    case Condition::kLessEqual: return order <= 0;
    case Condition::kGreater: return order > 0;
    default: return order >= 0;
  }
}

ExitStatus Filter(Invocation& in, const CsvOptions& options, const Operands& operands) {
  std::vector<std::string> expressions = options.expressions;
  size_t next = 0;
  if (expressions.empty()) {
    if (operands.empty()) return in.Usage("missing condition");
    expressions.push_back(operands[next++]);
  }
  const auto file = CsvFile::Open(in, options, CsvOperand(operands, next));
  if (file == nullptr) return 2;
  std::vector<Condition> conditions;
  for (const std::string& expression : expressions) {
    auto condition = ReadCondition(in, options, expression, *file);
    if (!condition) return 2;
    conditions.push_back(std::move(*condition));
  }
  CsvOut out(in, options);
  if (!file->headers().empty()) out.WriteHeaders(*file);
  for (CsvRecord record; file->Next(record) && in.out.status();) {
    bool is_taken = !options.is_any;
    for (const Condition& condition : conditions) {
      in.budget.Step();
      const auto holds = Holds(condition, FieldAt(record, condition.column), in.budget);
      if (!holds) return in.Fail(holds.error().Text(), 2);
      if (*holds != options.is_any) continue;
      is_taken = options.is_any;
      break;
    }
    if (is_taken != options.inverts) out.Write(record);
  }
  return file->is_good() ? 0 : 2;
}

constexpr Option kInvert = Flag<&CsvOptions::inverts>('v', "invert", "all others");
constexpr Option kIgnoreCase = Flag<&CsvOptions::ignores_case>('i', "ignore-case", "letters of either case match each other");
constexpr Option kHeadersOptions[] = {kCsvDelimiter, Flag<&CsvOptions::just_names>('j', "just-names", "without the numbers")};
constexpr Option kCountOptions[] = {kCsvDelimiter, kCsvNoHeaders, kCsvNoHeadersToo, kCsvFlexible};
constexpr Option kSelectOptions[] = {kCsvDelimiter, kCsvOutDelimiter, kCsvNoHeaders, kCsvNoHeadersToo, kCsvFlexible, kInvert};
constexpr Option kHeadOptions[] = {kCsvDelimiter, kCsvOutDelimiter, kCsvNoHeaders, kCsvFlexible,
                                   Value<&CsvOptions::count>('n', "count", "N", "so many records (10)")};
constexpr Option kSliceOptions[] = {kCsvDelimiter, kCsvOutDelimiter, kCsvNoHeaders, kCsvNoHeadersToo, kCsvFlexible,
                                    Value<&CsvOptions::start>('s', "start", "N", "from this record on, the first is 0"),
                                    Value<&CsvOptions::end>('e', "end", "N", "up to the one before this"),
                                    Value<&CsvOptions::length>('l', "len", "N", "so many"),
                                    Value<&CsvOptions::index>('i', "index", "N", "this one alone")};
constexpr Option kCatOptions[] = {kCsvDelimiter, kCsvOutDelimiter, kCsvNoHeaders, kCsvNoHeadersToo, kCsvFlexible};
constexpr Option kSearchOptions[] = {kCsvDelimiter, kCsvOutDelimiter, kCsvNoHeaders, kCsvNoHeadersToo, kCsvFlexible, kCsvColumns, kIgnoreCase, kInvert};
constexpr Option kFilterOptions[] = {kCsvDelimiter, kCsvOutDelimiter, kCsvNoHeaders, kCsvNoHeadersToo, kCsvFlexible, kIgnoreCase, kInvert,
                                     Value<&CsvOptions::expressions>('e', "expression", "CONDITION", "one more condition; all have to hold"),
                                     Flag<&CsvOptions::is_any>('a', "any", "one of them has to hold")};

constexpr char kColumnsHelp[] =
    "COLUMNS are names and numbers from 1, between commas: name,3,5-7,9-,id-name.\nA leading ! stands for all others, quotes for odd names: '\"a, b\",2'.\n";
constexpr CsvCommand kCommands[] = {
    {"headers", "names of the columns", "[FILE]...", "", kHeadersOptions, Headers},
    {"count", "number of records", "[FILE]", "", kCountOptions, Count},
    {"select", "some columns, in this order", "COLUMNS [FILE]", kColumnsHelp, kSelectOptions, Select},
    {"filter", "records for which a comparison holds", "CONDITION [FILE]",
     "A CONDITION is COLUMN OPERATOR VALUE; operators are == != < <= > >= =~ !~ (the\nlast two match a regular expression). Numbers compare as numbers.\n",
     kFilterOptions, Filter},
    {"search", "records with a field that matches a regular expression", "REGEX [FILE]", "Exit status 1 when there is none.\n", kSearchOptions, Search},
    {"head", "the first records", "[FILE]", "", kHeadOptions, Head},
    {"tail", "the last records", "[FILE]", "", kHeadOptions, Tail},
    {"slice", "records by their number", "[FILE]", "", kSliceOptions, Slice},
    {"cat", "records of several files, one after the other", "[FILE]...", "", kCatOptions, Cat},
};

}  // namespace

std::span<const CsvCommand> CsvRowCommands() { return kCommands; }

}  // namespace paddock::data
