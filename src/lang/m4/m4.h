// m4: a macro processor for text, as GNU m4 1.4.19.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/result.h"

namespace paddock::m4 {

// What m4 needs from the world around it.
class Host {
 public:
  virtual ~Host() = default;
  virtual Budget& budget() = 0;
  virtual void Out(std::string_view text) = 0;
  virtual void Err(std::string_view text) = 0;                     // after what was written to Out
  virtual Result<std::string> Read(const std::string& name) = 0;   // "-" is standard input
  virtual Status Write(const std::string& name, std::string_view text) = 0;
  // Where Debug() goes from now on: a file that is made, nowhere for the empty name, standard error for none.
  virtual Status SetDebugFile(const std::optional<std::string>& name) = 0;
  virtual void Debug(std::string_view text) = 0;
  // Makes an empty file of a new name: the template with other letters for the six X at its end, which are put there if need be.
  virtual Result<std::string> MakeTemporaryFile(const std::string& name_template) = 0;
  virtual int64_t ProcessId() = 0;
  // Runs a line with sh: what it wrote, if that is captured, and its status.
  virtual std::pair<std::string, int> RunShell(const std::string& command, bool captures) = 0;
};

struct Settings {
  bool prefixes_builtins = false;   // -P
  bool is_silent = false;           // -Q
  int fatal_warnings = 0;           // how often -E
  std::vector<std::string> include_directories;
  uint64_t nesting_limit = 0;       // -L; 0: none
  bool is_traditional = false;      // -G
  std::string debug_flags;          // -d: letters
  size_t argument_length = 0;       // -l; 0: any
  std::optional<std::string> warned_sequence;   // --warn-macro-sequence
  bool synchronizes = false;        // -s: #line in front of what does not stand on the line that it came from
  std::optional<std::string> frozen_from, frozen_to;   // -R, -F: files of frozen state
};

// One step of the command line, in order.
struct Step {
  enum class Kind { kDefine, kUndefine, kTrace, kDebugFile, kFile };
  Kind kind;
  std::string text;
  bool has_text = true;   // of kDebugFile
};

// The exit status.
int Run(const Settings& settings, const std::vector<Step>& steps, Host& host);

}  // namespace paddock::m4
