#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>

#include "commands/file/magic.h"

namespace paddock::file {
namespace {

constexpr size_t kLongestText = 127, kLongestDescription = 63, kMostEntries = 100'000;

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// Cuts a line of a magic file into its parts.
class MagicLine {
 public:
  MagicLine(std::string_view line, MagicEntry& entry) : rest_(line), entry_(entry) {}

  // Empty, or the complaint.
  std::string Parse() {
    while (Takes('>')) ++entry_.level;
    if (std::string complaint = Offset(); !complaint.empty()) return complaint;
    SkipBlanks();
    if (std::string complaint = Type(); !complaint.empty()) return complaint;
    SkipBlanks();
    if (std::string complaint = Test(); !complaint.empty()) return complaint;
    SkipBlanks();
    if (rest_.starts_with('\b') || rest_.starts_with("\\b")) {
      rest_.remove_prefix(rest_[0] == '\b' ? 1 : 2);
      entry_.flags |= MagicEntry::kNoSpace;
    }
    while (!rest_.empty() && rest_.back() == '\r') rest_.remove_suffix(1);
    entry_.description = rest_.substr(0, kLongestDescription);
    return CheckDescription();
  }

 private:
  bool Takes(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void SkipBlanks() {
    while (!rest_.empty() && IsBlank(rest_[0])) rest_.remove_prefix(1);
  }
  // As strtoull(): decimal, 0x and 0; the sign of a negative number is kept.
  std::optional<uint64_t> Number() {
    const std::string text(rest_.substr(0, 70));
    char* end = nullptr;
    if (text.empty() || IsBlank(text[0])) return std::nullopt;
    const uint64_t value = std::strtoull(text.c_str(), &end, 0);
    if (end == text.c_str()) return std::nullopt;
    rest_.remove_prefix(static_cast<size_t>(end - text.c_str()));
    return value;
  }

  std::string Offset() {
    const std::string shown(rest_);
    if (Takes('&')) entry_.flags |= MagicEntry::kRelative;
    if (Takes('(')) {
      entry_.flags |= MagicEntry::kIndirectOffset;
      if (entry_.flags & MagicEntry::kRelative) entry_.flags = static_cast<uint8_t>((entry_.flags & ~MagicEntry::kRelative) | MagicEntry::kRelative);
    }
    if ((entry_.flags & MagicEntry::kIndirectOffset) && Takes('&')) entry_.flags |= MagicEntry::kIndirectRelative;
    if (entry_.level == 0 && (entry_.flags & (MagicEntry::kRelative | MagicEntry::kIndirectRelative))) return "relative offset at level 0";
    if (rest_.starts_with('-') && !(entry_.flags & (MagicEntry::kIndirectOffset | MagicEntry::kRelative))) {
      rest_.remove_prefix(1);
      entry_.flags |= MagicEntry::kFromEnd;
    }
    const auto value = Number();
    if (!value) return "offset `" + shown + "' invalid";
    entry_.offset = static_cast<int32_t>(*value);
    if (!(entry_.flags & MagicEntry::kIndirectOffset)) return {};
    return Indirection(shown);
  }

  // "(4.l+3)": what stands there is the offset.
  std::string Indirection(const std::string& shown) {
    entry_.indirect_type = MagicType::kLong;
    if (Takes('.') || Takes(',')) {
      if (rest_.empty()) return "indirect offset type missing";
      constexpr std::pair<char, MagicType> kTypes[] = {{'l', MagicType::kLeLong}, {'L', MagicType::kBeLong}, {'m', MagicType::kMeLong}, {'s', MagicType::kLeShort}, {'h', MagicType::kLeShort},
                                                       {'S', MagicType::kBeShort}, {'H', MagicType::kBeShort}, {'c', MagicType::kByte}, {'C', MagicType::kByte}, {'b', MagicType::kByte},
                                                       {'B', MagicType::kByte}, {'e', MagicType::kLeDouble}, {'f', MagicType::kLeDouble}, {'g', MagicType::kLeDouble}, {'E', MagicType::kBeDouble},
                                                       {'F', MagicType::kBeDouble}, {'G', MagicType::kBeDouble}, {'i', MagicType::kLeId3}, {'I', MagicType::kBeId3}, {'q', MagicType::kLeQuad}, {'Q', MagicType::kBeQuad}};
      const auto found = std::find_if(std::begin(kTypes), std::end(kTypes), [this](const auto& one) { return one.first == rest_[0]; });
      if (found == std::end(kTypes)) return std::string("indirect offset type `") + rest_[0] + "' invalid";
      entry_.indirect_type = found->second;
      rest_.remove_prefix(1);
    }
    if (Takes('~')) entry_.indirect_operation |= kMagicInverse;
    if (!rest_.empty()) {
      if (const char* const found = std::char_traits<char>::find(kMagicOperations, 8, rest_[0])) {
        entry_.indirect_operation = static_cast<uint8_t>((entry_.indirect_operation & kMagicInverse) | (found - kMagicOperations));
        rest_.remove_prefix(1);
        const auto value = Number();
        if (!value) return "indirect offset `" + shown + "' invalid";
        entry_.indirect_offset = static_cast<int32_t>(*value);
      }
    }
    return Takes(')') ? "" : "missing ')' in indirect offset";
  }

  std::string Type() {
    const std::string shown(rest_);
    size_t length = 0;
    while (length < rest_.size() && std::isalnum(static_cast<unsigned char>(rest_[length])) != 0) ++length;
    std::string name(rest_.substr(0, length));
    const auto find = [](const std::string& wanted) {
      for (int i = 1; i <= static_cast<int>(MagicType::kLeVarint); ++i) {
        if (wanted == MagicTypeName(static_cast<MagicType>(i))) return static_cast<MagicType>(i);
      }
      return MagicType::kInvalid;
    };
    entry_.type = find(name);
    if (entry_.type == MagicType::kInvalid && name.starts_with('u')) {
      entry_.type = find(name.substr(1));
      if (entry_.type != MagicType::kInvalid) entry_.flags |= MagicEntry::kUnsigned;
    }
    if (entry_.type == MagicType::kInvalid || entry_.type == MagicType::kDer) return "type `" + shown + "' invalid";
    rest_.remove_prefix(length);
    if (entry_.type == MagicType::kName && entry_.level != 0) return "`name' entries can only be declared at top level";
    if (entry_.type == MagicType::kPString) entry_.string_flags = 128;   // a length of one byte
    return entry_.is_string() ? StringModifiers() : Mask();
  }

  std::string StringModifiers() {
    while (Takes('/')) {
      while (!rest_.empty() && !IsBlank(rest_[0]) && rest_[0] != '/') {
        if (rest_[0] >= '0' && rest_[0] <= '9') {
          entry_.range = static_cast<uint32_t>(Number().value_or(0));
          continue;
        }
        const char letter = rest_[0];
        rest_.remove_prefix(1);
        if (entry_.type == MagicType::kRegex && letter == 'l') {
          entry_.string_flags |= 2048;
          continue;
        }
        if (entry_.type == MagicType::kPString && std::string_view("BHhLl").find(letter) != std::string_view::npos) entry_.string_flags &= ~uint32_t{128 | 256 | 512 | 1024 | 2048};
        const auto found = std::find_if(std::begin(kMagicStringFlags), std::end(kMagicStringFlags), [letter](const auto& one) { return one.first == letter; });
        if (found == std::end(kMagicStringFlags)) return std::string("string modifier `") + letter + "' invalid";
        entry_.string_flags |= found->second;
      }
    }
    return {};
  }

  std::string Mask() {
    if (Takes('~')) entry_.mask_operation |= kMagicInverse;
    const char* const found = rest_.empty() ? nullptr : std::char_traits<char>::find(kMagicOperations, 8, rest_[0]);
    if (found == nullptr) return {};
    rest_.remove_prefix(1);
    entry_.mask_operation = static_cast<uint8_t>((entry_.mask_operation & kMagicInverse) | (found - kMagicOperations));
    const auto value = Number();
    entry_.mask = Extended(value.value_or(0));
    return {};
  }

  int NumberSize() const {
    switch (entry_.type) {
      case MagicType::kByte: return 1;
      case MagicType::kShort:
      case MagicType::kBeShort:
      case MagicType::kLeShort: return 2;
      case MagicType::kDate:
      case MagicType::kBeDate:
      case MagicType::kLeDate:
      case MagicType::kMeDate:
      case MagicType::kLDate:
      case MagicType::kBeLDate:
      case MagicType::kLeLDate:
      case MagicType::kMeLDate:
      case MagicType::kLong:
      case MagicType::kBeLong:
      case MagicType::kLeLong:
      case MagicType::kMeLong: return 4;
      default: return 8;
    }
  }
  // A number as the type has it: with its sign.
  uint64_t Extended(uint64_t value) const {
    if (entry_.flags & MagicEntry::kUnsigned) return value;
    switch (NumberSize()) {
      case 1: return static_cast<uint64_t>(static_cast<int8_t>(value));
      case 2: return static_cast<uint64_t>(static_cast<int16_t>(value));
      case 4: return static_cast<uint64_t>(static_cast<int32_t>(value));
      default: return value;
    }
  }

  std::string Test() {
    if (rest_.empty()) {
      if (entry_.type != MagicType::kName && entry_.type != MagicType::kUse) return entry_.is_string() ? "" : "Unparsable number `'";
      return "";
    }
    char& relation = entry_.relation;
    switch (rest_[0]) {
      case '>':
      case '<':
        relation = rest_[0];
        rest_.remove_prefix(1);
        if (rest_.starts_with('=')) return std::string(1, relation) + "= not supported";
        break;
      case '&':
      case '^':
      case '=':
        relation = rest_[0];
        rest_.remove_prefix(1);
        Takes('=');
        break;
      case '!':
        relation = '!';
        rest_.remove_prefix(1);
        break;
      default:
        if (rest_[0] == 'x' && (rest_.size() == 1 || IsBlank(rest_[1]))) {
          relation = 'x';
          rest_.remove_prefix(1);
        }
    }
    if (relation == 'x') return {};
    return entry_.is_string() || entry_.type == MagicType::kName || entry_.type == MagicType::kUse ? Text() : NumberToCompare();
  }

  std::string NumberToCompare() {
    const std::string shown(rest_);
    if (entry_.type >= MagicType::kFloat && entry_.type <= MagicType::kLeDouble) {
      char* end = nullptr;
      const double value = std::strtod(shown.c_str(), &end);
      if (end == shown.c_str()) return "Unparsable number `" + shown + "'";
      rest_.remove_prefix(static_cast<size_t>(end - shown.c_str()));
      entry_.number = std::bit_cast<uint64_t>(value);
      return {};
    }
    if (entry_.type == MagicType::kGuid) {
      const size_t end = std::min(rest_.find_first_of(" \t"), rest_.size());
      for (const char c : rest_.substr(0, end)) {
        if (c != '-' && std::isxdigit(static_cast<unsigned char>(c)) == 0) return "Error parsing guid `" + shown + "'";
      }
      if (end != 36) return "Error parsing guid `" + shown + "'";
      entry_.text = rest_.substr(0, end);
      rest_.remove_prefix(end);
      return {};
    }
    const auto value = Number();
    if (!value) return "Unparsable number `" + shown + "'";
    const int bits = 8 * NumberSize();
    const uint64_t beyond = bits < 64 ? *value >> bits : 0;
    if (beyond != 0 && beyond != (~uint64_t{0} >> bits)) {
      char text[24];
      std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(*value));
      return "Overflow for numeric type `" + std::string(MagicTypeName(entry_.type)) + "' value " + text;
    }
    entry_.number = Extended(*value);
    return {};
  }

  // Up to a blank, with C's escapes.
  std::string Text() {
    std::string text;
    while (!rest_.empty() && !IsBlank(rest_[0])) {
      char c = rest_[0];
      rest_.remove_prefix(1);
      if (c != '\\' || rest_.empty()) {
        text += c;
        continue;
      }
      c = rest_[0];
      rest_.remove_prefix(1);
      constexpr std::string_view kLetters = "nrbtfva", kMeant = "\n\r\b\t\f\v\a";
      if (const size_t at = kLetters.find(c); at != std::string_view::npos) {
        text += kMeant[at];
      } else if (c >= '0' && c <= '7') {
        int value = c - '0';
        for (int i = 0; i < 2 && !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '7'; ++i, rest_.remove_prefix(1)) value = value * 8 + (rest_[0] - '0');
        text += static_cast<char>(value);
      } else if (c == 'x') {
        size_t digits = 0;
        while (digits < 2 && digits < rest_.size() && std::isxdigit(static_cast<unsigned char>(rest_[digits])) != 0) ++digits;
        unsigned value = 'x';
        if (digits > 0) std::from_chars(rest_.data(), rest_.data() + digits, value, 16);
        text += static_cast<char>(value);
        rest_.remove_prefix(digits);
      } else {
        // What a regular expression has escaped stays so.
        if (entry_.type == MagicType::kRegex && std::string_view(" #").find(c) == std::string_view::npos) text += '\\';
        text += c;
      }
    }
    if (text.size() > kLongestText) return "string too long: `" + text.substr(0, 20) + "...'";
    entry_.text = std::move(text);
    if (entry_.type == MagicType::kPString) entry_.text.append(LengthSize(), '\0');
    return {};
  }
  size_t LengthSize() const { return (entry_.string_flags & (1024 | 2048)) != 0 ? 4 : (entry_.string_flags & (256 | 512)) != 0 ? 2 : 1; }

  std::string CheckDescription() {
    size_t formats = 0;
    for (size_t i = 0; i + 1 < entry_.description.size(); ++i) {
      if (entry_.description[i] != '%') continue;
      if (entry_.description[i + 1] != '%') ++formats;
      else ++i;
    }
    if (formats > 1) {
      return "Too many format strings (should have at most one) for `" + std::string(MagicTypeName(entry_.type)) + "' with description `" + entry_.description + "'";
    }
    return {};
  }

  std::string_view rest_;
  MagicEntry& entry_;
};

// "!:mime TYPE" and its like, of the entry before. Empty, or the complaint.
std::string ParseRemark(std::string_view line, MagicEntry* entry, bool* is_unknown) {
  const size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::string_view name = line.substr(0, end);
  std::string_view value = line.substr(end);
  while (!value.empty() && IsBlank(value[0])) value.remove_prefix(1);
  if (name != "mime" && name != "apple" && name != "ext" && name != "strength") {
    *is_unknown = true;
    return "Unknown !: entry `!:" + std::string(line) + "'";
  }
  if (entry == nullptr) return "No current entry for :!" + std::string(name) + " type";
  if (name == "strength") {
    if (value.empty() || std::string_view("+-*/").find(value[0]) == std::string_view::npos) return "Unknown factor op `" + std::string(value) + "'";
    entry->factor_operation = value[0];
    value.remove_prefix(1);
    while (!value.empty() && IsBlank(value[0])) value.remove_prefix(1);
    unsigned factor = 0;
    const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), factor);
    if (error != std::errc() || factor > 255) return "Too large factor `" + std::string(value) + "'";
    entry->factor = static_cast<uint8_t>(factor);
    return {};
  }
  std::string& into = name == "mime" ? entry->mime : name == "ext" ? entry->extensions : entry->apple;
  const size_t most = name == "mime" ? 79 : name == "ext" ? 63 : 8;
  into = value.substr(0, std::min({value.find_first_of(" \t#\r"), value.size(), most}));
  return {};
}

// Printable ASCII, and what ends lines.
bool LooksLikeText(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte != 0x7f) || (byte >= 7 && byte <= 13) || byte == 0x1b;
  });
}

void SetKind(MagicEntry& entry) {
  constexpr uint32_t kAsText = 32, kAsBinary = 64;
  if (entry.type == MagicType::kDefault || entry.type == MagicType::kClear || entry.type == MagicType::kName || entry.type == MagicType::kUse) return;
  bool is_text = false;
  if (entry.type == MagicType::kRegex || entry.type == MagicType::kSearch) is_text = (entry.string_flags & kAsText) != 0 || ((entry.string_flags & kAsBinary) == 0 && LooksLikeText(entry.text));
  else if (entry.is_string()) is_text = (entry.string_flags & kAsText) != 0;
  entry.flags |= is_text ? MagicEntry::kText : MagicEntry::kBinary;
}

}  // namespace

bool MagicEntry::is_string() const {
  switch (type) {
    case MagicType::kString:
    case MagicType::kPString:
    case MagicType::kRegex:
    case MagicType::kBeString16:
    case MagicType::kLeString16:
    case MagicType::kSearch:
    case MagicType::kIndirect: return true;
    default: return false;
  }
}

bool MagicSet::Parse(std::string_view text, const std::string& name, bool shows, std::string& warnings, Budget& budget) {
  uint32_t number = 0;
  bool is_good = true;
  Group* group = nullptr;
  MagicEntry* last = nullptr;
  size_t count = 0;
  while (!text.empty()) {
    budget.Step();
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty() || line[0] == '#') continue;
    if (line.starts_with("!:")) {
      bool is_unknown = false;
      const std::string complaint = ParseRemark(line.substr(2), last, &is_unknown);
      if (!complaint.empty()) warnings += (is_unknown ? "file: " : name + ", " + std::to_string(number) + ": Warning: ") + complaint + "\n";
      is_good = is_good && complaint.empty();
      continue;
    }
    MagicEntry entry;
    entry.line = number;
    const std::string complaint = MagicLine(line, entry).Parse();
    if (!complaint.empty()) {
      warnings += name + ", " + std::to_string(number) + ": Warning: " + complaint + "\n";
      is_good = false;
      continue;
    }
    if (++count > kMostEntries) return false;
    budget.WillAllocate(sizeof entry + line.size());
    if (shows) warnings += ShowMagicEntry(entry, budget) + "\n";
    if (entry.level == 0) {
      SetKind(entry);
      std::vector<Group>& into = entry.type == MagicType::kName ? names_ : tests_;
      group = &into.emplace_back();
    } else if (group == nullptr) {
      warnings += name + ", " + std::to_string(number) + ": Warning: No current entry for continuation\n";
      is_good = false;
      continue;
    }
    group->push_back(std::move(entry));
    last = &group->back();
  }
  return is_good;
}

void MagicSet::Order() {
  for (std::vector<Group>* groups : {&tests_, &names_}) {
    std::stable_sort(groups->begin(), groups->end(), [](const Group& a, const Group& b) { return MagicStrength(a[0]) > MagicStrength(b[0]); });
  }
}

}  // namespace paddock::file
