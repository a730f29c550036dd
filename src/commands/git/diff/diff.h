// Differences between two states of the files, and the forms in which git shows them.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/git/diff/diff_options.h"
#include "commands/git/git.h"
#include "commands/git/work/convert.h"
#include "text/diff/diff.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {

struct FileDiff {
  char status = 'M';            // A D M R C T U
  std::string old_path, new_path;
  uint32_t old_mode = 0, new_mode = 0;
  Oid old_id, new_id;
  int score = 0;                // of a rename, in percent
  int dissimilarity = 0;        // of a file that was written anew, in percent
  bool old_is_file = false, new_is_file = false;   // the content is that of the working tree
  std::shared_ptr<const std::string> old_text, new_text;   // contents that are no objects
  std::string file_path;        // of that file, when it is shown under another name
  bool is_combined = false;     // an unmerged file that is shown with both sides
  TreeItem ours, theirs;        // these
};

// What differs, in order of path. Trees of commits and indexes; renames are not looked for.
std::vector<FileDiff> CompareTrees(const FlatTree& before, const FlatTree& after);
// Turns what was deleted here and created there into renames, where at least so much is alike.
Status DetectRenames(Git& git, std::vector<FileDiff>& files, int percent, bool copies);
// Everything that DiffOptions asks of the list: pathspec, -R, renames, --diff-filter, -S and -G. `before`: all files of the old side,
// for --find-copies-harder.
Status Arrange(Git& git, std::vector<FileDiff>& files, const DiffOptions& options, Pathspec& paths, const FlatTree* before = nullptr);
// Makes what the configuration says of diffs part of the options.
void TakeDiffConfig(const Git& git, DiffOptions& options);
// What --dirstat shows.
Result<std::string> DirstatText(Git& git, const std::vector<FileDiff>& files, const DiffOptions& options);

// "100644".
std::string ModeText(uint32_t mode);
// The content of a side; empty where the file does not exist.
Result<std::string> ContentOf(Git& git, const FileDiff& file, bool is_new);

// What stands in hunk headers behind @@ for a line, or nothing when it does not begin anything. `driver`: of the attribute "diff".
using HeadingRule = std::function<std::optional<std::string>(std::string_view line)>;
HeadingRule HeadingRuleOf(std::string_view driver, Budget& budget);
// The driver that .gitattributes names for a file: "python"; "-": it has no text that could be compared; "+": it is text.
std::string DiffDriverOf(Git& git, const std::string& path);
// Colours the lines of a combined patch as git does.
std::string ColouredPatch(std::string_view patch);
// What --check finds in the lines that are new.
std::string CheckText(Git& git, const std::string& path, std::string_view a, std::string_view b, const DiffOptions& options);
// The patches of the files, in colours where the options say so.
Result<std::string> PatchesText(Git& git, const std::vector<FileDiff>& files, const DiffOptions& options);
// The edits between two texts, as git places them.
std::vector<DiffEdit> FindEdits(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b, const DiffOptions& options, Budget& budget);
// Takes the hunks of a patch.
class HunkSink {
 public:
  virtual ~HunkSink() = default;
  // "@@ -1,3 +1,4 @@", and what stands behind it: nothing, or a blank and a line of the file.
  virtual void Fragment(std::string_view range, std::string_view heading) = 0;
  // `mark`: a blank, - or +. The line is with its newline, if it has one.
  virtual void Line(char mark, std::string_view line) = 0;
};
void WalkHunks(std::string_view a, std::string_view b, const DiffOptions& options, Budget& budget, const HeadingRule& heading, HunkSink& sink);
// The hunks of a patch. Empty when nothing differs.
std::string HunksOf(std::string_view a, std::string_view b, const DiffOptions& options, Budget& budget, const HeadingRule& heading = {});

// In all the forms that `options` ask for.
Result<std::string> FormatDiff(Git& git, const std::vector<FileDiff>& files, const DiffOptions& options);
// Shows it, or writes it to --output; the exit status that --exit-code and --check ask for.
Result<ExitStatus> ShowDiff(Git& git, const std::vector<FileDiff>& files, const DiffOptions& options);
// " 2 files changed, 3 insertions(+)".
std::string ShortStat(size_t files, size_t added, size_t deleted);
struct LineCounts {
  size_t added = 0, deleted = 0;
  bool is_binary = false;
};
Result<LineCounts> CountLines(Git& git, const FileDiff& file, const DiffOptions& options);

// The files of the working tree that an index knows, hashed. Unmerged ones come as they are.
Result<FlatTree> WorkingFiles(Git& git, const Index& index);
FlatTree IndexFiles(const Index& index, bool with_intended = false);   // what add -N named is only intended
// Working tree against index or a tree; marks the new side as files.
Result<std::vector<FileDiff>> CompareWithFiles(Git& git, const FlatTree& before, const Index& index);
// What a file of the working tree would be as an object: its mode and content. Nothing if there is no such file.
struct FileContent {
  uint32_t mode;
  std::string data;
  vfs::Attributes attributes;
};
// As it would be in the repository (commands/git/convert.h).
Result<std::optional<FileContent>> ReadWorkingFile(Git& git, const std::string& path, RoundTrip check = RoundTrip::kSilent);
// As it is.
Result<std::optional<FileContent>> ReadRawFile(Git& git, const std::string& path);

}  // namespace paddock::git
