// git rev-list.
#include <algorithm>

#include "commands/git/history/bisect.h"
#include "commands/git/history/log.h"
#include "commands/git/history/reach.h"
#include "git/stored_objects.h"

namespace paddock::git {
namespace {

class RevLister {
 public:
  RevLister(Git& git, LogOptions& options, Selection& selection, Pathspec& paths) : git_(git), options_(options), selection_(selection), paths_(paths), history_(git) {}

  Result<ExitStatus> Run() {
    if (options_.bisect_all || options_.bisect_vars || options_.bisect) return Bisect();
    PADDOCK_ASSIGN(commits_, Select(git_, history_, options_, selection_, paths_, sides_));
    if (options_.disk_usage) return ShowDiskUsage();
    if (options_.quiet_list) return 0;
    if (options_.count_only) return Count();
    if (!options_.with_notes) options_.with_notes = false;
    PADDOCK_ASSIGN(pretty_, PrettyOf(git_, options_));
    if (options_.children) PADDOCK_TRY(CountChildren());
    if (options_.objects_edge) PADDOCK_TRY(ShowEdges());
    for (const Oid& id : commits_) PADDOCK_TRY(ShowCommit(id));
    return options_.with_objects || options_.objects_edge ? ShowObjects() : Result<ExitStatus>(0);
  }

 private:
  Result<ExitStatus> Count() {
    size_t left = 0, right = 0, same = 0;
    for (const Oid& id : commits_) {
      const std::string side = MarkOf(id);
      (side == "=" ? same : side == "<" ? left : right) += 1;
    }
    if (options_.with_objects || options_.objects_edge) {
      PADDOCK_ASSIGN(const auto objects, Objects());
      right += objects.size();
    }
    std::string text = options_.left_right ? std::to_string(left) + "\t" + std::to_string(right) : std::to_string(left + right);
    if (options_.cherry_mark) text += "\t" + std::to_string(same);
    git_.Print(text + "\n");
    return 0;
  }

  std::string MarkOf(const Oid& id) const {
    const auto mark = sides_.marks.find(id);
    return mark == sides_.marks.end() ? "" : std::string(1, mark->second);
  }
  const std::vector<Oid>& ParentsOf(const Oid& id, const Commit& commit) const {
    const auto rewritten = sides_.parents.find(id);
    return rewritten == sides_.parents.end() ? commit.parents : rewritten->second;
  }
  Status CountChildren() {
    for (size_t i = commits_.size(); i-- > 0;) {
      git_.in.budget.Step();
      PADDOCK_ASSIGN(const History::Node* node, history_.Get(commits_[i]));
      for (const Oid& parent : ParentsOf(commits_[i], node->commit)) children_[parent].push_back(commits_[i]);
    }
    return {};
  }

  Status ShowCommit(const Oid& id) {
    PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
    const bool is_plain = options_.pretty.empty() && !options_.oneline && !options_.header && !options_.has_empty_format;
    std::string line;
    if (options_.timestamp) line = std::to_string(node->time) + " ";
    line += MarkOf(id) + ((options_.abbrev_commit || options_.oneline) && !options_.no_abbrev_commit ? git_.objects.Abbreviate(id, options_.abbrev.value_or(0)) : id.Hex());
    if (options_.show_parents) {
      for (const Oid& parent : ParentsOf(id, node->commit)) line += " " + parent.Hex();
    }
    if (const auto children = children_.find(id); children != children_.end()) {
      for (const Oid& child : children->second) line += " " + child.Hex();
    }
    const bool is_one = pretty_.format == "oneline" && !is_plain;
    if (!options_.no_commit_header || is_plain || is_one) git_.Print((is_plain || is_one || (options_.header && options_.pretty.empty()) ? "" : "commit ") + line + (is_one ? " " : "\n"));
    if (is_plain) return {};
    // The line of the id is written above, in rev-list's own form.
    pretty_.id_suffix.clear();
    pretty_.mark.clear();
    pretty_.is_left = sides_.left.contains(id);
    if (options_.header && options_.pretty.empty()) pretty_.format = "raw";
    std::string text = PrettyCommit(git_, id, node->commit, pretty_);
    const bool is_own = pretty_.format.find("format:") != std::string::npos;
    if (is_one) text.erase(0, text.find(' ') + 1);
    else if (!is_own && pretty_.format != "reference") text.erase(0, text.find('\n') + 1);
    if (options_.header) text += '\0';
    else if (!is_own && !is_one && pretty_.format != "reference") text += "\n";
    else if (!text.ends_with('\n')) text += "\n";
    if (text != "\n" || !is_own) git_.Print(text);
    return {};
  }

  // --objects-edge: what the range leaves out right behind its commits.
  Status ShowEdges() {
    std::set<Oid> seen;
    PADDOCK_ASSIGN(const std::set<Oid> excluded, history_.Ancestors(selection_.excluded));
    for (const Oid& id : commits_) {
      PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
      for (const Oid& parent : node->commit.parents) {
        if (excluded.contains(parent) && seen.insert(parent).second) git_.Print("-" + parent.Hex() + "\n");
      }
    }
    return {};
  }

  static Result<std::string> NameOf(const Object& object) {
    if (object.type != ObjectType::kTag) return std::string();
    PADDOCK_ASSIGN(const Tag tag, ParseTag(object.data));
    return tag.name;
  }
  // Tags that were named, then what the commits hold.
  Result<std::vector<std::pair<Oid, std::string>>> Objects() {
    std::vector<std::pair<Oid, std::string>> objects;
    PADDOCK_ASSIGN(const Reached known, ReachObjects(git_, selection_.excluded));
    std::set<Oid> seen = known.all;
    std::vector<Oid> named = selection_.included;
    if (options_.all || options_.tags) {
      for (const auto& [name, id] : git_.refs.List("refs/tags/")) named.push_back(id);
    }
    for (const Oid& id : named) {
      PADDOCK_ASSIGN(const Object object, git_.objects.Read(id));
      if (object.type == ObjectType::kCommit || !seen.insert(id).second) continue;
      PADDOCK_ASSIGN(const std::string name, NameOf(object));
      objects.emplace_back(id, name);
    }
    for (const Oid& id : commits_) {
      PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
      PADDOCK_ASSIGN(const Reached below, ReachObjects(git_, {node->commit.tree}, seen));
      for (const Oid& object : below.order) {
        const auto name = below.names.find(object);
        const std::string path = name == below.names.end() ? "" : name->second;
        if (!paths_.empty() && !path.empty() && !paths_.Matches(path, git_.in.budget) && !paths_.MayMatchBelow(path, git_.in.budget)) continue;
        if (!options_.unpacked || !git_.objects.IsPacked(object)) objects.emplace_back(object, path);
        seen.insert(object);
      }
    }
    return objects;
  }
  Result<ExitStatus> ShowObjects() {
    PADDOCK_ASSIGN(const auto objects, Objects());
    for (const auto& [id, name] : objects) git_.Print(id.Hex() + (options_.no_object_names ? "" : " " + name) + "\n");
    return 0;
  }

  Result<ExitStatus> ShowDiskUsage() {
    std::vector<Oid> ids = commits_;
    if (options_.with_objects || options_.objects_edge) {
      PADDOCK_ASSIGN(const auto objects, Objects());
      for (const auto& [id, name] : objects) ids.push_back(id);
    }
    StoredObjects stored(git_.in.fs, git_.objects, git_.in.budget);
    uint64_t total = 0;
    for (const Oid& id : ids) {
      git_.in.budget.Step();
      PADDOCK_ASSIGN(const StoredObject found, stored.Find(id));
      total += found.bytes;
    }
    if (options_.disk_usage->empty()) {
      git_.Print(std::to_string(total) + "\n");
      return 0;
    }
    // In units of 1024, rounded down to hundredths.
    static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB"};
    size_t unit = total > (1u << 30) ? 3 : total > (1u << 20) ? 2 : total > 1024 ? 1 : 0;
    if (unit == 0) {
      git_.Print(std::to_string(total) + (total == 1 ? " byte\n" : " bytes\n"));
      return 0;
    }
    const uint64_t size = uint64_t{1} << (10 * unit), half = unit == 1 ? 5 : unit == 2 ? 5243 : 5368709;
    const uint64_t rounded = total + half;
    const uint64_t hundredths = (rounded & (size - 1)) * 100 >> (10 * unit);
    git_.Print(std::to_string(rounded >> (10 * unit)) + "." + (hundredths < 10 ? "0" : "") + std::to_string(hundredths) + " " + kUnits[unit - 1] + "\n");
    return 0;
  }

  Result<ExitStatus> Bisect() {
    LogOptions plain = options_;
    plain.bisect = false;
    PADDOCK_ASSIGN(commits_, Select(git_, history_, plain, selection_, paths_, sides_));
    if (commits_.empty()) return options_.bisect_vars ? Result<ExitStatus>(1) : Result<ExitStatus>(0);
    const size_t count = commits_.size();
    std::optional<Oid> next;
    size_t reached = 0;
    if (options_.bisect_all) {
      PADDOCK_ASSIGN(const std::vector<Weighed> all, WeighAll());
      next = all[0].id;
      reached = all[0].reached;
      PrettyOptions named;
      FindDecorations(git_, named);
      for (const Weighed& one : all) {
        std::string names = DecorationText(git_, one.id, named, "", "", false);
        git_.Print(one.id.Hex() + " (" + names + (names.empty() ? "" : ", ") + "dist=" + std::to_string(std::min(one.reached, count - one.reached)) + ")\n");
      }
      if (!options_.bisect_vars) return 0;
      git_.Print("------\n");
    } else {
      BisectMarks marks;
      marks.good = selection_.excluded;
      PADDOCK_ASSIGN(marks.bad, git_.objects.Peel(selection_.included.at(0), ObjectType::kCommit));
      PADDOCK_ASSIGN(const BisectChoice choice, ChooseBisection(git_, history_, marks, paths_, options_.first_parent));
      next = choice.next;
      reached = choice.reached;
    }
    if (!next) return 0;
    if (!options_.bisect_vars) {
      git_.Print(next->Hex() + "\n");
      return 0;
    }
    const size_t rest = std::max(count - reached, reached);
    git_.Print("bisect_rev='" + next->Hex() + "'\nbisect_nr=" + std::to_string(rest - 1) + "\nbisect_good=" + std::to_string(static_cast<int64_t>(count - reached) - 1) + "\nbisect_bad=" + std::to_string(static_cast<int64_t>(reached) - 1) +
               "\nbisect_all=" + std::to_string(count) + "\nbisect_steps=" + std::to_string(BisectSteps(count)) + "\n");
    return 0;
  }

  struct Weighed {
    Oid id;
    size_t reached;   // how many of the commits it leads to
  };
  Result<std::vector<Weighed>> WeighAll() {
    const std::set<Oid> members(commits_.begin(), commits_.end());
    std::vector<Weighed> all;
    for (const Oid& id : commits_) {
      std::set<Oid> seen = {id};
      std::vector<Oid> todo = {id};
      while (!todo.empty()) {
        git_.in.budget.Step();
        const Oid at = todo.back();
        todo.pop_back();
        PADDOCK_ASSIGN(const History::Node* node, history_.Get(at));
        for (const Oid& parent : node->commit.parents) {
          if (members.contains(parent) && seen.insert(parent).second) todo.push_back(parent);
        }
      }
      all.push_back({id, seen.size()});
    }
    const auto distance = [&](const Weighed& one) { return std::min(one.reached, commits_.size() - one.reached); };
    std::sort(all.begin(), all.end(), [&](const Weighed& a, const Weighed& b) { return distance(a) != distance(b) ? distance(a) > distance(b) : a.id < b.id; });
    return all;
  }

  Git& git_;
  LogOptions& options_;
  Selection& selection_;
  Pathspec& paths_;
  History history_;
  LogSides sides_;
  std::vector<Oid> commits_;
  PrettyOptions pretty_;
  std::map<Oid, std::vector<Oid>> children_;
};

}  // namespace

Result<ExitStatus> RevList(Git& git, LogOptions& options, Args& args) {
  PADDOCK_TRY(ReadStdin(git, options, args));
  PADDOCK_ASSIGN(Selection selection, ParseSelection(git, args));
  TakeDefaults(git, options, selection);
  if (selection.included.empty() && selection.names.empty() && selection.excluded.empty() && !HasSources(options)) {
    git.Say("usage: git rev-list [<options>] <commit>... [--] [<path>...]\n");
    return 129;
  }
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(selection.paths));
  if (options.graph) {
    LogOptions drawn = options;
    if (drawn.pretty.empty() && !drawn.oneline) drawn.pretty = drawn.abbrev_commit ? "tformat:%h" : "tformat:%H";
    else if (const size_t at = drawn.pretty.find("format:"); at != std::string::npos && at <= 1) drawn.pretty = "tformat:commit %H%n" + drawn.pretty.substr(at + 7);
    else if (drawn.pretty.find('%') != std::string::npos) drawn.pretty = "tformat:commit %H%n" + drawn.pretty;
    History history(git);
    return ShowGraph(git, history, drawn, selection, paths);
  }
  return RevLister(git, options, selection, paths).Run();
}

}  // namespace paddock::git
