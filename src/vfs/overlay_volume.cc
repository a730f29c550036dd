#include "vfs/overlay_volume.h"

#include <utility>

#include "vfs/node_table.h"
#include "vfs/overlay_layers.h"

namespace paddock::vfs {
namespace {

constexpr size_t kMaxNodes = 50'000;

// A file of one of the layers, with the overlay's inode and device numbers.
class OverlayFile final : public OpenFile {
 public:
  OverlayFile(OpenFilePtr file, bool is_upper, uint64_t device)
      : file_(std::move(file)), is_upper_(is_upper), device_(device) {}

  Result<Block> ReadBlock(size_t max) override { return file_->ReadBlock(max); }
  void GiveBack(size_t count) override { file_->GiveBack(count); }
  Status Write(std::string_view bytes) override { return file_->Write(bytes); }
  Result<uint64_t> Seek(int64_t offset, Whence whence) override {
    return file_->Seek(offset, whence);
  }
  Result<Attributes> GetAttributes() const override {
    PADDOCK_ASSIGN(const Attributes attributes, file_->GetAttributes());
    return is_upper_ ? ShowUpper(attributes, device_) : ShowLower(attributes, device_);
  }
  Status Truncate(uint64_t size) override { return file_->Truncate(size); }
  bool is_terminal() const override { return file_->is_terminal(); }
  bool IsReadReady() const override { return file_->IsReadReady(); }
  bool is_readable() const override { return file_->is_readable(); }
  bool is_writable() const override { return file_->is_writable(); }
  std::string description() const override { return file_->description(); }
  void set_path(std::string path) override { file_->set_path(std::move(path)); }

 private:
  const OpenFilePtr file_;
  const bool is_upper_;
  const uint64_t device_;
};

class Overlay final : public OverlayVolume {
 public:
  Overlay(VolumePtr lower, std::shared_ptr<MemoryVolume> upper)
      : layers_(std::move(lower), std::move(upper)), nodes_(std::make_shared<Nodes>(kMaxNodes)) {
    layers_.AdoptRoot();
    nodes_->Find(Nodes::kRoot)->layers = layers_.Root();
  }

  NodeId root() const override { return Nodes::kRoot; }
  Result<NodeId> Lookup(NodeId directory, std::string_view name) override;
  Result<NodeId> Parent(NodeId directory) override;
  Result<std::string> Name(NodeId directory) override;
  Result<Attributes> GetAttributes(NodeId node) override;
  Status SetAttributes(NodeId node, const AttributeChange& change) override;
  Result<std::string> ReadLink(NodeId node) override;
  Result<std::vector<DirectoryEntry>> List(NodeId directory) override;
  Result<NodeId> Create(NodeId directory, std::string_view name, const NewNode& node) override;
  Status Link(NodeId directory, std::string_view name, NodeId node) override;
  Status Remove(NodeId directory, std::string_view name, bool is_directory) override;
  Status Rename(NodeId from, std::string_view from_name, NodeId to, std::string_view to_name,
                bool exclusive) override;
  Result<OpenFilePtr> Open(NodeId node, const OpenFlags& flags) override;
  std::shared_ptr<const void> Hold(NodeId node) override;
  SpaceInfo Space() const override;
  void set_device(uint64_t device) override { device_ = device; }
  uint64_t device() const override { return device_; }
  Result<std::vector<OverlayChange>> Changes() override { return layers_.Changes(); }

 private:
  struct Memory {
    LayerPair layers;
    std::optional<uint32_t> subdirectories;  // of a merged directory, once counted
  };
  using Nodes = NodeTable<Memory>;

  Result<Memory*> Find(NodeId node) {
    Memory* memory = nodes_->Find(node);
    if (memory == nullptr || (!memory->layers.upper && !memory->layers.lower))
      return Code::kNoEntry;
    return memory;
  }
  Result<NodeId> Intern(NodeId directory, std::string_view name, LayerPair layers);
  // Whether a new entry may be made; kExists.
  Status CheckFree(NodeId directory, std::string_view name);
  // The node in the upper volume, copied there if it was not.
  Result<NodeId> CopyUp(NodeId node, bool with_content = true);
  // Does `add` to a name of an upper directory that a whiteout may hold.
  template <class Add>
  auto AddOverWhiteout(NodeId upper, std::string_view name, Add add) -> decltype(add());
  Status CheckRename(NodeId from_node, NodeId to, const LayerPair& source, const LayerPair* target);
  // Copies a directory up with all that is in it, so that it can move.
  Status Detach(NodeId node);
  void CountSubdirectory(NodeId directory, int difference);
  void ForgetCount(NodeId directory);
  Status HideLower(NodeId directory, NodeId upper, std::string_view name);

  OverlayLayers layers_;
  std::shared_ptr<Nodes> nodes_;
  uint64_t device_ = 0;
};

Result<NodeId> Overlay::Intern(NodeId directory, std::string_view name, LayerPair layers) {
  const NodeId node = nodes_->Intern(directory, name);
  Memory* memory = nodes_->Find(node);
  if (memory == nullptr) return Code::kNoEntry;
  const bool is_same = memory->layers.upper == layers.upper && memory->layers.lower == layers.lower;
  if (!is_same) *memory = Memory{std::move(layers), std::nullopt};
  return node;
}

Result<NodeId> Overlay::Lookup(NodeId directory, std::string_view name) {
  PADDOCK_ASSIGN(const Memory* memory, Find(directory));
  auto found = layers_.Resolve(memory->layers, name);
  if (!found) {
    if (found.error().code == Code::kNoEntry) nodes_->Forget(directory, name);
    return found.error();
  }
  return Intern(directory, name, std::move(*found));
}

Result<NodeId> Overlay::Parent(NodeId directory) {
  const auto parent = nodes_->ParentOf(directory);
  if (!parent) return Code::kNoEntry;
  return *parent;
}

Result<std::string> Overlay::Name(NodeId directory) {
  const std::string* name = nodes_->NameOf(directory);
  if (name == nullptr) return Code::kNoEntry;
  return *name;
}

Result<Attributes> Overlay::GetAttributes(NodeId node) {
  PADDOCK_ASSIGN(Memory * memory, Find(node));
  const LayerPair& layers = memory->layers;
  if (!layers.upper) {
    PADDOCK_ASSIGN(const Attributes below, layers_.lower().GetAttributes(*layers.lower));
    return ShowLower(below, device_);
  }
  PADDOCK_ASSIGN(const Attributes above, layers_.upper().GetAttributes(*layers.upper));
  Attributes result = ShowUpper(above, device_);
  if (result.is_directory() && layers.lower) {
    if (!memory->subdirectories) {
      PADDOCK_ASSIGN(const std::vector<DirectoryEntry> entries, layers_.List(layers));
      uint32_t count = 0;
      for (const DirectoryEntry& entry : entries)
        count += entry.type == FileType::kDirectory ? 1 : 0;
      memory->subdirectories = count;
    }
    result.links = 2 + *memory->subdirectories;
  }
  return result;
}

Result<NodeId> Overlay::CopyUp(NodeId node, bool with_content) {
  std::vector<NodeId> missing;
  for (NodeId at = node;; at = *nodes_->ParentOf(at)) {
    PADDOCK_ASSIGN(const Memory* memory, Find(at));
    if (memory->layers.upper) break;
    if (nodes_->NameOf(at) == nullptr) return Code::kNoEntry;
    missing.push_back(at);
  }
  for (; !missing.empty(); missing.pop_back()) {
    const NodeId at = missing.back();
    Memory& memory = *nodes_->Find(at);
    const NodeId parent = *nodes_->Find(*nodes_->ParentOf(at))->layers.upper;
    PADDOCK_ASSIGN(const NodeId copy,
                   layers_.CopyNode(*memory.layers.lower, parent, *nodes_->NameOf(at),
                                    with_content || at != node));
    memory.layers.upper = copy;
    if (!layers_.IsDirectory(memory.layers)) {
      memory.layers.lower.reset();
      memory.layers.lower_hold.reset();
    }
  }
  return *nodes_->Find(node)->layers.upper;
}

Status Overlay::SetAttributes(NodeId node, const AttributeChange& change) {
  const bool empties = change.size && *change.size == 0;
  PADDOCK_ASSIGN(const NodeId upper, CopyUp(node, !empties));
  return layers_.upper().SetAttributes(upper, change);
}

Result<std::string> Overlay::ReadLink(NodeId node) {
  PADDOCK_ASSIGN(const Memory* memory, Find(node));
  const LayerPair& layers = memory->layers;
  return layers.upper ? layers_.upper().ReadLink(*layers.upper)
                      : layers_.lower().ReadLink(*layers.lower);
}

Result<std::vector<DirectoryEntry>> Overlay::List(NodeId directory) {
  PADDOCK_ASSIGN(const Memory* memory, Find(directory));
  return layers_.List(memory->layers);
}

Status Overlay::CheckFree(NodeId directory, std::string_view name) {
  PADDOCK_ASSIGN(const Memory* memory, Find(directory));
  if (nodes_->NameOf(directory) == nullptr) return Code::kNoEntry;
  const auto found = layers_.Resolve(memory->layers, name);
  if (found) return Code::kExists;
  return found.error().code == Code::kNoEntry ? Status{} : Status{found.error()};
}

template <class Add>
auto Overlay::AddOverWhiteout(NodeId upper, std::string_view name, Add add) -> decltype(add()) {
  const bool is_covered = layers_.HasWhiteout(upper, name);
  if (is_covered) PADDOCK_TRY(layers_.upper().Remove(upper, name, false));
  auto result = add();
  if (!result && is_covered) PADDOCK_TRY(layers_.AddWhiteout(upper, name));
  return result;
}

Result<NodeId> Overlay::Create(NodeId directory, std::string_view name, const NewNode& node) {
  if ((node.special & kAnyMark) != 0) return Code::kInvalid;
  PADDOCK_TRY(CheckFree(directory, name));
  PADDOCK_ASSIGN(const NodeId upper, CopyUp(directory));
  NewNode marked = node;
  if (node.type == FileType::kDirectory) marked.special = kOpaqueMark;
  const auto add = [&] { return layers_.upper().Create(upper, name, marked); };
  PADDOCK_ASSIGN(const NodeId created, AddOverWhiteout(upper, name, add));
  if (node.type == FileType::kDirectory) CountSubdirectory(directory, 1);
  nodes_->Forget(directory, name);
  return Intern(directory, name, LayerPair{created, std::nullopt, nullptr});
}

Status Overlay::Link(NodeId directory, std::string_view name, NodeId node) {
  PADDOCK_TRY(CheckFree(directory, name));
  PADDOCK_ASSIGN(const Memory* memory, Find(node));
  if (layers_.IsDirectory(memory->layers)) return Code::kNotPermitted;
  PADDOCK_ASSIGN(const NodeId existing, CopyUp(node));
  PADDOCK_ASSIGN(const NodeId upper, CopyUp(directory));
  return AddOverWhiteout(upper, name, [&] { return layers_.upper().Link(upper, name, existing); });
}

void Overlay::CountSubdirectory(NodeId directory, int difference) {
  Memory* memory = nodes_->Find(directory);
  if (memory->subdirectories) *memory->subdirectories += static_cast<uint32_t>(difference);
}

void Overlay::ForgetCount(NodeId directory) { nodes_->Find(directory)->subdirectories.reset(); }

Status Overlay::HideLower(NodeId directory, NodeId upper, std::string_view name) {
  const LayerPair& layers = nodes_->Find(directory)->layers;
  return layers_.LowerHas(layers, name) ? layers_.AddWhiteout(upper, name) : Status{};
}

Status Overlay::Remove(NodeId directory, std::string_view name, bool is_directory) {
  PADDOCK_ASSIGN(const Memory* memory, Find(directory));
  PADDOCK_ASSIGN(const LayerPair victim, layers_.Resolve(memory->layers, name));
  const bool removes_directory = layers_.IsDirectory(victim);
  if (is_directory && !removes_directory) return Code::kNotDirectory;
  if (!is_directory && removes_directory) return Code::kIsDirectory;
  if (is_directory) {
    PADDOCK_ASSIGN(const std::vector<DirectoryEntry> entries, layers_.List(victim));
    if (!entries.empty()) return Code::kNotEmpty;
  }
  PADDOCK_ASSIGN(const NodeId upper, CopyUp(directory));
  if (victim.upper) {
    if (is_directory) PADDOCK_TRY(layers_.RemoveWhiteouts(*victim.upper));
    PADDOCK_TRY(layers_.upper().Remove(upper, name, is_directory));
  }
  PADDOCK_TRY(HideLower(directory, upper, name));
  if (is_directory) CountSubdirectory(directory, -1);
  nodes_->Forget(directory, name);
  return {};
}

Status Overlay::CheckRename(NodeId from_node, NodeId to, const LayerPair& source,
                            const LayerPair* target) {
  const bool moves_directory = layers_.IsDirectory(source);
  if (moves_directory && nodes_->IsWithin(to, from_node)) return Code::kInvalid;
  if (target == nullptr) return {};
  const bool replaces_directory = layers_.IsDirectory(*target);
  if (moves_directory && !replaces_directory) return Code::kNotDirectory;
  if (!moves_directory && replaces_directory) return Code::kIsDirectory;
  if (moves_directory) {
    PADDOCK_ASSIGN(const std::vector<DirectoryEntry> entries, layers_.List(*target));
    if (!entries.empty()) return Code::kNotEmpty;
  }
  return {};
}

Status Overlay::Detach(NodeId node) {
  PADDOCK_ASSIGN(const NodeId upper, CopyUp(node));
  Memory& memory = *nodes_->Find(node);
  PADDOCK_TRY(layers_.MakeOpaque(upper, memory.layers.lower));
  memory = Memory{LayerPair{upper, std::nullopt, nullptr}, std::nullopt};
  // What was known below lies in the upper volume now.
  nodes_->ForEachBelow(node, [this](const Memory& parent, const std::string& name, Memory& child) {
    auto found = layers_.Resolve(parent.layers, name);
    child = Memory{found ? std::move(*found) : LayerPair{}, std::nullopt};
  });
  return {};
}

Status Overlay::Rename(NodeId from, std::string_view from_name, NodeId to, std::string_view to_name,
                       bool exclusive) {
  PADDOCK_ASSIGN(const NodeId node, Lookup(from, from_name));
  PADDOCK_ASSIGN(const Memory* to_memory, Find(to));
  if (nodes_->NameOf(to) == nullptr) return Code::kNoEntry;
  const auto target = layers_.Resolve(to_memory->layers, to_name);
  if (!target && target.error().code != Code::kNoEntry) return target.error();
  if (target && exclusive) return Code::kExists;
  const LayerPair source = nodes_->Find(node)->layers;
  if (target && target->upper == source.upper && target->lower == source.lower) return {};
  PADDOCK_TRY(CheckRename(node, to, source, target ? &*target : nullptr));

  const bool moves_directory = layers_.IsDirectory(source);
  if (moves_directory) {
    PADDOCK_TRY(Detach(node));
  } else {
    PADDOCK_TRY(CopyUp(node));
  }
  PADDOCK_ASSIGN(const NodeId from_upper, CopyUp(from));
  PADDOCK_ASSIGN(const NodeId to_upper, CopyUp(to));
  if (target && target->upper && moves_directory)
    PADDOCK_TRY(layers_.RemoveWhiteouts(*target->upper));
  MemoryVolume& upper = layers_.upper();
  PADDOCK_TRY(AddOverWhiteout(to_upper, to_name, [&] {
    return upper.Rename(from_upper, from_name, to_upper, to_name, false);
  }));
  if (const Status hidden = HideLower(from, from_upper, from_name); !hidden) {
    // No room for the whiteout: the old name would show again.
    if (!target) PADDOCK_TRY(upper.Rename(to_upper, to_name, from_upper, from_name, false));
    return hidden;
  }
  nodes_->Move(from, from_name, to, to_name);
  if (moves_directory) {
    ForgetCount(from);
    ForgetCount(to);
  }
  return {};
}

Result<OpenFilePtr> Overlay::Open(NodeId node, const OpenFlags& flags) {
  PADDOCK_ASSIGN(const Memory* memory, Find(node));
  PADDOCK_ASSIGN(const Attributes attributes, GetAttributes(node));
  const bool changes_file = attributes.is_file() && (flags.write || flags.truncate);
  if (changes_file) PADDOCK_TRY(CopyUp(node, !flags.truncate));
  const LayerPair& layers = memory->layers;
  auto file = layers.upper ? layers_.upper().Open(*layers.upper, flags)
                           : layers_.lower().Open(*layers.lower, flags);
  if (!file) return file;
  return OpenFilePtr(
      std::make_shared<OverlayFile>(std::move(*file), layers.upper.has_value(), device_));
}

std::shared_ptr<const void> Overlay::Hold(NodeId node) {
  struct Held {
    std::shared_ptr<Nodes> nodes;
    NodeId node;
    std::shared_ptr<const void> upper;
    ~Held() { nodes->Release(node); }
  };
  const Memory* memory = nodes_->Find(node);
  if (memory == nullptr) return nullptr;
  std::shared_ptr<const void> upper;
  if (memory->layers.upper) upper = layers_.upper().Hold(*memory->layers.upper);
  nodes_->Hold(node);
  return std::make_shared<const Held>(nodes_, node, std::move(upper));
}

SpaceInfo Overlay::Space() const {
  SpaceInfo info = layers_.upper().Space();
  info.source = info.type = "overlay";
  return info;
}

}  // namespace

std::shared_ptr<OverlayVolume> MakeOverlayVolume(VolumePtr lower,
                                                 std::shared_ptr<MemoryVolume> upper) {
  return std::make_shared<Overlay>(std::move(lower), std::move(upper));
}

}  // namespace paddock::vfs
