// Anthropic's own tools on a session: `bash_20250124` and `text_editor_20250728` (older editors without undo_edit), and tool_use
// blocks of any tool.
#pragma once

#include "tools/capability/capability.h"

namespace paddock::tools {

// {command} or {restart: true}. One shell lasts. The text is stdout and stderr in the order in which they were written.
ToolResult RunAnthropicBash(CallContext& context, const Equipment& equipment, const json::value& input);

// view, create, str_replace, insert; the text is what their reference implementation answers.
ToolResult RunAnthropicEditor(CallContext& context, const Equipment& equipment, const json::value& input);

// {"type": "tool_use", "id", "name", "input"} → {"type": "tool_result", "tool_use_id", "content", "is_error"}. Names are those of the
// equipment's tools, and bash (with `command` or `restart`), str_replace_based_edit_tool, str_replace_editor.
json::object HandleAnthropicToolUse(CallContext& context, const Equipment& equipment, const json::value& block);

// [{"type": "bash_20250124", "name": "bash"}, …]: what a request lists so that the model uses them.
json::array AnthropicNativeTools();

}  // namespace paddock::tools
