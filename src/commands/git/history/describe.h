// The name that git describe gives a commit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/git/git.h"

namespace paddock::git {

struct DescribeOptions {
  bool tags = false, all = false, is_long = false, always = false, exact = false, first_parent = false, contains = false, debug = false;
  std::optional<int64_t> abbrev, candidates;
  std::vector<std::string> matches, excludes;
  std::optional<std::string> dirty, broken;
};
// Errors: kNoEntry, in git's words, when there is no name.
Result<std::string> DescribeCommit(Git& git, const DescribeOptions& options, const Oid& id);

}  // namespace paddock::git
