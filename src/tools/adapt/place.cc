#include "tools/adapt/place.h"

#include "text/nearest.h"
#include "text/utf8.h"
#include "tools/offer/sandbox_choice.h"

namespace paddock::tools {

Result<std::shared_ptr<SandboxAccess>> WorkingPlace(CallContext& context, const Equipment& equipment) {
  if (equipment.FindTool("sandbox_create") != nullptr) return ChooseOrCreateSandbox(context);
  if (equipment.FindTool("bash") != nullptr) return context.session.Create({.is_of_a_tool = true});
  return Error(Code::kUnavailable, "no capability that runs commands is attached; attach bashkit_shell or sandbox");
}

ToolResult CallTool(CallContext& context, const Equipment& equipment, std::string_view name, const json::value& arguments) {
  if (const Tool* const tool = equipment.FindTool(name)) return tool->call(context, arguments);
  std::vector<std::string_view> names;
  for (const Tool* const tool : equipment.tools) names.emplace_back(tool->name);
  std::string text = "there is no tool '" + HarmlessLine(name.substr(0, 60)) + "'";
  if (const std::string_view nearest = NearestWord(name, names); !nearest.empty()) text += "; did you mean '" + std::string(nearest) + "'?";
  return Fail(Error(Code::kNoEntry, text), context);
}

}  // namespace paddock::tools
