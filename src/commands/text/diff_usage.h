// Usage errors in the wording of diff and cmp, whose second line bears the program's name too.
#pragma once

#include <string>
#include <string_view>

#include "proc/command.h"

namespace paddock {

// "NAME: MESSAGE\nNAME: Try 'NAME --help' for more information.\n"; status 2.
inline ExitStatus DiffutilsUsage(Invocation& in, std::string_view message) {
  in.Fail(message);
  return in.Fail("Try '" + std::string(in.name_in_messages()) + " --help' for more information.", 2);
}

}  // namespace paddock
