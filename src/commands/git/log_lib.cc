// git log, show and whatchanged.
#include <algorithm>

#include "commands/git/log.h"

namespace paddock::git {
namespace {

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

Status ShowTag(Git& git, const Oid& id, const PrettyOptions& pretty, Oid& next) {
  PADDOCK_ASSIGN(const Tag tag, git.objects.ReadTag(id));
  const Signature tagger = ParseSignature(tag.tagger);
  git.Print("tag " + tag.name + "\n");
  if (!tag.tagger.empty()) git.Print("Tagger: " + tagger.name + " <" + tagger.email + ">\nDate:   " + DateText(git, tagger, pretty.date) + "\n");
  git.Print("\n" + tag.message + "\n");
  next = tag.object;
  return {};
}

}  // namespace

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

Result<ExitStatus> WhatChanged(Git& git, LogOptions& options, Args& args) {
  if (!options.HasFormat()) options.raw = true;
  options.no_merges = options.no_merges || !options.merge_patch;
  options.only_changes = true;
  return Log(git, options, args);
}

}  // namespace paddock::git
