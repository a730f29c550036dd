// Searching the files below a directory, as grep -rn does, within bounds.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "vfs/file_system.h"

namespace paddock::tools {

// A walk looks at so many entries, so deep; files larger than kMaxFileBytes and binary ones are passed over, counted.
inline constexpr size_t kMaxWalked = 100'000;
inline constexpr size_t kMaxDepth = 100;

struct SearchRequest {
  std::string root = "/";
  std::string pattern;
  bool is_regex = false;
  bool ignores_case = false;
  std::string glob;              // empty: every file that is not hidden
  size_t most = 100;             // matches
  size_t context = 0;            // lines before and behind each
  std::stop_token stop;
};
struct SearchMatch {
  std::string path;
  size_t line = 0;               // from 1
  std::string text;              // of the line, at most 500 bytes, valid UTF-8
  std::vector<std::string> before, after;
};
struct SearchOutcome {
  std::vector<SearchMatch> matches;   // by path, then line
  size_t files_searched = 0;
  size_t files_skipped = 0;           // too large, binary or unreadable
  bool is_truncated = false;          // there may be more
  std::string why_truncated;
};
// Errors: kInvalid for the pattern or the glob, and those of the root.
Result<SearchOutcome> SearchFiles(vfs::FileSystem& files, const SearchRequest& request);

struct ListRequest {
  std::string root = "/";
  size_t depth = 1;              // 1: only what lies in root itself
  std::string glob;
  bool shows_hidden = true;
  size_t most = 1000;
};
struct ListedFile {
  std::string path;
  vfs::Attributes attributes;
  std::string target;            // of a symlink
};
struct ListOutcome {
  std::vector<ListedFile> entries;   // by path
  bool is_truncated = false;
};
Result<ListOutcome> ListFiles(vfs::FileSystem& files, const ListRequest& request);

}  // namespace paddock::tools
