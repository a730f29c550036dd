// Three states of the files made into one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/git/git.h"
#include "commands/git/refs/revision.h"
#include "git/line_edits.h"

namespace paddock::git {

struct Conflict {
  std::optional<TreeItem> base, ours, theirs;
  std::optional<std::string> text;   // what the working tree gets; nothing: no file
  uint32_t mode = kModeFile;
};
// One thing that is told of a merge, for programs: "CONFLICT (contents)", the paths it is about, and its line.
struct MergeMessage {
  const char* kind;
  std::vector<std::string> paths;
  std::string text;
};
struct TreeMerge {
  FlatTree tree;
  std::map<std::string, Conflict> conflicts;
  std::string messages;
  std::vector<MergeMessage> told;   // the same, one by one
};
// Puts what is in conflict into the index, as the stages 1 to 3 of each path.
void PutConflicts(Index& index, const TreeMerge& merge);
// What the sides are called in messages and markers.
struct Sides {
  std::string ours = "HEAD", theirs, base = "merged common ancestors";
};
// How conflicts are decided and shown.
struct MergeStyle {
  enum class Favour { kNone, kOurs, kTheirs, kUnion } favour = Favour::kNone;
  enum class Markers { kPlain, kBase, kShortBase } markers = Markers::kPlain;   // merge.conflictStyle: merge, diff3, zdiff3
  EditAlgorithm algorithm = EditAlgorithm::kMyers;   // how the changes of each side are found
  bool ignores_all_space = false, ignores_space_change = false, ignores_space_at_end = false, ignores_cr = false;
  bool finds_renames = true;
  int rename_percent = 50;
  size_t marker_size = 7;
  bool joins_at_blank = false;   // conflicts with nothing but blanks and signs between them are one
};

struct TextMerge {
  std::string text;
  bool has_conflict = false;
  size_t conflicts = 0;
};
// Both sides' changes of the base; what both changed, differently, stands between markers with their names.
TextMerge MergeTexts(std::string_view base, std::string_view ours, std::string_view theirs, const Sides& names, const MergeStyle& style, Budget& budget);

// What merge.conflictStyle and merge.renames say. Errors: an unknown style.
Result<MergeStyle> ConfiguredStyle(Git& git);
// --conflict=NAME.
Status TakeConflictStyle(MergeStyle& style, std::string_view name);
// What a merge strategy ("" is ort) makes of the configuration and of each -X OPTION. Ort finds changes by histograms, whatever -X says; the
// others as -X says. Errors: kNotSupported, or kInvalid in git's words.
Result<MergeStyle> StrategyStyle(Git& git, std::string_view strategy, const std::vector<std::string>& options);

Result<TreeMerge> MergeTrees(Git& git, FlatTree base, FlatTree ours, FlatTree theirs, const Sides& names, const MergeStyle& style);
// The same as the configuration wants it.
Result<TreeMerge> MergeTrees(Git& git, FlatTree base, FlatTree ours, FlatTree theirs, const Sides& names);
// The files of the common ancestor; of several, what their merge in that style is, but that it favours nobody.
Result<FlatTree> BaseFiles(Git& git, History& history, const std::vector<Oid>& bases, const MergeStyle& style, int depth = 0);
// Puts a merge into the index and the files. False: local changes are in the way. `action`: "merge", "cherry-pick", "revert", "stash".
Result<bool> ApplyMerge(Git& git, const FlatTree& ours, const TreeMerge& merge, std::string_view action);
// Writes the trees of some files.
Result<Oid> TreeOf(Git& git, const FlatTree& files);
// AUTO_MERGE: what a merge made by itself, conflicts and all.
Status KeepMergedTree(Git& git, const FlatTree& files);
// "\n# Conflicts:\n#\tPATH\n" for a message; empty without conflicts.
std::string ConflictList(const TreeMerge& merge);

}  // namespace paddock::git
