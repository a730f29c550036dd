// paddock exec, for what else runs something in a sandbox of a daemon.
#pragma once

#include <string>
#include <vector>

#include "cli/cli.h"
#include "cli/client/link.h"

namespace paddock::cli {

// Runs a command with our stdout and stderr, and our stdin when `has_input`; the exit status as paddock exec's. Signals of ours go to it.
Result<int> ExecOnStreams(const LinkOptions& link, const std::string& sandbox, const std::vector<std::string>& command, const std::string& cwd,
                          bool has_input);

// paddock attach: our terminal for a command that was left.
int RunAttach(const sandbox::DriverSet& drivers, std::span<const std::string> args);

}  // namespace paddock::cli
