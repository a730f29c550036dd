#include "commands/git/reach.h"

#include "commands/git/remote.h"

namespace paddock::git {
namespace {

class Walk {
 public:
  Walk(Git& git, const std::set<Oid>& known, const OnMissing& missing) : git_(git), known_(known), missing_(missing) {
    for (const Oid& id : ReadShallow(git)) shallow_.insert(id);
  }

  Result<Reached> Run(const std::vector<Oid>& roots) {
    for (const Oid& root : roots) PADDOCK_TRY(TakeRoot(root));
    for (size_t at = 0; at < commits_.size(); ++at) PADDOCK_TRY(TakeParents(commits_[at]));
    for (const auto& [from, tree] : trees_) PADDOCK_TRY(TakeTree(from, tree, ""));
    return std::move(reached_);
  }

 private:
  bool Add(const Oid& id) {
    git_.in.budget.Step(4);
    if (known_.contains(id) || !reached_.all.insert(id).second) return false;
    git_.in.budget.WillAllocate(160);
    reached_.order.push_back(id);
    return true;
  }
  Status Miss(const Oid& from, const Oid& id, ObjectType type, const Error& error) {
    if (!missing_) return error;
    missing_(from, id, type);
    return {};
  }

  Status TakeRoot(const Oid& id) {
    Oid at = id, from;
    for (int depth = 0; depth < 1000; ++depth) {
      if (!Add(at)) return {};
      auto object = git_.objects.Read(at);
      if (!object) return Miss(from, at, ObjectType::kCommit, object.error());
      if (object->type == ObjectType::kTree) {
        reached_.all.erase(at);
        reached_.order.pop_back();
        trees_.emplace_back(from, at);
        return {};
      }
      if (object->type == ObjectType::kCommit) commits_.push_back(at);
      if (object->type != ObjectType::kTag) return {};
      PADDOCK_ASSIGN(const Tag tag, ParseTag(object->data));
      from = at;
      at = tag.object;
    }
    return Error(Code::kCorrupt, "tags refer to each other");
  }

  Status TakeParents(const Oid& id) {
    auto commit = git_.objects.ReadCommit(id);
    if (!commit) return Miss(id, id, ObjectType::kCommit, commit.error());
    trees_.emplace_back(id, commit->tree);
    if (shallow_.contains(id)) return {};
    for (const Oid& parent : commit->parents) {
      if (known_.contains(parent) || reached_.all.contains(parent)) continue;
      if (missing_ && !git_.objects.Has(parent)) {
        missing_(id, parent, ObjectType::kCommit);
        continue;
      }
      Add(parent);
      commits_.push_back(parent);
    }
    return {};
  }

  Status TakeTree(const Oid& from, const Oid& id, const std::string& path) {
    git_.in.budget.CheckStack();
    if (path.size() > 4096) return Error(Code::kNameTooLong, "path in tree is too long");
    if (!Add(id)) return {};
    auto entries = git_.objects.ReadTree(id);
    if (!entries) return Miss(from, id, ObjectType::kTree, entries.error());
    reached_.names.emplace(id, path);
    for (const TreeEntry& entry : *entries) {
      git_.in.budget.Step();
      const std::string name = path.empty() ? entry.name : path + "/" + entry.name;
      if (entry.mode == kModeCommit) continue;
      if (entry.is_tree()) {
        PADDOCK_TRY(TakeTree(id, entry.id, name));
      } else if (Add(entry.id)) {
        reached_.names.emplace(entry.id, name);
        if (missing_ && !git_.objects.Has(entry.id)) missing_(id, entry.id, ObjectType::kBlob);
      }
    }
    return {};
  }

  Git& git_;
  const std::set<Oid>& known_;
  const OnMissing& missing_;
  std::set<Oid> shallow_;
  Reached reached_;
  std::vector<Oid> commits_;
  std::vector<std::pair<Oid, Oid>> trees_;   // who has it, and which
};

}  // namespace

Result<Reached> ReachObjects(Git& git, const std::vector<Oid>& roots, const std::set<Oid>& known, const OnMissing& missing) { return Walk(git, known, missing).Run(roots); }

Result<std::vector<Oid>> KeptRoots(Git& git, bool with_logs) {
  std::vector<Oid> roots;
  std::vector<std::string> names = {"HEAD"};
  if (const auto head = git.Head()) roots.push_back(*head);
  for (const auto& [name, id] : git.refs.List("refs/")) {
    names.push_back(name);
    roots.push_back(id);
  }
  if (with_logs) {
    for (const std::string& name : names) {
      for (const ReflogEntry& entry : git.refs.ReadLog(name)) {
        git.in.budget.Step();
        for (const Oid& id : {entry.before, entry.after}) {
          if (!id.is_null() && git.objects.Has(id)) roots.push_back(id);
        }
      }
    }
  }
  PADDOCK_ASSIGN(const Index index, git.ReadIndex());
  for (const IndexEntry& entry : index.entries()) {
    git.in.budget.Step();
    if (entry.mode != kModeCommit) roots.push_back(entry.id);
  }
  return roots;
}

}  // namespace paddock::git
