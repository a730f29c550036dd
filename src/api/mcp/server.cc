#include "api/mcp/server.h"

#include <algorithm>

#include "api/mcp/resources.h"
#include "base/id.h"
#include "text/nearest.h"
#include "text/repair_utf8.h"
#include "tools/adapt/formats.h"

namespace paddock::mcp {
namespace {

constexpr const char* kRevisionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kClientCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* kServerInfoKey = "io.modelcontextprotocol/serverInfo";
constexpr const char* kNoTask = "taskId: there is no such task; it is kept for an hour";
constexpr int kListTtlMs = 300'000;   // what is offered stays the same while this server lives

RpcError Bad(std::string_view message) { return {.code = kInvalidParams, .message = RepairUtf8(message), .data = nullptr}; }

// The beginning of what a client wrote.
std::string Shown(std::string_view text) { return RepairUtf8(text.substr(0, 64)); }

void MakeCacheable(json::object& result, const Context& context, int ttl_ms) {
  if (!IsStateless(context.revision)) return;
  result["ttlMs"] = ttl_ms;
  result["cacheScope"] = "private";   // what there is depends on the key
}

// Everything fits on one page.
std::optional<RpcError> CheckNoCursor(const json::object& params) {
  if (!params.contains("cursor")) return std::nullopt;
  return Bad("cursor: is not one that this server gave");
}

// A token that the client's progress is to be told with; null if it wants none.
json::value ProgressToken(const json::object& params) {
  const json::object* const meta = ObjectAt(params, "_meta");
  const json::value* const token = meta != nullptr ? meta->if_contains("progressToken") : nullptr;
  if (token == nullptr || (!token->is_string() && !token->is_int64() && !token->is_uint64())) return nullptr;
  return token->is_string() && token->get_string().size() > kMostIdBytes ? json::value(nullptr) : *token;
}

// Clients say the sandbox in a header, too, by which a proxy can route.
void MirrorInHeader(json::object& definition) {
  json::object& properties = definition.at("inputSchema").as_object().at("properties").as_object();
  if (json::value* const property = properties.if_contains(kMirroredArgument)) property->as_object()["x-mcp-header"] = kMirrorHeader;
}

// Long output that a tool kept as session files.
void LinkKeptFiles(const json::object& data, json::array& content) {
  const json::value* const files = data.if_contains("output_files");
  if (files == nullptr || !files->is_array()) return;
  for (const json::value& file : files->get_array()) {
    if (!file.is_string() || !file.get_string().starts_with('/')) continue;
    const std::string path = file.get_string().c_str();
    content.push_back(
        {{"type", "resource_link"}, {"uri", UriOf({.sandbox = {}, .path = path})}, {"name", path}, {"mimeType", "text/plain"}});
  }
}

// Whether the client of this request takes tasks.
bool HasTasks(const json::object& params) {
  const json::object* const meta = ObjectAt(params, "_meta");
  const json::object* const client = meta != nullptr ? ObjectAt(*meta, kClientCapabilitiesKey) : nullptr;
  const json::object* const extensions = client != nullptr ? ObjectAt(*client, "extensions") : nullptr;
  return extensions != nullptr && extensions->contains(kTasksExtension);
}

RpcError NeedsTasks() {
  return {.code = kMissingCapability,
          .message = "missing required client capability",
          .data = json::object{{"requiredCapabilities", {{"extensions", {{kTasksExtension, json::object()}}}}}}};
}

ServerSettings Whole(ServerSettings settings) {
  if (!settings.progress) settings.progress = std::make_shared<Progress>();
  if (!settings.tasks) settings.tasks = std::make_shared<Tasks>();
  return settings;
}

// One call and its result as the protocol has it.
json::object CallOnSession(const ServerSettings& settings, const tools::Tool& tool, const json::value& arguments,
                           Revision revision, std::stop_token stop, sandbox::OutputHandler on_output) {
  tools::CallContext call{.session = *settings.session,
                          .call_id = NewId("call_"),
                          .defaults = settings.equipment->defaults,
                          .stop = std::move(stop),
                          .on_output = std::move(on_output)};
  tools::ToolResult done = tool.call(call, arguments);
  if (!done.detail.empty() && settings.log) settings.log("call " + call.call_id + " of " + tool.name + ": " + done.detail);
  json::array content;
  content.push_back({{"type", "text"}, {"text", done.text}});
  json::object result;
  if (done.is_error()) {
    result["isError"] = true;   // what it would hold does not follow the output schema
  } else {
    if (revision != Revision::k2025_03_26) LinkKeptFiles(done.data, content);
    result["structuredContent"] = std::move(done.data);
    result["isError"] = false;
  }
  result["content"] = std::move(content);
  if (IsStateless(revision)) result["resultType"] = "complete";
  return result;
}

}  // namespace

Server::Server(ServerSettings settings) : settings_(Whole(std::move(settings))) {}

const Server::Method Server::kMethods[] = {
    {"initialize", &Server::Initialize, true, false, true},
    {"ping", &Server::Ping, true, false, true},
    {"server/discover", &Server::Discover, false, true, true},
    {"tools/list", &Server::ListTools, true, true, true},
    {"tools/call", &Server::CallTool, true, true, false},
    {"resources/list", &Server::ListResources, true, true, false},
    {"resources/templates/list", &Server::ListTemplates, true, true, true},
    {"resources/read", &Server::ReadResource, true, true, false},
    {"resources/subscribe", &Server::Subscribe, true, false, false},
    {"resources/unsubscribe", &Server::Unsubscribe, true, false, false},
    {"tasks/get", &Server::GetTask, true, true, true},
    {"tasks/update", &Server::UpdateTask, false, true, true},
    {"tasks/cancel", &Server::CancelTask, true, true, true},
    {"tasks/result", &Server::TaskResult, true, false, false},
    {"tasks/list", &Server::ListTasks, true, false, true},
};

const Server::Method* Server::FindMethod(std::string_view name, Revision revision) {
  for (const Method& method : kMethods) {
    if (name == method.name && (IsStateless(revision) ? method.is_stateless : method.has_handshake)) return &method;
  }
  return nullptr;
}

Outcome Server::Answer(const Message& request, const Context& context) {
  const Method* const method = FindMethod(request.method, context.revision);
  const bool has_tasks = IsStateless(context.revision) || context.revision == Revision::k2025_11_25;
  const bool is_offered = method != nullptr && (!request.method.starts_with("resources/") || HasSessionFiles(*settings_.equipment)) &&
                          (!request.method.starts_with("tasks/") || has_tasks);
  if (!is_offered) return RpcError{.code = kMethodNotFound, .message = "method not found: " + request.method, .data = nullptr};
  Outcome outcome = (this->*method->handler)(request.params, context);
  if (auto* const result = std::get_if<json::object>(&outcome); result != nullptr && IsStateless(context.revision)) {
    result->emplace("resultType", "complete");   // unless it is a task
    (*result)["_meta"] = json::object{{kServerInfoKey, Implementation()}};
  }
  return outcome;
}

bool Server::IsQuick(const Message& request) const {
  for (const Method& method : kMethods) {
    if (request.method == method.name) return method.is_quick;
  }
  return true;   // it is refused
}

bool Server::MayTakeLong(const Message& request) const {
  if (request.method == "tasks/result") return true;
  if (request.method != "tools/call") return false;
  const json::string* const name = TextAt(request.params, "name");
  const tools::Tool* const tool = name != nullptr ? settings_.equipment->FindTool(*name) : nullptr;
  return tool != nullptr && tool->hints.is_long_running;
}

json::object Server::Capabilities(Revision revision) const {
  json::object capabilities = {{"tools", json::object()}};
  if (IsStateless(revision)) capabilities["extensions"] = json::object{{kTasksExtension, json::object()}};
  if (revision == Revision::k2025_11_25) {
    capabilities["tasks"] = json::object{
        {"list", json::object()}, {"cancel", json::object()}, {"requests", {{"tools", {{"call", json::object()}}}}}};
  }
  if (HasSessionFiles(*settings_.equipment)) capabilities["resources"] = json::object{{"subscribe", true}, {"listChanged", true}};
  return capabilities;
}

json::object Server::Implementation() const {
  return {{"name", "paddock"}, {"title", "Paddock"}, {"version", settings_.version}};
}

Outcome Server::Initialize(const json::object&, const Context& context) {
  json::object result = {{"protocolVersion", NameOf(context.revision)},
                         {"capabilities", Capabilities(context.revision)},
                         {"serverInfo", Implementation()}};
  if (!settings_.equipment->system_prompt.empty()) result["instructions"] = settings_.equipment->system_prompt;
  return result;
}

Outcome Server::Discover(const json::object&, const Context& context) {
  json::object result = {{"supportedVersions", RevisionNames()}, {"capabilities", Capabilities(context.revision)}};
  if (!settings_.equipment->system_prompt.empty()) result["instructions"] = settings_.equipment->system_prompt;
  MakeCacheable(result, context, kListTtlMs);
  return result;
}

Outcome Server::Ping(const json::object&, const Context&) { return json::object(); }

Outcome Server::ListTools(const json::object& params, const Context& context) {
  if (auto bad = CheckNoCursor(params)) return *bad;
  json::array list;
  for (const tools::Tool* const tool : settings_.equipment->tools) {
    json::object definition = tools::McpDefinition(*tool, settings_.equipment->rules);
    if (IsStateless(context.revision)) MirrorInHeader(definition);
    if (context.revision == Revision::k2025_11_25 && tool->hints.is_long_running) {
      definition["execution"] = json::object{{"taskSupport", "optional"}};
    }
    list.push_back(std::move(definition));
  }
  json::object result = {{"tools", std::move(list)}};
  MakeCacheable(result, context, kListTtlMs);
  return result;
}

Outcome Server::CallTool(const json::object& params, const Context& context) {
  const json::string* const name = TextAt(params, "name");
  if (name == nullptr) return Bad("name: must be the name of a tool");
  const tools::Tool* const tool = settings_.equipment->FindTool(*name);
  if (tool == nullptr) {
    std::vector<std::string_view> names;
    for (const tools::Tool* const each : settings_.equipment->tools) names.push_back(each->name);
    const std::string_view nearest = NearestWord(*name, names);
    return Bad("unknown tool: " + Shown(*name) +
               (nearest.empty() ? "; tools/list shows which there are" : "; did you mean " + std::string(nearest) + "?"));
  }
  const json::value* const given = params.if_contains("arguments");
  if (given != nullptr && !given->is_object()) return Bad("arguments: must be an object");
  const json::value arguments = given != nullptr ? *given : json::value(json::object());

  std::shared_ptr<Progress::Watch> watch;
  if (json::value token = ProgressToken(params); !token.is_null() && context.notify) {
    watch = std::make_shared<Progress::Watch>(*settings_.progress, std::move(token), context.notify);
  }
  // A task may outlive the request, and this server: it holds what it needs, but neither the way to the client nor those that run
  // it.
  ServerSettings needed = settings_;
  needed.progress = nullptr;
  needed.tasks = nullptr;
  const auto run = [settings = std::move(needed), tool, arguments = given != nullptr ? *given : json::value(json::object()),
                    revision = context.revision, weak = std::weak_ptr(watch)](std::stop_token stop) {
    const auto count = [&weak](sandbox::Stream, std::string_view bytes) {
      if (const auto held = weak.lock()) held->Count(bytes.size());
    };
    return CallOnSession(settings, *tool, arguments, revision, std::move(stop), count);
  };
  const json::value* const task = context.revision == Revision::k2025_11_25 ? params.if_contains("task") : nullptr;
  if (task != nullptr) {
    if (!task->is_object()) return Bad("task: must be an object");
    if (!tool->hints.is_long_running) {
      return RpcError{.code = kMethodNotFound, .message = std::string(tool->name) + " does not run as a task; call it without", .data = nullptr};
    }
    auto begun = settings_.tasks->Begin(settings_.session->id(), run);
    if (!begun) return RpcError{.code = kTooBusy, .message = "there are too many tasks; cancel some, or call without a task", .data = nullptr};
    return json::object{{"task", std::move(*begun)}};
  }
  if (tool->hints.is_long_running && IsStateless(context.revision) && HasTasks(params)) {
    return settings_.tasks->Run(settings_.session->id(), run, context.stop);
  }
  return run(context.stop);
}

Outcome Server::OldTask(const json::object& params, bool cancels) {
  const json::string* const id = TextAt(params, "taskId");
  const std::string text(id != nullptr ? std::string_view(*id) : std::string_view());
  const std::string& session = settings_.session->id();
  if (!settings_.tasks->GetPlain(session, text)) return Bad(kNoTask);
  if (cancels) {
    if (!settings_.tasks->IsCancellable(session, text)) return Bad("taskId: the task has ended");
    settings_.tasks->Cancel(session, text);
  }
  auto task = settings_.tasks->GetPlain(session, text);
  if (!task) return Bad(kNoTask);
  return std::move(*task);
}

Outcome Server::TaskResult(const json::object& params, const Context& context) {
  const json::string* const id = TextAt(params, "taskId");
  if (id == nullptr) return Bad(kNoTask);
  auto outcome = settings_.tasks->WaitFor(settings_.session->id(), std::string(*id), context.stop);
  if (!outcome) return Bad(kNoTask);
  if (auto* const result = std::get_if<json::object>(&*outcome)) {
    (*result)["_meta"] = json::object{{"io.modelcontextprotocol/related-task", {{"taskId", *id}}}};
  }
  return std::move(*outcome);
}

Outcome Server::ListTasks(const json::object& params, const Context&) {
  if (auto bad = CheckNoCursor(params)) return *bad;
  json::array list;
  for (json::object& task : settings_.tasks->ListPlain(settings_.session->id())) list.push_back(std::move(task));
  return json::object{{"tasks", std::move(list)}};
}

Outcome Server::GetTask(const json::object& params, const Context& context) {
  if (!IsStateless(context.revision)) return OldTask(params, false);
  if (!HasTasks(params)) return NeedsTasks();
  const json::string* const id = TextAt(params, "taskId");
  auto task = id != nullptr ? settings_.tasks->Get(settings_.session->id(), std::string(*id)) : std::nullopt;
  if (!task) return Bad(kNoTask);
  return std::move(*task);
}

Outcome Server::UpdateTask(const json::object& params, const Context&) {
  if (!HasTasks(params)) return NeedsTasks();
  const json::string* const id = TextAt(params, "taskId");
  if (id == nullptr || !settings_.tasks->Get(settings_.session->id(), std::string(*id))) return Bad(kNoTask);
  if (ObjectAt(params, "inputResponses") == nullptr) return Bad("inputResponses: must be an object");
  return json::object();   // no task asks for anything, so none of these is waited for
}

Outcome Server::CancelTask(const json::object& params, const Context& context) {
  if (!IsStateless(context.revision)) return OldTask(params, true);
  if (!HasTasks(params)) return NeedsTasks();
  const json::string* const id = TextAt(params, "taskId");
  if (id == nullptr || !settings_.tasks->Cancel(settings_.session->id(), std::string(*id))) return Bad(kNoTask);
  return json::object();
}

Outcome Server::ListResources(const json::object& params, const Context& context) {
  const json::value* const cursor = params.if_contains("cursor");
  if (cursor != nullptr && !cursor->is_string()) return Bad("cursor: must be a string");
  auto page = mcp::ListResources(*settings_.session, cursor != nullptr ? cursor->if_string() : nullptr);
  if (!page && page.error().code == Code::kInvalid) return Bad(page.error().message);
  if (!page) return RpcError{.code = kInternalError, .message = RepairUtf8(page.error().Text()), .data = nullptr};
  MakeCacheable(*page, context, 0);
  // Who has asked is told when it is another list.
  if (context.subscriber && !IsStateless(context.revision)) context.subscriber->WantListing(settings_.session);
  return std::move(*page);
}

Outcome Server::Subscribe(const json::object& params, const Context& context) {
  const json::string* const uri = TextAt(params, "uri");
  if (uri == nullptr) return Bad("uri: must be a string");
  if (!context.subscriber) return Bad("this client has no way to be told");
  const auto place = ParseUri(*uri);
  if (!place) return Bad(place.error().message);
  const auto absent = [&](std::string_view message) {
    return RpcError{.code = kResourceNotFound, .message = RepairUtf8(message), .data = json::object{{"uri", *uri}}};
  };
  if (!place->sandbox.empty() && !HasSandboxFiles(*settings_.equipment)) return absent("resource not found");
  if (const Status added = context.subscriber->Add(settings_.session, std::string(*uri)); !added) {
    const Error& error = added.error();
    if (error.code == Code::kNoEntry || error.code == Code::kNotDirectory) return absent(error.Text());
    if (error.code == Code::kLimit) return RpcError{.code = kTooBusy, .message = RepairUtf8(error.Text()), .data = nullptr};
    if (error.code != Code::kInternal && error.code != Code::kIo) return Bad(error.Text());
    if (settings_.log) settings_.log("resources/subscribe: " + std::string(error.Text()));
    return RpcError{.code = kInternalError, .message = "internal error; it has been logged", .data = nullptr};
  }
  return json::object();
}

Outcome Server::Unsubscribe(const json::object& params, const Context& context) {
  const json::string* const uri = TextAt(params, "uri");
  if (uri == nullptr || uri->empty()) return Bad("uri: must be a string");
  if (context.subscriber) context.subscriber->Remove(std::string(*uri));
  return json::object();
}

Outcome Server::Listen(const Message& request, const Context& context) {
  const json::object* const wanted = ObjectAt(request.params, "notifications");
  if (wanted == nullptr) return Bad("notifications: must be an object");
  const json::value* const listing = wanted->if_contains("resourcesListChanged");
  if (listing != nullptr && !listing->is_bool()) return Bad("notifications.resourcesListChanged: must be a boolean");
  const json::value* const named = wanted->if_contains("resourceSubscriptions");
  if (named != nullptr && !named->is_array()) return Bad("notifications.resourceSubscriptions: must be an array of strings");
  if (named != nullptr && named->get_array().size() > kMostSubscriptions) {
    return Bad("notifications.resourceSubscriptions: must have at most " + std::to_string(kMostSubscriptions) + " items");
  }
  json::object agreed;
  const bool has_files = HasSessionFiles(*settings_.equipment);
  if (named != nullptr) {
    json::array watched;
    for (const json::value& uri : named->get_array()) {
      if (!uri.is_string()) return Bad("notifications.resourceSubscriptions: must be an array of strings");
      const std::string text(uri.get_string());
      const auto place = ParseUri(text);
      if (!has_files || !place || (!place->sandbox.empty() && !HasSandboxFiles(*settings_.equipment))) continue;
      if (context.stop.stop_requested()) break;
      if (context.subscriber->Add(settings_.session, text)) watched.push_back(uri);
    }
    if (!watched.empty()) agreed["resourceSubscriptions"] = std::move(watched);
  }
  if (has_files && listing != nullptr && listing->get_bool() && context.subscriber->Add(settings_.session, "")) {
    agreed["resourcesListChanged"] = true;
  }
  return Notification("notifications/subscriptions/acknowledged",
                      {{"notifications", std::move(agreed)}, {"_meta", {{kSubscriptionKey, request.id}}}});
}

json::object EndOfListening(const json::value& id) {
  return ResponseTo(id, json::object{{"resultType", "complete"}, {"_meta", {{kSubscriptionKey, id}}}});
}

Outcome Server::ListTemplates(const json::object& params, const Context& context) {
  if (auto bad = CheckNoCursor(params)) return *bad;
  json::object result = mcp::ListTemplates(*settings_.equipment);
  MakeCacheable(result, context, kListTtlMs);
  return result;
}

Outcome Server::ReadResource(const json::object& params, const Context& context) {
  const json::string* const uri = TextAt(params, "uri");
  if (uri == nullptr) return Bad("uri: must be a string");
  const auto place = ParseUri(*uri);
  if (!place) return Bad(place.error().message);
  const auto absent = [&](std::string_view message) {
    return RpcError{.code = IsStateless(context.revision) ? kInvalidParams : kResourceNotFound,
                    .message = RepairUtf8(message),
                    .data = json::object{{"uri", *uri}}};
  };
  if (!place->sandbox.empty() && !HasSandboxFiles(*settings_.equipment)) return absent("resource not found");
  auto read = mcp::ReadResource(*settings_.session, *place, *uri);
  if (!read) {
    const Error& error = read.error();
    if (error.code == Code::kInternal || error.code == Code::kIo) {
      if (settings_.log) settings_.log("resources/read: " + std::string(error.Text()));
      return RpcError{.code = kInternalError, .message = "internal error; it has been logged", .data = nullptr};
    }
    if (error.code == Code::kNoEntry || error.code == Code::kNotDirectory) return absent(error.Text());
    return Bad(error.Text());
  }
  MakeCacheable(*read, context, 0);
  return std::move(*read);
}

bool IsMeantStateless(const Message& request) {
  if (request.method == "server/discover" || request.method == "subscriptions/listen") return true;
  const json::object* const meta = ObjectAt(request.params, "_meta");
  return meta != nullptr && meta->contains(kRevisionKey);
}

std::variant<Revision, RpcError> ReadStateless(const Message& request) {
  const json::object* const meta = ObjectAt(request.params, "_meta");
  const json::value* const named = meta != nullptr ? meta->if_contains(kRevisionKey) : nullptr;
  if (named == nullptr || !named->is_string()) {
    return Bad(std::string("params._meta: must hold \"") + kRevisionKey + "\", a string");
  }
  if (ObjectAt(*meta, kClientCapabilitiesKey) == nullptr) {
    return Bad(std::string("params._meta: must hold \"") + kClientCapabilitiesKey + "\", an object");
  }
  const std::optional<Revision> revision = FindRevision(named->get_string());
  if (revision && IsStateless(*revision)) return *revision;
  return RpcError{.code = kUnsupportedRevision,
                  .message = "unsupported protocol version",
                  .data = json::object{{"supported", RevisionNames()}, {"requested", Shown(named->get_string())}}};
}

std::variant<Revision, RpcError> ReadHandshake(const Message& initialize) {
  const json::string* const asked = TextAt(initialize.params, "protocolVersion");
  if (asked == nullptr) return Bad("protocolVersion: must be a string");
  const std::optional<Revision> revision = FindRevision(*asked);
  return revision && !IsStateless(*revision) ? *revision : kNewestWithHandshake;
}

}  // namespace paddock::mcp
