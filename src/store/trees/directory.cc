#include "store/trees/directory.h"

#include <algorithm>

namespace paddock::trees {
namespace {

constexpr size_t kFewest = 16;  // entries before a node may end: every level is that much smaller

Error Malformed(const ObjectId& id, std::string_view why) {
  return {Code::kSyntax, "object " + id.ToString() + ": " + std::string(why)};
}

}  // namespace

bool EndsNode(unsigned level, size_t count, std::string_view name) {
  if (count >= kMaxDirectoryNode) return true;
  if (count < kFewest) return false;
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return ((hash >> (57 - 7 * level)) & 0x7f) == 0;
}

Status DirectoryWriter::Add(const Entry& entry) {
  AppendEntry(body_, entry);
  last_name_ = entry.name;
  if (EndsNode(0, ++count_, entry.name)) return CloseLeaf();
  return {};
}

Status DirectoryWriter::CloseLeaf() {
  PADDOCK_ASSIGN(const ObjectId id, session_.Put(ObjectKind::kDirectory, EncodeLeaf(count_, body_)));
  body_.clear();
  count_ = 0;
  ++leaves_;
  return AddChild(1, {last_name_, id});
}

Status DirectoryWriter::AddChild(unsigned level, DirectoryNode::Child child) {
  if (levels_.size() < level) levels_.emplace_back();
  Level& above = levels_[level - 1];
  const bool ends = EndsNode(level, above.children.size() + 1, child.last_name);
  above.children.push_back(std::move(child));
  return ends ? CloseNode(level) : Status();
}

Status DirectoryWriter::CloseNode(unsigned level) {
  if (level > kMaxDirectoryLevel) return Error(Code::kLimit, "a directory is too large for the store");
  DirectoryNode node;
  node.level = level;
  node.children = std::move(levels_[level - 1].children);
  levels_[level - 1].children.clear();
  ++levels_[level - 1].nodes;
  PADDOCK_ASSIGN(const ObjectId id, session_.Put(ObjectKind::kDirectory, Encode(node)));
  return AddChild(level + 1, {node.children.back().last_name, id});
}

Result<ObjectId> DirectoryWriter::Finish() {
  if (count_ > 0 || leaves_ == 0) PADDOCK_TRY(CloseLeaf());
  // The lowest level that is one node is the root.
  size_t nodes_below = leaves_;
  for (unsigned level = 1;; ++level) {
    if (nodes_below == 1) return levels_[level - 1].children.front().id;
    if (!levels_[level - 1].children.empty()) PADDOCK_TRY(CloseNode(level));
    nodes_below = levels_[level - 1].nodes;
  }
}

Result<DirectoryNode> ReadDirectoryNode(Store& store, const ObjectId& id, unsigned max_level) {
  PADDOCK_ASSIGN(const Block block, store.Get(ObjectKind::kDirectory, id));
  auto node = DecodeDirectory(block.bytes);
  if (!node) return Malformed(id, node.error().message);
  if (node->level > max_level) return Malformed(id, "a part of a directory is higher than its parent");
  return node;
}

Status DirectoryReader::Descend(const ObjectId& id, unsigned max_level) {
  PADDOCK_ASSIGN(DirectoryNode node, ReadDirectoryNode(store_, id, max_level));
  path_.push_back({std::move(node), 0});
  return {};
}

Result<std::optional<Entry>> DirectoryReader::Next() {
  if (!is_started_) {
    is_started_ = true;
    PADDOCK_TRY(Descend(id_, kMaxDirectoryLevel));
  }
  while (!path_.empty()) {
    Step& step = path_.back();
    if (step.node.level == 0 && step.next < step.node.entries.size()) {
      Entry entry = std::move(step.node.entries[step.next++]);
      if (!last_name_.empty() && entry.name <= last_name_) return Malformed(id_, "names of a directory are not in order");
      last_name_ = entry.name;
      return std::optional<Entry>(std::move(entry));
    }
    if (step.node.level > 0 && step.next < step.node.children.size()) {
      const ObjectId below = step.node.children[step.next++].id;
      PADDOCK_TRY(Descend(below, step.node.level - 1));
      continue;
    }
    path_.pop_back();
    if (!path_.empty()) {
      const Step& above = path_.back();
      if (above.node.children[above.next - 1].last_name != last_name_) {
        return Malformed(id_, "a part of a directory ends with another name than its parent says");
      }
    }
  }
  return std::optional<Entry>();
}

Result<std::optional<Entry>> FindEntry(Store& store, const ObjectId& directory, std::string_view name) {
  ObjectId id = directory;
  unsigned max_level = kMaxDirectoryLevel;
  while (true) {
    PADDOCK_ASSIGN(DirectoryNode node, ReadDirectoryNode(store, id, max_level));
    if (node.level == 0) {
      const auto it = std::lower_bound(node.entries.begin(), node.entries.end(), name,
                                       [](const Entry& entry, std::string_view wanted) { return entry.name < wanted; });
      if (it == node.entries.end() || it->name != name) return std::optional<Entry>();
      return std::optional<Entry>(std::move(*it));
    }
    const auto it =
        std::lower_bound(node.children.begin(), node.children.end(), name,
                         [](const DirectoryNode::Child& child, std::string_view wanted) { return child.last_name < wanted; });
    if (it == node.children.end()) return std::optional<Entry>();
    id = it->id;
    max_level = node.level - 1;
  }
}

}  // namespace paddock::trees
