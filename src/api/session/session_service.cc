#include "api/session/session_service.h"

#include "api/session/registry_session.h"
#include "base/id.h"
#include "tools/content/file_access.h"
#include "tools/schema/parse_json.h"

namespace paddock::api {

using tools::Field;
using tools::Optional;

// As it is stored.
constexpr Field kDefinition[] = {
    Optional<&SessionDefinition::agent>("agent", "The agent that it runs.", {.max_length = 64}),
    Optional<&SessionDefinition::harness>("harness", "The harness that it starts from, without an agent.", {.max_length = 64}),
    Optional<&SessionDefinition::prompt>("prompt", "Behind all other prompts.", {.max_length = 1 << 18}),
    Optional<&SessionDefinition::capabilities>("capabilities", tools::kAttachmentsWords),
};

namespace {

std::string DefinitionText(const SessionDefinition& definition) {
  boost::json::object object = tools::WriteObject(kDefinition, &definition);
  if (!definition.capabilities) object.erase("capabilities");
  return boost::json::serialize(object);
}

// Files that capabilities bring along, unless there are such.
Status PutMounts(tools::SessionAccess& session, const std::vector<tools::Mount>& mounts) {
  if (mounts.empty()) return {};
  {
    PADDOCK_ASSIGN(const tools::FileLease files, session.Files());
    for (const tools::Mount& mount : mounts) {
      if (files->Stat(mount.path)) continue;
      PADDOCK_TRY(tools::WriteRegularFile(*files, mount.path, mount.content, {}));
    }
  }
  return session.Settle();
}

}  // namespace

tools::CallContext OpenSession::Context(std::stop_token stop, sandbox::OutputHandler on_output) const {
  return {.session = *access, .call_id = NewId("call_"), .defaults = equipment->defaults, .stop = std::move(stop), .on_output = std::move(on_output)};
}

Result<std::unique_ptr<SessionService>> SessionService::Open(Settings settings, registry::Registry& registry, records::Records& records) {
  std::unique_ptr<SessionService> service(new SessionService(std::move(settings), registry));   // allow(raw-new): private constructor
  const Settings& kept = service->settings_;
  service->definitions_ = std::make_unique<Definitions>(kept.harnesses, kept.agents, records);
  const Definitions& definitions = *service->definitions_;
  for (const tools::HarnessDocument* harness : kept.harnesses.All()) {
    PADDOCK_TRY(service->CheckLevels(definitions.LevelsOf("", {.id = {}, .name = {}, .description = {}, .harness = harness->id, .prompt = {}, .capabilities = {}}, {})));
  }
  for (const tools::AgentDocument& agent : kept.agents) PADDOCK_TRY(service->CheckLevels(definitions.LevelsOf("", agent, {})));
  PADDOCK_ASSIGN(service->sessions_, registry::Sessions::Open(kept.sessions, registry, records));
  return service;
}

// What this deployment does not have may come with another one.
Status SessionService::CheckLevels(const Result<std::vector<tools::Level>>& levels) const {
  if (!levels) return levels.error();
  const auto equipment = tools::Resolve(catalog_, settings_.deployment, *levels);
  if (!equipment && equipment.error().code != Code::kUnavailable) return equipment.error();
  return {};
}

Status SessionService::Put(const registry::Caller& caller, const tools::HarnessDocument& harness) {
  PADDOCK_TRY(CheckLevels(definitions_->LevelsOf(caller.owner, {.id = {}, .name = {}, .description = {}, .harness = harness.id, .prompt = {}, .capabilities = {}}, {}, &harness)));
  return definitions_->Put(caller.owner, harness);
}

Status SessionService::Put(const registry::Caller& caller, const tools::AgentDocument& agent) {
  PADDOCK_TRY(CheckLevels(definitions_->LevelsOf(caller.owner, agent, {})));
  return definitions_->Put(caller.owner, agent);
}

Result<tools::Equipment> SessionService::Equip(const std::string& owner, const SessionDefinition& definition) const {
  tools::AgentDocument agent;
  if (!definition.agent.empty()) {
    if (!definition.harness.empty()) return Error(Code::kInvalid, "harness: an agent names its own; give either agent or harness");
    auto found = definitions_->FindAgent(owner, definition.agent);
    if (!found && found.error().code == Code::kNoEntry) return Error(Code::kInvalid, "agent: there is " + std::string(found.error().Text()));
    if (!found) return found.error();
    agent = std::move(found->document);
  } else if (!definition.harness.empty()) {
    const auto found = definitions_->FindHarness(owner, definition.harness);
    if (!found && found.error().code == Code::kNoEntry) return Error(Code::kInvalid, "harness: there is " + std::string(found.error().Text()));
    agent.harness = definition.harness;
  }
  tools::Level own{.name = "session", .capabilities = {}, .prompt = definition.prompt};
  if (definition.capabilities) own.capabilities = definition.capabilities->list;
  PADDOCK_ASSIGN(const std::vector<tools::Level> levels, definitions_->LevelsOf(owner, agent, std::move(own)));
  return tools::Resolve(catalog_, settings_.deployment, levels);
}

Result<OpenSession> SessionService::OpenFound(std::shared_ptr<registry::Session> session, SessionDefinition definition, tools::Equipment equipment) const {
  OpenSession open{.info = session->info(), .definition = std::move(definition), .session = session, .equipment = {}, .access = {}};
  open.access = std::make_shared<RegistrySession>(registry_, std::move(session), equipment.defaults.create.limits);
  open.equipment = std::make_shared<const tools::Equipment>(std::move(equipment));
  return open;
}

Result<OpenSession> SessionService::Create(const registry::Caller& caller, const SessionDraft& draft, const std::string& idempotency_key) {
  SessionDefinition definition = draft.definition;
  if (definition.agent.empty() && definition.harness.empty() && !definition.capabilities) {
    definition.capabilities = tools::AttachmentList{{{"bashkit_shell", {}}, {"sandbox", {}}}};
  }
  PADDOCK_ASSIGN(tools::Equipment equipment, Equip(caller.owner, definition));
  PADDOCK_ASSIGN(const registry::SessionInfo made,
                 sessions_->Create(caller, {.name = draft.name, .labels = draft.labels, .definition = DefinitionText(definition)}, idempotency_key));
  PADDOCK_ASSIGN(std::shared_ptr<registry::Session> session, sessions_->Find(caller, made.id));
  PADDOCK_ASSIGN(OpenSession open, OpenFound(std::move(session), std::move(definition), std::move(equipment)));
  open.info.is_new = made.is_new;
  if (const Status put = PutMounts(*open.access, open.equipment->mounts); !put) {
    if (made.is_new) (void)sessions_->Delete(caller, made.id);
    return put.error();
  }
  return open;
}

Result<SessionDefinition> SessionService::ReadDefinition(const registry::SessionInfo& info) {
  PADDOCK_ASSIGN(const boost::json::value document, tools::ParseJson(info.request.definition, {.max_bytes = records::kMaxBody}));
  SessionDefinition definition;
  PADDOCK_TRY(tools::ReadObject(document, kDefinition, "", &definition));
  return definition;
}

Result<OpenSession> SessionService::Open(const registry::Caller& caller, std::string_view id) {
  PADDOCK_ASSIGN(std::shared_ptr<registry::Session> session, sessions_->Find(caller, id));
  PADDOCK_ASSIGN(SessionDefinition definition, ReadDefinition(session->info()));
  auto equipment = Equip(session->info().owner, definition);
  if (!equipment && (equipment.error().code == Code::kInvalid || equipment.error().code == Code::kUnavailable)) {
    return Error(Code::kUnavailable, "session " + session->info().id + " cannot be used: " + std::string(equipment.error().Text()));
  }
  if (!equipment) return equipment.error();
  return OpenFound(std::move(session), std::move(definition), std::move(*equipment));
}

void SessionService::Log(const tools::ToolResult& result, const std::string& tool) const {
  if (result.kind == tools::ToolResult::Kind::kInternalError && settings_.log) settings_.log("tool " + tool + ": " + result.detail);
}

}  // namespace paddock::api
