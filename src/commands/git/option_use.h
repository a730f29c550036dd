// Options that note, by a letter, that they were given: which of them the word of a subcommand takes is known only later.
#pragma once

#include <string>
#include <string_view>

#include "base/options.h"

namespace paddock::git {

// `kUsed` is the std::string of the options that gets the letters.
template <auto kUsed, auto kMember, char kLetter>
Status TakeNotedFlag(option_internal::MemberClass<kMember>& options, std::string_view) {
  options.*kUsed += kLetter;
  options.*kMember = true;
  return {};
}
template <auto kUsed, auto kMember, char kLetter>
Status TakeNotedText(option_internal::MemberClass<kMember>& options, std::string_view text) {
  options.*kUsed += kLetter;
  options.*kMember = std::string(text);
  return {};
}

}  // namespace paddock::git
