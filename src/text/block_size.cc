#include "text/block_size.h"

#include "text/numbers.h"

namespace paddock {
namespace {

// How GNU writes a bare unit: powers of 1000 have a small k, "KiB" and "K" are 1024.
std::string UnitText(std::string_view unit) {
  const bool has_b = unit.size() > 1 && unit.back() == 'B';
  const bool is_binary = !has_b || (unit.size() > 2 && unit[1] == 'i');
  std::string text(1, unit[0] >= 'a' ? static_cast<char>(unit[0] - 32) : unit[0]);
  if (text == "K" && !is_binary) text = "k";
  if (has_b) text += is_binary ? "iB" : "B";
  return text;
}

}  // namespace

std::string BlockSize::Format(uint64_t bytes) const {
  if (is_human) return HumanSize(bytes, is_si);
  return std::to_string(bytes / unit + (bytes % unit != 0 ? 1 : 0)) + suffix;
}

Result<BlockSize> ParseBlockSize(std::string_view text) {
  if (text.starts_with('\'')) text.remove_prefix(1);
  if (!text.empty() && std::string_view("human-readable").starts_with(text)) return BlockSize::Human();
  if (!text.empty() && std::string_view("si").starts_with(text)) return BlockSize::Si();
  const SizeNumber number = ParseSize(text, "eEgGkKmMpPtTyYzZ0");
  switch (number.state) {
    case NumberState::kOk: break;
    case NumberState::kBadSuffix:
    case NumberState::kBadSuffixOverflow: return Code::kSyntax;
    case NumberState::kOverflow: return Code::kOverflow;
    case NumberState::kInvalid: return Code::kInvalid;
  }
  if (number.value == 0) return Code::kInvalid;
  BlockSize size = BlockSize::Of(number.value);
  if (text.find_first_of("0123456789") == std::string_view::npos) size.suffix = UnitText(text);
  return size;
}

std::string BlockSizeComplaint(std::string_view option, std::string_view text, const Error& error) {
  const std::string argument = std::string(option) + " argument '" + std::string(text) + "'";
  if (error.code == Code::kOverflow) return argument + " too large";
  return (error.code == Code::kSyntax ? "invalid suffix in " : "invalid ") + argument;
}

}  // namespace paddock
