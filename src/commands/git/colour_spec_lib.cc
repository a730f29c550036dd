#include "commands/git/colour_spec.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>

namespace paddock::git {
namespace {

// Colours are known in capitals, too; attributes are not.
std::string Lower(std::string_view word) {
  std::string text(word);
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

// The part of a sequence that one colour is; `shift` is 10 for the background.
std::optional<std::string> ColourCode(std::string_view word, int shift) {
  static constexpr std::string_view kNames[] = {"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"};
  if (word == "normal") return "";
  if (word == "default") return std::to_string(39 + shift);
  if (word.size() == 7 && word[0] == '#') {
    std::string text = std::to_string(38 + shift) + ";2";
    for (size_t i = 1; i < 7; i += 2) {
      unsigned value = 0;  // takes no sign
      if (std::from_chars(word.data() + i, word.data() + i + 2, value, 16).ptr != word.data() + i + 2) return std::nullopt;
      text += ";" + std::to_string(value);
    }
    return text;
  }
  const bool is_bright = word.starts_with("bright");
  const auto name = std::find(std::begin(kNames), std::end(kNames), is_bright ? word.substr(6) : word);
  if (name != std::end(kNames)) return std::to_string((is_bright ? 90 : 30) + shift + static_cast<int>(name - std::begin(kNames)));
  int number = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
  if (word.empty() || read.ec != std::errc{} || read.ptr != word.data() + word.size() || number < -1 || number > 255) return std::nullopt;
  if (number == -1) return "";
  if (number < 8) return std::to_string(30 + shift + number);
  if (number < 16) return std::to_string(90 + shift + number - 8);
  return std::to_string(38 + shift) + ";5;" + std::to_string(number);
}

// The number of an attribute ("bold", "no-bold").
std::optional<int> AttributeCode(std::string_view word) {
  static constexpr struct {
    std::string_view name;
    int on, off;
  } kAttributes[] = {{"bold", 1, 22}, {"dim", 2, 22}, {"italic", 3, 23}, {"ul", 4, 24}, {"blink", 5, 25}, {"reverse", 7, 27}, {"strike", 9, 29}};
  const bool is_off = word.starts_with("no");
  if (is_off) word.remove_prefix(word.starts_with("no-") ? 3 : 2);
  for (const auto& attribute : kAttributes) {
    if (word == attribute.name) return is_off ? attribute.off : attribute.on;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> ColourSequence(std::string_view words) {
  bool resets = false;
  std::optional<std::string> foreground, background;
  std::set<int> attributes;
  while (true) {
    words.remove_prefix(std::min(words.find_first_not_of(" \t\n"), words.size()));
    if (words.empty()) break;
    const std::string_view word = words.substr(0, words.find_first_of(" \t\n"));
    words.remove_prefix(word.size());
    if (Lower(word) == "reset") {
      resets = true;
    } else if (const auto colour = ColourCode(Lower(word), foreground ? 10 : 0)) {
      if (background) return std::nullopt;
      (foreground ? background : foreground) = *colour;
    } else if (const auto attribute = AttributeCode(word)) {
      attributes.insert(*attribute);
    } else {
      return std::nullopt;
    }
  }
  std::string codes;
  bool has_one = resets;
  const auto add = [&](const std::string& code) {
    if (code.empty()) return;
    codes += (has_one ? ";" : "") + code;
    has_one = true;
  };
  for (const int attribute : attributes) add(std::to_string(attribute));
  add(foreground.value_or(""));
  add(background.value_or(""));
  return has_one ? "\033[" + codes + "m" : std::string();
}

}  // namespace paddock::git
