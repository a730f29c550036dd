#include "text/numbers.h"

#include <charconv>
#include <optional>

#include "text/quote.h"

namespace paddock {
namespace {

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
__extension__ typedef unsigned __int128 Wide;

bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The exponent of a suffix letter that stands for a power of 1024 (or 1000), or nothing.
std::optional<int> PowerOf(char suffix) {
  switch (suffix) {
    case 'k': case 'K': return 1;
    case 'm': case 'M': return 2;
    case 'g': case 'G': return 3;
    case 't': case 'T': return 4;
    case 'P': return 5;
    case 'E': return 6;
    case 'Z': return 7;
    case 'Y': return 8;
    default: return std::nullopt;
  }
}

uint64_t SaturatingPower(uint64_t base, int exponent) {
  uint64_t value = 1;
  for (int i = 0; i < exponent; ++i) value = SaturatingMultiply(value, base);
  return value;
}

struct Suffix {
  uint64_t factor;
  size_t length;
};

// Reads the suffix at the start of `rest`, which is not empty.
std::optional<Suffix> ReadSuffix(std::string_view rest, std::string_view allowed) {
  const char letter = rest[0];
  if (letter == '0' || allowed.find(letter) == std::string_view::npos) return std::nullopt;
  if (letter == 'b') return Suffix{512, 1};
  if (letter == 'B') return Suffix{1024, 1};
  if (letter == 'c') return Suffix{1, 1};
  if (letter == 'w') return Suffix{2, 1};
  const auto power = PowerOf(letter);
  if (!power) return std::nullopt;
  uint64_t base = 1024;
  size_t length = 1;
  if (allowed.find('0') != std::string_view::npos) {
    if (rest.substr(1).starts_with("iB")) {
      length = 3;
    } else if (rest.size() > 1 && (rest[1] == 'B' || rest[1] == 'D')) {
      base = 1000;
      length = 2;
    }
  }
  return Suffix{SaturatingPower(base, *power), length};
}

}  // namespace

uint64_t SaturatingMultiply(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? kMax : product;
}

uint64_t SaturatingAdd(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? kMax : sum;
}

SizeNumber ParseSize(std::string_view text, std::string_view suffixes) {
  size_t at = 0;
  while (at < text.size() && IsBlank(text[at])) ++at;
  if (at < text.size() && text[at] == '+') ++at;
  bool is_overflow = false;
  uint64_t value = 0;
  const size_t digits_at = at;
  for (; at < text.size() && IsDigit(text[at]); ++at) {
    is_overflow |= __builtin_mul_overflow(value, uint64_t{10}, &value) ||
                   __builtin_add_overflow(value, static_cast<uint64_t>(text[at] - '0'), &value);
  }
  const bool has_digits = at > digits_at;
  if (is_overflow) value = kMax;
  std::string_view rest = text.substr(at);
  // Without digits the suffix has to be the whole text.
  if (!has_digits) {
    if (at != 0 || rest.empty() || !ReadSuffix(rest, suffixes)) return {NumberState::kInvalid, 0};
    value = 1;
  }
  if (rest.empty()) return {is_overflow ? NumberState::kOverflow : NumberState::kOk, value};
  const auto suffix = ReadSuffix(rest, suffixes);
  if (suffix) {
    is_overflow |= __builtin_mul_overflow(value, suffix->factor, &value) ||
                   (suffix->factor == kMax && value != 0);
    if (is_overflow) value = kMax;
    rest.remove_prefix(suffix->length);
  }
  if (!rest.empty()) {
    return {is_overflow ? NumberState::kBadSuffixOverflow : NumberState::kBadSuffix, value};
  }
  return {is_overflow ? NumberState::kOverflow : NumberState::kOk, value};
}

SizeNumber ParseConstant(std::string_view text) {
  while (!text.empty() && IsBlank(text[0])) text.remove_prefix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  const bool is_hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  if (!is_hex && (text.size() < 2 || text[0] != '0')) {
    const bool has_digit = !text.empty() && IsDigit(text[0]);
    return has_digit ? ParseSize(text, "") : SizeNumber{};
  }
  SizeNumber number{NumberState::kOk, 0};
  const auto [end, error] = std::from_chars(text.data() + (is_hex ? 2 : 0), text.data() + text.size(), number.value,
                                            is_hex ? 16 : 8);
  if (error == std::errc::invalid_argument) return {};
  if (error == std::errc::result_out_of_range) number = {NumberState::kOverflow, kMax};
  if (end != text.data() + text.size()) number.state = NumberState::kBadSuffix;
  return number;
}

Result<uint64_t> ParseSizeBetween(std::string_view text, uint64_t least, uint64_t most,
                                  std::string_view suffixes) {
  constexpr uint64_t kClearlyTooBig = std::numeric_limits<int32_t>::max() / 2;
  const SizeNumber number = ParseSize(text, suffixes);
  if (number.state == NumberState::kOverflow) return Code::kOverflow;
  if (number.state != NumberState::kOk) return Code::kInvalid;
  if (number.value < least || number.value > most) {
    return number.value > kClearlyTooBig ? Code::kOverflow : Code::kRange;
  }
  return number.value;
}

std::string NumberComplaint(std::string_view what, std::string_view text, const Error& error, bool is_utf8) {
  std::string complaint(what);
  complaint += ": ";
  complaint += Quote(text, is_utf8);
  if (error.code != Code::kInvalid) {
    complaint += ": ";
    complaint += CodeText(error.code);
  }
  return complaint;
}

std::string HumanSize(uint64_t bytes, bool is_si) {
  const uint64_t base = is_si ? 1000 : 1024;
  const std::string_view units = is_si ? " kMGTPEZY" : " KMGTPEZY";
  if (bytes < base) return std::to_string(bytes);
  size_t unit = 0;
  Wide divisor = 1;
  while (bytes / divisor >= base) {
    divisor *= base;
    ++unit;
  }
  const Wide tenths = (Wide{bytes} * 10 + divisor - 1) / divisor;
  if (tenths < 100) {
    const auto value = static_cast<unsigned>(tenths);
    return std::to_string(value / 10) + "." + std::to_string(value % 10) + units[unit];
  }
  const auto whole = static_cast<uint64_t>((Wide{bytes} + divisor - 1) / divisor);
  if (whole >= base) return std::string("1.0") + units[unit + 1];
  return std::to_string(whole) + units[unit];
}

}  // namespace paddock
