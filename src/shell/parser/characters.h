// Byte classes of the shell's lexical grammar.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace paddock::shell {

enum CharBit : uint8_t {
  kMetaChar = 1,      // ends an unquoted word
  kQuoteChar = 2,     // $ ` " ' and backslash
  kActiveChar = 4,    // * ? [ ~ {: the word may not mean itself
  kNameChar = 8,      // [A-Za-z0-9_]
  kNameStart = 16,    // [A-Za-z_]
  kDigitChar = 32,
  kBlankChar = 64,    // space and tab
};

constexpr std::array<uint8_t, 256> MakeCharTable() {
  std::array<uint8_t, 256> table{};
  for (const char c : std::string_view(" \t\n;&|()<>")) table[static_cast<unsigned char>(c)] |= kMetaChar;
  for (const char c : std::string_view("$`\"'\\")) table[static_cast<unsigned char>(c)] |= kQuoteChar;
  for (const char c : std::string_view("*?[~{")) table[static_cast<unsigned char>(c)] |= kActiveChar;
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<size_t>(c)] |= kNameChar | kNameStart;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<size_t>(c)] |= kNameChar | kNameStart;
  for (int c = '0'; c <= '9'; ++c) table[static_cast<size_t>(c)] |= kNameChar | kDigitChar;
  table['_'] |= kNameChar | kNameStart;
  table[' '] |= kBlankChar;
  table['\t'] |= kBlankChar;
  return table;
}

inline constexpr std::array<uint8_t, 256> kCharTable = MakeCharTable();

constexpr bool HasBit(char c, int bits) { return (kCharTable[static_cast<unsigned char>(c)] & bits) != 0; }
constexpr bool IsNameStart(char c) { return HasBit(c, kNameStart); }
constexpr bool IsNameChar(char c) { return HasBit(c, kNameChar); }
constexpr bool IsDigit(char c) { return HasBit(c, kDigitChar); }
constexpr bool IsBlank(char c) { return HasBit(c, kBlankChar); }

}  // namespace paddock::shell
