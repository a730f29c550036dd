// OverlayLayers: what an overlay does to its two volumes: looking names up in both, copying up,
// marks. Not an interface of the folder.
//
// It works on pairs of nodes and knows nothing of the overlay's own node ids.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vfs/overlay_marks.h"
#include "vfs/overlay_volume.h"

namespace paddock::vfs {

// The nodes behind one node of the overlay. A directory may have both; anything else has one.
struct LayerPair {
  std::optional<NodeId> upper;
  std::optional<NodeId> lower;
  std::shared_ptr<const void> lower_hold;
};

class OverlayLayers {
 public:
  OverlayLayers(VolumePtr lower, std::shared_ptr<MemoryVolume> upper)
      : lower_(std::move(lower)), upper_(std::move(upper)) {}

  Volume& lower() const { return *lower_; }
  MemoryVolume& upper() const { return *upper_; }
  LayerPair Root() const;
  // Makes the root of a fresh upper volume look like the lower one.
  void AdoptRoot() const;

  // What a name in a directory shows. Errors: kNoEntry (also behind a whiteout), kNotDirectory.
  Result<LayerPair> Resolve(const LayerPair& directory, std::string_view name) const;
  bool IsDirectory(const LayerPair& node) const;
  // The entries of both layers, sorted, with the inode numbers that stat shows.
  Result<std::vector<DirectoryEntry>> List(const LayerPair& directory) const;

  // Copies a lower node, not what is in it, to `name` in an upper directory whose times stay. On
  // failure nothing is left behind. A file may come without its content (it is about to be
  // truncated).
  Result<NodeId> CopyNode(NodeId lower, NodeId upper_directory, const std::string& name,
                          bool with_content) const;
  // Copies up all that a merged directory shows and cuts it off from the lower volume.
  Status MakeOpaque(NodeId upper, std::optional<NodeId> lower) const;

  bool LowerHas(const LayerPair& directory, std::string_view name) const;
  bool HasWhiteout(NodeId upper_directory, std::string_view name) const;
  Status AddWhiteout(NodeId upper_directory, std::string_view name) const;
  // Removes the whiteouts of an upper directory that shows nothing.
  Status RemoveWhiteouts(NodeId upper_directory) const;

  Result<std::vector<OverlayChange>> Changes() const;

 private:
  struct Comparison;
  Status CopyContent(NodeId lower, NodeId upper, uint64_t size) const;
  Status CopyMissingEntries(NodeId upper, NodeId lower,
                            std::vector<std::pair<NodeId, std::optional<NodeId>>>& pending) const;
  Result<bool> HasSameContent(NodeId upper, NodeId lower) const;
  Status Compare(const Comparison& task, std::vector<Comparison>& pending,
                 std::vector<OverlayChange>& changes) const;
  Status PushEntries(const Comparison& task, bool with_lower,
                     std::vector<Comparison>& pending) const;

  VolumePtr lower_;
  std::shared_ptr<MemoryVolume> upper_;
};

}  // namespace paddock::vfs
