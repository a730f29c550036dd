// Where the hunks of git apply go.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/git/mail/apply.h"

namespace paddock::git {

// A file's lines while hunks are put into them.
struct PatchedLines {
  std::vector<std::string_view> lines;
  std::vector<char> is_patched;   // came from a hunk: no other hunk goes there
};

// A line without the blanks that git takes for errors: those at its end, and those before a tab of its indentation.
std::string WithoutBlankErrors(std::string_view line);

class HunkPlacer {
 public:
  HunkPlacer(Git& git, const ApplyOptions& options) : git_(git), options_(options) {}
  // False: it fits nowhere. `number` is its own in the patch, for messages. The lines are views into the hunk, the file and this.
  bool Apply(PatchedLines& image, const PatchHunk& hunk, size_t number);
  // How many new lines --whitespace=fix changed.
  size_t fixed_lines() const { return fixed_lines_; }
  // The line of the patch where the last hunk began to add blank lines at the end of the file.
  std::optional<size_t> blank_end() const { return blank_end_; }

 private:
  // Of the lines that a hunk makes, one of context knows which of those before it is.
  struct NewLine {
    std::string_view text;
    std::optional<size_t> before;
  };
  bool Matches(std::string_view line, std::string_view wanted, bool is_last, bool at_end) const;
  bool MatchesAt(const PatchedLines& image, size_t at, const std::vector<std::string_view>& before, bool at_begin, bool at_end);
  std::optional<size_t> FindPlace(const PatchedLines& image, const std::vector<std::string_view>& before, size_t line, bool at_begin, bool at_end);

  Git& git_;
  const ApplyOptions& options_;
  std::optional<size_t> blank_end_;
  std::deque<std::string> fixed_;   // lines that were changed
  size_t fixed_lines_ = 0;
};

}  // namespace paddock::git
