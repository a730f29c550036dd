// Reads a sed script: GNU sed 4.9's language, its extensions and its complaints.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "lang/sed/program.h"

namespace paddock {
class Budget;
}

namespace paddock::sed {

// One -e or -f. A command may go on in the next one.
struct ScriptChunk {
  bool is_file = false;
  std::string name;  // of the file
  std::string text;
};

struct ParseOptions {
  bool is_extended = false;   // -E
  bool is_posix = false;      // --posix
  bool is_correct = false;    // POSIXLY_CORRECT, which asks for less
  bool is_sandboxed = false;  // --sandbox
  bool is_utf8 = true;
  bool is_zero_terminated = false;  // -z
};

// Errors: kSyntax with "-e expression #1, char 3: unterminated `s' command" (exit status 1), kInvalid with a
// complaint about the script as a whole (exit status 4).
Result<Program> ParseScript(const std::vector<ScriptChunk>& chunks, const ParseOptions& options, Budget& budget);

}  // namespace paddock::sed
