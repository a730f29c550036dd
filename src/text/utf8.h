// UTF-8: decoding, encoding, width, case and classes of characters. No locale, no global state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace paddock {

struct DecodedChar {
  char32_t code;    // the byte value when is_valid is false
  uint8_t length;   // bytes taken, at least 1
  bool is_valid;    // false: one malformed byte
};

// Decodes the character at text[0]; text must not be empty. Overlong forms, surrogates and values above
// U+10FFFF are malformed.
DecodedChar DecodeUtf8(std::string_view text);
void AppendUtf8(std::string& out, char32_t code);
// Number of characters; a malformed byte counts as one.
size_t CountUtf8(std::string_view text);
// Byte offset of the character with this index (text.size() if beyond).
size_t OffsetOfChar(std::string_view text, size_t index);

bool IsAscii(std::string_view text);
bool IsValidUtf8(std::string_view text);

// Whether a character may stand in what a person reads: it is printable, and neither hides nor turns text around it.
bool IsHarmless(char32_t code);
// A line for people and JSON out of text that hostile code chose: what is malformed or not harmless becomes '?'.
std::string HarmlessLine(std::string_view text);

// Columns on a terminal: 0 for combining marks, 2 for wide East Asian and emoji, -1 for controls.
int CharWidth(char32_t code);
// Sum of the widths; controls and malformed bytes count 0.
size_t TextWidth(std::string_view text);

char32_t ToUpper(char32_t code);
char32_t ToLower(char32_t code);
std::string UpperUtf8(std::string_view text);
std::string LowerUtf8(std::string_view text);

// The class names of [[:alpha:]] and friends: alnum alpha blank cntrl digit graph lower print punct space
// upper xdigit; and word (as in \w).
enum class CharClass { kAlnum, kAlpha, kBlank, kCntrl, kDigit, kGraph, kLower, kPrint, kPunct, kSpace,
                       kUpper, kXdigit, kWord, kUnknown };
CharClass FindCharClass(std::string_view name);
bool IsInClass(char32_t code, CharClass char_class, bool is_utf8 = true);

// Whether the character that ends, or begins, at this offset is one of a word (as \w). A malformed byte counts
// as the Latin-1 character that it would be, as in the C library.
bool IsWordBefore(std::string_view text, size_t at, bool is_utf8);
bool IsWordAfter(std::string_view text, size_t at, bool is_utf8);

}  // namespace paddock
