// All that a memory volume holds, as text, and whether it is sound, for tests and fuzz targets.
#pragma once

#include <map>
#include <string>

#include "vfs/memory_volume.h"

namespace paddock::vfs {

inline std::string ContentOf(MemoryVolume& volume, NodeId node) {
  std::string text;
  const auto file = volume.Fork()->Open(node, OpenFlags::Read());
  if (!file) return "unreadable";
  // Holes may be large: their blocks of zeros are counted, not kept.
  uint64_t zeros = 0;
  while (true) {
    const auto block = (*file)->ReadBlock(1 << 16);
    if (!block || block->bytes.empty()) break;
    if (block->keep == nullptr) {
      zeros += block->bytes.size();
      if (zeros > (64u << 20)) break;
      continue;
    }
    text += "@" + std::to_string(zeros) + ":" + std::to_string(std::hash<std::string_view>()(block->bytes)) + " ";
  }
  return text;
}

// Every node with its number, attributes with times, names and content.
inline std::string DumpTree(const MemoryVolume& original, NodeId directory = 2, int depth = 0) {
  const auto fork = original.Fork();
  MemoryVolume& volume = *fork;
  std::string text;
  const auto show = [&](const std::string& name, NodeId node) {
    const auto found = *volume.GetAttributes(node);
    text += std::string(static_cast<size_t>(depth), ' ') + name + " #" + std::to_string(node) + " type " +
            std::to_string(static_cast<int>(found.type)) + " mode " + std::to_string(found.mode) + " owner " +
            std::to_string(found.uid) + ":" + std::to_string(found.gid) + " links " + std::to_string(found.links) + " size " +
            std::to_string(found.size) + " special " + std::to_string(found.special) + " blocks " +
            std::to_string(found.blocks) + " times " + std::to_string(found.access_time.count()) + " " +
            std::to_string(found.modify_time.count()) + " " + std::to_string(found.change_time.count());
    if (found.is_symlink()) text += " -> " + volume.ReadLink(node).value_or("?");
    if (found.is_file()) text += " " + ContentOf(volume, node);
    text += "\n";
  };
  if (depth == 0) {
    show("/", directory);
    text += "used " + std::to_string(volume.Space().used_bytes) + " in " + std::to_string(volume.Space().used_inodes) + "\n";
  }
  const auto entries = volume.List(directory);
  for (const DirectoryEntry& entry : *entries) {
    show(entry.name, entry.inode);
    if (entry.type == FileType::kDirectory && depth < 100) text += DumpTree(volume, entry.inode, depth + 1);
  }
  return text;
}

// What is wrong with a volume's tree; empty if nothing is. Links, parents and the quota's books must be as a walk finds
// them, and taking everything away must leave nothing.
inline std::string CheckTree(const MemoryVolume& original) {
  const auto fork = original.Fork();
  MemoryVolume& volume = *fork;
  std::map<NodeId, uint32_t> names;
  std::vector<std::pair<NodeId, std::vector<DirectoryEntry>>> walked;
  std::vector<NodeId> pending{volume.root()};
  while (!pending.empty()) {
    const NodeId directory = pending.back();
    pending.pop_back();
    const auto entries = volume.List(directory);
    if (!entries) return "a directory cannot be listed";
    uint32_t directories = 0;
    for (const DirectoryEntry& entry : *entries) {
      const auto found = volume.GetAttributes(entry.inode);
      if (!found) return "a name leads nowhere: " + entry.name;
      if (found->type != entry.type) return "a name has another type than its node: " + entry.name;
      ++names[entry.inode];
      if (entry.type != FileType::kDirectory) continue;
      ++directories;
      if (names[entry.inode] > 1) return "a directory has two names";
      if (*volume.Parent(entry.inode) != directory || *volume.Name(entry.inode) != entry.name) return "a parent is wrong";
      pending.push_back(entry.inode);
    }
    if (volume.GetAttributes(directory)->links != directories + 2) return "a directory's links are wrong";
    walked.emplace_back(directory, *entries);
  }
  for (const auto& [node, count] : names) {
    const auto found = *volume.GetAttributes(node);
    if (!found.is_directory() && found.links != count) return "a file's links are wrong";
  }
  if (volume.Space().used_inodes != names.size() + 1) return "the count of nodes is wrong";
  for (auto it = walked.rbegin(); it != walked.rend(); ++it) {
    for (const DirectoryEntry& entry : it->second) {
      if (!volume.Remove(it->first, entry.name, entry.type == FileType::kDirectory)) return "a node cannot be removed";
    }
  }
  if (volume.Space().used_bytes != 0 || volume.Space().used_inodes != 1) return "the books do not balance";
  return {};
}

}  // namespace paddock::vfs
