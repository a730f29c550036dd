// Conflicts and their resolutions, remembered: what was resolved once is resolved the same way when it comes again.
#pragma once

#include <optional>

#include "commands/git/git.h"

namespace paddock::git {

// Whether the repository wants that: rerere.enabled, or .git/rr-cache is there.
bool RemembersConflicts(Git& git);
// Notes the conflicts that are in the index now, resolves those that are known, and keeps the resolutions of those that were noted
// before. `stages`: puts what it resolves into the index; absent: as rerere.autoupdate says. Does nothing where that is not wanted.
Status RememberConflicts(Git& git, std::optional<bool> stages = std::nullopt);
// Forgets what was noted and not resolved.
void ForgetConflicts(Git& git);

// --rerere-autoupdate and --no-rerere-autoupdate as options with the members rerere and no_rerere have them.
template <class O>
std::optional<bool> StagesResolved(const O& options) {
  return options.rerere ? std::optional(true) : options.no_rerere ? std::optional(false) : std::nullopt;
}

}  // namespace paddock::git
