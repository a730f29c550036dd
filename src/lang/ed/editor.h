// ed: the line editor's language, as GNU ed 1.19 has it.
#pragma once

#include <string>

#include "lang/ed/host.h"

namespace paddock {
class Budget;
}

namespace paddock::ed {

struct EditorOptions {
  bool is_extended = false;     // -E
  bool is_loose = false;        // -l: commands that fail do not show in the status
  bool is_restricted = false;   // -r, red
  bool is_quiet = false;        // -q: nothing on standard error
  bool is_regular_script = false;  // commands come from a file: the first that fails is the last
  bool is_script = false;       // -s: no counts of bytes
  bool is_verbose = false;      // -v: as H
  bool strips_returns = false;  // --strip-trailing-cr
  bool is_utf8 = true;
  bool has_prompt = false;      // -p
  std::string prompt = "*";
  std::string file;             // empty: none
};

// Reads commands to their end. Returns the exit status: 0, 1 when a command failed, 2 when text was left unsaved at the end.
int Edit(const EditorOptions& options, Host& host, Budget& budget);

}  // namespace paddock::ed
