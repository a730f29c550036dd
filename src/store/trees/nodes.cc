#include "store/trees/nodes.h"

#include "store/trees/wire.h"

namespace paddock::trees {
namespace {

using vfs::FileType;

constexpr uint32_t kMaxMode = 07777;

Error Malformed(std::string_view what) { return {Code::kSyntax, "malformed " + std::string(what)}; }

void EncodeContent(WireWriter& out, const Content& content) {
  out.Varint(content.size);
  out.Byte(static_cast<uint8_t>(content.form));
  if (content.form != Content::Form::kHole) out.Id(content.id);
}

Content DecodeContent(WireReader& in) {
  Content content;
  content.size = in.Varint(kMaxFileBytes);
  const uint8_t form = in.Byte();
  if (form > 2) in.Fail();
  content.form = static_cast<Content::Form>(form);
  if (content.form != Content::Form::kHole) content.id = in.Id();
  if (content.form == Content::Form::kChunk && (content.size == 0 || content.size > kChunkBytes)) in.Fail();
  if (content.form == Content::Form::kMap && content.size == 0) in.Fail();
  return content;
}

template <class Node>
void EncodeOwner(WireWriter& out, const Node& node) {
  out.Varint(node.mode);
  out.Varint(node.uid);
  out.Varint(node.gid);
  out.Signed(node.modify_time.count());
}

template <class Node>
void DecodeOwner(WireReader& in, Node& node) {
  node.mode = static_cast<uint32_t>(in.Varint(kMaxMode));
  node.uid = static_cast<uint32_t>(in.Varint(UINT32_MAX));
  node.gid = static_cast<uint32_t>(in.Varint(UINT32_MAX));
  node.modify_time = Nanoseconds(in.Signed());
}

void EncodeEntry(WireWriter& out, const Entry& entry) {
  out.Byte(static_cast<uint8_t>(entry.type));
  out.Bytes(entry.name);
  EncodeOwner(out, entry);
  switch (entry.type) {
    case FileType::kFile: EncodeContent(out, entry.content); break;
    case FileType::kDirectory: out.Id(entry.directory); break;
    case FileType::kSymlink: out.Bytes(entry.target); break;
    case FileType::kCharDevice:
    case FileType::kBlockDevice: out.Varint(entry.special); break;
    case FileType::kFifo:
    case FileType::kSocket: break;
  }
}

Entry DecodeEntry(WireReader& in) {
  Entry entry;
  const uint8_t type = in.Byte();
  if (type > static_cast<uint8_t>(FileType::kSocket)) in.Fail();
  entry.type = static_cast<FileType>(type);
  entry.name = in.Bytes(kLongestName);
  if (!IsName(entry.name)) in.Fail();
  DecodeOwner(in, entry);
  if (!in.ok()) return entry;
  switch (entry.type) {
    case FileType::kFile: entry.content = DecodeContent(in); break;
    case FileType::kDirectory: entry.directory = in.Id(); break;
    case FileType::kSymlink:
      entry.target = in.Bytes(kLongestTarget);
      if (entry.target.empty() || entry.target.find('\0') != std::string::npos) in.Fail();
      break;
    case FileType::kCharDevice:
    case FileType::kBlockDevice: entry.special = in.Varint(); break;
    case FileType::kFifo:
    case FileType::kSocket: break;
  }
  return entry;
}

}  // namespace

bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && name != "." && name != ".." &&
         name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

void AppendEntry(std::string& body, const Entry& entry) {
  WireWriter out(std::move(body));
  EncodeEntry(out, entry);
  body = out.Take();
}

std::string EncodeLeaf(size_t count, std::string_view body) {
  WireWriter out;
  out.Varint(0);
  out.Varint(count);
  out.Raw(body);
  return out.Take();
}

std::string Encode(const DirectoryNode& node) {
  if (node.level == 0) {
    std::string body;
    for (const Entry& entry : node.entries) AppendEntry(body, entry);
    return EncodeLeaf(node.entries.size(), body);
  }
  WireWriter out;
  out.Varint(node.level);
  out.Varint(node.children.size());
  for (const DirectoryNode::Child& child : node.children) {
    out.Bytes(child.last_name);
    out.Id(child.id);
  }
  return out.Take();
}

Result<DirectoryNode> DecodeDirectory(std::string_view body) {
  WireReader in(body);
  DirectoryNode node;
  node.level = static_cast<unsigned>(in.Varint(kMaxDirectoryLevel));
  const size_t count = static_cast<size_t>(in.Varint(kMaxDirectoryNode));
  if (node.level > 0 && count == 0) in.Fail();
  std::string_view last;
  for (size_t i = 0; i < count && in.ok(); ++i) {
    if (node.level == 0) {
      node.entries.push_back(DecodeEntry(in));
      if (i > 0 && node.entries[i].name <= node.entries[i - 1].name) in.Fail();
    } else {
      const std::string_view name = in.Bytes(kLongestName);
      if (!IsName(name) || (i > 0 && name <= last)) in.Fail();
      node.children.push_back({std::string(name), in.Id()});
      last = name;
    }
  }
  if (!in.ok() || !in.at_end()) return Malformed("directory");
  return node;
}

std::string Encode(const MapNode& node) {
  WireWriter out;
  out.Varint(node.level);
  out.Varint(node.children.size());
  for (const MapNode::Child& child : node.children) {
    out.Varint(child.digit);
    if (node.level == 0) out.Varint(child.pages);
    out.Id(child.id);
  }
  return out.Take();
}

Result<MapNode> DecodeMap(std::string_view body) {
  WireReader in(body);
  MapNode node;
  node.level = static_cast<unsigned>(in.Varint(kMaxMapLevel));
  const size_t count = static_cast<size_t>(in.Varint(kMapFanOut));
  if (count == 0) in.Fail();
  for (size_t i = 0; i < count && in.ok(); ++i) {
    MapNode::Child child;
    child.digit = static_cast<uint32_t>(in.Varint(kMapFanOut - 1));
    if (node.level == 0) child.pages = static_cast<uint32_t>(in.Varint(0xffff));
    child.id = in.Id();
    if (node.level == 0 && child.pages == 0) in.Fail();
    if (i > 0 && child.digit <= node.children[i - 1].digit) in.Fail();
    node.children.push_back(child);
  }
  if (!in.ok() || !in.at_end()) return Malformed("file map");
  return node;
}

std::string Encode(const TreeNode& node) {
  WireWriter out;
  EncodeOwner(out, node);
  out.Id(node.directory);
  EncodeContent(out, node.links);
  return out.Take();
}

Result<TreeNode> DecodeTree(std::string_view body) {
  WireReader in(body);
  TreeNode node;
  DecodeOwner(in, node);
  node.directory = in.Id();
  node.links = DecodeContent(in);
  if (!in.ok() || !in.at_end()) return Malformed("tree");
  return node;
}

std::string EncodeLinks(const LinkGroups& groups) {
  WireWriter out;
  for (const auto& group : groups) {
    out.Varint(group.size());
    for (const std::string& path : group) out.Bytes(path);
  }
  return out.Take();
}

Result<LinkGroups> DecodeLinks(std::string_view bytes) {
  WireReader in(bytes);
  LinkGroups groups;
  while (in.ok() && !in.at_end()) {
    // A path takes two bytes at least.
    const size_t count = static_cast<size_t>(in.Varint(in.remaining() / 2));
    if (count < 2) in.Fail();
    std::vector<std::string> group;
    for (size_t i = 0; i < count && in.ok(); ++i) {
      group.emplace_back(in.Bytes(in.remaining()));
      if (group[i].empty() || (i > 0 && group[i] <= group[i - 1])) in.Fail();
    }
    if (!in.ok()) break;
    if (!groups.empty() && group.front() <= groups.back().front()) in.Fail();
    groups.push_back(std::move(group));
  }
  if (!in.ok()) return Malformed("table of hard links");
  return groups;
}

}  // namespace paddock::trees
