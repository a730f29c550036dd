// The checksums of POSIX cksum and of the old sum programs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "proc/command.h"

namespace paddock {

enum class SumKind { kCrc, kBsd, kSysv };

struct FileSum {
  uint64_t sum;
  uint64_t bytes;
};

// Sums up a file ("-": standard input). The error is that of opening or reading.
Result<FileSum> SumFile(Invocation& in, SumKind kind, const std::string& name);
// Writes one line; `name` is empty for none. Blocks are those that each program counts in.
void WriteSum(Output& out, SumKind kind, const FileSum& sum, std::string_view name, char line_end);

}  // namespace paddock
