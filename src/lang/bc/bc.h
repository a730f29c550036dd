// bc: an arbitrary precision calculator language.
//
// Source: POSIX bc, GNU bc 1.07.1 manual.
#pragma once

#include <string>
#include <vector>

#include "lang/bc/host.h"

namespace paddock::bc {

struct BcOptions {
  bool has_math = false;       // -l
  bool is_standard = false;    // -s
  bool warns = false;          // -w
  uint64_t line_width = 70;
};
struct BcSource {
  std::string name, text;      // of a file named on the command line
};

// Runs the files and then standard input; the exit status.
int RunBc(const std::vector<BcSource>& files, const BcOptions& options, Host& host);

}  // namespace paddock::bc
