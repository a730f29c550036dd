// numfmt - convert numbers to and from human-readable strings
//
// usage: numfmt [OPTION]... [NUMBER]...
// Rewrites the chosen fields of each NUMBER, or of each line of standard input.
//
// Exit status: 0; 1 for a usage error; 2 if a number could not be converted (see --invalid).
// Source: GNU coreutils 9.1.
// Differs: digits are never grouped (there are no locales but C and C.UTF-8).

#include <cerrno>
#include <climits>
#include <cstdlib>

#include "commands/input_files.h"
#include "proc/command.h"
#include "text/choice.h"
#include "text/fields.h"
#include "text/human_number.h"
#include "text/numbers.h"
#include "text/quote.h"

namespace paddock {
namespace {

constexpr ExitStatus kNotConverted = 2;

enum class Invalid { kAbort, kFail, kWarn, kIgnore };

struct Options {
  bool debug = false;
  bool grouping = false;
  bool zero_terminated = false;
  std::optional<std::string> delimiter, format, from, from_unit, to, to_unit, padding, round, invalid, header;
  std::vector<std::string> fields;
  std::string suffix;
};

Status SetHeader(Options& options, std::string_view text) {
  options.header = text.data() == nullptr ? "1" : std::string(text);
  return {};
}

constexpr Option kOptions[] = {
    Flag<&Options::debug>(0, "debug", "print warnings about invalid input"),
    Value<&Options::delimiter>('d', "delimiter", "X", "use X instead of whitespace for field delimiter"),
    Value<&Options::from>(0, "from", "UNIT", "auto-scale input numbers to UNITs; default is 'none'"),
    Value<&Options::from_unit>(0, "from-unit", "N", "specify the input unit size (instead of the default 1)"),
    Value<&Options::fields>(0, "field", "FIELDS", "replace the numbers in these input fields (default=1)"),
    Value<&Options::format>(0, "format", "FORMAT", "use printf style floating-point FORMAT"),
    Flag<&Options::grouping>(0, "grouping", "use locale-defined grouping of digits, which means none"),
    CallOptional<SetHeader>(0, "header", "N", "print (without converting) the first N header lines"),
    Value<&Options::invalid>(0, "invalid", "MODE",
                             "failure mode for invalid numbers: abort (default), fail, warn, ignore"),
    Value<&Options::padding>(0, "padding", "N",
                             "pad the output to N characters; negative N will left-align"),
    Value<&Options::round>(0, "round", "METHOD",
                           "round: up, down, from-zero (default), towards-zero, nearest"),
    Value<&Options::suffix>(0, "suffix", "SUFFIX",
                            "add SUFFIX to output numbers, and accept optional SUFFIX in input numbers"),
    Value<&Options::to>(0, "to", "UNIT", "auto-scale output numbers to UNITs"),
    Value<&Options::to_unit>(0, "to-unit", "N", "the output unit size (instead of the default 1)"),
    Flag<&Options::zero_terminated>('z', "zero-terminated", "line delimiter is NUL, not newline"),
};

constexpr Choice kFromUnits[] = {{"none", static_cast<int>(UnitScale::kNone)},
                                 {"auto", static_cast<int>(UnitScale::kAuto)},
                                 {"si", static_cast<int>(UnitScale::kSi)},
                                 {"iec", static_cast<int>(UnitScale::kIec)},
                                 {"iec-i", static_cast<int>(UnitScale::kIecI)}};
constexpr Choice kToUnits[] = {{"none", static_cast<int>(UnitScale::kNone)},
                               {"si", static_cast<int>(UnitScale::kSi)},
                               {"iec", static_cast<int>(UnitScale::kIec)},
                               {"iec-i", static_cast<int>(UnitScale::kIecI)}};
constexpr Choice kRoundings[] = {{"up", static_cast<int>(Rounding::kUp)},
                                 {"down", static_cast<int>(Rounding::kDown)},
                                 {"from-zero", static_cast<int>(Rounding::kFromZero)},
                                 {"towards-zero", static_cast<int>(Rounding::kTowardsZero)},
                                 {"nearest", static_cast<int>(Rounding::kNearest)}};
constexpr Choice kInvalidModes[] = {{"abort", static_cast<int>(Invalid::kAbort)},
                                    {"fail", static_cast<int>(Invalid::kFail)},
                                    {"warn", static_cast<int>(Invalid::kWarn)},
                                    {"ignore", static_cast<int>(Invalid::kIgnore)}};

// What the options mean.
struct Settings {
  ScaledFormat output;
  UnitScale from = UnitScale::kNone;
  uint64_t from_unit = 1;
  uint64_t to_unit = 1;
  Invalid invalid = Invalid::kAbort;
  std::optional<char> delimiter;    // none: blanks
  char line_end = '\n';
  std::vector<FieldRange> fields = {{1, 1}};
  uint64_t header_lines = 0;
  uint64_t padding = 0;
  bool pads_right = false;          // left-aligned
  bool is_auto_padded = true;       // to the width of the field with its leading blanks
  std::string prefix;               // around the number, from --format
  std::string tail;
};

// Reads --format: "[text]%[0]['][-][width][.precision]f[text]". Errors carry the whole complaint.
Status ReadFormat(Invocation& in, Options& options, Settings& settings) {
  const std::string& text = *options.format;
  const auto complain = [&](const std::string& before, const std::string& after = {}) {
    return Error(Code::kInvalid, before + Quote(text, in.locale.is_utf8) + after);
  };
  size_t at = 0;
  size_t prefix = 0;   // the real one counts "%%" as one, but copies both and cuts off the end
  for (; at < text.size() && (text[at] != '%' || text.substr(at, 2) == "%%"); ++prefix) at += text[at] == '%' ? 2 : 1;
  if (at >= text.size()) return complain("format ", " has no % directive");
  settings.prefix = text.substr(0, prefix);
  ++at;
  bool is_zero_padded = false;
  for (; at < text.size() && std::string_view(" '0").find(text[at]) != std::string_view::npos; ++at) {
    if (text[at] == '\'') options.grouping = true;
    if (text[at] == '0') is_zero_padded = true;
  }
  char* end = nullptr;
  errno = 0;
  const long width = std::strtol(text.c_str() + at, &end, 10);
  if (errno == ERANGE || width == LONG_MIN) return complain("invalid format ", " (width overflow)");
  if (width != 0) {
    const bool is_zero_width = is_zero_padded && width > 0;
    if (options.debug && settings.padding != 0 && !is_zero_width) in.Fail("--format padding overriding --padding");
    if (is_zero_width) {
      settings.output.zero_width = static_cast<uint64_t>(width);
    } else {
      settings.padding = static_cast<uint64_t>(width < 0 ? -width : width);
      if (width < 0) settings.pads_right = true;
    }
  }
  at = static_cast<size_t>(end - text.c_str());
  if (at == text.size()) return complain("format ", " ends in %");
  if (text[at] == '.') {
    ++at;
    errno = 0;
    const long precision = std::strtol(text.c_str() + at, &end, 10);
    const bool has_lead = text[at] == ' ' || text[at] == '\t' || text[at] == '+';
    if (errno == ERANGE || precision < 0 || has_lead) return complain("invalid precision in format ");
    settings.output.precision = static_cast<uint64_t>(precision);
    at = static_cast<size_t>(end - text.c_str());
  }
  if (at >= text.size() || text[at] != 'f') {
    return complain("invalid format ", ", directive must be %[0]['][-][N][.][N]f");
  }
  settings.tail = text.substr(++at);
  for (; at < text.size(); at += text[at] == '%' ? 2 : 1) {
    if (text[at] == '%' && text.substr(at, 2) != "%%") return complain("format ", " has too many % directives");
  }
  return {};
}

// "512", "1K" (1000), "Ki" (1024).
Result<uint64_t> ReadUnitSize(const std::string& text, bool is_utf8) {
  std::string number = text;
  if (!number.empty() && number.back() == 'i') number.pop_back();
  const bool is_binary = number.size() != text.size();
  const bool has_unit = !number.empty() && std::string_view("KMGTPEZY").find(number.back()) != std::string_view::npos;
  const auto size = ParseSize(has_unit && !is_binary ? number + "B" : number, "KMGTPEZY0");
  const bool is_bad = size.state != NumberState::kOk || size.value == 0 || is_binary != (has_unit && is_binary) ||
                      (!has_unit && (number.empty() || number.back() < '0' || number.back() > '9'));
  if (is_bad) return Error(Code::kInvalid, "invalid unit size: " + Quote(text, is_utf8));
  return size.value;
}

Status ReadPadding(const Options& options, Settings& settings, bool is_utf8) {
  if (!options.padding) return {};
  const std::string& text = *options.padding;
  char* end = nullptr;
  errno = 0;
  const long width = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || errno == ERANGE || width == 0 || width == LONG_MIN) {
    return Error(Code::kInvalid, "invalid padding value " + Quote(text, is_utf8));
  }
  settings.padding = static_cast<uint64_t>(width < 0 ? -width : width);
  settings.pads_right = width < 0;
  return {};
}

template <class T, size_t kSize>
Status ReadChoice(const char* option, const std::optional<std::string>& text, const Choice (&choices)[kSize],
                  bool is_utf8, T& value) {
  if (!text) return {};
  PADDOCK_ASSIGN(const int chosen, FindChoice(option, *text, choices, is_utf8));
  value = static_cast<T>(chosen);
  return {};
}

// Code kSyntax: answered with a hint at --help.
Status ReadSettings(Invocation& in, Options& options, Settings& settings) {
  const bool is_utf8 = in.locale.is_utf8;
  PADDOCK_TRY(ReadChoice("--from", options.from, kFromUnits, is_utf8, settings.from));
  PADDOCK_TRY(ReadChoice("--to", options.to, kToUnits, is_utf8, settings.output.scale));
  PADDOCK_TRY(ReadChoice("--round", options.round, kRoundings, is_utf8, settings.output.rounding));
  PADDOCK_TRY(ReadChoice("--invalid", options.invalid, kInvalidModes, is_utf8, settings.invalid));
  if (options.from_unit) {
    PADDOCK_ASSIGN(settings.from_unit, ReadUnitSize(*options.from_unit, is_utf8));
  }
  if (options.to_unit) {
    PADDOCK_ASSIGN(settings.to_unit, ReadUnitSize(*options.to_unit, is_utf8));
  }
  PADDOCK_TRY(ReadPadding(options, settings, is_utf8));
  if (options.fields.size() > 1) return Error(Code::kInvalid, "multiple field specifications");
  if (options.header) {
    const auto lines = ParseCount(*options.header, {});
    if (!lines || *lines == 0) {
      return Error(Code::kInvalid, "invalid header value " + Quote(*options.header, is_utf8));
    }
    settings.header_lines = *lines;
  }
  if (options.delimiter) {
    if (options.delimiter->size() > 1) return Error(Code::kInvalid, "the delimiter must be a single character");
    settings.delimiter = options.delimiter->empty() ? '\0' : (*options.delimiter)[0];
  }
  if (options.format && options.grouping) return Error(Code::kInvalid, "--grouping cannot be combined with --format");
  const bool converts = settings.from != UnitScale::kNone || settings.output.scale != UnitScale::kNone ||
                        options.grouping || options.padding || options.format;
  if (options.debug && !converts) in.Fail("no conversion option specified");
  if (options.format) PADDOCK_TRY(ReadFormat(in, options, settings));
  if (options.grouping) {
    if (settings.output.scale != UnitScale::kNone) {
      return Error(Code::kInvalid, "grouping cannot be combined with --to");
    }
    if (options.debug) in.Fail("grouping has no effect in this locale");
  }
  if (!options.fields.empty()) {
    PADDOCK_ASSIGN(settings.fields,
                   ParseFieldList(options.fields[0], {.allows_dash = true, .is_utf8 = in.locale.is_utf8}));
  }
  settings.is_auto_padded = settings.padding == 0 && !settings.delimiter;
  if (options.zero_terminated) settings.line_end = '\0';
  return {};
}

class Converter {
 public:
  Converter(Invocation& in, const Options& options, const Settings& settings)
      : in_(in), options_(options), settings_(settings) {}

  // False when the run is over: status() tells why.
  bool Convert(std::string_view line) {
    in_.budget.Step(static_cast<int64_t>(1 + line.size() / 16));
    line = line.substr(0, line.find('\0'));
    FieldCursor cursor(settings_.fields);
    for (uint64_t number = 1;; ++number) {
      const size_t end = FieldEnd(line);
      if (!ConvertField(line.substr(0, end), number, cursor)) return false;
      if (end == line.size()) return true;
      in_.out.Put(settings_.delimiter.value_or(' '));
      line.remove_prefix(end + 1);
    }
  }

  ExitStatus status() const { return status_; }
  bool has_failures() const { return has_failures_; }

 private:
  static bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

  size_t FieldEnd(std::string_view line) const {
    if (settings_.delimiter) return std::min(line.find(*settings_.delimiter), line.size());
    size_t end = 0;
    while (end < line.size() && IsBlank(line[end])) ++end;
    while (end < line.size() && !IsBlank(line[end])) ++end;
    return end;
  }

  bool ConvertField(std::string_view text, uint64_t number, FieldCursor& cursor) {
    if (!cursor.Selects(number)) {
      in_.out.Write(text);
      return true;
    }
    const std::string& suffix = options_.suffix;
    if (text.size() > suffix.size() && text.ends_with(suffix)) text.remove_suffix(suffix.size());
    std::string_view digits = text;
    while (!digits.empty() && (digits[0] == ' ' || digits[0] == '\t')) digits.remove_prefix(1);
    uint64_t padding = settings_.padding;
    if (settings_.is_auto_padded && (digits.size() < text.size() || number > 1)) padding = text.size();
    auto value = ParseScaledNumber(digits, settings_.from, in_.locale.is_utf8);
    if (!value) return Reject(value.error().Text(), text);
    if (value->lost_precision && options_.debug) {
      in_.Fail("large input value " + Quote(digits, in_.locale.is_utf8) + ": possible precision loss");
    }
    if (settings_.from_unit != 1 || settings_.to_unit != 1) {
      value->value = value->value * static_cast<long double>(settings_.from_unit) /
                     static_cast<long double>(settings_.to_unit);
    }
    if (const auto complaint = ScaledNumberComplaint(*value, settings_.output)) return Reject(*complaint, text);
    return Print(*value, padding);
  }

  bool Print(const ScaledNumber& value, uint64_t padding) {
    auto text = FormatScaledNumber(value, settings_.output);
    if (!text) {
      char shown[512];
      std::snprintf(shown, sizeof shown, "%Lf", ScaledDown(value));
      status_ = in_.Fail("failed to prepare value '" + std::string(shown) + "' for printing");
      return false;
    }
    constexpr size_t kMostText = 127;
    *text += options_.suffix.substr(0, kMostText - std::min(kMostText, text->size()));
    const uint64_t blanks = padding > text->size() ? padding - text->size() : 0;
    in_.out.Write(settings_.prefix);
    if (!settings_.pads_right) Pad(blanks);
    in_.out.Write(*text);
    if (settings_.pads_right) Pad(blanks);
    in_.out.Write(settings_.tail);
    return true;
  }

  // The value as it would stand before its unit.
  long double ScaledDown(const ScaledNumber& value) const {
    if (settings_.output.scale == UnitScale::kNone) return value.value;
    const long double base = settings_.output.scale == UnitScale::kSi ? 1000 : 1024;
    long double scaled = value.value;
    while (scaled >= base || scaled <= -base) scaled /= base;
    return scaled;
  }

  void Pad(uint64_t blanks) {
    constexpr std::string_view kBlanks = "                                                                ";
    while (blanks > 0 && in_.out.status()) {
      in_.budget.Step();
      const auto part = std::min<uint64_t>(blanks, kBlanks.size());
      in_.out.Write(kBlanks.substr(0, part));
      blanks -= part;
    }
  }

  // Complains about a number as --invalid says and copies the text of its field.
  bool Reject(std::string_view complaint, std::string_view text) {
    if (settings_.invalid != Invalid::kIgnore) in_.Fail(complaint);
    has_failures_ = true;
    if (settings_.invalid == Invalid::kAbort || settings_.invalid == Invalid::kFail) status_ = kNotConverted;
    if (settings_.invalid == Invalid::kAbort) return false;
    in_.out.Write(text);
    return true;
  }

  Invocation& in_;
  const Options& options_;
  const Settings& settings_;
  ExitStatus status_ = 0;
  bool has_failures_ = false;
};

// False when the run is over.
bool ConvertInput(Invocation& in, const Settings& settings, Converter& converter) {
  uint64_t header_lines = settings.header_lines;
  while (in.out.status()) {
    const auto line = in.in.ReadLine(settings.line_end);
    if (!line) break;
    if (header_lines > 0) {
      --header_lines;
      in.out.Write(line->text);
    } else if (!converter.Convert(line->text)) {
      return false;
    }
    if (line->is_terminated) in.out.Put(settings.line_end);
  }
  if (!in.in.status()) in.Fail("error reading input", in.in.status().error());
  return true;
}

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  Settings settings;
  if (const Status read = ReadSettings(in, options, settings); !read) {
    const bool is_usage = read.error().code == Code::kSyntax;
    return is_usage ? in.Usage(read.error().Text()) : in.Fail(read.error().Text());
  }
  Converter converter(in, options, settings);
  bool is_done = true;
  if (operands.empty()) {
    is_done = ConvertInput(in, settings, converter);
  } else if (options.debug && options.header) {
    in.Fail("--header ignored with command-line input");
  }
  for (size_t i = 0; i < operands.size() && is_done; ++i) {
    is_done = converter.Convert(operands[i]);
    if (is_done) in.out.Put(settings.line_end);
  }
  if (is_done && options.debug && converter.has_failures()) in.Fail("failed to convert some of the input numbers");
  return converter.status();
}

}  // namespace

extern const Command kCommand_numfmt;
const Command kCommand_numfmt = Define<Options, Run>({
    .name = "numfmt",
    .summary = "reformat NUMBER(s), or the numbers from standard input if none are specified",
    .synopsis = "[OPTION]... [NUMBER]...",
    .details = "UNIT is none, auto (--from only), si (1K = 1000), iec (1K = 1024) or iec-i (1Ki = 1024).\n"
               "FIELDS are as those of cut: N, N-, N-M, a dash and M, or - for all.\n"
               "FORMAT is suitable for printing one floating-point argument '%f', with an optional width\n"
               "(negative: left-aligned; with a leading 0: filled with zeros) and precision.\n",
    .options = kOptions,
});

}  // namespace paddock
