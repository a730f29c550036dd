// What dd was asked to do: its operands, read.
#pragma once

#include <optional>
#include <string>

#include "proc/command.h"

namespace paddock {

// A number of blocks, or of bytes ("3B").
struct DdCount {
  uint64_t number = 0;
  bool is_bytes = false;
};

struct DdSettings {
  enum class Report { kAll, kNoTransfer, kNone, kProgress };
  enum Conversion : uint32_t {
    kAscii = 1, kEbcdic = 2, kIbm = 4, kBlock = 8, kUnblock = 16, kLower = 32, kUpper = 64, kSwab = 128,
    kSync = 256, kNoError = 512, kNoTruncate = 1024, kNoCreate = 2048, kExclusive = 4096, kSparse = 8192,
    kDataSync = 1 << 14, kFileSync = 1 << 15, kTwoBuffers = 1 << 16,
  };
  enum Flag : uint32_t {
    kAppend = 1, kDirect = 2, kDirectory = 4, kDsync = 8, kSyncFlag = 16, kNonblock = 32, kNoAtime = 64,
    kNoCache = 128, kNoTty = 256, kNoFollow = 512, kFullBlock = 1024, kCountBytes = 2048, kSkipBytes = 4096,
    kSeekBytes = 8192,
  };

  std::optional<std::string> input, output;
  uint64_t input_block = 0, output_block = 0, block = 0, record = 0;
  std::optional<DdCount> count;
  DdCount skip, seek;
  std::string seek_text;
  uint32_t conversions = 0, input_flags = 0, output_flags = 0;
  Report report = Report::kAll;

  bool has(Conversion conversion) const { return (conversions & conversion) != 0; }
};

// Reads the operands. A status after a complaint.
std::optional<ExitStatus> ParseDdOperands(Invocation& in, const std::vector<std::string>& operands, DdSettings& settings);

}  // namespace paddock
