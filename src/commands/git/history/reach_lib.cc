#include "commands/git/history/reach.h"

#include "commands/git/remote/remote.h"
#include "commands/git/work/linked_trees.h"
#include "commands/git/work/sparse_patterns.h"

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

namespace {

// What one working tree holds on to beside what all share. `refs`: its own.
void AddRootsOf(Git& git, Refs& refs, const Index& index, const std::vector<std::string>& names, bool with_logs, std::vector<Oid>& roots) {
  for (const std::string& name : names) {
    if (const auto id = refs.Read(name)) roots.push_back(*id);
    for (const ReflogEntry& entry : with_logs ? refs.ReadLog(name) : std::vector<ReflogEntry>()) {
      git.in.budget.Step();
      for (const Oid& id : {entry.before, entry.after}) {
        if (!id.is_null() && git.objects.Has(id)) roots.push_back(id);
      }
    }
  }
  for (const IndexEntry& entry : index.entries()) {
    git.in.budget.Step();
    if (entry.mode != kModeCommit) roots.push_back(entry.id);
  }
}

}  // namespace

Result<std::vector<Oid>> KeptRoots(Git& git, bool with_logs) {
  std::vector<Oid> roots;
  std::vector<std::string> names = {"HEAD"};
  for (const auto& [name, id] : git.refs.List("refs/")) names.push_back(name);
  PADDOCK_ASSIGN(const Index own, git.ReadIndex());
  AddRootsOf(git, git.refs, own, names, with_logs, roots);
  PADDOCK_ASSIGN(const std::vector<LinkedTree> trees, LinkedTrees(git));
  for (const LinkedTree& tree : trees) {
    if (tree.git_dir == git.git_dir) continue;
    Refs refs(git.in.fs, tree.git_dir, git.common_dir, git.in.budget);
    names = OwnRefNames(refs);
    const auto bytes = vfs::ReadFile(git.in.fs, tree.git_dir + "/index");
    Index index;
    if (bytes) {
      PADDOCK_ASSIGN(index, Index::Parse(*bytes, git.in.budget));
      PADDOCK_TRY(ExpandDirectories(git, index));
    }
    AddRootsOf(git, refs, index, names, with_logs, roots);
  }
  return roots;
}

}  // namespace paddock::git
