// Runs a parsed sed script over its inputs.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "lang/sed/host.h"
#include "lang/sed/program.h"

namespace paddock {
class Budget;
}

namespace paddock::sed {

inline constexpr int64_t kDefaultLineWidth = 70;

struct RunOptions {
  bool is_quiet = false;       // -n
  bool is_separate = false;    // -s, and implied by in_place
  bool in_place = false;       // -i
  std::string backup_suffix;
  bool is_posix = false;       // --posix or POSIXLY_CORRECT
  bool is_unbuffered = false;  // -u
  bool debugs = false;         // --debug
  bool is_utf8 = true;
  char delimiter = '\n';       // NUL with -z
  int64_t line_width = kDefaultLineWidth;     // of l
};

// Returns the exit status: 0, the one of q or Q, or 2 when an input was missing. Complaints about inputs
// went to the host's err(). Errors: kSyntax (status 1) and others (status 4), with the complaint as message.
Result<int> RunScript(const Program& program, const std::vector<std::string>& files, const RunOptions& options,
                      Host& host, Budget& budget);

}  // namespace paddock::sed
