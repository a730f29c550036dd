// Files that rg searches by way of a program's output: -z and --pre.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/ignore_files.h"
#include "proc/command.h"

namespace paddock {

struct RgProgramSettings {
  bool unpacks = false;              // -z
  std::string preprocessor;          // --pre; empty: none
  IgnoreGlobList preprocessor_globs;
};

// The command line whose output is to be searched instead of `path`; nothing for a file that is searched as it is.
struct RgProgram {
  std::vector<std::string> args;
  bool is_preprocessor;   // it also gets the file as its standard input
};
std::optional<RgProgram> RgProgramFor(Invocation& in, const RgProgramSettings& settings, const std::string& path);

// What it writes. At its end the program's failure is an error, with rg's words for it.
class RgProgramOutput : public ByteSource {
 public:
  // Ends it before its end: then a failure counts only if the program said why. Nothing new after the end.
  virtual Status Close() = 0;
};
// Errors: when it cannot start.
Result<std::unique_ptr<RgProgramOutput>> StartRgProgram(Invocation& in, const RgProgram& program, const std::string& path);

}  // namespace paddock
