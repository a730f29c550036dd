// Packing a directory, or a file, as a tar archive. What is packed may change meanwhile, and may be hostile.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/stream.h"
#include "vfs/file_system.h"

namespace paddock::api {

struct PackOptions {
  std::string name = "./";                     // what the archive calls the root: of a directory, with a slash at its end
  std::span<const char* const> without = {};   // absolute paths that are left out with all below them
  // Told of what is left out otherwise: sockets, and what cannot be read or is gone meanwhile. May be empty.
  std::function<void(const std::string& path, const Error& why)> left_out;
};

// `root` is canonical. Symlinks are packed as such, further names of a file as hard links, holes as zeros; a file that shrinks meanwhile
// ends in zeros. At most 1,000,000 entries, 100 directories deep: kLimit. Errors also: those of `out`, of listing `root`, of a read that
// fails in the midst of a file.
Status Pack(vfs::FileSystem& files, const std::string& root, ByteSink& out, const PackOptions& options = {});

}  // namespace paddock::api
