// What git log, show, whatchanged, rev-list and reflog share: their options, what of the history they select, and how it is printed.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "commands/git/diff/diff.h"
#include "commands/git/history/graph.h"
#include "commands/git/history/pretty.h"
#include "commands/git/refs/revision.h"

namespace paddock::git {

struct LogOptions : DiffOptions {
  bool oneline = false, all = false, branches = false, tags = false, remotes = false, reflog = false;
  bool first_parent = false, is_reversed = false, topological = false, author_date_order = false, follow = false, invert = false, ignores_case = false, fixed = false, extended = false;
  bool all_match = false, abbrev_commit = false, no_abbrev_commit = false, count_only = false, show_parents = false, no_walk = false;
  bool merge_patch = false, graph = false, boundary = false, left_right = false, left_only = false, right_only = false, cherry_pick = false, cherry_mark = false, ancestry_path = false, from_stdin = false, date_order = false, quiet_list = false, perl = false, only_changes = false;
  bool not_all = false, not_branches = false, not_tags = false, not_remotes = false;
  std::vector<std::string> globs, excludes;
  std::optional<bool> with_notes;
  std::string notes_ref;
  bool with_objects = false;
  std::optional<int64_t> min_parents, max_parents, max_age, min_age;
  bool is_dry = false, rewrites = false, updates_ref = false, verbose = false, fixes_stale = false, one_worktree = false;   // of reflog
  bool timestamp = false, no_commit_header = false, no_decorate = false, has_empty_format = false, shows_source = false, has_log_size = false, shows_signatures = false, by_decoration = false, full_history = false, sparse = false, simplify_merges = false, show_pulls = false, remove_empty = false, children = false, unsorted = false, ignores_missing = false, reflogs = false, bisect = false, full_date = false, merges_by_first = false, no_merge_diffs = false, of_merge = false, merges_only = false /* the differences of --diff-merges */, basic = false;
  std::optional<bool> use_mailmap;
  DecorationFilter decorations;
  std::optional<int64_t> tab_width;
  std::string encoding;
  std::vector<std::string> grep_reflogs, path_starts, line_ranges;
  // Only rev-list has these.
  bool objects_edge = false, no_object_names = false, unpacked = false, header = false, bisects = false, bisect_all = false, bisect_vars = false;
  std::optional<std::string> disk_usage;
  std::string hidden;   // --exclude-hidden
  std::optional<int64_t> count, skip;
  std::vector<std::string> authors, committers, greps;
  std::string since, until, pretty, date, expire, expire_unreachable;
  PrettyOptions::Decorate decorate = PrettyOptions::Decorate::kNo;
};

// Adds what the options (--all, --branches, --glob ...) include and exclude.
void TakeDefaults(Git& git, const LogOptions& options, Selection& selection);
// Whether there are options like that.
bool HasSources(const LogOptions& options);
// --stdin: a line is a revision, or a path once "--" was there.
Status ReadStdin(Git& git, const LogOptions& options, Args& args);

// What is known of the commits beside their order.
struct LogSides {
  std::map<Oid, std::vector<Oid>> parents;  // of those that are shown, among them; filled when they are asked for
  std::map<Oid, char> marks;                // <, >, = or -
  std::set<Oid> left;                       // of A...B, for %m
  std::map<Oid, std::string> followed;      // where --follow is
};

// The commits in question; with paths, only those that changed them.
Result<std::vector<Oid>> Select(Git& git, History& history, const LogOptions& options, const Selection& selection, Pathspec& paths, LogSides& sides);

// How the options want commits to look.
Result<PrettyOptions> PrettyOf(Git& git, const LogOptions& options);

// Prints commits with what they changed.
class LogPrinter {
 public:
  LogPrinter(Git& git, const LogOptions& options, PrettyOptions pretty) : git_(git), options_(options), pretty_(std::move(pretty)) {}
  PrettyOptions& pretty() { return pretty_; }

  // `diffs_merges`: merges are shown against all parents at once.
  Status Print(const Oid& id, const Commit& commit, Pathspec& paths, bool diffs_merges, HistoryGraph* graph = nullptr);

  // With this patch, whatever the options say.
  void PrintWith(const Oid& id, const Commit& commit, const std::string& patch);
  // Before something that is no commit.
  void BeginOther() {
    if (has_printed_) git_.Print("\n");
    has_printed_ = true;
  }

  // The path that --follow is at in a commit.
  void Follow(std::map<Oid, std::string> names) { followed_ = std::move(names); }

 private:
  void PrintDiff(const std::string& diff, bool has_changes, bool is_combined);
  bool PrintsNothing() const { return pretty_.format == "format:" || pretty_.format == "tformat:"; }
  Result<std::string> DiffOf(const Oid& id, const Commit& commit, Pathspec& paths, bool is_combined, const DiffOptions& options, bool& has_changes);
  // A merge against each of its parents, as if it were so many commits.
  Status PrintEach(const Oid& id, const Commit& commit, Pathspec& paths);
  void PrintBeside(HistoryGraph& graph, const std::string& head, const std::string& diff, bool has_changes);

  Git& git_;
  const LogOptions& options_;
  PrettyOptions pretty_;
  bool has_printed_ = false, ended_line_ = true;
  std::map<Oid, std::string> followed_;
};

// --graph.
Result<ExitStatus> ShowGraph(Git& git, History& history, const LogOptions& options, const Selection& selection, Pathspec& paths);
// -L.
Result<ExitStatus> LogLines(Git& git, History& history, LogOptions& options, const Selection& selection, Pathspec& paths);

// The subcommands.
Result<ExitStatus> Log(Git& git, LogOptions& options, Args& args);
Result<ExitStatus> Show(Git& git, LogOptions& options, Args& args);
Result<ExitStatus> WhatChanged(Git& git, LogOptions& options, Args& args);
Result<ExitStatus> RevList(Git& git, LogOptions& options, Args& args);
Result<ExitStatus> RunReflog(Git& git, LogOptions& options, Args& args);
// `by_default_format`: null for that of log.
Result<ExitStatus> ShowReflog(Git& git, const LogOptions& options, const Args& args, const char* by_default_format);

}  // namespace paddock::git
