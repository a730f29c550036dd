// declare, typeset, local, export and readonly: one implementation of what they share.
#pragma once

#include <string>

#include "shell/builtins/builtin.h"

namespace paddock::shell {

enum class DeclareKind { kDeclare, kLocal, kExport, kReadonly };

int RunDeclare(Shell& shell, const BuiltinCall& call, const Builtin& builtin, DeclareKind kind);
// "name=value" as `set` and `declare` without options list it.
std::string AssignmentText(const Shell& shell, const std::string& name, const Variable& variable);

}  // namespace paddock::shell
