// uniq - report or omit repeated lines
//
// usage: uniq [OPTION]... [INPUT [OUTPUT]]
// Writes one line of each run of equal adjacent lines, or what the options ask for.
//
// Exit status: 0, or 1 when a file could not be read or written.
// Source: POSIX uniq; GNU coreutils 9.1, with the old forms -N (fields) and +N (characters).
// Differs: nothing known.

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include "commands/input_files.h"
#include "text/choice.h"
#include "text/numbers.h"
#include "text/quote.h"

namespace paddock {
namespace {

enum class Repeats { kNone, kPrepend, kSeparate };
enum class Group { kNone, kPrepend, kAppend, kSeparate, kBoth };

struct Options {
  bool counts = false;
  bool only_repeated = false;
  bool only_unique = false;
  bool all_repeated = false;
  bool groups = false;
  std::optional<std::string> repeat_method;
  std::optional<std::string> group_method;
  bool ignore_case = false;
  bool zero = false;
  std::optional<std::string> skip_fields;
  std::optional<std::string> skip_chars;
  std::optional<std::string> check_chars;
  bool has_old_fields = false;   // -N in place of -f N
};

Status SetAllRepeated(Options& options, std::string_view method) {
  options.all_repeated = true;
  if (method.data() != nullptr) options.repeat_method = method;
  return {};
}
Status SetGroup(Options& options, std::string_view method) {
  options.groups = true;
  options.group_method = method.data() != nullptr ? method : "separate";
  return {};
}
template <char kDigit>
Status AddDigit(Options& options, std::string_view) {
  if (!options.has_old_fields || !options.skip_fields) options.skip_fields.emplace();
  options.has_old_fields = true;
  *options.skip_fields += kDigit;
  return {};
}
Status SetSkipFields(Options& options, std::string_view count) {
  options.has_old_fields = false;
  options.skip_fields = count;
  return {};
}

constexpr Option kOptions[] = {
    Flag<&Options::counts>('c', "count", "prefix lines by the number of occurrences"),
    Flag<&Options::only_repeated>('d', "repeated", "only print duplicate lines, one for each group"),
    Call<SetAllRepeated>('D', nullptr, nullptr, "print all duplicate lines"),
    CallOptional<SetAllRepeated>(0, "all-repeated", "METHOD",
                                 "like -D, but allow separating groups with an empty line"),
    Call<SetSkipFields>('f', "skip-fields", "N", "avoid comparing the first N fields"),
    CallOptional<SetGroup>(0, "group", "METHOD", "show all items, separating groups with an empty line"),
    Flag<&Options::ignore_case>('i', "ignore-case", "ignore differences in case when comparing"),
    Value<&Options::skip_chars>('s', "skip-chars", "N", "avoid comparing the first N characters"),
    Flag<&Options::only_unique>('u', "unique", "only print unique lines"),
    Flag<&Options::zero>('z', "zero-terminated", "line delimiter is NUL, not newline"),
    Value<&Options::check_chars>('w', "check-chars", "N", "compare no more than N characters in lines"),
    Call<AddDigit<'0'>>('0', nullptr, nullptr, nullptr), Call<AddDigit<'1'>>('1', nullptr, nullptr, nullptr),
    Call<AddDigit<'2'>>('2', nullptr, nullptr, nullptr), Call<AddDigit<'3'>>('3', nullptr, nullptr, nullptr),
    Call<AddDigit<'4'>>('4', nullptr, nullptr, nullptr), Call<AddDigit<'5'>>('5', nullptr, nullptr, nullptr),
    Call<AddDigit<'6'>>('6', nullptr, nullptr, nullptr), Call<AddDigit<'7'>>('7', nullptr, nullptr, nullptr),
    Call<AddDigit<'8'>>('8', nullptr, nullptr, nullptr), Call<AddDigit<'9'>>('9', nullptr, nullptr, nullptr),
};

// +N skips characters.
bool TakePlus(void* options, std::string_view argument) {
  if (argument[0] != '+' || ParseSize(argument.substr(1), "").state != NumberState::kOk) return false;
  static_cast<Options*>(options)->skip_chars = argument.substr(1);
  return true;
}

// What of a line is compared.
class Comparison {
 public:
  uint64_t skip_fields = 0;
  uint64_t skip_chars = 0;
  uint64_t check_chars = std::numeric_limits<uint64_t>::max();
  bool ignore_case = false;

  std::string_view Part(std::string_view line) const {
    size_t at = 0;
    for (uint64_t left = skip_fields; left > 0 && at < line.size(); --left) {
      while (at < line.size() && IsBlank(line[at])) ++at;
      while (at < line.size() && !IsBlank(line[at])) ++at;
    }
    at += static_cast<size_t>(std::min<uint64_t>(skip_chars, line.size() - at));
    return line.substr(at, check_chars);
  }
  bool AreEqual(std::string_view a, std::string_view b) const {
    const std::string_view x = Part(a);
    const std::string_view y = Part(b);
    if (x.size() != y.size()) return false;
    if (!ignore_case) return x == y;
    return std::equal(x.begin(), x.end(), y.begin(), [](char c, char d) { return Lower(c) == Lower(d); });
  }

 private:
  static bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n'; }
  static char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
};

struct Plan {
  Comparison comparison;
  bool shows_unique = true;
  bool shows_first = true;
  bool shows_later = false;
  bool counts = false;
  Repeats repeats = Repeats::kNone;
  Group group = Group::kNone;
  char delimiter = '\n';
};

class Filter {
 public:
  Filter(const Plan& plan, Input& input, Output& out) : plan_(plan), input_(input), out_(out) {}

  void Run() {
    if (plan_.shows_unique && plan_.shows_first && !plan_.counts) WriteFirsts();
    else WriteRuns();
  }

 private:
  // One line of each run, or all lines with the groups set apart.
  void WriteFirsts() {
    std::string previous;
    bool has_previous = false;
    while (const auto line = input_.ReadLine(plan_.delimiter)) {
      const bool is_new = !has_previous || !plan_.comparison.AreEqual(previous, line->text);
      if (is_new && plan_.group != Group::kNone) {
        const bool is_before = plan_.group == Group::kPrepend || plan_.group == Group::kBoth;
        if (is_before || has_previous) out_.Put(plan_.delimiter);
      }
      if (!is_new && plan_.group == Group::kNone) continue;
      Write(line->text);
      if (is_new) previous.assign(line->text);
      has_previous = true;
      if (!out_.status()) return;
    }
    if (has_previous && (plan_.group == Group::kBoth || plan_.group == Group::kAppend)) out_.Put(plan_.delimiter);
  }

  // Lines chosen by how often they come.
  void WriteRuns() {
    const auto first = input_.ReadLine(plan_.delimiter);
    if (!first) return;
    std::string previous(first->text);
    uint64_t matches = 0;          // further lines of the run so far
    bool had_repeats = false;      // in an earlier run
    while (const auto line = input_.ReadLine(plan_.delimiter)) {
      const bool is_match = plan_.comparison.AreEqual(previous, line->text);
      if (is_match) {
        ++matches;
        if (matches == 1 && (plan_.repeats == Repeats::kPrepend ||
                             (plan_.repeats == Repeats::kSeparate && had_repeats))) {
          out_.Put(plan_.delimiter);
        }
        if (!plan_.shows_later) continue;
      } else if (matches > 0) {
        had_repeats = true;
      }
      WriteOf(previous, is_match, matches);
      previous.assign(line->text);
      if (!is_match) matches = 0;
      if (!out_.status()) return;
    }
    if (!input_.status()) return;
    WriteOf(previous, false, matches);
  }

  void WriteOf(std::string_view line, bool is_later, uint64_t matches) {
    const bool is_shown = matches == 0 ? plan_.shows_unique : is_later ? plan_.shows_later : plan_.shows_first;
    if (!is_shown) return;
    if (plan_.counts) {
      const std::string digits = std::to_string(matches + 1);
      if (digits.size() < 7) out_.Write(std::string_view("       ").substr(digits.size()));
      out_.Write(digits);
      out_.Put(' ');
    }
    Write(line);
  }

  void Write(std::string_view line) {
    out_.Write(line);
    out_.Put(plan_.delimiter);
  }

  const Plan& plan_;
  Input& input_;
  Output& out_;
};

// Errors of code kSyntax are usage errors; all carry the whole complaint.
Result<Plan> MakePlan(const Options& options, bool is_utf8) {
  constexpr Choice kRepeats[] = {{"none", static_cast<int>(Repeats::kNone)},
                                 {"prepend", static_cast<int>(Repeats::kPrepend)},
                                 {"separate", static_cast<int>(Repeats::kSeparate)}};
  constexpr Choice kGroups[] = {{"prepend", static_cast<int>(Group::kPrepend)},
                                {"append", static_cast<int>(Group::kAppend)},
                                {"separate", static_cast<int>(Group::kSeparate)},
                                {"both", static_cast<int>(Group::kBoth)}};
  Plan plan;
  plan.delimiter = options.zero ? '\0' : '\n';
  plan.comparison.ignore_case = options.ignore_case;
  const auto read = [](const std::optional<std::string>& text, std::string_view what, uint64_t* value) -> Status {
    if (!text) return {};
    const SizeNumber number = ParseSize(*text, "");
    if (number.state != NumberState::kOk && number.state != NumberState::kOverflow) {
      return Error(Code::kInvalid, *text + ": invalid number of " + std::string(what));
    }
    *value = number.value;
    return {};
  };
  PADDOCK_TRY(read(options.skip_fields, "fields to skip", &plan.comparison.skip_fields));
  PADDOCK_TRY(read(options.skip_chars, "bytes to skip", &plan.comparison.skip_chars));
  PADDOCK_TRY(read(options.check_chars, "bytes to compare", &plan.comparison.check_chars));
  if (options.repeat_method) {
    PADDOCK_ASSIGN(const int method, FindChoice("--all-repeated", *options.repeat_method, kRepeats, is_utf8));
    plan.repeats = static_cast<Repeats>(method);
  }
  if (options.groups) {
    plan.group = Group::kSeparate;
    if (options.group_method) {
      PADDOCK_ASSIGN(const int method, FindChoice("--group", *options.group_method, kGroups, is_utf8));
      plan.group = static_cast<Group>(method);
    }
    if (options.counts || options.only_repeated || options.all_repeated || options.only_unique) {
      return Error(Code::kSyntax, "--group is mutually exclusive with -c/-d/-D/-u");
    }
  }
  if (options.counts && options.all_repeated) {
    return Error(Code::kSyntax, "printing all duplicated lines and repeat counts is meaningless");
  }
  plan.counts = options.counts;
  plan.shows_unique = !options.only_repeated && !options.all_repeated;
  plan.shows_first = !options.only_unique;
  plan.shows_later = options.all_repeated;
  return plan;
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  const bool is_utf8 = in.locale.is_utf8;
  if (operands.size() > 2) return in.Usage("extra operand " + Quote(operands[2], is_utf8));
  auto plan = MakePlan(options, is_utf8);
  if (!plan) {
    return plan.error().code == Code::kSyntax ? in.Usage(plan.error().Text()) : in.Fail(plan.error().Text());
  }
  const std::string name = operands.empty() ? "-" : operands[0];
  auto file = InputFile::Open(in, name);
  if (!file) return in.Fail(QuoteSubject(name, is_utf8), file.error());
  vfs::OpenFilePtr target;
  std::unique_ptr<Output> own_output;
  if (operands.size() > 1 && operands[1] != "-") {
    auto opened = in.fs.Open(operands[1], vfs::OpenFlags::Write());
    if (!opened) return in.Fail(QuoteSubject(operands[1], is_utf8), opened.error());
    target = *opened;
    own_output = std::make_unique<Output>(*target);
  }
  Output& out = own_output ? *own_output : in.out;
  Filter(*plan, file->input(), out).Run();
  if (const Status& status = file->input().status(); !status) {
    return in.Fail("error reading " + QuoteFile(name, is_utf8));
  }
  if (own_output && !out.Flush()) return in.Fail("write error", out.status().error());
  return 0;
}

}  // namespace

extern const Command kCommand_uniq;
const Command kCommand_uniq = Define<Options, Run>({
    .name = "uniq",
    .summary = "report or omit repeated lines",
    .synopsis = "[OPTION]... [INPUT [OUTPUT]]",
    .details = "\nA field is a run of blanks (usually spaces and/or TABs), then non-blank characters.\n"
               "Fields are skipped before chars.\n",
    .options = kOptions,
    .rules = {.numeric_shorthand = TakePlus},
});

}  // namespace paddock
