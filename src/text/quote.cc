#include "text/quote.h"

#include "text/utf8.h"

namespace paddock {
namespace {

bool IsOneOf(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The letter of a C escape for a control character, or 0.
char EscapeLetter(char c) {
  switch (c) {
    case '\a': return 'a';
    case '\b': return 'b';
    case '\f': return 'f';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    case '\v': return 'v';
    default: return 0;
  }
}

// The character at text[i]: its length, and whether it can be shown.
struct Shown {
  size_t length;
  bool is_printable;
};

Shown CharAt(std::string_view text, size_t i, bool is_utf8) {
  const auto byte = static_cast<unsigned char>(text[i]);
  if (byte < 0x80) return {1, byte >= 0x20 && byte != 0x7f};
  if (!is_utf8) return {1, false};
  const DecodedChar decoded = DecodeUtf8(text.substr(i));
  if (!decoded.is_valid) return {1, false};
  return {decoded.length, IsInClass(decoded.code, CharClass::kPrint)};
}

void AppendOctal(std::string& out, char c) {
  const auto byte = static_cast<unsigned char>(c);
  out += '\\';
  out += static_cast<char>('0' + (byte >> 6));
  out += static_cast<char>('0' + ((byte >> 3) & 7));
  out += static_cast<char>('0' + (byte & 7));
}

// Backslash escapes of the C-like styles, without the marks around.
// `changed` tells whether anything was escaped.
std::string Escape(std::string_view text, bool is_utf8, std::string_view close, std::string_view also_quoted,
                   bool* changed) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '\0') {
      *changed = true;
      out += i + 1 < text.size() && IsDigit(text[i + 1]) ? "\\000" : "\\0";
      ++i;
      continue;
    }
    if (const char letter = EscapeLetter(c); letter != 0 || c == '\\') {
      *changed = true;
      out += '\\';
      out += letter != 0 ? letter : c;
      ++i;
      continue;
    }
    if (!close.empty() && text.substr(i).starts_with(close)) {
      *changed = true;
      out += '\\';
      out += close;
      i += close.size();
      continue;
    }
    const Shown shown = CharAt(text, i, is_utf8);
    if (!shown.is_printable) {
      *changed = true;
      for (size_t k = 0; k < shown.length; ++k) AppendOctal(out, text[i + k]);
    } else {
      if (IsOneOf(c, also_quoted)) {
        *changed = true;
        out += '\\';
      }
      out += text.substr(i, shown.length);
    }
    i += shown.length;
  }
  return out;
}

// What a shell-style quoting has to know about a text before it chooses its form.
struct ShellNeeds {
  bool needs_quotes = false;       // a character that a shell would take apart
  bool has_single_quote = false;
  bool fits_double_quotes = true;  // only characters that mean the same in C and in "…"
  bool ends_escaped = false;       // the last character cannot be shown
};

ShellNeeds ScanForShell(std::string_view text, bool is_utf8, bool escapes, std::string_view also_quoted) {
  constexpr std::string_view kSpecial = "!\"$&()*;<=>[^`| ?\\\n\r\t";
  constexpr std::string_view kPlain = "%+,-./0123456789:ABCDEFGHIJKLMNOPQRSTUVWXYZ]_abcdefghijklmnopqrstuvwxyz";
  ShellNeeds needs;
  needs.needs_quotes = text.empty();
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    const Shown shown = CharAt(text, i, is_utf8);
    if (c == '\'') {
      needs.has_single_quote = needs.needs_quotes = true;
    } else if (IsOneOf(c, kSpecial) || ((c == '#' || c == '~') && i == 0) ||
               ((c == '{' || c == '}') && text.size() == 1) || (escapes && !shown.is_printable) ||
               IsOneOf(c, also_quoted)) {
      needs.needs_quotes = true;
    }
    const bool is_word = IsOneOf(c, kPlain) || c == ' ' || c == '\'' || ((c == '#' || c == '~') && i == 0);
    const bool is_other = static_cast<unsigned char>(c) >= 0x80 || c == '@';
    if (!is_word && !(is_other && shown.is_printable)) needs.fits_double_quotes = false;
    needs.ends_escaped = escapes && !shown.is_printable;
    i += shown.length;
  }
  return needs;
}

// '…' with '\'' inside and, with `escapes`, $'\n' for what cannot be shown.
std::string SingleQuoted(std::string_view text, bool is_utf8, bool escapes, bool in_dollar) {
  std::string out = "'";
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    const Shown shown = CharAt(text, i, is_utf8);
    if (escapes && !shown.is_printable) {
      if (!in_dollar) out += "'$'";
      in_dollar = true;
      for (size_t k = 0; k < shown.length; ++k) {
        if (const char letter = EscapeLetter(text[i + k]); letter != 0) {
          out += '\\';
          out += letter;
        } else {
          AppendOctal(out, text[i + k]);
        }
      }
    } else if (c == '\'') {
      out += "'\\''";
      in_dollar = false;
    } else {
      if (in_dollar) out += "''";
      in_dollar = false;
      out += text.substr(i, shown.length);
    }
    i += shown.length;
  }
  return out + "'";
}

std::string QuoteForShell(std::string_view text, bool is_utf8, bool escapes, bool always,
                          std::string_view also_quoted) {
  const ShellNeeds needs = ScanForShell(text, is_utf8, escapes, also_quoted);
  if (!always && !needs.needs_quotes) return std::string(text);
  if (needs.has_single_quote && needs.fits_double_quotes) return "\"" + std::string(text) + "\"";
  // GNU looks over a text with a single quote twice and carries the state of a last $'…' into the second
  // pass; the result is what its users see.
  return SingleQuoted(text, is_utf8, escapes, needs.has_single_quote && needs.ends_escaped);
}

}  // namespace

std::string QuoteText(std::string_view text, QuotingStyle style, bool is_utf8, std::string_view also_quoted) {
  bool changed = false;
  switch (style) {
    case QuotingStyle::kLiteral:
      return std::string(text);
    case QuotingStyle::kShell:
      return QuoteForShell(text, is_utf8, false, false, also_quoted);
    case QuotingStyle::kShellAlways:
      return QuoteForShell(text, is_utf8, false, true, also_quoted);
    case QuotingStyle::kShellEscape:
      return QuoteForShell(text, is_utf8, true, false, also_quoted);
    case QuotingStyle::kShellEscapeAlways:
      return QuoteForShell(text, is_utf8, true, true, also_quoted);
    case QuotingStyle::kEscape:
      return Escape(text, is_utf8, "", also_quoted, &changed);
    case QuotingStyle::kC:
      return "\"" + Escape(text, is_utf8, "\"", also_quoted, &changed) + "\"";
    case QuotingStyle::kCMaybe: {
      // A backslash alone is no reason for quotes.
      std::string others(text);
      std::erase(others, '\\');
      Escape(others, is_utf8, "\"", also_quoted, &changed);
      return changed ? "\"" + Escape(text, is_utf8, "\"", "", &changed) + "\"" : std::string(text);
    }
    case QuotingStyle::kLocale:
    case QuotingStyle::kCLocale: {
      if (is_utf8) return "‘" + Escape(text, is_utf8, "’", also_quoted, &changed) + "’";
      const std::string_view mark = style == QuotingStyle::kLocale ? "'" : "\"";
      return std::string(mark) + Escape(text, is_utf8, mark, also_quoted, &changed) + std::string(mark);
    }
  }
  return std::string(text);
}

}  // namespace paddock
