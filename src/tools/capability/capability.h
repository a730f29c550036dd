// Capabilities: named bundles that widen what an agent can do: tools, words for the system prompt, files, configuration. They are
// attached to a harness, an agent or a session; the nearer level overrides.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tools/tool.h"

namespace paddock::tools {

inline constexpr size_t kMaxCapabilities = 100;   // after dependencies

enum class CapabilityStatus { kAvailable, kComingSoon, kDeprecated };
enum class RiskLevel { kLow, kMedium, kHigh };   // high: it runs code; told to whoever attaches it
std::span<const char* const> NamesOf(CapabilityStatus);
std::span<const char* const> NamesOf(RiskLevel);

// What the deployment has, on which it depends which capabilities there are.
struct Deployment {
  std::set<std::string> isolations;   // of the drivers
  std::set<std::string> features;     // flags that are on, such as "container_sandbox"
};

// Reads a flag's value: true, 1, and the grades dev, preview, adoption and prod mean on; false, 0 and nothing mean off. Errors: kInvalid.
Result<bool> ParseFlag(std::string_view name, std::string_view value);
// The features that environment variables switch on, looked up with `get` (null when unset): FEATURE_CONTAINER_SANDBOX, else
// FEATURE_DOCKER_CAPABILITY, its old name.
Result<std::set<std::string>> FeaturesOf(const std::function<const char*(const char* name)>& get);

// A file that an active capability puts into session storage, unless there is one.
struct Mount {
  std::string path;
  std::string content;
};

struct Capability {
  std::string id;                           // snake_case
  std::vector<std::string> aliases;         // old ids
  std::string name, description, icon, category;
  CapabilityStatus status = CapabilityStatus::kAvailable;
  RiskLevel risk = RiskLevel::kLow;
  std::vector<std::string> dependencies;    // ids
  std::vector<std::string> features;        // "file_system", "key_value", "leased_resources" …
  std::vector<const Tool*> tools;
  bool makes_sandboxes = false;             // of such only one can be active: the tools follow its configuration
  std::vector<Mount> mounts;
  // The configuration's schema; a configuration with its defaults, checked (errors name the key).
  json::object (*config_schema)() = nullptr;
  Result<json::object> (*check_config)(const json::object& config) = nullptr;
  // The capability's part of the prompt for a checked configuration; empty for none.
  std::string (*prompt)(const json::object& config) = nullptr;
  // Why this deployment does not have it, with the remedy; success when it does.
  Status (*availability)(const Deployment& deployment, const json::object& config) = nullptr;
  // What its tools do with the configuration; null: nothing.
  void (*apply)(const json::object& config, SandboxDefaults& defaults, EffectiveRules& rules) = nullptr;
};

// The capabilities of a program.
class Catalog {
 public:
  // Errors: kExists for an id or alias that is taken, kInvalid for a malformed id.
  Status Add(Capability capability);
  // By id or alias; null if there is none.
  const Capability* Find(std::string_view id) const;
  const std::vector<std::unique_ptr<Capability>>& all() const { return all_; }   // in order of addition

 private:
  std::vector<std::unique_ptr<Capability>> all_;
};

// bashkit_shell, container_sandbox, session_storage and sandbox.
Catalog BuiltInCapabilities();

// One entry of a list of capabilities: {"ref": ID, "config": {…}}, or the id alone.
struct Attachment {
  std::string ref;
  json::object config;
};
Result<std::vector<Attachment>> ParseAttachments(const json::value& list, const std::string& where);
json::array WriteAttachments(const std::vector<Attachment>& attachments);

// A harness, agent or session as far as capabilities go.
struct Level {
  std::string name;      // for errors: "harness coding", "agent a1", "session"
  std::vector<Attachment> capabilities;
  std::string prompt;    // its base prompt; may be empty
};

struct ActiveCapability {
  const Capability* capability = nullptr;
  json::object config;       // complete
  std::string attached_by;   // a level's name, or "dependency of ID"
};

// What an agent has in a session.
struct Equipment {
  std::vector<ActiveCapability> capabilities;   // dependencies first
  std::vector<const Tool*> tools;               // by capability, each once
  std::vector<std::string> features;            // each once
  std::vector<Mount> mounts;
  RiskLevel risk = RiskLevel::kLow;             // the highest
  SandboxDefaults defaults;
  EffectiveRules rules;
  std::string system_prompt;                    // the capabilities' blocks, then the levels' prompts

  const Tool* FindTool(std::string_view name) const;
};

// Merges levels, farthest first: by capability; the keys of a nearer configuration replace those of a farther one, null takes one
// away; a capability keeps the place of its first attachment. Errors, all with the level: kInvalid for an unknown capability that
// was attached by name (one in a chain of dependencies is passed over), a bad configuration, a cycle, too many, or two
// capabilities with different tools of one name; kUnavailable for one that this deployment does not have. The catalogue outlives the result.
Result<Equipment> Resolve(const Catalog& catalog, const Deployment& deployment, const std::vector<Level>& levels);
Result<Equipment> Resolve(Catalog&& catalog, const Deployment& deployment, const std::vector<Level>& levels) = delete;

}  // namespace paddock::tools
