#include "commands/git/work/commit_changes.h"

#include <map>
#include <optional>

#include "git/tree_reader.h"

namespace paddock::git {
namespace {

constexpr size_t kMaxTreePath = 4096;

// The trees at one place of two commits, either of which may be none.
struct TreeTexts {
  ObjectPtr before, after;

  static Result<TreeTexts> Read(Git& git, const Oid* old_id, const Oid* new_id) {
    TreeTexts texts;
    if (old_id != nullptr) {
      PADDOCK_ASSIGN(texts.before, git.objects.ShareTyped(*old_id, ObjectType::kTree));
    }
    if (new_id != nullptr) {
      PADDOCK_ASSIGN(texts.after, git.objects.ShareTyped(*new_id, ObjectType::kTree));
    }
    return texts;
  }
  TreeDifferences Differences() const { return {TextOf(before), TextOf(after)}; }

 private:
  static std::string_view TextOf(const ObjectPtr& tree) { return tree == nullptr ? std::string_view() : tree->data; }
};

// Adds the files of two trees, either of which may be none, but for what lies below directories that are the same in both or where no
// path of interest is.
Status FlattenChanged(Git& git, const Oid* before, const Oid* after, const std::string& prefix, const Pathspec& paths, FlatTree& old_files, FlatTree& new_files) {
  git.in.budget.CheckStack();
  if (before != nullptr && after != nullptr && *before == *after) return {};
  if (prefix.size() > kMaxTreePath) return Error(Code::kNameTooLong, "path in tree is too long");
  PADDOCK_ASSIGN(const TreeTexts texts, TreeTexts::Read(git, before, after));
  struct Pair {
    std::optional<TreeItem> old_item, new_item;
  };
  std::map<std::pair<std::string_view, bool>, Pair> pairs;   // by name and whether it is a directory
  for (TreeDifferences differences = texts.Differences();;) {
    PADDOCK_ASSIGN(const bool is_there, differences.Next(git.in.budget));
    if (!is_there) break;
    if (const TreeReader* entry = differences.before()) pairs[{entry->name(), entry->is_tree()}].old_item = TreeItem{entry->mode(), entry->id()};
    if (const TreeReader* entry = differences.after()) pairs[{entry->name(), entry->is_tree()}].new_item = TreeItem{entry->mode(), entry->id()};
  }
  for (const auto& [key, pair] : pairs) {
    git.in.budget.Step(8);
    const auto& [old_item, new_item] = pair;
    if (old_item == new_item) continue;
    const std::string path = prefix + std::string(key.first);
    if (key.second) {
      if (!paths.empty() && !paths.MayMatchBelow(path, git.in.budget)) continue;
      PADDOCK_TRY(FlattenChanged(git, old_item ? &old_item->id : nullptr, new_item ? &new_item->id : nullptr, path + "/", paths, old_files, new_files));
      continue;
    }
    git.in.budget.WillAllocate(path.size() + 200);
    if (old_item) old_files.insert_or_assign(path, *old_item);
    if (new_item) new_files.insert_or_assign(path, *new_item);
  }
  return {};
}

Result<bool> DiffersBelow(Git& git, const Oid* before, const Oid* after, const std::string& prefix, Pathspec& paths) {
  git.in.budget.CheckStack();
  if (before != nullptr && after != nullptr && *before == *after) return false;
  if (prefix.size() > kMaxTreePath) return Error(Code::kNameTooLong, "path in tree is too long");
  PADDOCK_ASSIGN(const TreeTexts texts, TreeTexts::Read(git, before, after));
  for (TreeDifferences differences = texts.Differences();;) {
    PADDOCK_ASSIGN(const bool is_there, differences.Next(git.in.budget));
    if (!is_there) return false;
    const TreeReader *old_entry = differences.before(), *new_entry = differences.after();
    const TreeReader& either = old_entry != nullptr ? *old_entry : *new_entry;
    const std::string path = prefix + std::string(either.name());
    if (!either.is_tree()) {
      const bool is_alike = old_entry != nullptr && new_entry != nullptr && old_entry->mode() == new_entry->mode() && old_entry->id() == new_entry->id();
      if (!is_alike && paths.Matches(path, git.in.budget)) return true;
      continue;
    }
    if (!paths.empty() && !paths.MayMatchBelow(path, git.in.budget)) continue;
    const std::optional<Oid> old_id = old_entry != nullptr ? std::optional(old_entry->id()) : std::nullopt, new_id = new_entry != nullptr ? std::optional(new_entry->id()) : std::nullopt;
    PADDOCK_ASSIGN(const bool differs, DiffersBelow(git, old_id ? &*old_id : nullptr, new_id ? &*new_id : nullptr, path + "/", paths));
    if (differs) return true;
  }
}

}  // namespace

Result<std::vector<FileDiff>> DifferencesOf(Git& git, const Oid* before, const Oid* after, const Pathspec& paths) {
  FlatTree old_files, new_files;
  PADDOCK_TRY(FlattenChanged(git, before, after, "", paths, old_files, new_files));
  return CompareTrees(old_files, new_files);
}

Result<std::vector<FileDiff>> ChangesOf(Git& git, const Commit& commit, const DiffOptions& options, Pathspec& paths, size_t parent) {
  std::optional<Oid> parent_tree;
  if (parent < commit.parents.size()) {
    PADDOCK_ASSIGN(parent_tree, git.objects.Peel(commit.parents[parent], ObjectType::kTree));
  }
  PADDOCK_ASSIGN(std::vector<FileDiff> files, DifferencesOf(git, parent_tree ? &*parent_tree : nullptr, &commit.tree, paths));
  PADDOCK_TRY(Arrange(git, files, options, paths));
  return files;
}

Result<bool> DiffersWithin(Git& git, const Oid* before, const Oid* after, Pathspec& paths) { return DiffersBelow(git, before, after, "", paths); }

}  // namespace paddock::git
