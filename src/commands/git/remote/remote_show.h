// What git remote tells of a remote.
#pragma once

#include <string>
#include <vector>

#include "commands/git/remote/remote.h"

namespace paddock::git {

// The text of `git remote show NAME`; `theirs` null: the other side was not asked.
Result<std::string> DescribeRemote(Git& git, const std::string& name, const RemoteRefs* theirs);
// References here that stand for ones that are no longer there.
Result<std::vector<std::string>> StaleRefs(Git& git, const std::string& name, const RemoteRefs& theirs);

}  // namespace paddock::git
