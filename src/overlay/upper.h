// Reading the upper directory of an overlay mount: what the entries mean.
//
// Source: the kernel's Documentation/filesystems/overlayfs.rst, with the "userxattr" names.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "overlay/beneath.h"

namespace paddock::overlay {

// How many entries of an overlay are looked at, at most.
inline constexpr size_t kMostEntries = 1'000'000;

struct UpperEntry {
  enum class Kind {
    kWhiteout,    // hides what is below
    kMerged,      // a directory: shows what is below too
    kOpaque,      // a directory: hides what is below
    kContent,     // a file or link instead of what is below
    kRefused,     // something that is never applied
  };
  Kind kind = Kind::kRefused;
  FileFacts facts;
  std::string refusal;      // of kRefused: why, in words that follow the path
};

// What is at the path in the upper directory; an absent one is kRefused too.
UpperEntry ReadUpper(int upper, const std::string& path);

}  // namespace paddock::overlay
