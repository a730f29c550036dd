// Which commits git log and rev-list choose: references that options name, sides of a range, paths.
#include <algorithm>

#include "commands/file_facts.h"
#include "commands/git/commit_changes.h"
#include "commands/git/log.h"
#include "commands/git/log_filter.h"
#include "text/pattern.h"

namespace paddock::git {

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

namespace {

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

}  // namespace

Result<std::vector<Oid>> Select(Git& git, History& history, const LogOptions& options, const Selection& selection, Pathspec& paths, Sides& sides, std::map<Oid, std::optional<Oid>>* passed) {
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

}  // namespace paddock::git
