#include "commands/git/colour.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <vector>

namespace paddock::git {
namespace {

constexpr std::string_view kNames[] = {"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"};

struct Attribute {
  std::string_view name;
  int on, off;
};
// In the order in which they are written.
constexpr Attribute kAttributes[] = {{"bold", 1, 22}, {"dim", 2, 22}, {"italic", 3, 23}, {"ul", 4, 24}, {"blink", 5, 25}, {"reverse", 7, 27}, {"strike", 9, 29}};

// What a word stands for: parameters of the sequence. `base`: 30 for text, 40 for what is behind it.
std::optional<std::string> ColourCode(std::string_view word, int base) {
  if (word == "normal") return std::string();
  if (word == "default") return std::to_string(base + 9);
  const bool is_bright = word.starts_with("bright");
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (word.substr(is_bright ? 6 : 0) == kNames[i]) return std::to_string(base + (is_bright ? 60 : 0) + static_cast<int>(i));
  }
  if (word.starts_with('#') && word.size() == 7) {
    uint32_t rgb = 0;
    const auto read = std::from_chars(word.data() + 1, word.data() + 7, rgb, 16);
    if (read.ptr != word.data() + 7) return std::nullopt;
    return std::to_string(base + 8) + ";2;" + std::to_string(rgb >> 16) + ";" + std::to_string(rgb >> 8 & 255) + ";" + std::to_string(rgb & 255);
  }
  int number = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
  if (read.ec != std::errc{} || read.ptr != word.data() + word.size() || number < -1 || number > 255) return std::nullopt;
  if (number < 0) return std::string();
  if (number < 8) return std::to_string(base + number);
  if (number < 16) return std::to_string(base + 60 + number - 8);
  return std::to_string(base + 8) + ";5;" + std::to_string(number);
}

}  // namespace

std::optional<std::string> ParseColour(std::string_view text) {
  std::array<bool, std::size(kAttributes)> on{}, off{};
  std::vector<std::string> colours;
  bool resets = false;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\n"), text.size()));
    if (text.empty()) break;
    const size_t end = std::min(text.find_first_of(" \t\n"), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    if (word == "reset") {
      resets = true;
      continue;
    }
    if (colours.size() < 2) {
      if (auto code = ColourCode(word, colours.empty() ? 30 : 40)) {
        colours.push_back(std::move(*code));
        continue;
      }
    }
    const bool is_off = word.starts_with("no");
    if (is_off) word.remove_prefix(word.starts_with("no-") ? 3 : 2);
    bool is_known = false;
    for (size_t i = 0; i < std::size(kAttributes); ++i) {
      if (kAttributes[i].name != word) continue;
      (is_off ? off : on)[i] = is_known = true;
    }
    if (!is_known) return std::nullopt;
  }
  std::string codes;
  const auto add = [&codes](const std::string& code) {
    if (!codes.empty()) codes += ';';
    codes += code;
  };
  for (size_t i = 0; i < std::size(kAttributes); ++i) {
    if (on[i]) add(std::to_string(kAttributes[i].on));
  }
  int last = 0;
  for (size_t i = 0; i < std::size(kAttributes); ++i) {
    if (off[i] && kAttributes[i].off != last) add(std::to_string(last = kAttributes[i].off));
  }
  for (const std::string& colour : colours) {
    if (!colour.empty()) add(colour);
  }
  if (codes.empty() && !resets) return std::string();
  return "\033[" + (resets && !codes.empty() ? ";" : std::string()) + codes + "m";
}

}  // namespace paddock::git
