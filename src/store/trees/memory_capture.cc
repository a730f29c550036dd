#include "store/trees/memory_capture.h"

#include <string>
#include <utility>
#include <vector>

#include "store/trees/content.h"
#include "vfs/file_content.h"
#include "vfs/tree_changes.h"

namespace paddock::trees {
namespace {

using vfs::FileContent;
using vfs::FileType;
using vfs::NodeId;
using vfs::TreeChanges;

void SetAttributes(Entry& entry, const vfs::Attributes& attributes) {
  entry.type = attributes.type;
  entry.mode = attributes.mode;
  entry.uid = attributes.uid;
  entry.gid = attributes.gid;
  entry.modify_time = attributes.modify_time;
  entry.special = attributes.special;
}

// The pages of a chunk that are no holes. What was written without being noted as such counts too.
uint32_t PagesWith(std::string_view bytes, uint32_t pages) {
  if ((pages & PagesOf(bytes.size())) == PagesOf(bytes.size())) return pages;
  for (size_t page = 0; page * kPageBytes < bytes.size(); ++page) {
    const std::string_view here = bytes.substr(page * kPageBytes, kPageBytes);
    if (here.find_first_not_of('\0') != std::string_view::npos) pages |= uint32_t{1} << page;
  }
  return pages;
}

// Stores one chunk as its place in the file says, which may be longer by zeros than what is held.
Result<ObjectId> PutChunk(Session& session, std::string_view bytes, size_t length) {
  if (bytes.size() >= length) return session.Put(ObjectKind::kChunk, bytes.substr(0, length));
  std::string padded(bytes);
  padded.resize(length, '\0');
  return session.Put(ObjectKind::kChunk, padded);
}

Result<Content> PutContent(Session& session, const FileContent& content) {
  MapWriter map(session);
  Status status;
  const uint64_t size = content.size();
  content.ForEachChunk([&](uint64_t index, std::string_view bytes, uint32_t noted) {
    const uint32_t pages = PagesWith(bytes, noted);
    if (!status || pages == 0) return;
    const auto id = PutChunk(session, bytes, ChunkLength(size, index, pages));
    status = id ? map.Add(index, pages, *id) : Status(id.error());
  });
  PADDOCK_TRY(status);
  return map.Finish(size);
}

// The content after a change of some chunks of `before`; the others are not read.
Result<Content> PutChangedContent(Session& session, const Content& before, const FileContent& content,
                                  const std::vector<FileContent::ChunkChange>& changes) {
  std::vector<ChunkPlace> places;
  const Status read = ForEachChunk(session.store(), before, [&](const ChunkPlace& place) {
    places.push_back(place);
    return Status();
  });
  if (!read) return read.error();
  MapWriter map(session);
  const uint64_t size = content.size();
  auto old = places.begin();
  const auto keep_until = [&](uint64_t index) -> Status {
    for (; old != places.end() && old->index < index; ++old) {
      // The end of the file may have moved through or away from a chunk that holds the same.
      if (old->index * kChunkBytes >= size) continue;
      if (ChunkLength(size, old->index, old->pages) != old->length) return Code::kAgain;
      PADDOCK_TRY(map.Add(old->index, old->pages, old->id));
    }
    if (old != places.end() && old->index == index) ++old;
    return {};
  };
  for (const FileContent::ChunkChange& change : changes) {
    PADDOCK_TRY(keep_until(change.index));
    if (change.size == 0) continue;
    std::string bytes;
    while (bytes.size() < change.size) {
      bytes += content.Read(change.index * kChunkBytes + bytes.size(), change.size - bytes.size()).bytes;
    }
    const uint32_t pages = PagesWith(bytes, change.pages);
    if (pages == 0) continue;
    PADDOCK_ASSIGN(const ObjectId id, PutChunk(session, bytes, ChunkLength(size, change.index, pages)));
    PADDOCK_TRY(map.Add(change.index, pages, id));
  }
  PADDOCK_TRY(keep_until(UINT64_MAX));
  return map.Finish(size);
}

}  // namespace

struct MemoryCapture::Run {
  MemoryCapture& memory;
  Session& session;
  vfs::MemoryVolume& volume;
  const CaptureOptions& options;

  Draft& draft() { return *memory.draft_; }

  Result<Entry> EntryOf(const std::string& name, NodeId node, const vfs::Attributes& attributes) {
    Entry entry;
    entry.name = name;
    SetAttributes(entry, attributes);
    if (entry.type != FileType::kCharDevice && entry.type != FileType::kBlockDevice) entry.special = 0;
    if (entry.type == FileType::kFile) {
      PADDOCK_ASSIGN(entry.content, PutContent(session, *volume.ContentOf(node)));
    } else if (entry.type == FileType::kSymlink) {
      PADDOCK_ASSIGN(entry.target, volume.ReadLink(node));
      if (entry.target.empty() || entry.target.size() > kLongestTarget) {
        return Error(Code::kLimit, name + ": the target of the symlink is too long");
      }
    }
    return entry;
  }

  // Adds a name of anything but a directory.
  Status AddFile(DraftNode& parent, const std::string& name, NodeId node) {
    PADDOCK_ASSIGN(const vfs::Attributes attributes, volume.GetAttributes(node));
    const auto known = memory.nodes_.find(node);
    Entry entry;
    // The name that is known may be about to go, so the new one stands for the file from now on.
    if (known != memory.nodes_.end()) {
      entry = known->second->entry;
      entry.name = name;
    } else {
      PADDOCK_ASSIGN(entry, EntryOf(name, node, attributes));
    }
    memory.content_bytes_ += entry.content.size;
    DraftNode& added = draft().Add(parent, std::move(entry));
    added.source = node;
    if (attributes.links > 1) {
      draft().SetLink(added, node);
      if (known != memory.nodes_.end()) draft().SetLink(*known->second, node);
    }
    memory.nodes_[node] = &added;
    return CheckLimits();
  }

  Status CheckLimits() const {
    if (memory.draft_->size() > options.max_entries) {
      return Error(Code::kLimit, "more than " + std::to_string(options.max_entries) + " files to capture");
    }
    return {};
  }

  std::unique_ptr<DraftNode> MakeDirectory(NodeId node, const vfs::Attributes& attributes) {
    Entry entry;
    SetAttributes(entry, attributes);
    entry.special = 0;
    std::unique_ptr<DraftNode> made = draft().MakeDetached(std::move(entry));
    made->source = node;
    memory.nodes_[node] = made.get();
    return made;
  }

  Status AddAll() {
    memory.draft_ = std::make_unique<Draft>();
    memory.nodes_.clear();
    memory.content_bytes_ = 0;
    DraftNode& root = draft().root();
    PADDOCK_ASSIGN(const vfs::Attributes attributes, volume.GetAttributes(volume.root()));
    SetAttributes(root.entry, attributes);
    root.source = volume.root();
    memory.nodes_[volume.root()] = &root;
    std::vector<DraftNode*> pending{&root};
    while (!pending.empty()) {
      DraftNode& directory = *pending.back();
      pending.pop_back();
      PADDOCK_ASSIGN(const std::vector<vfs::DirectoryEntry> entries, volume.List(directory.source));
      for (const vfs::DirectoryEntry& entry : entries) {
        if (entry.type != FileType::kDirectory) {
          PADDOCK_TRY(AddFile(directory, entry.name, entry.inode));
          continue;
        }
        PADDOCK_ASSIGN(const vfs::Attributes found, volume.GetAttributes(entry.inode));
        pending.push_back(&draft().Attach(directory, MakeDirectory(entry.inode, found), entry.name));
        PADDOCK_TRY(CheckLimits());
      }
    }
    return {};
  }

  // Names are taken away first, then given, as in vfs/tree_apply.cc; a directory keeps its node meanwhile.
  Status ApplyChanges(const TreeChanges& changes) {
    std::unordered_map<NodeId, std::unique_ptr<DraftNode>> loose_directories;
    std::vector<std::unique_ptr<DraftNode>> loose_files;
    for (const TreeChanges::Node& change : changes.nodes) {
      if (change.created == FileType::kDirectory) {
        PADDOCK_ASSIGN(const vfs::Attributes attributes, volume.GetAttributes(change.node));
        loose_directories[change.node] = MakeDirectory(change.node, attributes);
        continue;
      }
      for (const TreeChanges::Entry& entry : change.entries) {
        DraftNode* child = memory.nodes_.at(change.node)->Find(entry.name);
        if (child == nullptr) continue;
        std::unique_ptr<DraftNode> loose = draft().Detach(*child);
        if (loose->is_directory()) {
          const NodeId node = loose->source;
          loose_directories[node] = std::move(loose);
        } else {
          loose_files.push_back(std::move(loose));
        }
      }
    }
    // Files first in content: a new name of a changed file copies what another name has.
    for (const TreeChanges::Node& change : changes.nodes) {
      if (!change.created) PADDOCK_TRY(ApplyNode(change));
    }
    for (const TreeChanges::Node& change : changes.nodes) {
      for (const TreeChanges::Entry& entry : change.entries) {
        if (entry.node != 0) PADDOCK_TRY(Give(*memory.nodes_.at(change.node), entry, loose_directories));
      }
    }
    for (auto& [node, loose] : loose_directories) {
      if (loose != nullptr) Forget(std::move(loose));
    }
    for (auto& loose : loose_files) Forget(std::move(loose));
    return {};
  }

  Status Give(DraftNode& parent, const TreeChanges::Entry& entry,
              std::unordered_map<NodeId, std::unique_ptr<DraftNode>>& loose) {
    const std::string name(entry.name);
    const auto known = memory.nodes_.find(entry.node);
    if (known == memory.nodes_.end() || !known->second->is_directory()) return AddFile(parent, name, entry.node);
    const auto it = loose.find(entry.node);
    // A directory that is not loose itself lies in one that goes.
    std::unique_ptr<DraftNode> moved = it != loose.end() ? std::move(it->second) : draft().Detach(*known->second);
    draft().Attach(parent, std::move(moved), name);
    return CheckLimits();
  }

  // A detached node, and what is below it, is no name of its file any more.
  void Forget(std::unique_ptr<DraftNode> node) {
    draft().Discard(std::move(node), [this](DraftNode& gone) {
      memory.content_bytes_ -= gone.entry.content.size;
      const auto it = memory.nodes_.find(gone.source);
      if (it == memory.nodes_.end() || it->second != &gone) return;
      const std::vector<DraftNode*>* others = draft().Linked(gone.source);
      if (others != nullptr) {
        it->second = others->front();
      } else {
        memory.nodes_.erase(it);
      }
    });
  }

  // New attributes and content of a node that was there before, under all its names.
  Status ApplyNode(const TreeChanges::Node& change) {
    DraftNode* const first = memory.nodes_.at(change.node);
    PADDOCK_ASSIGN(const vfs::Attributes attributes, volume.GetAttributes(change.node));
    Content content = first->entry.content;
    if (change.size || !change.chunks.empty()) {
      const FileContent& held = *volume.ContentOf(change.node);
      auto changed = PutChangedContent(session, content, held, change.chunks);
      if (!changed && changed.error().code == Code::kAgain) changed = PutContent(session, held);
      if (!changed) return changed.error();
      content = *changed;
    }
    std::vector<DraftNode*> names{first};
    if (const auto* linked = draft().Linked(change.node)) names = *linked;
    for (DraftNode* node : names) {
      memory.content_bytes_ += content.size - node->entry.content.size;
      const uint64_t special = node->entry.special;
      SetAttributes(node->entry, attributes);
      node->entry.content = content;
      if (node->entry.type != FileType::kCharDevice && node->entry.type != FileType::kBlockDevice) {
        node->entry.special = special;
      }
      // A directory's own object holds its children, not its attributes.
      const bool was_encoded = node->is_encoded;
      Draft::Changed(*node);
      node->is_encoded = was_encoded && node->parent != nullptr;
    }
    return {};
  }
};

Result<Captured> MemoryCapture::Capture(Session& session, const vfs::MemoryVolume& volume, const CaptureOptions& options) {
  const std::shared_ptr<vfs::MemoryVolume> state = volume.Fork();
  const uint64_t held = state->Space().used_bytes;
  if (held > options.max_bytes) {
    return Error(Code::kLimit, "more than " + std::to_string(options.max_bytes) + " bytes to capture");
  }
  Run run{*this, session, *state, options};
  // What the draft refers to is there as long as the tree is.
  Result<TreeChanges> changes = Code::kInvalid;
  // After an error nothing is remembered. The changes are views into both states.
  const std::shared_ptr<vfs::MemoryVolume> last = std::exchange(last_, nullptr);
  if (last != nullptr && session.Touch(tree_)) changes = ChangesBetween(*last, *state);
  PADDOCK_TRY(changes ? run.ApplyChanges(*changes) : run.AddAll());
  Captured captured;
  PADDOCK_ASSIGN(captured.tree, draft_->Encode(session));
  PADDOCK_TRY(session.Finish());
  captured.totals = {.entries = draft_->size(), .content_bytes = content_bytes_};
  tree_ = captured.tree;
  last_ = state;
  return captured;
}

}  // namespace paddock::trees
