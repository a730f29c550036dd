// What an awk program asks of the world, answered by the sandbox.
#pragma once

#include <memory>

#include "lang/awk/host.h"
#include "proc/command.h"

namespace paddock {

// `in` outlives it.
std::unique_ptr<awk::Host> MakeAwkHost(Invocation& in);

}  // namespace paddock
