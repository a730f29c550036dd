// The process driver's escape test: plays the probes of escape/ inside walls of one policy.
#pragma once

#include "sandbox/escape_testable.h"
#include "sandbox/sandbox.h"

namespace paddock::process_wall {

Status TestEscapes(sandbox::Driver& driver, const sandbox::EscapeTest& test,
                   const std::function<void(const sandbox::EscapeFinding&)>& on_finding);

}  // namespace paddock::process_wall
