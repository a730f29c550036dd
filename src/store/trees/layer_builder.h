// LayerBuilder: tar archives laid over each other become one tree: a root file system out of one, an image out of its
// layers. Nothing is made on the host; paths are names in a Draft and cannot lead out of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/stream.h"
#include "store/trees/capture.h"
#include "store/trees/draft.h"
#include "store/trees/store.h"
#include "store/trees/tar_reader.h"

namespace paddock::trees {

struct ArchiveLimits {
  uint64_t max_entries = 5'000'000;    // of all layers together
  uint64_t max_bytes = 64ull << 30;    // unpacked, of all layers together
  uint64_t max_ratio = 1000;           // of one layer's compression
  uint64_t max_depth = 1000;           // of a path
};

class LayerBuilder {
 public:
  LayerBuilder(Session& session, const ArchiveLimits& limits) : session_(session), limits_(limits) {}

  // Lays the files of a plain tar stream over what is there. A name that exists is replaced, directories are merged;
  // symlinks in front of the last name are followed inside the tree, as extracting would. With `has_whiteouts`, names
  // that begin with ".wh." take away what layers below have (OCI image layer specification, "Whiteouts"). Errors:
  // kSyntax for ".." in a path, for hard links to what is not there and for names below a file; kLimit; those of `tar`
  // and of the store.
  // With `below` (a relative path) the archive's root is that directory.
  Status Add(ByteSource& tar, bool has_whiteouts, std::string_view below = {});
  // Takes away what has that path (relative; symlinks are not followed), with a "/" behind it what lies below. Nothing is there: nothing happens.
  void Remove(std::string_view path);
  // The tree, durable.
  Result<Captured> Finish();

 private:
  Result<std::vector<std::string>> NamesOf(std::string_view path) const;
  // The directory that these names lead to; missing ones are made.
  Result<DraftNode*> Reach(const std::vector<std::string>& names, bool makes_missing);
  Status AddEntry(TarReader& reader, const TarEntry& entry, bool has_whiteouts);
  Status AddWhiteout(DraftNode& parent, std::string_view name);
  Status AddHardLink(DraftNode& parent, const std::string& name, const TarEntry& entry);
  Result<Content> ReadContent(TarReader& reader);
  // Takes a node away as far as this layer did not put it there.
  void Prune(DraftNode& node);

  Session& session_;
  const ArchiveLimits limits_;
  Draft draft_;
  std::vector<std::string> below_;  // names of where the archive's root goes
  uint64_t layer_ = 0;  // DraftNode::source of what it puts
  uint64_t links_ = 0;
  uint64_t entries_ = 0;
};

// A root file system as a tar archive, plain or compressed with gzip, zstd or xz.
Result<Captured> ImportTar(Session& session, ByteSource& in, const ArchiveLimits& limits = {});

}  // namespace paddock::trees
