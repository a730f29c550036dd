// An equipment's tools as the makers of models and MCP list them.
#pragma once

#include "tools/capability/capability.h"

namespace paddock::tools {

// {"name", "description", "input_schema"}.
json::object AnthropicDefinition(const Tool& tool);
// {"type": "function", "name", "description", "parameters", "strict": false}: of the Responses API.
json::object OpenAiDefinition(const Tool& tool);
// {"name", "title", "description", "inputSchema", "outputSchema", "annotations"}; the annotations follow the effective rules.
json::object McpDefinition(const Tool& tool, const EffectiveRules& rules);
// Everything: names, words, hints and schemas.
json::object NeutralDefinition(const Tool& tool, const EffectiveRules& rules);

}  // namespace paddock::tools
