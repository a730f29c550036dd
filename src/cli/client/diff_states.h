// paddock diff SANDBOX: and SNAPSHOT:, what changed in a sandbox of a daemon.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/options.h"

namespace paddock::cli {

// Nothing when no operand names what is a daemon's ("NAME:", "NAME:PATH", an id): then an overlay is meant. Else the exit status: 0 without changes, 1 with, 2 for trouble.
std::optional<int> RunStateDiff(std::span<const std::string> args);

}  // namespace paddock::cli
