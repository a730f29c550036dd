#include "tools/adapt/formats.h"

namespace paddock::tools {

json::object AnthropicDefinition(const Tool& tool) {
  return {{"name", tool.name}, {"description", tool.description}, {"input_schema", tool.input_schema()}};
}

json::object OpenAiDefinition(const Tool& tool) {
  // Strict mode has no arguments that may be left out and no maps.
  return {{"type", "function"}, {"name", tool.name}, {"description", tool.description}, {"parameters", tool.input_schema()}, {"strict", false}};
}

json::object McpDefinition(const Tool& tool, const EffectiveRules& rules) {
  const Hints hints = EffectiveHints(tool, rules);
  return {{"name", tool.name},
          {"title", tool.title},
          {"description", tool.description},
          {"inputSchema", tool.input_schema()},
          {"outputSchema", tool.output_schema()},
          {"annotations",
           {{"title", tool.title},
            {"readOnlyHint", hints.is_readonly},
            {"destructiveHint", hints.is_destructive},
            {"idempotentHint", hints.is_idempotent},
            {"openWorldHint", hints.is_open_world}}}};
}

json::object NeutralDefinition(const Tool& tool, const EffectiveRules& rules) {
  const Hints hints = EffectiveHints(tool, rules);
  return {{"name", tool.name},
          {"title", tool.title},
          {"description", tool.description},
          {"hints",
           {{"readonly", hints.is_readonly},
            {"destructive", hints.is_destructive},
            {"idempotent", hints.is_idempotent},
            {"open_world", hints.is_open_world},
            {"long_running", hints.is_long_running},
            {"persist_output", hints.keeps_output}}},
          {"input_schema", tool.input_schema()},
          {"output_schema", tool.output_schema()}};
}

}  // namespace paddock::tools
