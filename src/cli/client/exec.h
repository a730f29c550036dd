// paddock exec, for what else runs something in a sandbox of a daemon.
#pragma once

#include <string>
#include <vector>

#include "cli/client/link.h"

namespace paddock::cli {

// Runs a command with our stdin, stdout and stderr; the exit status as paddock exec's. Signals of ours go to it.
Result<int> ExecFromInput(const LinkOptions& link, const std::string& sandbox, const std::vector<std::string>& command, const std::string& cwd);

}  // namespace paddock::cli
