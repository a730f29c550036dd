// seq - print a sequence of numbers
//
// usage: seq [OPTION]... LAST
//        seq [OPTION]... FIRST LAST
//        seq [OPTION]... FIRST INCREMENT LAST
// Writes the numbers from FIRST (1) to LAST, INCREMENT (1) apart.
//
// Exit status: 0, or 1 for operands that are no numbers.
// Source: GNU coreutils 9.1: whole numbers of any length, else the precision of long double.
// Differs: nothing known.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "proc/command.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  std::optional<std::string> format;
  std::string separator = "\n";
  bool equal_width = false;
};

constexpr Option kOptions[] = {
    Value<&Options::format>('f', "format", "FORMAT", "use printf style floating-point FORMAT"),
    Value<&Options::separator>('s', "separator", "STRING", "use STRING to separate numbers"),
    Flag<&Options::equal_width>('w', "equal-width", "equalize width by padding with leading zeroes"),
};

// -1 and -.5 are operands, not options.
bool IsNegativeNumber(std::string_view text) {
  return text.size() > 1 && text[0] == '-' && (text[1] == '.' || (text[1] >= '0' && text[1] <= '9'));
}

constexpr int kUnknownPrecision = std::numeric_limits<int>::max();

struct Number {
  long double value = 1;
  int64_t width = 1;         // of the text, as it will be written
  int precision = 0;         // digits after the point
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool AreAllDigits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit); }

// What an exponent does to width and precision.
void ApplyExponent(std::string_view text, size_t e, size_t point, int64_t fraction_length, Number& number) {
  const std::string digits(text.substr(e + 1));
  constexpr int64_t kMost = 1'000'000'000;
  int64_t exponent = std::clamp<int64_t>(std::strtol(digits.c_str(), nullptr, 10), -kMost, kMost);
  const bool has_point = point != std::string_view::npos;
  const int64_t precision = number.precision;
  number.precision = static_cast<int>(
      std::min<int64_t>(precision + (exponent < 0 ? -exponent : -std::min(precision, exponent)), kMost));
  number.width -= static_cast<int64_t>(text.size() - e);
  if (exponent < 0) {
    if (!has_point || e == point + 1) ++number.width;
    exponent = -exponent;
  } else {
    if (has_point && number.precision == 0 && fraction_length > 0) --number.width;
    exponent -= std::min(fraction_length, exponent);
  }
  number.width += exponent;
}

// The error's message is the complaint, for Usage().
Result<Number> ParseNumber(const std::string& argument, bool is_utf8) {
  char* end = nullptr;
  Number number;
  number.value = std::strtold(argument.c_str(), &end);
  if (argument.empty() || end != argument.c_str() + argument.size()) {
    return Error(Code::kSyntax, "invalid floating point argument: " + Quote(argument, is_utf8));
  }
  if (std::isnan(number.value)) {
    return Error(Code::kSyntax, "invalid " + Quote("not-a-number", is_utf8) + " argument: " + Quote(argument, is_utf8));
  }
  std::string_view text = argument;
  while (!text.empty() && (text[0] == ' ' || text[0] == '+' || (text[0] >= '\t' && text[0] <= '\r'))) {
    text.remove_prefix(1);
  }
  const size_t point = text.find('.');
  number.width = 0;
  number.precision = kUnknownPrecision;
  if (point == std::string_view::npos && text.find('p') == std::string_view::npos) number.precision = 0;
  if (text.find_first_of("xX") != std::string_view::npos || !std::isfinite(number.value)) return number;
  number.width = static_cast<int64_t>(text.size());
  int64_t fraction_length = 0;
  if (point != std::string_view::npos) {
    const std::string_view fraction = text.substr(point + 1);
    fraction_length = static_cast<int64_t>(std::min(fraction.find_first_of("eE"), fraction.size()));
    number.precision = static_cast<int>(std::min<int64_t>(fraction_length, kUnknownPrecision));
    if (fraction_length == 0) --number.width;
    else if (point == 0 || !IsDigit(text[point - 1])) ++number.width;
  }
  if (const size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
    ApplyExponent(text, e, point, fraction_length, number);
  }
  return number;
}

// A printf format with one floating-point directive, taken apart.
struct Format {
  std::string text;       // for snprintf with a long double
  size_t prefix = 0;      // lengths of the text before and after the directive, as it is written
  size_t suffix = 0;
  uint64_t reserve = 0;   // width and precision asked for
};

size_t TakeDigits(std::string_view text, size_t at, uint64_t* value) {
  *value = 0;
  while (at < text.size() && IsDigit(text[at])) {
    *value = std::min<uint64_t>(*value * 10 + static_cast<uint64_t>(text[at] - '0'), 1u << 31);
    ++at;
  }
  return at;
}

Result<Format> ParseFormat(const std::string& text, bool is_utf8) {
  const auto complain = [&](const std::string& what) {
    return Error(Code::kInvalid, "format " + Quote(text, is_utf8) + " " + what);
  };
  Format format;
  size_t at = 0;
  for (; at < text.size(); ++format.prefix) {
    if (text[at] != '%') ++at;
    else if (at + 1 < text.size() && text[at + 1] == '%') at += 2;
    else break;
  }
  if (at >= text.size()) return complain("has no % directive");
  at = std::min(text.find_first_not_of("-+#0 '", at + 1), text.size());
  uint64_t width = 0;
  uint64_t precision = 0;
  at = TakeDigits(text, at, &width);
  if (at < text.size() && text[at] == '.') at = TakeDigits(text, at + 1, &precision);
  format.reserve = width + precision;
  const size_t length_at = at;
  if (at < text.size() && text[at] == 'L') ++at;
  if (at == text.size()) return complain("ends in %");
  if (std::string_view("efgaEFGA").find(text[at]) == std::string_view::npos) {
    return complain(std::string("has unknown %") + text[at] + " directive");
  }
  format.text = text.substr(0, length_at) + "L" + text.substr(at);
  for (++at; at < text.size(); ++format.suffix) {
    if (text[at] != '%') ++at;
    else if (at + 1 < text.size() && text[at + 1] == '%') at += 2;
    else return complain("has too many % directives");
  }
  return format;
}

std::string Print(Invocation& in, const Format& format, long double value) {
  char small[128];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int length = std::snprintf(small, sizeof small, format.text.c_str(), value);
  if (length < 0) return {};
  if (static_cast<size_t>(length) < sizeof small) return std::string(small, static_cast<size_t>(length));
  in.budget.WillAllocate(static_cast<uint64_t>(length) + 1);
  std::string large(static_cast<size_t>(length) + 1, '\0');
  std::snprintf(large.data(), large.size(), format.text.c_str(), value);
#pragma GCC diagnostic pop
  large.pop_back();
  return large;
}

// Whole numbers by counting in decimal; `last` is empty for a sequence without end.
void WriteWhole(Invocation& in, std::string_view first, std::string_view last, unsigned step,
                const std::string& separator) {
  const auto trim = [](std::string_view digits) {
    while (digits.size() > 1 && digits[0] == '0') digits.remove_prefix(1);
    return digits;
  };
  std::string current(trim(first));
  const std::string end(trim(last));
  const auto is_past = [&] {
    if (last.empty()) return false;
    return current.size() != end.size() ? current.size() > end.size() : current > end;
  };
  bool is_first = true;
  while (!is_past() && in.out.status()) {
    in.budget.Step();
    if (!is_first) in.out.Write(separator);
    is_first = false;
    in.out.Write(current);
    unsigned carry = step;
    for (size_t i = current.size(); carry > 0 && i-- > 0;) {
      const unsigned sum = static_cast<unsigned>(current[i] - '0') + carry;
      current[i] = static_cast<char>('0' + sum % 10);
      carry = sum / 10;
    }
    for (; carry > 0; carry /= 10) current.insert(current.begin(), static_cast<char>('0' + carry % 10));
  }
  if (!is_first) in.out.Put('\n');
}

void WriteFloats(Invocation& in, const Format& format, const Number& first, const Number& step, const Number& last,
                 const std::string& separator) {
  const auto is_past = [&](long double x) { return step.value < 0 ? x < last.value : last.value < x; };
  if (is_past(first.value)) return;
  long double x = first.value;
  for (long double i = 1; in.out.status(); ++i) {
    in.budget.Step(8);
    const std::string shown = Print(in, format, x);
    in.out.Write(shown);
    x = first.value + i * step.value;
    if (is_past(x)) {
      // Rounding may have taken the last number just past the end: it counts if it looks like the end.
      const std::string next = Print(in, format, x);
      const std::string digits = next.substr(format.prefix, next.size() - format.prefix - format.suffix);
      char* end = nullptr;
      const long double read = std::strtold(digits.c_str(), &end);
      if (end == digits.c_str() || *end != '\0' || read != last.value || next == shown) break;
    }
    in.out.Write(separator);
    if (is_past(x)) {
      in.out.Write(Print(in, format, x));
      break;
    }
  }
  in.out.Put('\n');
}

Format DefaultFormat(const Number& first, const Number& step, const Number& last, bool equal_width) {
  const int precision = std::max(first.precision, step.precision);
  Format format;
  if (precision == kUnknownPrecision || last.precision == kUnknownPrecision) {
    format.text = "%Lg";
    return format;
  }
  format.reserve = static_cast<uint64_t>(precision);
  format.text = "%." + std::to_string(precision) + "Lf";
  if (!equal_width) return format;
  int64_t first_width = first.width + (precision - first.precision);
  int64_t last_width = last.width + (precision - last.precision);
  if (last.precision != 0 && precision == 0) --last_width;
  if (last.precision == 0 && precision != 0) ++last_width;
  if (first.precision == 0 && precision != 0) ++first_width;
  const int64_t width = std::max<int64_t>(std::max(first_width, last_width), 0);
  format.reserve += static_cast<uint64_t>(width);
  if (width <= std::numeric_limits<int>::max()) {
    format.text = "%0" + std::to_string(width) + "." + std::to_string(precision) + "Lf";
  }
  return format;
}

constexpr unsigned kLargestWholeStep = 200;

// True when the operands are whole numbers as they are written: then any length counts exactly.
bool WriteDigits(Invocation& in, const std::vector<std::string>& operands, const std::string& separator) {
  for (const std::string& operand : operands) {
    if (!AreAllDigits(operand)) return false;
  }
  unsigned step = 1;
  if (operands.size() == 3) {
    if (operands[1].size() > 3) return false;
    step = static_cast<unsigned>(std::stoi(operands[1]));
    if (step == 0 || step > kLargestWholeStep) return false;
  }
  WriteWhole(in, operands.size() == 1 ? "1" : std::string_view(operands[0]), operands.back(), step, separator);
  return true;
}

// The same for numbers that turn out to be whole ("1e3", "inf").
bool WriteWholeValues(Invocation& in, const Number& first, const Number& step, const Number& last,
                      const std::string& separator) {
  if (first.precision != 0 || step.precision != 0 || last.precision != 0) return false;
  if (!std::isfinite(first.value) || first.value < 0 || last.value < 0) return false;
  if (!(step.value > 0) || step.value > kLargestWholeStep) return false;
  Format format;
  format.text = "%.0Lf";
  const std::string start = Print(in, format, first.value);
  const std::string end = std::isfinite(last.value) ? Print(in, format, last.value) : std::string();
  if (start.starts_with('-') || end.starts_with('-')) return false;
  WriteWhole(in, start, end, static_cast<unsigned>(step.value), separator);
  return true;
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  const bool is_utf8 = in.locale.is_utf8;
  if (operands.empty()) return in.Usage("missing operand");
  if (operands.size() > 3) return in.Usage("extra operand " + Quote(operands[3], is_utf8));
  Format format;
  if (options.format) {
    auto parsed = ParseFormat(*options.format, is_utf8);
    if (!parsed) return in.Fail(parsed.error().Text());
    format = std::move(*parsed);
    if (options.equal_width) {
      return in.Usage("format string may not be specified when printing equal width strings");
    }
  }
  const bool is_plain = !options.format && !options.equal_width && options.separator.size() == 1;
  if (is_plain && WriteDigits(in, operands, options.separator)) return 0;
  std::vector<Number> numbers;
  for (const std::string& operand : operands) {
    auto number = ParseNumber(operand, is_utf8);
    if (!number) return in.Usage(number.error().Text());
    numbers.push_back(*number);
  }
  const Number first = numbers.size() == 1 ? Number{} : numbers[0];
  const Number step = numbers.size() == 3 ? numbers[1] : Number{};
  const Number& last = numbers.back();
  if (step.value == 0) return in.Usage("invalid Zero increment value: " + Quote(operands[1], is_utf8));
  if (is_plain && WriteWholeValues(in, first, step, last, options.separator)) return 0;
  if (!options.format) format = DefaultFormat(first, step, last, options.equal_width);
  in.budget.WillAllocate(format.reserve);
  WriteFloats(in, format, first, step, last, options.separator);
  return 0;
}

// How many arguments an option takes up: two when its value is the next one.
size_t OptionLength(std::string_view argument) {
  if (argument.starts_with("--")) {
    const std::string_view name = argument.substr(2);
    const bool takes_value = std::string_view("format").starts_with(name) || std::string_view("separator").starts_with(name);
    return takes_value ? 2 : 1;
  }
  const size_t letter = argument.find_first_of("fs", 1);
  return letter != std::string_view::npos && letter + 1 == argument.size() ? 2 : 1;
}

// Puts "--" before a negative number, so that it is taken for an operand.
ExitStatus RunWithNegatives(Invocation& in) {
  std::vector<std::string> args(in.args.begin(), in.args.end());
  for (size_t i = 1; i < args.size();) {
    if (IsNegativeNumber(args[i])) {
      args.insert(args.begin() + static_cast<std::ptrdiff_t>(i), "--");
      break;
    }
    if (args[i] == "--" || args[i].size() < 2 || args[i][0] != '-') break;
    i += OptionLength(args[i]);
  }
  in.args = args;
  return command_internal::ParseAndRun<Options, Run>(in);
}

}  // namespace

extern const Command kCommand_seq;
const Command kCommand_seq = {
    .name = "seq",
    .summary = "print a sequence of numbers",
    .synopsis = "[OPTION]... LAST\n[OPTION]... FIRST LAST\n[OPTION]... FIRST INCREMENT LAST",
    .details = "\nFIRST, INCREMENT, and LAST are interpreted as floating point values.\n"
               "FORMAT must be suitable for printing one argument of type 'double'.\n",
    .options = kOptions,
    .rules = {.stop_at_operand = true},
    .run = RunWithNegatives,
};

}  // namespace paddock
