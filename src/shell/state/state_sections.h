// The sections that a shell's state is written in. Not an interface of the folder.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "base/packed.h"
#include "base/result.h"

namespace paddock::shell {

inline constexpr uint64_t kStateVersion = 1;

// The numbers are part of the format. An empty section is left out.
enum class StateSection : uint64_t {
  kPlace = 1,
  kNumbers = 2,      // $?, $!, $_, RANDOM and all else that is one value
  kOptions = 3,
  kVariables = 4,
  kFunctions = 5,
  kAliases = 6,
  kTraps = 7,
  kPositionals = 8,
  kLists = 9,        // directory stack, disabled builtins, limits
  kHash = 10,
  kHistory = 11,
  kCompletions = 12,
  kJobs = 13,
};
inline constexpr uint64_t kLastSection = 13;

using StateSections = std::map<uint64_t, std::string_view>;

// Views into `bytes`. Empty for empty bytes.
inline Result<StateSections> SplitState(std::string_view bytes) {
  StateSections sections;
  if (bytes.empty()) return sections;
  PackedReader in(bytes);
  const uint64_t version = in.Number();
  if (in.ok() && version != kStateVersion) {
    return Error(Code::kInvalid, "shell state has version " + std::to_string(version) + "; this program reads version 1");
  }
  uint64_t last = 0;
  while (in.ok() && !in.at_end()) {
    const uint64_t section = in.Number(kLastSection);
    const std::string_view content = in.Bytes();
    if (section <= last || content.empty()) in.Fail();
    sections[section] = content;
    last = section;
  }
  if (!in.ok()) return Error(Code::kInvalid, "shell state is damaged");
  return sections;
}

}  // namespace paddock::shell
