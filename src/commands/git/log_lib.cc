// git log, show and rev-list.
#include <algorithm>

#include "commands/git/diff.h"
#include "commands/git/graph.h"
#include "commands/git/pretty.h"
#include "commands/git/revision.h"
#include "text/regex.h"

namespace paddock::git {
namespace {

constexpr size_t kMaxTreePath = 4096;

struct LogOptions : DiffOptions {
  bool oneline = false, all = false, branches = false, tags = false, remotes = false, reflog = false, merges = false, no_merges = false;
  bool first_parent = false, is_reversed = false, topological = false, author_date_order = false, follow = false, invert = false, ignores_case = false, fixed = false, extended = false;
  bool all_match = false, abbrev_commit = false, no_abbrev_commit = false, count_only = false, show_parents = false, no_walk = false;
  bool merge_patch = false, graph = false;
  std::optional<int64_t> count, skip;
  std::vector<std::string> authors, committers, greps;
  std::string since, until, pretty, date;
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
    Flag<&LogOptions::branches>(0, "branches", "from all branches"),
    Flag<&LogOptions::tags>(0, "tags", "from all tags"),
    Flag<&LogOptions::remotes>(0, "remotes", "from all remote branches"),
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
    flags.dialect = options_.extended ? RegexDialect::kGrepExtended : RegexDialect::kGrepBasic;
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

PrettyOptions PrettyOf(Git& git, const LogOptions& options) {
  PrettyOptions pretty;
  if (!options.pretty.empty()) pretty.format = options.pretty;
  else if (options.oneline) pretty.format = "oneline";
  else if (const auto by_config = git.config.Get("format.pretty")) pretty.format = by_config->find('%') != std::string::npos && by_config->find("format:") == std::string::npos ? "tformat:" + *by_config : *by_config;
  pretty.abbreviates = (options.oneline || options.abbrev_commit || git.config.GetBool("log.abbrevcommit", false)) && !options.no_abbrev_commit;
  pretty.date = options.date.empty() ? git.config.Get("log.date", "default") : options.date;
  pretty.decorate = options.decorate;
  if (pretty.decorate != PrettyOptions::Decorate::kNo) FindDecorations(git, pretty);
  return pretty;
}

class LogPrinter {
 public:
  LogPrinter(Git& git, const LogOptions& options, PrettyOptions pretty) : git_(git), options_(options), pretty_(std::move(pretty)) {}
  PrettyOptions& pretty() { return pretty_; }

  Status Print(const Oid& id, const Commit& commit, Pathspec& paths, bool diffs_merges, HistoryGraph* graph = nullptr) {
    if (has_printed_ && IsSeparated(pretty_)) git_.Print(graph != nullptr && ended_line_ ? graph->Padding() + "\n" : "\n");
    has_printed_ = true;
    std::string head = PrettyCommit(git_, id, commit, pretty_);
    const bool is_own = pretty_.format.starts_with("format:");
    std::string diff;
    bool has_changes = false;
    const bool shows = options_.HasFormat() && !options_.no_patch && (commit.parents.size() < 2 || diffs_merges || options_.merge_patch || options_.first_parent);
    if (shows) {
      Pathspec everything;
      PADDOCK_ASSIGN(const std::vector<FileDiff> files, ChangesOf(git_, commit, options_, options_.follow ? everything : paths));
      has_changes = !files.empty();
      PADDOCK_ASSIGN(diff, FormatDiff(git_, files, options_));
    }
    if (graph != nullptr) {
      PrintBeside(*graph, head, diff, has_changes);
      return {};
    }
    git_.Print(head);
    if (!has_changes) return {};
    // --stat with -p has a line between them instead of an empty one.
    if (options_.patch && options_.stat && pretty_.format != "oneline") git_.Print(is_own ? "\n---\n" : "---\n");
    else if (pretty_.format != "oneline") git_.Print("\n");
    git_.Print(diff);
    return {};
  }

 private:
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
};

void TakeDefaults(Git& git, const LogOptions& options, Selection& selection) {
  if (options.all) IncludeRefs(git, "refs/", selection);
  if (options.branches) IncludeRefs(git, "refs/heads/", selection);
  if (options.tags) IncludeRefs(git, "refs/tags/", selection);
  if (options.remotes) IncludeRefs(git, "refs/remotes/", selection);
}

// The commits in question; with paths, only those that changed them.
// `passed`: where the line of a commit that is left out leads to.
Result<std::vector<Oid>> Select(Git& git, History& history, const LogOptions& options, const Selection& selection, Pathspec& paths, std::map<Oid, std::optional<Oid>>* passed = nullptr) {
  PADDOCK_ASSIGN(Filter filter, Filter::Make(git, options));
  WalkOptions walk{options.topological || options.graph, options.first_parent, options.author_date_order};
  std::vector<Oid> order;
  if (options.no_walk) {
    order = selection.included;
  } else {
    PADDOCK_ASSIGN(order, WalkHistory(git, history, selection, walk));
  }
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
    if (!options.pickaxe.empty() || !options.pickaxe_regex.empty()) {
      PADDOCK_ASSIGN(const std::vector<FileDiff> files, ChangesOf(git, commit, options, paths));
      if (files.empty() || commit.parents.size() > 1) continue;
    }
    if (skip-- > 0) continue;
    kept.push_back(id);
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
  LogPrinter printer(git, mine, PrettyOf(git, mine));
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

Result<ExitStatus> ShowGraph(Git& git, History& history, const LogOptions& options, const Selection& selection, Pathspec& paths) {
  if (options.is_reversed) return Error(Code::kInvalid, "options '--reverse' and '--graph' cannot be used together");
  if (options.no_walk) return Error(Code::kInvalid, "options '--no-walk' and '--graph' cannot be used together");
  std::map<Oid, std::optional<Oid>> passed;
  PADDOCK_ASSIGN(const std::vector<Oid> commits, Select(git, history, options, selection, paths, &passed));
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
  LogPrinter printer(git, options, PrettyOf(git, options));
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
    PADDOCK_TRY(printer.Print(id, node->commit, paths, false, &graph));
  }
  return 0;
}

Result<ExitStatus> Log(Git& git, LogOptions& options, Args& args) {
  if (options.reflog) return ShowReflog(git, options, args, nullptr);
  PADDOCK_ASSIGN(Selection selection, ParseSelection(git, args));
  TakeDefaults(git, options, selection);
  if (selection.included.empty() && selection.names.empty() && !options.all && !options.branches && !options.tags && !options.remotes) {
    PADDOCK_ASSIGN(const Oid head, git.RequireHead());
    selection.included.push_back(head);
  }
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(selection.paths));
  if (options.follow && selection.paths.size() != 1) return Error(Code::kInvalid, "--follow requires exactly one pathspec");
  History history(git);
  if (options.graph) return ShowGraph(git, history, options, selection, paths);
  PADDOCK_ASSIGN(const std::vector<Oid> commits, Select(git, history, options, selection, paths));
  LogPrinter printer(git, options, PrettyOf(git, options));
  for (const Oid& id : commits) {
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    PADDOCK_TRY(printer.Print(id, node->commit, paths, false));
  }
  return 0;
}

Result<ExitStatus> RevList(Git& git, LogOptions& options, Args& args) {
  PADDOCK_ASSIGN(Selection selection, ParseSelection(git, args));
  TakeDefaults(git, options, selection);
  if (selection.included.empty() && selection.names.empty() && !options.all) {
    git.Say("usage: git rev-list [<options>] <commit>... [--] [<path>...]\n");
    return 129;
  }
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(selection.paths));
  History history(git);
  PADDOCK_ASSIGN(const std::vector<Oid> commits, Select(git, history, options, selection, paths));
  if (options.count_only) {
    git.Print(std::to_string(commits.size()) + "\n");
    return 0;
  }
  PrettyOptions pretty = PrettyOf(git, options);
  for (const Oid& id : commits) {
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    if (options.pretty.empty() && !options.oneline) {
      git.Print(options.abbrev_commit ? git.objects.Abbreviate(id) : id.Hex());
      for (const Oid& parent : node->commit.parents) {
        if (options.show_parents) git.Print(" " + parent.Hex());
      }
      git.Print("\n");
      continue;
    }
    if (pretty.format.starts_with("format:") || pretty.format.starts_with("tformat:")) git.Print("commit " + id.Hex() + "\n");
    std::string text = PrettyCommit(git, id, node->commit, pretty);
    git.Print(text + (text.ends_with('\n') ? "" : "\n"));
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
  LogPrinter printer(git, options, PrettyOf(git, options));
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
      PADDOCK_TRY(printer.Print(id, commit, paths, false));
    }
  }
  return 0;
}

Result<ExitStatus> RunReflog(Git& git, LogOptions& options, Args& args) {
  if (!args.operands.empty() && args.operands[0] == "show") args.operands.erase(args.operands.begin());
  if (!args.operands.empty() && (args.operands[0] == "expire" || args.operands[0] == "delete")) return Error(Code::kNotSupported, "reflog " + args.operands[0] + " is not supported");
  return ShowReflog(git, options, args, "oneline");
}

}  // namespace

extern const Subcommand kLog, kShow, kRevList, kReflog;
const Subcommand kLog = DefineSubcommand<LogOptions, Log>({.name = "log", .summary = "show the history", .synopsis = "[<options>] [<revision-range>] [[--] <path>...]", .options = kOptions, .rules = {.numeric_shorthand = TakeCount}});
const Subcommand kShow = DefineSubcommand<LogOptions, Show>({.name = "show", .summary = "show objects", .synopsis = "[<options>] [<object>...]", .options = kOptions, .rules = {.numeric_shorthand = TakeCount}});
const Subcommand kRevList = DefineSubcommand<LogOptions, RevList>({.name = "rev-list", .summary = "list commits", .synopsis = "[<options>] <commit>... [--] [<path>...]", .options = kOptions, .rules = {.numeric_shorthand = TakeCount}});
const Subcommand kReflog = DefineSubcommand<LogOptions, RunReflog>({.name = "reflog", .summary = "show what a reference was", .synopsis = "[show] [<options>] [<ref>]", .options = kOptions, .rules = {.numeric_shorthand = TakeCount}});

}  // namespace paddock::git
