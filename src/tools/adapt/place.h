// Where the tools of other makers work: they know neither sandbox_create nor ids.
#pragma once

#include <memory>

#include "tools/capability/capability.h"

namespace paddock::tools {

// The session's one sandbox, made if there is none, where the equipment has sandboxes; else the session's own shell.
Result<std::shared_ptr<SandboxAccess>> WorkingPlace(CallContext& context, const Equipment& equipment);

// Runs a tool of the equipment by name. Errors are in the result: an unknown name with the nearest.
ToolResult CallTool(CallContext& context, const Equipment& equipment, std::string_view name, const json::value& arguments);

}  // namespace paddock::tools
