// Whole files for the commands that merge: diff3 and sdiff.
#pragma once

#include <string>
#include <string_view>

#include "proc/command.h"

namespace paddock {

// The content of `name` ("-" is standard input).
Result<std::string> ReadMergeInput(Invocation& in, const std::string& name);
// True when diff would call it binary.
bool IsBinaryText(std::string_view text);
// Without the carriage returns before newlines.
std::string WithoutCarriageReturns(std::string_view text);

}  // namespace paddock
