// Name: an identifier with its hash, made once by the parser so that look-ups in loops hash nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace paddock::shell {

// The hash that variable tables use. FNV-1 over the bytes as signed characters, which is also what decides
// the order in which Bash lists associative arrays.
constexpr uint32_t HashName(std::string_view text) {
  uint32_t hash = 2166136261u;
  for (const char byte : text) {
    hash *= 16777619u;
    hash ^= static_cast<uint32_t>(static_cast<signed char>(byte));
  }
  return hash;
}

struct Name {
  std::string text;
  uint32_t hash = HashName({});

  Name() = default;
  Name(std::string t) : text(std::move(t)), hash(HashName(text)) {}  // NOLINT
  bool empty() const { return text.empty(); }
};

// True for [A-Za-z_][A-Za-z0-9_]*.
bool IsName(std::string_view text);

}  // namespace paddock::shell
