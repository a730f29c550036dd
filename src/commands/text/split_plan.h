// What split was asked to do: its options in the order given, made into a plan.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commands/text/split_pieces.h"

namespace paddock::split {

// The largest file.
inline constexpr uint64_t kMostBytes = std::numeric_limits<int64_t>::max();

// An option as it was given: its letter ('A', 'f', 'v' for --additional-suffix, --filter, --verbose; '0' for -NUM)
// and its text.
struct Word {
  char letter;
  std::string text;
};

enum class Way { kNone, kLines, kOldLines, kBytes, kLineBytes, kChunks, kLineChunks, kRoundRobin };

struct Plan {
  Way way = Way::kNone;
  uint64_t amount = 0;      // of lines, bytes or chunks
  uint64_t read_bytes = 0;  // at once; 0: as usual
  uint64_t chosen = 0;      // the only chunk to write, to standard output
  char separator = '\n';
  Naming naming;
  PieceSettings pieces;
};

// Fills `plan`; the exit status after a complaint.
std::optional<ExitStatus> MakePlan(Invocation& in, std::span<const Word> words, const std::vector<std::string>& operands,
                                   Plan& plan);

}  // namespace paddock::split
