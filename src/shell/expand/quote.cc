// The forms in which Bash shows values so that they can be read back.

#include "shell/expand/expander.h"
#include "text/utf8.h"

namespace paddock::shell {
namespace {

// The character at the start of `text`, as the locale sees it.
struct Shown {
  size_t length;
  bool is_printable;
};

Shown Look(std::string_view text, bool is_utf8) {
  const auto byte = static_cast<unsigned char>(text[0]);
  if (byte < 0x80 || !is_utf8) return {1, byte >= 0x20 && byte < 0x7f};
  const DecodedChar decoded = DecodeUtf8(text);
  return {decoded.length, decoded.is_valid && IsInClass(decoded.code, CharClass::kPrint)};
}

bool IsPrintable(std::string_view text, bool is_utf8) {
  for (size_t i = 0; i < text.size();) {
    const Shown shown = Look(text.substr(i), is_utf8);
    if (!shown.is_printable) return false;
    i += shown.length;
  }
  return true;
}

char EscapeLetter(char byte) {
  switch (byte) {
    case '\033': return 'E';
    case '\a': return 'a';
    case '\v': return 'v';
    case '\b': return 'b';
    case '\f': return 'f';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    case '\\':
    case '\'': return byte;
    default: return '\0';
  }
}

std::string QuoteAnsiC(std::string_view text, bool is_utf8) {
  std::string out = "$'";
  for (size_t i = 0; i < text.size();) {
    const Shown shown = Look(text.substr(i), is_utf8);
    if (const char letter = EscapeLetter(text[i])) {
      out += '\\';
      out += letter;
    } else if (shown.is_printable) {
      out += text.substr(i, shown.length);
    } else {
      for (const char raw : text.substr(i, shown.length)) {
        const auto byte = static_cast<unsigned char>(raw);
        out += '\\';
        out += static_cast<char>('0' + (byte >> 6));
        out += static_cast<char>('0' + ((byte >> 3) & 7));
        out += static_cast<char>('0' + (byte & 7));
      }
    }
    i += shown.length;
  }
  return out += '\'';
}

}  // namespace

std::string QuoteForReuse(std::string_view text, bool is_utf8) {
  return IsPrintable(text, is_utf8) ? QuoteSingle(text) : QuoteAnsiC(text, is_utf8);
}

std::string QuoteSingle(std::string_view text) {
  if (text == "'") return "\\'";
  std::string out = "'";
  for (const char byte : text) {
    if (byte == '\'') {
      out += "'\\''";
    } else {
      out += byte;
    }
  }
  return out += '\'';
}

std::string QuoteBackslash(std::string_view text, bool is_utf8) {
  if (text.empty()) return "''";
  if (!IsPrintable(text, is_utf8)) return QuoteAnsiC(text, is_utf8);
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char byte = text[i];
    const bool is_special = std::string_view(" \t\n!\"$&'()*,;<>?[\\]^`{|}").find(byte) != std::string_view::npos;
    const bool is_comment = byte == '#' && i == 0;
    const bool is_tilde = byte == '~' && (i == 0 || text[i - 1] == ':' || text[i - 1] == '=');
    if (is_special || is_comment || is_tilde) out += '\\';
    out += byte;
  }
  return out;
}

std::string QuoteDouble(std::string_view text, bool is_utf8) {
  if (!IsPrintable(text, is_utf8)) return QuoteAnsiC(text, is_utf8);
  std::string out = "\"";
  for (const char byte : text) {
    if (byte == '"' || byte == '$' || byte == '`' || byte == '\\') out += '\\';
    out += byte;
  }
  return out += '"';
}

}  // namespace paddock::shell
