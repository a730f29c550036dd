#include "cli/equipment_options.h"

#include <cstdlib>

#include "tools/capability/harness.h"
#include "tools/schema/parse_json.h"

namespace paddock::cli {
namespace {

Result<tools::Attachment> ParseCapability(const std::string& item) {
  const size_t equals = item.find('=');
  tools::Attachment attachment{.ref = item.substr(0, equals), .config = {}};
  if (equals == std::string::npos) return attachment;
  auto config = tools::ParseJson(std::string_view(item).substr(equals + 1));
  if (!config) return Error(Code::kInvalid, "capability " + attachment.ref + ": " + config.error().message);
  if (!config->is_object()) {
    return Error(Code::kInvalid, "capability " + attachment.ref + ": the configuration must be an object: {…}");
  }
  attachment.config = std::move(config->as_object());
  return attachment;
}

}  // namespace

Result<tools::Equipment> Equip(const tools::Catalog& catalog, const EquipmentOptions& options, std::set<std::string> isolations) {
  tools::Deployment deployment{.isolations = std::move(isolations), .features = {}};
  const auto look_up = [](const char* name) -> const char* { return std::getenv(name); };   // allow(getenv): documented switches
  PADDOCK_ASSIGN(deployment.features, tools::FeaturesOf(look_up));
  tools::Level level{.name = "command line", .capabilities = {}, .prompt = {}};
  for (const std::string& item : options.capabilities) {
    PADDOCK_ASSIGN(tools::Attachment attachment, ParseCapability(item));
    level.capabilities.push_back(std::move(attachment));
  }
  if (options.capabilities.empty() && options.harness.empty()) level.capabilities = {{"bashkit_shell", {}}, {"sandbox", {}}};
  std::vector<tools::Level> levels = {level};
  if (!options.harness.empty()) {
    const tools::AgentDocument agent{
        .id = "command-line", .name = {}, .description = {}, .harness = options.harness, .prompt = {}, .capabilities = {}};
    PADDOCK_ASSIGN(levels, tools::HarnessSet().LevelsOf(agent, level));
  }
  return tools::Resolve(catalog, deployment, levels);
}

}  // namespace paddock::cli
