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
  bool ignores_submodules = false, shows_intended = false;
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
Status TakeDiffNoColour(O& options, std::string_view) { return TakeColourOption(options, "never"); }
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
// --diff-algorithm: what was asked for before does not count any more.
Status TakeAlgorithmOption(DiffOptions& options, std::string_view value);
template <class O>
Status TakeDiffAlgorithm(O& options, std::string_view value) { return TakeAlgorithmOption(options, value); }
template <class O>
Status TakeDiffMinimal(O& options, std::string_view) {
  options.edits.minimal = true;
  return {};
}
template <class O, EditAlgorithm kAlgorithm>
Status TakeDiffSearch(O& options, std::string_view) {
  options.edits.algorithm = kAlgorithm;
  if (kAlgorithm == EditAlgorithm::kPatience) options.edits.anchors.clear();
  return {};
}
template <class O>
Status TakeDiffAnchor(O& options, std::string_view value) {
  options.edits.algorithm = EditAlgorithm::kPatience;
  options.edits.anchors.emplace_back(value);
  return {};
}
template <class O, bool kSlides>
Status TakeDiffIndent(O& options, std::string_view) {
  options.edits.slides_by_indent = kSlides;
  return {};
}
Status TakeFilterOption(DiffOptions& options, std::string_view value);
template <class O>
Status TakeDiffFilter(O& options, std::string_view value) { return TakeFilterOption(options, value); }
Status TakeBreakOption(DiffOptions& options, std::string_view value);
template <class O>
Status TakeDiffBreak(O& options, std::string_view value) { return TakeBreakOption(options, value); }
// "files,5,cumulative".
Status TakeDirstatOption(DiffOptions& options, std::string_view value);
template <class O>
Status TakeDiffDirstat(O& options, std::string_view value) { return TakeDirstatOption(options, value); }
template <class O>
Status TakeDiffDirstatByFile(O& options, std::string_view value) {
  PADDOCK_TRY(TakeDirstatOption(options, "files"));
  return TakeDirstatOption(options, value);
}
template <class O>
Status TakeDiffCumulative(O& options, std::string_view) { return TakeDirstatOption(options, "cumulative"); }
template <class O>
Status TakeDiffCopiesHarder(O& options, std::string_view) {
  options.finds_copies = options.finds_copies_harder = true;
  if (!options.find_renames) options.find_renames = kWholeScore / 2;
  return {};
}
template <class O, bool kSet>
Status TakeDiffEmptyRenames(O& options, std::string_view) {
  options.takes_empty_renames = kSet;
  return {};
}
template <class O, bool kSet>
Status TakeDiffTextconv(O& options, std::string_view) {
  options.textconv = kSet;
  return {};
}
template <class O, bool kSet>
Status TakeDiffExternal(O& options, std::string_view) {
  options.ext_diff = kSet;
  return {};
}
Status TakeSubmoduleOption(DiffOptions& options, std::string_view value);
template <class O>
Status TakeDiffSubmodule(O& options, std::string_view value) { return TakeSubmoduleOption(options, value); }
Status TakeIgnoreSubmodulesOption(DiffOptions& options, std::string_view value);
template <class O>
Status TakeDiffIgnoreSubmodules(O& options, std::string_view value) { return TakeIgnoreSubmodulesOption(options, value); }
Status TakeHighlightOption(DiffOptions& options, std::string_view value);
template <class O>
Status TakeDiffHighlight(O& options, std::string_view value) { return TakeHighlightOption(options, value); }
Status TakeMovedOption(DiffOptions& options, std::string_view value);
template <class O>
Status TakeDiffMoved(O& options, std::string_view value) { return TakeMovedOption(options, value); }
template <class O>
Status TakeDiffNotMoved(O& options, std::string_view) {
  options.moved = MovedLines::Mode::kNo;
  return {};
}
Status TakeMovedBlanksOption(DiffOptions& options, std::string_view value);
template <class O>
Status TakeDiffMovedBlanks(O& options, std::string_view value) { return TakeMovedBlanksOption(options, value); }
template <class O>
Status TakeDiffNotMovedBlanks(O& options, std::string_view) {
  options.moved_blanks = MovedLines{};
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
      Call<TakeDiffMinimal<O>>(0, "minimal", nullptr, "look for the fewest changes"),
      Call<TakeDiffSearch<O, EditAlgorithm::kPatience>>(0, "patience", nullptr, "begin with lines that are there once"),
      Call<TakeDiffSearch<O, EditAlgorithm::kHistogram>>(0, "histogram", nullptr, "begin with the rarest lines"),
      Call<TakeDiffAnchor<O>>(0, "anchored", "TEXT", "lines that begin so stay, if they can"),
      Call<TakeDiffIndent<O, true>>(0, "indent-heuristic", nullptr, "move changes to where indentation says that something begins (the default)"),
      Call<TakeDiffIndent<O, false>>(0, "no-indent-heuristic", nullptr, nullptr),
      CallOptional<TakeDiffBreak<O>>('B', "break-rewrites", "N/M", "show what was written anew as what was deleted and created"),
      Call<TakeDiffCopiesHarder<O>>(0, "find-copies-harder", nullptr, "find copies of files that did not change, too"),
      Value<&O::rename_limit>('l', nullptr, "N", "do not look for renames among more files"),
      Call<TakeDiffEmptyRenames<O, true>>(0, "rename-empty", nullptr, "empty files can be renamed (the default)"),
      Call<TakeDiffEmptyRenames<O, false>>(0, "no-rename-empty", nullptr, nullptr),
      CallOptional<TakeDiffDirstat<O>>('X', "dirstat", "WHAT", "show how much changed in each directory: changes, lines, files, cumulative, noncumulative, percent"),
      Call<TakeDiffCumulative<O>>(0, "cumulative", nullptr, "--dirstat=cumulative"),
      CallOptional<TakeDiffDirstatByFile<O>>(0, "dirstat-by-file", "WHAT", "--dirstat=files"),
      Value<&O::order_file>('O', nullptr, "FILE", "in the order of the patterns in FILE"),
      Value<&O::skip_to>(0, "skip-to", "PATH", "without what comes before PATH"),
      Value<&O::rotate_to>(0, "rotate-to", "PATH", "what comes before PATH comes last"),
      Value<&O::find_object>(0, "find-object", "ID", "only files that were or became this object"),
      Value<&O::line_prefix>(0, "line-prefix", "TEXT", "begin each line with TEXT"),
      CallOptional<TakeDiffSubmodule<O>>(0, "submodule", "FORM", "show other repositories as short, log or diff"),
      CallOptional<TakeDiffIgnoreSubmodules<O>>(0, "ignore-submodules", "WHEN", "none, untracked, dirty or all"),
      Set<&O::shows_intended, false>(0, "ita-invisible-in-index", "what add -N named is not in the index"),
      Flag<&O::shows_intended>(0, "ita-visible-in-index", "it is there, and empty"),
      Call<TakeDiffTextconv<O, true>>(0, "textconv", nullptr, "run what turns files into text"),
      Call<TakeDiffTextconv<O, false>>(0, "no-textconv", nullptr, nullptr),
      Call<TakeDiffExternal<O, true>>(0, "ext-diff", nullptr, "run programs that show differences"),
      Call<TakeDiffExternal<O, false>>(0, "no-ext-diff", nullptr, "do not"),
      Call<TakeDiffHighlight<O>>(0, "ws-error-highlight", "WHERE", "paint blanks that should not be in context, old, new, all, none or default"),
      CallOptional<TakeDiffMoved<O>>(0, "color-moved", "MODE", "paint lines that were moved: plain, blocks, zebra, dimmed-zebra, no"),
      Call<TakeDiffNotMoved<O>>(0, "no-color-moved", nullptr, nullptr),
      Call<TakeDiffMovedBlanks<O>>(0, "color-moved-ws", "HOW", "which blanks count in them: no, ignore-space-change, ignore-space-at-eol, ignore-all-space, allow-indentation-change"),
      Call<TakeDiffNotMovedBlanks<O>>(0, "no-color-moved-ws", nullptr, nullptr),
      Flag<&O::no_renames>(0, "no-renames", "show renames as what was deleted and created"),
      CallOptional<TakeDiffRenames<O>>('M', "find-renames", "PERCENT", "find renames"),
      Flag<&O::no_prefix>(0, "no-prefix", "no a/ and b/ before names"),
      Value<&O::src_prefix>(0, "src-prefix", "TEXT", "instead of a/"),
      Value<&O::dst_prefix>(0, "dst-prefix", "TEXT", "instead of b/"),
      Call<TakeDiffFilter<O>>(0, "diff-filter", "LETTERS", "only what was added (A), deleted (D), modified (M), renamed (R), ..."),
      Value<&O::pickaxe>('S', nullptr, "TEXT", "only files in which the number of TEXT changed"),
      Value<&O::pickaxe_regex>('G', nullptr, "PATTERN", "only files with changed lines that match"),
      Call<TakeDiffNoColour<O>>(0, "no-color", nullptr, "without colours (the default)"),
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
      Call<TakeDiffAlgorithm<O>>(0, "diff-algorithm", "NAME", "myers, minimal, patience or histogram"),
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
  };
}

}  // namespace paddock::git
