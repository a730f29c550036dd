// nl - number lines of files
//
// usage: nl [OPTION]... [FILE]...
// Writes the lines of all FILEs with numbers, by the rules of the logical page part (header, body, footer)
// they are in.
//
// Exit status: 0, or 1 when a file could not be read or the numbers ran out.
// Source: POSIX nl; GNU coreutils 9.1.
// Differs: nothing known.

#include <array>
#include <limits>
#include <memory>

#include "commands/closed_input.h"
#include "commands/input_files.h"
#include "text/numbers.h"
#include "text/quote.h"
#include "text/regex.h"

namespace paddock {
namespace {

struct Options {
  std::string body_style = "t";
  std::string header_style = "n";
  std::string footer_style = "n";
  std::string delimiter = "\\:";
  std::string increment = "1";
  std::string blank_lines = "1";
  std::string format = "rn";
  bool keeps_counting = false;
  std::string separator = "\t";
  std::string start = "1";
  std::string width = "6";
};

constexpr Option kOptions[] = {
    Value<&Options::body_style>('b', "body-numbering", "STYLE", "use STYLE for numbering body lines"),
    Value<&Options::delimiter>('d', "section-delimiter", "CC", "use CC for logical page delimiters"),
    Value<&Options::footer_style>('f', "footer-numbering", "STYLE", "use STYLE for numbering footer lines"),
    Value<&Options::header_style>('h', "header-numbering", "STYLE", "use STYLE for numbering header lines"),
    Value<&Options::increment>('i', "line-increment", "NUMBER", "line number increment at each line"),
    Value<&Options::blank_lines>('l', "join-blank-lines", "NUMBER",
                                 "group of NUMBER empty lines counted as one"),
    Value<&Options::format>('n', "number-format", "FORMAT", "insert line numbers according to FORMAT"),
    Flag<&Options::keeps_counting>('p', "no-renumber", "do not reset line numbers for each section"),
    Value<&Options::separator>('s', "number-separator", "STRING", "add STRING after (possible) line number"),
    Value<&Options::start>('v', "starting-line-number", "NUMBER", "first line number for each section"),
    Value<&Options::width>('w', "number-width", "NUMBER", "use NUMBER columns for line numbers"),
};

enum class Format { kLeft, kRight, kZeros };

// Which lines of a section get a number.
struct Style {
  char letter = 't';   // a, t, n or p
  std::shared_ptr<const Regex> pattern;
};

struct Rules {
  Style header, body, footer;
  std::string header_mark, body_mark, footer_mark;   // empty: no sections
  int64_t start = 1;
  int64_t increment = 1;
  uint64_t blank_lines = 1;
  Format format = Format::kRight;
  size_t width = 6;
};

class Numberer {
 public:
  Numberer(Invocation& in, const Options& options, const Rules& rules)
      : in_(in),
        options_(options),
        rules_(rules),
        style_(&rules.body),
        number_(rules.start),
        blank_prefix_(rules.width + options.separator.size(), ' ') {}

  // Returns false when the run has to end.
  bool Take(std::string_view line) {
    if (TakeMark(line)) return true;
    auto is_numbered = WantsNumber(line);
    if (!is_numbered) {
      in_.Fail("error in regular expression search");
      return false;
    }
    if (*is_numbered) {
      if (has_overflowed_) {
        in_.Fail("line number overflow");
        return false;
      }
      WriteNumber();
    } else {
      in_.out.Write(blank_prefix_);
    }
    in_.out.WriteLine(line);
    return static_cast<bool>(in_.out.status());
  }

 private:
  bool TakeMark(std::string_view line) {
    if (rules_.footer_mark.size() < 2 || !line.starts_with(rules_.footer_mark.substr(0, 2))) return false;
    if (line == rules_.header_mark) style_ = &rules_.header;
    else if (line == rules_.body_mark) style_ = &rules_.body;
    else if (line == rules_.footer_mark) style_ = &rules_.footer;
    else return false;
    if (!options_.keeps_counting) {
      number_ = rules_.start;
      has_overflowed_ = false;
    }
    in_.out.Put('\n');
    return true;
  }

  Result<bool> WantsNumber(std::string_view line) {
    switch (style_->letter) {
      case 'a':
        if (rules_.blank_lines <= 1 || !line.empty() || ++blank_count_ == rules_.blank_lines) {
          blank_count_ = 0;
          return true;
        }
        return false;
      case 't': return !line.empty();
      case 'p': return style_->pattern->Search(line, 0, nullptr, in_.budget);
      default: return false;
    }
  }

  void WriteNumber() {
    std::string digits = std::to_string(number_);
    if (digits.size() < rules_.width) {
      const size_t missing = rules_.width - digits.size();
      if (rules_.format == Format::kLeft) digits.append(missing, ' ');
      else if (rules_.format == Format::kRight) digits.insert(0, missing, ' ');
      else digits.insert(number_ < 0 ? 1 : 0, missing, '0');
    }
    in_.out.Write(digits);
    in_.out.Write(options_.separator);
    has_overflowed_ = __builtin_add_overflow(number_, rules_.increment, &number_);
  }

  Invocation& in_;
  const Options& options_;
  const Rules& rules_;
  const Style* style_;
  int64_t number_;
  bool has_overflowed_ = false;
  uint64_t blank_count_ = 0;
  const std::string blank_prefix_;
};

// Errors of code kSyntax are usage errors; all carry the whole complaint.
class RuleParser {
 public:
  RuleParser(const Options& options, bool is_utf8) : options_(options), is_utf8_(is_utf8) {}

  Result<Rules> Parse() {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
    Rules rules;
    PADDOCK_ASSIGN(rules.start, ReadSigned(options_.start, kLeast, kMost, "invalid starting line number"));
    PADDOCK_ASSIGN(rules.increment, ReadSigned(options_.increment, kLeast, kMost, "invalid line number increment"));
    PADDOCK_ASSIGN(const int64_t blanks, ReadSigned(options_.blank_lines, 1, kMost, "invalid line number of blank lines"));
    rules.blank_lines = static_cast<uint64_t>(blanks);
    PADDOCK_ASSIGN(const int64_t width, ReadSigned(options_.width, 1, std::numeric_limits<int32_t>::max(),
                                                   "invalid line number field width"));
    rules.width = static_cast<size_t>(width);
    PADDOCK_ASSIGN(rules.header, ReadStyle(options_.header_style, "header"));
    PADDOCK_ASSIGN(rules.body, ReadStyle(options_.body_style, "body"));
    PADDOCK_ASSIGN(rules.footer, ReadStyle(options_.footer_style, "footer"));
    if (options_.format == "ln") rules.format = Format::kLeft;
    else if (options_.format == "rn") rules.format = Format::kRight;
    else if (options_.format == "rz") rules.format = Format::kZeros;
    else return Error(Code::kSyntax, "invalid line numbering format: " + Quote(options_.format, is_utf8_));
    std::string mark = options_.delimiter;
    if (mark.size() == 1) mark += ':';
    rules.footer_mark = mark;
    rules.body_mark = mark + mark;
    rules.header_mark = rules.body_mark + mark;
    return rules;
  }

 private:
  Result<int64_t> ReadSigned(const std::string& text, int64_t least, int64_t most, std::string_view what) const {
    size_t at = 0;
    while (at < text.size() && (text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r'))) ++at;
    const bool is_negative = at < text.size() && text[at] == '-';
    const std::string_view digits = std::string_view(text).substr(is_negative ? at + 1 : at);
    Error error = Code::kInvalid;
    const SizeNumber number =
        is_negative && digits.starts_with('+') ? SizeNumber{} : ParseSize(digits, "");
    constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    const uint64_t limit = is_negative ? kMost + 1 : kMost;
    if (number.state == NumberState::kOverflow || (number.state == NumberState::kOk && number.value > limit)) {
      error = Code::kOverflow;
    } else if (number.state == NumberState::kOk) {
      const int64_t value = static_cast<int64_t>(is_negative ? 0 - number.value : number.value);
      if (value >= least && value <= most) return value;
      error = number.value > std::numeric_limits<int32_t>::max() / 2 ? Code::kOverflow : Code::kRange;
    }
    return Error(error.code, NumberComplaint(what, text, error, is_utf8_));
  }

  Result<Style> ReadStyle(const std::string& text, std::string_view part) const {
    Style style;
    const char letter = text.empty() ? '\0' : text[0];
    if (letter != 'a' && letter != 't' && letter != 'n' && letter != 'p') {
      return Error(Code::kSyntax,
                   "invalid " + std::string(part) + " numbering style: " + Quote(text, is_utf8_));
    }
    style.letter = letter;
    if (letter == 'p') {
      PADDOCK_ASSIGN(Regex pattern, Regex::Compile(std::string_view(text).substr(1),
                                                   {.dialect = RegexDialect::kBasic, .is_utf8 = is_utf8_}));
      style.pattern = std::make_shared<const Regex>(std::move(pattern));
    }
    return style;
  }

  const Options& options_;
  const bool is_utf8_;
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  auto rules = RuleParser(options, in.locale.is_utf8).Parse();
  if (!rules) {
    const bool is_usage = rules.error().code == Code::kSyntax && rules.error().Text().starts_with("invalid ");
    return is_usage ? in.Usage(rules.error().Text()) : in.Fail(rules.error().Text());
  }
  in.budget.WillAllocate(rules->width * 2);
  Numberer numberer(in, options, *rules);
  bool goes_on = true;
  const ExitStatus status = ForEachInput(in, operands, [&](InputFile& file) {
    while (goes_on) {
      const auto line = file.input().ReadLine();
      if (!line) break;
      goes_on = numberer.Take(line->text);
    }
    return goes_on;
  });
  return CloseStandardInput(in, operands, status);
}

}  // namespace

extern const Command kCommand_nl;
const Command kCommand_nl = Define<Options, Run>({
    .name = "nl",
    .summary = "number lines of files",
    .synopsis = "[OPTION]... [FILE]...",
    .details = "\nDefault options are: -bt -d'\\:' -fn -hn -i1 -l1 -n'rn' -s<TAB> -v1 -w6\n"
               "\nSTYLE is one of: a (number all lines), t (number only nonempty lines), n (number no lines),\n"
               "pBRE (number only lines that contain a match for the basic regular expression BRE).\n"
               "FORMAT is one of: ln (left justified), rn (right justified), rz (right justified, zeros).\n",
    .options = kOptions,
});

}  // namespace paddock
