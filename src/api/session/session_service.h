// SessionService: sessions of the registry with what their agents have in them: definitions, capabilities, tools.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/session/definitions.h"
#include "registry/sessions.h"
#include "tools/capability/harness.h"

namespace paddock::api {

// What a session starts from. With neither agent, harness nor capabilities it gets bashkit_shell and sandbox.
struct SessionDefinition {
  std::string agent, harness;   // at most one of them
  std::string prompt;
  std::optional<tools::AttachmentList> capabilities;
};

struct SessionDraft {
  std::string name;
  registry::Labels labels;
  SessionDefinition definition;
};

// A session to work with; the service outlives it.
struct OpenSession {
  registry::SessionInfo info;
  SessionDefinition definition;
  std::shared_ptr<registry::Session> session;
  std::shared_ptr<const tools::Equipment> equipment;
  std::shared_ptr<tools::SessionAccess> access;   // for these calls, not for those of other threads' errors

  // For one call of a tool; `call_id` is new.
  tools::CallContext Context(std::stop_token stop, sandbox::OutputHandler on_output = nullptr) const;
};

// Any thread.
class SessionService {
 public:
  struct Settings {
    tools::Deployment deployment;
    tools::HarnessSet harnesses;                            // built in, and of the configuration
    std::vector<tools::AgentDocument> agents;               // of the configuration
    registry::SessionSettings sessions;
    std::function<void(const std::string& line)> log;       // details that no client sees; any thread; may be null
  };
  // The other two outlive it. Errors: kInvalid for a harness or an agent of the configuration that can never work, those of the database.
  static Result<std::unique_ptr<SessionService>> Open(Settings settings, registry::Registry& registry, records::Records& records);

  // Errors: kInvalid, kUnavailable (a capability that this deployment does not have), those of Sessions::Create().
  // With a key, a repetition gets the session that it made.
  Result<OpenSession> Create(const registry::Caller& caller, const SessionDraft& draft, const std::string& idempotency_key = {});
  // With what its agent and harness mean now. Errors: kNoEntry; kUnavailable when what it starts from is gone or not available here.
  Result<OpenSession> Open(const registry::Caller& caller, std::string_view id);

  // Without tools: those that cannot be opened, too.
  registry::Sessions& sessions() { return *sessions_; }
  static Result<SessionDefinition> ReadDefinition(const registry::SessionInfo& info);

  // Checked as far as they can be: unknown capabilities, bad configurations, parents.
  Status Put(const registry::Caller& caller, const tools::HarnessDocument& harness);
  Status Put(const registry::Caller& caller, const tools::AgentDocument& agent);
  Definitions& definitions() { return *definitions_; }

  void Log(const tools::ToolResult& result, const std::string& tool) const;

 private:
  SessionService(Settings settings, registry::Registry& registry) : settings_(std::move(settings)), registry_(registry), catalog_(tools::BuiltInCapabilities()) {}
  Result<tools::Equipment> Equip(const std::string& owner, const SessionDefinition& definition) const;
  Status CheckLevels(const Result<std::vector<tools::Level>>& levels) const;
  Result<OpenSession> OpenFound(std::shared_ptr<registry::Session> session, SessionDefinition definition, tools::Equipment equipment) const;

  const Settings settings_;
  registry::Registry& registry_;
  const tools::Catalog catalog_;
  std::unique_ptr<registry::Sessions> sessions_;
  std::unique_ptr<Definitions> definitions_;
};

}  // namespace paddock::api
