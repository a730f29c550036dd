// OpenAI's own tools on a session: `shell`, `local_shell` and `apply_patch` calls of the Responses API, and function calls of any tool.
#pragma once

#include "tools/capability/capability.h"

namespace paddock::tools {

// One item of a response → the item that answers it:
//   shell_call {call_id, action: {commands[], timeout_ms?, max_output_length?}}
//     → shell_call_output {call_id, output: [{stdout, stderr, outcome: {type: "exit", exit_code} | {type: "timeout"}}], max_output_length?}
//   local_shell_call {call_id, action: {type: "exec", command[], env?, timeout_ms?, user?, working_directory?}} → local_shell_call_output {call_id, output}
//   apply_patch_call {call_id, operation: {type: create_file|update_file|delete_file, path, diff, move_to?}} → apply_patch_call_output {call_id, status, output}
//   function_call {call_id, name, arguments} → function_call_output {call_id, output}; names are those of the equipment, and apply_patch
//     with {"input": PATCH} or {"patch": PATCH}
// An item that is none of these, or has no call_id, gives {"type": "error", "message"}.
json::object HandleOpenAiCall(CallContext& context, const Equipment& equipment, const json::value& item);

// Applies a whole patch: nothing is changed when any of it does not fit. The text says what was done.
ToolResult ApplyPatch(CallContext& context, const Equipment& equipment, std::string_view patch);

// [{"type": "shell"}, {"type": "apply_patch"}].
json::array OpenAiNativeTools();

}  // namespace paddock::tools
