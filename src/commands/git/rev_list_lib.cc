// git rev-list.
#include "commands/git/log.h"
#include "commands/git/reach.h"

namespace paddock::git {

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

}  // namespace paddock::git
