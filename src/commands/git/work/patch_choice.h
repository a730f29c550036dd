// Choosing changes one by one: add -p and its like.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/git/diff/diff.h"
#include "commands/git/git.h"

namespace paddock::git {

// What is done with what was chosen.
enum class PatchTarget { kStage, kUnstage, kDiscard, kDiscardBoth };

// A file of which something was chosen.
struct ChosenFile {
  struct Side {
    uint32_t mode = 0;   // 0: no such file
    std::string text;
  };
  FileDiff file;
  Side taken;    // the old side with the changes that were chosen
  Side left;     // with those that were not
  bool is_whole = false;   // all were
};
// Shows the files' changes and asks on standard input. `question`: "Stage %s"; what was not answered counts as no.
Result<std::vector<ChosenFile>> AskForPatches(Git& git, const std::vector<FileDiff>& files, const std::string& verb, const std::string& place, bool can_edit);

// The whole of add -p, reset -p, checkout -p and restore -p. `source`, `source_name`: the tree that was named; "" is HEAD or the index.
Result<ExitStatus> ChoosePatches(Git& git, PatchTarget target, const std::optional<FlatTree>& source, const std::string& source_name, const std::vector<std::string>& operands);

}  // namespace paddock::git
