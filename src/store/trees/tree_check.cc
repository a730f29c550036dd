#include "store/trees/tree_check.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "store/trees/content.h"
#include "store/trees/directory.h"
#include "store/trees/references.h"
#include "store/trees/restore.h"

namespace paddock::trees {
namespace {

Error Malformed(const ObjectId& id, const std::string& why) {
  return {Code::kSyntax, "object " + id.ToString() + ": " + why};
}

class TreeChecker {
 public:
  TreeChecker(Store& store, const CheckLimits& limits) : store_(store), limits_(limits) {}

  Result<TreeTotals> Run(const ObjectId& id) {
    PADDOCK_ASSIGN(const TreeNode tree, ReadTree(store_, id));
    PADDOCK_ASSIGN(const LinkGroups links, ReadLinks(store_, tree));
    Enter(tree.directory);
    while (!open_.empty()) {
      Open& directory = open_.back();
      PADDOCK_ASSIGN(std::optional<Entry> entry, directory.reader.Next());
      if (!entry) {
        const ObjectId done_id = directory.id;
        const TreeTotals totals = directory.totals;
        done_[done_id] = totals;
        open_.pop_back();
        if (!open_.empty()) PADDOCK_TRY(Add(open_.back().totals, totals));
        continue;
      }
      PADDOCK_TRY(Check(*entry));
    }
    PADDOCK_TRY(CheckLinks(id, tree, links));
    return done_.at(tree.directory);
  }

 private:
  struct Open {
    ObjectId id;
    DirectoryReader reader;
    TreeTotals totals;
  };

  void Enter(const ObjectId& id) { open_.push_back({id, DirectoryReader(store_, id), {}}); }

  Status Add(TreeTotals& sum, const TreeTotals& more) const {
    sum.entries += more.entries;
    if (__builtin_add_overflow(sum.content_bytes, more.content_bytes, &sum.content_bytes)) sum.content_bytes = UINT64_MAX;
    if (sum.entries <= limits_.max_entries) return {};
    return Error(Code::kLimit, "the tree has more than " + std::to_string(limits_.max_entries) + " files");
  }

  Status Check(const Entry& entry) {
    PADDOCK_TRY(Add(open_.back().totals, {.entries = 1, .content_bytes = entry.content.size}));
    if (entry.type == vfs::FileType::kDirectory) {
      const auto known = done_.find(entry.directory);
      if (known != done_.end()) return Add(open_.back().totals, known->second);
      Enter(entry.directory);
      return {};
    }
    if (entry.type != vfs::FileType::kFile || entry.content.form == Content::Form::kHole) return {};
    // The same object in files of two sizes is looked at twice.
    ObjectId key = entry.content.id;
    for (size_t i = 0; i < 8; ++i) key.bytes[i] = static_cast<uint8_t>(key.bytes[i] ^ (entry.content.size >> (8 * i)));
    if (!contents_.insert(key).second) return {};
    return ForEachChunk(store_, entry.content, [this](const ChunkPlace& place) -> Status {
      if (limits_.reads_contents) {
        const auto read = ReadChunk(store_, place);
        return read ? Status() : Status(read.error());
      }
      const auto length = store_.LengthOf(place.id);
      if (!length) return Error(Code::kNoEntry, "object " + place.id.ToString() + " is not in the store");
      if (*length != place.length) return Malformed(place.id, "a chunk has not the length that its file says");
      return {};
    });
  }

  // Every path leads to a file with the same facts as the first of its group.
  Status CheckLinks(const ObjectId& id, const TreeNode& tree, const LinkGroups& links) {
    for (const auto& group : links) {
      std::optional<Entry> first;
      for (const std::string& path : group) {
        PADDOCK_ASSIGN(std::optional<Entry> entry, FindPath(tree, path));
        if (!entry || entry->type == vfs::FileType::kDirectory) return Malformed(id, "a hard link '" + path + "' is no file of the tree");
        entry->name.clear();
        if (!first) first = std::move(entry);
        else if (*entry != *first) return Malformed(id, "the hard links '" + group.front() + "' and '" + path + "' differ");
      }
    }
    return {};
  }

  Result<std::optional<Entry>> FindPath(const TreeNode& tree, std::string_view path) {
    ObjectId directory = tree.directory;
    while (true) {
      const size_t slash = path.find('/');
      PADDOCK_ASSIGN(std::optional<Entry> entry, FindEntry(store_, directory, path.substr(0, slash)));
      if (slash == std::string_view::npos || !entry) return entry;
      if (entry->type != vfs::FileType::kDirectory) return std::optional<Entry>();
      directory = entry->directory;
      path.remove_prefix(slash + 1);
    }
  }

  Store& store_;
  const CheckLimits& limits_;
  std::vector<Open> open_;
  std::unordered_map<ObjectId, TreeTotals, ObjectIdHash> done_;
  std::unordered_set<ObjectId, ObjectIdHash> contents_;
};

}  // namespace

Result<TreeTotals> CheckTree(Store& store, const ObjectId& tree, const CheckLimits& limits) {
  return TreeChecker(store, limits).Run(tree);
}

CheckReport CheckStore(Store& store, const std::vector<ObjectId>& roots) {
  constexpr size_t kMostProblems = 100;
  CheckReport report;
  const auto note = [&report](const ObjectId& id, const Error& error) {
    ++report.problem_count;
    if (report.problems.size() < kMostProblems) report.problems.push_back({id, std::string(error.Text())});
  };
  for (const StoredObject& object : store.Objects()) {
    ++report.objects;
    const auto body = store.Get(object.kind, object.id);
    if (!body) {
      note(object.id, body.error());
      continue;
    }
    const Status decoded = ForEachReference(object.kind, body->bytes, [&](ObjectKind, const ObjectId& id) -> Status {
      if (store.Has(id)) return {};
      return Error(Code::kNoEntry, "object " + object.id.ToString() + " refers to " + id.ToString() + ", which is missing or damaged");
    });
    if (!decoded) note(object.id, decoded.error());
  }
  for (const ObjectId& root : roots) {
    if (auto checked = CheckTree(store, root); !checked) note(root, checked.error());
  }
  return report;
}

}  // namespace paddock::trees
