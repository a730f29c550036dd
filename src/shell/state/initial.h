// The variables that a shell starts with, and the special ones that are computed when read.
#pragma once

#include <memory>

#include "proc/command.h"

namespace paddock::shell {

class InitialVariables;
class Shell;

// Those that no process and no environment decides, for Variables::set_initial().
std::shared_ptr<const InitialVariables> MakeInitialVariables();
// Imports `environment` (also exported functions, BASH_FUNC_name%%) and sets what bash sets at start.
void SetInitialVariables(Shell& shell, const Environment& environment);
// The exported functions of `shell` as BASH_FUNC_name%% variables.
void AddExportedFunctions(Shell& shell, Environment& environment);

}  // namespace paddock::shell
