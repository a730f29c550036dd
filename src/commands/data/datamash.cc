// datamash - sums, statistics and groups of the fields of lines
//
// usage: datamash [OPTION]... OPERATION [FIELDS] [OPERATION FIELDS]...
// Groups are runs of lines with equal keys; -s sorts the lines first.
//
// Exit status: 0, or 1 for a usage error or bad input.
// Source: GNU datamash 1.7.
// Differs: rmdup of several fields, which ends the real one by an assertion, is refused.

#include <strings.h>

#include <cmath>
#include <map>
#include <unordered_set>

#include "commands/data/datamash_plan.h"
#include "proc/command.h"

namespace paddock {
namespace {

using datamash::Answer;
using datamash::OperationKind;
using datamash::Options;
using datamash::Plan;
using datamash::Row;
using datamash::Step;
using datamash::ValueKind;

using datamash::kOptions;

class Machine {
 public:
  Machine(Invocation& in, const Options& options, Plan& plan) : in_(in), o_(options), plan_(plan), rows_(in, options) {}

  // Errors: bad input, with the complaint.
  Status Run() {
    if (o_.header_in) {
      const bool has_header = plan_.mode != Plan::Mode::kCheck && plan_.mode != Plan::Mode::kTranspose;
      if (has_header) {
        PADDOCK_ASSIGN(const bool is_there, rows_.Read(header_));
        if (!is_there) return {};
      }
    }
    PADDOCK_TRY(plan_.ResolveNames(o_.header_in ? &header_ : nullptr));
    switch (plan_.mode) {
      case Plan::Mode::kTranspose: return Transpose();
      case Plan::Mode::kReverse: return Reverse();
      case Plan::Mode::kCheck: return Check();
      case Plan::Mode::kRmdup: return RemoveDuplicates();
      case Plan::Mode::kCrosstab: return Crosstab();
      case Plan::Mode::kLines: return EachLine();
      case Plan::Mode::kGroups: return Groups();
    }
    return {};
  }

 private:
  Error MissingField(size_t field, const Row& row) const {
    return {Code::kInvalid, "invalid input: field " + std::to_string(field) + " requested, line " + std::to_string(rows_.line_number()) + " has only " +
                                std::to_string(row.fields.size()) + " fields"};
  }
  Result<std::string_view> Field(const Row& row, size_t field) const {
    if (field > row.fields.size()) return MissingField(field, row);
    return row.fields[field - 1];
  }
  Result<long double> Number(const Row& row, size_t field) const {
    PADDOCK_ASSIGN(const std::string_view text, Field(row, field));
    const auto number = datamash::ParseNumber(std::string(text));
    if (number) return *number;
    return Error(Code::kInvalid, "invalid numeric value in line " + std::to_string(rows_.line_number()) + " field " + std::to_string(field) + ": '" + std::string(text) + "'");
  }
  static bool IsMissing(std::string_view text) {
    std::string lower;
    for (const char c : text) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    return lower == "na" || lower == "nan" || lower == "n/a";
  }
  std::string TextOf(const Answer& answer) const { return answer.number ? plan_.format.Print(*answer.number, in_.budget) : answer.text; }
  char between() const { return o_.output_delimiter; }
  void EndLine() { in_.out.Put(o_.zero ? '\0' : '\n'); }
  void WriteFields(const Row& row) {
    for (size_t i = 0; i < row.fields.size(); ++i) {
      if (i > 0) in_.out.Put(between());
      in_.out.Write(row.fields[i]);
    }
  }
  // As the header names it, or "field-3".
  std::string NameOf(size_t field) const {
    return o_.header_in && field <= header_.fields.size() ? std::string(header_.fields[field - 1]) : "field-" + std::to_string(field);
  }
  // All fields of the input, of which `row` is one line.
  std::string HeaderFields(const Row& row) const {
    std::string text;
    for (size_t i = 1; i <= (o_.header_in ? header_ : row).fields.size(); ++i) {
      if (i > 1) text += between();
      text += NameOf(i);
    }
    return text;
  }
  std::string StepName(const Step& step) const {
    return step.title + "(" + NameOf(step.field) + ")";
  }
  void WriteHeader(const Row& row, bool has_groups) {
    if (!o_.header_out) return;
    std::string text;
    const auto add = [&](const std::string& name) { text.append(text.empty() ? 0 : 1, between()).append(name); };
    if (o_.full) add(HeaderFields(row));
    else if (has_groups) for (const auto& key : plan_.keys) add("GroupBy(" + NameOf(key.field) + ")");
    for (const Step& step : plan_.steps) add(StepName(step));
    in_.out.Write(text);
    EndLine();
  }

  Status EachLine() {
    Row row;
    bool is_first = true;
    while (true) {
      PADDOCK_ASSIGN(const bool is_there, rows_.Read(row));
      if (is_first && (is_there || o_.header_in)) WriteHeader(row, false);
      is_first = false;
      if (!is_there) return {};
      if (o_.full) WriteFields(row);
      bool needs_delimiter = o_.full;
      for (const Step& step : plan_.steps) {
        in_.budget.Step();
        PADDOCK_ASSIGN(const std::string_view text, Field(row, step.field));
        if (needs_delimiter) in_.out.Put(between());
        needs_delimiter = true;
        if (o_.narm && IsMissing(text)) continue;
        long double number = 0;
        if (step.operation->value == ValueKind::kNumber) {
          PADDOCK_ASSIGN(number, Number(row, step.field));
        }
        const auto answer = datamash::Apply(*step.operation, step.parameter, text, number);
        if (!answer) {
          return Error(Code::kInvalid, "invalid base64 value in line " + std::to_string(rows_.line_number()) + " field " + std::to_string(step.field) + ": '" +
                                           std::string(text) + "'");
        }
        in_.out.Write(TextOf(*answer));
      }
      EndLine();
    }
  }

  using Accumulators = std::vector<std::unique_ptr<datamash::Accumulator>>;
  Accumulators NewAccumulators() const {
    Accumulators all;
    for (const Step& step : plan_.steps) all.push_back(datamash::NewAccumulator(*step.operation, step.parameter, {.ignores_case = o_.ignore_case}));
    return all;
  }
  Status Add(const Row& row, Accumulators& all) {
    for (size_t i = 0; i < plan_.steps.size(); ++i) {
      const Step& step = plan_.steps[i];
      in_.budget.Step();
      PADDOCK_ASSIGN(const std::string_view text, Field(row, step.field));
      if (step.operation->value == ValueKind::kPair) {
        for (const bool is_second : {false, true}) {
          const size_t field = is_second ? step.second_field : step.field;
          PADDOCK_ASSIGN(const std::string_view part, Field(row, field));
          if (o_.narm && IsMissing(part)) continue;
          PADDOCK_ASSIGN(const long double number, Number(row, field));
          all[i]->AddPart(number, is_second, in_.budget);
        }
        continue;
      }
      if (o_.narm && IsMissing(text)) continue;
      if (step.operation->value == ValueKind::kText) {
        all[i]->AddText(text, in_.budget);
        continue;
      }
      PADDOCK_ASSIGN(const long double number, Number(row, step.field));
      all[i]->Add(number, in_.budget);
    }
    return {};
  }
  Result<std::string> FinishStep(size_t index, datamash::Accumulator& accumulator) {
    const Step& step = plan_.steps[index];
    if (accumulator.has_pairs()) return TextOf(accumulator.Finish(in_.budget));
    return Error(Code::kInvalid, "input error for operation ‘" + std::string(step.operation->name) + "’: fields " + std::to_string(step.field) + "," +
                                     std::to_string(step.second_field) + " have different number of items");
  }
  Result<std::vector<std::string>> Keys(const Row& row) const {
    std::vector<std::string> keys;
    for (const auto& key : plan_.keys) {
      PADDOCK_ASSIGN(const std::string_view text, Field(row, key.field));
      keys.emplace_back(text);
    }
    return keys;
  }
  bool IsSame(const std::string& a, const std::string& b) const { return o_.ignore_case ? strcasecmp(a.c_str(), b.c_str()) == 0 : a == b; }
  bool IsSame(const std::vector<std::string>& a, const std::vector<std::string>& b) const {
    for (size_t i = 0; i < a.size(); ++i) {
      if (!IsSame(a[i], b[i])) return false;
    }
    return true;
  }

  Status Groups() {
    PADDOCK_TRY(rows_.SortBy(plan_.keys));
    Row row, first;
    std::vector<std::string> keys;
    Accumulators all;
    bool has_group = false;
    const auto finish = [&]() -> Status {
      std::string text;
      bool needs_delimiter = false;
      if (o_.full) WriteFields(first), needs_delimiter = true;
      else for (const std::string& key : keys) text.append(needs_delimiter ? 1 : 0, between()).append(key), needs_delimiter = true;
      for (size_t i = 0; i < all.size(); ++i) {
        PADDOCK_ASSIGN(const std::string value, FinishStep(i, *all[i]));
        text.append(needs_delimiter ? 1 : 0, between()).append(value);
        needs_delimiter = true;
      }
      in_.out.Write(text);
      EndLine();
      return {};
    };
    while (true) {
      PADDOCK_ASSIGN(const bool is_there, rows_.Read(row));
      if (!has_group && (is_there || o_.header_in)) WriteHeader(row, true);
      if (!is_there) break;
      PADDOCK_ASSIGN(std::vector<std::string> row_keys, Keys(row));
      if (!has_group || !IsSame(row_keys, keys)) {
        if (has_group) {
          PADDOCK_TRY(finish());
        }
        has_group = true;
        keys = std::move(row_keys);
        all = NewAccumulators();
        if (o_.full) first = row;
      }
      PADDOCK_TRY(Add(row, all));
    }
    return has_group ? finish() : Status();
  }

  Status Crosstab() {
    PADDOCK_TRY(rows_.SortBy(plan_.keys));
    std::map<std::string, std::map<std::string, Accumulators>> cells;
    std::map<std::string, bool> columns;
    Row row;
    std::vector<std::string> before;
    Accumulators later;   // of a run whose cell another run has filled: the first one counts
    Accumulators* target = nullptr;
    while (true) {
      PADDOCK_ASSIGN(const bool is_there, rows_.Read(row));
      if (!is_there) break;
      PADDOCK_ASSIGN(std::vector<std::string> keys, Keys(row));
      in_.budget.Step(4);
      if (target == nullptr || !IsSame(keys, before)) {
        columns[keys[1]] = true;
        Accumulators& cell = cells[keys[0]][keys[1]];
        target = cell.empty() ? &cell : &later;
        *target = NewAccumulators();
        before = std::move(keys);
      }
      PADDOCK_TRY(Add(row, *target));
    }
    WriteHeader(row, true);
    for (const auto& [name, _] : columns) {
      in_.out.Put(between());
      in_.out.Write(name);
    }
    EndLine();
    for (auto& [name, line] : cells) {
      in_.out.Write(name);
      for (const auto& [column, _] : columns) {
        in_.budget.Step();
        in_.out.Put(between());
        const auto found = line.find(column);
        std::string value = o_.filler;
        if (found != line.end()) {
          PADDOCK_ASSIGN(value, FinishStep(0, *found->second[0]));
        }
        in_.out.Write(value);
      }
      EndLine();
    }
    return {};
  }

  Status RemoveDuplicates() {
    std::unordered_set<std::string> seen;
    if (o_.header_out && o_.header_in) {
      WriteFields(header_);
      EndLine();
    }
    Row row;
    bool is_first = true;
    while (true) {
      PADDOCK_ASSIGN(const bool is_there, rows_.Read(row));
      if (!is_there) return {};
      if (is_first && o_.header_out && !o_.header_in) {
        in_.out.Write(HeaderFields(row));
        EndLine();
      }
      is_first = false;
      PADDOCK_ASSIGN(const std::string_view text, Field(row, plan_.keys[0].field));
      std::string key(text);
      if (!seen.insert(std::move(key)).second) continue;
      in_.out.Write(row.line);
      EndLine();
    }
  }

  Error VaryingFields(const char* what, const Row& row, size_t expected) const {
    return {Code::kInvalid, std::string(what) + " input error: line " + std::to_string(rows_.line_number()) + " has " + std::to_string(row.fields.size()) +
                                " fields (previous lines had " + std::to_string(expected) + ");\nsee --help to disable strict mode"};
  }

  Status Reverse() {
    Row row;
    std::optional<size_t> count;
    const auto write = [&](const auto& fields) {
      for (size_t i = fields.size(); i > 0; --i) {
        in_.out.Write(fields[i - 1]);
        if (i > 1) in_.out.Put(between());
      }
      EndLine();
    };
    if (o_.header_in && o_.header_out) write(header_.fields);
    while (true) {
      PADDOCK_ASSIGN(const bool is_there, rows_.Read(row));
      if (!is_there) return {};
      if (!count && o_.header_out && !o_.header_in) {
        std::vector<std::string> names;
        for (size_t i = 1; i <= row.fields.size(); ++i) names.push_back(NameOf(i));
        write(names);
      }
      if (!o_.no_strict && count && *count != row.fields.size()) return VaryingFields("reverse-field", row, *count);
      count = row.fields.size();
      write(row.fields);
    }
  }

  Status Transpose() {
    std::vector<std::vector<std::string>> lines;
    size_t width = 0;
    Row row;
    while (true) {
      PADDOCK_ASSIGN(const bool is_there, rows_.Read(row));
      if (!is_there) break;
      if (!o_.no_strict && !lines.empty() && width != row.fields.size()) return VaryingFields("transpose", row, width);
      width = std::max(width, row.fields.size());
      in_.budget.Step(static_cast<int64_t>(row.fields.size()));
      lines.emplace_back(row.fields.begin(), row.fields.end());
    }
    for (size_t column = 0; column < width; ++column) {
      for (size_t i = 0; i < lines.size(); ++i) {
        in_.budget.Step();
        if (i > 0) in_.out.Put(between());
        in_.out.Write(column < lines[i].size() ? std::string_view(lines[i][column]) : std::string_view(o_.filler));
      }
      EndLine();
    }
    return {};
  }

  Status Check() {
    uint64_t lines = 0;
    size_t width = 0;
    std::string before;
    Row row;
    const auto show = [&](uint64_t number, size_t fields, std::string_view text) {
      in_.out.Flush();
      in_.err.Write("line " + std::to_string(number) + " (" + std::to_string(fields) + " fields):\n  " + std::string(text) + "\n");
    };
    while (true) {
      PADDOCK_ASSIGN(const bool is_there, rows_.Read(row));
      if (!is_there) break;
      ++lines;
      const size_t count = row.fields.size();
      const std::string head = "check failed: line " + std::to_string(lines) + " has " + std::to_string(count) + " fields ";
      if (plan_.expected_fields && *plan_.expected_fields != count) {
        show(lines, count, row.line);
        return Error(Code::kInvalid, head + "(expecting " + std::to_string(*plan_.expected_fields) + ")");
      }
      if (lines > 1 && count != width) {
        show(lines - 1, width, before);
        show(lines, count, row.line);
        return Error(Code::kInvalid, head + "(previous line had " + std::to_string(width) + ")");
      }
      width = count;
      before = row.line;
    }
    if (plan_.expected_lines && *plan_.expected_lines != lines) {
      return Error(Code::kInvalid, "check failed: input had " + std::to_string(lines) + " lines (expecting " + std::to_string(*plan_.expected_lines) + ")");
    }
    in_.out.Write(std::to_string(lines) + (lines == 1 ? " line, " : " lines, ") + std::to_string(width) + (width == 1 ? " field" : " fields"));
    EndLine();
    return {};
  }

  Invocation& in_;
  const Options& o_;
  Plan& plan_;
  datamash::RowReader rows_;
  Row header_;
};

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  if (const Status status = datamash::Complete(options); !status) return in.Fail(status.error().Text());
  if (operands.empty()) return in.Usage("missing operation specifiers");
  auto plan = datamash::MakePlan(options, operands);
  if (!plan) return in.Fail(plan.error().Text());
  const Status status = Machine(in, options, *plan).Run();
  return status ? 0 : in.Fail(status.error().Text());
}

}  // namespace

extern const Command kCommand_datamash;
const Command kCommand_datamash = Define<Options, Run>({
    .name = "datamash",
    .summary = "command-line calculations",
    .synopsis = "[OPTION]... OPERATION [FIELDS] [OPERATION FIELDS]...",
    .details = "\nPrimary operations: groupby, crosstab, transpose, reverse, check, rmdup\n"
               "Per-line operations: base64, debase64, md5, sha1, sha224, sha256, sha384, sha512,\n"
               "  bin, strbin, round, floor, ceil, trunc, frac, dirname, basename, barename, extname, getnum, cut\n"
               "Grouping operations: sum, min, max, absmin, absmax, range, count, first, last, rand,\n"
               "  unique, collapse, countunique, mean, geomean, harmmean, trimmean, median, q1, q3, iqr, perc,\n"
               "  mode, antimode, pstdev, sstdev, pvar, svar, mad, madraw, pskew, sskew, pkurt, skurt,\n"
               "  dpo, jarque, scov, pcov, spearson, ppearson\n",
    .options = kOptions,
});

}  // namespace paddock
