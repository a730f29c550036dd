// Archives in parts of a size: NAME.z01, NAME.z02 … and NAME.zip, which is the last.
#pragma once

#include <memory>
#include <string>

#include "commands/archive/zip_file.h"
#include "proc/command.h"

namespace paddock::zip {

// The least size of a part.
inline constexpr uint64_t kLeastPart = 64 << 10;

// The size that `text` means, as -s takes it: 0 is no split. Nothing if it is none.
std::optional<uint64_t> ReadPartSize(std::string_view text);

// Makes parts of at most `size` bytes of the archive `draft`, which stays. `target` ends in ".zip".
Status WriteParts(Invocation& in, const std::string& draft, const std::string& target, uint64_t size);

struct OpenedArchive {
  std::unique_ptr<ZipFile> zip;
  uint64_t part_size = 0;    // of the first part, 0 if it is not split
  std::string missing;       // the part that is not there; then `zip` is null
};
// Opens an archive that may be in parts. Errors: those of ZipFile::Open.
Result<OpenedArchive> OpenArchive(Invocation& in, const std::string& path);

}  // namespace paddock::zip
