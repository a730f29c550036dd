// paddock tools: the tools that capabilities offer a model, in the form that its maker's API takes, and the system prompt.

#include <algorithm>
#include <cstdio>

#include "base/options.h"
#include "cli/cli.h"
#include "cli/equipment_options.h"
#include "cli/present.h"
#include "tools/adapt/anthropic.h"
#include "tools/adapt/formats.h"
#include "tools/adapt/openai.h"
#include "tools/capability/capability.h"

namespace paddock::cli {
namespace {

namespace json = boost::json;

struct ToolsOptions {
  std::string format;
  std::vector<std::string> capabilities;
  std::string harness;
  bool native = false;
  bool json = false;
};

constexpr Option kOptions[] = {
    Value<&ToolsOptions::format>('f', "format", "FORMAT", "anthropic, openai or mcp: print their definitions"),
    Value<&ToolsOptions::capabilities>('c', "capability", "ID[=JSON]", "attach a capability, with its configuration; repeat it"),
    Value<&ToolsOptions::harness>('H', "harness", "ID", "start from a built-in harness: generic, coding-container"),
    Flag<&ToolsOptions::native>('n', "native", "with anthropic or openai: list their own tools instead, which Paddock answers too"),
    Flag<&ToolsOptions::json>('j', "json", "print JSON, on one line"),
};

constexpr const char* kHelp =
    "Usage: paddock tools [OPTION]...\n"
    "Prints the tools that an agent with the given capabilities has, and its system prompt.\n"
    "Without --capability these are 'bashkit_shell' and 'sandbox'. Without --format it prints\n"
    "a table for people. docs/tools.md describes capabilities and tools.\n\n";

constexpr const char* kHelpEnd = "\nExit status: 0, or 2 for a usage error or a capability that is not available here.\n";

json::object Document(const ToolsOptions& options, const tools::Equipment& equipment) {
  json::array list;
  if (options.format == "anthropic") {
    if (options.native) list = tools::AnthropicNativeTools();
    else for (const tools::Tool* tool : equipment.tools) list.push_back(tools::AnthropicDefinition(*tool));
    return {{"tools", std::move(list)}, {"system", equipment.system_prompt}};
  }
  if (options.format == "openai") {
    if (options.native) list = tools::OpenAiNativeTools();
    else for (const tools::Tool* tool : equipment.tools) list.push_back(tools::OpenAiDefinition(*tool));
    return {{"tools", std::move(list)}, {"instructions", equipment.system_prompt}};
  }
  if (options.format == "mcp") {
    for (const tools::Tool* tool : equipment.tools) list.push_back(tools::McpDefinition(*tool, equipment.rules));
    return {{"tools", std::move(list)}, {"instructions", equipment.system_prompt}};
  }
  json::array capabilities;
  for (const tools::ActiveCapability& active : equipment.capabilities) {
    json::array names;
    for (const tools::Tool* tool : active.capability->tools) names.push_back(tool->name);
    capabilities.push_back({{"id", active.capability->id},
                            {"name", active.capability->name},
                            {"risk_level", NamesOf(active.capability->risk)[static_cast<size_t>(active.capability->risk)]},
                            {"attached_by", active.attached_by},
                            {"config", active.config},
                            {"config_schema", active.capability->config_schema()},
                            {"tools", std::move(names)}});
  }
  for (const tools::Tool* tool : equipment.tools) list.push_back(tools::NeutralDefinition(*tool, equipment.rules));
  json::array features;
  for (const std::string& feature : equipment.features) features.push_back(json::string(feature));
  return {{"capabilities", std::move(capabilities)}, {"tools", std::move(list)}, {"features", std::move(features)}, {"system_prompt", equipment.system_prompt}};
}

std::string HintWords(const tools::Hints& hints) {
  std::string words;
  const auto add = [&](bool is_so, const char* word) {
    if (is_so) words += (words.empty() ? "" : ", ") + std::string(word);
  };
  add(hints.is_readonly, "read-only");
  add(hints.is_destructive, "destructive");
  add(hints.is_idempotent, "idempotent");
  add(hints.is_open_world, "open world");
  add(hints.is_long_running, "long");
  return words;
}

std::string Table(const tools::Equipment& equipment) {
  std::string text;
  for (const tools::ActiveCapability& active : equipment.capabilities) {
    text += active.capability->id + " (" + active.capability->name + ", risk " + NamesOf(active.capability->risk)[static_cast<size_t>(active.capability->risk)] + ", " + active.attached_by + ")\n";
    for (const tools::Tool* tool : active.capability->tools) {
      char line[256];
      std::snprintf(line, sizeof line, "  %-23s %-34s %s", tool->name, tool->title, HintWords(EffectiveHints(*tool, equipment.rules)).c_str());
      std::string shown = line;
      shown.resize(shown.find_last_not_of(' ') + 1);
      text += shown + "\n";
    }
  }
  return text + "\nSystem prompt:\n\n" + equipment.system_prompt + "\n";
}

}  // namespace

int RunTools(const sandbox::DriverSet& drivers, std::span<const std::string> args) {
  std::vector<std::string> own = {"tools"};
  own.insert(own.end(), args.begin(), args.end());
  ToolsOptions options;
  const auto parsed = ParseOptions(own, kOptions, &options);
  if (!parsed) return Fail("tools", std::string(parsed.error().Text()) + "; 'paddock tools --help' lists the options");
  if (parsed->wants_help) {
    std::fputs((std::string(kHelp) + OptionHelp(kOptions) + kHelpEnd).c_str(), stdout);
    return 0;
  }
  if (!parsed->operands.empty()) return Fail("tools", "takes no operand; capabilities are attached with --capability");
  if (!options.format.empty() && options.format != "anthropic" && options.format != "openai" && options.format != "mcp") {
    return Fail("tools", "unknown format '" + options.format + "'; the formats are anthropic, openai, mcp");
  }
  if (options.native && options.format != "anthropic" && options.format != "openai") return Fail("tools", "--native needs --format anthropic or openai");
  const tools::Catalog catalog = tools::BuiltInCapabilities();
  std::set<std::string> isolations;
  for (const auto& driver : drivers.drivers()) isolations.insert(driver->name());
  const auto equipment = Equip(catalog, {.capabilities = options.capabilities, .harness = options.harness}, std::move(isolations));
  if (!equipment) return Fail("tools", equipment.error().Text());
  if (options.format.empty() && !options.json) {
    std::fputs(Table(*equipment).c_str(), stdout);
    return 0;
  }
  const json::object document = Document(options, *equipment);
  std::fputs((options.json ? json::serialize(document) + "\n" : Indented(document)).c_str(), stdout);
  return 0;
}

}  // namespace paddock::cli
