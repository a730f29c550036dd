// Harnesses and agents: what sessions start from.
#include "api/rest/groups.h"
#include "api/session/session_service.h"

namespace paddock::api {
namespace {

Result<SessionService*> ServiceOf(const Call& call) {
  if (call.services.sessions != nullptr) return call.services.sessions;
  return Error(Code::kNotSupported, "there are no sessions here");
}

// ---- agents

struct AgentBody {
  std::string name, description, harness, prompt;
  tools::AttachmentList capabilities;
};
constexpr Field kAgentBody[] = {
    Optional<&AgentBody::name>("name", "For people.", {.max_length = 200}),
    Optional<&AgentBody::description>("description", "For people.", {.max_length = 4096}),
    Optional<&AgentBody::harness>("harness", "The harness that it adds to.", {.max_length = 64}),
    Optional<&AgentBody::prompt>("prompt", "Behind the capabilities' and the harness's own.", {.max_length = 1 << 18}),
    Optional<&AgentBody::capabilities>("capabilities", tools::kAttachmentsWords),
};
std::span<const Field> FieldsOf(const AgentBody*) { return kAgentBody; }

struct AgentShape {
  std::string id, name, description, harness, prompt;
  tools::AttachmentList capabilities;
  bool is_own = false;
};
constexpr Field kAgentShape[] = {
    Shown<&AgentShape::id>("id", "What sessions name it by."),
    Shown<&AgentShape::name>("name", "For people."),
    Shown<&AgentShape::description>("description", "For people."),
    Shown<&AgentShape::harness>("harness", "The harness that it adds to; empty: none."),
    Shown<&AgentShape::prompt>("prompt", "Its own."),
    Shown<&AgentShape::capabilities>("capabilities", "Its own."),
    Shown<&AgentShape::is_own>("is_own", "Whether it is yours; else everybody has it, and only the daemon's configuration changes it."),
};
std::span<const Field> FieldsOf(const AgentShape*) { return kAgentShape; }

AgentShape ShapeOf(const Definitions::Agent& known) {
  const tools::AgentDocument& agent = known.document;
  return {.id = agent.id, .name = agent.name, .description = agent.description, .harness = agent.harness, .prompt = agent.prompt, .capabilities = {agent.capabilities}, .is_own = known.is_own};
}

struct AgentList {
  std::vector<AgentShape> agents;
};
constexpr Field kAgentList[] = {
    Shown<&AgentList::agents>("agents", "By id."),
};
std::span<const Field> FieldsOf(const AgentList*) { return kAgentList; }

Result<AgentList> ListAgents(Call& call, const Nothing&, Nothing&) {
  PADDOCK_ASSIGN(SessionService* const service, ServiceOf(call));
  PADDOCK_ASSIGN(const std::vector<Definitions::Agent> all, service->definitions().Agents(call.caller.owner));
  AgentList list;
  for (const Definitions::Agent& one : all) list.agents.push_back(ShapeOf(one));
  return list;
}

Result<AgentShape> GetAgent(Call& call, const Nothing&, Nothing&) {
  PADDOCK_ASSIGN(SessionService* const service, ServiceOf(call));
  PADDOCK_ASSIGN(const Definitions::Agent agent, service->definitions().FindAgent(call.caller.owner, call["agent"]));
  return ShapeOf(agent);
}

Result<AgentShape> PutAgent(Call& call, const Nothing&, AgentBody& body) {
  PADDOCK_ASSIGN(SessionService* const service, ServiceOf(call));
  const tools::AgentDocument given{.id = call["agent"], .name = std::move(body.name), .description = std::move(body.description), .harness = std::move(body.harness), .prompt = std::move(body.prompt), .capabilities = std::move(body.capabilities.list)};
  PADDOCK_ASSIGN(tools::AgentDocument agent, tools::ParseAgent(tools::WriteAgent(given)));   // checks the id, too
  PADDOCK_TRY(service->Put(call.caller, agent));
  return ShapeOf({std::move(agent), true});
}

Result<Nothing> DeleteAgent(Call& call, const Nothing&, Nothing&) {
  PADDOCK_ASSIGN(SessionService* const service, ServiceOf(call));
  PADDOCK_TRY(service->definitions().DeleteAgent(call.caller.owner, call["agent"]));
  return Nothing{};
}

// ---- harnesses

struct HarnessBody {
  std::string name, description, parent, prompt;
  tools::AttachmentList capabilities;
};
constexpr Field kHarnessBody[] = {
    Optional<&HarnessBody::name>("name", "For people.", {.max_length = 200}),
    Optional<&HarnessBody::description>("description", "For people.", {.max_length = 4096}),
    Optional<&HarnessBody::parent>("parent", "The harness that it adds to.", {.max_length = 64}),
    Optional<&HarnessBody::prompt>("prompt", "Behind the capabilities' own.", {.max_length = 1 << 18}),
    Optional<&HarnessBody::capabilities>("capabilities", tools::kAttachmentsWords),
};
std::span<const Field> FieldsOf(const HarnessBody*) { return kHarnessBody; }

struct HarnessShape {
  std::string id, name, description, parent, prompt;
  tools::AttachmentList capabilities;
  bool is_own = false;
};
constexpr Field kHarnessShape[] = {
    Shown<&HarnessShape::id>("id", "What agents and harnesses name it by."),
    Shown<&HarnessShape::name>("name", "For people."),
    Shown<&HarnessShape::description>("description", "For people."),
    Shown<&HarnessShape::parent>("parent", "The harness that it adds to; empty: none."),
    Shown<&HarnessShape::prompt>("prompt", "Its own."),
    Shown<&HarnessShape::capabilities>("capabilities", "Its own."),
    Shown<&HarnessShape::is_own>("is_own", "Whether it is yours; else everybody has it: built in, or of the daemon's configuration."),
};
std::span<const Field> FieldsOf(const HarnessShape*) { return kHarnessShape; }

HarnessShape ShapeOf(const Definitions::Harness& known) {
  const tools::HarnessDocument& harness = known.document;
  return {.id = harness.id, .name = harness.name, .description = harness.description, .parent = harness.parent, .prompt = harness.prompt, .capabilities = {harness.capabilities}, .is_own = known.is_own};
}

struct HarnessList {
  std::vector<HarnessShape> harnesses;
};
constexpr Field kHarnessList[] = {
    Shown<&HarnessList::harnesses>("harnesses", "By id."),
};
std::span<const Field> FieldsOf(const HarnessList*) { return kHarnessList; }

Result<HarnessList> ListHarnesses(Call& call, const Nothing&, Nothing&) {
  PADDOCK_ASSIGN(SessionService* const service, ServiceOf(call));
  PADDOCK_ASSIGN(const std::vector<Definitions::Harness> all, service->definitions().Harnesses(call.caller.owner));
  HarnessList list;
  for (const Definitions::Harness& one : all) list.harnesses.push_back(ShapeOf(one));
  return list;
}

Result<HarnessShape> GetHarness(Call& call, const Nothing&, Nothing&) {
  PADDOCK_ASSIGN(SessionService* const service, ServiceOf(call));
  PADDOCK_ASSIGN(const Definitions::Harness harness, service->definitions().FindHarness(call.caller.owner, call["harness"]));
  return ShapeOf(harness);
}

Result<HarnessShape> PutHarness(Call& call, const Nothing&, HarnessBody& body) {
  PADDOCK_ASSIGN(SessionService* const service, ServiceOf(call));
  const tools::HarnessDocument given{.id = call["harness"], .name = std::move(body.name), .description = std::move(body.description), .parent = std::move(body.parent), .prompt = std::move(body.prompt), .capabilities = std::move(body.capabilities.list)};
  PADDOCK_ASSIGN(tools::HarnessDocument harness, tools::ParseHarness(tools::WriteHarness(given)));   // checks the id, too
  PADDOCK_TRY(service->Put(call.caller, harness));
  return ShapeOf({std::move(harness), true});
}

Result<Nothing> DeleteHarness(Call& call, const Nothing&, Nothing&) {
  PADDOCK_ASSIGN(SessionService* const service, ServiceOf(call));
  PADDOCK_TRY(service->definitions().DeleteHarness(call.caller.owner, call["harness"]));
  return Nothing{};
}

}  // namespace

std::vector<Operation> DefinitionOperations() {
  return {
      Define<Nothing, Nothing, AgentList, ListAgents>("GET", "/v1/agents", "listAgents", "Lists agents: yours, and those of the configuration.", Access::kRead),
      Define<Nothing, Nothing, AgentShape, GetAgent>("GET", "/v1/agents/{agent}", "getAgent", "Shows an agent.", Access::kRead),
      Define<Nothing, AgentBody, AgentShape, PutAgent>("PUT", "/v1/agents/{agent}", "putAgent", "Adds an agent of yours, or replaces it; sessions follow.", Access::kUse),
      Define<Nothing, Nothing, Nothing, DeleteAgent>("DELETE", "/v1/agents/{agent}", "deleteAgent", "Deletes an agent of yours.", Access::kUse),
      Define<Nothing, Nothing, HarnessList, ListHarnesses>("GET", "/v1/harnesses", "listHarnesses", "Lists harnesses: yours, those of the configuration, and built-in ones.", Access::kRead),
      Define<Nothing, Nothing, HarnessShape, GetHarness>("GET", "/v1/harnesses/{harness}", "getHarness", "Shows a harness.", Access::kRead),
      Define<Nothing, HarnessBody, HarnessShape, PutHarness>("PUT", "/v1/harnesses/{harness}", "putHarness", "Adds a harness of yours, or replaces it; agents and sessions follow.", Access::kUse),
      Define<Nothing, Nothing, Nothing, DeleteHarness>("DELETE", "/v1/harnesses/{harness}", "deleteHarness", "Deletes a harness of yours.", Access::kUse),
  };
}

}  // namespace paddock::api
