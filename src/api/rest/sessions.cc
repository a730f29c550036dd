// Sessions: create, look, delete; what a model is offered in one, its calls, and its keys.
#include <stop_token>

#include "api/rest/groups.h"
#include "api/rest/shapes.h"
#include "api/session/session_service.h"
#include "text/repair_utf8.h"
#include "tools/adapt/anthropic.h"
#include "tools/adapt/formats.h"
#include "tools/adapt/openai.h"
#include "tools/adapt/place.h"

namespace paddock::api {
namespace {

Result<SessionService*> ServiceOf(const Call& call) {
  if (call.services.sessions != nullptr) return call.services.sessions;
  return Error(Code::kNotSupported, "there are no sessions here");
}

struct SessionShape {
  std::string id, name, owner;
  Texts labels;
  std::string agent, harness, prompt;
  tools::AttachmentList capabilities;
  std::string created_at;
};
constexpr Field kSession[] = {
    Shown<&SessionShape::id>("id", "ses_ and 20 characters."),
    Shown<&SessionShape::name>("name", "Empty: none."),
    Shown<&SessionShape::owner>("owner", "Whose it is."),
    Shown<&SessionShape::labels>("labels", "As they were given."),
    Shown<&SessionShape::agent>("agent", "The agent that it runs; empty: none."),
    Shown<&SessionShape::harness>("harness", "The harness that it starts from; empty: none."),
    Shown<&SessionShape::prompt>("prompt", "Its own."),
    Shown<&SessionShape::capabilities>("capabilities", "Its own; those of its agent and harness come on top."),
    Shown<&SessionShape::created_at>("created_at", "UTC."),
};
std::span<const Field> FieldsOf(const SessionShape*) { return kSession; }

Result<SessionShape> ShapeOf(const registry::SessionInfo& info) {
  PADDOCK_ASSIGN(SessionDefinition definition, SessionService::ReadDefinition(info));
  SessionShape shape;
  shape.id = info.id;
  shape.name = info.request.name;
  shape.owner = info.owner;
  shape.labels = info.request.labels;
  shape.agent = std::move(definition.agent);
  shape.harness = std::move(definition.harness);
  shape.prompt = std::move(definition.prompt);
  if (definition.capabilities) shape.capabilities = std::move(*definition.capabilities);
  shape.created_at = TimeText(info.created);
  return shape;
}

// ---- create, list, one

struct CreateSession {
  std::string name;
  Texts labels;
  std::string agent, harness, prompt;
  std::optional<tools::AttachmentList> capabilities;
};
constexpr Field kCreateSession[] = {
    Optional<&CreateSession::name>("name", "Unique among your sessions.", {.max_length = 63}),
    Optional<&CreateSession::labels>("labels", "For filters.", {.max_items = 64}),
    Optional<&CreateSession::agent>("agent", "The agent that it runs.", {.max_length = 64}),
    Optional<&CreateSession::harness>("harness", "The harness that it starts from, without an agent.", {.max_length = 64}),
    Optional<&CreateSession::prompt>("prompt", "Behind all other prompts.", {.max_length = 1 << 18}),
    Optional<&CreateSession::capabilities>("capabilities", "Nearest of all: its keys replace those of agent and harness. Without agent, harness and capabilities: bashkit_shell and sandbox."),
};
std::span<const Field> FieldsOf(const CreateSession*) { return kCreateSession; }

Result<SessionShape> Create(Call& call, const Nothing&, CreateSession& body) {
  PADDOCK_ASSIGN(SessionService* const service, ServiceOf(call));
  SessionDraft draft{.name = std::move(body.name), .labels = std::move(body.labels), .definition = {}};
  draft.definition = {.agent = std::move(body.agent), .harness = std::move(body.harness), .prompt = std::move(body.prompt), .capabilities = std::move(body.capabilities)};
  PADDOCK_ASSIGN(const std::string key, IdempotencyKeyOf(call));
  PADDOCK_ASSIGN(const OpenSession made, service->Create(call.caller, draft, key));
  PADDOCK_ASSIGN(SessionShape shape, ShapeOf(made.info));
  return MadeShape(call, std::move(shape), made.info.is_new);
}

struct ListQuery {
  std::string name, owner;
  std::vector<std::string> label;
  int64_t limit = 100;
  std::string cursor;
};
constexpr Field kListQuery[] = {
    Optional<&ListQuery::name>("name", "Only the one of this name."),
    Optional<&ListQuery::owner>("owner", "Only this owner's; for admins."),
    Optional<&ListQuery::label>("label", "Only those with this label, KEY=VALUE.", {.max_items = 16}),
    Optional<&ListQuery::limit>("limit", "At most so many.", {.min = 1, .max = 1000}),
    Optional<&ListQuery::cursor>("cursor", "What the page before gave as next."),
};
std::span<const Field> FieldsOf(const ListQuery*) { return kListQuery; }

struct ListAnswer {
  std::vector<SessionShape> sessions;
  std::optional<std::string> next;
};
constexpr Field kListAnswer[] = {
    Shown<&ListAnswer::sessions>("sessions", "Oldest first."),
    Shown<&ListAnswer::next>("next", "The cursor of the next page; null: there is none."),
};
std::span<const Field> FieldsOf(const ListAnswer*) { return kListAnswer; }

Result<ListAnswer> List(Call& call, const ListQuery& query, Nothing&) {
  PADDOCK_ASSIGN(SessionService* const service, ServiceOf(call));
  registry::SessionList request{.name = query.name, .owner = query.owner, .labels = {}, .limit = static_cast<size_t>(query.limit), .cursor = query.cursor};
  for (const std::string& label : query.label) {
    const size_t equals = label.find('=');
    if (equals == std::string::npos) return Error(Code::kInvalid, "label: '" + label + "' must be KEY=VALUE");
    request.labels[label.substr(0, equals)] = label.substr(equals + 1);
  }
  PADDOCK_ASSIGN(const registry::SessionPage page, service->sessions().List(call.caller, request));
  ListAnswer answer;
  for (const registry::SessionInfo& info : page.sessions) {
    PADDOCK_ASSIGN(SessionShape shape, ShapeOf(info));
    answer.sessions.push_back(std::move(shape));
  }
  if (!page.next.empty()) answer.next = page.next;
  return answer;
}

Result<std::shared_ptr<registry::Session>> Found(const Call& call) {
  PADDOCK_ASSIGN(SessionService* const service, ServiceOf(call));
  return service->sessions().Find(call.caller, call["session"]);
}

Result<SessionShape> Get(Call& call, const Nothing&, Nothing&) {
  PADDOCK_ASSIGN(const std::shared_ptr<registry::Session> session, Found(call));
  return ShapeOf(session->info());
}

Result<Nothing> Delete(Call& call, const Nothing&, Nothing&) {
  PADDOCK_ASSIGN(SessionService* const service, ServiceOf(call));
  PADDOCK_TRY(service->sessions().Delete(call.caller, call["session"]));
  return Nothing{};
}

struct StorageShape {
  std::string sandbox_id;
  std::string path = "/workspace";
};
constexpr Field kStorage[] = {
    Shown<&StorageShape::sandbox_id>("sandbox_id", "For the operations on files of a sandbox. No list shows it."),
    Shown<&StorageShape::path>("path", "Where the session's files lie there: the session path /a is /workspace/a."),
};
std::span<const Field> FieldsOf(const StorageShape*) { return kStorage; }

Result<StorageShape> Storage(Call& call, const Nothing&, Nothing&) {
  PADDOCK_ASSIGN(const std::shared_ptr<registry::Session> session, Found(call));
  PADDOCK_ASSIGN(const registry::SandboxInfo storage, session->Storage());
  return StorageShape{.sandbox_id = storage.id, .path = storage.request.working_directory};
}

// ---- what is offered

Result<OpenSession> Opened(const Call& call) {
  PADDOCK_ASSIGN(SessionService* const service, ServiceOf(call));
  return service->Open(call.caller, call["session"]);
}

enum class ToolFormat { kNeutral, kAnthropic, kOpenAi, kMcp };
constexpr const char* kFormats[] = {"neutral", "anthropic", "openai", "mcp"};
std::span<const char* const> NamesOf(ToolFormat) { return kFormats; }

struct ToolsQuery {
  ToolFormat format = ToolFormat::kNeutral;
  bool native = false;
};
constexpr Field kToolsQuery[] = {
    Optional<&ToolsQuery::format>("format", "How a tool is told: neutral tells everything, hints and both schemas."),
    Optional<&ToolsQuery::native>("native", "With anthropic or openai: their own tools instead, which POST …/calls answers."),
};
std::span<const Field> FieldsOf(const ToolsQuery*) { return kToolsQuery; }

struct ToolsAnswer {
  std::vector<json::object> tools;
  std::string system_prompt;
};
constexpr Field kToolsAnswer[] = {
    Shown<&ToolsAnswer::tools>("tools", "Definitions, to be handed to a model."),
    Shown<&ToolsAnswer::system_prompt>("system_prompt", "Of the capabilities, then of harness, agent and session."),
};
std::span<const Field> FieldsOf(const ToolsAnswer*) { return kToolsAnswer; }

Result<ToolsAnswer> ListTools(Call& call, const ToolsQuery& query, Nothing&) {
  PADDOCK_ASSIGN(const OpenSession open, Opened(call));
  ToolsAnswer answer{.tools = {}, .system_prompt = open.equipment->system_prompt};
  if (query.native) {
    if (query.format != ToolFormat::kAnthropic && query.format != ToolFormat::kOpenAi) return Error(Code::kInvalid, "native: needs format anthropic or openai");
    for (const json::value& tool : query.format == ToolFormat::kAnthropic ? tools::AnthropicNativeTools() : tools::OpenAiNativeTools()) answer.tools.push_back(tool.as_object());
    return answer;
  }
  for (const tools::Tool* tool : open.equipment->tools) {
    switch (query.format) {
      case ToolFormat::kNeutral: answer.tools.push_back(tools::NeutralDefinition(*tool, open.equipment->rules)); break;
      case ToolFormat::kAnthropic: answer.tools.push_back(tools::AnthropicDefinition(*tool)); break;
      case ToolFormat::kOpenAi: answer.tools.push_back(tools::OpenAiDefinition(*tool)); break;
      case ToolFormat::kMcp: answer.tools.push_back(tools::McpDefinition(*tool, open.equipment->rules)); break;
    }
  }
  return answer;
}

// ---- calls

struct ToolBody {
  json::object arguments;
};
constexpr Field kToolBody[] = {
    Optional<&ToolBody::arguments>("arguments", "As the tool's input schema says."),
};
std::span<const Field> FieldsOf(const ToolBody*) { return kToolBody; }

struct ToolAnswer {
  std::string content;
  json::object structured;
  bool is_error = false;
};
constexpr Field kToolAnswer[] = {
    Shown<&ToolAnswer::content>("content", "For the model to read."),
    Shown<&ToolAnswer::structured>("structured", "As the tool's output schema says; {error, code} after a failure."),
    Shown<&ToolAnswer::is_error>("is_error", "Whether the tool failed. A command that fails is no failure of its tool."),
};
std::span<const Field> FieldsOf(const ToolAnswer*) { return kToolAnswer; }

Result<ToolAnswer> CallTool(Call& call, const Nothing&, ToolBody& body) {
  PADDOCK_ASSIGN(const OpenSession open, Opened(call));
  const std::string& name = call["tool"];
  std::stop_source stop;   // a model whose client has gone waits for nothing
  call.exchange.OnClientGone([stop]() mutable { stop.request_stop(); });   // a copy: the client may go while the answer is sent
  tools::CallContext context = open.Context(stop.get_token());
  tools::ToolResult result = tools::CallTool(context, *open.equipment, name, body.arguments);
  call.services.sessions->Log(result, name);
  return ToolAnswer{.content = RepairUtf8(result.text), .structured = std::move(result.data), .is_error = result.is_error()};
}

enum class CallFormat { kAnthropic, kOpenAi };
constexpr const char* kCallFormats[] = {"anthropic", "openai"};
std::span<const char* const> NamesOf(CallFormat) { return kCallFormats; }

struct CallsBody {
  CallFormat format = CallFormat::kAnthropic;
  std::vector<json::object> calls;
};
constexpr Field kCallsBody[] = {
    Required<&CallsBody::format>("format", "Whose calls they are."),
    Required<&CallsBody::calls>("calls", "tool_use blocks of Anthropic, or items of OpenAI's Responses API; done in this order.", {.max_items = 64}),
};
std::span<const Field> FieldsOf(const CallsBody*) { return kCallsBody; }

struct CallsAnswer {
  std::vector<json::object> results;
};
constexpr Field kCallsAnswer[] = {
    Shown<&CallsAnswer::results>("results", "tool_result blocks, or output items, one for each call."),
};
std::span<const Field> FieldsOf(const CallsAnswer*) { return kCallsAnswer; }

Result<CallsAnswer> CallTools(Call& call, const Nothing&, CallsBody& body) {
  PADDOCK_ASSIGN(const OpenSession open, Opened(call));
  std::stop_source stop;
  call.exchange.OnClientGone([stop]() mutable { stop.request_stop(); });   // a copy: the client may go while the answer is sent
  CallsAnswer answer;
  for (const json::object& item : body.calls) {
    tools::CallContext context = open.Context(stop.get_token());
    answer.results.push_back(body.format == CallFormat::kAnthropic ? tools::HandleAnthropicToolUse(context, *open.equipment, item)
                                                                   : tools::HandleOpenAiCall(context, *open.equipment, item));
  }
  return answer;
}

// ---- keys

struct KeysQuery {
  std::string prefix;
};
constexpr Field kKeysQuery[] = {
    Optional<&KeysQuery::prefix>("prefix", "Only those that begin so.", {.max_length = registry::Session::kMostKey}),
};
std::span<const Field> FieldsOf(const KeysQuery*) { return kKeysQuery; }

struct KeysAnswer {
  std::vector<std::string> keys;
};
constexpr Field kKeysAnswer[] = {
    Shown<&KeysAnswer::keys>("keys", "Sorted."),
};
std::span<const Field> FieldsOf(const KeysAnswer*) { return kKeysAnswer; }

Result<KeysAnswer> ListKeys(Call& call, const KeysQuery& query, Nothing&) {
  PADDOCK_ASSIGN(const std::shared_ptr<registry::Session> session, Found(call));
  PADDOCK_ASSIGN(std::vector<std::string> keys, session->Keys(query.prefix));
  return KeysAnswer{.keys = std::move(keys)};
}

struct KeyBody {
  std::string value;
};
constexpr Field kKeyBody[] = {
    Required<&KeyBody::value>("value", "Any text.", {.max_length = registry::Session::kMostValue}),
};
std::span<const Field> FieldsOf(const KeyBody*) { return kKeyBody; }

struct KeyShape {
  std::string key, value;
};
constexpr Field kKey[] = {
    Shown<&KeyShape::key>("key", "As in the path."),
    Shown<&KeyShape::value>("value", "What it holds."),
};
std::span<const Field> FieldsOf(const KeyShape*) { return kKey; }

Result<KeyShape> GetKey(Call& call, const Nothing&, Nothing&) {
  PADDOCK_ASSIGN(const std::shared_ptr<registry::Session> session, Found(call));
  PADDOCK_ASSIGN(std::optional<std::string> value, session->Get(call["key"]));
  if (!value) return Error(Code::kNoEntry, "no key '" + RepairUtf8(call["key"]) + "' in session " + session->info().id);
  return KeyShape{.key = call["key"], .value = std::move(*value)};
}

Result<KeyShape> SetKey(Call& call, const Nothing&, KeyBody& body) {
  PADDOCK_ASSIGN(const std::shared_ptr<registry::Session> session, Found(call));
  PADDOCK_TRY(session->Set(call["key"], body.value));
  return KeyShape{.key = call["key"], .value = std::move(body.value)};
}

Result<Nothing> DeleteKey(Call& call, const Nothing&, Nothing&) {
  PADDOCK_ASSIGN(const std::shared_ptr<registry::Session> session, Found(call));
  PADDOCK_ASSIGN(const bool was_there, session->Erase(call["key"]));
  if (!was_there) return Error(Code::kNoEntry, "no key '" + RepairUtf8(call["key"]) + "' in session " + session->info().id);
  return Nothing{};
}

}  // namespace

std::vector<Operation> SessionOperations() {
  return {
      TakesKey(Define<Nothing, CreateSession, SessionShape, Create, 201>("POST", "/v1/sessions", "createSession", "Makes a session: what an agent's work belongs to.", Access::kUse)),
      Define<ListQuery, Nothing, ListAnswer, List>("GET", "/v1/sessions", "listSessions", "Lists sessions, page by page.", Access::kRead),
      Define<Nothing, Nothing, SessionShape, Get>("GET", "/v1/sessions/{session}", "getSession", "Shows a session, by its id or name.", Access::kRead),
      Define<Nothing, Nothing, Nothing, Delete>("DELETE", "/v1/sessions/{session}", "deleteSession", "Deletes a session with its sandboxes, files and keys.", Access::kUse),
      Define<Nothing, Nothing, StorageShape, Storage>("POST", "/v1/sessions/{session}/storage", "openSessionStorage", "Tells in which sandbox a session's files lie; makes it if there is none yet.", Access::kUse),
      Define<ToolsQuery, Nothing, ToolsAnswer, ListTools>("GET", "/v1/sessions/{session}/tools", "listSessionTools", "Lists what a model is offered in a session, and its system prompt.", Access::kRead),
      Define<Nothing, ToolBody, ToolAnswer, CallTool>("POST", "/v1/sessions/{session}/tools/{tool}", "callSessionTool", "Calls a tool; ends it when the client goes away.", Access::kUse),
      Define<Nothing, CallsBody, CallsAnswer, CallTools>("POST", "/v1/sessions/{session}/calls", "callSessionTools", "Answers tool calls in the words of the model's maker, its own tools too.", Access::kUse),
      Define<KeysQuery, Nothing, KeysAnswer, ListKeys>("GET", "/v1/sessions/{session}/kv", "listSessionKeys", "Lists the keys of a session.", Access::kRead),
      Define<Nothing, Nothing, KeyShape, GetKey>("GET", "/v1/sessions/{session}/kv/{key}", "getSessionKey", "Reads a key.", Access::kRead),
      Define<Nothing, KeyBody, KeyShape, SetKey>("PUT", "/v1/sessions/{session}/kv/{key}", "setSessionKey", "Stores a value under a key, over what was there.", Access::kUse),
      Define<Nothing, Nothing, Nothing, DeleteKey>("DELETE", "/v1/sessions/{session}/kv/{key}", "deleteSessionKey", "Deletes a key.", Access::kUse),
  };
}

}  // namespace paddock::api
