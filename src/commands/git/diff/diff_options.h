// The options that diff, show, log and their like have in common.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/option_tables.h"
#include "git/config.h"
#include "git/line_edits.h"

namespace paddock::git {

// What --dirstat counts, and from how much on a directory is shown.
struct Dirstat {
  enum class Counts { kChanges, kLines, kFiles } counts = Counts::kChanges;
  bool is_cumulative = false;
  int64_t least_permille = 30;
};

// In which lines blanks that do not belong there are painted.
inline constexpr uint8_t kHighlightNew = 1, kHighlightOld = 2, kHighlightContext = 4;

// Lines that went in one place and came in another.
struct MovedLines {
  enum class Mode { kNo, kPlain, kBlocks, kZebra, kDimmedZebra } mode = Mode::kNo;
  bool ignores_all_space = false, ignores_space_change = false, ignores_space_at_end = false, may_be_indented = false;
};

inline constexpr int kWholeScore = 60000;   // of similarity: 100 %

struct DiffOptions {
  bool patch = false, stat = false, numstat = false, shortstat = false, summary = false, name_only = false, name_status = false, raw = false, no_patch = false;
  bool nul = false, reverse = false, full_index = false, exit_code = false, quiet = false, no_prefix = false, as_text = false;
  bool ignores_all_space = false, ignores_space_change = false, ignores_space_at_end = false;
  bool ignores_blank_lines = false, ignores_cr = false;
  EditRules edits;
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
  std::optional<int> find_renames;   // in kWholeScore
  int break_score = -1, merge_score = 0;   // of --break-rewrites; -1: rewrites are not broken
  int64_t rename_limit = -1;               // -1: as configured
  bool finds_copies_harder = false, takes_empty_renames = true;
  bool follows = false;
  std::string order_file, skip_to, rotate_to, find_object, line_prefix, output;
  bool needs_rotation = true;   // no file to begin with is an error
  std::optional<Dirstat> dirstat;
  std::optional<bool> textconv, ext_diff;   // as the command has it
  enum class Submodules { kShort, kLog, kDiff } submodules = Submodules::kShort;
  bool has_submodule_form = false;
  bool ignores_submodules = false, ignores_dirty = false /* what is not committed in submodules */, shows_intended = false;
  std::optional<uint8_t> highlight;
  std::optional<MovedLines::Mode> moved;
  std::optional<MovedLines> moved_blanks;
  bool colours_are_set = false, all_paths = false;
  int stage = -1;   // of unmerged files, to compare with; -1: as the form has it
  bool no_renames = false;
  int64_t context = 3;
  std::optional<size_t> abbrev;
  std::string filter, pickaxe, pickaxe_regex, src_prefix = "a/", dst_prefix = "b/";
  size_t stat_width = 80, stat_name_width = 0, stat_graph_width = 0, stat_count = 0;   // 0: as it comes
  bool HasFormat() const { return patch || stat || numstat || shortstat || summary || name_only || name_status || raw || checks || dirstat; }
};

// Where one of --name-only, --name-status, --check and -s is given no other form counts; two of them are an error.
Status SettleForms(DiffOptions& options);
Status TakeStatOption(DiffOptions& options, std::string_view value);
bool TakeDiffNumber(DiffOptions& options, std::string_view argument);

// Sets all of these.
template <auto... kMembers>
Status TakeDiffFlags(DiffOptions& options, std::string_view) {
  ((options.*kMembers = true), ...);
  return {};
}
Status TakeContextOption(DiffOptions& options, std::string_view value);
Status TakeRenameOption(DiffOptions& options, std::string_view value);
Status TakeCopiesOption(DiffOptions& options, std::string_view value);
Status TakeCopiesHarderOption(DiffOptions& options, std::string_view);
Status TakeColourOption(DiffOptions& options, std::string_view value);
Status TakeNoColourOption(DiffOptions& options, std::string_view);
Status TakeWordsOption(DiffOptions& options, std::string_view value);
Status TakeColourWordsOption(DiffOptions& options, std::string_view value);
Status TakeWordPatternOption(DiffOptions& options, std::string_view value);
Status TakeRelativeOption(DiffOptions& options, std::string_view value);
// --diff-algorithm: what was asked for before does not count any more.
Status TakeAlgorithmOption(DiffOptions& options, std::string_view value);
Status TakeMinimalOption(DiffOptions& options, std::string_view);
template <EditAlgorithm kAlgorithm>
Status TakeDiffSearch(DiffOptions& options, std::string_view) {
  options.edits.algorithm = kAlgorithm;
  if (kAlgorithm == EditAlgorithm::kPatience) options.edits.anchors.clear();
  return {};
}
Status TakeAnchorOption(DiffOptions& options, std::string_view value);
template <bool kSlides>
Status TakeDiffIndent(DiffOptions& options, std::string_view) {
  options.edits.slides_by_indent = kSlides;
  return {};
}
Status TakeFilterOption(DiffOptions& options, std::string_view value);
Status TakeBreakOption(DiffOptions& options, std::string_view value);
// "files,5,cumulative".
Status TakeDirstatOption(DiffOptions& options, std::string_view value);
Status TakeDirstatByFileOption(DiffOptions& options, std::string_view value);
Status TakeCumulativeOption(DiffOptions& options, std::string_view);
Status TakeSubmoduleOption(DiffOptions& options, std::string_view value);
Status TakeIgnoreSubmodulesOption(DiffOptions& options, std::string_view value);
Status TakeHighlightOption(DiffOptions& options, std::string_view value);
Status TakeMovedOption(DiffOptions& options, std::string_view value);
Status TakeMovedBlanksOption(DiffOptions& options, std::string_view value);
Status TakeNoMovedBlanksOption(DiffOptions& options, std::string_view);
Status TakeIndicator(char& mark, std::string_view value);
template <auto kMark>
Status TakeDiffIndicator(DiffOptions& options, std::string_view value) { return TakeIndicator(options.*kMark, value); }
Status TakeStatNumber(DiffOptions& options, size_t& number, std::string_view value);
template <auto kNumber>
Status TakeDiffStatNumber(DiffOptions& options, std::string_view value) { return TakeStatNumber(options, options.*kNumber, value); }

// The options that diff, show, log and their like have in common; what they are parsed into begins with DiffOptions.
constexpr auto DiffOptionTable() {
  return std::array{
      Call<TakeDiffFlags<&DiffOptions::patch>>('p', "patch", nullptr, "show the lines that changed"),
      Call<TakeDiffFlags<&DiffOptions::patch>>('u', nullptr, nullptr, "likewise"),
      Call<TakeContextOption>('U', "unified", "N", "with N lines of context"),
      Flag<&DiffOptions::no_patch>('s', "no-patch", "show no differences"),
      Flag<&DiffOptions::raw>(0, "raw", "show modes and objects"),
      CallOptional<TakeStatOption>(0, "stat", "WIDTH", "show how many lines changed in each file"),
      Flag<&DiffOptions::numstat>(0, "numstat", "the same, in numbers"),
      Flag<&DiffOptions::shortstat>(0, "shortstat", "the last line of --stat"),
      Flag<&DiffOptions::summary>(0, "summary", "show what was created, deleted and renamed"),
      Flag<&DiffOptions::name_only>(0, "name-only", "show names alone"),
      Flag<&DiffOptions::name_status>(0, "name-status", "show names and what happened"),
      Flag<&DiffOptions::nul>('z', nullptr, "end names with NUL"),
      Flag<&DiffOptions::reverse>('R', nullptr, "swap the two sides"),
      Flag<&DiffOptions::full_index>(0, "full-index", "show whole ids"),
      Call<TakeDiffFlags<&DiffOptions::patch, &DiffOptions::binary>>(0, "binary", nullptr, "show what git apply needs to change binary files"),
      Flag<&DiffOptions::as_text>('a', "text", "take all files for text"),
      Flag<&DiffOptions::ignores_all_space>('w', "ignore-all-space", "ignore blanks"),
      Flag<&DiffOptions::ignores_space_change>('b', "ignore-space-change", "ignore changes in the amount of blanks"),
      Flag<&DiffOptions::ignores_space_at_end>(0, "ignore-space-at-eol", "ignore blanks at the ends of lines"),
      Call<TakeMinimalOption>(0, "minimal", nullptr, "look for the fewest changes"),
      Call<TakeDiffSearch<EditAlgorithm::kPatience>>(0, "patience", nullptr, "begin with lines that are there once"),
      Call<TakeDiffSearch<EditAlgorithm::kHistogram>>(0, "histogram", nullptr, "begin with the rarest lines"),
      Call<TakeAnchorOption>(0, "anchored", "TEXT", "lines that begin so stay, if they can"),
      Call<TakeDiffIndent<true>>(0, "indent-heuristic", nullptr, "move changes to where indentation says that something begins (the default)"),
      Call<TakeDiffIndent<false>>(0, "no-indent-heuristic", nullptr, nullptr),
      CallOptional<TakeBreakOption>('B', "break-rewrites", "N/M", "show what was written anew as what was deleted and created"),
      Call<TakeCopiesHarderOption>(0, "find-copies-harder", nullptr, "find copies of files that did not change, too"),
      Value<&DiffOptions::rename_limit>('l', nullptr, "N", "do not look for renames among more files"),
      Set<&DiffOptions::takes_empty_renames, true>(0, "rename-empty", "empty files can be renamed (the default)"),
      Set<&DiffOptions::takes_empty_renames, false>(0, "no-rename-empty", nullptr),
      CallOptional<TakeDirstatOption>('X', "dirstat", "WHAT", "show how much changed in each directory: changes, lines, files, cumulative, noncumulative, percent"),
      Call<TakeCumulativeOption>(0, "cumulative", nullptr, "--dirstat=cumulative"),
      CallOptional<TakeDirstatByFileOption>(0, "dirstat-by-file", "WHAT", "--dirstat=files"),
      Value<&DiffOptions::order_file>('O', nullptr, "FILE", "in the order of the patterns in FILE"),
      Value<&DiffOptions::skip_to>(0, "skip-to", "PATH", "without what comes before PATH"),
      Value<&DiffOptions::rotate_to>(0, "rotate-to", "PATH", "what comes before PATH comes last"),
      Value<&DiffOptions::find_object>(0, "find-object", "ID", "only files that were or became this object"),
      Value<&DiffOptions::line_prefix>(0, "line-prefix", "TEXT", "begin each line with TEXT"),
      CallOptional<TakeSubmoduleOption>(0, "submodule", "FORM", "show other repositories as short, log or diff"),
      CallOptional<TakeIgnoreSubmodulesOption>(0, "ignore-submodules", "WHEN", "none, untracked, dirty or all"),
      Set<&DiffOptions::shows_intended, false>(0, "ita-invisible-in-index", "what add -N named is not in the index"),
      Flag<&DiffOptions::shows_intended>(0, "ita-visible-in-index", "it is there, and empty"),
      Set<&DiffOptions::textconv, true>(0, "textconv", "run what turns files into text"),
      Set<&DiffOptions::textconv, false>(0, "no-textconv", nullptr),
      Set<&DiffOptions::ext_diff, true>(0, "ext-diff", "run programs that show differences"),
      Set<&DiffOptions::ext_diff, false>(0, "no-ext-diff", "do not"),
      Call<TakeHighlightOption>(0, "ws-error-highlight", "WHERE", "paint blanks that should not be in context, old, new, all, none or default"),
      CallOptional<TakeMovedOption>(0, "color-moved", "MODE", "paint lines that were moved: plain, blocks, zebra, dimmed-zebra, no"),
      Set<&DiffOptions::moved, MovedLines::Mode::kNo>(0, "no-color-moved", nullptr),
      Call<TakeMovedBlanksOption>(0, "color-moved-ws", "HOW", "which blanks count in them: no, ignore-space-change, ignore-space-at-eol, ignore-all-space, allow-indentation-change"),
      Call<TakeNoMovedBlanksOption>(0, "no-color-moved-ws", nullptr, nullptr),
      Flag<&DiffOptions::no_renames>(0, "no-renames", "show renames as what was deleted and created"),
      CallOptional<TakeRenameOption>('M', "find-renames", "PERCENT", "find renames"),
      Flag<&DiffOptions::no_prefix>(0, "no-prefix", "no a/ and b/ before names"),
      Value<&DiffOptions::src_prefix>(0, "src-prefix", "TEXT", "instead of a/"),
      Value<&DiffOptions::dst_prefix>(0, "dst-prefix", "TEXT", "instead of b/"),
      Call<TakeFilterOption>(0, "diff-filter", "LETTERS", "only what was added (A), deleted (D), modified (M), renamed (R), ..."),
      Value<&DiffOptions::pickaxe>('S', nullptr, "TEXT", "only files in which the number of TEXT changed"),
      Value<&DiffOptions::pickaxe_regex>('G', nullptr, "PATTERN", "only files with changed lines that match"),
      Call<TakeNoColourOption>(0, "no-color", nullptr, "without colours (the default)"),
      CallOptional<TakeColourOption>(0, "color", "WHEN", "always, never, or auto, which means never, too"),
      Call<TakeDiffFlags<&DiffOptions::patch, &DiffOptions::raw>>(0, "patch-with-raw", nullptr, "-p --raw"),
      Call<TakeDiffFlags<&DiffOptions::patch, &DiffOptions::stat>>(0, "patch-with-stat", nullptr, "-p --stat"),
      Call<TakeDiffStatNumber<&DiffOptions::stat_width>>(0, "stat-width", "N", "--stat in so many columns"),
      Call<TakeDiffStatNumber<&DiffOptions::stat_name_width>>(0, "stat-name-width", "N", "--stat with so many for names"),
      Call<TakeDiffStatNumber<&DiffOptions::stat_graph_width>>(0, "stat-graph-width", "N", "--stat with so many for + and -"),
      Call<TakeDiffStatNumber<&DiffOptions::stat_count>>(0, "stat-count", "N", "--stat of the first N files"),
      Call<TakeDiffFlags<&DiffOptions::stat, &DiffOptions::compact_summary>>(0, "compact-summary", nullptr, "--stat that also tells what was created and deleted"),
      Flag<&DiffOptions::checks>(0, "check", "tell where changes leave blanks or conflict markers"),
      Flag<&DiffOptions::ignores_blank_lines>(0, "ignore-blank-lines", "ignore changes of empty lines alone"),
      Flag<&DiffOptions::ignores_cr>(0, "ignore-cr-at-eol", "ignore carriage returns at the ends of lines"),
      Value<&DiffOptions::ignored_lines>('I', "ignore-matching-lines", "PATTERN", "ignore changes of which all lines match"),
      Call<TakeAlgorithmOption>(0, "diff-algorithm", "NAME", "myers, minimal, patience or histogram"),
      Value<&DiffOptions::inter_hunk>(0, "inter-hunk-context", "N", "join hunks with so many lines between them"),
      Flag<&DiffOptions::function_context>('W', "function-context", "show whole functions"),
      CallOptional<TakeWordsOption>(0, "word-diff", "MODE", "show words that changed: plain, color, porcelain or none"),
      CallOptional<TakeColourWordsOption>(0, "color-words", "PATTERN", "--word-diff=color"),
      Call<TakeWordPatternOption>(0, "word-diff-regex", "PATTERN", "what a word is"),
      CallOptional<TakeCopiesOption>('C', "find-copies", "PERCENT", "find copies, too"),
      Flag<&DiffOptions::deletes_briefly>('D', "irreversible-delete", "do not show the lines of deleted files"),
      Flag<&DiffOptions::pickaxe_all>(0, "pickaxe-all", "with -S or -G: all files of the commit"),
      Flag<&DiffOptions::pickaxe_is_regex>(0, "pickaxe-regex", "with -S: TEXT is a pattern"),
      CallOptional<TakeRelativeOption>(0, "relative", "PATH", "only what is below a directory, and paths from there"),
      Call<TakeDiffIndicator<&DiffOptions::new_mark>>(0, "output-indicator-new", "C", "instead of +"),
      Call<TakeDiffIndicator<&DiffOptions::old_mark>>(0, "output-indicator-old", "C", "instead of -"),
      Call<TakeDiffIndicator<&DiffOptions::context_mark>>(0, "output-indicator-context", "C", "instead of a blank"),
      Set<&DiffOptions::combine, DiffOptions::Combine::kPlain>('c', nullptr, "merges: against all parents at once"),
      Set<&DiffOptions::combine, DiffOptions::Combine::kDense>(0, "cc", "the same, without what is that of one side"),
  };
}

}  // namespace paddock::git
