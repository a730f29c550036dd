// Where the daemon's configuration comes from on this machine.
#pragma once

#include <string>

#include "api/config/load.h"
#include "base/result.h"

namespace paddock::cli {

// Gathers the file, the environment and the default directory; the overrides are the caller's to add.
//
// The file is `file`, or else $PADDOCK_CONFIG, or else the first that exists of paddock/paddock.toml in the user's configuration
// directory ($XDG_CONFIG_HOME, ~/.config) and /etc/paddock/paddock.toml. One that was named has to exist. The current directory is
// not looked at: code in a sandbox may write there. Errors: those of the file; kLimit beyond 1 MiB.
Result<api::Sources> FindConfig(const std::string& file);

}  // namespace paddock::cli
