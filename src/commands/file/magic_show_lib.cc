// How magic entries are listed (-c, -l).
#include <algorithm>
#include <bit>

#include "commands/file/magic.h"
#include "text/date/time_format.h"

namespace paddock::file {
namespace {

constexpr const char* kNames[] = {"invalid", "byte", "short", "default", "long", "string", "date", "beshort", "belong", "bedate", "leshort", "lelong", "ledate", "pstring",
                                  "ldate", "beldate", "leldate", "regex", "bestring16", "lestring16", "search", "medate", "meldate", "melong", "quad", "lequad", "bequad",
                                  "qdate", "leqdate", "beqdate", "qldate", "leqldate", "beqldate", "float", "befloat", "lefloat", "double", "bedouble", "ledouble", "beid3",
                                  "leid3", "indirect", "qwdate", "leqwdate", "beqwdate", "name", "use", "clear", "der", "guid", "offset", "bevarint", "levarint"};

// Characters of a pattern that stand for themselves.
size_t PlainLength(std::string_view pattern) {
  size_t count = 0;
  for (size_t i = 0; i < pattern.size(); ++i) {
    switch (pattern[i]) {
      case '\\':
        ++i;
        ++count;
        break;
      case '?':
      case '*':
      case '.':
      case '+':
      case '^':
      case '$': break;
      case '[':
        while (i < pattern.size() && pattern[i] != ']') ++i;
        ++count;
        break;
      case '{':
        while (i < pattern.size() && pattern[i] != '}') ++i;
        break;
      default: ++count;
    }
  }
  return std::max<size_t>(count, 1);
}

bool IsOneOf(MagicType type, std::initializer_list<MagicType> types) { return std::find(types.begin(), types.end(), type) != types.end(); }

std::string Hexadecimal(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "%08llx", static_cast<unsigned long long>(value));
  return text;
}

bool IsLocalDate(MagicType type) { return IsOneOf(type, {MagicType::kLDate, MagicType::kBeLDate, MagicType::kLeLDate, MagicType::kMeLDate, MagicType::kQLDate, MagicType::kLeQLDate, MagicType::kBeQLDate}); }
bool IsUniversalDate(MagicType type) { return IsOneOf(type, {MagicType::kDate, MagicType::kBeDate, MagicType::kLeDate, MagicType::kMeDate, MagicType::kQDate, MagicType::kLeQDate, MagicType::kBeQDate}); }

std::string Indirection(const MagicEntry& entry) {
  std::string text = "(" + std::string(MagicTypeName(entry.indirect_type)) + ",";
  if ((entry.indirect_operation & kMagicInverse) != 0) text += '~';
  return text + kMagicOperations[entry.indirect_operation & 7] + std::to_string(static_cast<uint32_t>(entry.indirect_offset)) + "),";
}

std::string StringFlags(const MagicEntry& entry) {
  std::string text;
  for (const auto& [letter, bit] : kMagicStringFlags) {
    if (entry.type == MagicType::kPString ? letter == 'B' || letter == 'H' || letter == 'h' || letter == 'L' || letter == 'l' || letter == 'J' : letter != 'B' && letter != 'H' && letter != 'h' && letter != 'L' && letter != 'J' && (letter != 'l' || entry.type == MagicType::kRegex)) {
      if ((entry.string_flags & bit) != 0) text += letter;
    }
  }
  if (!text.empty()) text.insert(0, "/");
  if (entry.range != 0) text += "/" + std::to_string(entry.range);
  return text;
}

std::string Value(const MagicEntry& entry, Budget& budget) {
  if (entry.type == MagicType::kName || entry.type == MagicType::kUse) return "'" + entry.text + "'";
  if (entry.is_string() || entry.type == MagicType::kGuid) return VisibleMagicText(entry.text);
  if (entry.type >= MagicType::kFloat && entry.type <= MagicType::kLeDouble) {
    char text[40];
    std::snprintf(text, sizeof text, "%g", std::bit_cast<double>(entry.number));
    return text;
  }
  if (IsUniversalDate(entry.type) || IsLocalDate(entry.type)) {
    const TimePoint moment{static_cast<int64_t>(entry.number), 0};
    return FormatTime("%a %b %e %H:%M:%S %Y", TimeZone::FromTz("UTC").ToLocal(moment.seconds), moment, budget) + ",";
  }
  const bool is_long = IsOneOf(entry.type, {MagicType::kQuad, MagicType::kLeQuad, MagicType::kBeQuad, MagicType::kOffset});
  if (is_long) return (entry.flags & MagicEntry::kUnsigned) != 0 ? std::to_string(entry.number) : std::to_string(static_cast<int64_t>(entry.number));
  return std::to_string(static_cast<int32_t>(entry.number));
}

}  // namespace

const char* MagicTypeName(MagicType type) { return static_cast<size_t>(type) < std::size(kNames) ? kNames[static_cast<size_t>(type)] : kNames[0]; }

std::string VisibleMagicText(std::string_view text) {
  constexpr std::string_view kMeant = "\a\b\f\n\r\t\v", kLetters = "abfnrtv";
  std::string visible;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && byte < 0x7f) {
      visible += c;
    } else if (const size_t at = kMeant.find(c); at != std::string_view::npos) {
      visible += std::string("\\") + kLetters[at];
    } else {
      char octal[8];
      std::snprintf(octal, sizeof octal, "\\%03o", byte);
      visible += octal;
    }
  }
  return visible;
}

std::string ShowMagicEntry(const MagicEntry& entry, Budget& budget) {
  std::string text = std::to_string(entry.line) + ": >" + std::string(entry.level, '>') + " " + std::to_string(static_cast<uint32_t>(entry.offset));
  if (entry.flags & MagicEntry::kIndirectOffset) text += Indirection(entry);
  text += std::string(" ") + ((entry.flags & MagicEntry::kUnsigned) ? "u" : "") + MagicTypeName(entry.type);
  if ((entry.mask_operation & kMagicInverse) != 0) text += '~';
  if (entry.is_string()) {
    text += StringFlags(entry);
  } else if (entry.type != MagicType::kName && entry.type != MagicType::kUse) {
    text += kMagicOperations[entry.mask_operation & 7];
    if (entry.mask != 0) text += Hexadecimal(entry.mask);
  }
  text += std::string(",") + entry.relation;
  if (entry.relation != 'x') text += Value(entry, budget);
  return text + ",\"" + entry.description + "\"]";
}

size_t MagicStrength(const MagicEntry& entry) {
  constexpr int64_t kUnit = 10;
  int64_t value = 2 * kUnit;
  const auto length = static_cast<int64_t>(entry.text.size());
  switch (entry.type) {
    case MagicType::kDefault: return 0;
    case MagicType::kByte: value += kUnit; break;
    case MagicType::kShort:
    case MagicType::kBeShort:
    case MagicType::kLeShort: value += 2 * kUnit; break;
    case MagicType::kString:
    case MagicType::kPString: value += length * kUnit; break;
    case MagicType::kBeString16:
    case MagicType::kLeString16: value += length * kUnit / 2; break;
    case MagicType::kSearch:
      if (length > 0) value += length * std::max<int64_t>(kUnit / length, 1);
      break;
    case MagicType::kRegex: {
      const auto plain = static_cast<int64_t>(PlainLength(entry.text));
      value += plain * std::max<int64_t>(kUnit / plain, 1);
      break;
    }
    case MagicType::kIndirect:
    case MagicType::kName:
    case MagicType::kUse:
    case MagicType::kClear: break;
    case MagicType::kGuid: value += 16 * kUnit; break;
    default: {
      const bool is_eight = IsOneOf(entry.type, {MagicType::kQuad, MagicType::kLeQuad, MagicType::kBeQuad, MagicType::kQDate, MagicType::kLeQDate, MagicType::kBeQDate, MagicType::kQLDate,
                                                 MagicType::kLeQLDate, MagicType::kBeQLDate, MagicType::kQWDate, MagicType::kLeQWDate, MagicType::kBeQWDate, MagicType::kDouble,
                                                 MagicType::kBeDouble, MagicType::kLeDouble, MagicType::kOffset, MagicType::kBeVarint, MagicType::kLeVarint});
      value += (is_eight ? 8 : 4) * kUnit;
    }
  }
  switch (entry.relation) {
    case 'x':
    case '!': value = 0; break;
    case '=': value += kUnit; break;
    case '>':
    case '<': value -= 2 * kUnit; break;
    default: value -= kUnit;
  }
  switch (entry.factor_operation) {
    case '+': value += entry.factor; break;
    case '-': value -= entry.factor; break;
    case '*': value *= entry.factor; break;
    case '/': value = entry.factor == 0 ? value : value / entry.factor; break;
    default: break;
  }
  value = std::max<int64_t>(value, 1);
  return static_cast<size_t>(entry.description.empty() ? value + 1 : value);
}

std::string MagicSet::List() const {
  std::string text;
  for (const bool is_names : {false, true}) {
    text += is_names ? "Set 1:\n" : "Set 0:\n";
    for (const uint8_t kind : {MagicEntry::kBinary, MagicEntry::kText}) {
      text += kind == MagicEntry::kBinary ? "Binary patterns:\n" : "Text patterns:\n";
      if (is_names) continue;   // they are no patterns by themselves
      for (const Group& group : tests_) {
        if (!(group[0].flags & kind)) continue;
        // The first description and type that the group has.
        std::string description, mime;
        for (const MagicEntry& entry : group) {
          if (description.empty()) description = entry.description;
          if (mime.empty()) mime = entry.mime;
        }
        char head[48];
        std::snprintf(head, sizeof head, "Strength = %3zu@%u: ", MagicStrength(group[0]), group[0].line);
        text += head + description + " [" + mime + "]\n";
      }
    }
  }
  return text;
}

}  // namespace paddock::file
