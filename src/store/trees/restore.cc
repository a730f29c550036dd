#include "store/trees/restore.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "store/trees/content.h"
#include "store/trees/directory.h"
#include "vfs/file_content.h"

namespace paddock::trees {
namespace {

using vfs::FileType;

constexpr uint64_t kMaxLinkTable = 64 << 20;

// Calls visit(offset in the file, bytes) for the runs of pages of a chunk that are no holes.
template <class Visit>
Status ForEachRun(const ChunkPlace& place, std::string_view bytes, Visit visit) {
  for (size_t start = 0; start < bytes.size();) {
    size_t end = start;
    while (end < bytes.size() && (place.pages >> (end / kPageBytes) & 1) != 0) end += kPageBytes;
    if (end > start) PADDOCK_TRY(visit(place.index * kChunkBytes + start, bytes.substr(start, end - start)));
    start = std::max(end, start + kPageBytes);
  }
  return {};
}

// A FileSystem, by paths.
class PathTarget {
 public:
  using Handle = std::string;

  PathTarget(vfs::FileSystem& files, const RestoreOptions& options) : files_(files), options_(options) {}

  Result<Handle> MakeDirectory(const Handle& parent, const std::string& name) {
    const Handle path = vfs::JoinPath(parent, name);
    PADDOCK_TRY(files_.MakeDirectory(path, 0700));
    return path;
  }
  // Makes anything but a directory and says where it is.
  Result<Handle> Make(const Handle& parent, const Entry& entry) {
    const Handle path = vfs::JoinPath(parent, entry.name);
    if (entry.type == FileType::kSymlink) {
      PADDOCK_TRY(files_.MakeSymlink(entry.target, path));
    } else if (entry.type != FileType::kFile) {
      PADDOCK_TRY(files_.MakeNode(path, entry.type, 0600, entry.special));
    }
    return path;
  }
  Result<vfs::OpenFilePtr> Open(const Handle& path) {
    return files_.Open(path, {.write = true, .create = true, .exclusive = true, .no_follow = true}, 0600);
  }
  Status Link(const Handle& existing, const Handle& parent, const std::string& name) {
    return files_.MakeLink(existing, vfs::JoinPath(parent, name));
  }
  Status Finish(const Handle& path, const Entry& entry) {
    if (options_.keeps_owners) PADDOCK_TRY(files_.SetOwner(path, entry.uid, entry.gid, vfs::Follow::kNo));
    if (entry.type != FileType::kSymlink) PADDOCK_TRY(files_.SetMode(path, entry.mode, vfs::Follow::kNo));
    return files_.SetTimes(path, entry.modify_time, entry.modify_time, vfs::Follow::kNo);
  }
  static std::string NameOf(const Handle& parent, const std::string& name) { return vfs::JoinPath(parent, name); }

 private:
  vfs::FileSystem& files_;
  const RestoreOptions& options_;
};

// A Volume, by nodes.
class NodeTarget {
 public:
  using Handle = vfs::NodeId;

  NodeTarget(vfs::Volume& volume, const RestoreOptions& options) : volume_(volume), options_(options) {}

  Result<Handle> MakeDirectory(Handle parent, const std::string& name) {
    return volume_.Create(parent, name, {.type = FileType::kDirectory, .mode = 0700});
  }
  Result<Handle> Make(Handle parent, const Entry& entry) {
    return volume_.Create(parent, entry.name, {.type = entry.type, .mode = 0600, .target = entry.target, .special = entry.special});
  }
  Result<vfs::OpenFilePtr> Open(Handle node) { return volume_.Open(node, {.write = true}); }
  Status Link(Handle existing, Handle parent, const std::string& name) { return volume_.Link(parent, name, existing); }
  Status Finish(Handle node, const Entry& entry) {
    vfs::AttributeChange change{.access_time = entry.modify_time, .modify_time = entry.modify_time};
    change.mode = entry.mode;
    if (options_.keeps_owners) {
      change.uid = entry.uid;
      change.gid = entry.gid;
    }
    return volume_.SetAttributes(node, change);
  }
  static std::string NameOf(Handle, const std::string& name) { return name; }

 private:
  vfs::Volume& volume_;
  const RestoreOptions& options_;
};

// A memory volume: contents are put together before their file is.
class MemoryTarget : public NodeTarget {
 public:
  MemoryTarget(vfs::MemoryVolume& volume, const RestoreOptions& options) : NodeTarget(volume, options), memory_(volume) {}

  Result<Handle> MakeFile(Store& store, Handle parent, const Entry& entry) {
    vfs::FileContent content;
    const Status read = ForEachChunk(store, entry.content, [&](const ChunkPlace& place) -> Status {
      PADDOCK_ASSIGN(const Block block, ReadChunk(store, place));
      return ForEachRun(place, block.bytes, [&content](uint64_t offset, std::string_view bytes) {
        content.Write(offset, bytes);
        return Status();
      });
    });
    if (!read) return read.error();
    content.Resize(entry.content.size);
    return memory_.CreateFile(parent, entry.name, {.mode = 0600}, std::move(content));
  }

 private:
  vfs::MemoryVolume& memory_;
};

template <class Target>
class Writer {
 public:
  using Handle = typename Target::Handle;

  Writer(Store& store, Target& target, const RestoreOptions& options) : store_(store), target_(target), options_(options) {}

  Result<Restored> Run(const ObjectId& id, const Handle& root) {
    PADDOCK_ASSIGN(const TreeNode tree, ReadTree(store_, id));
    PADDOCK_TRY(LoadLinks(tree));
    Entry top;
    top.type = FileType::kDirectory;
    top.mode = tree.mode;
    top.uid = tree.uid;
    top.gid = tree.gid;
    top.modify_time = tree.modify_time;
    Open(root, top, tree.directory);
    while (!open_.empty()) {
      PADDOCK_ASSIGN(std::optional<Entry> entry, open_.back().reader.Next());
      if (!entry) {
        PADDOCK_TRY(Named(target_.Finish(open_.back().handle, open_.back().entry), open_.back().handle, open_.back().entry.name));
        path_.resize(open_.back().path_size);
        open_.pop_back();
        continue;
      }
      if (++restored_.totals.entries > options_.max_entries) {
        return Error(Code::kLimit, "more than " + std::to_string(options_.max_entries) + " files to restore");
      }
      PADDOCK_TRY(Restore(std::move(*entry)));
    }
    return restored_;
  }

 private:
  struct Directory {
    Handle handle;
    Entry entry;
    DirectoryReader reader;
    size_t path_size;  // of the parent's path
  };

  void Open(Handle handle, Entry entry, const ObjectId& id) {
    const size_t before = path_.size();
    if (!links_.empty() && !entry.name.empty()) path_ += entry.name + '/';
    open_.push_back({std::move(handle), std::move(entry), DirectoryReader(store_, id), before});
  }

  template <class T>
  static Result<T> Named(Result<T> result, const Handle& parent, const std::string& name) {
    if (result) return result;
    return Error(result.error().code, Target::NameOf(parent, name) + ": " + std::string(result.error().Text()));
  }

  Status LoadLinks(const TreeNode& tree) {
    PADDOCK_ASSIGN(const LinkGroups groups, ReadLinks(store_, tree));
    for (size_t i = 0; i < groups.size(); ++i) {
      for (const std::string& path : groups[i]) links_[path] = i;
    }
    linked_.resize(groups.size());
    return {};
  }

  Status Restore(Entry entry) {
    const Handle parent = open_.back().handle;
    if (entry.type == FileType::kDirectory) {
      PADDOCK_ASSIGN(Handle made, Named(target_.MakeDirectory(parent, entry.name), parent, entry.name));
      const ObjectId id = entry.directory;
      Open(std::move(made), std::move(entry), id);
      return {};
    }
    const bool is_special = entry.type != FileType::kFile && entry.type != FileType::kSymlink;
    if (is_special && !options_.makes_special_files) {
      ++restored_.skipped;
      return {};
    }
    restored_.totals.content_bytes += entry.content.size;
    size_t group = SIZE_MAX;
    if (!links_.empty()) {
      const auto it = links_.find(path_ + entry.name);
      if (it != links_.end()) group = it->second;
    }
    if (group != SIZE_MAX && linked_[group]) {
      return Named(target_.Link(*linked_[group], parent, entry.name), parent, entry.name);
    }
    PADDOCK_ASSIGN(Handle made, Named(Make(parent, entry), parent, entry.name));
    PADDOCK_TRY(Named(target_.Finish(made, entry), parent, entry.name));
    if (group != SIZE_MAX) linked_[group] = std::move(made);
    return {};
  }

  Result<Handle> Make(const Handle& parent, const Entry& entry) {
    if (entry.type != FileType::kFile) return target_.Make(parent, entry);
    if constexpr (std::is_same_v<Target, MemoryTarget>) {
      return target_.MakeFile(store_, parent, entry);
    } else {
      PADDOCK_ASSIGN(Handle made, target_.Make(parent, entry));
      PADDOCK_TRY(Fill(made, entry.content));
      return made;
    }
  }

  // `end` is where the file stands.
  Status WriteChunk(vfs::OpenFile& file, const ChunkPlace& place, uint64_t& end) {
    PADDOCK_ASSIGN(const Block block, ReadChunk(store_, place));
    return ForEachRun(place, block.bytes, [&](uint64_t offset, std::string_view bytes) -> Status {
      if (offset != end) {
        if (auto moved = file.Seek(static_cast<int64_t>(offset), vfs::Whence::kStart); !moved) return moved.error();
      }
      end = offset + bytes.size();
      return file.Write(bytes);
    });
  }

  Status Fill(const Handle& handle, const Content& content) {
    PADDOCK_ASSIGN(const vfs::OpenFilePtr file, target_.Open(handle));
    uint64_t offset = 0;
    const Status written =
        ForEachChunk(store_, content, [&](const ChunkPlace& place) { return WriteChunk(*file, place, offset); });
    if (!written) return written;
    if (offset < content.size) return file->Truncate(content.size);
    return {};
  }

  Store& store_;
  Target& target_;
  const RestoreOptions& options_;
  Restored restored_;
  std::vector<Directory> open_;
  std::string path_;  // of the innermost open directory, with a slash behind it; only if there are links
  std::unordered_map<std::string, size_t> links_;
  std::vector<std::optional<Handle>> linked_;  // by group: the first that was made
};

}  // namespace

Result<TreeNode> ReadTree(Store& store, const ObjectId& tree) {
  PADDOCK_ASSIGN(const Block block, store.Get(ObjectKind::kTree, tree));
  auto node = DecodeTree(block.bytes);
  if (!node) return Error(Code::kSyntax, "object " + tree.ToString() + ": " + node.error().message);
  return node;
}

Result<LinkGroups> ReadLinks(Store& store, const TreeNode& tree) {
  if (tree.links.size == 0) return LinkGroups{};
  PADDOCK_ASSIGN(const std::string bytes, ReadWhole(store, tree.links, kMaxLinkTable));
  return DecodeLinks(bytes);
}

Result<Restored> Restore(Store& store, const ObjectId& tree, vfs::FileSystem& files, std::string_view path,
                         const RestoreOptions& options) {
  const std::string root(path);
  const auto made = files.MakeDirectory(root, 0700);
  if (!made && made.error().code != Code::kExists) return Error(made.error().code, root + ": " + std::string(made.error().Text()));
  if (!made) {
    auto names = files.List(root);
    if (names && !names->empty()) names = Code::kNotEmpty;
    if (!names) return Error(names.error().code, root + ": " + std::string(names.error().Text()));
  }
  PathTarget target(files, options);
  return Writer<PathTarget>(store, target, options).Run(tree, root);
}

Result<Restored> Restore(Store& store, const ObjectId& tree, vfs::Volume& volume, const RestoreOptions& options) {
  NodeTarget target(volume, options);
  return Writer<NodeTarget>(store, target, options).Run(tree, volume.root());
}

Result<std::shared_ptr<vfs::MemoryVolume>> RestoreMemory(Store& store, const ObjectId& tree, const Clock& clock,
                                                         const vfs::Quota& quota) {
  auto volume = std::make_shared<vfs::MemoryVolume>(clock, quota);
  const RestoreOptions options;
  MemoryTarget target(*volume, options);
  PADDOCK_TRY(Writer<MemoryTarget>(store, target, options).Run(tree, volume->root()));
  return volume;
}

}  // namespace paddock::trees
