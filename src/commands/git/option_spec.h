// The options of a shell script as a text describes them, and as `git rev-parse --parseopt` reads them for it.
//
//   some-command [<options>] <args>...          usage: the first lines
//   --
//   h,help    show the help                     NAMES FLAGS HINT, blanks, what it does
//   C?mode    optional argument ("mode" is how the help calls it)
//
// Source: git-rev-parse(1), PARSEOPT.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/result.h"

namespace paddock::git {

struct ScriptOption {
  bool is_heading = false;   // a line of the help between options
  char short_name = 0;
  std::string long_name, hint, help;
  bool takes_value = false, is_optional = false, is_hidden = false, has_no_negation = false;
};

// How a command line is read.
struct ScriptRules {
  bool keeps_dashes = false, stops_at_operand = false, sticks_long = false;
};
// What a script shall do: `text` for its `eval`, or for the user.
struct ScriptAnswer {
  std::string out, err;
  int status = 0;
};

class OptionSpec {
 public:
  // Errors: git's words for what is no description.
  static Result<OptionSpec> Parse(std::string_view text, Budget& budget);
  ScriptAnswer Read(const std::vector<std::string>& args, const ScriptRules& rules, Budget& budget) const;

 private:
  friend class ScriptReader;
  // With or without the hidden options.
  std::string UsageText(bool is_full) const;

  std::vector<std::string> usage_;
  std::vector<ScriptOption> options_;
};

}  // namespace paddock::git
