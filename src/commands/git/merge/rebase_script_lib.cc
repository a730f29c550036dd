// Making the list of a rebase.
#include "commands/git/merge/rebase_script.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "commands/git/work/commit.h"
#include "commands/git/work/linked_trees.h"

namespace paddock::git {
namespace {

using Verb = TodoItem::Verb;

TodoItem LineItem(Verb verb, std::string text) { return {verb, 0, std::nullopt, std::move(text)}; }

Result<bool> ChangesNothing(Git& git, const Commit& commit) {
  if (commit.parents.empty()) {
    PADDOCK_ASSIGN(const FlatTree files, git.Flatten(commit.tree));
    return files.empty();
  }
  PADDOCK_ASSIGN(const Commit parent, git.objects.ReadCommit(commit.parents[0]));
  return parent.tree == commit.tree;
}

// The names that commits get for the time of the rebase.
class Labels {
 public:
  explicit Labels(Git& git) : git_(git) {}

  const std::string* Find(const Oid& id) const {
    const auto found = names_.find(id);
    return found == names_.end() ? nullptr : &found->second;
  }
  void Set(const Oid& id, const std::string& name) {
    names_[id] = name;
    taken_.insert(Folded(name));
  }
  // The commit's name; a new one is made of `wish`, or of the id.
  const std::string& Of(const Oid& id, std::string_view wish) {
    if (const auto known = names_.find(id); known != names_.end()) return known->second;
    std::string name;
    if (wish.data() == nullptr) {
      name = git_.objects.Abbreviate(id);
      while (taken_.contains(Folded(name)) && name.size() < 40) name = id.Hex().substr(0, name.size() + 1);
    } else {
      for (const char c : wish) {
        if ((static_cast<unsigned char>(c) & 0x80) != 0 || std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
        else if (!name.empty() && name.back() != '-') name += '-';
      }
      if (name.empty()) name = "rev-" + git_.objects.Abbreviate(id);
      const std::string plain = name;
      for (int i = 2; Oid::FromHex(name) || taken_.contains(Folded(name)); ++i) {
        git_.in.budget.Step();
        name = plain + "-" + std::to_string(i);
      }
    }
    taken_.insert(Folded(name));
    return names_[id] = name;
  }

 private:
  static std::string Folded(std::string_view name) {
    std::string folded(name);
    for (char& c : folded) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return folded;
  }
  Git& git_;
  std::map<Oid, std::string> names_;
  std::set<std::string> taken_;
};

// What a merge's subject calls the branch that it merged.
std::string_view BranchIn(std::string_view subject) {
  if (subject.starts_with("Merge ")) {
    const size_t begin = subject.find('\'', 6), end = begin == std::string_view::npos ? begin : subject.find('\'', begin + 1);
    if (end != std::string_view::npos) return subject.substr(begin + 1, end - begin - 1);
  }
  if (subject.starts_with("Merge pull request ")) {
    if (const size_t from = subject.find(" from "); from != std::string_view::npos) return subject.substr(from + 6);
  }
  return subject;
}

class ScriptMaker {
 public:
  ScriptMaker(Git& git, History& history, const std::vector<Oid>& commits, const RebaseScriptOptions& options)
      : git_(git), history_(history), commits_(commits), options_(options), labels_(git), ours_(commits.begin(), commits.end()) {}

  Result<std::vector<TodoItem>> Make() {
    if (options_.keeps_merges && options_.bottom) labels_.Set(*options_.bottom, "onto");
    for (const Oid& id : commits_) PADDOCK_TRY(Take(id));
    if (!options_.keeps_merges) {
      for (const Oid& id : commits_) {
        if (const auto item = items_.find(id); item != items_.end()) list_.push_back(item->second);
      }
    } else {
      PADDOCK_TRY(LabelBranchPoints());
      list_.push_back(LineItem(Verb::kLabel, "onto"));
      for (const Oid& tip : tips_) PADDOCK_TRY(PutBranch(tip));
    }
    if (options_.updates_refs) PADDOCK_TRY(AddRefs());
    if (options_.autosquash) {
      PADDOCK_ASSIGN(list_, Autosquash(git_, list_));
    }
    if (!options_.commands.empty()) AddCommands();
    return std::move(list_);
  }

 private:
  // The line of a commit.
  Status Take(const Oid& id) {
    git_.in.budget.Step();
    PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
    const Commit& commit = node->commit;
    const bool is_merge = commit.parents.size() > 1;
    if (options_.known.contains(id) || (is_merge && !options_.keeps_merges)) return {};
    PADDOCK_ASSIGN(const bool is_empty, ChangesNothing(git_, commit));
    if (is_empty && options_.drops_empty && !commit.parents.empty()) return {};
    const std::string subject = SubjectOf(commit.message);
    if (!is_merge) {
      items_[id] = {Verb::kPick, 0, id, subject + (is_empty ? " # empty" : "")};
      return {};
    }
    TodoItem item{Verb::kMerge, 'C', id, ""};
    for (size_t i = 1; i < commit.parents.size(); ++i) {
      const Oid& side = commit.parents[i];
      const bool is_ours = ours_.contains(side);
      if (is_ours) tips_.push_back(side);
      item.text += labels_.Of(side, is_ours ? BranchIn(subject) : std::string_view()) + " ";
    }
    item.text += "# " + subject;
    items_[id] = std::move(item);
    return {};
  }

  Status LabelBranchPoints() {
    std::set<Oid> seen;
    for (const Oid& id : commits_) {
      PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
      for (const Oid& parent : node->commit.parents) {
        if (ours_.contains(parent) && !seen.insert(parent).second) labels_.Of(parent, "branch-point");
      }
    }
    if (!commits_.empty()) tips_.push_back(commits_.back());
    return {};
  }

  // The commits that lead to a tip, as far as they are not there yet.
  Status PutBranch(const Oid& tip) {
    if (shown_.contains(tip)) return {};
    list_.push_back(LineItem(Verb::kComment, ""));
    if (const std::string* name = labels_.Find(tip)) list_.push_back(LineItem(Verb::kComment, "# Branch " + *name));
    std::vector<Oid> line;
    std::optional<Oid> at = tip;
    while (at && ours_.contains(*at) && !shown_.contains(*at)) {
      git_.in.budget.Step();
      line.push_back(*at);
      PADDOCK_ASSIGN(const History::Node* node, history_.Get(*at));
      at = node->commit.parents.empty() ? std::nullopt : std::optional(node->commit.parents[0]);
    }
    PADDOCK_ASSIGN(std::string start, StartOf(at));
    list_.push_back(LineItem(Verb::kReset, std::move(start)));
    std::reverse(line.begin(), line.end());
    for (const Oid& id : line) {
      if (const auto item = items_.find(id); item != items_.end()) list_.push_back(item->second);
      if (const std::string* name = labels_.Find(id)) list_.push_back(LineItem(Verb::kLabel, *name));
      shown_.insert(id);
    }
    return {};
  }
  Result<std::string> StartOf(const std::optional<Oid>& base) {
    if (!base) return std::string(options_.moves_cousins || options_.is_root_onto ? "onto" : "[new root]");
    const std::string* name = labels_.Find(*base);
    if (name == nullptr && !options_.moves_cousins) name = &labels_.Of(*base, std::string_view());
    if (name == nullptr || *name == "onto") return std::string("onto");
    PADDOCK_ASSIGN(const History::Node* node, history_.Get(*base));
    return *name + " # " + SubjectOf(node->commit.message);
  }

  // Branches that are at one of the commits move along.
  Status AddRefs() {
    std::map<Oid, std::vector<std::string>> branches;
    for (const auto& [name, id] : git_.refs.List("refs/heads/")) branches[id].push_back(name);
    std::vector<TodoItem> list;
    for (TodoItem& item : list_) {
      const auto commit = item.commit;
      list.push_back(std::move(item));
      const auto found = commit ? branches.find(*commit) : branches.end();
      if (found == branches.end()) continue;
      for (auto name = found->second.rbegin(); name != found->second.rend(); ++name) {
        if (*name == options_.own_branch || *name == git_.HeadBranch().value_or("")) continue;
        const auto elsewhere = OtherTreeOf(git_, *name);
        list.push_back(elsewhere ? LineItem(Verb::kComment, "# Ref " + *name + " checked out at '" + *elsewhere + "'") : LineItem(Verb::kUpdateRef, *name));
        list.push_back(LineItem(Verb::kComment, ""));
      }
    }
    list_ = std::move(list);
    return {};
  }

  // Behind each commit and what is melded into it.
  void AddCommands() {
    std::vector<TodoItem> list;
    bool is_due = false;
    const auto put = [&]() {
      if (is_due) {
        for (const std::string& command : options_.commands) list.push_back(LineItem(Verb::kExec, command));
      }
      is_due = false;
    };
    for (const TodoItem& item : list_) {
      if (!item.IsFixup()) put();
      list.push_back(item);
      is_due = is_due || item.verb == Verb::kPick || item.verb == Verb::kMerge;
    }
    put();
    list_ = std::move(list);
  }

  Git& git_;
  History& history_;
  const std::vector<Oid>& commits_;
  const RebaseScriptOptions& options_;
  Labels labels_;
  std::set<Oid> ours_, shown_;
  std::map<Oid, TodoItem> items_;
  std::vector<Oid> tips_;   // of branches that were merged, and at last the whole
  std::vector<TodoItem> list_;
};

}  // namespace

Result<std::vector<TodoItem>> MakeRebaseScript(Git& git, History& history, const std::vector<Oid>& commits, const RebaseScriptOptions& options) { return ScriptMaker(git, history, commits, options).Make(); }

}  // namespace paddock::git
