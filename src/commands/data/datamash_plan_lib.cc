#include "commands/data/datamash_plan.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "base/budget.h"

namespace paddock::datamash {
namespace {

Error Bad(std::string message) { return {Code::kInvalid, std::move(message)}; }
std::string Quoted(std::string_view word) { return "‘" + std::string(word) + "’"; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Reads "1,3-5", "name", "1:2". Each item is a field or a pair of fields.
class FieldListReader {
 public:
  FieldListReader(std::string_view text, std::string_view operation) : text_(text), operation_(operation) {}

  struct Item {
    FieldName first;
    std::optional<FieldName> second;
  };
  Result<std::vector<Item>> Read() {
    std::vector<Item> items;
    while (true) {
      PADDOCK_ASSIGN(FieldName first, ReadOne("missing field for operation "));
      if (Takes('-')) {
        PADDOCK_ASSIGN(const FieldName last, ReadOne("invalid field range for operation ", true));
        constexpr size_t kMost = 100'000;
        if (first.field == 0 || last.field == 0 || last.field < first.field) return Complain("invalid field range for operation ");
        if (last.field - first.field > kMost) return Bad("field range too large for operation " + Quoted(operation_));
        for (size_t i = first.field; i <= last.field; ++i) items.push_back({{.name = {}, .field = i}, {}});
      } else if (Takes(':')) {
        PADDOCK_ASSIGN(FieldName second, ReadOne("invalid field pair for operation "));
        items.push_back({std::move(first), std::move(second)});
      } else {
        items.push_back({std::move(first), {}});
      }
      if (at_ == text_.size()) return items;
      if (!Takes(',')) return Complain("invalid field list for operation ");
    }
  }

 private:
  bool Takes(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  Error Complain(const char* what) const { return Bad(what + Quoted(operation_)); }

  Result<FieldName> ReadOne(const char* complaint, bool may_be_zero = false) {
    FieldName field;
    const size_t begin = at_;
    bool is_number = true;
    while (at_ < text_.size() && std::string_view(",:-").find(text_[at_]) == std::string_view::npos) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_, is_number = false;
      if (!IsDigit(text_[at_])) is_number = false;
      field.name += text_[at_++];
    }
    if (field.name.empty()) return Complain(complaint);
    if (!is_number && IsDigit(text_[begin])) return Bad("invalid numeric value '" + field.name + "'");
    if (!is_number) return field;
    const auto [end, error] = std::from_chars(field.name.data(), field.name.data() + field.name.size(), field.field);
    if (error != std::errc() || (field.field == 0 && !may_be_zero)) return Bad("invalid field '" + field.name + "' for operation " + Quoted(operation_));
    field.name.clear();
    return field;
  }

  std::string_view text_;
  std::string_view operation_;
  size_t at_ = 0;
};

class PlanMaker {
 public:
  PlanMaker(const Options& options, const std::vector<std::string>& words) : o_(options), words_(words) {}

  Result<Plan> Make() {
    PADDOCK_ASSIGN(plan_.format, NumberFormat::Make(o_));
    if (o_.group) {
      PADDOCK_ASSIGN(plan_.keys, ReadKeys("groupby", *o_.group));
    }
    PADDOCK_ASSIGN(const bool is_whole, TakePrimary());
    if (is_whole) return std::move(plan_);
    while (at_ < words_.size()) {
      PADDOCK_TRY(TakeStep());
    }
    if (plan_.mode == Plan::Mode::kCrosstab) {
      if (plan_.steps.size() > 1) return Bad("crosstab supports one operation, found " + std::to_string(plan_.steps.size()));
      if (plan_.steps.empty()) plan_.steps.push_back({.operation = FindOperation("count"), .parameter = {}, .title = "count", .first = plan_.keys[0], .second = {}});
    }
    if (plan_.steps.empty()) return Bad("missing operation");
    return std::move(plan_);
  }

 private:
  std::string_view Next() { return words_[at_++]; }
  Result<std::vector<FieldName>> ReadKeys(std::string_view operation, std::string_view text) {
    PADDOCK_ASSIGN(const auto items, FieldListReader(text, operation).Read());
    std::vector<FieldName> keys;
    for (const auto& item : items) {
      if (item.second) return Bad("invalid field pair for operation " + Quoted(operation));
      keys.push_back(item.first);
    }
    return keys;
  }
  Result<std::string_view> Fields(std::string_view operation) {
    if (at_ == words_.size()) return Bad("missing field for operation " + Quoted(operation));
    return Next();
  }

  // True when nothing may follow.
  Result<bool> TakePrimary() {
    const std::string& word = words_[0];
    const bool has_keys = word == "groupby" || word == "crosstab" || word == "rmdup";
    if (!has_keys && word != "transpose" && word != "reverse" && word != "check") return false;
    ++at_;
    if (o_.group) return Bad("conflicting operation " + Quoted(word));
    if (has_keys) {
      const std::string_view name = word == "rmdup" ? "dedup" : std::string_view(word);
      PADDOCK_ASSIGN(const std::string_view fields, Fields(name));
      PADDOCK_ASSIGN(plan_.keys, ReadKeys(name, fields));
    }
    if (word == "groupby") return false;
    if (word == "crosstab") {
      plan_.mode = Plan::Mode::kCrosstab;
      if (plan_.keys.size() != 2) return Bad("crosstab requires exactly 2 fields, found " + std::to_string(plan_.keys.size()));
      return false;
    }
    if (word == "rmdup" && plan_.keys.size() != 1) return Bad("rmdup requires exactly 1 field, found " + std::to_string(plan_.keys.size()));
    if (word == "check") {
      PADDOCK_TRY(TakeExpectations());
    }
    plan_.mode = word == "rmdup" ? Plan::Mode::kRmdup : word == "transpose" ? Plan::Mode::kTranspose : word == "reverse" ? Plan::Mode::kReverse : Plan::Mode::kCheck;
    if (at_ < words_.size()) return Bad("extra operand " + Quoted(words_[at_]));
    return true;
  }

  Status TakeExpectations() {
    plan_.mode = Plan::Mode::kCheck;
    while (at_ < words_.size()) {
      const std::string number(Next());
      uint64_t value = 0;
      const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
      if (error != std::errc() || end != number.data() + number.size() || at_ == words_.size()) return Bad("invalid option " + Quoted(number) + " for operation check");
      if (value == 0) return Bad("invalid value zero for lines/fields in operation 'check'");
      const std::string unit(Next());
      const bool is_lines = unit == "lines" || unit == "line" || unit == "rows" || unit == "row";
      const bool is_fields = unit == "fields" || unit == "field" || unit == "columns" || unit == "column" || unit == "cols" || unit == "col";
      if (!is_lines && !is_fields) return Bad("invalid option " + Quoted(unit) + " for operation check");
      auto& expected = is_lines ? plan_.expected_lines : plan_.expected_fields;
      if (expected) return Bad(std::string("number of ") + (is_lines ? "lines/rows" : "fields/columns") + " already set in operation 'check'");
      expected = value;
    }
    return {};
  }

  Status TakeStep() {
    const std::string_view word = Next();
    const size_t colon = word.find(':');
    const std::string_view name = word.substr(0, colon);
    const Operation* operation = FindOperation(name);
    if (operation == nullptr) {
      const bool is_primary = name == "groupby" || name == "crosstab" || name == "transpose" || name == "reverse" || name == "check" || name == "rmdup";
      return Bad((is_primary ? "conflicting operation " : "invalid operation ") + Quoted(name));
    }
    const bool is_line = operation->kind == OperationKind::kLine;
    const bool wants_groups = !plan_.keys.empty() || (!plan_.steps.empty() && plan_.mode != Plan::Mode::kLines);
    if (is_line && wants_groups) return Bad("conflicting operation found: expecting groupby operations, but found line operation " + Quoted(name));
    if (!is_line && plan_.mode == Plan::Mode::kLines) return Bad("conflicting operation found: expecting line operations, but found groupby operation " + Quoted(name));
    if (is_line) plan_.mode = Plan::Mode::kLines;
    PADDOCK_ASSIGN(const Parameter parameter, ParseParameter(*operation, colon == std::string_view::npos ? std::nullopt : std::optional(word.substr(colon + 1))));
    PADDOCK_ASSIGN(const std::string_view fields, Fields(name));
    PADDOCK_ASSIGN(const auto items, FieldListReader(fields, name).Read());
    for (const auto& item : items) {
      const bool wants_pair = operation->value == ValueKind::kPair;
      if (wants_pair && !item.second) return Bad("operation " + Quoted(name) + " requires field pairs");
      if (!wants_pair && item.second) return Bad("operation " + Quoted(name) + " cannot use pair of fields");
      plan_.steps.push_back({.operation = operation, .parameter = parameter, .title = std::string(word), .first = item.first, .second = item.second.value_or(FieldName{})});
    }
    return {};
  }

  const Options& o_;
  const std::vector<std::string>& words_;
  size_t at_ = 0;
  Plan plan_;
};

Result<char> OneCharacter(const std::string& text) {
  if (text.size() != 1) return Bad("the delimiter must be a single character");
  return text[0];
}

}  // namespace

Status Complete(Options& options) {
  if (options.headers) options.header_in = options.header_out = true;
  if (options.field_separator) {
    PADDOCK_ASSIGN(options.delimiter, OneCharacter(*options.field_separator));
    options.output_delimiter = options.delimiter;
  }
  if (options.output) {
    PADDOCK_ASSIGN(options.output_delimiter, OneCharacter(*options.output));
  }
  return {};
}

Result<NumberFormat> NumberFormat::Make(const Options& options) {
  NumberFormat made;
  constexpr uint64_t kMostDigits = 1 << 20;
  if (options.round) {
    uint64_t digits = 0;
    const char* end = options.round->data() + options.round->size();
    const auto [stop, error] = std::from_chars(options.round->data(), end, digits);
    if (error != std::errc() || stop != end || digits == 0 || digits > kMostDigits) return Bad("invalid rounding digits value " + Quoted(*options.round));
    made.conversion_ = "%." + std::to_string(digits) + "Lf";
    made.width_ = digits;
  }
  if (!options.format) return made;
  const std::string& text = *options.format;
  const auto complain = [&](const std::string& what) { return Bad("format " + Quoted(text) + what); };
  bool has_conversion = false;
  for (size_t i = 0; i < text.size(); ++i) {
    std::string& side = has_conversion ? made.after_ : made.before_;
    if (text[i] != '%') {
      side += text[i];
      continue;
    }
    if (text.substr(i, 2) == "%%") {
      side += '%';
      ++i;
      continue;
    }
    if (has_conversion) return complain(" has too many % directives");
    has_conversion = true;
    std::string spec = "%";
    ++i;
    for (; i < text.size() && std::string_view("-+ #0'").find(text[i]) != std::string_view::npos; ++i) spec += text[i];
    for (int part = 0; part < 2; ++part) {
      if (part == 1) {
        if (i == text.size() || text[i] != '.') break;
        spec += text[i++];
      }
      uint64_t value = 0;
      for (; i < text.size() && IsDigit(text[i]); ++i) {
        value = std::min<uint64_t>(value * 10 + static_cast<uint64_t>(text[i] - '0'), kMostDigits + 1);
        spec += text[i];
      }
      if (value > kMostDigits) return complain(" has a width that is too large");
      made.width_ += value;
    }
    if (i == text.size()) return complain(" missing valid type after '%'");
    if (std::string_view("aAeEfFgG").find(text[i]) == std::string_view::npos) {
      return complain(std::string(" has unknown/invalid type %") + text[i] + " directive");
    }
    made.conversion_ = spec + "L" + text[i];
  }
  if (!has_conversion) return complain(" has no % directive");
  return made;
}

std::string NumberFormat::Print(long double value, Budget& budget) const {
  budget.Step(static_cast<int64_t>(1 + width_ / 32));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  char small[64];
  const int length = std::snprintf(small, sizeof small, conversion_.c_str(), value);
  if (length >= 0 && static_cast<size_t>(length) < sizeof small) return before_ + small + after_;
  budget.WillAllocate(static_cast<uint64_t>(length) + 1);
  std::string text(static_cast<size_t>(length) + 1, '\0');
  std::snprintf(text.data(), text.size(), conversion_.c_str(), value);
#pragma GCC diagnostic pop
  text.pop_back();
  return before_ + text + after_;
}

Row& Row::operator=(const Row& other) {
  line = other.line;
  fields.clear();
  for (const std::string_view field : other.fields) {
    fields.push_back(std::string_view(line).substr(static_cast<size_t>(field.data() - other.line.data()), field.size()));
  }
  return *this;
}

Status Plan::ResolveNames(const Row* header) {
  const auto resolve = [&](FieldName& name) -> Status {
    if (name.name.empty()) return {};
    if (header == nullptr) return Bad("-H or --header-in must be used with named columns");
    const auto found = std::ranges::find(header->fields, std::string_view(name.name));
    if (found == header->fields.end()) return Bad("column name " + Quoted(name.name) + " not found in input file");
    name.field = static_cast<size_t>(found - header->fields.begin()) + 1;
    return {};
  };
  for (FieldName& key : keys) {
    PADDOCK_TRY(resolve(key));
  }
  for (Step& step : steps) {
    PADDOCK_TRY(resolve(step.first));
    PADDOCK_TRY(resolve(step.second));
    step.field = step.first.field;
    step.second_field = step.second.field;
  }
  return {};
}

Result<Plan> MakePlan(const Options& options, const std::vector<std::string>& words) { return PlanMaker(options, words).Make(); }

bool RowReader::IsComment(std::string_view line) const {
  const size_t at = line.find_first_not_of(" \t");
  return at != std::string_view::npos && (line[at] == '#' || line[at] == ';');
}

void RowReader::Split(Row& row) const {
  row.fields.clear();
  const std::string_view line = row.line;
  if (o_.whitespace) {
    constexpr std::string_view kBlanks = " \t";
    size_t at = line.find_first_not_of(kBlanks);
    while (at != std::string_view::npos) {
      const size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
      row.fields.push_back(line.substr(at, end - at));
      at = line.find_first_not_of(kBlanks, end);
    }
    return;
  }
  if (line.empty()) return;
  for (size_t at = 0;;) {
    const size_t end = line.find(o_.delimiter, at);
    row.fields.push_back(line.substr(at, end - at));
    if (end == std::string_view::npos) return;
    at = end + 1;
  }
}

Result<bool> RowReader::Read(Row& row) {
  if (is_sorted_) {
    if (next_ == lines_.size()) return false;
    in_.budget.Step();
    ++line_number_;
    row.line = std::move(lines_[next_++]);
    Split(row);
    return true;
  }
  while (true) {
    const auto line = in_.in.ReadLine(o_.zero ? '\0' : '\n');
    if (!line) {
      PADDOCK_TRY(in_.in.status());
      return false;
    }
    in_.budget.Step(static_cast<int64_t>(1 + line->text.size() / 32));
    ++line_number_;
    if (o_.skip_comments && IsComment(line->text)) continue;
    row.line = line->text;
    Split(row);
    return true;
  }
}

Status RowReader::SortBy(const std::vector<FieldName>& keys) {
  if (!o_.sort || keys.empty()) return {};
  const uint64_t first_line = line_number_;
  struct Keyed {
    std::vector<std::string> keys;
    std::string line;
  };
  std::vector<Keyed> all;
  Row row;
  while (true) {
    PADDOCK_ASSIGN(const bool is_there, Read(row));
    if (!is_there) break;
    Keyed keyed;
    for (const FieldName& key : keys) {
      std::string text(key.field <= row.fields.size() ? row.fields[key.field - 1] : std::string_view());
      if (o_.ignore_case) for (char& c : text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
      keyed.keys.push_back(std::move(text));
    }
    keyed.line = row.line;
    if (all.size() == all.capacity()) in_.budget.WillAllocate(2 * (all.size() + 1) * sizeof(Keyed));
    all.push_back(std::move(keyed));
  }
  std::ranges::stable_sort(all, [&](const Keyed& a, const Keyed& b) {
    in_.budget.Step();
    return a.keys < b.keys;
  });
  for (Keyed& keyed : all) lines_.push_back(std::move(keyed.line));
  is_sorted_ = true;
  line_number_ = first_line;
  return {};
}

}  // namespace paddock::datamash
