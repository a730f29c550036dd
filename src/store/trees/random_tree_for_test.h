// For tests: memory volumes full of everything a tree can hold, and whether two volumes are the same.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "text/digest.h"
#include "vfs/memory_volume.h"

namespace paddock::trees {

namespace test {

using vfs::FileType;
using vfs::NodeId;

struct Found {
  NodeId directory;
  std::string name;
  NodeId node;
  FileType type;
};

inline std::vector<Found> AllOf(vfs::Volume& volume) {
  std::vector<Found> all;
  std::vector<NodeId> pending{volume.root()};
  while (!pending.empty()) {
    const NodeId directory = pending.back();
    pending.pop_back();
    const std::vector<vfs::DirectoryEntry> entries = *volume.List(directory);
    for (const auto& entry : entries) {
      all.push_back({directory, entry.name, entry.inode, entry.type});
      if (entry.type == FileType::kDirectory) pending.push_back(entry.inode);
    }
  }
  return all;
}

inline std::string ContentOf(vfs::Volume& volume, NodeId node) {
  std::string text;
  const auto file = *volume.Open(node, {.read = true});
  while (true) {
    const auto block = *file->ReadBlock(1 << 20);
    if (block.bytes.empty()) return text;
    text += block.bytes;
  }
}

}  // namespace test

// Changes `volume` by `steps` random creations, writes, removals, renames, links and attribute changes.
inline void Disturb(vfs::MemoryVolume& volume, std::mt19937& random, int steps) {
  using vfs::FileType;
  using vfs::NodeId;
  const auto below = [&random](size_t limit) { return static_cast<size_t>(random() % limit); };
  for (int step = 0; step < steps; ++step) {
    using test::Found;
    const std::vector<Found> all = test::AllOf(volume);
    std::vector<NodeId> directories{volume.root()};
    for (const Found& found : all) {
      if (found.type == FileType::kDirectory) directories.push_back(found.node);
    }
    const NodeId directory = directories[below(directories.size())];
    std::string name;
    for (size_t i = 0, length = 1 + below(9); i < length; ++i) name += "abcXYZ.-\xff\n _0"[below(13)];
    if (name == "." || name == "..") name = "dots";
    const Found* victim = all.empty() ? nullptr : &all[below(all.size())];
    switch (below(12)) {
      case 0:
      case 1:
        static_cast<void>(volume.Create(directory, name, {.type = FileType::kDirectory, .mode = 0750}));
        break;
      case 2:
      case 3:
        static_cast<void>(volume.CreateFile(directory, name, 0644, std::string(below(300), static_cast<char>(random()))));
        break;
      case 4: {
        const auto type = static_cast<FileType>(3 + below(4));
        static_cast<void>(volume.Create(directory, name, {.type = type, .mode = 0600, .special = type == FileType::kFifo ? 0 : below(99999)}));
        break;
      }
      case 5:
        static_cast<void>(volume.Create(directory, name, {.type = FileType::kSymlink, .mode = 0777, .target = "../" + name}));
        break;
      case 6:
        if (victim != nullptr) static_cast<void>(volume.Link(directory, name, victim->node));
        break;
      case 7:
        if (victim != nullptr) {
          static_cast<void>(volume.Remove(victim->directory, victim->name, victim->type == FileType::kDirectory));
        }
        break;
      case 8:
        if (victim != nullptr) static_cast<void>(volume.Rename(victim->directory, victim->name, directory, name, false));
        break;
      case 9:
        if (victim != nullptr) {
          const bool is_symlink = victim->type == FileType::kSymlink;
          static_cast<void>(volume.SetAttributes(victim->node, {.mode = is_symlink ? 0777 : static_cast<uint32_t>(below(010000)),
                                                                .uid = static_cast<uint32_t>(random()),
                                                                .gid = static_cast<uint32_t>(below(1000)),
                                                                .modify_time = Nanoseconds(static_cast<int64_t>(random()) - 1000)}));
        }
        break;
      default:
        if (victim != nullptr && victim->type == FileType::kFile) {
          const auto file = *volume.Open(victim->node, {.write = true});
          static_cast<void>(file->Seek(static_cast<int64_t>(below(400'000)), vfs::Whence::kStart));
          static_cast<void>(file->Write(std::string(below(70'000), static_cast<char>(1 + below(255)))));
          if (below(4) == 0) static_cast<void>(file->Truncate(below(500'000)));
        }
    }
  }
}

// Everything that a tree keeps, as text: one line a file, with a digest of its content and its hard links.
inline std::string Describe(vfs::Volume& volume) {
  using vfs::FileType;
  using vfs::NodeId;
  std::map<std::string, std::string> lines;
  std::map<NodeId, std::string> first;  // of a file with several names
  std::vector<std::pair<NodeId, std::string>> pending{{volume.root(), ""}};
  while (!pending.empty()) {
    const auto [node, path] = pending.back();
    pending.pop_back();
    const vfs::Attributes facts = *volume.GetAttributes(node);
    std::string line = std::to_string(static_cast<int>(facts.type)) + " " + std::to_string(facts.mode) + " " +
                       std::to_string(facts.uid) + " " + std::to_string(facts.gid) + " " +
                       std::to_string(facts.modify_time.count());
    if (facts.type == FileType::kFile) {
      line += " " + std::to_string(facts.size) + " " + std::to_string(facts.blocks) + " " +
              HexOf(DigestOf(DigestAlgorithm::kSha256, test::ContentOf(volume, node)));
    }
    if (facts.type == FileType::kSymlink) line += " -> " + *volume.ReadLink(node);
    if (facts.type == FileType::kCharDevice || facts.type == FileType::kBlockDevice) line += " " + std::to_string(facts.special);
    line += " links " + std::to_string(facts.links);
    if (facts.type == FileType::kDirectory) {
      const std::vector<vfs::DirectoryEntry> entries = *volume.List(node);
      for (const auto& entry : entries) pending.emplace_back(entry.inode, path + "/" + entry.name);
    } else if (facts.links > 1) {
      auto& name = first[node];
      if (name.empty() || path < name) name = path;
      line += " of " + std::to_string(node);
    }
    lines[path] = line;
  }
  std::string text;
  for (auto& [path, line] : lines) {
    // Nodes have other numbers in the other volume; the first name stands for them.
    const size_t at = line.find(" of ");
    if (at != std::string::npos) line = line.substr(0, at + 4) + first[std::stoull(line.substr(at + 4))];
    text += path + ": " + line + "\n";
  }
  return text;
}

}  // namespace paddock::trees
