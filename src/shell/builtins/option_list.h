// Setting and listing the options of set -o and shopt.
#pragma once

#include "shell/builtins/builtin.h"

namespace paddock::shell {

// Turns an option on or off with what goes with it (posix, vi and emacs exclude each other …).
void PutSetOption(Shell& shell, SetOption option, bool on);
// The same for an option of shopt (extdebug, the compatibility levels).
void PutShoptOption(Shell& shell, ShoptOption option, bool on);
// `set -o` (names and on/off) or `set +o` (commands).
void ListSetOptions(Shell& shell, bool as_commands);

}  // namespace paddock::shell
