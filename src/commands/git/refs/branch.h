// What the branches have in common with those who create them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "commands/git/git.h"

namespace paddock::git {

// Sets a variable of the repository's own file.
Status SetConfig(Git& git, const std::string& key, std::optional<std::string_view> value);
// Makes `branch` track a full reference.
Status SetUpstream(Git& git, const std::string& branch, const std::string& ref, bool is_quiet);
// The commit that a new branch begins at. Errors: complete ones, in git's words.
Result<Oid> StartPoint(Git& git, const std::string& name);

}  // namespace paddock::git
