// Draft: a tree that is being put together in memory, in any order, before it becomes objects. Contents of
// files are in the store already; what is held here is about 250 bytes a node.
//
// Directories remember the object they became, so that encoding again after a few changes costs the
// changed directories and those above them. Nothing here recurses: depth may be hostile.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/trees/nodes.h"
#include "store/trees/store.h"

namespace paddock::trees {

struct DraftNode {
  DraftNode() = default;
  DraftNode(const DraftNode&) = delete;
  DraftNode& operator=(const DraftNode&) = delete;
  ~DraftNode();

  Entry entry;
  DraftNode* parent = nullptr;
  uint64_t link = 0;  // files with the same number other than 0 are one file
  uint64_t source = 0;  // what the user of the draft calls it
  std::map<std::string_view, std::unique_ptr<DraftNode>> children;  // by entry.name
  bool is_encoded = false;  // entry.directory is what the children are

  bool is_directory() const { return entry.type == vfs::FileType::kDirectory; }
  DraftNode* Find(std::string_view name) {
    const auto it = children.find(name);
    return it == children.end() ? nullptr : it->second.get();
  }
};

class Draft {
 public:
  Draft();
  ~Draft();
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  DraftNode& root() { return *root_; }
  // A new node whose name is free in its parent.
  DraftNode& Add(DraftNode& parent, Entry entry);
  void Remove(DraftNode& node);
  // Takes a node out with all that is below it, and puts it back elsewhere under a name that is free there. In between
  // it is still part of the draft's books.
  std::unique_ptr<DraftNode> Detach(DraftNode& node);
  DraftNode& Attach(DraftNode& parent, std::unique_ptr<DraftNode> node, std::string_view name);
  // A node that is nowhere yet.
  std::unique_ptr<DraftNode> MakeDetached(Entry entry);
  // Calls visit(node) for a detached node and all below it, then forgets them.
  void Discard(std::unique_ptr<DraftNode> node, const std::function<void(DraftNode&)>& visit = {});
  void RemoveChildren(DraftNode& directory);
  // Makes `node` one of the files that are one file; 0 takes it out.
  void SetLink(DraftNode& node, uint64_t link);
  const std::vector<DraftNode*>* Linked(uint64_t link) const;
  // To be called after an entry was changed in place.
  static void Changed(DraftNode& node);
  // Nodes, those detached too, the root not.
  uint64_t size() const { return size_; }

  // Stores every directory that has no object yet, and the root. Errors: those of Session; kLimit for a
  // table of hard links above 64 MiB.
  Result<ObjectId> Encode(Session& session);

 private:
  // Directories above a node are to be encoded again.
  static void MarkAbove(DraftNode& node);
  Status EncodeDirectories(Session& session);
  Result<Content> EncodeLinkTable(Session& session);

  std::unique_ptr<DraftNode> root_;
  uint64_t size_ = 0;
  std::unordered_map<uint64_t, std::vector<DraftNode*>> links_;
};

// The path below the root, without a leading slash.
std::string PathOf(const DraftNode& node);

}  // namespace paddock::trees
