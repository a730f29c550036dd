// Images as `docker save` writes them and as OCI layouts hold them become trees.
//
// An archive (plain or compressed tar) is read as a stream; its blobs are kept in the store until they are unpacked, and
// are garbage afterwards. Digests of manifests, configs and layers are checked wherever the formats have them.
//
// Source: OCI image format specification (layout, index, manifest, config, layer); docker image specification 1.2.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/stream.h"
#include "store/trees/capture.h"
#include "store/trees/layer_builder.h"
#include "store/trees/store.h"
#include "vfs/file_system.h"

namespace paddock::trees {

struct ImageOptions {
  std::string architecture = "amd64";  // which of several manifests of an index
  std::string os = "linux";
  std::string tag;                     // which image of several, as its reference says; empty: the first
  ArchiveLimits limits;
};

// How the image wants its programs to be started.
struct ImageConfig {
  std::string architecture;
  std::string os;
  std::vector<std::string> environment;  // NAME=value
  std::vector<std::string> entrypoint;
  std::vector<std::string> command;
  std::string working_directory;
  std::string user;
};

struct ImportedImage {
  Captured files;
  ImageConfig config;
  std::string config_digest;      // "sha256:…" of the config as it stands in the archive: the image's id
  std::vector<std::string> tags;  // as the archive names it
  uint64_t layers = 0;
};

// Errors: kSyntax for what is no such archive, is malformed or whose digests do not match (names the blob); kNoEntry when
// no image fits the options (says which there are); kLimit; those of the source and of the store.
Result<ImportedImage> ImportImage(Session& session, ByteSource& in, const ImageOptions& options = {});
// From an OCI layout or an unpacked docker archive in a directory.
Result<ImportedImage> ImportImage(Session& session, vfs::FileSystem& files, std::string_view directory,
                                  const ImageOptions& options = {});

}  // namespace paddock::trees
