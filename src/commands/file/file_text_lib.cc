#include "base/budget.h"
#include "commands/file/file_kind.h"
#include "text/utf8.h"

namespace paddock::file {
namespace {

constexpr size_t kLookedAt = 64 << 10;

// Controls that occur in text: BEL to CR, ESC.
bool IsTextByte(unsigned char byte) {
  return (byte >= 7 && byte <= 13) || byte == 27 || (byte >= 32 && byte < 127);
}

std::optional<std::u32string> DecodeBytes(std::string_view bytes, unsigned lowest_high) {
  std::u32string characters;
  characters.reserve(bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (!IsTextByte(byte) && byte != 0x85 && byte < lowest_high) return std::nullopt;
    characters += byte;
  }
  return characters;
}

// A character cut off at the end is forgiven behind another one that takes several bytes.
std::optional<std::u32string> DecodeUtf8Text(std::string_view bytes) {
  std::u32string characters;
  bool has_long_one = false;
  while (!bytes.empty()) {
    const DecodedChar decoded = DecodeUtf8(bytes);
    if (!decoded.is_valid) {
      const bool is_cut = bytes.size() < 4 && static_cast<unsigned char>(bytes[0]) >= 0xc2 && has_long_one;
      for (const char c : bytes.substr(1)) {
        if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) return std::nullopt;
      }
      if (!is_cut) return std::nullopt;
      break;
    }
    if (decoded.code < 0x80 && !IsTextByte(static_cast<unsigned char>(decoded.code))) return std::nullopt;
    has_long_one = has_long_one || decoded.length > 1;
    characters += decoded.code;
    bytes.remove_prefix(decoded.length);
  }
  return characters;
}

std::optional<std::u32string> DecodeWide(std::string_view bytes, size_t unit, bool is_big) {
  std::u32string characters;
  for (size_t at = unit; at + unit <= bytes.size(); at += unit) {
    const auto code = static_cast<char32_t>(is_big ? Big(bytes, at, unit) : Little(bytes, at, unit));
    if (code == 0xfffe || code > 0x10ffff) return std::nullopt;
    if (code < 128 && !IsTextByte(static_cast<unsigned char>(code))) return std::nullopt;
    characters += code;
  }
  return characters;
}

}  // namespace

uint64_t Little(std::string_view bytes, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i-- > 0;) {
    value = value << 8 | (at < bytes.size() && at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0);
  }
  return value;
}

uint64_t Big(std::string_view bytes, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) {
    value = value << 8 | (at < bytes.size() && at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0);
  }
  return value;
}

TextFacts LookAtText(std::string_view bytes, Budget& budget) {
  bytes = bytes.substr(0, kLookedAt);
  budget.Step(static_cast<int64_t>(bytes.size() / 8));
  const auto take = [](Encoding encoding, std::optional<std::u32string> characters) {
    return TextFacts{encoding, std::move(*characters)};
  };
  if (auto found = DecodeBytes(bytes, 0x100)) return take(Encoding::kAscii, std::move(found));
  if (bytes.starts_with("\xef\xbb\xbf")) {
    if (auto found = DecodeUtf8Text(bytes.substr(3))) return take(Encoding::kUtf8Bom, std::move(found));
  }
  if (auto found = DecodeUtf8Text(bytes)) return take(Encoding::kUtf8, std::move(found));
  using namespace std::string_view_literals;
  if (bytes.starts_with("\xff\xfe\0\0"sv)) {
    if (auto found = DecodeWide(bytes, 4, false)) return take(Encoding::kUtf32Little, std::move(found));
  }
  if (bytes.starts_with("\0\0\xfe\xff"sv)) {
    if (auto found = DecodeWide(bytes, 4, true)) return take(Encoding::kUtf32Big, std::move(found));
  }
  if (bytes.starts_with("\xff\xfe")) {
    if (auto found = DecodeWide(bytes, 2, false)) return take(Encoding::kUtf16Little, std::move(found));
  }
  if (bytes.starts_with("\xfe\xff")) {
    if (auto found = DecodeWide(bytes, 2, true)) return take(Encoding::kUtf16Big, std::move(found));
  }
  if (auto found = DecodeBytes(bytes, 0xa0)) return take(Encoding::kLatin1, std::move(found));
  if (auto found = DecodeBytes(bytes, 0x80)) return take(Encoding::kExtended, std::move(found));
  return {};
}

std::string_view EncodingText(Encoding encoding) {
  switch (encoding) {
    case Encoding::kBinary: return "data";
    case Encoding::kAscii: return "ASCII";
    case Encoding::kUtf8: return "Unicode text, UTF-8";
    case Encoding::kUtf8Bom: return "Unicode text, UTF-8 (with BOM)";
    case Encoding::kUtf16Little: return "Unicode text, UTF-16, little-endian";
    case Encoding::kUtf16Big: return "Unicode text, UTF-16, big-endian";
    case Encoding::kUtf32Little: return "Unicode text, UTF-32, little-endian";
    case Encoding::kUtf32Big: return "Unicode text, UTF-32, big-endian";
    case Encoding::kLatin1: return "ISO-8859";
    case Encoding::kExtended: return "Non-ISO extended-ASCII";
  }
  return "";
}

std::string_view EncodingMime(Encoding encoding) {
  switch (encoding) {
    case Encoding::kBinary: return "binary";
    case Encoding::kAscii: return "us-ascii";
    case Encoding::kUtf8:
    case Encoding::kUtf8Bom: return "utf-8";
    case Encoding::kUtf16Little: return "utf-16le";
    case Encoding::kUtf16Big: return "utf-16be";
    case Encoding::kUtf32Little: return "utf-32le";
    case Encoding::kUtf32Big: return "utf-32be";
    case Encoding::kLatin1: return "iso-8859-1";
    case Encoding::kExtended: return "unknown-8bit";
  }
  return "";
}

std::string LineRemarks(const TextFacts& facts, Budget& budget) {
  constexpr size_t kLongLine = 300;
  const std::u32string& text = facts.characters;
  budget.Step(static_cast<int64_t>(text.size() / 16));
  size_t crlf = 0, cr = 0, lf = 0, nel = 0, longest = 0, line = 0;
  bool has_escapes = false, has_backspaces = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i];
    const bool is_crlf = c == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (is_crlf) ++crlf;
    else if (c == '\r') ++cr;
    else if (c == '\n' && (i == 0 || text[i - 1] != '\r')) ++lf;
    else if (c == 0x85) ++nel;
    has_escapes = has_escapes || c == 27;
    has_backspaces = has_backspaces || c == '\b';
    if (c == '\n' || c == '\r' || c == 0x85) line = 0;
    else longest = std::max(longest, ++line);
  }
  std::string remarks;
  if (longest > kLongLine) remarks += ", with very long lines (" + std::to_string(longest) + ")";
  if (crlf + cr + lf + nel == 0) {
    remarks += ", with no line terminators";
  } else if (crlf + cr + nel > 0) {
    std::string kinds;
    const auto add = [&kinds](size_t count, const char* name) {
      if (count > 0) kinds += (kinds.empty() ? " " : ", ") + std::string(name);
    };
    add(crlf, "CRLF");
    add(cr, "CR");
    add(lf, "LF");
    add(nel, "NEL");
    remarks += ", with" + kinds + " line terminators";
  }
  if (has_escapes) remarks += ", with escape sequences";
  if (has_backspaces) remarks += ", with overstriking";
  return remarks;
}

}  // namespace paddock::file
