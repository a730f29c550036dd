#include "commands/git/commit_changes.h"

#include <iterator>
#include <map>
#include <optional>

namespace paddock::git {
namespace {

constexpr size_t kMaxTreePath = 4096;

// Adds the files of two trees, either of which may be none, but for what lies below directories that are the same in both.
bool IsAlike(const TreeEntry& a, const TreeEntry& b) { return a.id == b.id && a.mode == b.mode && a.name == b.name; }

// Takes entries that are the same in both away: nearly all of them in most trees. Both are in order unless they are damaged; some
// are left in then.
void DropAlike(std::vector<TreeEntry>& before, std::vector<TreeEntry>& after) {
  std::vector<TreeEntry> old_left, new_left;
  size_t a = 0, b = 0;
  while (a < before.size() && b < after.size()) {
    if (IsAlike(before[a], after[b])) {
      ++a;
      ++b;
      continue;
    }
    const int order = before[a].name.compare(after[b].name);
    if (order <= 0) old_left.push_back(std::move(before[a++]));
    if (order >= 0) new_left.push_back(std::move(after[b++]));
  }
  std::move(before.begin() + static_cast<std::ptrdiff_t>(a), before.end(), std::back_inserter(old_left));
  std::move(after.begin() + static_cast<std::ptrdiff_t>(b), after.end(), std::back_inserter(new_left));
  before = std::move(old_left);
  after = std::move(new_left);
}

Status FlattenChanged(Git& git, const Oid* before, const Oid* after, const std::string& prefix, FlatTree& old_files, FlatTree& new_files) {
  git.in.budget.CheckStack();
  if (before != nullptr && after != nullptr && *before == *after) return {};
  if (prefix.size() > kMaxTreePath) return Error(Code::kNameTooLong, "path in tree is too long");
  std::vector<TreeEntry> old_entries, new_entries;
  if (before != nullptr) {
    PADDOCK_ASSIGN(old_entries, git.objects.ReadTree(*before));
  }
  if (after != nullptr) {
    PADDOCK_ASSIGN(new_entries, git.objects.ReadTree(*after));
  }
  DropAlike(old_entries, new_entries);
  struct Pair {
    const TreeEntry* old_entry = nullptr;
    const TreeEntry* new_entry = nullptr;
  };
  std::map<std::pair<std::string_view, bool>, Pair> pairs;   // by name and whether it is a directory
  for (const TreeEntry& entry : old_entries) pairs[{entry.name, entry.is_tree()}].old_entry = &entry;
  for (const TreeEntry& entry : new_entries) pairs[{entry.name, entry.is_tree()}].new_entry = &entry;
  for (const auto& [key, pair] : pairs) {
    git.in.budget.Step(8);
    const auto& [old_entry, new_entry] = pair;
    const std::string path = prefix + std::string(key.first);
    if (key.second) {
      PADDOCK_TRY(FlattenChanged(git, old_entry == nullptr ? nullptr : &old_entry->id, new_entry == nullptr ? nullptr : &new_entry->id, path + "/", old_files, new_files));
      continue;
    }
    git.in.budget.WillAllocate(path.size() + 200);
    if (old_entry != nullptr) old_files.insert_or_assign(path, TreeItem{old_entry->mode, old_entry->id});
    if (new_entry != nullptr) new_files.insert_or_assign(path, TreeItem{new_entry->mode, new_entry->id});
  }
  return {};
}

}  // namespace

Result<std::vector<FileDiff>> ChangesOf(Git& git, const Commit& commit, const DiffOptions& options, Pathspec& paths, size_t parent) {
  FlatTree before, after;
  std::optional<Oid> parent_tree;
  if (parent < commit.parents.size()) {
    PADDOCK_ASSIGN(parent_tree, git.objects.Peel(commit.parents[parent], ObjectType::kTree));
  }
  PADDOCK_TRY(FlattenChanged(git, parent_tree ? &*parent_tree : nullptr, &commit.tree, "", before, after));
  std::vector<FileDiff> files = CompareTrees(before, after);
  PADDOCK_TRY(Arrange(git, files, options, paths));
  return files;
}

}  // namespace paddock::git
