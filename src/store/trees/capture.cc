#include "store/trees/capture.h"

#include <string>
#include <utility>
#include <vector>

#include "store/trees/content.h"
#include "store/trees/draft.h"

namespace paddock::trees {
namespace {

using vfs::Attributes;
using vfs::DirectoryEntry;
using vfs::FileType;

// A FileSystem, by paths.
class PathSource {
 public:
  using Handle = std::string;

  PathSource(vfs::FileSystem& files, bool one_volume) : files_(files), one_volume_(one_volume) {}
  Status Start(const Handle& root) {
    PADDOCK_ASSIGN(const Attributes attributes, files_.Stat(root));
    device_ = attributes.device;
    return {};
  }
  Result<Handle> Child(const Handle& directory, const DirectoryEntry& entry) { return vfs::JoinPath(directory, entry.name); }
  Result<Attributes> Stat(const Handle& node, bool is_root) {
    return files_.Stat(node, is_root ? vfs::Follow::kYes : vfs::Follow::kNo);
  }
  Result<std::vector<DirectoryEntry>> List(const Handle& directory) { return files_.List(directory); }
  Result<std::string> ReadLink(const Handle& node) { return files_.ReadLink(node); }
  Result<vfs::OpenFilePtr> Open(const Handle& node) {
    return files_.Open(node, {.read = true, .no_follow = true, .nonblocking = true});
  }
  bool Enters(const Attributes& attributes) const { return !one_volume_ || attributes.device == device_; }
  static std::string NameOf(const Handle& node) { return node; }

 private:
  vfs::FileSystem& files_;
  bool one_volume_;
  uint64_t device_ = 0;
};

// A Volume, by nodes.
class NodeSource {
 public:
  using Handle = vfs::NodeId;

  explicit NodeSource(vfs::Volume& volume) : volume_(volume) {}
  Result<Handle> Child(Handle directory, const DirectoryEntry& entry) { return volume_.Lookup(directory, entry.name); }
  Result<Attributes> Stat(Handle node, bool) { return volume_.GetAttributes(node); }
  Result<std::vector<DirectoryEntry>> List(Handle directory) { return volume_.List(directory); }
  Result<std::string> ReadLink(Handle node) { return volume_.ReadLink(node); }
  Result<vfs::OpenFilePtr> Open(Handle node) { return volume_.Open(node, {.read = true, .nonblocking = true}); }
  static bool Enters(const Attributes&) { return true; }
  static std::string NameOf(Handle) { return {}; }

 private:
  vfs::Volume& volume_;
};

template <class Source>
class Walk {
 public:
  using Handle = typename Source::Handle;

  Walk(Session& session, Source& source, const CaptureOptions& options)
      : session_(session), source_(source), options_(options) {}

  Result<Captured> Run(const Handle& root) {
    PADDOCK_ASSIGN(const Attributes attributes, Named(source_.Stat(root, true), root, ""));
    if (!attributes.is_directory()) return Error(Code::kNotDirectory);
    SetAttributes(draft_.root().entry, attributes);
    std::vector<std::pair<Handle, DraftNode*>> pending;
    pending.emplace_back(root, &draft_.root());
    while (!pending.empty()) {
      const auto [handle, node] = std::move(pending.back());
      pending.pop_back();
      PADDOCK_ASSIGN(const std::vector<DirectoryEntry> names, Named(source_.List(handle), handle, node->entry.name));
      for (const DirectoryEntry& name : names) {
        auto child = source_.Child(handle, name);
        if (!child && child.error().code == Code::kNoEntry) continue;  // removed meanwhile
        if (!child) return child.error();
        auto facts = source_.Stat(*child, false);
        if (!facts && facts.error().code == Code::kNoEntry) continue;
        PADDOCK_ASSIGN(const Attributes found, Named(std::move(facts), *child, name.name));
        PADDOCK_ASSIGN(DraftNode * const added, Add(*node, name.name, *child, found));
        if (added->is_directory() && source_.Enters(found)) pending.emplace_back(std::move(*child), added);
      }
    }
    Captured captured;
    PADDOCK_ASSIGN(captured.tree, draft_.Encode(session_));
    PADDOCK_TRY(session_.Finish());
    captured.totals = totals_;
    return captured;
  }

 private:
  // The path in front of what the file system says.
  template <class T>
  static Result<T> Named(Result<T> result, const Handle& node, std::string_view fallback) {
    if (result) return result;
    std::string name = Source::NameOf(node);
    if (name.empty()) name = fallback;
    return Error(result.error().code, name + ": " + std::string(result.error().Text()));
  }

  static void SetAttributes(Entry& entry, const Attributes& attributes) {
    entry.type = attributes.type;
    entry.mode = attributes.mode & 07777;
    entry.uid = attributes.uid;
    entry.gid = attributes.gid;
    entry.modify_time = attributes.modify_time;
  }

  Result<DraftNode*> Add(DraftNode& parent, const std::string& name, const Handle& handle, const Attributes& attributes) {
    if (++totals_.entries > options_.max_entries) {
      return Error(Code::kLimit, "more than " + std::to_string(options_.max_entries) + " files to capture");
    }
    Entry entry;
    entry.name = name;
    SetAttributes(entry, attributes);
    if (attributes.links > 1 && !attributes.is_directory()) {
      const auto [seen, is_new] = seen_.try_emplace({attributes.device, attributes.inode}, seen_.size() + 1);
      if (is_new) {
        PADDOCK_TRY(Fill(entry, handle, attributes));
      } else {
        entry = draft_.Linked(seen->second)->front()->entry;
        entry.name = name;
      }
      totals_.content_bytes += entry.content.size;
      DraftNode& node = draft_.Add(parent, std::move(entry));
      draft_.SetLink(node, seen->second);
      return &node;
    }
    PADDOCK_TRY(Fill(entry, handle, attributes));
    totals_.content_bytes += entry.content.size;
    return &draft_.Add(parent, std::move(entry));
  }

  // What a node holds besides its attributes.
  Status Fill(Entry& entry, const Handle& handle, const Attributes& attributes) {
    if (entry.type == FileType::kSymlink) {
      PADDOCK_ASSIGN(entry.target, Named(source_.ReadLink(handle), handle, entry.name));
      if (entry.target.empty() || entry.target.size() > kLongestTarget) return Error(Code::kLimit, entry.name + ": the target of the symlink is too long");
    } else if (entry.type == FileType::kCharDevice || entry.type == FileType::kBlockDevice) {
      entry.special = attributes.special;
    } else if (entry.type == FileType::kFile) {
      PADDOCK_ASSIGN(entry.content, Named(ReadFile(handle, attributes), handle, entry.name));
    }
    return {};
  }

  Result<Content> ReadFile(const Handle& handle, const Attributes& attributes) {
    if (attributes.size == 0) return Content{};
    PADDOCK_ASSIGN(const vfs::OpenFilePtr file, source_.Open(handle));
    const uint64_t pages = (attributes.size - 1) / kPageBytes + 1;
    ContentWriter writer(session_, attributes.blocks / (kPageBytes / 512) < pages);
    while (true) {
      PADDOCK_ASSIGN(const Block block, file->ReadBlock(kChunkBytes));
      if (block.bytes.empty()) break;
      held_bytes_ += block.bytes.size();
      if (held_bytes_ > options_.max_bytes) {
        return Error(Code::kLimit, "more than " + std::to_string(options_.max_bytes) + " bytes to capture");
      }
      PADDOCK_TRY(writer.Write(block.bytes));
    }
    return writer.Finish();
  }

  Session& session_;
  Source& source_;
  const CaptureOptions& options_;
  Draft draft_;
  TreeTotals totals_;
  uint64_t held_bytes_ = 0;
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> seen_;  // files with several names, by device and inode
};

}  // namespace

Result<Captured> Capture(Session& session, vfs::FileSystem& files, std::string_view path, const CaptureOptions& options) {
  PathSource source(files, options.one_volume);
  if (auto started = source.Start(std::string(path)); !started) {
    return Error(started.error().code, std::string(path) + ": " + std::string(started.error().Text()));
  }
  return Walk<PathSource>(session, source, options).Run(std::string(path));
}

Result<Captured> Capture(Session& session, vfs::Volume& volume, const CaptureOptions& options) {
  NodeSource source(volume);
  return Walk<NodeSource>(session, source, options).Run(volume.root());
}

}  // namespace paddock::trees
