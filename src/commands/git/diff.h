// Differences between two states of the files, and the forms in which git shows them.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/option_tables.h"
#include "commands/git/convert.h"
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
  std::shared_ptr<const std::string> old_text, new_text;   // contents that are no objects
  std::string file_path;        // of that file, when it is shown under another name
  bool is_combined = false;     // an unmerged file that is shown with both sides
  TreeItem ours, theirs;        // these
};

struct DiffOptions {
  bool patch = false, stat = false, numstat = false, shortstat = false, summary = false, name_only = false, name_status = false, raw = false, no_patch = false;
  bool nul = false, reverse = false, full_index = false, exit_code = false, quiet = false, no_prefix = false, as_text = false;
  bool ignores_all_space = false, ignores_space_change = false, ignores_space_at_end = false;
  bool ignores_blank_lines = false, ignores_cr = false;
  bool minimal = false;
  bool full_raw_ids = false;   // in raw lines
  bool function_context = false, pickaxe_all = false, pickaxe_is_regex = false, compact_summary = false, checks = false;
  bool deletes_briefly = false, finds_copies = false;
  bool colours = false, is_relative = false;
  enum class Words { kNo, kPlain, kColor, kPorcelain } words = Words::kNo;
  std::string word_pattern;
  enum class Combine { kDefault, kPlain, kDense } combine = Combine::kDefault;
  std::vector<std::string> ignored_lines;   // of -I
  std::string relative_to;
  char new_mark = '+', old_mark = '-', context_mark = ' ';
  int64_t inter_hunk = 0;
  bool binary = false;   // contents of binary files, too
  std::optional<int> find_renames;   // percent; 0: none
  bool no_renames = false;
  int64_t context = 3;
  std::optional<size_t> abbrev;
  std::string filter, pickaxe, pickaxe_regex, src_prefix = "a/", dst_prefix = "b/";
  size_t stat_width = 80, stat_name_width = 0, stat_graph_width = 0, stat_count = 0;   // 0: as it comes
  bool is_uncoloured = false;   // what is always so may be asked for
  bool HasFormat() const { return patch || stat || numstat || shortstat || summary || name_only || name_status || raw || checks; }
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
Status TakeColourOption(DiffOptions& options, std::string_view value);
template <class O>
Status TakeDiffColour(O& options, std::string_view value) { return TakeColourOption(options, value); }
template <class O>
Status TakeDiffPatchWithRaw(O& options, std::string_view) {
  options.patch = options.raw = true;
  return {};
}
template <class O>
Status TakeDiffPatchWithStat(O& options, std::string_view) {
  options.patch = options.stat = true;
  return {};
}
template <class O>
Status TakeDiffCompactSummary(O& options, std::string_view) {
  options.stat = options.compact_summary = true;
  return {};
}
Status TakeWordsOption(DiffOptions& options, std::string_view value);
template <class O>
Status TakeDiffWords(O& options, std::string_view value) { return TakeWordsOption(options, value); }
template <class O>
Status TakeDiffColorWords(O& options, std::string_view value) {
  options.words = DiffOptions::Words::kColor;
  options.colours = options.patch = true;
  if (!value.empty()) options.word_pattern = value;
  return {};
}
template <class O>
Status TakeDiffWordPattern(O& options, std::string_view value) {
  if (options.words == DiffOptions::Words::kNo) options.words = DiffOptions::Words::kPlain;
  options.patch = true;
  options.word_pattern = value;
  return {};
}
template <class O>
Status TakeDiffRelative(O& options, std::string_view value) {
  options.is_relative = true;
  options.relative_to = value;
  return {};
}
template <class O>
Status TakeDiffCopies(O& options, std::string_view value) {
  options.finds_copies = true;
  return TakeRenameOption(options, value);
}
template <class O>
Status TakeDiffAlgorithm(O& options, std::string_view value) {
  if (value == "minimal") options.minimal = true;
  else if (value == "myers" || value == "default") options.minimal = false;
  else if (value == "patience" || value == "histogram") return Error(Code::kNotSupported, "the " + std::string(value) + " algorithm is not supported");
  else return Error(Code::kInvalid, "option diff-algorithm accepts \"myers\", \"minimal\", \"patience\" and \"histogram\"");
  return {};
}
template <class O, int kWhich>
Status TakeDiffIndicator(O& options, std::string_view value) {
  if (value.size() != 1) return Error(Code::kInvalid, "option `output-indicator' expects a character, got '" + std::string(value) + "'");
  (kWhich == 0 ? options.new_mark : kWhich == 1 ? options.old_mark : options.context_mark) = value[0];
  return {};
}
template <class O>
Status TakeDiffStatPart(O& options, std::string_view value, int which) {
  int64_t number = 0;
  PADDOCK_TRY(ParseOptionValue(value, number));
  options.stat = true;
  (which == 0 ? options.stat_width : which == 1 ? options.stat_name_width : which == 2 ? options.stat_graph_width : options.stat_count) = static_cast<size_t>(std::clamp<int64_t>(number, 0, 10000));
  return {};
}
template <class O, int kWhich>
Status TakeDiffStatNumber(O& options, std::string_view value) { return TakeDiffStatPart(options, value, kWhich); }

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
      Set<&O::colours, false>(0, "no-color", "without colours (the default)"),
      CallOptional<TakeDiffColour<O>>(0, "color", "WHEN", "always, never, or auto, which means never, too"),
      Call<TakeDiffPatchWithRaw<O>>(0, "patch-with-raw", nullptr, "-p --raw"),
      Call<TakeDiffPatchWithStat<O>>(0, "patch-with-stat", nullptr, "-p --stat"),
      Call<TakeDiffStatNumber<O, 0>>(0, "stat-width", "N", "--stat in so many columns"),
      Call<TakeDiffStatNumber<O, 1>>(0, "stat-name-width", "N", "--stat with so many for names"),
      Call<TakeDiffStatNumber<O, 2>>(0, "stat-graph-width", "N", "--stat with so many for + and -"),
      Call<TakeDiffStatNumber<O, 3>>(0, "stat-count", "N", "--stat of the first N files"),
      Call<TakeDiffCompactSummary<O>>(0, "compact-summary", nullptr, "--stat that also tells what was created and deleted"),
      Flag<&O::checks>(0, "check", "tell where changes leave blanks or conflict markers"),
      Flag<&O::ignores_blank_lines>(0, "ignore-blank-lines", "ignore changes of empty lines alone"),
      Flag<&O::ignores_cr>(0, "ignore-cr-at-eol", "ignore carriage returns at the ends of lines"),
      Value<&O::ignored_lines>('I', "ignore-matching-lines", "PATTERN", "ignore changes of which all lines match"),
      Call<TakeDiffAlgorithm<O>>(0, "diff-algorithm", "NAME", "myers or minimal"),
      Value<&O::inter_hunk>(0, "inter-hunk-context", "N", "join hunks with so many lines between them"),
      Flag<&O::function_context>('W', "function-context", "show whole functions"),
      CallOptional<TakeDiffWords<O>>(0, "word-diff", "MODE", "show words that changed: plain, color, porcelain or none"),
      CallOptional<TakeDiffColorWords<O>>(0, "color-words", "PATTERN", "--word-diff=color"),
      Call<TakeDiffWordPattern<O>>(0, "word-diff-regex", "PATTERN", "what a word is"),
      CallOptional<TakeDiffCopies<O>>('C', "find-copies", "PERCENT", "find copies, too"),
      Flag<&O::deletes_briefly>('D', "irreversible-delete", "do not show the lines of deleted files"),
      Flag<&O::pickaxe_all>(0, "pickaxe-all", "with -S or -G: all files of the commit"),
      Flag<&O::pickaxe_is_regex>(0, "pickaxe-regex", "with -S: TEXT is a pattern"),
      CallOptional<TakeDiffRelative<O>>(0, "relative", "PATH", "only what is below a directory, and paths from there"),
      Call<TakeDiffIndicator<O, 0>>(0, "output-indicator-new", "C", "instead of +"),
      Call<TakeDiffIndicator<O, 1>>(0, "output-indicator-old", "C", "instead of -"),
      Call<TakeDiffIndicator<O, 2>>(0, "output-indicator-context", "C", "instead of a blank"),
      Set<&O::combine, DiffOptions::Combine::kPlain>('c', nullptr, "merges: against all parents at once"),
      Set<&O::combine, DiffOptions::Combine::kDense>(0, "cc", "the same, without what is that of one side"),
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

// What stands in hunk headers behind @@ for a line, or nothing when it does not begin anything. `driver`: of the attribute "diff".
using HeadingRule = std::function<std::optional<std::string>(std::string_view line)>;
HeadingRule HeadingRuleOf(std::string_view driver, Budget& budget);
// The driver that .gitattributes names for a file: "python"; "-": it has no text that could be compared; "+": it is text.
std::string DiffDriverOf(Git& git, const std::string& path);
// Colours the lines of a patch as git does.
std::string ColouredPatch(std::string_view patch);
// The patch with words instead of lines.
std::string WordHunks(std::string_view a, std::string_view b, const DiffOptions& options, Budget& budget);
// What --check finds in the lines that are new.
std::string CheckText(const std::string& path, std::string_view a, std::string_view b, const DiffOptions& options, Budget& budget);
// The edits between two texts, as git places them.
std::vector<DiffEdit> FindEdits(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b, const DiffOptions& options, Budget& budget);
// The hunks of a patch. Empty when nothing differs.
std::string HunksOf(std::string_view a, std::string_view b, const DiffOptions& options, Budget& budget, const HeadingRule& heading = {});

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
// As it would be in the repository (commands/git/convert.h).
Result<std::optional<FileContent>> ReadWorkingFile(Git& git, const std::string& path, RoundTrip check = RoundTrip::kSilent);
// As it is.
Result<std::optional<FileContent>> ReadRawFile(Git& git, const std::string& path);

}  // namespace paddock::git
