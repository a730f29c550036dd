// HTML as plain text, laid out for a screen.
#pragma once

#include <string>
#include <string_view>

namespace paddock {
class Budget;
}

namespace paddock::html {

struct TextSettings {
  size_t width = 79;
  bool is_pretty = false;   // empty lines around blocks, headings without stars
};

// The document's body; each line ends with a newline.
std::string ToText(std::string_view html, const TextSettings& settings, Budget& budget);

}  // namespace paddock::html
