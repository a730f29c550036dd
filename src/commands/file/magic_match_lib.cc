#include <algorithm>
#include <bit>
#include <cstring>

#include "commands/file/file_kind.h"
#include "commands/file/magic.h"
#include "commands/file/magic_number.h"
#include "text/date/time_format.h"
#include "text/regex.h"
#include "text/utf8.h"

namespace paddock::file {
namespace {

constexpr int kDeepest = 20;                 // of "use" and "indirect"
constexpr size_t kRegexReach = 8192, kLineLength = 80, kLongestAnswer = 64 << 10;

// A description with its one %-format filled in by printf(), which is given only a format that was looked at.
template <class T>
std::string Filled(const std::string& description, const char* kinds, const char* length, T value) {
  const size_t at = description.find('%');
  if (at == std::string::npos) return description;
  size_t end = at + 1;
  while (end < description.size() && std::string_view("0123456789.-+ #").find(description[end]) != std::string_view::npos) ++end;
  const std::string flags = description.substr(at + 1, end - at - 1);
  while (end < description.size() && std::string_view("hlqjzt").find(description[end]) != std::string_view::npos) ++end;
  if (end >= description.size()) return description;
  const char kind = description[end];
  int64_t width = 0;
  for (const char c : flags) width = c >= '0' && c <= '9' ? std::min<int64_t>(width * 10 + (c - '0'), 10000) : 0;
  if (std::strchr(kinds, kind) == nullptr || flags.size() > 12 || width > 1000) return description;
  const std::string format = "%" + flags + length + kind;
  char text[2048];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int size = std::snprintf(text, sizeof text, format.c_str(), value);
#pragma GCC diagnostic pop
  return description.substr(0, at) + std::string(text, static_cast<size_t>(std::clamp<int>(size, 0, sizeof text - 1))) + description.substr(end + 1);
}

}  // namespace

class MagicMatcher {
 public:
  MagicMatcher(const MagicSet& set, std::string_view bytes, bool goes_on, Budget& budget) : set_(set), bytes_(bytes), goes_on_(goes_on), budget_(budget) {}

  void Run(bool is_text) {
    const uint8_t mode = is_text ? MagicEntry::kText : MagicEntry::kBinary;
    for (const MagicSet::Group& group : set_.tests_) {
      if (!(group[0].flags & mode)) continue;
      if (RunGroup(group, 0, 0) && !goes_on_) return;
    }
  }

  MagicSet::Answer answer;

 private:
  struct Level {
    int64_t end = 0;         // behind what matched last: where '&' begins
    bool has_match = false;
  };
  struct Found {
    size_t at = 0;           // of the test's own offset, or of what a search found
    uint64_t number = 0;
    std::string_view text;   // what a string type is compared with, or a pattern has matched
    size_t length = 0;
  };

  bool RunGroup(const MagicSet::Group& group, size_t base, int depth) {
    budget_.Step();
    std::vector<Level> levels(2);
    has_printed_ = has_printed_ && depth > 0;
    Found found;
    if (group[0].type != MagicType::kName && !Try(group[0], base, levels, 0, found, depth)) return false;
    bool is_found = Tell(group[0], found);
    levels[0].end = static_cast<int64_t>(EndOf(group[0], found));
    size_t level = 1;
    for (size_t i = 1; i < group.size(); ++i) {
      const MagicEntry& entry = group[i];
      if (level < entry.level) continue;
      level = entry.level;
      budget_.Step();
      if (entry.type == MagicType::kDefault && levels[level].has_match) continue;
      if (entry.type == MagicType::kClear) {
        levels[level].has_match = false;
        continue;
      }
      const bool had_answer = answer.is_found;
      if (!Try(entry, base, levels, level, found, depth)) continue;
      levels[level].has_match = true;
      if (Tell(entry, found) || (!had_answer && answer.is_found)) is_found = true;
      levels[level].end = static_cast<int64_t>(EndOf(entry, found));
      ++level;
      if (levels.size() <= level) levels.resize(level + 1);
      levels[level].has_match = false;
    }
    answer.is_found = answer.is_found || is_found;
    return is_found;
  }

  // Where the test looks; nothing outside of the contents.
  std::optional<size_t> Place(const MagicEntry& entry, size_t base, const std::vector<Level>& levels, size_t level) {
    int64_t at = entry.offset;
    const auto size = static_cast<int64_t>(bytes_.size());
    if (entry.flags & MagicEntry::kFromEnd) at = size - at;
    else at += static_cast<int64_t>(base);
    if (level > 0 && (entry.flags & MagicEntry::kRelative)) at += (entry.flags & MagicEntry::kIndirectOffset) ? 0 : levels[level - 1].end;
    if (!(entry.flags & MagicEntry::kIndirectOffset)) return at < 0 || at > size ? std::nullopt : std::optional(static_cast<size_t>(at));
    if (level > 0 && (entry.flags & MagicEntry::kIndirectRelative)) at += levels[level - 1].end;
    MagicWidth width = WidthOf(entry.indirect_type);
    if (entry.indirect_type == MagicType::kLong) width.size = 4;
    if (width.size == 0 || width.is_float || at < 0 || at + width.size > size) return std::nullopt;
    uint64_t value = SignExtended(NumberAt(bytes_, static_cast<size_t>(at), width), width.size);
    if (entry.indirect_offset != 0 || (entry.indirect_operation & kMagicInverse) != 0) {
      value = Operated(value, entry.indirect_operation, static_cast<uint64_t>(static_cast<int64_t>(entry.indirect_offset)));
    }
    at = static_cast<int64_t>(value);
    if (level > 0 && (entry.flags & MagicEntry::kRelative)) at += levels[level - 1].end;
    else at += static_cast<int64_t>(base);
    return at < 0 || at > size ? std::nullopt : std::optional(static_cast<size_t>(at));
  }

  bool Try(const MagicEntry& entry, size_t base, const std::vector<Level>& levels, size_t level, Found& found, int depth) {
    const auto at = Place(entry, base, levels, level);
    if (!at) return entry.relation == '!';
    found = Found();
    found.at = *at;
    const size_t left = bytes_.size() - *at;
    switch (entry.type) {
      case MagicType::kDefault: return true;
      case MagicType::kOffset: return Compare(entry, found.number = *at);
      case MagicType::kUse: return Use(entry, *at, depth);
      case MagicType::kIndirect: return Indirect(entry, *at, depth);
      case MagicType::kString: return left >= entry.text.size() ? CompareText(entry, found) : entry.relation == '!';
      case MagicType::kPString: return TryCounted(entry, found);
      case MagicType::kBeString16:
      case MagicType::kLeString16: return TryWide(entry, found);
      case MagicType::kSearch: return Search(entry, found);
      case MagicType::kRegex: return MatchPattern(entry, found);
      case MagicType::kGuid: return left >= 16 && (found.text = bytes_.substr(*at, 16), CompareGuid(entry, found));
      default: break;
    }
    const MagicWidth width = WidthOf(entry.type);
    if (width.size == 0) return false;
    if (left < width.size) return entry.relation == '!';
    found.number = NumberAt(bytes_, *at, width);
    if (width.is_float) return CompareFloat(entry, found, width);
    if (entry.mask_operation != 0 || entry.mask != 0) found.number = Operated(found.number, entry.mask_operation, entry.mask);
    return Compare(entry, (entry.flags & MagicEntry::kUnsigned) ? Cut(found.number, width.size) : SignExtended(found.number, width.size));
  }

  static uint64_t Cut(uint64_t value, uint8_t size) { return size >= 8 ? value : value & ((uint64_t{1} << (8 * size)) - 1); }

  static bool Compare(const MagicEntry& entry, uint64_t value) {
    const uint64_t wanted = (entry.flags & MagicEntry::kUnsigned) && WidthOf(entry.type).size > 0 ? Cut(entry.number, WidthOf(entry.type).size) : entry.number;
    const bool is_unsigned = (entry.flags & MagicEntry::kUnsigned) != 0;
    switch (entry.relation) {
      case 'x': return true;
      case '!': return value != wanted;
      case '>': return is_unsigned ? value > wanted : static_cast<int64_t>(value) > static_cast<int64_t>(wanted);
      case '<': return is_unsigned ? value < wanted : static_cast<int64_t>(value) < static_cast<int64_t>(wanted);
      case '&': return (value & wanted) == wanted;
      case '^': return (value & wanted) != wanted;
      default: return value == wanted;
    }
  }

  static bool CompareFloat(const MagicEntry& entry, Found& found, const MagicWidth& width) {
    double value = std::bit_cast<double>(found.number);
    if (width.size == 4) value = std::bit_cast<float>(static_cast<uint32_t>(found.number));
    found.number = std::bit_cast<uint64_t>(value);
    const double wanted = std::bit_cast<double>(entry.number);
    switch (entry.relation) {
      case 'x': return true;
      case '!': return value != wanted;
      case '>': return value > wanted;
      case '<': return value < wanted;
      default: return value == wanted;
    }
  }

  // How texts differ, by the flags of the test: 0 for a match.
  int Difference(std::string_view wanted, std::string_view text, uint32_t flags, size_t* taken = nullptr) {
    size_t at = 0;
    for (size_t i = 0; i < wanted.size(); ++i) {
      budget_.Step();
      const auto pattern = static_cast<unsigned char>(wanted[i]);
      const unsigned char byte = at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
      if ((flags & 4) != 0 && std::islower(pattern) != 0) {          // c
        if (const int difference = std::tolower(byte) - pattern; difference != 0) return difference;
        ++at;
      } else if ((flags & 8) != 0 && std::isupper(pattern) != 0) {   // C
        if (const int difference = std::toupper(byte) - pattern; difference != 0) return difference;
        ++at;
      } else if ((flags & 1) != 0 && std::isspace(pattern) != 0) {   // W
        if (std::isspace(byte) == 0) return 1;
        ++at;
        while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0 && (i + 1 >= wanted.size() || std::isspace(static_cast<unsigned char>(wanted[i + 1])) == 0)) ++at;
      } else if ((flags & 2) != 0 && std::isspace(pattern) != 0) {   // w
        while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
      } else {
        if (byte != pattern) return byte - pattern;
        ++at;
      }
    }
    if ((flags & 16384) != 0 && at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_')) return 1;   // f
    if (taken != nullptr) *taken = at;
    return 0;
  }

  bool Judge(const MagicEntry& entry, int difference) const {
    switch (entry.relation) {
      case 'x': return true;
      case '!': return difference != 0;
      case '>': return difference > 0;
      case '<': return difference < 0;
      case '&': return true;
      case '^': return false;
      default: return difference == 0;
    }
  }

  // What is shown of a string: up to a NUL, and of an open end up to the line's.
  static std::string_view Shown(std::string_view text) {
    constexpr size_t kLongest = 127;
    text = text.substr(0, std::min({text.find('\0'), kLongest, text.size()}));
    return text;
  }

  bool CompareText(const MagicEntry& entry, Found& found) {
    const std::string_view text = bytes_.substr(found.at);
    found.text = Shown(text);
    found.length = entry.text.size();
    return Judge(entry, Difference(entry.text, text, entry.string_flags));
  }

  bool TryCounted(const MagicEntry& entry, Found& found) {
    const uint32_t flags = entry.string_flags;
    const size_t size = (flags & (1024 | 2048)) != 0 ? 4 : (flags & (256 | 512)) != 0 ? 2 : 1;
    if (bytes_.size() - found.at < size) return entry.relation == '!';
    uint64_t length = (flags & (256 | 1024)) != 0 ? Big(bytes_, found.at, size) : Little(bytes_, found.at, size);
    if ((flags & 4096) != 0) length = length < size ? 0 : length - size;   // J: it counts itself
    const std::string_view text = Part(bytes_, found.at + size, static_cast<size_t>(std::min<uint64_t>(length, bytes_.size())));
    found.text = Shown(text);
    found.length = size + found.text.size();
    return Judge(entry, Difference(std::string_view(entry.text).substr(0, entry.text.size() - std::min(size, entry.text.size())), text, flags));
  }

  bool TryWide(const MagicEntry& entry, Found& found) {
    wide_.clear();
    const size_t low = entry.type == MagicType::kBeString16 ? 1 : 0;
    for (size_t at = found.at; at + 1 < bytes_.size() && wide_.size() < 127; at += 2) {
      const char c = bytes_[at + low], high = bytes_[at + 1 - low];
      if (c == '\0' && high == '\0') break;
      wide_ += high == '\0' ? c : ' ';
    }
    found.text = wide_;
    found.length = entry.text.size();
    return Judge(entry, Difference(entry.text, wide_, entry.string_flags));
  }

  bool Search(const MagicEntry& entry, Found& found) {
    const std::string_view text = bytes_.substr(found.at);
    if (entry.relation == 'x') return true;
    for (size_t i = 0; (entry.range == 0 || i < entry.range) && i + entry.text.size() <= text.size(); ++i) {
      size_t taken = 0;
      if (Difference(entry.text, text.substr(i), entry.string_flags, &taken) != 0) continue;
      found.at += i;
      found.text = text.substr(i, entry.text.size());
      found.length = entry.text.size();
      return Judge(entry, 0);
    }
    return Judge(entry, 1);
  }

  bool MatchPattern(const MagicEntry& entry, Found& found) {
    size_t reach = kRegexReach;
    std::string_view text = bytes_.substr(found.at);
    if (entry.range != 0 && (entry.string_flags & 2048) == 0) reach = entry.range;
    if (entry.range != 0 && (entry.string_flags & 2048) != 0) {
      size_t end = 0;
      for (uint32_t line = 0; line < entry.range && end < text.size(); ++line) end = std::min(text.find('\n', end), text.size() - 1) + 1;
      reach = std::min<size_t>(end, entry.range * kLineLength);
    }
    text = text.substr(0, std::min(reach, kRegexReach));
    const auto regex = Regex::Compile(entry.text, {.dialect = RegexDialect::kExtended, .ignore_case = (entry.string_flags & 4) != 0, .is_utf8 = false, .multiline = true, .newline_is_text = false});
    if (!regex) return false;
    std::vector<RegexGroup> groups(1);
    const auto matched = regex->Search(text, 0, &groups, budget_);
    if (!matched || !*matched) return Judge(entry, 1);
    found.at += groups[0].begin;
    found.length = groups[0].end - groups[0].begin;
    found.text = text.substr(groups[0].begin, found.length);
    return Judge(entry, 0);
  }

  static std::string GuidText(std::string_view bytes) {
    char text[48];
    std::snprintf(text, sizeof text, "%08llX-%04llX-%04llX-%04llX-%04llX%08llX", static_cast<unsigned long long>(Little(bytes, 0, 4)), static_cast<unsigned long long>(Little(bytes, 4, 2)),
                  static_cast<unsigned long long>(Little(bytes, 6, 2)), static_cast<unsigned long long>(Big(bytes, 8, 2)), static_cast<unsigned long long>(Big(bytes, 10, 2)),
                  static_cast<unsigned long long>(Big(bytes, 12, 4)));
    return text;
  }
  static bool CompareGuid(const MagicEntry& entry, const Found& found) {
    std::string wanted = entry.text;
    for (char& c : wanted) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const bool is_same = wanted == GuidText(found.text);
    return entry.relation == 'x' || (entry.relation == '!') != is_same;
  }

  bool Use(const MagicEntry& entry, size_t at, int depth) {
    if (depth >= kDeepest) return false;
    budget_.CheckStack();
    const std::string name = entry.text.starts_with('^') ? entry.text.substr(1) : entry.text;
    for (const MagicSet::Group& group : set_.names_) {
      if (group[0].text != name) continue;
      if (RunGroup(group, at, depth + 1)) answer.is_found = true;
      return true;
    }
    return false;
  }

  // The contents from there on are looked at anew.
  bool Indirect(const MagicEntry&, size_t at, int depth) {
    if (depth >= kDeepest || at == 0) return false;
    budget_.CheckStack();
    MagicMatcher inner(set_, bytes_.substr(at), false, budget_);
    inner.Run(false);
    if (!inner.answer.is_found) return false;
    pending_ = inner.answer.text;
    return true;
  }

  size_t EndOf(const MagicEntry& entry, const Found& found) const {
    switch (entry.type) {
      case MagicType::kString:
      case MagicType::kBeString16:
      case MagicType::kLeString16:
        if (entry.relation == '=' || entry.relation == '!') return found.at + entry.text.size();
        return found.at + (entry.text.empty() || entry.text[0] == '\0' ? std::min(found.text.find_first_of("\r\n"), found.text.size()) : found.text.size());
      case MagicType::kPString: return found.at + found.length;
      case MagicType::kSearch:
      case MagicType::kRegex: return (entry.string_flags & 16) != 0 ? found.at : found.at + found.length;
      case MagicType::kGuid: return found.at + 16;
      default: return found.at + WidthOf(entry.type).size;
    }
  }

  // Adds what an entry says; false when that is nothing.
  bool Tell(const MagicEntry& entry, const Found& found) {
    if (answer.mime.empty()) answer.mime = entry.mime;
    if (answer.extensions.empty()) answer.extensions = entry.extensions;
    if (answer.apple.empty()) answer.apple = entry.apple;
    const std::string inner = std::exchange(pending_, {});
    const bool has_inner = !inner.empty() && answer.text.size() + inner.size() <= kLongestAnswer;
    if (has_inner) answer.text += inner;   // it begins where the outer one has ended
    const std::string text = entry.description.empty() ? "" : Description(entry, found);
    if (text.empty()) return has_inner;
    if (answer.text.size() + text.size() > kLongestAnswer) return true;
    if (entry.level == 0 && entry.type != MagicType::kName && !answer.text.empty()) answer.text += "\n- ";
    else if (has_printed_ && !(entry.flags & MagicEntry::kNoSpace)) answer.text += ' ';
    has_printed_ = true;
    answer.text += text;
    return true;
  }

  std::string Description(const MagicEntry& entry, const Found& found) const {
    const std::string& words = entry.description;
    const auto text_of = [&](std::string_view text) { return Filled(words, "s", "", Escaped(text).c_str()); };
    if (IsDate(entry.type)) return Filled(words, "s", "", DateText(entry, found.number).c_str());
    switch (entry.type) {
      case MagicType::kString:
      case MagicType::kBeString16:
      case MagicType::kLeString16:
        if (entry.relation == '=' || entry.relation == '!') return text_of(entry.text);
        return text_of(entry.text.empty() || entry.text[0] == '\0' ? found.text.substr(0, found.text.find_first_of("\r\n")) : found.text);
      case MagicType::kPString: return text_of(entry.relation == '=' || entry.relation == '!' ? Shown(entry.text) : found.text);
      case MagicType::kSearch:
      case MagicType::kRegex: return text_of(found.text);
      case MagicType::kGuid: return text_of(GuidText(found.text));
      case MagicType::kOffset: return Filled(words, "diuoxX", "ll", static_cast<long long>(found.number));
      default: break;
    }
    const MagicWidth width = WidthOf(entry.type);
    if (width.size == 0) return words;
    if (width.is_float) return Filled(words, "eEfFgG", "", std::bit_cast<double>(found.number));
    const uint64_t value = Cut(found.number, width.size);
    if (const size_t at = words.find("%s"); at != std::string::npos) return Filled(words, "s", "", std::to_string(value).c_str());
    if (words.find("%c") != std::string::npos) return Filled(words, "c", "", static_cast<int>(value & 0xff));
    // As C hands them over: a byte and a short as they are, a long with its sign where %d asks for one.
    if (width.size == 4) return Filled(words, "diuoxX", "", static_cast<int>(static_cast<uint32_t>(value)));
    return Filled(words, "diuoxX", "ll", static_cast<long long>(value));
  }

  static std::string Escaped(std::string_view text) {
    std::string visible;
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte >= ' ' && byte < 0x7f) {
        visible += c;
        continue;
      }
      char octal[8];
      std::snprintf(octal, sizeof octal, "\\%03o", byte);
      visible += octal;
    }
    return visible;
  }

  std::string DateText(const MagicEntry& entry, uint64_t value) const {
    const TimePoint moment{static_cast<int64_t>(SignExtended(value, WidthOf(entry.type).size)), 0};
    return FormatTime("%a %b %e %H:%M:%S %Y", TimeZone::FromTz("UTC").ToLocal(moment.seconds), moment, budget_);
  }

  const MagicSet& set_;
  const std::string_view bytes_;
  const bool goes_on_;
  Budget& budget_;
  bool has_printed_ = false;
  std::string wide_, pending_;
};

MagicSet::Answer MagicSet::Match(std::string_view bytes, bool is_text, bool goes_on, Budget& budget) const {
  MagicMatcher matcher(*this, bytes, goes_on, budget);
  matcher.Run(is_text);
  return std::move(matcher.answer);
}

}  // namespace paddock::file
