// The escapes of $'…'.
#include "shell/parser/parser.h"
#include "text/utf8.h"

namespace paddock::shell {
namespace {

int DigitValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

// Up to `limit` digits of a base at `pos`, which moves behind them.
uint32_t TakeDigits(std::string_view text, size_t* pos, int base, size_t limit) {
  uint32_t value = 0;
  for (size_t count = 0; count < limit && *pos < text.size(); ++count) {
    const int digit = DigitValue(text[*pos]);
    if (digit >= base) break;
    value = value * static_cast<uint32_t>(base) + static_cast<uint32_t>(digit);
    ++*pos;
  }
  return value;
}

// UTF-8 as first defined, with up to six bytes; values with the top bit set give nothing.
void AppendLongUtf8(std::string& out, uint32_t code) {
  if (code <= 0x10ffff) {
    AppendUtf8(out, code);
    return;
  }
  if (code > 0x7fffffff) return;
  const int tails = code < 0x200000 ? 3 : code < 0x4000000 ? 4 : 5;
  const uint32_t lead = tails == 3 ? 0xf0 : tails == 4 ? 0xf8 : 0xfc;
  out += static_cast<char>(lead | code >> (6 * tails));
  for (int i = tails - 1; i >= 0; --i) out += static_cast<char>(0x80 | (code >> (6 * i) & 0x3f));
}

char SimpleEscape(char c) {
  switch (c) {
    case 'a': return '\a';
    case 'b': return '\b';
    case 'e': case 'E': return '\x1b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'v': return '\v';
    case '\\': case '\'': case '"': case '?': return c;
    default: return '\0';
  }
}

}  // namespace

std::string DecodeAnsiC(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  size_t i = 0;
  while (i < text.size()) {
    const char c = text[i++];
    if (c != '\\' || i == text.size()) {
      out += c;
      continue;
    }
    const char kind = text[i++];
    if (const char simple = SimpleEscape(kind); simple != '\0') {
      out += simple;
    } else if (kind >= '0' && kind <= '7') {
      --i;
      const char byte = static_cast<char>(TakeDigits(text, &i, 8, 3));
      if (byte == '\0') return out;
      out += byte;
    } else if (kind == 'x') {
      const bool is_braced = i < text.size() && text[i] == '{';
      if (is_braced) ++i;
      const size_t digits = i;
      const uint32_t value = TakeDigits(text, &i, 16, is_braced ? 8 : 2);
      if (i == digits) {
        if (is_braced) return out;
        out += "\\x";
        continue;
      }
      if (is_braced && i < text.size() && text[i] == '}') ++i;
      const char byte = static_cast<char>(value);
      if (byte == '\0') return out;
      out += byte;
    } else if (kind == 'u' || kind == 'U') {
      const size_t digits = i;
      const uint32_t value = TakeDigits(text, &i, 16, kind == 'u' ? 4 : 8);
      if (i == digits) {
        out += '\\';
        out += kind;
        continue;
      }
      if (value == 0) return out;
      AppendLongUtf8(out, value);
    } else if (kind == 'c' && i < text.size()) {
      char control = text[i++];
      if (control == '\\' && i < text.size() && text[i] == '\\') ++i;
      const char byte = control == '?' ? '\x7f' : static_cast<char>(control & 0x1f);
      if (byte == '\0') return out;
      out += byte;
    } else {
      out += '\\';
      out += kind;
    }
  }
  return out;
}

}  // namespace paddock::shell
