// HTML as Markdown (CommonMark with GitHub's tables and strikethrough).
#pragma once

#include <string>
#include <string_view>

namespace paddock {
class Budget;
}

namespace paddock::html {

struct MarkdownSettings {
  bool ignores_links = false;    // their text alone
  bool ignores_images = false;
  char bullet = '-';
};

// The document's body; ends with a newline unless it is empty.
std::string ToMarkdown(std::string_view html, const MarkdownSettings& settings, Budget& budget);

}  // namespace paddock::html
