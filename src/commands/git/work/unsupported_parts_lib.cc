// Parts of git that there are none of inside.
#include "commands/git/work/unsupported_parts.h"

#include <algorithm>

namespace paddock::git {

Status RefuseSubmodules(Git& git, const Index& index) {
  const bool has_any = std::any_of(index.entries().begin(), index.entries().end(), [](const IndexEntry& entry) { return entry.mode == kModeCommit; });
  if (has_any || git.in.fs.Stat(git.GitPath("modules"))) return Error(Code::kNotSupported, "--recurse-submodules is not supported where there are submodules");
  return {};
}

void TellSkipped(Git& git, const std::vector<std::string>& operands) {
  std::string text = "The following paths and/or pathspecs matched paths that exist\noutside of your sparse-checkout definition, so will not be\nupdated in the index:\n";
  for (const std::string& operand : operands) text += operand + "\n";
  if (git.config.GetBool("advice.updatesparsepath", true)) {
    text += "hint: If you intend to update such entries, try one of the following:\nhint: * Use the --sparse option.\nhint: * Disable or modify the sparsity rules.\nhint: Disable this message with \"git config advice.updateSparsePath false\"\n";
  }
  git.Say(text);
}

}  // namespace paddock::git
