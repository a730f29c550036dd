// One request of the batch protocol: from the text of a line to the text of its reply.
//
// docs/batch-protocol.md describes the fields. Whoever sends a request may be wrong in any way: every line
// has a reply, and a bad one changes nothing for the others.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/sandbox.h"

namespace paddock::cli {

// Runs the script of one request in a fresh sandbox made from `spec`. `limits` hold unless the request says
// otherwise. The reply is one line of JSON without its newline.
std::string AnswerRequest(sandbox::Driver& driver, std::string_view line, const Limits& limits,
                          const sandbox::SandboxSpec& spec);

}  // namespace paddock::cli
