// Which files were renamed, copied or written anew.
#pragma once

#include "commands/git/diff/diff.h"

namespace paddock::git {

// How much of one content is in another, by lines and pieces of lines.
struct ContentOverlap {
  int64_t copied = 0;   // bytes that are in both
  int64_t added = 0;    // bytes that are in the second one alone
};
ContentOverlap CompareContents(std::string_view before, std::string_view after, Budget& budget);

struct RenameRules {
  int least_score = kWholeScore / 2;
  bool finds_renames = true;
  bool finds_copies = false;
  bool takes_empty = true;
  int64_t limit = 1000;   // of files on each side; 0: none
  int break_score = -1, merge_score = 0;
  std::vector<FileDiff> unchanged;   // more files that could have been copied
};
Status FindRenames(Git& git, std::vector<FileDiff>& files, const RenameRules& rules);

}  // namespace paddock::git
