// git log, show and rev-list.
#include <algorithm>
#include <iterator>

#include "commands/file_facts.h"
#include "commands/git/combined_diff.h"
#include "commands/git/diff.h"
#include "commands/git/graph.h"
#include "commands/git/pretty.h"
#include "commands/git/reach.h"
#include "commands/git/reflog.h"
#include "commands/git/revision.h"
#include "text/regex.h"

namespace paddock::git {
namespace {

constexpr size_t kMaxTreePath = 4096;

struct LogOptions : DiffOptions {
  bool oneline = false, all = false, branches = false, tags = false, remotes = false, reflog = false, merges = false, no_merges = false;
  bool first_parent = false, is_reversed = false, topological = false, author_date_order = false, follow = false, invert = false, ignores_case = false, fixed = false, extended = false;
  bool all_match = false, abbrev_commit = false, no_abbrev_commit = false, count_only = false, show_parents = false, no_walk = false;
  bool merge_patch = false, graph = false, boundary = false, left_right = false, left_only = false, right_only = false, cherry_pick = false, cherry_mark = false, ancestry_path = false, from_stdin = false, date_order = false, quiet_list = false, perl = false, only_changes = false;
  bool not_all = false, not_branches = false, not_tags = false, not_remotes = false;
  std::vector<std::string> globs, excludes;
  std::optional<bool> with_notes;
  std::string notes_ref;
  bool with_objects = false;
  std::optional<int64_t> min_parents, max_parents;
  std::optional<int64_t> count, skip;
  std::vector<std::string> authors, committers, greps;
  std::string since, until, pretty, date, expire, expire_unreachable;
  PrettyOptions::Decorate decorate = PrettyOptions::Decorate::kNo;
};

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

// What of the history is shown.
class Filter {
 public:
  static Result<Filter> Make(Git& git, const LogOptions& options) {
    Filter filter(git, options);
    PADDOCK_TRY(filter.Compile(options.authors, filter.authors_));
    PADDOCK_TRY(filter.Compile(options.committers, filter.committers_));
    PADDOCK_TRY(filter.Compile(options.greps, filter.greps_));
    PADDOCK_TRY(filter.TakeTime(options.since, filter.since_));
    PADDOCK_TRY(filter.TakeTime(options.until, filter.until_));
    return filter;
  }

  Result<bool> Keeps(const Commit& commit) {
    if (options_.merges && commit.parents.size() < 2) return false;
    if (options_.no_merges && commit.parents.size() > 1) return false;
    const int64_t parents = static_cast<int64_t>(commit.parents.size());
    if (options_.min_parents && parents < *options_.min_parents) return false;
    if (options_.max_parents && *options_.max_parents >= 0 && parents > *options_.max_parents) return false;
    const int64_t time = ParseSignature(commit.committer).time;
    if ((since_ && time < *since_) || (until_ && time > *until_)) return false;
    const auto person = [](const std::string& text) { return text.substr(0, text.rfind('>') + 1); };
    PADDOCK_ASSIGN(const bool by_author, AnyMatches(authors_, person(commit.author), false));
    PADDOCK_ASSIGN(const bool by_committer, AnyMatches(committers_, person(commit.committer), false));
    if (!by_author || !by_committer) return false;
    if (greps_.empty()) return true;
    PADDOCK_ASSIGN(const bool matches, AnyMatches(greps_, commit.message, options_.all_match));
    return matches != options_.invert;
  }

 private:
  Filter(Git& git, const LogOptions& options) : git_(git), options_(options) {}

  Status Compile(const std::vector<std::string>& patterns, std::vector<Regex>& out) {
    RegexFlags flags;
    flags.dialect = options_.perl ? RegexDialect::kPerl : options_.extended ? RegexDialect::kGrepExtended : RegexDialect::kGrepBasic;
    flags.ignore_case = options_.ignores_case;
    flags.is_literal = options_.fixed;
    flags.multiline = true;
    flags.newline_is_text = false;
    flags.is_utf8 = git_.in.locale.is_utf8;
    for (const std::string& pattern : patterns) {
      auto regex = Regex::Compile(pattern, flags);
      if (!regex) return Error(Code::kInvalid, "command line, '" + pattern + "': " + std::string(regex.error().Text()));
      out.push_back(std::move(*regex));
    }
    return {};
  }
  Status TakeTime(const std::string& text, std::optional<int64_t>& out) {
    if (text.empty()) return {};
    std::string words = text;
    // "2.days.ago".
    if (words.find(' ') == std::string::npos && words.ends_with("ago")) std::replace(words.begin(), words.end(), '.', ' ');
    if (const auto raw = git_.ParseGitDate(words)) {
      out = ParseSignature("a <b> " + *raw).time;
      return {};
    }
    return Error(Code::kInvalid, "invalid date: " + text);
  }
  Result<bool> AnyMatches(const std::vector<Regex>& patterns, const std::string& text, bool all) {
    if (patterns.empty()) return true;
    for (const Regex& pattern : patterns) {
      PADDOCK_ASSIGN(const bool matches, pattern.Search(text, 0, nullptr, git_.in.budget));
      if (matches != all) return matches;
    }
    return all;
  }

  Git& git_;
  const LogOptions& options_;
  std::vector<Regex> authors_, committers_, greps_;
  std::optional<int64_t> since_, until_;
};

// Adds the files of two trees, either of which may be none, but for what lies below directories that are the same in both.
bool IsAlike(const TreeEntry& a, const TreeEntry& b) { return a.id == b.id && a.mode == b.mode && a.name == b.name; }

// Takes entries that are the same in both away: nearly all of them in most trees. Both are in order unless they are damaged; some
// are left in then.
void DropAlike(std::vector<TreeEntry>& before, std::vector<TreeEntry>& after) {
  std::vector<TreeEntry> old_left, new_left;
  size_t a = 0, b = 0;
  while (a < before.size() && b < after.size()) {
    if (IsAlike(before[a], after[b])) {
      ++a;
      ++b;
      continue;
    }
    const int order = before[a].name.compare(after[b].name);
    if (order <= 0) old_left.push_back(std::move(before[a++]));
    if (order >= 0) new_left.push_back(std::move(after[b++]));
  }
  std::move(before.begin() + static_cast<std::ptrdiff_t>(a), before.end(), std::back_inserter(old_left));
  std::move(after.begin() + static_cast<std::ptrdiff_t>(b), after.end(), std::back_inserter(new_left));
  before = std::move(old_left);
  after = std::move(new_left);
}

Status FlattenChanged(Git& git, const Oid* before, const Oid* after, const std::string& prefix, FlatTree& old_files, FlatTree& new_files) {
  git.in.budget.CheckStack();
  if (before != nullptr && after != nullptr && *before == *after) return {};
  if (prefix.size() > kMaxTreePath) return Error(Code::kNameTooLong, "path in tree is too long");
  std::vector<TreeEntry> old_entries, new_entries;
  if (before != nullptr) {
    PADDOCK_ASSIGN(old_entries, git.objects.ReadTree(*before));
  }
  if (after != nullptr) {
    PADDOCK_ASSIGN(new_entries, git.objects.ReadTree(*after));
  }
  DropAlike(old_entries, new_entries);
  struct Pair {
    const TreeEntry* old_entry = nullptr;
    const TreeEntry* new_entry = nullptr;
  };
  std::map<std::pair<std::string_view, bool>, Pair> pairs;   // by name and whether it is a directory
  for (const TreeEntry& entry : old_entries) pairs[{entry.name, entry.is_tree()}].old_entry = &entry;
  for (const TreeEntry& entry : new_entries) pairs[{entry.name, entry.is_tree()}].new_entry = &entry;
  for (const auto& [key, pair] : pairs) {
    git.in.budget.Step(8);
    const auto& [old_entry, new_entry] = pair;
    const std::string path = prefix + std::string(key.first);
    if (key.second) {
      PADDOCK_TRY(FlattenChanged(git, old_entry == nullptr ? nullptr : &old_entry->id, new_entry == nullptr ? nullptr : &new_entry->id, path + "/", old_files, new_files));
      continue;
    }
    git.in.budget.WillAllocate(path.size() + 200);
    if (old_entry != nullptr) old_files.insert_or_assign(path, TreeItem{old_entry->mode, old_entry->id});
    if (new_entry != nullptr) new_files.insert_or_assign(path, TreeItem{new_entry->mode, new_entry->id});
  }
  return {};
}

// What a commit changed against a parent (or nothing).
Result<std::vector<FileDiff>> ChangesOf(Git& git, const Commit& commit, const DiffOptions& options, Pathspec& paths, size_t parent = 0) {
  FlatTree before, after;
  std::optional<Oid> parent_tree;
  if (parent < commit.parents.size()) {
    PADDOCK_ASSIGN(parent_tree, git.objects.Peel(commit.parents[parent], ObjectType::kTree));
  }
  PADDOCK_TRY(FlattenChanged(git, parent_tree ? &*parent_tree : nullptr, &commit.tree, "", before, after));
  std::vector<FileDiff> files = CompareTrees(before, after);
  PADDOCK_TRY(Arrange(git, files, options, paths));
  return files;
}

Result<PrettyOptions> PrettyOf(Git& git, const LogOptions& options) {
  PrettyOptions pretty;
  if (!options.pretty.empty()) pretty.format = options.pretty;
  else if (options.oneline) pretty.format = "oneline";
  else if (const auto by_config = git.config.Get("format.pretty")) pretty.format = by_config->find('%') != std::string::npos && by_config->find("format:") == std::string::npos ? "tformat:" + *by_config : *by_config;
  pretty.abbreviates = (options.oneline || options.abbrev_commit || git.config.GetBool("log.abbrevcommit", false)) && !options.no_abbrev_commit;
  pretty.date = options.date.empty() ? git.config.Get("log.date", "default") : options.date;
  pretty.decorate = options.decorate;
  pretty.colours = options.colours;
  // A format that was asked for comes without notes that were not.
  if (options.with_notes.value_or(options.pretty.empty() && pretty.format == "medium")) {
    std::string ref = options.notes_ref;
    if (ref.empty()) ref = git.in.env.Get("GIT_NOTES_REF", git.config.Get("core.notesref", "refs/notes/commits"));
    else if (!ref.starts_with("refs/")) ref = ref.starts_with("notes/") ? "refs/" + ref : "refs/notes/" + ref;
    PADDOCK_TRY(FindNotes(git, ref, pretty));
  }
  if (pretty.decorate != PrettyOptions::Decorate::kNo) FindDecorations(git, pretty);
  return pretty;
}

class LogPrinter {
 public:
  LogPrinter(Git& git, const LogOptions& options, PrettyOptions pretty) : git_(git), options_(options), pretty_(std::move(pretty)) {}
  PrettyOptions& pretty() { return pretty_; }

  // `diffs_merges`: merges are shown against all parents at once.
  Status Print(const Oid& id, const Commit& commit, Pathspec& paths, bool diffs_merges, HistoryGraph* graph = nullptr) {
    if (has_printed_ && IsSeparated(pretty_)) git_.Print(graph != nullptr && ended_line_ ? graph->Padding() + "\n" : "\n");
    has_printed_ = true;
    const bool is_merge = commit.parents.size() > 1;
    if (options_.merge_patch && is_merge && options_.HasFormat() && !options_.no_patch && !options_.first_parent && graph == nullptr) return PrintEach(id, commit, paths);
    std::string head = PrettyCommit(git_, id, commit, pretty_);
    std::string diff;
    bool has_changes = false;
    const bool is_combined = is_merge && !options_.first_parent && !options_.merge_patch && (diffs_merges || options_.combine != DiffOptions::Combine::kDefault);
    const bool shows = (options_.HasFormat() || (is_combined && options_.combine != DiffOptions::Combine::kDefault)) && !options_.no_patch && (!is_merge || is_combined || options_.merge_patch || options_.first_parent);
    if (shows) {
      DiffOptions diff_options = options_;
      if (!diff_options.HasFormat()) diff_options.patch = true;
      PADDOCK_ASSIGN(diff, DiffOf(id, commit, paths, is_combined, diff_options, has_changes));
    }
    if (graph != nullptr) {
      PrintBeside(*graph, head, diff, has_changes);
      return {};
    }
    git_.Print(head);
    PrintDiff(diff, has_changes, is_combined);
    return {};
  }

  // The path that --follow is at in a commit.
  void Follow(std::map<Oid, std::string> names) { followed_ = std::move(names); }

 private:
  void PrintDiff(const std::string& diff, bool has_changes, bool is_combined) {
    if (!has_changes) return;
    const bool is_own = pretty_.format.starts_with("format:");
    if (pretty_.format.starts_with("format:") && PrintsNothing()) {
      git_.Print(diff);
      return;
    }
    // --stat with -p has a line between them instead of an empty one.
    if (options_.patch && options_.stat && pretty_.format != "oneline" && !is_combined) git_.Print(is_own ? "\n---\n" : "---\n");
    else if (pretty_.format != "oneline" || (is_combined && diff.empty())) git_.Print("\n");
    git_.Print(diff);
  }
  bool PrintsNothing() const { return pretty_.format == "format:"; }

  Result<std::string> DiffOf(const Oid& id, const Commit& commit, Pathspec& paths, bool is_combined, const DiffOptions& options, bool& has_changes) {
    if (is_combined) {
      PADDOCK_ASSIGN(const std::vector<CombinedFile> files, CombinedChanges(git_, commit, paths));
      std::string text;
      DiffOptions counts = options;
      counts.patch = counts.raw = counts.name_only = counts.name_status = false;
      if (counts.HasFormat()) {
        PADDOCK_ASSIGN(const std::vector<FileDiff> first, ChangesOf(git_, commit, counts, paths));
        PADDOCK_ASSIGN(text, FormatDiff(git_, first, counts));
      }
      PADDOCK_ASSIGN(const std::string combined, FormatCombined(git_, files, options, options.combine != DiffOptions::Combine::kPlain));
      if (!text.empty() && !combined.empty()) text += "\n";
      has_changes = !files.empty() || !text.empty();
      text += options.colours ? ColouredPatch(combined) : combined;
      // A merge that did nothing of its own ends with an empty line.
      if (text.empty()) has_changes = options.patch || options.raw;
      return text;
    }
    const auto name = followed_.find(id);
    Pathspec everything;
    PADDOCK_ASSIGN(std::vector<FileDiff> files, ChangesOf(git_, commit, options, options_.follow ? everything : paths));
    if (options_.follow && name != followed_.end()) std::erase_if(files, [&](const FileDiff& file) { return file.new_path != name->second; });
    has_changes = !files.empty();
    return FormatDiff(git_, files, options);
  }

  // A merge against each of its parents, as if it were so many commits.
  Status PrintEach(const Oid& id, const Commit& commit, Pathspec& paths) {
    bool is_first = true;
    const std::string mark = pretty_.mark;
    for (size_t i = 0; i < commit.parents.size(); ++i) {
      PADDOCK_ASSIGN(const std::vector<FileDiff> files, ChangesOf(git_, commit, options_, paths, i));
      if (files.empty()) continue;
      if (!is_first && IsSeparated(pretty_)) git_.Print("\n");
      is_first = false;
      pretty_.from_parent = commit.parents[i].Hex();
      git_.Print(PrettyCommit(git_, id, commit, pretty_));
      PADDOCK_ASSIGN(const std::string diff, FormatDiff(git_, files, options_));
      PrintDiff(diff, true, false);
    }
    pretty_.from_parent.clear();
    if (is_first) git_.Print(PrettyCommit(git_, id, commit, pretty_));
    return {};
  }

  void PrintBeside(HistoryGraph& graph, const std::string& head, const std::string& diff, bool has_changes) {
    const auto next = [&]() {
      git_.in.budget.Step(1 + static_cast<int64_t>(graph.breadth() / 16));
      git_.Print(graph.Next());
    };
    next();
    while (!graph.is_at_commit()) {
      git_.Print("\n");
      next();
    }
    bool is_first = true;
    for (const std::string_view line : SplitLines(head)) {
      if (!is_first) next();
      git_.Print(line);
      is_first = false;
    }
    ended_line_ = head.ends_with('\n');
    while (!graph.is_finished()) {
      if (!ended_line_) git_.Print("\n");
      next();
      if (ended_line_) git_.Print("\n");
    }
    if (!has_changes) return;
    if (!ended_line_) git_.Print("\n");
    if (pretty_.format != "oneline") {
      next();
      git_.Print(options_.patch && options_.stat ? "---\n" : "\n");
    }
    for (const std::string_view line : SplitLines(diff)) {
      next();
      git_.Print(line);
    }
    ended_line_ = diff.ends_with('\n');
  }

  Git& git_;
  const LogOptions& options_;
  PrettyOptions pretty_;
  bool has_printed_ = false, ended_line_ = true;
  std::map<Oid, std::string> followed_;
};

void TakeDefaults(Git& git, const LogOptions& options, Selection& selection) {
  const auto matches = [&git](const std::string& pattern, const std::string& name) {
    PatternFlags flags;
    flags.extglob = false;
    return Pattern(pattern, flags).Matches(name, git.in.budget);
  };
  const auto take = [&](std::string_view prefix, const std::string* glob, bool excludes) {
    for (const auto& [name, id] : git.refs.List(prefix)) {
      git.in.budget.Step();
      // A name alone means all below it.
      const bool is_name = glob != nullptr && glob->find_first_of("*?[") == std::string::npos;
      if (glob != nullptr && !matches(is_name ? *glob + (glob->ends_with('/') ? "*" : "/*") : *glob, name)) continue;
      // What --exclude names is from where the option looks.
      const bool is_out = std::any_of(options.excludes.begin(), options.excludes.end(), [&, &full = name](const std::string& pattern) {
        return matches(pattern, full) || (prefix != "refs/" && matches(std::string(prefix) + pattern, full));
      });
      if (is_out) continue;
      if (auto commit = git.objects.Peel(id, ObjectType::kCommit)) (excludes ? selection.excluded : selection.included).push_back(*commit);
    }
    if (prefix != "refs/" || glob != nullptr) return;
    if (const auto head = git.Head()) (excludes ? selection.excluded : selection.included).push_back(*head);
  };
  if (options.all) take("refs/", nullptr, false);
  if (options.branches) take("refs/heads/", nullptr, false);
  if (options.tags) take("refs/tags/", nullptr, false);
  if (options.remotes) take("refs/remotes/", nullptr, false);
  for (const std::string& glob : options.globs) take("refs/", &glob, false);
  if (options.not_all) take("refs/", nullptr, true);
  if (options.not_branches) take("refs/heads/", nullptr, true);
  if (options.not_tags) take("refs/tags/", nullptr, true);
  if (options.not_remotes) take("refs/remotes/", nullptr, true);
}
bool HasSources(const LogOptions& options) { return options.all || options.branches || options.tags || options.remotes || !options.globs.empty(); }

// What a change is, whatever lines it is at and however it is indented.
Result<std::string> PatchMark(Git& git, const Commit& commit) {
  DiffOptions plain;
  plain.patch = plain.no_renames = plain.full_index = true;
  Pathspec everything;
  PADDOCK_ASSIGN(const std::vector<FileDiff> files, ChangesOf(git, commit, plain, everything));
  PADDOCK_ASSIGN(const std::string patch, FormatDiff(git, files, plain));
  std::string text;
  for (const std::string_view line : SplitLines(patch)) {
    git.in.budget.Step();
    if (line.starts_with("index ") || line.starts_with("@@")) continue;
    for (const char c : line) {
      if (c != ' ' && c != '\t' && c != '\n' && c != '\r') text += c;
    }
    text += '\n';
  }
  return HashObject(ObjectType::kBlob, text).Hex();
}

// What is known of the commits beside their order.
struct Sides {
  std::map<Oid, char> marks;                // <, >, = or -
  std::map<Oid, std::string> followed;      // where --follow is
};

// Marks the sides of A...B, and takes out of `order` what the options do not want of them.
Status TakeSides(Git& git, History& history, const LogOptions& options, const Selection& selection, std::vector<Oid>& order, Sides& sides) {
  const bool marks = options.left_right || options.left_only || options.right_only || options.cherry_pick || options.cherry_mark;
  if (marks && selection.has_symmetric) {
    PADDOCK_ASSIGN(const std::set<Oid> left, history.Ancestors(selection.left));
    std::map<std::string, std::pair<bool, bool>> changes;   // on which side
    std::map<Oid, std::string> names;
    if (options.cherry_pick || options.cherry_mark) {
      for (const Oid& id : order) {
        PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
        if (node->commit.parents.size() > 1) continue;
        PADDOCK_ASSIGN(names[id], PatchMark(git, node->commit));
        (left.contains(id) ? changes[names[id]].first : changes[names[id]].second) = true;
      }
    }
    std::vector<Oid> kept;
    for (const Oid& id : order) {
      git.in.budget.Step();
      const bool is_left = left.contains(id);
      const auto name = names.find(id);
      const bool is_both = name != names.end() && changes[name->second].first && changes[name->second].second;
      if ((options.left_only && !is_left) || (options.right_only && is_left) || (options.cherry_pick && is_both)) continue;
      if (options.cherry_mark) sides.marks[id] = is_both ? '=' : options.left_right ? (is_left ? '<' : '>') : '+';
      else if (options.left_right) sides.marks[id] = is_left ? '<' : '>';
      kept.push_back(id);
    }
    order = std::move(kept);
  }
  if (options.ancestry_path && !selection.excluded.empty()) {
    std::set<Oid> behind(selection.excluded.begin(), selection.excluded.end());
    // Parents before children.
    WalkOptions walk{true, options.first_parent, false};
    PADDOCK_ASSIGN(std::vector<Oid> sorted, WalkHistory(git, history, selection, walk));
    for (size_t i = sorted.size(); i-- > 0;) {
      PADDOCK_ASSIGN(const History::Node* node, history.Get(sorted[i]));
      if (std::any_of(node->commit.parents.begin(), node->commit.parents.end(), [&](const Oid& parent) { return behind.contains(parent); })) behind.insert(sorted[i]);
    }
    std::erase_if(order, [&](const Oid& id) { return !behind.contains(id); });
  }
  return {};
}

// The commits in question; with paths, only those that changed them.
// `passed`: where the line of a commit that is left out leads to.
Result<std::vector<Oid>> Select(Git& git, History& history, const LogOptions& options, const Selection& selection, Pathspec& paths, Sides& sides, std::map<Oid, std::optional<Oid>>* passed = nullptr) {
  PADDOCK_ASSIGN(Filter filter, Filter::Make(git, options));
  WalkOptions walk{options.topological || options.graph || options.date_order || options.author_date_order, options.first_parent, options.author_date_order, options.date_order || options.author_date_order};
  std::vector<Oid> order;
  if (options.no_walk) {
    order = selection.included;
  } else {
    PADDOCK_ASSIGN(order, WalkHistory(git, history, selection, walk));
  }
  PADDOCK_TRY(TakeSides(git, history, options, selection, order, sides));
  std::vector<Oid> kept;
  int64_t skip = options.skip.value_or(0);
  std::string followed = options.follow && !paths.Paths().empty() ? paths.Paths()[0] : std::string();
  std::set<Oid> wanted;   // with paths: what is reached through parents that had the same files
  const bool simplifies = !paths.empty();
  if (simplifies) {
    for (const Oid& id : selection.included) {
      if (auto commit = git.objects.Peel(id, ObjectType::kCommit)) wanted.insert(*commit);
    }
  }
  for (const Oid& id : order) {
    git.in.budget.Step();
    if (passed == nullptr && options.count && static_cast<int64_t>(kept.size()) >= std::max<int64_t>(*options.count, 0) && *options.count >= 0) break;
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    const Commit& commit = node->commit;
    if (simplifies) {
      if (!wanted.contains(id)) continue;
      bool changes = commit.parents.empty();
      std::optional<size_t> same;
      DiffOptions plain;
      plain.no_renames = true;
      Pathspec now = paths;
      if (!followed.empty()) {
        PADDOCK_ASSIGN(now, Pathspec::Parse({":/" + followed}, "", git.work_tree));
      }
      for (size_t parent = 0; parent < commit.parents.size(); ++parent) {
        PADDOCK_ASSIGN(const std::vector<FileDiff> files, ChangesOf(git, commit, plain, now, parent));
        if (files.empty() && !same) same = parent;
        changes |= !files.empty();
      }
      if (commit.parents.empty()) {
        PADDOCK_ASSIGN(const std::vector<FileDiff> files, ChangesOf(git, commit, plain, now));
        changes = !files.empty();
      }
      if (same) wanted.insert(commit.parents[*same]);
      else wanted.insert(commit.parents.begin(), commit.parents.end());
      if (passed != nullptr && (same || !changes)) passed->emplace(id, same ? std::optional<Oid>(commit.parents[*same]) : std::nullopt);
      if (same || !changes) continue;
      if (!followed.empty()) sides.followed[id] = followed;
      if (!followed.empty()) {
        Pathspec everything;
        DiffOptions renames;
        PADDOCK_ASSIGN(const std::vector<FileDiff> files, ChangesOf(git, commit, renames, everything));
        for (const FileDiff& file : files) {
          if (file.status == 'R' && file.new_path == followed) {
            followed = file.old_path;
            break;
          }
        }
      }
    }
    PADDOCK_ASSIGN(const bool keeps, filter.Keeps(commit));
    if (!keeps) continue;
    if (options.only_changes || !options.filter.empty()) {
      if (commit.parents.size() > 1 && !options.merge_patch && !options.first_parent) continue;
      PADDOCK_ASSIGN(const std::vector<FileDiff> files, ChangesOf(git, commit, options, paths));
      if (files.empty()) continue;
    }
    if (!options.pickaxe.empty() || !options.pickaxe_regex.empty()) {
      PADDOCK_ASSIGN(const std::vector<FileDiff> files, ChangesOf(git, commit, options, paths));
      if (files.empty() || commit.parents.size() > 1) continue;
    }
    if (skip-- > 0) continue;
    kept.push_back(id);
  }
  if (options.boundary) {
    // Parents that are not shown, behind all others.
    const std::set<Oid> shown(kept.begin(), kept.end());
    std::set<Oid> seen;
    const std::vector<Oid> inside = kept;
    for (const Oid& id : inside) {
      PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
      for (const Oid& parent : node->commit.parents) {
        git.in.budget.Step();
        if (shown.contains(parent) || !seen.insert(parent).second) continue;
        sides.marks[parent] = '-';
        kept.push_back(parent);
      }
    }
  }
  if (options.is_reversed) std::reverse(kept.begin(), kept.end());
  return kept;
}

Result<ExitStatus> ShowReflog(Git& git, const LogOptions& options, const Args& args, const char* by_default_format) {
  std::string name = args.operands.empty() ? "HEAD" : args.operands[0];
  const auto ref = FindRef(git, name);
  if (!ref) return AmbiguousArgument(name);
  // Branches go by their short names, what else there is by its full one.
  if (*ref != "HEAD") name = *ref == "refs/heads/" + name || *ref == "refs/" + name ? name : *ref;
  LogOptions mine = options;
  if (mine.pretty.empty() && !mine.oneline && by_default_format != nullptr) {
    mine.pretty = by_default_format;
    mine.abbrev_commit = true;
  }
  PADDOCK_ASSIGN(PrettyOptions pretty, PrettyOf(git, mine));
  LogPrinter printer(git, mine, std::move(pretty));
  const std::vector<ReflogEntry> log = git.refs.ReadLog(*ref);
  Pathspec paths;
  int64_t shown = 0;
  for (size_t i = log.size(); i-- > 0;) {
    git.in.budget.Step();
    if (options.count && *options.count >= 0 && shown++ >= *options.count) break;
    const auto commit = git.objects.ReadCommit(log[i].after);
    if (!commit) continue;
    printer.pretty().reflog_name = name + "@{" + std::to_string(log.size() - 1 - i) + "}";
    printer.pretty().reflog_message = log[i].message;
    PADDOCK_TRY(printer.Print(log[i].after, *commit, paths, false));
  }
  return 0;
}

// "HEAD@{1}".
Status DeleteLogEntry(Git& git, const std::string& name) {
  const size_t at = name.find("@{");
  const auto ref = at == std::string::npos ? std::nullopt : FindRef(git, at == 0 ? "HEAD" : name.substr(0, at));
  int64_t number = -1;
  if (!ref || !name.ends_with('}') || !ParseOptionValue(std::string_view(name).substr(at + 2, name.size() - at - 3), number)) return Error(Code::kInvalid, "not a reflog: " + name);
  std::vector<ReflogEntry> entries = git.refs.ReadLog(*ref);
  if (number < 0 || number >= static_cast<int64_t>(entries.size())) return {};
  entries.erase(entries.end() - 1 - static_cast<std::ptrdiff_t>(number));
  return git.refs.WriteLog(*ref, entries);
}

Result<ExitStatus> ExpireLogs(Git& git, const LogOptions& options, const Args& args) {
  const int64_t now = Now(git.in.clock).seconds, day = 24 * 3600;
  const auto limit = [&](const std::string& text, int64_t otherwise) -> Result<int64_t> {
    if (text.empty()) return otherwise;
    if (text == "now" || text == "all") return INT64_MAX;
    if (text == "never" || text == "false") return INT64_MIN;
    std::string words = text;
    if (words.find(' ') == std::string::npos && words.ends_with("ago")) std::replace(words.begin(), words.end(), '.', ' ');
    const auto date = git.ParseGitDate(words);
    if (!date) return Error(Code::kInvalid, "'" + text + "' for 'expire' is not a valid timestamp");
    return ParseSignature("a <b> " + *date).time;
  };
  PADDOCK_ASSIGN(const int64_t before, limit(options.expire, now - 90 * day));
  PADDOCK_ASSIGN(const int64_t unreachable, limit(options.expire_unreachable, options.expire.empty() ? now - 30 * day : std::max(before, now - 30 * day)));
  std::vector<std::string> names;
  for (size_t i = 1; i < args.operands.size(); ++i) {
    const auto ref = FindRef(git, args.operands[i]);
    if (!ref) return git.Complain("'" + args.operands[i] + "' points nowhere!");
    names.push_back(*ref);
  }
  if (options.all) {
    names.emplace_back("HEAD");
    for (const auto& [name, id] : git.refs.List("refs/")) names.push_back(name);
  }
  History history(git);
  for (const std::string& name : names) PADDOCK_TRY(ExpireLog(git, history, name, before, unreachable));
  return 0;
}

Result<ExitStatus> ShowGraph(Git& git, History& history, const LogOptions& options, const Selection& selection, Pathspec& paths) {
  if (options.colours) return Error(Code::kNotSupported, "--graph in colours is not supported");
  if (options.is_reversed) return Error(Code::kInvalid, "options '--reverse' and '--graph' cannot be used together");
  if (options.no_walk) return Error(Code::kInvalid, "options '--no-walk' and '--graph' cannot be used together");
  std::map<Oid, std::optional<Oid>> passed;
  Sides sides;
  PADDOCK_ASSIGN(const std::vector<Oid> commits, Select(git, history, options, selection, paths, sides, &passed));
  const std::set<Oid> shown(commits.begin(), commits.end());
  // The nearest commit that is shown, if the line leads to one.
  const auto reach = [&](Oid id) -> std::optional<Oid> {
    while (!shown.contains(id)) {
      git.in.budget.Step();
      const auto found = passed.find(id);
      if (found == passed.end() || !found->second) return std::nullopt;
      id = *found->second;
    }
    return id;
  };
  PADDOCK_ASSIGN(PrettyOptions pretty, PrettyOf(git, options));
  LogPrinter printer(git, options, std::move(pretty));
  HistoryGraph graph;
  int64_t count = 0;
  for (const Oid& id : commits) {
    if (options.count && *options.count >= 0 && count++ >= *options.count) break;
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    std::vector<Oid> parents;
    for (const Oid& parent : node->commit.parents) {
      const auto reached = reach(parent);
      git.in.budget.Step(1 + static_cast<int64_t>(parents.size() / 16));
      if (reached && std::find(parents.begin(), parents.end(), *reached) == parents.end()) parents.push_back(*reached);
      if (options.first_parent) break;
    }
    // Each line looks for its place among the others.
    const size_t breadth = graph.breadth() + parents.size();
    git.in.budget.Step(1 + static_cast<int64_t>(breadth * breadth / 64));
    graph.Show(id, std::move(parents));
    const auto mark = sides.marks.find(id);
    if (mark != sides.marks.end()) return Error(Code::kNotSupported, "marks and --graph together are not supported");
    PADDOCK_TRY(printer.Print(id, node->commit, paths, false, &graph));
  }
  return 0;
}

// --stdin: a line is a revision, or a path once "--" was there.
Status ReadStdin(Git& git, const LogOptions& options, Args& args) {
  if (!options.from_stdin) return {};
  while (const auto line = git.in.in.ReadLine()) {
    git.in.budget.Step();
    if (line->text.empty()) continue;
    if (line->text == "--") args.has_dashes = true;
    else if (args.has_dashes) args.paths.emplace_back(line->text);
    else args.operands.emplace_back(line->text);
  }
  return {};
}

Result<ExitStatus> Log(Git& git, LogOptions& options, Args& args) {
  if (options.reflog) return ShowReflog(git, options, args, nullptr);
  PADDOCK_TRY(ReadStdin(git, options, args));
  PADDOCK_ASSIGN(Selection selection, ParseSelection(git, args));
  TakeDefaults(git, options, selection);
  if (selection.included.empty() && selection.names.empty() && !HasSources(options)) {
    PADDOCK_ASSIGN(const Oid head, git.RequireHead());
    selection.included.push_back(head);
  }
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(selection.paths));
  if (options.follow && selection.paths.size() != 1) return Error(Code::kInvalid, "--follow requires exactly one pathspec");
  History history(git);
  if (options.graph) return ShowGraph(git, history, options, selection, paths);
  Sides sides;
  PADDOCK_ASSIGN(const std::vector<Oid> commits, Select(git, history, options, selection, paths, sides));
  PADDOCK_ASSIGN(PrettyOptions pretty, PrettyOf(git, options));
  LogPrinter printer(git, options, std::move(pretty));
  printer.Follow(sides.followed);
  for (const Oid& id : commits) {
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    const auto mark = sides.marks.find(id);
    printer.pretty().mark = mark == sides.marks.end() ? "" : std::string(1, mark->second);
    PADDOCK_TRY(printer.Print(id, node->commit, paths, false));
  }
  return 0;
}

Result<ExitStatus> RevList(Git& git, LogOptions& options, Args& args) {
  PADDOCK_TRY(ReadStdin(git, options, args));
  PADDOCK_ASSIGN(Selection selection, ParseSelection(git, args));
  TakeDefaults(git, options, selection);
  if (selection.included.empty() && selection.names.empty() && selection.excluded.empty() && !HasSources(options)) {
    git.Say("usage: git rev-list [<options>] <commit>... [--] [<path>...]\n");
    return 129;
  }
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(selection.paths));
  History history(git);
  Sides sides;
  PADDOCK_ASSIGN(const std::vector<Oid> commits, Select(git, history, options, selection, paths, sides));
  if (options.quiet_list) return 0;
  if (options.count_only) {
    size_t left = 0, right = 0, same = 0;
    for (const Oid& id : commits) {
      const auto mark = sides.marks.find(id);
      const char side = mark == sides.marks.end() ? ' ' : mark->second;
      (side == '=' ? same : side == '<' ? left : right) += 1;
    }
    std::string text = options.left_right ? std::to_string(left) + "\t" + std::to_string(right) : std::to_string(left + right);
    if (options.cherry_mark) text += "\t" + std::to_string(same);
    git.Print(text + "\n");
    return 0;
  }
  PADDOCK_ASSIGN(PrettyOptions pretty, PrettyOf(git, options));
  for (const Oid& id : commits) {
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    const auto mark = sides.marks.find(id);
    const std::string side = mark == sides.marks.end() ? "" : std::string(1, mark->second);
    if (options.pretty.empty() && !options.oneline) {
      git.Print(side);
      git.Print(options.abbrev_commit ? git.objects.Abbreviate(id) : id.Hex());
      for (const Oid& parent : node->commit.parents) {
        if (options.show_parents) git.Print(" " + parent.Hex());
      }
      git.Print("\n");
      continue;
    }
    if (pretty.format.starts_with("format:") || pretty.format.starts_with("tformat:")) git.Print("commit " + side + id.Hex() + "\n");
    pretty.mark = side;
    std::string text = PrettyCommit(git, id, node->commit, pretty);
    git.Print(text + (text.ends_with('\n') ? "" : "\n"));
  }
  if (!options.with_objects) return 0;
  PADDOCK_ASSIGN(const Reached known, ReachObjects(git, selection.excluded));
  // Tags that were named, then what the commits hold.
  std::set<Oid> seen = known.all;
  std::vector<Oid> named = selection.included;
  if (options.all || options.tags) {
    for (const auto& [name, id] : git.refs.List("refs/tags/")) named.push_back(id);
  }
  for (const Oid& id : named) {
    const auto tag = git.objects.ReadTag(id);
    if (tag && seen.insert(id).second) git.Print(id.Hex() + " " + tag->name + "\n");
  }
  for (const Oid& id : commits) {
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    PADDOCK_ASSIGN(const Reached below, ReachObjects(git, {node->commit.tree}, seen));
    for (const Oid& object : below.order) {
      const auto name = below.names.find(object);
      const std::string path = name == below.names.end() ? "" : name->second;
      if (!paths.empty() && !path.empty() && !paths.Matches(path, git.in.budget) && !paths.MayMatchBelow(path, git.in.budget)) continue;
      git.Print(object.Hex() + " " + path + "\n");
      seen.insert(object);
    }
  }
  return 0;
}

Status ShowTag(Git& git, const Oid& id, const PrettyOptions& pretty, Oid& next) {
  PADDOCK_ASSIGN(const Tag tag, git.objects.ReadTag(id));
  const Signature tagger = ParseSignature(tag.tagger);
  git.Print("tag " + tag.name + "\n");
  if (!tag.tagger.empty()) git.Print("Tagger: " + tagger.name + " <" + tagger.email + ">\nDate:   " + DateText(git, tagger, pretty.date) + "\n");
  git.Print("\n" + tag.message + "\n");
  next = tag.object;
  return {};
}

Result<ExitStatus> Show(Git& git, LogOptions& options, Args& args) {
  PADDOCK_ASSIGN(Selection selection, ParseSelection(git, args));
  if (selection.included.empty()) {
    PADDOCK_ASSIGN(const Oid head, git.RequireHead());
    selection.included.push_back(head);
    selection.names.push_back("HEAD");
  }
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(selection.paths));
  if (!options.HasFormat() && !options.no_patch) options.patch = true;
  PADDOCK_ASSIGN(PrettyOptions pretty, PrettyOf(git, options));
  LogPrinter printer(git, options, std::move(pretty));
  std::vector<std::pair<Oid, std::string>> todo;
  History history(git);
  if (!selection.excluded.empty()) {
    PADDOCK_ASSIGN(const std::vector<Oid> commits, WalkHistory(git, history, selection, {}));
    for (const Oid& id : commits) todo.emplace_back(id, "");
  } else {
    for (size_t i = 0; i < selection.included.size(); ++i) todo.emplace_back(selection.included[i], i < selection.names.size() ? selection.names[i] : "");
  }
  for (auto [id, name] : todo) {
    PADDOCK_ASSIGN(Object object, git.objects.Read(id));
    while (object.type == ObjectType::kTag) {
      git.in.budget.Step();
      PADDOCK_TRY(ShowTag(git, id, printer.pretty(), id));
      PADDOCK_ASSIGN(object, git.objects.Read(id));
    }
    if (object.type == ObjectType::kBlob) {
      git.Print(object.data);
    } else if (object.type == ObjectType::kTree) {
      PADDOCK_ASSIGN(const std::vector<TreeEntry> entries, ParseTree(object.data, git.in.budget));
      git.Print("tree " + name + "\n\n");
      for (const TreeEntry& entry : entries) git.Print(entry.name + (entry.is_tree() ? "/\n" : "\n"));
    } else {
      PADDOCK_ASSIGN(const Commit commit, ParseCommit(object.data, git.in.budget));
      PADDOCK_TRY(printer.Print(id, commit, paths, true));
    }
  }
  return 0;
}

Result<ExitStatus> RunReflog(Git& git, LogOptions& options, Args& args) {
  if (!args.operands.empty() && args.operands[0] == "show") {
    args.operands.erase(args.operands.begin());
  } else if (!args.operands.empty() && args.operands[0] == "exists") {
    if (args.operands.size() != 2) return 129;
    return git.refs.ReadLog(args.operands[1]).empty() ? 1 : 0;
  } else if (!args.operands.empty() && args.operands[0] == "delete") {
    for (size_t i = 1; i < args.operands.size(); ++i) PADDOCK_TRY(DeleteLogEntry(git, args.operands[i]));
    return 0;
  } else if (!args.operands.empty() && args.operands[0] == "expire") {
    return ExpireLogs(git, options, args);
  }
  return ShowReflog(git, options, args, "oneline");
}

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

Result<ExitStatus> WhatChanged(Git& git, LogOptions& options, Args& args) {
  if (!options.HasFormat()) options.raw = true;
  options.no_merges = options.no_merges || !options.merge_patch;
  options.only_changes = true;
  return Log(git, options, args);
}

}  // namespace

extern const Subcommand kLog, kShow, kRevList, kReflog, kWhatchanged;
const Subcommand kLog = DefineLog<Log>({.name = "log", .summary = "show the history", .synopsis = "[<options>] [<revision-range>] [[--] <path>...]", .options = kOptions});
const Subcommand kShow = DefineLog<Show>({.name = "show", .summary = "show objects", .synopsis = "[<options>] [<object>...]", .options = kOptions});
const Subcommand kRevList = DefineLog<RevList>({.name = "rev-list", .summary = "list commits", .synopsis = "[<options>] <commit>... [--] [<path>...]", .options = kOptions});
const Subcommand kReflog = DefineLog<RunReflog>({.name = "reflog", .summary = "show what a reference was", .synopsis = "[show] [<options>] [<ref>]\nexpire [--expire=<time>] [--expire-unreachable=<time>] [--all] [<refs>...]\ndelete <ref>@{<specifier>}...\nexists <ref>", .options = kReflogOptions});
const Subcommand kWhatchanged = DefineLog<WhatChanged>({.name = "whatchanged", .summary = "show the history with what each commit changed", .synopsis = "[<options>] [<revision-range>] [[--] <path>...]", .options = kOptions});

}  // namespace paddock::git
