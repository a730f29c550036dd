#include "text/char_encoding.h"

#include <utf8proc.h>

#include <algorithm>
#include <cctype>

#include "text/utf8.h"

namespace paddock {
namespace {

using Kind = CharEncoding::Kind;

struct Name {
  std::string_view name;
  Kind kind;
};
constexpr Name kNames[] = {
    {"UTF-8", Kind::kUtf8}, {"UTF8", Kind::kUtf8}, {"UTF-16", Kind::kUtf16}, {"UTF16", Kind::kUtf16}, {"UTF-16LE", Kind::kUtf16Little}, {"UTF16LE", Kind::kUtf16Little},
    {"UTF-16BE", Kind::kUtf16Big}, {"UTF16BE", Kind::kUtf16Big}, {"UTF-32", Kind::kUtf32}, {"UTF32", Kind::kUtf32}, {"UTF-32LE", Kind::kUtf32Little}, {"UTF32LE", Kind::kUtf32Little},
    {"UTF-32BE", Kind::kUtf32Big}, {"UTF32BE", Kind::kUtf32Big}, {"ASCII", Kind::kAscii}, {"US-ASCII", Kind::kAscii}, {"ANSI_X3.4-1968", Kind::kAscii}, {"646", Kind::kAscii},
    {"ISO-8859-1", Kind::kLatin1}, {"ISO8859-1", Kind::kLatin1}, {"ISO_8859-1", Kind::kLatin1}, {"ISO88591", Kind::kLatin1}, {"8859_1", Kind::kLatin1}, {"LATIN1", Kind::kLatin1}, {"L1", Kind::kLatin1}};

struct Alias {
  std::string_view alias, name;
};
constexpr Alias kAliases[] = {{"LATIN2", "ISO-8859-2"}, {"LATIN3", "ISO-8859-3"}, {"LATIN4", "ISO-8859-4"}, {"CYRILLIC", "ISO-8859-5"}, {"ARABIC", "ISO-8859-6"}, {"GREEK", "ISO-8859-7"},
                              {"HEBREW", "ISO-8859-8"}, {"LATIN5", "ISO-8859-9"}, {"LATIN6", "ISO-8859-10"}, {"LATIN7", "ISO-8859-13"}, {"LATIN8", "ISO-8859-14"}, {"LATIN-9", "ISO-8859-15"},
                              {"LATIN10", "ISO-8859-16"}, {"L2", "ISO-8859-2"}, {"L5", "ISO-8859-9"}, {"IBM437", "CP437"}, {"437", "CP437"}, {"IBM850", "CP850"}, {"850", "CP850"},
                              {"IBM852", "CP852"}, {"IBM866", "CP866"}, {"866", "CP866"}, {"MAC", "MACINTOSH"}, {"KOI8R", "KOI8-R"}};

// Signs for which decomposition has nothing in ASCII.
struct Sign {
  char32_t code;
  std::string_view text;
};
constexpr Sign kSigns[] = {{0xa9, "(C)"}, {0xab, "<<"}, {0xad, "-"}, {0xae, "(R)"}, {0xbb, ">>"}, {0xbc, " 1/4 "}, {0xbd, " 1/2 "}, {0xbe, " 3/4 "}, {0xc6, "AE"}, {0xd7, "x"}, {0xdf, "ss"}, {0xe6, "ae"}, {0x152, "OE"}, {0x153, "oe"},
                           {0x2010, "-"}, {0x2011, "-"}, {0x2012, "-"}, {0x2013, "-"}, {0x2014, "--"}, {0x2015, "-"}, {0x2018, "'"}, {0x2019, "'"}, {0x201a, ","}, {0x201b, "'"},
                           {0x201c, "\""}, {0x201d, "\""}, {0x201e, ",,"}, {0x201f, "\""}, {0x2020, "+"}, {0x2022, "o"}, {0x2039, "<"}, {0x203a, ">"}, {0x20ac, "EUR"}, {0x2122, "(TM)"}, {0x2212, "-"}};

uint32_t ReadUnit(std::string_view bytes, size_t size, bool is_big) {
  uint32_t value = 0;
  for (size_t i = 0; i < size; ++i) value = value << 8 | static_cast<unsigned char>(bytes[is_big ? i : size - 1 - i]);
  return value;
}

void WriteUnit(std::string& out, uint32_t value, size_t size, bool is_big) {
  for (size_t i = 0; i < size; ++i) out += static_cast<char>(value >> 8 * (is_big ? size - 1 - i : i));
}

}  // namespace

std::optional<CharEncoding> CharEncoding::Find(std::string_view name) {
  std::string upper(name);
  for (char& c : upper) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  for (const Name& known : kNames) {
    if (known.name == upper) return CharEncoding(known.kind);
  }
  for (const Alias& alias : kAliases) {
    if (alias.alias == upper) upper = alias.name;
  }
  if (upper.starts_with("WINDOWS-125")) upper.replace(0, 8, "CP");
  if (upper.starts_with("ISO8859-") || upper.starts_with("ISO_8859-")) upper.replace(0, upper.find("8859"), "ISO-");
  for (const SingleByteTable& table : SingleByteTables()) {
    if (table.name == upper) return CharEncoding(Kind::kTable, &table);
  }
  return std::nullopt;
}

CharEncoding CharEncoding::Settled(std::string_view start, size_t* mark) const {
  *mark = 0;
  if (kind_ == Kind::kUtf16) {
    const bool is_big = start.starts_with("\xfe\xff"), is_little = start.starts_with("\xff\xfe");
    if (is_big || is_little) *mark = 2;
    return CharEncoding(is_big ? Kind::kUtf16Big : Kind::kUtf16Little);
  }
  if (kind_ == Kind::kUtf32) {
    constexpr std::string_view kBig("\0\0\xfe\xff", 4), kLittle("\xff\xfe\0\0", 4);
    if (start.starts_with(kBig) || start.starts_with(kLittle)) *mark = 4;
    return CharEncoding(start.starts_with(kBig) ? Kind::kUtf32Big : Kind::kUtf32Little);
  }
  return *this;
}

CharEncoding::Decoded CharEncoding::Decode(std::string_view bytes) const {
  using State = Decoded::State;
  const auto first = static_cast<unsigned char>(bytes[0]);
  switch (kind_) {
    case Kind::kUtf8: {
      const DecodedChar c = DecodeUtf8(bytes);
      if (c.is_valid) return {State::kChar, c.code, c.length};
      const size_t needed = first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 1;
      const bool continues = std::all_of(bytes.begin() + 1, bytes.begin() + static_cast<std::ptrdiff_t>(std::min(needed, bytes.size())),
                                         [](char b) { return (static_cast<unsigned char>(b) & 0xc0) == 0x80; });
      if (bytes.size() < needed && continues) return {State::kIncomplete, 0, bytes.size()};
      return {State::kInvalid, 0, 1};
    }
    case Kind::kUtf16:
    case Kind::kUtf16Little:
    case Kind::kUtf16Big: {
      const bool is_big = kind_ == Kind::kUtf16Big;
      if (bytes.size() < 2) return {State::kIncomplete, 0, bytes.size()};
      const uint32_t unit = ReadUnit(bytes, 2, is_big);
      if (unit < 0xd800 || unit >= 0xe000) return {State::kChar, unit, 2};
      if (unit >= 0xdc00) return {State::kInvalid, 0, 2};
      if (bytes.size() < 4) return {State::kIncomplete, 0, bytes.size()};
      const uint32_t low = ReadUnit(bytes.substr(2), 2, is_big);
      if (low < 0xdc00 || low >= 0xe000) return {State::kInvalid, 0, 2};
      return {State::kChar, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00), 4};
    }
    case Kind::kUtf32:
    case Kind::kUtf32Little:
    case Kind::kUtf32Big: {
      if (bytes.size() < 4) return {State::kIncomplete, 0, bytes.size()};
      const uint32_t code = ReadUnit(bytes, 4, kind_ == Kind::kUtf32Big);
      if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {State::kInvalid, 0, 4};
      return {State::kChar, code, 4};
    }
    case Kind::kAscii: return {first < 128 ? State::kChar : State::kInvalid, first, 1};
    case Kind::kLatin1: return {State::kChar, first, 1};
    case Kind::kTable: break;
  }
  const char32_t code = first < 128 ? first : table_->upper[first - 128u];
  return {code == 0 && first != 0 ? State::kInvalid : State::kChar, code, 1};
}

bool CharEncoding::Encode(char32_t code, std::string& out) const {
  switch (kind_) {
    case Kind::kUtf8: AppendUtf8(out, code); return true;
    case Kind::kUtf16:
    case Kind::kUtf16Little:
    case Kind::kUtf16Big: {
      const bool is_big = kind_ == Kind::kUtf16Big;
      if (code < 0x10000) {
        WriteUnit(out, code, 2, is_big);
      } else {
        WriteUnit(out, 0xd800 + ((code - 0x10000) >> 10), 2, is_big);
        WriteUnit(out, 0xdc00 + ((code - 0x10000) & 0x3ff), 2, is_big);
      }
      return true;
    }
    case Kind::kUtf32:
    case Kind::kUtf32Little:
    case Kind::kUtf32Big: WriteUnit(out, code, 4, kind_ == Kind::kUtf32Big); return true;
    case Kind::kAscii:
    case Kind::kLatin1:
      if (code >= (kind_ == Kind::kAscii ? 128u : 256u)) return false;
      out += static_cast<char>(code);
      return true;
    case Kind::kTable: break;
  }
  if (code < 128) {
    out += static_cast<char>(code);
    return true;
  }
  const auto found = std::find(table_->upper.begin(), table_->upper.end(), code);
  if (found == table_->upper.end() || code > 0xffff) return false;
  out += static_cast<char>(128 + (found - table_->upper.begin()));
  return true;
}

std::string Transliterate(char32_t code) {
  for (const Sign& sign : kSigns) {
    if (sign.code == code) return std::string(sign.text);
  }
  utf8proc_int32_t parts[32];
  int last_class = 0;
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT);
  const utf8proc_ssize_t count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code), parts, 32, options, &last_class);
  std::string text;
  for (utf8proc_ssize_t i = 0; i < count && i < 32; ++i) {
    const auto part = static_cast<char32_t>(parts[i]);
    if (part < 128) text += static_cast<char>(part);
    else if (part < 0x300 || part > 0x36f) return {};   // marks above letters are dropped
  }
  return text;
}

std::string CharEncodingNames() {
  std::string text;
  for (const Name& name : kNames) text += std::string(name.name) + "//\n";
  for (const SingleByteTable& table : SingleByteTables()) text += std::string(table.name) + "//\n";
  for (const Alias& alias : kAliases) text += std::string(alias.alias) + "//\n";
  return text;
}

}  // namespace paddock
