// Fields that several messages of files have.
#pragma once

#include <string>

#include "guest/protocol/file_messages.h"
#include "guest/protocol/wire.h"

namespace paddock::guest {

inline constexpr size_t kMaxPathBytes = 4096;

void PutStat(WireWriter& writer, const FileStat& stat);
FileStat TakeStat(WireReader& reader);
// An empty path is a failure.
std::string TakePath(WireReader& reader);

}  // namespace paddock::guest
