// Root file systems and images, whichever an archive is, become trees.
#pragma once

#include "store/trees/image_archive.h"

namespace paddock::trees {

enum class ArchiveFormat {
  kAuto,    // looks at the name of the first file of the archive
  kTar,     // a root file system
  kImage,   // docker save, OCI layout
};

struct ImportedArchive {
  ImportedImage image;      // of a tar only `files`
  bool is_image = false;
};

// Plain or compressed. Errors: those of ImportTar() and ImportImage().
Result<ImportedArchive> ImportArchive(Session& session, ByteSource& in, ArchiveFormat format, const ImageOptions& options = {});

}  // namespace paddock::trees
