// Differences between two states of the files, and the forms in which git shows them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/option_tables.h"
#include "commands/git/git.h"
#include "text/diff.h"
#include "text/unified_diff.h"

namespace paddock::git {

struct FileDiff {
  char status = 'M';            // A D M R C T U
  std::string old_path, new_path;
  uint32_t old_mode = 0, new_mode = 0;
  Oid old_id, new_id;
  int score = 0;                // of a rename, in percent
  bool old_is_file = false, new_is_file = false;   // the content is that of the working tree
};

struct DiffOptions {
  bool patch = false, stat = false, numstat = false, shortstat = false, summary = false, name_only = false, name_status = false, raw = false, no_patch = false;
  bool nul = false, reverse = false, full_index = false, exit_code = false, quiet = false, no_prefix = false, as_text = false;
  bool ignores_all_space = false, ignores_space_change = false, ignores_space_at_end = false;
  bool minimal = false;
  bool full_raw_ids = false;   // in raw lines
  bool binary = false;   // contents of binary files, too
  std::optional<int> find_renames;   // percent; 0: none
  bool no_renames = false;
  int64_t context = 3;
  std::optional<size_t> abbrev;
  std::string filter, pickaxe, pickaxe_regex, src_prefix = "a/", dst_prefix = "b/";
  size_t stat_width = 80;
  bool is_uncoloured = false;   // what is always so may be asked for
  bool HasFormat() const { return patch || stat || numstat || shortstat || summary || name_only || name_status || raw; }
};

Status TakeStatOption(DiffOptions& options, std::string_view value);
bool TakeDiffNumber(DiffOptions& options, std::string_view argument);

template <class O>
Status TakeDiffPatch(O& options, std::string_view) {
  options.patch = true;
  return {};
}
template <class O>
Status TakeDiffBinary(O& options, std::string_view) {
  options.patch = options.binary = true;
  return {};
}
template <class O>
Status TakeDiffContext(O& options, std::string_view value) {
  PADDOCK_TRY(ParseOptionValue(value, options.context));
  if (options.context < 0) return Error(Code::kRange, "option `unified' expects a non-negative integer");
  options.patch = true;
  return {};
}
template <class O>
Status TakeDiffStat(O& options, std::string_view value) { return TakeStatOption(options, value); }
Status TakeRenameOption(DiffOptions& options, std::string_view value);
template <class O>
Status TakeDiffRenames(O& options, std::string_view value) { return TakeRenameOption(options, value); }
template <class O>
Status TakeNoColour(O&, std::string_view value) {
  if (value == "never" || value == "auto") return {};
  return Error(Code::kInvalid, "colours are not supported");
}

// The options that diff, show, log and their like have in common; O begins with DiffOptions.
template <class O>
constexpr auto DiffOptionTable() {
  return std::array{
      Call<TakeDiffPatch<O>>('p', "patch", nullptr, "show the lines that changed"),
      Call<TakeDiffPatch<O>>('u', nullptr, nullptr, "likewise"),
      Call<TakeDiffContext<O>>('U', "unified", "N", "with N lines of context"),
      Flag<&O::no_patch>('s', "no-patch", "show no differences"),
      Flag<&O::raw>(0, "raw", "show modes and objects"),
      CallOptional<TakeDiffStat<O>>(0, "stat", "WIDTH", "show how many lines changed in each file"),
      Flag<&O::numstat>(0, "numstat", "the same, in numbers"),
      Flag<&O::shortstat>(0, "shortstat", "the last line of --stat"),
      Flag<&O::summary>(0, "summary", "show what was created, deleted and renamed"),
      Flag<&O::name_only>(0, "name-only", "show names alone"),
      Flag<&O::name_status>(0, "name-status", "show names and what happened"),
      Flag<&O::nul>('z', nullptr, "end names with NUL"),
      Flag<&O::reverse>('R', nullptr, "swap the two sides"),
      Flag<&O::full_index>(0, "full-index", "show whole ids"),
      Call<TakeDiffBinary<O>>(0, "binary", nullptr, "show what git apply needs to change binary files"),
      Flag<&O::as_text>('a', "text", "take all files for text"),
      Flag<&O::ignores_all_space>('w', "ignore-all-space", "ignore blanks"),
      Flag<&O::ignores_space_change>('b', "ignore-space-change", "ignore changes in the amount of blanks"),
      Flag<&O::ignores_space_at_end>(0, "ignore-space-at-eol", "ignore blanks at the ends of lines"),
      Flag<&O::minimal>(0, "minimal", "look for the fewest changes"),
      Flag<&O::no_renames>(0, "no-renames", "show renames as what was deleted and created"),
      CallOptional<TakeDiffRenames<O>>('M', "find-renames", "PERCENT", "find renames"),
      Flag<&O::no_prefix>(0, "no-prefix", "no a/ and b/ before names"),
      Value<&O::src_prefix>(0, "src-prefix", "TEXT", "instead of a/"),
      Value<&O::dst_prefix>(0, "dst-prefix", "TEXT", "instead of b/"),
      Value<&O::filter>(0, "diff-filter", "LETTERS", "only what was added (A), deleted (D), modified (M), renamed (R), ..."),
      Value<&O::pickaxe>('S', nullptr, "TEXT", "only files in which the number of TEXT changed"),
      Value<&O::pickaxe_regex>('G', nullptr, "PATTERN", "only files with changed lines that match"),
      Flag<&O::is_uncoloured>(0, "no-color", "without colours (always)"),
      CallOptional<TakeNoColour<O>>(0, "color", "WHEN", "never, or auto, which means never, too"),
      Flag<&O::is_uncoloured>(0, "no-ext-diff", "without other programs (always)"),
  };
}

// What differs, in order of path. Trees of commits and indexes; renames are not looked for.
std::vector<FileDiff> CompareTrees(const FlatTree& before, const FlatTree& after);
// Turns what was deleted here and created there into renames, where at least so much is alike.
Status DetectRenames(Git& git, std::vector<FileDiff>& files, int percent, bool copies);
// Everything that DiffOptions asks of the list: pathspec, -R, renames, --diff-filter, -S and -G.
Status Arrange(Git& git, std::vector<FileDiff>& files, const DiffOptions& options, Pathspec& paths);

// "100644".
std::string ModeText(uint32_t mode);
// The content of a side; empty where the file does not exist.
Result<std::string> ContentOf(Git& git, const FileDiff& file, bool is_new);

// The edits between two texts, as git places them.
std::vector<DiffEdit> FindEdits(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b, const DiffOptions& options, Budget& budget);
// The hunks of a patch. Empty when nothing differs.
std::string HunksOf(std::string_view a, std::string_view b, const DiffOptions& options, Budget& budget);

// In all the forms that `options` ask for.
Result<std::string> FormatDiff(Git& git, const std::vector<FileDiff>& files, const DiffOptions& options);
// " 2 files changed, 3 insertions(+)".
std::string ShortStat(size_t files, size_t added, size_t deleted);
struct LineCounts {
  size_t added = 0, deleted = 0;
  bool is_binary = false;
};
Result<LineCounts> CountLines(Git& git, const FileDiff& file, const DiffOptions& options);

// The files of the working tree that an index knows, hashed. Unmerged ones come as they are.
Result<FlatTree> WorkingFiles(Git& git, const Index& index);
FlatTree IndexFiles(const Index& index);
// Working tree against index or a tree; marks the new side as files.
Result<std::vector<FileDiff>> CompareWithFiles(Git& git, const FlatTree& before, const Index& index);
// What a file of the working tree would be as an object: its mode and content. Nothing if there is no such file.
struct FileContent {
  uint32_t mode;
  std::string data;
  vfs::Attributes attributes;
};
Result<std::optional<FileContent>> ReadWorkingFile(Git& git, const std::string& path);

}  // namespace paddock::git
