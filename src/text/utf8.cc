#include "text/utf8.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "text/unicode_ranges.h"

namespace paddock {
namespace {

unsigned char ByteAt(std::string_view text, size_t i) { return static_cast<unsigned char>(text[i]); }

bool IsContinuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

utf8proc_category_t Category(char32_t code) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code));
}

bool IsAsciiAlpha(char32_t code) { return (code | 0x20) >= 'a' && (code | 0x20) <= 'z'; }
bool IsAsciiDigit(char32_t code) { return code >= '0' && code <= '9'; }

bool IsAsciiInClass(char32_t code, CharClass char_class) {
  const bool is_graph = code > 0x20 && code < 0x7F;
  const bool is_alnum = IsAsciiAlpha(code) || IsAsciiDigit(code);
  switch (char_class) {
    case CharClass::kAlnum: return is_alnum;
    case CharClass::kAlpha: return IsAsciiAlpha(code);
    case CharClass::kBlank: return code == ' ' || code == '\t';
    case CharClass::kCntrl: return code < 0x20 || code == 0x7F;
    case CharClass::kDigit: return IsAsciiDigit(code);
    case CharClass::kGraph: return is_graph;
    case CharClass::kLower: return code >= 'a' && code <= 'z';
    case CharClass::kPrint: return is_graph || code == ' ';
    case CharClass::kPunct: return is_graph && !is_alnum;
    case CharClass::kSpace: return code == ' ' || (code >= 9 && code <= 13);
    case CharClass::kUpper: return code >= 'A' && code <= 'Z';
    case CharClass::kXdigit:
      return IsAsciiDigit(code) || ((code | 0x20) >= 'a' && (code | 0x20) <= 'f');
    case CharClass::kWord: return is_alnum || code == '_';
    case CharClass::kUnknown: return false;
  }
  return false;
}

// The C library counts digits of other scripts as letters: only 0–9 are [[:digit:]].
bool IsWideAlpha(char32_t code) {
  switch (Category(code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
      return true;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_SO:
      return IsInRanges(code, OtherAlphabetic());
    default: return false;
  }
}

bool IsWideBlank(char32_t code) {
  return Category(code) == UTF8PROC_CATEGORY_ZS && code != 0xA0 && code != 0x2007 && code != 0x202F;
}

bool IsWideSpace(char32_t code) {
  const auto category = Category(code);
  return IsWideBlank(code) || category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP ||
         code == 0x85;
}

bool IsWideCntrl(char32_t code) {
  const auto category = Category(code);
  return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP;
}

bool IsWidePrint(char32_t code) {
  const auto category = Category(code);
  return category != UTF8PROC_CATEGORY_CN && category != UTF8PROC_CATEGORY_CS && !IsWideCntrl(code);
}

bool IsWideLower(char32_t code) {
  const auto category = Category(code);
  if (category == UTF8PROC_CATEGORY_LL) return true;
  if (category == UTF8PROC_CATEGORY_LT) return false;
  return ToUpper(code) != code || IsInRanges(code, OtherLowercase());
}

bool IsWideUpper(char32_t code) {
  return Category(code) == UTF8PROC_CATEGORY_LU || ToLower(code) != code ||
         (code >= 0x1F130 && code <= 0x1F189 && IsWideAlpha(code));
}

bool IsWideInClass(char32_t code, CharClass char_class) {
  switch (char_class) {
    case CharClass::kAlnum:
    case CharClass::kAlpha:
    case CharClass::kWord: return IsWideAlpha(code);
    case CharClass::kBlank: return IsWideBlank(code);
    case CharClass::kCntrl: return IsWideCntrl(code);
    case CharClass::kGraph: return IsWidePrint(code) && !IsWideSpace(code);
    case CharClass::kLower: return IsWideLower(code);
    case CharClass::kPrint: return IsWidePrint(code);
    case CharClass::kPunct: return IsWidePrint(code) && !IsWideSpace(code) && !IsWideAlpha(code);
    case CharClass::kSpace: return IsWideSpace(code);
    case CharClass::kUpper: return IsWideUpper(code);
    case CharClass::kDigit:
    case CharClass::kXdigit:
    case CharClass::kUnknown: return false;
  }
  return false;
}

template <class Map>
std::string MapCharacters(std::string_view text, Map map) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const DecodedChar c = DecodeUtf8(text.substr(i));
    if (c.is_valid) {
      AppendUtf8(out, map(c.code));
    } else {
      out.push_back(text[i]);
    }
    i += c.length;
  }
  return out;
}

}  // namespace

DecodedChar DecodeUtf8(std::string_view text) {
  const unsigned char lead = ByteAt(text, 0);
  if (lead < 0x80) return {lead, 1, true};
  const DecodedChar malformed{lead, 1, false};
  if (lead < 0xC2 || lead > 0xF4 || text.size() < 2) return malformed;
  const unsigned char second = ByteAt(text, 1);
  if (!IsContinuation(second)) return malformed;
  if (lead < 0xE0) return {((lead & 0x1Fu) << 6) | (second & 0x3Fu), 2, true};
  if (text.size() < 3 || !IsContinuation(ByteAt(text, 2))) return malformed;
  if (lead < 0xF0) {
    const char32_t code = ((lead & 0x0Fu) << 12) | ((second & 0x3Fu) << 6) | (ByteAt(text, 2) & 0x3Fu);
    if (code < 0x800 || (code >= 0xD800 && code < 0xE000)) return malformed;
    return {code, 3, true};
  }
  if (text.size() < 4 || !IsContinuation(ByteAt(text, 3))) return malformed;
  const char32_t code = ((lead & 0x07u) << 18) | ((second & 0x3Fu) << 12) |
                        ((ByteAt(text, 2) & 0x3Fu) << 6) | (ByteAt(text, 3) & 0x3Fu);
  if (code < 0x10000 || code > 0x10FFFF) return malformed;
  return {code, 4, true};
}

void AppendUtf8(std::string& out, char32_t code) {
  const auto put = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

size_t CountUtf8(std::string_view text) {
  if (IsAscii(text)) return text.size();
  size_t count = 0;
  for (size_t i = 0; i < text.size(); i += DecodeUtf8(text.substr(i)).length) ++count;
  return count;
}

size_t OffsetOfChar(std::string_view text, size_t index) {
  size_t offset = 0;
  for (; index > 0 && offset < text.size(); --index) offset += DecodeUtf8(text.substr(offset)).length;
  return offset;
}

bool IsAscii(std::string_view text) {
  size_t i = 0;
  for (; i + 32 <= text.size(); i += 32) {
    uint64_t words[4];
    __builtin_memcpy(words, text.data() + i, sizeof words);
    if ((words[0] | words[1] | words[2] | words[3]) & 0x8080808080808080u) return false;
  }
  unsigned char seen = 0;
  for (; i < text.size(); ++i) seen |= ByteAt(text, i);
  return seen < 0x80;
}

bool IsValidUtf8(std::string_view text) {
  if (IsAscii(text)) return true;
  for (size_t i = 0; i < text.size();) {
    const DecodedChar c = DecodeUtf8(text.substr(i));
    if (!c.is_valid) return false;
    i += c.length;
  }
  return true;
}

int CharWidth(char32_t code) {
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return code == 0 ? 0 : -1;
  if (code < 0x300) return 1;
  if ((code >= 0x1160 && code <= 0x11FF) || (code >= 0xD7B0 && code <= 0xD7FB)) return 0;
  if ((code >= 0x3248 && code <= 0x324F) || (code >= 0x4DC0 && code <= 0x4DFF)) return 2;
  switch (Category(code)) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP: return -1;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME: return 0;
    case UTF8PROC_CATEGORY_MC: return code == 0x302E || code == 0x302F || code >= 0x16FF0 ? 2 : 1;
    case UTF8PROC_CATEGORY_CF: return IsPrependedFormat(code) ? 1 : 0;
    default: return utf8proc_charwidth(static_cast<utf8proc_int32_t>(code));
  }
}

size_t TextWidth(std::string_view text) {
  size_t width = 0;
  for (size_t i = 0; i < text.size();) {
    const DecodedChar c = DecodeUtf8(text.substr(i));
    if (c.is_valid) width += static_cast<size_t>(std::max(0, CharWidth(c.code)));
    i += c.length;
  }
  return width;
}

char32_t ToUpper(char32_t code) {
  if (code < 0x80) return code >= 'a' && code <= 'z' ? code - 0x20 : code;
  if (code == 0xDF) return code;  // the C library has no capital sharp s
  return static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(code)));
}

char32_t ToLower(char32_t code) {
  if (code < 0x80) return code >= 'A' && code <= 'Z' ? code + 0x20 : code;
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code)));
}

std::string UpperUtf8(std::string_view text) { return MapCharacters(text, ToUpper); }
std::string LowerUtf8(std::string_view text) { return MapCharacters(text, ToLower); }

CharClass FindCharClass(std::string_view name) {
  static constexpr std::string_view kNames[] = {"alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower",
                                                "print", "punct", "space", "upper", "xdigit", "word"};
  const auto found = std::find(std::begin(kNames), std::end(kNames), name);
  return static_cast<CharClass>(found - std::begin(kNames));
}

bool IsInClass(char32_t code, CharClass char_class, bool is_utf8) {
  if (code < 0x80) return IsAsciiInClass(code, char_class);
  return is_utf8 && IsWideInClass(code, char_class);
}

bool IsWordAfter(std::string_view text, size_t at, bool is_utf8) {
  if (at >= text.size()) return false;
  const unsigned char byte = ByteAt(text, at);
  const char32_t code = byte < 0x80 || !is_utf8 ? byte : DecodeUtf8(text.substr(at)).code;
  return IsInClass(code, CharClass::kWord, is_utf8);
}

bool IsWordBefore(std::string_view text, size_t at, bool is_utf8) {
  if (at == 0) return false;
  if (ByteAt(text, at - 1) < 0x80 || !is_utf8) return IsWordAfter(text, at - 1, is_utf8);
  size_t start = at - 1;
  while (start > 0 && at - start < 4 && IsContinuation(ByteAt(text, start))) --start;
  if (DecodeUtf8(text.substr(start, at - start)).length != at - start) start = at - 1;
  return IsInClass(DecodeUtf8(text.substr(start, at - start)).code, CharClass::kWord);
}

bool IsHarmless(char32_t code) {
  // Direction marks and what takes no room make a name look like another.
  const bool deceives = (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
                        code == 0xfeff || code == 0xad;
  return !deceives && IsInClass(code, CharClass::kPrint);
}

std::string HarmlessLine(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  while (!text.empty()) {
    const DecodedChar decoded = DecodeUtf8(text);
    if (decoded.is_valid && IsHarmless(decoded.code)) line += text.substr(0, decoded.length);
    else line += '?';
    text.remove_prefix(decoded.length);
  }
  return line;
}

}  // namespace paddock
