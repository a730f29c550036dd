// The capabilities that every build has.

#include "base/check.h"
#include "tools/capability/capability.h"
#include "tools/capability/sandbox_config.h"
#include "tools/offer/offer.h"

namespace paddock::tools {
namespace {

struct NoConfig {};
std::span<const Field> FieldsOf(const NoConfig*) { return {}; }
Status CheckConfig(const NoConfig&) { return {}; }

template <class Config>
Result<json::object> Check(const json::object& config) {
  PADDOCK_ASSIGN(const Config read, ReadAs<Config>(json::value(config)));
  PADDOCK_TRY(CheckConfig(read));
  // Members without a value stay out, so that what is written reads back.
  json::object complete = Json<Config>::Write(read).as_object();
  for (auto member = complete.begin(); member != complete.end();) member = member->value().is_null() ? complete.erase(member) : std::next(member);
  return complete;
}

template <class Config>
void ApplyTo(const json::object& config, SandboxDefaults& defaults, EffectiveRules& rules) {
  const auto read = ReadAs<Config>(json::value(config));
  PADDOCK_CHECK(read.has_value());   // it was checked
  Apply(*read, defaults, rules);
}

const std::vector<const Tool*>& SandboxTools() {
  static const std::vector<const Tool*> tools = {&kSandboxCreate, &kSandboxExec, &kSandboxReadFile, &kSandboxWriteFile, &kSandboxUpload, &kSandboxDownload,
                                                 &kSandboxList, &kSandboxManage, &kSandboxProcessStart, &kSandboxProcessRead, &kSandboxProcessWrite, &kSandboxProcessSignal,
                                                 &kSandboxProcessWait, &kSandboxEditFile, &kSandboxListFiles, &kSandboxSearch, &kSandboxSnapshot, &kSandboxFork, &kSandboxDiff};
  return tools;
}

std::string WorkingDirectory(const json::object& config) {
  const json::value* const directory = config.if_contains("working_dir");
  if (directory != nullptr && directory->is_string()) return directory->get_string().c_str();
  const json::value* const isolation = config.if_contains("isolation");
  return isolation != nullptr && *isolation == "process" ? "the workspace whose path sandbox_create tells" : "/workspace";
}

// What no schema says.
std::string SandboxPrompt(const json::object& config) {
  return "Create a sandbox before the first command, use it for all of the work, and remove it when the work is done; its files go with it, so copy what is "
         "worth keeping into session storage first. Commands start in " + WorkingDirectory(config) + ". Prefer commands with little output.";
}

std::string StoragePrompt(const json::object&) {
  return "Session storage outlives sandboxes. Long output of commands is kept there below /outputs.";
}

std::string ShellPrompt(const json::object&) {
  return "The bash tool runs in a virtual computer without network; its /workspace is session storage, where /workspace/a is the session path /a. Programs that are "
         "not part of it cannot be installed.";
}

Status ContainerAvailability(const Deployment& deployment, const json::object&) {
  if (!deployment.features.contains("container_sandbox")) return Error(Code::kUnavailable, "it is switched off; set FEATURE_CONTAINER_SANDBOX=true in the environment of every process that serves it");
  if (!deployment.isolations.contains("container")) return Error(Code::kUnavailable, "there are no containers here; a daemon (paddock serve) has them");
  return {};
}

Status IsolationAvailability(const Deployment& deployment, const json::object& config) {
  const std::string isolation = config.at("isolation").as_string().c_str();
  if (deployment.isolations.contains(isolation)) return {};
  std::string known;
  for (const std::string& each : deployment.isolations) known += (known.empty() ? "" : ", ") + each;
  return Error(Code::kUnavailable, "there is no isolation '" + isolation + "' here; there are " + known);
}

}  // namespace

Catalog BuiltInCapabilities() {
  Catalog catalog;
  std::vector<Capability> all;
  all.push_back({.id = "session_storage",
                 .name = "Session Storage",
                 .description = "Files and keys that belong to the session.",
                 .icon = "folder",
                 .category = "Storage",
                 .features = {"file_system", "key_value"},
                 .tools = {&kReadFile, &kWriteFile, &kEditFile, &kListDirectory, &kGrepFiles, &kDeleteFile, &kStatFile, &kKvStore},
                 .config_schema = SchemaOf<NoConfig>,
                 .check_config = Check<NoConfig>,
                 .prompt = StoragePrompt});
  all.push_back({.id = "bashkit_shell",
                 .aliases = {"virtual_bash"},
                 .name = "Bash",
                 .description = "A virtual Bash with the usual Unix tools, whose state lasts for the session.",
                 .icon = "terminal",
                 .category = "Execution",
                 .risk = RiskLevel::kHigh,
                 .dependencies = {"session_storage"},
                 .features = {"file_system"},
                 .tools = {&kBash},
                 .config_schema = SchemaOf<NoConfig>,
                 .check_config = Check<NoConfig>,
                 .prompt = ShellPrompt});
  all.push_back({.id = "container_sandbox",
                 .name = "Container Sandbox",
                 .description = "Linux containers on an engine of your own, several per session.",
                 .icon = "container",
                 .category = "Execution",
                 .risk = RiskLevel::kHigh,
                 .dependencies = {"session_storage"},
                 .features = {"leased_resources"},
                 .tools = SandboxTools(),
                 .makes_sandboxes = true,
                 .config_schema = SchemaOf<ContainerConfig>,
                 .check_config = Check<ContainerConfig>,
                 .prompt = SandboxPrompt,
                 .availability = ContainerAvailability,
                 .apply = ApplyTo<ContainerConfig>});
  all.push_back({.id = "sandbox",
                 .name = "Sandbox",
                 .description = "Sandboxes behind the wall that its configuration names, several per session.",
                 .icon = "box",
                 .category = "Execution",
                 .risk = RiskLevel::kHigh,
                 .dependencies = {"session_storage"},
                 .features = {"leased_resources"},
                 .tools = SandboxTools(),
                 .makes_sandboxes = true,
                 .config_schema = SchemaOf<SandboxConfig>,
                 .check_config = Check<SandboxConfig>,
                 .prompt = SandboxPrompt,
                 .availability = IsolationAvailability,
                 .apply = ApplyTo<SandboxConfig>});
  for (Capability& capability : all) {
    const Status added = catalog.Add(std::move(capability));
    PADDOCK_CHECK(added.has_value());
  }
  return catalog;
}

}  // namespace paddock::tools
