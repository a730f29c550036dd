#include "text/choice.h"

#include <optional>
#include <string>

#include "text/quote.h"

namespace paddock {
namespace {

Error Refuse(std::string_view what, std::string_view option, std::string_view text,
             std::span<const Choice> choices, bool is_utf8) {
  std::string message = std::string(what) + " argument " + Quote(text, is_utf8) + " for " +
                        Quote(option, is_utf8) + "\nValid arguments are:";
  for (size_t i = 0; i < choices.size(); ++i) {
    const bool is_synonym = i > 0 && choices[i].value == choices[i - 1].value;
    message += (is_synonym ? ", " : "\n  - ") + Quote(choices[i].name, is_utf8);
  }
  return Error(Code::kSyntax, message);
}

}  // namespace

Result<int> FindChoice(std::string_view option, std::string_view text, std::span<const Choice> choices,
                       bool is_utf8) {
  std::optional<int> found;
  bool is_ambiguous = false;
  for (const Choice& choice : choices) {
    const std::string_view name = choice.name;
    if (name == text) return choice.value;
    if (!name.starts_with(text)) continue;
    if (found && *found != choice.value) is_ambiguous = true;
    found = choice.value;
  }
  if (found && !is_ambiguous) return *found;
  return Refuse(found ? "ambiguous" : "invalid", option, text, choices, is_utf8);
}

Result<int> FindWholeChoice(std::string_view option, std::string_view text, std::span<const Choice> choices,
                            bool is_utf8) {
  for (const Choice& choice : choices) {
    if (choice.name == text) return choice.value;
  }
  return Refuse("invalid", option, text, choices, is_utf8);
}

}  // namespace paddock
