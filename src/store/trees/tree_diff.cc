#include "store/trees/tree_diff.h"

#include <utility>
#include <vector>

#include "store/trees/directory.h"
#include "store/trees/restore.h"

namespace paddock::trees {
namespace {

using vfs::FileType;

// Stands in a directory before a node, which it can pass over or enter, or before an entry.
class Cursor {
 public:
  struct Place {
    unsigned height = 0;  // of the node: its level and one; 0 for an entry
    ObjectId node;
    Entry entry;
  };

  explicit Cursor(Store& store) : store_(store) {}
  Status Start(const ObjectId& directory) {
    PADDOCK_ASSIGN(const DirectoryNode node, ReadDirectoryNode(store_, directory));
    pending_.push_back({node.level + 1, directory, {}});
    return {};
  }
  Place* place() { return pending_.empty() ? nullptr : &pending_.back(); }
  void Pass() { pending_.pop_back(); }
  Status Enter() {
    const Place place = std::move(pending_.back());
    pending_.pop_back();
    PADDOCK_ASSIGN(DirectoryNode node, ReadDirectoryNode(store_, place.node, place.height - 1));
    for (auto entry = node.entries.rbegin(); entry != node.entries.rend(); ++entry) {
      pending_.push_back({0, {}, std::move(*entry)});
    }
    for (auto child = node.children.rbegin(); child != node.children.rend(); ++child) {
      pending_.push_back({place.height - 1, child->id, {}});
    }
    return {};
  }

 private:
  Store& store_;
  std::vector<Place> pending_;  // the next one last
};

uint32_t PartsOf(const Entry& before, const Entry& after) {
  uint32_t parts = 0;
  if (before.type != after.type) parts |= TreeChange::kType;
  const bool has_other_content =
      before.content != after.content || before.target != after.target || before.special != after.special;
  if (has_other_content) parts |= TreeChange::kContent;
  if (before.mode != after.mode) parts |= TreeChange::kMode;
  if (before.uid != after.uid || before.gid != after.gid) parts |= TreeChange::kOwner;
  if (before.modify_time != after.modify_time) parts |= TreeChange::kTime;
  return parts;
}

class Differ {
 public:
  Differ(Store& store, const DiffOptions& options, const std::function<Status(const TreeChange&)>& visit)
      : store_(store), options_(options), visit_(visit) {}

  Status Run(const ObjectId& before, const ObjectId& after) {
    if (before == after) return {};
    PADDOCK_ASSIGN(const Entry old, RootOf(before));
    PADDOCK_ASSIGN(const Entry now, RootOf(after));
    PADDOCK_TRY(Compare(&old, &now));
    while (!open_.empty()) {
      Level& level = open_.back();
      if (level.old.place() == nullptr && level.now.place() == nullptr) {
        path_.resize(level.path_size);
        open_.pop_back();
        continue;
      }
      PADDOCK_TRY(Step(level));
    }
    return {};
  }

 private:
  struct Level {
    Cursor old;
    Cursor now;
    size_t path_size;  // of the parent's path
  };

  Result<Entry> RootOf(const ObjectId& id) {
    PADDOCK_ASSIGN(const TreeNode tree, ReadTree(store_, id));
    Entry entry;
    entry.type = FileType::kDirectory;
    entry.mode = tree.mode;
    entry.uid = tree.uid;
    entry.gid = tree.gid;
    entry.modify_time = tree.modify_time;
    entry.directory = tree.directory;
    return entry;
  }

  Status Step(Level& level) {
    Cursor::Place* const a = level.old.place();
    Cursor::Place* const b = level.now.place();
    const unsigned a_height = a == nullptr ? 0 : a->height;
    const unsigned b_height = b == nullptr ? 0 : b->height;
    if (a_height > 0 && a_height == b_height && a->node == b->node) {
      level.old.Pass();
      level.now.Pass();
      return {};
    }
    if (a_height > 0 || b_height > 0) {
      if (a_height > 0 && a_height >= b_height) PADDOCK_TRY(level.old.Enter());
      if (b_height > 0 && b_height >= a_height) PADDOCK_TRY(level.now.Enter());
      return {};
    }
    const int order = a == nullptr ? 1 : b == nullptr ? -1 : a->entry.name.compare(b->entry.name);
    std::optional<Entry> old;
    std::optional<Entry> now;
    if (order <= 0) {
      old = std::move(a->entry);
      level.old.Pass();
    }
    if (order >= 0) {
      now = std::move(b->entry);
      level.now.Pass();
    }
    return Compare(old ? &*old : nullptr, now ? &*now : nullptr);
  }

  // One entry; goes on below it if there is something. `level` of the caller is void afterwards.
  Status Compare(const Entry* old, const Entry* now) {
    const std::string& name = old != nullptr ? old->name : now->name;
    const size_t before_size = path_.size();
    if (!path_.empty()) path_ += '/';
    path_ += name;
    TreeChange change;
    change.parts = old != nullptr && now != nullptr ? PartsOf(*old, *now) : 0;
    const bool is_one_sided = old == nullptr || now == nullptr;
    const uint32_t ignored = options_.reports_times ? 0u : uint32_t{TreeChange::kTime};
    if (is_one_sided || (change.parts & ~ignored) != 0) {
      change.path = path_;
      if (old != nullptr) change.before = *old;
      if (now != nullptr) change.after = *now;
      PADDOCK_TRY(visit_(change));
    }
    const bool old_is_directory = old != nullptr && old->type == FileType::kDirectory;
    const bool now_is_directory = now != nullptr && now->type == FileType::kDirectory;
    const bool is_same = old_is_directory && now_is_directory && old->directory == now->directory;
    const bool has_below = (old_is_directory || now_is_directory) && !is_same;
    if (has_below && (options_.lists_below || (old_is_directory && now_is_directory))) {
      Level level{Cursor(store_), Cursor(store_), before_size};
      if (old_is_directory) PADDOCK_TRY(level.old.Start(old->directory));
      if (now_is_directory) PADDOCK_TRY(level.now.Start(now->directory));
      open_.push_back(std::move(level));
      return {};
    }
    path_.resize(before_size);
    return {};
  }

  Store& store_;
  const DiffOptions& options_;
  const std::function<Status(const TreeChange&)>& visit_;
  std::vector<Level> open_;
  std::string path_;
};

}  // namespace

Status DiffTrees(Store& store, const ObjectId& before, const ObjectId& after, const DiffOptions& options,
                 const std::function<Status(const TreeChange&)>& visit) {
  return Differ(store, options, visit).Run(before, after);
}

}  // namespace paddock::trees
