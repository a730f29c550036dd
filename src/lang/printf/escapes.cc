#include "lang/printf/printf.h"

#include "text/utf8.h"

namespace paddock {
namespace {

int DigitValue(char c, int base) {
  int value = -1;
  if (c >= '0' && c <= '9') value = c - '0';
  if (c >= 'a' && c <= 'f') value = c - 'a' + 10;
  if (c >= 'A' && c <= 'F') value = c - 'A' + 10;
  return value < base ? value : -1;
}

// Reads up to `most` digits at text[*i]; -1 if there is none.
int64_t ReadDigits(std::string_view text, size_t* i, int base, int most) {
  int64_t value = -1;
  for (int count = 0; count < most && *i < text.size(); ++count, ++*i) {
    const int digit = DigitValue(text[*i], base);
    if (digit < 0) break;
    value = (value < 0 ? 0 : value) * base + digit;
  }
  return value;
}

void AppendCharacter(uint32_t code, bool is_utf8, std::string* out) {
  if (is_utf8 || code < 0x80) return AppendUtf8(*out, static_cast<char32_t>(code));
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  *out += code > 0xFFFF ? "\\U" : "\\u";
  for (int shift = code > 0xFFFF ? 28 : 12; shift >= 0; shift -= 4) *out += kDigits[code >> shift & 0xF];
}

}  // namespace

bool AppendEscapes(std::string_view text, EscapeStyle style, bool is_utf8, std::string* out) {
  for (size_t i = 0; i < text.size();) {
    const size_t backslash = text.find('\\', i);
    out->append(text.substr(i, backslash - i));
    if (backslash == std::string_view::npos) break;
    i = backslash + 1;
    if (i == text.size()) {
      *out += '\\';
      break;
    }
    const char letter = text[i++];
    switch (letter) {
      case 'a': *out += '\a'; break;
      case 'b': *out += '\b'; break;
      case 'E':
        if (style == EscapeStyle::kProgramEcho) {
          *out += "\\E";
          break;
        }
        [[fallthrough]];
      case 'e': *out += '\x1b'; break;
      case 'f': *out += '\f'; break;
      case 'n': *out += '\n'; break;
      case 'r': *out += '\r'; break;
      case 't': *out += '\t'; break;
      case 'v': *out += '\v'; break;
      case '\\': *out += '\\'; break;
      case 'c':
        if (style != EscapeStyle::kPrintfFormat) return false;
        *out += "\\c";
        break;
      case '"':
      case '\'':
      case '?':
        if (style != EscapeStyle::kPrintfFormat && style != EscapeStyle::kPrintfB) *out += '\\';
        *out += letter;
        break;
      case 'x': {
        const int64_t value = ReadDigits(text, &i, 16, 2);
        if (value < 0) *out += "\\x";
        else *out += static_cast<char>(value);
        break;
      }
      case 'u':
      case 'U': {
        if (style == EscapeStyle::kProgramEcho) {
          (*out += '\\') += letter;
          break;
        }
        const int64_t value = ReadDigits(text, &i, 16, letter == 'u' ? 4 : 8);
        if (value < 0) (*out += '\\') += letter;
        else AppendCharacter(static_cast<uint32_t>(value), is_utf8, out);
        break;
      }
      case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': {
        if (style == EscapeStyle::kEcho && letter != '0') {
          (*out += '\\') += letter;
          break;
        }
        const bool skips_zero = letter == '0' && style != EscapeStyle::kPrintfFormat;
        if (!skips_zero) --i;
        const int64_t value = ReadDigits(text, &i, 8, 3);
        *out += static_cast<char>(value < 0 ? 0 : value & 0xFF);
        break;
      }
      default: (*out += '\\') += letter; break;
    }
  }
  return true;
}

}  // namespace paddock
