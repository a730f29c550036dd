// The working tree: what is in it that git does not know, and how files get into it and out of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/git/diff/diff.h"
#include "commands/git/git.h"

namespace paddock::git {

enum class UntrackedMode { kNo, kNormal, kAll };

struct Untracked {
  std::vector<std::string> files;     // directories with a slash behind them
  std::vector<std::string> ignored;
};
// Hidden directories as one, and those that hold nothing else; what patterns match; all files.
enum class IgnoredMode { kNormal, kMatching, kFiles };
// What the index does not know. `with_ignored`: also list what .gitignore hides.
Result<Untracked> FindUntracked(Git& git, const Index& index, UntrackedMode mode, Pathspec& paths, bool with_ignored, IgnoredMode ignored = IgnoredMode::kNormal);
// Whether .gitignore and its like hide the path.
bool IsIgnored(Git& git, const std::string& path, bool is_directory);

// Writes one file of an object below the top; directories are made, links on the way are never followed. The entry gets its stat.
// `replaces`: a file or link where a directory has to be is taken away.
Status PutFile(Git& git, const std::string& path, const TreeItem& item, bool replaces, IndexEntry* entry);
Status PutContent(Git& git, const std::string& path, uint32_t mode, std::string_view content, bool replaces);
// Removes a file, and the directories that are empty then.
// A directory with all that is in it; links are not followed.
Status RemoveTree(Invocation& in, const std::string& path);
void RemoveWorkFile(Git& git, const std::string& path);
// The file as an index entry, its content written to the objects. Nothing when it is not there. `renormalizes`: also CRs that were
// committed go.
Result<std::optional<IndexEntry>> StageFile(Git& git, const std::string& path, bool writes, bool renormalizes = false);

// "x: needs merge" for each file in conflict.
void TellUnmerged(Git& git, const Index& index);
// What the repository in a directory of the working tree has checked out: a submodule. Nothing when there is none.
std::optional<Oid> GitlinkHead(Git& git, const std::string& path);

// Goes from one state of the files to another: index and working tree. What would be lost is told on standard error, and nothing is
// done: then the result is false. `action`: "checkout", "merge"; empty: nothing is told; `is_forced`: local changes are thrown away; `keeps_ignored`: ignored files are in the way, too.
Result<bool> SwitchFiles(Git& git, const FlatTree& from, const FlatTree& to, Index& index, std::string_view action, bool is_forced, bool keeps_ignored = false);

// As git reset --merge: what the index has otherwise than `to` becomes what is there; local changes that are not in the index stay.
// False: a file was changed after it went into the index; that is told, and nothing is done.
Result<bool> ResetMerged(Git& git, const FlatTree& to, Index& index);
// The same for the files of a commit and the repository's index, which is written.
Result<bool> BackToCommit(Git& git, const Oid& commit);

}  // namespace paddock::git
