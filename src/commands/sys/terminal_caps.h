// What some terminals can do: the capabilities of terminfo(5) for tput and clear.
//
// Source: terminfo(5) and what infocmp says of these terminals.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proc/command.h"

namespace paddock {

struct TerminalCap {
  enum class Kind { kFlag, kNumber, kText };
  Kind kind;
  const char* value;   // null: this terminal does not have it; digits for a number
};

// The number of a terminal: xterm, xterm-256color, linux or dumb.
std::optional<size_t> FindTerminal(std::string_view name);
std::string_view TerminalDescription(size_t terminal);
// Nothing for a name that no terminal has.
std::optional<TerminalCap> FindTerminalCap(size_t terminal, std::string_view name);
// How many parameters a text takes, and the text with them put in.
size_t CountTerminalParameters(std::string_view text);
std::string ExpandTerminalText(std::string_view text, std::span<const int64_t> parameters);

// Reads the options of tput and clear into `options`, of which `version` is a member; nothing when the command is answered. `complain` writes
// the usage and gives the status of an error.
std::optional<std::vector<std::string>> ParseTerminalOptions(Invocation& in, void* options, const bool& version, ExitStatus (*complain)(Invocation&),
                                                             ExitStatus* status);

}  // namespace paddock
