#include "commands/git/commit_changes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

namespace paddock::git {
namespace {

constexpr size_t kMaxTreePath = 4096;

// The entry that a tree's text begins with; all of the text where it is damaged.
std::string_view FirstEntry(std::string_view text) {
  const size_t end = text.find('\0');
  return end == std::string_view::npos || text.size() - end < 21 ? text : text.substr(0, end + 21);
}
std::string_view NameOf(std::string_view entry) {
  const std::string_view head = entry.substr(0, entry.find('\0'));
  return head.substr(std::min(head.find(' '), head.size()));
}

struct TreeTexts {
  std::string before, after;
};

// The entries of two trees that are not byte for byte in both, which is nearly none of most trees.
TreeTexts DropSame(std::string_view before, std::string_view after, Budget& budget) {
  TreeTexts left;
  while (!before.empty() && !after.empty()) {
    budget.Step();
    const std::string_view old_entry = FirstEntry(before), new_entry = FirstEntry(after);
    const bool is_same = old_entry == new_entry;
    const int order = is_same ? 0 : NameOf(old_entry).compare(NameOf(new_entry));
    if (order <= 0) before.remove_prefix(old_entry.size());
    if (order >= 0) after.remove_prefix(new_entry.size());
    if (!is_same && order <= 0) left.before += old_entry;
    if (!is_same && order >= 0) left.after += new_entry;
  }
  left.before += before;
  left.after += after;
  return left;
}

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

// Adds the files of two trees, either of which may be none, but for what lies below directories that are the same in both or where no
// path of interest is.
Status FlattenChanged(Git& git, const Oid* before, const Oid* after, const std::string& prefix, const Pathspec& paths, FlatTree& old_files, FlatTree& new_files) {
  git.in.budget.CheckStack();
  if (before != nullptr && after != nullptr && *before == *after) return {};
  if (prefix.size() > kMaxTreePath) return Error(Code::kNameTooLong, "path in tree is too long");
  Object old_tree, new_tree;
  if (before != nullptr) {
    PADDOCK_ASSIGN(old_tree, git.objects.ReadTyped(*before, ObjectType::kTree));
  }
  if (after != nullptr) {
    PADDOCK_ASSIGN(new_tree, git.objects.ReadTyped(*after, ObjectType::kTree));
  }
  const TreeTexts texts = DropSame(old_tree.data, new_tree.data, git.in.budget);
  PADDOCK_ASSIGN(std::vector<TreeEntry> old_entries, ParseTree(texts.before, git.in.budget));
  PADDOCK_ASSIGN(std::vector<TreeEntry> new_entries, ParseTree(texts.after, git.in.budget));
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
      if (!paths.empty() && !paths.MayMatchBelow(path, git.in.budget)) continue;
      PADDOCK_TRY(FlattenChanged(git, old_entry == nullptr ? nullptr : &old_entry->id, new_entry == nullptr ? nullptr : &new_entry->id, path + "/", paths, old_files, new_files));
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
  PADDOCK_TRY(FlattenChanged(git, parent_tree ? &*parent_tree : nullptr, &commit.tree, "", paths, before, after));
  std::vector<FileDiff> files = CompareTrees(before, after);
  PADDOCK_TRY(Arrange(git, files, options, paths));
  return files;
}

}  // namespace paddock::git
