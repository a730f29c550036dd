// The command line of jq.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lang/jq/json_writer.h"
#include "lang/jq/value.h"
#include "proc/command.h"

namespace paddock::data {

struct JqOptions {
  bool null_input = false;
  bool raw_input = false;
  bool slurp = false;
  bool stream = false;
  bool stream_errors = false;
  bool seq = false;
  bool raw_output = false;
  bool join_output = false;       // no newline behind outputs
  bool nul_output = false;        // NUL behind outputs
  bool unbuffered = false;
  bool exit_status = false;       // the status tells about the last output
  bool from_file = false;         // the first operand is a file with the program
  bool has_program = false;
  bool wants_help = false;
  bool wants_version = false;
  bool wants_configuration = false;
  bool forces_color = false;
  bool refuses_color = false;
  int indent = 2;
  bool uses_tabs = false;
  bool sorts_keys = false;
  bool is_ascii = false;

  std::string program;
  std::vector<std::string> files;
  std::vector<std::string> library_paths = {"~/.jq", "$ORIGIN/../lib/jq", "$ORIGIN/../lib"};
  std::vector<std::pair<std::string, jq::Value>> variables;   // of --arg and its like
  jq::Value positional;                                       // of --args and --jsonargs
};

// Reads the command line. Complains and returns false when there is something wrong with it; the status is 2 then.
bool ParseJqOptions(Invocation& in, JqOptions& options);

std::string JqUsage(std::string_view name);

// The whole command: for those that change the form of its inputs and outputs.
ExitStatus RunJq(Invocation& in);

}  // namespace paddock::data
