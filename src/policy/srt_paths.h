// Paths and patterns of srt's settings, found on the host.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock::policy {

// Where relative paths begin and what `~` is; both absolute and normal, home may be empty.
struct SrtPlace {
  std::string directory;
  std::string home;
};

// True when srt would expand the text: it has `*`, `?` or `[`.
bool IsSrtPattern(std::string_view text);
// The text without a trailing "/**", which means the directory itself.
std::string_view WithoutSubtreeMark(std::string_view text);

// A path of the settings, absolute and normal, with symlinks as written. Errors: kInvalid.
Result<std::string> SrtPath(std::string_view text, const SrtPlace& place);

// What exists and matches `pattern` now: `*`, `?`, `[…]` within a name, `**` alone for any depth. Paths have their symlinks
// resolved; a matched link stands for what it leads to. A directory that cannot be listed is in `unlisted`. Errors: kInvalid for a pattern that begins
// with a wildcard or has `**` inside a name, kLimit when more than a million entries would have to be looked at.
struct SrtMatches {
  std::vector<std::string> paths;
  std::vector<std::string> unlisted;
};
Result<SrtMatches> ExpandSrtPattern(std::string_view pattern, const SrtPlace& place);

// A symlink on the way to `path`, and below one of `roots` (absolute, resolved) other than `path`'s own: who may write there chooses where the
// path leads. Empty if there is none.
std::string LinkWithin(const std::string& path, const std::vector<std::string>& roots);

struct DirectoryEntry {
  std::string name;
  bool is_directory = false;   // or may lead to one
};

// Without "." and "..", in no order. Nothing if it cannot be listed; errno then says why.
std::optional<std::vector<DirectoryEntry>> ListDirectory(const std::string& path);

}  // namespace paddock::policy
