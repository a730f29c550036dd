#include "commands/text/sort_order.h"
#include "text/quote.h"

namespace paddock {
namespace {

Error BadField(std::string_view text, std::string_view reason, bool is_utf8) {
  return Error(Code::kInvalid,
               std::string(reason) + ": invalid field specification " + Quote(text, is_utf8));
}

// Takes a decimal count from the front of `text`; too large ones stay at the largest value.
std::optional<uint64_t> TakeCount(std::string_view& text) {
  uint64_t count = 0;
  size_t at = 0;
  bool is_too_large = false;
  if (at < text.size() && text[at] == '+') ++at;
  const size_t digits = at;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    is_too_large |= __builtin_mul_overflow(count, uint64_t{10}, &count) ||
                    __builtin_add_overflow(count, static_cast<uint64_t>(text[at] - '0'), &count);
  }
  if (at == digits) return std::nullopt;
  text.remove_prefix(at);
  return is_too_large ? SortKey::kLineEnd : count;
}

Result<uint64_t> NeedCount(std::string_view& text, std::string_view complaint, bool is_utf8) {
  const std::string_view before = text;
  if (auto count = TakeCount(text)) return *count;
  return Error(Code::kInvalid,
               std::string(complaint) + ": invalid count at start of " + Quote(before, is_utf8));
}

}  // namespace

bool KeyFlags::is_default() const {
  return !(skip_blanks_start || skip_blanks_end || dictionary || fold_case || general_numeric ||
           human_numeric || printable || month || numeric || random || version);
}

std::string KeyFlags::Letters() const {
  std::string letters;
  if (dictionary) letters += 'd';
  if (fold_case) letters += 'f';
  if (general_numeric) letters += 'g';
  if (human_numeric) letters += 'h';
  if (printable && !dictionary) letters += 'i';
  if (month) letters += 'M';
  if (numeric) letters += 'n';
  if (random) letters += 'R';
  if (version) letters += 'V';
  return letters;
}

void TakeKeyFlags(std::string_view& text, FlagPlace place, KeyFlags& flags) {
  for (; !text.empty(); text.remove_prefix(1)) {
    switch (text.front()) {
      case 'b':
        if (place != FlagPlace::kEnd) flags.skip_blanks_start = true;
        if (place != FlagPlace::kStart) flags.skip_blanks_end = true;
        break;
      case 'd': flags.dictionary = true; break;
      case 'f': flags.fold_case = true; break;
      case 'g': flags.general_numeric = true; break;
      case 'h': flags.human_numeric = true; break;
      case 'i': flags.printable = true; break;
      case 'M': flags.month = true; break;
      case 'n': flags.numeric = true; break;
      case 'R': flags.random = true; break;
      case 'r': flags.reverse = true; break;
      case 'V': flags.version = true; break;
      default: return;
    }
  }
}

Result<SortKey> ParseSortKey(std::string_view text, bool is_utf8) {
  SortKey key;
  std::string_view rest = text;
  PADDOCK_ASSIGN(key.start_field, NeedCount(rest, "invalid number at field start", is_utf8));
  if (key.start_field-- == 0) return BadField(text, "field number is zero", is_utf8);
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    PADDOCK_ASSIGN(key.start_char, NeedCount(rest, "invalid number after '.'", is_utf8));
    if (key.start_char-- == 0) return BadField(text, "character offset is zero", is_utf8);
  }
  TakeKeyFlags(rest, FlagPlace::kStart, key.flags);
  if (rest.starts_with(',')) {
    rest.remove_prefix(1);
    PADDOCK_ASSIGN(key.end_field, NeedCount(rest, "invalid number after ','", is_utf8));
    if (key.end_field-- == 0) return BadField(text, "field number is zero", is_utf8);
    if (rest.starts_with('.')) {
      rest.remove_prefix(1);
      PADDOCK_ASSIGN(key.end_char, NeedCount(rest, "invalid number after '.'", is_utf8));
    }
    TakeKeyFlags(rest, FlagPlace::kEnd, key.flags);
  }
  if (!rest.empty()) return BadField(text, "stray character in field spec", is_utf8);
  return key;
}

std::optional<SortKey> ParseOldKeyStart(std::string_view text) {
  SortKey key;
  std::string_view rest = text.substr(1);
  const auto field = TakeCount(rest);
  if (!field) return std::nullopt;
  key.start_field = *field;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    const auto character = TakeCount(rest);
    if (!character) return std::nullopt;
    key.start_char = *character;
  }
  TakeKeyFlags(rest, FlagPlace::kStart, key.flags);
  if (!rest.empty()) return std::nullopt;
  return key;
}

Status ParseOldKeyEnd(std::string_view text, SortKey& key, bool is_utf8) {
  std::string_view rest = text.substr(1);
  PADDOCK_ASSIGN(key.end_field, NeedCount(rest, "invalid number after '-'", is_utf8));
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    PADDOCK_ASSIGN(key.end_char, NeedCount(rest, "invalid number after '.'", is_utf8));
  }
  if (key.end_char == 0 && key.end_field != 0) --key.end_field;
  TakeKeyFlags(rest, FlagPlace::kEnd, key.flags);
  if (!rest.empty()) return BadField(text, "stray character in field spec", is_utf8);
  return {};
}

}  // namespace paddock
