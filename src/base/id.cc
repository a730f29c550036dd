#include "base/id.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/random.h"

namespace paddock {
namespace {

constexpr size_t kCharacters = 20;
constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz234567";

}  // namespace

std::string NewId(std::string_view prefix) {
  std::array<uint8_t, kCharacters> random;
  FillRandom(random);
  std::string id(prefix);
  for (const uint8_t byte : random) id += kAlphabet[byte & 31];
  return id;
}

bool IsId(std::string_view text, std::string_view prefix) {
  return text.size() == prefix.size() + kCharacters && text.starts_with(prefix) &&
         std::all_of(text.begin() + static_cast<std::ptrdiff_t>(prefix.size()), text.end(),
                     [](char c) { return kAlphabet.find(c) != std::string_view::npos; });
}

}  // namespace paddock
