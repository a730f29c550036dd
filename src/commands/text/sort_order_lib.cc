#include <algorithm>
#include <array>
#include <cstring>

#include "base/budget.h"
#include "commands/text/sort_numbers.h"
#include "commands/text/sort_order.h"
#include "text/digest.h"
#include "text/version_order.h"

namespace paddock {
namespace {

constexpr bool IsBlankByte(char c) { return c == ' ' || c == '\t' || c == '\n'; }
constexpr bool IsAlnumByte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr char UpperByte(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool IsIgnored(char c, const KeyFlags& flags) {
  if (flags.dictionary) return !IsAlnumByte(c) && !IsBlankByte(c);
  if (flags.printable) return c < ' ' || c > '~';
  return false;
}

// The bytes of a key as they are compared: some left out, some folded.
class KeyBytes {
 public:
  KeyBytes(std::string_view text, const KeyFlags& flags) : text_(text), flags_(flags) {}
  // The next byte, or -1 at the end.
  int Next() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (IsIgnored(c, flags_)) continue;
      return static_cast<unsigned char>(flags_.fold_case ? UpperByte(c) : c);
    }
    return -1;
  }

 private:
  std::string_view text_;
  const KeyFlags& flags_;
  size_t at_ = 0;
};

std::string Transformed(std::string_view text, const KeyFlags& flags) {
  std::string result;
  KeyBytes bytes(text, flags);
  for (int c = bytes.Next(); c >= 0; c = bytes.Next()) result += static_cast<char>(c);
  return result;
}

int CompareBytes(std::string_view a, std::string_view b) {
  const size_t common = std::min(a.size(), b.size());
  if (common > 0) {
    if (const int order = std::memcmp(a.data(), b.data(), common); order != 0) return order;
  }
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

uint64_t BigEndianPrefix(std::string_view text) {
  uint64_t word = 0;
  if (text.size() >= 8) {
    std::memcpy(&word, text.data(), 8);
    return __builtin_bswap64(word);
  }
  for (const char c : text) word = word << 8 | static_cast<unsigned char>(c);
  return text.empty() ? 0 : word << (8 * (8 - text.size()));
}

// In a locale with a name the tool hashes terminated texts.
std::string Md5(std::string_view salt, std::string_view text, bool is_terminated) {
  std::string all(salt);
  all += text;
  if (is_terminated) all += '\0';
  return DigestOf(DigestAlgorithm::kMd5, all);
}

}  // namespace

SortOrder::SortOrder(SortRules rules, Budget& budget) : rules_(std::move(rules)), budget_(budget) {}

std::string_view SortOrder::KeyOf(std::string_view line, const SortKey& key) const {
  const size_t size = line.size();
  const auto skip_blanks = [&](size_t at) {
    while (at < size && IsBlankByte(line[at])) ++at;
    return at;
  };
  const auto skip_field = [&](size_t at) {
    at = skip_blanks(at);
    while (at < size && !IsBlankByte(line[at])) ++at;
    return at;
  };
  const auto find_tab = [&](size_t at) {
    const size_t found = line.find(*rules_.tab, at);
    return found == std::string_view::npos ? size : found;
  };
  size_t begin = 0;
  for (uint64_t left = key.start_field; left > 0 && begin < size; --left) {
    begin = rules_.tab ? std::min(find_tab(begin) + 1, size) : skip_field(begin);
  }
  if (key.flags.skip_blanks_start) begin = skip_blanks(begin);
  begin += static_cast<size_t>(std::min<uint64_t>(size - begin, key.start_char));

  size_t end = size;
  if (key.end_field != SortKey::kLineEnd) {
    end = 0;
    uint64_t left = key.end_field + (key.end_char == 0 ? 1 : 0);
    while (left > 0 && end < size) {
      --left;
      if (!rules_.tab) {
        end = skip_field(end);
      } else {
        end = find_tab(end);
        if (end < size && (left > 0 || key.end_char > 0)) ++end;
      }
    }
    if (key.end_char != 0) {
      if (key.flags.skip_blanks_end) end = skip_blanks(end);
      end += static_cast<size_t>(std::min<uint64_t>(size - end, key.end_char));
    }
  }
  return line.substr(begin, std::max(begin, end) - begin);
}

uint64_t SortOrder::PrefixOf(std::string_view text, const KeyFlags& flags) const {
  uint64_t prefix = 0;
  if (flags.random) {
    const std::string digest = Md5(rules_.salt, Transformed(text, flags), rules_.is_utf8);
    prefix = BigEndianPrefix(digest);
  } else if (flags.human_numeric) {
    prefix = HumanNumericPrefix(text);
  } else if (flags.version) {
    prefix = 0;
  } else if (flags.numeric || flags.general_numeric || flags.month) {
    if (flags.dictionary || flags.printable) return 0;
    prefix = flags.numeric           ? NumericPrefix(text)
             : flags.general_numeric ? GeneralNumericPrefix(text)
                                     : static_cast<uint64_t>(MonthNumber(text));
  } else if (flags.dictionary || flags.printable || flags.fold_case) {
    KeyBytes bytes(text, flags);
    for (int i = 0; i < 8; ++i) {
      const int c = bytes.Next();
      prefix = prefix << 8 | static_cast<uint64_t>(c < 0 ? 0 : c);
    }
  } else {
    prefix = BigEndianPrefix(text);
  }
  return flags.reverse ? ~prefix : prefix;
}

SortLine SortOrder::Prepare(std::string_view line) const {
  SortLine prepared{0, line.data(), static_cast<uint32_t>(line.size()), 0, static_cast<uint32_t>(line.size())};
  if (rules_.keys.empty()) {
    prepared.prefix = BigEndianPrefix(line);
    if (rules_.is_reversed) prepared.prefix = ~prepared.prefix;
    return prepared;
  }
  const SortKey& first = rules_.keys.front();
  const std::string_view key = KeyOf(line, first);
  prepared.key_begin = static_cast<uint32_t>(key.data() - line.data());
  prepared.key_length = static_cast<uint32_t>(key.size());
  prepared.prefix = PrefixOf(key, first.flags);
  return prepared;
}

int SortOrder::CompareRandom(std::string_view a, std::string_view b) const {
  const std::string x = Md5(rules_.salt, a, rules_.is_utf8);
  const std::string y = Md5(rules_.salt, b, rules_.is_utf8);
  const int order = std::memcmp(x.data(), y.data(), x.size());
  return order != 0 ? order : CompareBytes(a, b);
}

int SortOrder::CompareKeyText(std::string_view a, std::string_view b, const KeyFlags& flags) const {
  budget_.Step(1 + static_cast<int64_t>((a.size() + b.size()) / 64));
  if (a == b) return 0;
  if (flags.dictionary || flags.printable || (flags.fold_case && (flags.random || flags.version))) {
    if (flags.random || flags.version || flags.month || flags.numeric || flags.general_numeric ||
        flags.human_numeric) {
      KeyFlags plain = flags;
      plain.dictionary = plain.printable = plain.fold_case = false;
      return CompareKeyText(Transformed(a, flags), Transformed(b, flags), plain);
    }
  }
  if (flags.numeric) return CompareNumeric(a, b);
  if (flags.general_numeric) return CompareGeneralNumeric(a, b);
  if (flags.human_numeric) return CompareHumanNumeric(a, b);
  if (flags.month) return MonthNumber(a) - MonthNumber(b);
  if (flags.random) return CompareRandom(a, b);
  if (flags.version) return CompareVersionNames(a, b);
  if (!flags.dictionary && !flags.printable && !flags.fold_case) return CompareBytes(a, b);
  KeyBytes left(a, flags);
  KeyBytes right(b, flags);
  while (true) {
    const int x = left.Next();
    const int y = right.Next();
    if (x != y) return x - y;
    if (x < 0) return 0;
  }
}

int SortOrder::CompareKeys(const SortLine& a, const SortLine& b) const {
  if (a.prefix != b.prefix) return a.prefix < b.prefix ? -1 : 1;
  if (rules_.keys.empty()) {
    budget_.Step(1 + static_cast<int64_t>(std::min(a.length, b.length) / 64));
    const int order = CompareBytes(a.line(), b.line());
    return rules_.is_reversed ? (order < 0) - (order > 0) : order;
  }
  bool is_first = true;
  for (const SortKey& key : rules_.keys) {
    const std::string_view x = is_first ? a.key() : KeyOf(a.line(), key);
    const std::string_view y = is_first ? b.key() : KeyOf(b.line(), key);
    is_first = false;
    const int order = CompareKeyText(x, y, key.flags);
    if (order != 0) return key.flags.reverse ? (order < 0) - (order > 0) : order;
  }
  return 0;
}

int SortOrder::Compare(const SortLine& a, const SortLine& b) const {
  const int order = CompareKeys(a, b);
  if (order != 0 || rules_.is_stable || rules_.is_unique || rules_.keys.empty()) return order;
  const int last_resort = CompareBytes(a.line(), b.line());
  return rules_.is_reversed ? (last_resort < 0) - (last_resort > 0) : last_resort;
}

void SortOrder::Sort(std::vector<SortLine>& lines) const {
  std::sort(lines.begin(), lines.end(), [this](const SortLine& a, const SortLine& b) {
    if (a.prefix != b.prefix) {
      budget_.Step();
      return a.prefix < b.prefix;
    }
    const int order = Compare(a, b);
    return order != 0 ? order < 0 : a.text < b.text;
  });
}

}  // namespace paddock
