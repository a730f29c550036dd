#include "vfs/overlay_layers.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace paddock::vfs {
namespace {

constexpr size_t kCopyBytes = 64 << 10;

bool IsAllZero(std::string_view bytes) {
  return bytes.empty() ||
         (bytes[0] == '\0' && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

AttributeChange TimesOf(const Attributes& attributes) {
  AttributeChange change;
  change.access_time = attributes.access_time;
  change.modify_time = attributes.modify_time;
  return change;
}

}  // namespace

LayerPair OverlayLayers::Root() const { return {upper_->root(), lower_->root(), nullptr}; }

void OverlayLayers::AdoptRoot() const {
  const auto below = lower_->GetAttributes(lower_->root());
  const auto above = upper_->GetAttributes(upper_->root());
  if (!below || !above || (above->special & kOriginMark) != 0) return;
  AttributeChange change = TimesOf(*below);
  change.mode = below->mode;
  change.uid = below->uid;
  change.gid = below->gid;
  const uint64_t origin = kOriginMark | (below->inode & kOriginMask);
  const bool is_done =
      upper_->SetSpecial(upper_->root(), origin) && upper_->SetAttributes(upper_->root(), change);
  PADDOCK_CHECK(is_done);
}

Result<LayerPair> OverlayLayers::Resolve(const LayerPair& directory, std::string_view name) const {
  LayerPair found;
  if (directory.upper) {
    const auto upper = upper_->Lookup(*directory.upper, name);
    if (upper) {
      PADDOCK_ASSIGN(const Attributes attributes, upper_->GetAttributes(*upper));
      if (IsWhiteout(attributes)) return Code::kNoEntry;
      found.upper = *upper;
      if (!attributes.is_directory() || IsOpaque(attributes)) return found;
    } else if (upper.error().code != Code::kNoEntry) {
      return upper.error();
    }
  }
  if (directory.lower) {
    const auto lower = lower_->Lookup(*directory.lower, name);
    if (!lower && !found.upper) return lower.error();
    if (lower) {
      PADDOCK_ASSIGN(const Attributes attributes, lower_->GetAttributes(*lower));
      if (!found.upper || attributes.is_directory()) {
        found.lower = *lower;
        found.lower_hold = lower_->Hold(*lower);
      }
    }
  }
  if (!found.upper && !found.lower) return Code::kNoEntry;
  return found;
}

bool OverlayLayers::IsDirectory(const LayerPair& node) const {
  const auto found =
      node.upper ? upper_->GetAttributes(*node.upper) : lower_->GetAttributes(*node.lower);
  return found && found->is_directory();
}

Result<std::vector<DirectoryEntry>> OverlayLayers::List(const LayerPair& directory) const {
  std::vector<DirectoryEntry> below;
  if (directory.lower) {
    PADDOCK_ASSIGN(below, lower_->List(*directory.lower));
  }
  if (!directory.upper) return below;
  PADDOCK_ASSIGN(std::vector<DirectoryEntry> above, upper_->List(*directory.upper));
  std::vector<DirectoryEntry> merged;
  merged.reserve(below.size() + above.size());
  auto next = below.begin();
  for (DirectoryEntry& entry : above) {
    for (; next != below.end() && next->name < entry.name; ++next)
      merged.push_back(std::move(*next));
    if (next != below.end() && next->name == entry.name) ++next;
    PADDOCK_ASSIGN(const Attributes attributes, upper_->GetAttributes(entry.inode));
    if (IsWhiteout(attributes)) continue;
    entry.inode = ShowUpper(attributes, 0).inode;
    merged.push_back(std::move(entry));
  }
  for (; next != below.end(); ++next) merged.push_back(std::move(*next));
  return merged;
}

Result<NodeId> OverlayLayers::CopyNode(NodeId lower, NodeId upper_directory,
                                       const std::string& name, bool with_content) const {
  PADDOCK_ASSIGN(const Attributes attributes, lower_->GetAttributes(lower));
  PADDOCK_ASSIGN(const Attributes parent, upper_->GetAttributes(upper_directory));
  NewNode node;
  node.type = attributes.type;
  node.mode = attributes.mode;
  node.uid = attributes.uid;
  node.gid = attributes.gid;
  const bool is_device =
      attributes.type == FileType::kCharDevice || attributes.type == FileType::kBlockDevice;
  // The other names of a file with several keep its number, so the copy cannot.
  const bool keeps_number = attributes.is_directory() || attributes.links == 1;
  if (is_device) {
    node.special = attributes.special;
  } else if (keeps_number) {
    node.special = kOriginMark | (attributes.inode & kOriginMask);
  }
  if (attributes.is_symlink()) {
    PADDOCK_ASSIGN(node.target, lower_->ReadLink(lower));
  }
  PADDOCK_ASSIGN(const NodeId copy, upper_->Create(upper_directory, name, node));
  Status status;
  if (attributes.is_file() && with_content) status = CopyContent(lower, copy, attributes.size);
  if (status) status = upper_->SetAttributes(copy, TimesOf(attributes));
  if (!status) PADDOCK_TRY(upper_->Remove(upper_directory, name, attributes.is_directory()));
  PADDOCK_TRY(upper_->SetAttributes(upper_directory, TimesOf(parent)));
  if (!status) return status.error();
  return copy;
}

Status OverlayLayers::CopyContent(NodeId lower, NodeId upper, uint64_t size) const {
  if (size == 0) return {};
  PADDOCK_ASSIGN(const OpenFilePtr in, lower_->Open(lower, OpenFlags::Read()));
  PADDOCK_ASSIGN(const OpenFilePtr out, upper_->Open(upper, {.write = true}));
  uint64_t copied = 0;
  while (true) {
    PADDOCK_ASSIGN(const Block block, in->ReadBlock(kCopyBytes));
    if (block.bytes.empty()) break;
    copied += block.bytes.size();
    // Holes stay holes.
    if (IsAllZero(block.bytes)) {
      PADDOCK_TRY(out->Seek(static_cast<int64_t>(block.bytes.size()), Whence::kCurrent));
    } else {
      PADDOCK_TRY(out->Write(block.bytes));
    }
  }
  return out->Truncate(copied);
}

Status OverlayLayers::CopyMissingEntries(
    NodeId upper, NodeId lower,
    std::vector<std::pair<NodeId, std::optional<NodeId>>>& pending) const {
  PADDOCK_ASSIGN(const std::vector<DirectoryEntry> entries, lower_->List(lower));
  for (const DirectoryEntry& entry : entries) {
    const auto source = lower_->Lookup(lower, entry.name);
    if (!source) continue;
    PADDOCK_ASSIGN(const Attributes below, lower_->GetAttributes(*source));
    auto target = upper_->Lookup(upper, entry.name);
    if (!target) {
      PADDOCK_ASSIGN(target, CopyNode(*source, upper, entry.name, true));
    }
    PADDOCK_ASSIGN(const Attributes above, upper_->GetAttributes(*target));
    if (above.is_directory() && below.is_directory() && !IsOpaque(above)) {
      pending.emplace_back(*target, *source);
    }
  }
  return {};
}

Status OverlayLayers::MakeOpaque(NodeId upper, std::optional<NodeId> lower) const {
  std::vector<std::pair<NodeId, std::optional<NodeId>>> pending{{upper, lower}};
  while (!pending.empty()) {
    const auto [above, below] = pending.back();
    pending.pop_back();
    PADDOCK_ASSIGN(const Attributes attributes, upper_->GetAttributes(above));
    if (below) PADDOCK_TRY(CopyMissingEntries(above, *below, pending));
    PADDOCK_TRY(upper_->SetSpecial(above, attributes.special | kOpaqueMark));
    // Only now nothing of the lower volume would show again.
    PADDOCK_TRY(RemoveWhiteouts(above));
    PADDOCK_TRY(upper_->SetAttributes(above, TimesOf(attributes)));
  }
  return {};
}

bool OverlayLayers::LowerHas(const LayerPair& directory, std::string_view name) const {
  return directory.lower && lower_->Lookup(*directory.lower, name);
}

bool OverlayLayers::HasWhiteout(NodeId upper_directory, std::string_view name) const {
  const auto node = upper_->Lookup(upper_directory, name);
  if (!node) return false;
  const auto attributes = upper_->GetAttributes(*node);
  return attributes && IsWhiteout(*attributes);
}

Status OverlayLayers::AddWhiteout(NodeId upper_directory, std::string_view name) const {
  NewNode whiteout;
  whiteout.type = FileType::kCharDevice;
  whiteout.mode = 0;
  whiteout.special = kWhiteoutMark;
  PADDOCK_TRY(upper_->Create(upper_directory, name, whiteout));
  return {};
}

Status OverlayLayers::RemoveWhiteouts(NodeId upper_directory) const {
  PADDOCK_ASSIGN(const std::vector<DirectoryEntry> entries, upper_->List(upper_directory));
  for (const DirectoryEntry& entry : entries) {
    if (!HasWhiteout(upper_directory, entry.name)) continue;
    PADDOCK_TRY(upper_->Remove(upper_directory, entry.name, false));
  }
  return {};
}

}  // namespace paddock::vfs
