// What commands say of options that they do not have, and the parsing of those with -h and -V of their own.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proc/command.h"

namespace paddock {

// Writes getopt's complaint. It names the program as it was called, even where the program's own messages cut that to the last component.
void ComplainOfOption(Invocation& in, std::string_view complaint);
// The same with the hint at --help behind it; the command's usage status.
ExitStatus OptionUsage(Invocation& in, std::string_view complaint);

namespace command_internal {
std::optional<std::vector<std::string>> PrepareWithLetters(Invocation& in, void* options, const bool& wants_help, const bool& wants_version, ExitStatus* status);
}

// Parses the options of a command whose O has wants_help and wants_version; nothing when it is answered with `status`.
template <class O>
std::optional<std::vector<std::string>> PrepareWithLetters(Invocation& in, O& options, ExitStatus* status) {
  return command_internal::PrepareWithLetters(in, &options, options.wants_help, options.wants_version, status);
}

}  // namespace paddock
