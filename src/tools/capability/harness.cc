#include "tools/capability/harness.h"

#include <algorithm>

#include "text/utf8.h"

namespace paddock::tools {
namespace {

constexpr size_t kMaxPrompt = 1 << 20;
constexpr size_t kMaxParents = 32;
constexpr Rules kIdRules{.pattern = {"^[a-z0-9][a-z0-9_-]{0,63}$", "must be 1 to 64 lower-case letters, digits, '-' and '_'"}};
constexpr Rules kNameRules{.max_length = 200};
constexpr Rules kDescriptionRules{.max_length = 4096};
constexpr Rules kPromptRules{.max_length = kMaxPrompt};

struct Harness {
  std::string id, name, description, parent, prompt;
  AttachmentList capabilities;
};
constexpr Field kHarness[] = {
    Required<&Harness::id>("id", "What agents and harnesses name it by.", kIdRules),
    Optional<&Harness::name>("name", "For people.", kNameRules),
    Optional<&Harness::description>("description", "For people.", kDescriptionRules),
    Optional<&Harness::parent>("parent", "The harness that it adds to.", {.max_length = 64}),
    Optional<&Harness::prompt>("prompt", "Behind the capabilities' own.", kPromptRules),
    Optional<&Harness::capabilities>("capabilities", kAttachmentsWords),
};
std::span<const Field> FieldsOf(const Harness*) { return kHarness; }

struct Agent {
  std::string id, name, description, harness, prompt;
  AttachmentList capabilities;
};
constexpr Field kAgent[] = {
    Required<&Agent::id>("id", "What sessions name it by.", kIdRules),
    Optional<&Agent::name>("name", "For people.", kNameRules),
    Optional<&Agent::description>("description", "For people.", kDescriptionRules),
    Optional<&Agent::harness>("harness", "The harness that it adds to.", {.max_length = 64}),
    Optional<&Agent::prompt>("prompt", "Behind the capabilities' and the harness's own.", kPromptRules),
    Optional<&Agent::capabilities>("capabilities", kAttachmentsWords),
};
std::span<const Field> FieldsOf(const Agent*) { return kAgent; }

}  // namespace

Result<HarnessDocument> ParseHarness(const json::value& document) {
  PADDOCK_ASSIGN(Harness read, ReadAs<Harness>(document));
  return HarnessDocument{std::move(read.id), std::move(read.name), std::move(read.description), std::move(read.parent), std::move(read.prompt), std::move(read.capabilities.list)};
}

Result<AgentDocument> ParseAgent(const json::value& document) {
  PADDOCK_ASSIGN(Agent read, ReadAs<Agent>(document));
  return AgentDocument{std::move(read.id), std::move(read.name), std::move(read.description), std::move(read.harness), std::move(read.prompt), std::move(read.capabilities.list)};
}

json::object WriteHarness(const HarnessDocument& harness) {
  const Harness written{harness.id, harness.name, harness.description, harness.parent, harness.prompt, {harness.capabilities}};
  return WriteObject(kHarness, &written);
}

json::object WriteAgent(const AgentDocument& agent) {
  const Agent written{agent.id, agent.name, agent.description, agent.harness, agent.prompt, {agent.capabilities}};
  return WriteObject(kAgent, &written);
}

HarnessSet::HarnessSet() {
  Set({.id = "generic", .name = "Generic", .description = "Session storage.", .parent = {}, .prompt = {}, .capabilities = {{"session_storage", {}}}});
  Set({.id = "coding-container", .name = "Coding (Container)", .description = "Session storage and containers.", .parent = "generic", .prompt = {}, .capabilities = {{"container_sandbox", {}}}});
}

void HarnessSet::Set(HarnessDocument harness) {
  std::string id = harness.id;
  harnesses_.insert_or_assign(std::move(id), std::move(harness));
}

const HarnessDocument* HarnessSet::Find(std::string_view id) const {
  const auto found = harnesses_.find(id);
  return found == harnesses_.end() ? nullptr : &found->second;
}

std::vector<const HarnessDocument*> HarnessSet::All() const {
  std::vector<const HarnessDocument*> all;
  for (const auto& [id, harness] : harnesses_) all.push_back(&harness);
  return all;
}

Result<std::vector<Level>> HarnessSet::LevelsOf(const AgentDocument& agent, Level session) const {
  std::vector<Level> levels = {std::move(session), {"agent " + agent.id, agent.capabilities, agent.prompt}};
  std::string named_by = "agent " + agent.id;
  for (std::string id = agent.harness; !id.empty();) {
    const HarnessDocument* const harness = Find(id);
    if (harness == nullptr) return Error(Code::kNoEntry, named_by + ": there is no harness '" + HarmlessLine(id) + "'");
    const std::string name = "harness " + id;
    if (levels.size() > kMaxParents || std::any_of(levels.begin(), levels.end(), [&](const Level& level) { return level.name == name; })) {
      return Error(Code::kInvalid, name + ": its parents lead in a circle or are more than " + std::to_string(kMaxParents));
    }
    levels.push_back({name, harness->capabilities, harness->prompt});
    named_by = name;
    id = harness->parent;
  }
  std::reverse(levels.begin(), levels.end());
  return levels;
}

}  // namespace paddock::tools
