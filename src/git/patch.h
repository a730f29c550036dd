// Patches as git apply reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "git/binary_patch.h"

namespace paddock::git {

struct PatchHunk {
  struct Line {
    char mark;          // ' ', '-' or '+'
    std::string text;   // with its newline, unless the patch says that it has none
    size_t number;      // of the line in the patch
  };
  size_t old_begin = 0, new_begin = 0;
  size_t leading = 0, trailing = 0;   // lines of context at the two ends
  size_t text_begin = 0, text_size = 0;   // where it stands in the patch
  bool is_rejected = false;               // did not fit (git apply --reject)
  std::vector<Line> lines;
};

struct FilePatch {
  std::string old_name, new_name;   // empty: there is none
  uint32_t old_mode = 0, new_mode = 0;
  bool is_new = false, is_deleted = false, is_rename = false, is_copy = false, is_binary = false;
  bool is_rejected = false;         // did not fit at all
  bool is_from_top = false;         // a header of git: names are from the top of the tree
  int score = 0;
  size_t added = 0, deleted = 0;
  std::string old_id, new_id;       // of the index line: hexadecimal digits, as many as there are; empty: not told
  std::optional<BinaryBlock> forward, backward;
  std::vector<PatchHunk> hunks;
  const std::string& Name() const { return new_name.empty() ? old_name : new_name; }
};

struct PatchReading {
  int64_t strip = 1;
  bool is_strip_known = false;
  std::string prefix;      // of the working directory below the top
  std::string directory;   // goes before all names
  bool recounts = false;   // the lines that a hunk's head counts are not believed
  std::vector<std::string> warnings;
};
// All patches of a text. Errors: git's words.
Result<std::vector<FilePatch>> ReadPatches(std::string_view text, PatchReading& reading, Budget& budget);
// The other way round.
void ReversePatch(FilePatch& patch);

}  // namespace paddock::git
