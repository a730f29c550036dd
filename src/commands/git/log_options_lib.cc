// The options of git log, show, whatchanged, rev-list and reflog.
#include <algorithm>
#include <iterator>

#include "base/option_tables.h"
#include "commands/git/log.h"

namespace paddock::git {
namespace {

Status TakeFormat(LogOptions& options, std::string_view value) {
  static constexpr std::string_view kNames[] = {"oneline", "short", "medium", "full", "fuller", "reference", "raw"};
  if (value.empty()) options.pretty = "medium";
  else if (value.starts_with("format:") || value.starts_with("tformat:")) options.pretty = value;
  else if (std::find(std::begin(kNames), std::end(kNames), value) != std::end(kNames)) options.pretty = value;
  else if (value.find('%') != std::string_view::npos) options.pretty = "tformat:" + std::string(value);
  else return Error(Code::kInvalid, "invalid --pretty format: " + std::string(value));
  return {};
}
Status TakeDecorate(LogOptions& options, std::string_view value) {
  if (value.empty() || value == "short") options.decorate = PrettyOptions::Decorate::kShort;
  else if (value == "full") options.decorate = PrettyOptions::Decorate::kFull;
  else if (value == "no" || value == "auto") options.decorate = PrettyOptions::Decorate::kNo;
  else return Error(Code::kInvalid, "invalid --decorate option: " + std::string(value));
  return {};
}
Status TakeDate(LogOptions& options, std::string_view value) {
  if (!IsDateMode(value)) return Error(Code::kInvalid, "unknown date format " + std::string(value));
  options.date = value;
  return {};
}
Status TakeAbbrev(LogOptions& options, std::string_view value) {
  int64_t digits = 7;
  if (!value.empty()) PADDOCK_TRY(ParseOptionValue(value, digits));
  options.abbrev = static_cast<size_t>(std::clamp<int64_t>(digits, 4, 40));
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
Status TakeCherry(LogOptions& options, std::string_view) {
  options.right_only = options.cherry_mark = options.no_merges = true;
  return {};
}

constexpr auto kOptions = JoinTables(DiffOptionTable<LogOptions>(), std::array{
    Flag<&LogOptions::oneline>(0, "oneline", "one line a commit"),
    CallOptional<TakeFormat>(0, "pretty", "FORMAT", "oneline, short, medium, full, fuller, reference, raw or format:..."),
    Call<TakeFormat>(0, "format", "FORMAT", "likewise"),
    Flag<&LogOptions::abbrev_commit>(0, "abbrev-commit", "short ids"),
    Flag<&LogOptions::no_abbrev_commit>(0, "no-abbrev-commit", "whole ids"),
    CallOptional<TakeAbbrev>(0, "abbrev", "N", "ids of N digits"),
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
    Flag<&LogOptions::merges>(0, "merges", "merges only"),
    Flag<&LogOptions::no_merges>(0, "no-merges", "no merges"),
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
    Flag<&LogOptions::ancestry_path>(0, "ancestry-path", "only what leads from the start of the range to its end"),
    Value<&LogOptions::min_parents>(0, "min-parents", "N", "with N parents or more"),
    Value<&LogOptions::max_parents>(0, "max-parents", "N", "with N parents or fewer"),
    Flag<&LogOptions::date_order>(0, "date-order", "no commit before its children, newest first"),
    Flag<&LogOptions::quiet_list>(0, "quiet", "show no names (rev-list)"),
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
    Set<&LogOptions::decorate, PrettyOptions::Decorate::kNo>(0, "no-decorate", "show no names"),
    Call<TakeDate>(0, "date", "FORMAT", "how dates are shown: iso, short, relative, unix, format:..."),
    Flag<&LogOptions::no_walk>(0, "no-walk", "only the commits that are named"),
    Flag<&LogOptions::count_only>(0, "count", "only tell how many (rev-list)"),
});
constexpr auto kReflogOptions = JoinTables(kOptions, std::array{
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
