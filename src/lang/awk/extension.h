// The libraries that come with gawk, which @load and -l name: what functions they have.
//
// They are built in, and there are no others. What they do is in extension_*.cc, as members of the interpreter.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace paddock::awk {

enum class Library : uint8_t {
  kFilefuncs, kFnmatch, kFork, kInplace, kIntdiv, kOrdchr, kReaddir, kReadfile, kRevoutput, kRevtwoway, kRwarray, kTime,
};

// A set of libraries, by their numbers.
using Libraries = uint32_t;
inline constexpr Libraries BitOf(Library library) { return 1u << static_cast<unsigned>(library); }

inline constexpr std::string_view kTimeIsObsolete =
    "The time extension is obsolete. Use the timex extension from gawkextlib instead.";

// The library of that name; also when it is named by a path, or with its ".so".
std::optional<Library> FindLibrary(std::string_view name);

enum class Extension : uint8_t {
  kChdir, kStat, kStatvfs, kFts,
  kFnmatch,
  kFork, kWait, kWaitpid,
  kInplaceBegin, kInplaceEnd,
  kIntdiv,
  kOrd, kChr,
  kReadfile,
  kReada, kWritea, kReadall, kWriteall,
  kGettimeofday, kSleep,
};
inline constexpr int kExtensionCount = static_cast<int>(Extension::kSleep) + 1;

struct ExtensionInfo {
  std::string_view name;
  Extension id;
  Library library;
  int min_arguments;
};
const ExtensionInfo& InfoOf(Extension id);
// The function of that name in one of the libraries; null if there is none.
const ExtensionInfo* FindExtension(std::string_view name, Libraries libraries);

}  // namespace paddock::awk
