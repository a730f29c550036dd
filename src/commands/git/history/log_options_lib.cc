// The options of git log, show, whatchanged, rev-list and reflog.
#include <iterator>

#include "base/option_tables.h"
#include "commands/git/history/log.h"
#include "commands/git/refs/abbrev.h"

namespace paddock::git {
namespace {

Status TakeFormat(LogOptions& options, std::string_view value) {
  // "--format=" is a format that shows nothing, "--pretty" alone the usual one.
  options.has_empty_format = value.empty() && value.data() != nullptr;
  options.pretty = value.empty() ? "medium" : std::string(value);
  return {};
}
Status TakeDecorate(LogOptions& options, std::string_view value) {
  if (value.empty() || value == "short") options.decorate = PrettyOptions::Decorate::kShort;
  else if (value == "full") options.decorate = PrettyOptions::Decorate::kFull;
  else if (value == "no" || value == "auto") options.decorate = PrettyOptions::Decorate::kNo;
  else return Error(Code::kInvalid, "invalid --decorate option: " + std::string(value));
  return {};
}
Status TakeNoDecorate(LogOptions& options, std::string_view) {
  options.decorate = PrettyOptions::Decorate::kNo;
  options.no_decorate = true;
  return {};
}
Status TakeDate(LogOptions& options, std::string_view value) {
  if (!IsDateMode(value)) return Error(Code::kInvalid, "unknown date format " + std::string(value));
  options.date = value;
  return {};
}
Status TakeRelativeDate(LogOptions& options, std::string_view) {
  options.date = "relative";
  return {};
}
Status TakeTabs(LogOptions& options, std::string_view value) {
  int64_t width = 8;
  if (!value.empty() && (!ParseOptionValue(value, width) || width < 0 || width > 10000)) return Error(Code::kRange, "'" + std::string(value) + "': not a non-negative integer");
  options.tab_width = width;
  return {};
}
Status TakeNoTabs(LogOptions& options, std::string_view) {
  options.tab_width = 0;
  return {};
}
template <bool kUses>
Status TakeMailmap(LogOptions& options, std::string_view) {
  options.use_mailmap = kUses;
  return {};
}
Status TakeDecorateRefs(LogOptions& options, std::string_view value) {
  options.decorations.wanted.emplace_back(value);
  return {};
}
Status TakeDecorateRefsExclude(LogOptions& options, std::string_view value) {
  options.decorations.unwanted.emplace_back(value);
  return {};
}
Status TakeClearDecorations(LogOptions& options, std::string_view) {
  options.decorations = {};
  options.decorations.is_clear = true;
  return {};
}
Status TakeNoWalk(LogOptions& options, std::string_view value) {
  if (!value.empty() && value != "sorted" && value != "unsorted") return Error(Code::kInvalid, "invalid argument to --no-walk");
  options.no_walk = true;
  options.unsorted = value == "unsorted";
  return {};
}
Status TakeAncestryPath(LogOptions& options, std::string_view value) {
  options.ancestry_path = true;
  if (!value.empty()) options.path_starts.emplace_back(value);
  return {};
}
Status TakeDiffMerges(LogOptions& options, std::string_view value) {
  options.merge_patch = options.merges_by_first = options.no_merge_diffs = false;
  options.merges_only = true;
  options.combine = DiffOptions::Combine::kDefault;
  if (value == "off" || value == "none") options.no_merge_diffs = true;
  else if (value == "first-parent" || value == "1") options.merges_by_first = true;
  else if (value == "separate" || value == "m" || value == "on") options.merge_patch = true;
  else if (value == "combined" || value == "c") options.combine = DiffOptions::Combine::kPlain;
  else if (value == "dense-combined" || value == "cc") options.combine = DiffOptions::Combine::kDense;
  else if (value == "remerge" || value == "r") return Error(Code::kNotSupported, "--diff-merges=remerge is not supported");
  else return Error(Code::kInvalid, "invalid value for '--diff-merges': '" + std::string(value) + "'");
  return {};
}
Status TakeNoDiffMerges(LogOptions& options, std::string_view) { return TakeDiffMerges(options, "off"); }
Status TakeMerges(LogOptions& options, std::string_view) {
  options.min_parents = 2;
  return {};
}
Status TakeNoMerges(LogOptions& options, std::string_view) {
  options.max_parents = 1;
  return {};
}
Status TakeNoMinParents(LogOptions& options, std::string_view) {
  options.min_parents.reset();
  return {};
}
Status TakeNoMaxParents(LogOptions& options, std::string_view) {
  options.max_parents.reset();
  return {};
}

bool TakeCount(void* options, std::string_view argument) {
  if (argument[0] != '-' || argument.find_first_not_of("0123456789", 1) != std::string_view::npos || argument.size() > 18) return false;
  int64_t count = 0;
  if (!ParseOptionValue(argument.substr(1), count)) return false;
  static_cast<LogOptions*>(options)->count = count;
  return true;
}

// --branches=PATTERN and its like.
template <auto kAll, int kWhich>
Status TakeRefs(LogOptions& options, std::string_view value) {
  static constexpr const char* kFolders[] = {"refs/heads/", "refs/tags/", "refs/remotes/"};
  if (value.empty()) options.*kAll = true;
  else options.globs.push_back(kFolders[kWhich] + std::string(value));
  return {};
}
Status TakeNotes(LogOptions& options, std::string_view value) {
  options.with_notes = true;
  options.notes_ref = value;
  return {};
}
Status TakeNoNotes(LogOptions& options, std::string_view) {
  options.with_notes = false;
  return {};
}
Status TakeGlob(LogOptions& options, std::string_view value) {
  options.globs.push_back((value.starts_with("refs/") ? "" : "refs/") + std::string(value));
  return {};
}
Status TakeDiskUsage(LogOptions& options, std::string_view value) {
  if (!value.empty() && value != "human") return Error(Code::kInvalid, "invalid value for '--disk-usage=<format>': '" + std::string(value) + "', the only allowed format is 'human'");
  options.disk_usage = std::string(value);
  return {};
}
Status TakeHidden(LogOptions& options, std::string_view value) {
  if (value != "receive" && value != "uploadpack") return Error(Code::kInvalid, "unsupported section for hidden refs: " + std::string(value));
  options.hidden = value;
  return {};
}
Status TakeCherry(LogOptions& options, std::string_view) {
  options.right_only = options.cherry_mark = true;
  options.max_parents = 1;
  return {};
}

constexpr auto kOptions = JoinTables(DiffOptionTable(), std::array{
    Flag<&LogOptions::oneline>(0, "oneline", "one line a commit"),
    CallOptional<TakeFormat>(0, "pretty", "FORMAT", "oneline, short, medium, full, fuller, reference, raw or format:..."),
    Call<TakeFormat>(0, "format", "FORMAT", "likewise"),
    Flag<&LogOptions::abbrev_commit>(0, "abbrev-commit", "short ids"),
    Flag<&LogOptions::no_abbrev_commit>(0, "no-abbrev-commit", "whole ids"),
    CallOptional<TakeDiffAbbrev<&LogOptions::abbrev>>(0, "abbrev", "N", "ids of N digits"),
    Value<&LogOptions::count>('n', "max-count", "N", "at most N commits"),
    Value<&LogOptions::skip>(0, "skip", "N", "without the first N"),
    Value<&LogOptions::since>(0, "since", "DATE", "newer ones"),
    Value<&LogOptions::since>(0, "after", "DATE", "likewise"),
    Value<&LogOptions::until>(0, "until", "DATE", "older ones"),
    Value<&LogOptions::until>(0, "before", "DATE", "likewise"),
    Value<&LogOptions::authors>(0, "author", "PATTERN", "whose author matches"),
    Value<&LogOptions::committers>(0, "committer", "PATTERN", "whose committer matches"),
    Value<&LogOptions::greps>(0, "grep", "PATTERN", "whose message matches"),
    Flag<&LogOptions::all_match>(0, "all-match", "with several --grep: all of them"),
    Flag<&LogOptions::invert>(0, "invert-grep", "whose message does not match"),
    Flag<&LogOptions::ignores_case>('i', "regexp-ignore-case", "match in any case"),
    Flag<&LogOptions::extended>('E', "extended-regexp", "patterns are extended ones"),
    Flag<&LogOptions::fixed>('F', "fixed-strings", "patterns are plain text"),
    Call<TakeMerges>(0, "merges", nullptr, "merges only"),
    Call<TakeNoMerges>(0, "no-merges", nullptr, "no merges"),
    Flag<&LogOptions::first_parent>(0, "first-parent", "follow first parents only"),
    Flag<&LogOptions::all>(0, "all", "from all references"),
    CallOptional<TakeRefs<&LogOptions::branches, 0>>(0, "branches", "PATTERN", "from all branches"),
    CallOptional<TakeRefs<&LogOptions::tags, 1>>(0, "tags", "PATTERN", "from all tags"),
    CallOptional<TakeRefs<&LogOptions::remotes, 2>>(0, "remotes", "PATTERN", "from all remote branches"),
    CallOptional<TakeNotes>(0, "notes", "REF", "show notes (of REF)"),
    CallOptional<TakeNotes>(0, "show-notes", "REF", "likewise"),
    Call<TakeNoNotes>(0, "no-notes", nullptr, "show no notes"),
    Flag<&LogOptions::with_objects>(0, "objects", "list trees and blobs, too (rev-list)"),
    Call<TakeGlob>(0, "glob", "PATTERN", "from all references that match"),
    Value<&LogOptions::excludes>(0, "exclude", "PATTERN", "but not from those that match"),
    Flag<&LogOptions::not_all>(0, "not-all", nullptr),
    Flag<&LogOptions::not_branches>(0, "not-branches", nullptr),
    Flag<&LogOptions::not_tags>(0, "not-tags", nullptr),
    Flag<&LogOptions::not_remotes>(0, "not-remotes", nullptr),
    Flag<&LogOptions::from_stdin>(0, "stdin", "read further revisions from standard input"),
    Flag<&LogOptions::boundary>(0, "boundary", "show the commits where the range begins, too"),
    Flag<&LogOptions::left_right>(0, "left-right", "with A...B: mark the side"),
    Flag<&LogOptions::left_only>(0, "left-only", "with A...B: only what A has"),
    Flag<&LogOptions::right_only>(0, "right-only", "with A...B: only what B has"),
    Flag<&LogOptions::cherry_pick>(0, "cherry-pick", "with A...B: without changes that both have"),
    Flag<&LogOptions::cherry_mark>(0, "cherry-mark", "with A...B: mark changes that both have"),
    Call<TakeCherry>(0, "cherry", nullptr, "--right-only --cherry-mark --no-merges"),
    CallOptional<TakeAncestryPath>(0, "ancestry-path", "COMMIT", "only what leads from the start of the range, or from and to COMMIT, to its end"),
    Value<&LogOptions::min_parents>(0, "min-parents", "N", "with N parents or more"),
    Value<&LogOptions::max_parents>(0, "max-parents", "N", "with N parents or fewer"),
    Flag<&LogOptions::date_order>(0, "date-order", "no commit before its children, newest first"),
    Flag<&LogOptions::quiet_list>('q', "quiet", "show no differences; rev-list: no names"),
    Flag<&LogOptions::perl>('P', "perl-regexp", "patterns are Perl's"),
    Flag<&LogOptions::graph>(0, "graph", "draw how the commits follow each other"),
    Flag<&LogOptions::is_reversed>(0, "reverse", "oldest first"),
    Flag<&LogOptions::topological>(0, "topo-order", "no commit before its children, lines of history together"),
    Flag<&LogOptions::author_date_order>(0, "author-date-order", "by the author's date"),
    Flag<&LogOptions::follow>(0, "follow", "follow one file through renames"),
    Flag<&LogOptions::reflog>('g', "walk-reflogs", "what HEAD or a branch was"),
    Flag<&LogOptions::show_parents>(0, "parents", "with the parents"),
    Flag<&LogOptions::merge_patch>('m', nullptr, "show what merges changed, against each parent"),
    CallOptional<TakeDecorate>(0, "decorate", "HOW", "show names of references: short, full or no"),
    Call<TakeNoDecorate>(0, "no-decorate", nullptr, "show no names"),
    Call<TakeDate>(0, "date", "FORMAT", "how dates are shown: iso, short, relative, unix, format:..."),
    CallOptional<TakeNoWalk>(0, "no-walk", "ORDER", "only the commits that are named: sorted or unsorted"),
    Set<&LogOptions::no_walk, false>(0, "do-walk", "not only these"),
    Flag<&LogOptions::shows_source>(0, "source", "show the name by which each was found"),
    Call<TakeMailmap<true>>(0, "use-mailmap", nullptr, "names as .mailmap has them (the default)"),
    Call<TakeMailmap<true>>(0, "mailmap", nullptr, "likewise"),
    Call<TakeMailmap<false>>(0, "no-mailmap", nullptr, "names as they are"),
    Call<TakeMailmap<false>>(0, "no-use-mailmap", nullptr, "likewise"),
    Call<TakeClearDecorations>(0, "clear-decorations", nullptr, "decorate with all references"),
    Call<TakeDecorateRefs>(0, "decorate-refs", "PATTERN", "decorate with those that match"),
    Call<TakeDecorateRefsExclude>(0, "decorate-refs-exclude", "PATTERN", "but not with those"),
    Value<&LogOptions::line_ranges>('L', nullptr, "START,END:FILE", "the history of these lines, or of a function (:NAME:FILE)"),
    Call<TakeRelativeDate>(0, "relative-date", nullptr, "--date=relative"),
    CallOptional<TakeTabs>(0, "expand-tabs", "N", "tabs of messages as N blanks (8)"),
    Call<TakeNoTabs>(0, "no-expand-tabs", nullptr, "tabs as they are"),
    Value<&LogOptions::encoding>(0, "encoding", "NAME", "messages in this encoding"),
    Flag<&LogOptions::has_log_size>(0, "log-size", "tell the size of each message"),
    Flag<&LogOptions::shows_signatures>(0, "show-signature", "tell what gpg.program says of signatures"),
    Set<&LogOptions::shows_signatures, false>(0, "no-show-signature", "do not (the default)"),
    Flag<&LogOptions::of_merge>(0, "merge", "what both sides of a merge under way did to the files in conflict"),
    Flag<&LogOptions::by_decoration>(0, "simplify-by-decoration", "only what has a reference, and what ties these together"),
    Flag<&LogOptions::full_history>(0, "full-history", "with paths: all lines of history that changed them"),
    Set<&LogOptions::sparse, false>(0, "dense", "with paths: only what changed them (the default)"),
    Flag<&LogOptions::sparse>(0, "sparse", "with paths: also what did not change them"),
    Flag<&LogOptions::simplify_merges>(0, "simplify-merges", "--full-history without merges that bring nothing"),
    Flag<&LogOptions::show_pulls>(0, "show-pulls", "with paths: also merges that brought a change"),
    Flag<&LogOptions::remove_empty>(0, "remove-empty", "stop where a path is no more"),
    Flag<&LogOptions::children>(0, "children", "with the children"),
    Flag<&LogOptions::ignores_missing>(0, "ignore-missing", "forget names that mean nothing"),
    Flag<&LogOptions::reflogs>(0, "reflog", "from all that the reflogs name"),
    Flag<&LogOptions::bisect>(0, "bisect", "from the bad commit to the good ones"),
    Value<&LogOptions::grep_reflogs>(0, "grep-reflog", "PATTERN", "with -g: whose entry matches"),
    Flag<&LogOptions::basic>(0, "basic-regexp", "patterns are basic ones (the default)"),
    Value<&LogOptions::max_age>(0, "max-age", "SECONDS", "newer than that time"),
    Value<&LogOptions::min_age>(0, "min-age", "SECONDS", "older than that time"),
    Value<&LogOptions::since>(0, "since-as-filter", "DATE", "newer ones, wherever they are"),
    Call<TakeNoMinParents>(0, "no-min-parents", nullptr, "with any number of parents"),
    Call<TakeNoMaxParents>(0, "no-max-parents", nullptr, "likewise"),
    Call<TakeDiffMerges>(0, "diff-merges", "HOW", "merges: off, separate, first-parent, combined or dense-combined"),
    Call<TakeNoDiffMerges>(0, "no-diff-merges", nullptr, "show no changes of merges"),
    Flag<&LogOptions::objects_edge>(0, "objects-edge", "--objects, and the commits where the range begins"),
    Flag<&LogOptions::no_object_names>(0, "no-object-names", "--objects without names"),
    Set<&LogOptions::no_object_names, false>(0, "object-names", "--objects with names (the default)"),
    Flag<&LogOptions::unpacked>(0, "unpacked", "only what is in no pack"),
    Flag<&LogOptions::timestamp>(0, "timestamp", "with the time of each (rev-list)"),
    Flag<&LogOptions::no_commit_header>(0, "no-commit-header", "with a format: without the line of the id (rev-list)"),
    Set<&LogOptions::no_commit_header, false>(0, "commit-header", "with that line (the default)"),
    Flag<&LogOptions::header>(0, "header", "whole commits, each ended by NUL"),
    CallOptional<TakeDiskUsage>(0, "disk-usage", "human", "tell how much room they take"),
    Flag<&LogOptions::bisect_vars>(0, "bisect-vars", "the commit in the middle, as variables of a shell"),
    Flag<&LogOptions::bisect_all>(0, "bisect-all", "all commits, the best ones to test first"),
    Call<TakeHidden>(0, "exclude-hidden", "receive|uploadpack", "but not from those that are hidden"),
    Flag<&LogOptions::no_abbrev_commit>(0, "no-abbrev", "whole ids"),
    Flag<&LogOptions::count_only>(0, "count", "only tell how many (rev-list)"),
});
constexpr auto kReflogOptions = JoinTables(kOptions, std::array{
    Flag<&LogOptions::is_dry>(0, "dry-run", "with expire and delete: only tell"),
    Flag<&LogOptions::verbose>(0, "verbose", "with expire and delete: tell what goes"),
    Flag<&LogOptions::rewrites>(0, "rewrite", "with expire and delete: each entry begins where the one before ends"),
    Flag<&LogOptions::updates_ref>(0, "updateref", "with expire and delete: the reference is what the last entry says"),
    Flag<&LogOptions::fixes_stale>(0, "stale-fix", "with expire: also what leads to objects that are gone"),
    Flag<&LogOptions::one_worktree>(0, "single-worktree", "with expire --all: only the logs of this working tree (others are never taken)"),
    Value<&LogOptions::expire>(0, "expire", "DATE", "with expire: what is older (90 days)"),
    Value<&LogOptions::expire_unreachable>(0, "expire-unreachable", "DATE", "with expire: what is older and no longer part of the branch (30 days)"),
});

// Puts ^ before what follows --not, up to the next one.
std::vector<std::string> WithoutNot(std::vector<std::string> args) {
  std::vector<std::string> out;
  bool is_not = false;
  for (size_t i = 0; i < args.size(); ++i) {
    std::string& arg = args[i];
    if (arg == "--") {
      out.insert(out.end(), args.begin() + static_cast<std::ptrdiff_t>(i), args.end());
      break;
    }
    if (arg == "--not") {
      is_not = !is_not;
      continue;
    }
    const bool is_refs = arg == "--all" || arg == "--branches" || arg == "--tags" || arg == "--remotes";
    if (is_not && is_refs) arg = "--not-" + arg.substr(2);
    else if (is_not && !arg.starts_with('-')) arg = arg.starts_with('^') ? arg.substr(1) : "^" + arg;
    out.push_back(std::move(arg));
  }
  return out;
}

template <auto kRun>
constexpr Subcommand DefineLog(Subcommand subcommand) {
  subcommand.rules = {.numeric_shorthand = TakeCount};
  subcommand.run = [](Invocation& in, const Subcommand& self, Git* git, std::vector<std::string> args) -> ExitStatus {
    return DefineSubcommand<LogOptions, kRun>(self).run(in, self, git, WithoutNot(std::move(args)));
  };
  return subcommand;
}

}  // namespace

extern const Subcommand kLog, kShow, kRevList, kReflog, kWhatchanged;
const Subcommand kLog = DefineLog<Log>({.name = "log", .summary = "show the history", .synopsis = "[<options>] [<revision-range>] [[--] <path>...]", .options = kOptions});
const Subcommand kShow = DefineLog<Show>({.name = "show", .summary = "show objects", .synopsis = "[<options>] [<object>...]", .options = kOptions});
const Subcommand kRevList = DefineLog<RevList>({.name = "rev-list", .summary = "list commits", .synopsis = "[<options>] <commit>... [--] [<path>...]", .options = kOptions});
const Subcommand kReflog = DefineLog<RunReflog>({.name = "reflog", .summary = "show what a reference was", .synopsis = "[show] [<options>] [<ref>]\nexpire [--expire=<time>] [--expire-unreachable=<time>] [--all] [<refs>...]\ndelete <ref>@{<specifier>}...\nexists <ref>", .options = kReflogOptions});
const Subcommand kWhatchanged = DefineLog<WhatChanged>({.name = "whatchanged", .summary = "show the history with what each commit changed", .synopsis = "[<options>] [<revision-range>] [[--] <path>...]", .options = kOptions});

}  // namespace paddock::git
