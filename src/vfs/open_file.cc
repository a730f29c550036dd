#include "vfs/open_file.h"

namespace paddock::vfs {

Result<uint64_t> OpenFile::Seek(int64_t /*offset*/, Whence /*whence*/) {
  return Code::kIllegalSeek;
}

Status OpenFile::Truncate(uint64_t /*size*/) { return Code::kInvalid; }

}  // namespace paddock::vfs
