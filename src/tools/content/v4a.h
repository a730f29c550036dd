// V4A: the patches that OpenAI's models write. Context lines say where a change goes, not line numbers.
//
//   *** Begin Patch
//   *** Update File: src/a.py        | *** Add File: b.py (+ lines)        | *** Delete File: c.py
//   *** Move to: src/b.py            (optional, of an update)
//   @@ def f():                      (optional, several: each narrows where the context is looked for)
//    context
//   -removed
//   +added
//   *** End of File                  (optional: the lines above are the file's last)
//   *** End Patch
//
// Source: OpenAI's documentation of the apply_patch tool and of the Agents SDK's applyDiff. Work is linear but for the search of
// contexts, which is bounded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock::tools {

struct PatchOperation {
  enum class Kind { kAdd, kUpdate, kDelete };
  Kind kind = Kind::kUpdate;
  std::string path;
  std::string move_to;   // of an update; empty: it stays
  std::string diff;      // lines of the operation, without its heads
};

// A whole patch. Errors: kSyntax with the line. At most 4 MiB and 1000 operations.
Result<std::vector<PatchOperation>> ParsePatch(std::string_view text);

// The text with the diff of an update applied. Contexts must fit, exactly, else but for white space at line ends, else but for white
// space around lines. The text's line ends (\n or \r\n) and a missing last newline stay. Errors: kSyntax for what is no diff, kInvalid for
// a context that is not there (shows it) or whose place is not clear.
Result<std::string> ApplyDiff(std::string_view text, std::string_view diff);

// The content that the diff of an addition stands for: every line begins with '+'.
Result<std::string> CreateFromDiff(std::string_view diff);

}  // namespace paddock::tools
