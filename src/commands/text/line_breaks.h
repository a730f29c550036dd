// dos2unix and unix2dos: line breaks of one system for those of the other.
#pragma once

#include "proc/command.h"

namespace paddock {

ExitStatus ConvertLineBreaks(Invocation& in, bool to_unix);

}  // namespace paddock
