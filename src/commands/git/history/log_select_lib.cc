// Which commits git log and rev-list choose: references that options name, sides of a range, paths.
#include <algorithm>

#include "commands/file_facts.h"
#include "commands/git/diff/commit_patch_id.h"
#include "commands/git/history/log.h"
#include "commands/git/history/log_filter.h"
#include "commands/git/history/path_history.h"
#include "commands/git/work/commit_changes.h"
#include "text/pattern.h"

namespace paddock::git {

void TakeDefaults(Git& git, const LogOptions& options, Selection& selection) {
  const auto matches = [&git](const std::string& pattern, const std::string& name) {
    PatternFlags flags;
    flags.extglob = false;
    return Pattern(pattern, flags).Matches(name, git.in.budget);
  };
  std::vector<std::string> hidden = git.config.GetAll("transfer.hiderefs");
  const std::vector<std::string> special = git.config.GetAll(options.hidden + ".hiderefs");
  hidden.insert(hidden.end(), special.begin(), special.end());
  const auto is_hidden = [&](const std::string& name) {
    bool hides = false;
    for (const std::string& rule : hidden) {
      const bool is_shown = rule.starts_with('!');
      const std::string prefix = rule.substr(is_shown ? 1 : 0);
      if (!options.hidden.empty() && name.starts_with(prefix) && (name.size() == prefix.size() || name[prefix.size()] == '/')) hides = !is_shown;
    }
    return hides;
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
      if (is_hidden(name)) continue;
      const auto commit = git.objects.Peel(id, ObjectType::kCommit);
      if (!commit) continue;
      (excludes ? selection.excluded : selection.included).push_back(*commit);
      if (!excludes) selection.sources.emplace(*commit, name);
    }
    if (prefix != "refs/" || glob != nullptr) return;
    const auto head = git.Head();
    if (head) (excludes ? selection.excluded : selection.included).push_back(*head);
    if (head && !excludes) selection.sources.emplace(*head, "HEAD");
  };
  if (options.reflogs) {
    std::vector<std::string> names = {"HEAD"};
    for (const auto& [name, id] : git.refs.List("refs/")) names.push_back(name);
    for (const std::string& name : names) {
      for (const ReflogEntry& entry : git.refs.ReadLog(name)) {
        git.in.budget.Step();
        for (const Oid& id : {entry.before, entry.after}) {
          if (!id.is_null() && git.objects.ReadCommit(id)) selection.included.push_back(id);
        }
      }
    }
  }
  if (options.bisect) {
    for (const auto& [name, id] : git.refs.List("refs/bisect/")) {
      if (name == "refs/bisect/bad" || name.starts_with("refs/bisect/bad-")) selection.included.push_back(id);
      else if (name.starts_with("refs/bisect/good-")) selection.excluded.push_back(id);
    }
  }
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
bool HasSources(const LogOptions& options) { return options.all || options.reflogs || options.bisect || options.branches || options.tags || options.remotes || !options.globs.empty(); }

Status ReadStdin(Git& git, const LogOptions& options, Args& args) {
  if (options.ignores_missing) {
    std::erase_if(args.operands, [&](const std::string& name) {
      Selection ignored;
      const auto taken = TakeRevision(git, name, ignored);
      return (!taken || !*taken) && !git.in.fs.Stat(name);
    });
  }
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

namespace {

// Marks the sides of A...B, and takes out of `order` what the options do not want of them.
Status TakeSides(Git& git, History& history, const LogOptions& options, const Selection& selection, std::vector<Oid>& order, LogSides& sides) {
  const bool marks = options.left_right || options.left_only || options.right_only || options.cherry_pick || options.cherry_mark || options.pretty.find("%m") != std::string::npos;
  if (marks && selection.has_symmetric) {
    PADDOCK_ASSIGN(const std::set<Oid> left, history.Ancestors(selection.left));
    std::map<Oid, std::pair<bool, bool>> changes;   // on which side
    std::map<Oid, Oid> names;                       // the ids of their patches
    if (options.cherry_pick || options.cherry_mark) {
      for (const Oid& id : order) {
        PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
        if (node->commit.parents.size() > 1) continue;
        PADDOCK_ASSIGN(const std::optional<Oid> patch, CommitPatchId(git, node->commit));
        names[id] = patch.value_or(Oid{});
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
      if (is_left) sides.left.insert(id);
      if (options.cherry_mark) sides.marks[id] = is_both ? '=' : options.left_right ? (is_left ? '<' : '>') : '+';
      else if (options.left_right) sides.marks[id] = is_left ? '<' : '>';
      kept.push_back(id);
    }
    order = std::move(kept);
  } else if (options.left_right) {
    for (const Oid& id : order) sides.marks[id] = '>';
  } else if (options.cherry_mark) {
    for (const Oid& id : order) sides.marks[id] = '+';
  }
  if (options.ancestry_path) {
    std::set<Oid> behind(selection.excluded.begin(), selection.excluded.end()), ahead;
    if (!options.path_starts.empty()) {
      behind.clear();
      for (const std::string& name : options.path_starts) {
        auto id = ResolveCommit(git, name);
        if (!id) return Error(Code::kInvalid, "could not get commit for ancestry-path argument " + name);
        behind.insert(*id);
      }
      PADDOCK_ASSIGN(ahead, history.Ancestors({behind.begin(), behind.end()}));
    }
    if (behind.empty()) return Error(Code::kInvalid, "--ancestry-path given but there are no bottom commits");
    // Parents before children.
    WalkOptions walk{true, options.first_parent, false};
    PADDOCK_ASSIGN(std::vector<Oid> sorted, WalkHistory(git, history, selection, walk));
    for (size_t i = sorted.size(); i-- > 0;) {
      PADDOCK_ASSIGN(const History::Node* node, history.Get(sorted[i]));
      if (std::any_of(node->commit.parents.begin(), node->commit.parents.end(), [&](const Oid& parent) { return behind.contains(parent); })) behind.insert(sorted[i]);
    }
    std::erase_if(order, [&](const Oid& id) { return !behind.contains(id) && !ahead.contains(id); });
  }
  return {};
}

// --follow: commits that changed the file, under the names that it had.
Result<std::vector<Oid>> FollowFile(Git& git, History& history, const std::vector<Oid>& order, std::string path, LogSides& sides) {
  std::vector<Oid> kept;
  for (const Oid& id : order) {
    git.in.budget.Step();
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    if (node->commit.parents.size() > 1) continue;
    DiffOptions plain;
    plain.no_renames = true;
    PADDOCK_ASSIGN(Pathspec now, Pathspec::Parse({":/" + path}, "", git.work_tree));
    PADDOCK_ASSIGN(const std::vector<FileDiff> changed, ChangesOf(git, node->commit, plain, now));
    if (changed.empty()) continue;
    kept.push_back(id);
    sides.followed[id] = path;
    if (changed[0].status != 'A') continue;
    Pathspec everything;
    PADDOCK_ASSIGN(const std::vector<FileDiff> files, ChangesOf(git, node->commit, DiffOptions{}, everything));
    for (const FileDiff& file : files) {
      if ((file.status != 'R' && file.status != 'C') || file.new_path != path) continue;
      path = file.old_path;
      break;
    }
  }
  return kept;
}

std::set<Oid> Decorated(Git& git) {
  PrettyOptions names;
  FindDecorations(git, names);
  std::set<Oid> decorated;
  for (const auto& [id, list] : names.decorations) decorated.insert(id);
  return decorated;
}

// Newest first; what came first stays first among equals.
Status SortByTime(History& history, std::vector<Oid>& order) {
  std::vector<std::pair<int64_t, Oid>> timed;
  for (const Oid& id : order) {
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    timed.emplace_back(node->time, id);
  }
  std::stable_sort(timed.begin(), timed.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (size_t i = 0; i < order.size(); ++i) order[i] = timed[i].second;
  return {};
}

// Parents that are not shown, behind all others.
Status AddBoundary(Git& git, History& history, const LogOptions& options, const std::set<Oid>& excluded, std::vector<Oid>& kept, LogSides& sides) {
  const std::set<Oid> shown(kept.begin(), kept.end());
  std::set<Oid> seen;
  const std::vector<Oid> inside = kept;
  std::vector<Oid> edges;
  for (const Oid& id : inside) {
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    const auto rewritten = sides.parents.find(id);
    for (const Oid& parent : rewritten == sides.parents.end() ? node->commit.parents : rewritten->second) {
      git.in.budget.Step();
      if (shown.contains(parent) || !seen.insert(parent).second) continue;
      if (!excluded.contains(parent) && !options.count && !options.skip) continue;
      sides.marks[parent] = '-';
      edges.push_back(parent);
    }
  }
  kept.insert(kept.end(), edges.begin(), edges.end());
  return {};
}

}  // namespace

Result<std::vector<Oid>> Select(Git& git, History& history, const LogOptions& options, const Selection& selection, Pathspec& paths, LogSides& sides) {
  PADDOCK_ASSIGN(Filter filter, Filter::Make(git, options));
  const bool is_shaped = options.simplify_merges || options.by_decoration;
  WalkOptions walk{options.topological || options.graph || options.date_order || options.author_date_order || is_shaped, options.first_parent, options.author_date_order, options.date_order || options.author_date_order};
  const bool simplifies = (!paths.empty() || options.by_decoration) && !options.follow && !options.no_walk;
  const bool keeps_shape = options.graph || options.show_parents || options.children || is_shaped;
  std::set<Oid> excluded;
  if (simplifies || options.boundary) {
    PADDOCK_ASSIGN(excluded, history.Ancestors(selection.excluded));
  }
  std::optional<PathHistory> limited;
  if (simplifies) {
    limited.emplace(git, history, options, paths, excluded, options.by_decoration ? std::optional(Decorated(git)) : std::nullopt);
    walk.parents = [&limited](const Oid& id) -> Result<std::vector<Oid>> {
      PADDOCK_ASSIGN(const PathHistory::Step* step, limited->Get(id));
      return step->parents;
    };
  }
  // What is not looked at as a whole comes commit by commit, so that the first few of a long history are there at once.
  const bool as_whole = options.no_walk || options.left_right || options.cherry_mark || walk.is_topological || options.follow || options.ancestry_path || options.remove_empty || selection.has_symmetric;
  HistoryWalk walking(git, history, walk);
  std::vector<Oid> order;
  if (options.no_walk) {
    for (const Oid& id : selection.included) {
      PADDOCK_ASSIGN(const Oid commit, git.objects.Peel(id, ObjectType::kCommit));
      if (std::find(order.begin(), order.end(), commit) == order.end()) order.push_back(commit);
      git.in.budget.Step(static_cast<int64_t>(1 + order.size() / 16));
    }
    if (!options.unsorted) PADDOCK_TRY(SortByTime(history, order));
  } else if (as_whole) {
    PADDOCK_ASSIGN(order, WalkHistory(git, history, selection, walk));
  } else {
    PADDOCK_TRY(walking.Begin(selection));
  }
  PADDOCK_TRY(TakeSides(git, history, options, selection, order, sides));
  if (options.follow) {
    PADDOCK_ASSIGN(order, FollowFile(git, history, order, paths.Paths().empty() ? "" : paths.Paths()[0], sides));
  }
  if (limited && is_shaped) {
    PADDOCK_ASSIGN(order, limited->SimplifyMerges(order));
  }
  std::vector<Oid> kept;
  int64_t skip = options.skip.value_or(0);
  size_t at = 0;
  const auto next = [&]() -> Result<std::optional<Oid>> {
    if (!as_whole) return walking.Next();
    return at < order.size() ? std::optional(order[at++]) : std::nullopt;
  };
  while (true) {
    git.in.budget.Step();
    // --graph draws lines to those behind the last one, too.
    if (!options.graph && options.count && *options.count >= 0 && static_cast<int64_t>(kept.size()) >= *options.count) break;
    PADDOCK_ASSIGN(const std::optional<Oid> next_id, next());
    if (!next_id) break;
    const Oid& id = *next_id;
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    const Commit& commit = node->commit;
    if (limited) {
      PADDOCK_ASSIGN(const bool shows, limited->Shows(id, keeps_shape));
      if (!shows) continue;
    }
    if (options.unpacked && git.objects.IsPacked(id)) continue;
    PADDOCK_ASSIGN(const bool keeps, filter.Keeps(commit));
    if (!keeps) continue;
    if ((options.only_changes && options.line_ranges.empty()) || !options.filter.empty()) {
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
  if (limited && keeps_shape) {
    for (const Oid& id : kept) {
      PADDOCK_ASSIGN(sides.parents[id], limited->RewrittenParents(id));
    }
  }
  if (options.boundary) PADDOCK_TRY(AddBoundary(git, history, options, excluded, kept, sides));
  if (options.is_reversed) std::reverse(kept.begin(), kept.end());
  return kept;
}

}  // namespace paddock::git
