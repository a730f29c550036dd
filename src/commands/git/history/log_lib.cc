// git log, show and whatchanged.
#include <algorithm>

#include "commands/git/history/log.h"
#include "commands/git/work/attributes.h"

namespace paddock::git {
namespace {

// What stands behind ids: --parents, --children, --source.
class Naming {
 public:
  explicit Naming(const Selection& selection) : sources_(selection.sources) {}

  // With --children, all have to be counted before the first one is shown.
  Status CountChildren(Git& git, History& history, const LogOptions& options, const LogSides& sides, const std::vector<Oid>& commits) {
    if (!options.children) return {};
    for (size_t i = commits.size(); i-- > 0;) {
      git.in.budget.Step();
      PADDOCK_ASSIGN(const History::Node* node, history.Get(commits[i]));
      const auto rewritten = sides.parents.find(commits[i]);
      for (const Oid& parent : rewritten == sides.parents.end() ? node->commit.parents : rewritten->second) children_[parent].push_back(commits[i]);
    }
    return {};
  }

  void Name(Git& git, const LogOptions& options, const LogSides& sides, const Oid& id, const Commit& commit, PrettyOptions& pretty) {
    const auto add = [&](const Oid& one) { pretty.id_suffix += " " + (pretty.abbreviates ? git.objects.Abbreviate(one, pretty.digits) : one.Hex()); };
    pretty.id_suffix.clear();
    const auto rewritten = sides.parents.find(id);
    const std::vector<Oid>& parents = rewritten == sides.parents.end() ? commit.parents : rewritten->second;
    if (options.show_parents) {
      for (const Oid& parent : parents) add(parent);
    }
    if (const auto children = children_.find(id); children != children_.end()) {
      for (const Oid& child : children->second) add(child);
    }
    const auto source = sources_.find(id);
    pretty.source = source == sources_.end() ? "" : source->second;
    for (const Oid& parent : commit.parents) {
      if (!pretty.source.empty()) sources_.emplace(parent, pretty.source);
    }
  }

 private:
  std::map<Oid, std::string> sources_;
  std::map<Oid, std::vector<Oid>> children_;
};

}  // namespace

Result<ExitStatus> ShowGraph(Git& git, History& history, const LogOptions& options, const Selection& selection, Pathspec& paths) {
  if (options.colours) return Error(Code::kNotSupported, "--graph in colours is not supported");
  if (options.is_reversed) return Error(Code::kInvalid, "options '--reverse' and '--graph' cannot be used together");
  if (options.no_walk) return Error(Code::kInvalid, "options '--no-walk' and '--graph' cannot be used together");
  LogSides sides;
  PADDOCK_ASSIGN(const std::vector<Oid> commits, Select(git, history, options, selection, paths, sides));
  const std::set<Oid> shown(commits.begin(), commits.end());
  PADDOCK_ASSIGN(PrettyOptions pretty, PrettyOf(git, options));
  LogPrinter printer(git, options, std::move(pretty));
  HistoryGraph graph;
  Naming naming(selection);
  int64_t count = 0;
  for (const Oid& id : commits) {
    if (options.count && *options.count >= 0 && count++ >= *options.count) break;
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    std::vector<Oid> parents;
    const auto rewritten = sides.parents.find(id);
    for (const Oid& parent : rewritten == sides.parents.end() ? node->commit.parents : rewritten->second) {
      git.in.budget.Step(1 + static_cast<int64_t>(parents.size() / 16));
      if (shown.contains(parent) && std::find(parents.begin(), parents.end(), parent) == parents.end()) parents.push_back(parent);
      if (options.first_parent) break;
    }
    // Each line looks for its place among the others.
    const size_t breadth = graph.breadth() + parents.size();
    git.in.budget.Step(1 + static_cast<int64_t>(breadth * breadth / 64));
    const auto mark = sides.marks.find(id);
    const char sign = mark == sides.marks.end() ? '*' : mark->second == '-' ? 'o' : mark->second;
    graph.Show(id, std::move(parents), sign == '+' ? '*' : sign);
    naming.Name(git, options, sides, id, node->commit, printer.pretty());
    printer.pretty().is_left = sides.left.contains(id);
    PADDOCK_TRY(printer.Print(id, node->commit, paths, false, &graph));
  }
  return 0;
}

namespace {

Status ShowTag(Git& git, const Oid& id, const PrettyOptions& pretty, Oid& next) {
  PADDOCK_ASSIGN(const Tag tag, git.objects.ReadTag(id));
  const Signature tagger = ParseSignature(tag.tagger);
  git.Print((pretty.colours ? "\033[33mtag " + tag.name + "\033[m" : "tag " + tag.name) + "\n");
  if (!tag.tagger.empty() && pretty.format != "oneline") {
    const bool is_fuller = pretty.format == "fuller";
    git.Print((is_fuller ? "Tagger:     " : "Tagger: ") + tagger.name + " <" + tagger.email + ">\n");
    if (is_fuller || pretty.format == "medium") git.Print((is_fuller ? "TaggerDate: " : "Date:   ") + DateText(git, tagger, pretty.date) + "\n");
  }
  git.Print("\n" + tag.message);
  next = tag.object;
  return {};
}

}  // namespace

// --merge: HEAD...MERGE_HEAD for what is in conflict.
Status TakeMerge(Git& git, Args& args) {
  if (!git.Head()) return Error(Code::kInvalid, "--merge without HEAD?");
  if (!git.refs.Read("MERGE_HEAD")) return Error(Code::kInvalid, "--merge without MERGE_HEAD?");
  args.operands.emplace_back("HEAD...MERGE_HEAD");
  PADDOCK_ASSIGN(Pathspec wanted, git.ParsePaths(args.paths));
  PADDOCK_ASSIGN(const Index index, git.ReadIndex());
  std::vector<std::string> paths;
  for (const IndexEntry& entry : index.entries()) {
    if (entry.stage == 0 || (!paths.empty() && paths.back() == ":(top,literal)" + entry.path)) continue;
    if (wanted.empty() || wanted.Matches(entry.path, git.in.budget)) paths.push_back(":(top,literal)" + entry.path);
  }
  args.paths = std::move(paths);
  args.has_dashes = true;
  return {};
}

Result<ExitStatus> Log(Git& git, LogOptions& options, Args& args) {
  if (options.of_merge) PADDOCK_TRY(TakeMerge(git, args));
  PADDOCK_TRY(SettleForms(options));
  // -c and --cc want patches, --diff-merges those of merges alone.
  if (options.combine != DiffOptions::Combine::kDefault && !options.merges_only && !options.HasFormat() && !options.no_patch) options.patch = true;
  SkipIndexAttributes(git);
  if (options.reflog) return ShowReflog(git, options, args, nullptr);
  PADDOCK_TRY(ReadStdin(git, options, args));
  PADDOCK_ASSIGN(Selection selection, ParseSelection(git, args));
  TakeDefaults(git, options, selection);
  if (selection.included.empty() && selection.names.empty() && !HasSources(options)) {
    PADDOCK_ASSIGN(const Oid head, git.RequireHead());
    selection.included.push_back(head);
    selection.sources.emplace(head, "HEAD");
  }
  if (options.quiet_list) options.no_patch = true;
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(selection.paths));
  if (options.follow && selection.paths.size() != 1) return Error(Code::kInvalid, "--follow requires exactly one pathspec");
  History history(git);
  if (!options.line_ranges.empty()) return LogLines(git, history, options, selection, paths);
  if (options.graph) return ShowGraph(git, history, options, selection, paths);
  LogSides sides;
  PADDOCK_ASSIGN(const std::vector<Oid> commits, Select(git, history, options, selection, paths, sides));
  PADDOCK_ASSIGN(PrettyOptions pretty, PrettyOf(git, options));
  LogPrinter printer(git, options, std::move(pretty));
  printer.Follow(sides.followed);
  Naming naming(selection);
  PADDOCK_TRY(naming.CountChildren(git, history, options, sides, commits));
  for (const Oid& id : commits) {
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    const auto mark = sides.marks.find(id);
    printer.pretty().mark = mark == sides.marks.end() ? "" : std::string(1, mark->second);
    printer.pretty().is_left = sides.left.contains(id);
    naming.Name(git, options, sides, id, node->commit, printer.pretty());
    PADDOCK_TRY(printer.Print(id, node->commit, paths, false));
  }
  return 0;
}

Result<ExitStatus> Show(Git& git, LogOptions& options, Args& args) {
  PADDOCK_TRY(SettleForms(options));
  // With lines to follow it is a log of one commit.
  if (!options.line_ranges.empty()) {
    options.no_walk = true;
    return Log(git, options, args);
  }
  SkipIndexAttributes(git);
  PADDOCK_ASSIGN(Selection selection, ParseSelection(git, args));
  if (selection.included.empty()) {
    PADDOCK_ASSIGN(const Oid head, git.RequireHead());
    selection.included.push_back(head);
    selection.names.push_back("HEAD");
  }
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(selection.paths));
  if (options.quiet_list) options.no_patch = true;
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
      printer.BeginOther();
      PADDOCK_TRY(ShowTag(git, id, printer.pretty(), id));
      PADDOCK_ASSIGN(object, git.objects.Read(id));
    }
    if (object.type == ObjectType::kBlob) {
      git.Print(object.data);
    } else if (object.type == ObjectType::kTree) {
      PADDOCK_ASSIGN(const std::vector<TreeEntry> entries, ParseTree(object.data, git.in.budget));
      printer.BeginOther();
      git.Print((options.colours ? "\033[33mtree " + name + "\033[m" : "tree " + name) + "\n\n");
      for (const TreeEntry& entry : entries) git.Print(entry.name + (entry.is_tree() ? "/\n" : "\n"));
    } else {
      PADDOCK_ASSIGN(const Commit commit, ParseCommit(object.data, git.in.budget));
      printer.pretty().source = name;
      PADDOCK_TRY(printer.Print(id, commit, paths, true));
    }
  }
  return 0;
}

Result<ExitStatus> WhatChanged(Git& git, LogOptions& options, Args& args) {
  if (!options.HasFormat() && options.line_ranges.empty()) options.raw = true;
  if (!options.merge_patch) options.max_parents = 1;
  options.only_changes = true;
  return Log(git, options, args);
}

}  // namespace paddock::git
