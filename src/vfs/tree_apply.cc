// Doing changes again to a memory tree, which must be sound afterwards whatever they are.

#include <unordered_set>
#include <utility>

#include "vfs/memory_tree.h"
#include "vfs/tree_changes.h"

namespace paddock::vfs {
namespace {

constexpr NodeId kNowhere = 0;   // parent of a directory that has no name for the moment

Error Impossible(NodeId node, const char* what) {
  return Error(Code::kInvalid, "changes of another tree: node " + std::to_string(node) + " " + what);
}

bool IsGoodName(std::string_view name) {
  return !name.empty() && name.size() <= MemoryTree::kLongestName && name != "." && name != ".." &&
         name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

uint64_t SumUpTo(uint64_t a, uint64_t b) { return a > ~b ? ~uint64_t{0} : a + b; }

}  // namespace

// One Apply(). Names are taken away first, then given; link counts and parents follow from them.
class MemoryTree::Changer {
 public:
  Changer(MemoryTree& tree, const TreeChanges& changes)
      : tree_(tree),
        changes_(changes),
        limit_(std::max(tree.quota_.bytes, tree.used_bytes_)),
        // Before, after and so in between: what goes and what comes may both be there for a moment.
        peak_(SumUpTo(limit_, limit_)),
        max_inodes_(std::max(tree.quota_.inodes, tree.used_inodes_)) {}

  Status Run() {
    if (changes_.empty()) return {};
    PADDOCK_TRY(Check());
    PADDOCK_TRY(Create());
    PADDOCK_TRY(TakeNames());
    PADDOCK_TRY(GiveNames());
    PADDOCK_TRY(ChangeContents());
    PADDOCK_TRY(Remove());
    PADDOCK_TRY(CheckNamed());
    if (tree_.used_bytes_ > limit_ || tree_.used_inodes_ > max_inodes_) return Code::kNoSpace;
    tree_.next_ = changes_.next;
    return {};
  }

 private:
  Status Check() {
    const TreeChanges::Start start{tree_.next_, tree_.used_inodes_, tree_.used_bytes_};
    if (changes_.start != start) return Error(Code::kInvalid, "changes of another tree, or of another state of this one");
    if (changes_.next < tree_.next_) return Impossible(changes_.next, "was used already");
    NodeId last = 0;
    for (const NodeId node : changes_.removed) {
      if (node <= last) return Impossible(node, "is out of order");
      if (node == kRoot || tree_.Find(node) == nullptr) return Impossible(node, "is not there to be removed");
      if (tree_.holders_.contains(node)) return Error(Code::kBusy, "a file that the changes remove is open");
      last = node;
    }
    last = 0;
    auto removed = changes_.removed.begin();
    for (const TreeChanges::Node& change : changes_.nodes) {
      if (change.node <= last) return Impossible(change.node, "is out of order");
      last = change.node;
      while (removed != changes_.removed.end() && *removed < last) ++removed;
      if (removed != changes_.removed.end() && *removed == last) return Impossible(last, "is removed and changed");
      if (change.created) {
        if (last < tree_.next_ || last >= changes_.next) return Impossible(last, "has a number that no new one gets");
      } else if (tree_.Find(last) == nullptr) {
        return Impossible(last, "is not there to be changed");
      }
    }
    return {};
  }

  Status Create() {
    if (changes_.nodes.size() > SumUpTo(max_inodes_, max_inodes_)) return Code::kNoSpace;
    for (const TreeChanges::Node& change : changes_.nodes) {
      if (!change.created) continue;
      auto inode = std::make_shared<Inode>();
      inode->type = *change.created;
      if (inode->type == FileType::kFile) {
        inode->body = FileContent{};
      } else if (inode->type == FileType::kDirectory) {
        inode->links = 2;
        inode->body = Directory{.names = {}, .parent = kNowhere, .name = {}};
      } else if (inode->type == FileType::kSymlink) {
        inode->body = std::string(change.target);
        PADDOCK_TRY(Charge(change.target.size()));
      }
      tree_.inodes_.Set(change.node, std::move(inode));
      ++tree_.used_inodes_;
      unsettled_.push_back(change.node);
    }
    return {};
  }

  Status TakeNames() {
    for (const NodeId node : changes_.removed) {
      if (tree_.Find(node)->directory() == nullptr) continue;
      const NameTree names = tree_.Find(node)->directory()->names;
      Status status;
      names.ForEach([&](const NameTree::Entry& entry) {
        if (status) status = Take(node, entry);
      });
      PADDOCK_TRY(status);
      tree_.inodes_.Change(node)->directory()->names = NameTree{};
    }
    for (const TreeChanges::Node& change : changes_.nodes) {
      if (!change.entries.empty() && tree_.Find(change.node)->directory() == nullptr) {
        return Impossible(change.node, "is no directory");
      }
      std::string_view last;
      for (const TreeChanges::Entry& entry : change.entries) {
        if (!IsGoodName(entry.name) || entry.name <= last) return Impossible(change.node, "has a name that cannot be");
        last = entry.name;
        const NameTree::Entry* found = tree_.Find(change.node)->directory()->names.Find(entry.name);
        if (found == nullptr && entry.node == 0) return Impossible(change.node, "lacks a name that goes");
        if (found == nullptr) continue;
        const NameTree::Entry taken = *found;
        PADDOCK_TRY(Take(change.node, taken));
        tree_.inodes_.Change(change.node)->directory()->names.Erase(entry.name);
      }
    }
    return {};
  }

  // The books of a name that goes; the entry itself is the caller's.
  Status Take(NodeId directory, const NameTree::Entry& entry) {
    const NodeId node = entry.inode;
    tree_.used_bytes_ -= EntryCost(entry.name);
    Inode* inode = tree_.inodes_.Change(node);
    if (Directory* moved = inode->directory()) {
      moved->parent = kNowhere;
      --tree_.inodes_.Change(directory)->links;
    } else {
      --inode->links;
    }
    unsettled_.push_back(node);
    return {};
  }

  Status GiveNames() {
    for (const TreeChanges::Node& change : changes_.nodes) {
      for (const TreeChanges::Entry& entry : change.entries) {
        if (entry.node != 0) PADDOCK_TRY(Give(change.node, entry));
      }
    }
    return {};
  }

  Status Give(NodeId directory, const TreeChanges::Entry& entry) {
    Inode* inode = tree_.inodes_.Change(entry.node);
    if (inode == nullptr || entry.node == kRoot) return Impossible(entry.node, "cannot have a name");
    PADDOCK_TRY(Charge(EntryCost(entry.name)));
    const FileType type = inode->type;
    if (Directory* moved = inode->directory()) {
      if (moved->parent != kNowhere) return Impossible(entry.node, "has two names");
      moved->parent = directory;
      moved->name = entry.name;
      moved_.push_back(entry.node);
    } else if (++inode->links > kMaxLinks) {
      return Impossible(entry.node, "has too many names");
    }
    Inode* parent = tree_.inodes_.Change(directory);
    if (type == FileType::kDirectory) ++parent->links;
    parent->directory()->names.Insert({std::string(entry.name), entry.node, type});
    return {};
  }

  Status ChangeContents() {
    for (const TreeChanges::Node& change : changes_.nodes) {
      Inode& inode = *tree_.inodes_.Change(change.node);
      if (change.mode) inode.mode = *change.mode & kModeBits;
      if (change.owner) {
        inode.uid = change.owner->uid;
        inode.gid = change.owner->gid;
      }
      if (change.special) inode.special = *change.special;
      if (change.times) {
        inode.access_time = change.times->access;
        inode.modify_time = change.times->modify;
        inode.change_time = change.times->change;
      }
      if (!change.size && change.chunks.empty()) continue;
      FileContent* content = inode.content();
      if (content == nullptr) return Impossible(change.node, "is no file");
      const auto apply = [&](auto&& step) -> Status {
        const uint64_t before = content->held_bytes();
        if (!step()) return Impossible(change.node, "cannot have that content");
        tree_.used_bytes_ += content->held_bytes() - before;
        return tree_.used_bytes_ <= peak_ ? Status() : Code::kNoSpace;
      };
      if (change.size) {
        if (*change.size > std::max(tree_.quota_.file_bytes, content->size())) return Code::kFileTooBig;
        PADDOCK_TRY(apply([&] {
          content->Resize(*change.size);
          return true;
        }));
      }
      for (const FileContent::ChunkChange& chunk : change.chunks) {
        PADDOCK_TRY(apply([&] { return content->Apply(chunk); }));
      }
    }
    return {};
  }

  Status Remove() {
    for (const NodeId node : changes_.removed) {
      const Inode* inode = tree_.Find(node);
      if (IsNamed(*inode)) return Impossible(node, "is removed and has a name");
      tree_.Forget(node);
    }
    return {};
  }

  static bool IsNamed(const Inode& inode) {
    return inode.directory() != nullptr ? inode.directory()->parent != kNowhere : inode.links > 0;
  }

  // Every node that lost or lacked a name has one now, and the way up from every directory that moved ends at the root.
  Status CheckNamed() {
    for (const NodeId node : unsettled_) {
      const Inode* inode = tree_.Find(node);
      if (inode != nullptr && !IsNamed(*inode)) return Impossible(node, "has no name");
    }
    std::unordered_set<NodeId> rooted{kRoot};
    std::vector<NodeId> way;
    for (const NodeId moved : moved_) {
      way.clear();
      std::unordered_set<NodeId> met;
      for (NodeId node = moved; !rooted.contains(node); node = tree_.Find(node)->directory()->parent) {
        if (!met.insert(node).second) return Impossible(node, "is inside itself");
        way.push_back(node);
      }
      rooted.insert(way.begin(), way.end());
    }
    return {};
  }

  Status Charge(uint64_t bytes) {
    tree_.used_bytes_ += bytes;
    return tree_.used_bytes_ <= peak_ ? Status() : Code::kNoSpace;
  }

  MemoryTree& tree_;
  const TreeChanges& changes_;
  const uint64_t limit_;
  const uint64_t peak_;
  const uint64_t max_inodes_;
  std::vector<NodeId> unsettled_;
  std::vector<NodeId> moved_;
};

Status MemoryTree::Apply(const TreeChanges& changes) { return Changer(*this, changes).Run(); }

}  // namespace paddock::vfs
