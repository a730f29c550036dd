// Trailers that are put into a message: git interpret-trailers, and commit --trailer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands/git/mail/trailers.h"
#include "proc/command.h"

namespace paddock::git {

// One that is to be added, as it is typed: "key: value", "key=value", "key".
struct NewTrailer {
  std::string text;
  // Instead of what the configuration says.
  std::optional<TrailerWhere> where;
  std::optional<TrailerExists> if_exists;
  std::optional<TrailerMissing> if_missing;
};

struct TrailerEdit {
  bool trims_empty = false, only_trailers = false, only_input = false, unfolds = false, no_divider = false;
};

// The message with them. Commands of the configuration run for what they give; what is wrong with one is told on standard error.
std::string WithNewTrailers(Invocation& in, std::string_view message, const TrailerRules& rules, const std::vector<NewTrailer>& added, const TrailerEdit& edit);

}  // namespace paddock::git
