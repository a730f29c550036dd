// The file that keeps what was typed at prompts, across sessions. One entry a line, `\n` for a newline inside and
// `\\` for a backslash; private to its owner. Every entry is written as it is entered, so a killed session loses
// nothing; sessions that run at the same time may share the file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock::cli {

class HistoryFile {
 public:
  explicit HistoryFile(std::string path) : path_(std::move(path)) {}

  // The newest entries, oldest first; empty if there is no file. Cuts a file that has grown to twice the bound
  // back to it. Errors: what open and read say.
  Result<std::vector<std::string>> Load();
  // Adds an entry, making the file and its directories (modes 0600, 0700) if need be.
  Status Append(std::string_view entry);

  const std::string& path() const { return path_; }

  static constexpr size_t kMaxEntries = 10'000;
  static constexpr size_t kMaxBytes = 4 << 20;

 private:
  Status Rewrite(const std::vector<std::string>& entries) const;

  std::string path_;
};

}  // namespace paddock::cli
