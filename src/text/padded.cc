#include "text/padded.h"

#include <charconv>

#include "base/budget.h"

namespace paddock {
namespace {

constexpr uint64_t kLargest = uint64_t{1} << 40;   // refused by any budget

uint64_t TakeNumber(std::string_view text, size_t& at) {
  uint64_t value = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    value = value > kLargest ? value : value * 10 + static_cast<uint64_t>(text[at] - '0');
  }
  return value;
}

std::string InBase(uint64_t value, int base) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value, base);
  return std::string(digits, end);
}

}  // namespace

PrintSpec PrintSpec::Parse(std::string_view text, std::string_view flags) {
  PrintSpec spec;
  size_t at = 0;
  for (; at < text.size() && flags.find(text[at]) != std::string_view::npos; ++at) {
    switch (text[at]) {
      case '-': spec.left = true; break;
      case '0': spec.zero = true; break;
      case '+': spec.plus = true; break;
      case ' ': spec.space = true; break;
      case '#': spec.alternate = true; break;
      default: break;
    }
  }
  spec.width = TakeNumber(text, at);
  if (at < text.size() && text[at] == '.') {
    const size_t dot = at++;
    spec.precision = TakeNumber(text, at);
    spec.has_precision_digits = at > dot + 1;
  }
  spec.length = at;
  return spec;
}

std::string PadText(std::string_view text, const PrintSpec& spec, Budget& budget) {
  if (spec.precision) text = text.substr(0, *spec.precision);
  std::string padding;
  if (spec.width > text.size()) {
    budget.WillAllocate(spec.width);
    padding.assign(spec.width - text.size(), ' ');
  }
  return spec.left ? std::string(text) + padding : padding + std::string(text);
}

std::string PadNumber(std::string_view digits, bool is_negative, std::string_view prefix, const PrintSpec& spec,
                      Budget& budget) {
  std::string sign = is_negative ? "-" : spec.plus ? "+" : spec.space ? " " : "";
  sign += prefix;
  uint64_t zeros = 0;
  if (spec.precision) {
    if (*spec.precision > digits.size()) zeros = *spec.precision - digits.size();
  } else if (spec.zero && !spec.left && spec.width > sign.size() + digits.size()) {
    zeros = spec.width - sign.size() - digits.size();
  }
  budget.WillAllocate(zeros + spec.width);
  std::string text = sign + std::string(zeros, '0') + std::string(digits);
  if (text.size() < spec.width) {
    text.insert(spec.left ? text.size() : 0, spec.width - text.size(), ' ');
  }
  return text;
}

std::string PadDecimal(uint64_t value, const PrintSpec& spec, Budget& budget) {
  return PadNumber(InBase(value, 10), false, "", spec, budget);
}
std::string PadOctal(uint64_t value, const PrintSpec& spec, Budget& budget) {
  return PadNumber(InBase(value, 8), false, spec.alternate && value != 0 ? "0" : "", spec, budget);
}
std::string PadHex(uint64_t value, const PrintSpec& spec, Budget& budget) {
  return PadNumber(InBase(value, 16), false, spec.alternate && value != 0 ? "0x" : "", spec, budget);
}

}  // namespace paddock
