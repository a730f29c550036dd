// The colours of git grep.
#include "commands/git/colour_spec.h"
#include "commands/git/history/grep.h"

namespace paddock::git {

GrepColours ReadGrepColours(const Git& git) {
  const auto slot = [&git](const char* name, const char* usual, const char* general = nullptr) {
    auto configured = git.config.Get(std::string("color.grep.") + name);
    if (!configured && general != nullptr) configured = git.config.Get(std::string("color.grep.") + general);
    const auto colour = configured ? ColourSequence(*configured) : std::nullopt;
    return colour ? *colour : std::string(usual);
  };
  GrepColours colours;
  colours.is_on = true;
  colours.name = slot("filename", "\033[35m");
  colours.line_number = slot("linenumber", "\033[32m");
  colours.column = slot("column", "\033[32m");
  colours.separator = slot("separator", "\033[36m");
  colours.selected = slot("selected", "");
  colours.context = slot("context", "");
  colours.function = slot("function", "");
  colours.match_selected = slot("matchselected", "\033[1;31m", "match");
  colours.match_context = slot("matchcontext", "\033[1;31m", "match");
  return colours;
}

std::string Painted(std::string_view text, const std::string& colour) { return colour.empty() ? std::string(text) : colour + std::string(text) + std::string(kColourReset); }

}  // namespace paddock::git
