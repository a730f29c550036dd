#include "store/trees/references.h"

#include "store/trees/nodes.h"

namespace paddock::trees {
namespace {

Status VisitContent(const Content& content, const VisitReference& visit) {
  if (content.form == Content::Form::kHole) return {};
  return visit(content.form == Content::Form::kChunk ? ObjectKind::kChunk : ObjectKind::kMap, content.id);
}

Status VisitDirectory(std::string_view body, const VisitReference& visit) {
  PADDOCK_ASSIGN(const DirectoryNode node, DecodeDirectory(body));
  for (const DirectoryNode::Child& child : node.children) PADDOCK_TRY(visit(ObjectKind::kDirectory, child.id));
  for (const Entry& entry : node.entries) {
    if (entry.type == vfs::FileType::kDirectory) {
      PADDOCK_TRY(visit(ObjectKind::kDirectory, entry.directory));
    } else if (entry.type == vfs::FileType::kFile) {
      PADDOCK_TRY(VisitContent(entry.content, visit));
    }
  }
  return {};
}

}  // namespace

Status ForEachReference(ObjectKind kind, std::string_view body, const VisitReference& visit) {
  switch (kind) {
    case ObjectKind::kChunk: return {};
    case ObjectKind::kMap: {
      PADDOCK_ASSIGN(const MapNode node, DecodeMap(body));
      const ObjectKind below = node.level == 0 ? ObjectKind::kChunk : ObjectKind::kMap;
      for (const MapNode::Child& child : node.children) PADDOCK_TRY(visit(below, child.id));
      return {};
    }
    case ObjectKind::kDirectory: return VisitDirectory(body, visit);
    case ObjectKind::kTree: {
      PADDOCK_ASSIGN(const TreeNode tree, DecodeTree(body));
      PADDOCK_TRY(visit(ObjectKind::kDirectory, tree.directory));
      return VisitContent(tree.links, visit);
    }
  }
  return Error(Code::kSyntax, "an object of an unknown kind");
}

}  // namespace paddock::trees
