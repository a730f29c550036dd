#include "api/mcp/message.h"

#include "tools/schema/parse_json.h"

namespace paddock::mcp {
namespace {

struct Known {
  Revision revision;
  const char* name;
};
constexpr Known kKnown[] = {
    {Revision::k2026_07_28, "2026-07-28"},
    {Revision::k2025_11_25, "2025-11-25"},
    {Revision::k2025_06_18, "2025-06-18"},
    {Revision::k2025_03_26, "2025-03-26"},
};

bool IsId(const json::value& value) {
  if (value.is_string()) return value.get_string().size() <= kMostIdBytes;
  return value.is_int64() || value.is_uint64();
}

Unreadable Refuse(json::value id, int code, std::string message) {
  return {.id = std::move(id), .error = {.code = code, .message = std::move(message), .data = nullptr}};
}

Item ReadMessage(json::value value) {
  if (!value.is_object()) return Refuse(nullptr, kInvalidRequest, "a message must be an object");
  json::object& object = value.get_object();
  const json::value* const id = object.if_contains("id");
  const json::value readable_id = id != nullptr && IsId(*id) ? *id : json::value(nullptr);
  const json::string* const version = TextAt(object, "jsonrpc");
  if (version == nullptr || *version != "2.0") return Refuse(readable_id, kInvalidRequest, "jsonrpc: must be \"2.0\"");
  if (id != nullptr && readable_id.is_null()) {
    return Refuse(nullptr, kInvalidRequest,
                  "id: must be an integer, or a string of at most " + std::to_string(kMostIdBytes) + " bytes");
  }
  Message message;
  if (id != nullptr) message.id = *id;
  const json::value* const method = object.if_contains("method");
  if (method == nullptr) {
    if (id == nullptr || (!object.contains("result") && !object.contains("error"))) {
      return Refuse(readable_id, kInvalidRequest, "method: is missing");
    }
    message.kind = Message::Kind::kResponse;
    return message;
  }
  if (!method->is_string() || method->get_string().empty() || method->get_string().size() > kMostMethodBytes) {
    return Refuse(readable_id, kInvalidRequest,
                  "method: must be a string of 1 to " + std::to_string(kMostMethodBytes) + " bytes");
  }
  message.method = method->get_string().c_str();
  message.kind = id != nullptr ? Message::Kind::kRequest : Message::Kind::kNotification;
  if (json::value* const params = object.if_contains("params")) {
    if (!params->is_object()) return Refuse(readable_id, kInvalidParams, "params: must be an object");
    message.params = std::move(params->get_object());
  }
  return message;
}

}  // namespace

const char* NameOf(Revision revision) {
  for (const Known& known : kKnown) {
    if (known.revision == revision) return known.name;
  }
  return "";
}

std::optional<Revision> FindRevision(std::string_view name) {
  for (const Known& known : kKnown) {
    if (name == known.name) return known.revision;
  }
  return std::nullopt;
}

json::array RevisionNames() {
  json::array names;
  for (const Known& known : kKnown) names.push_back(known.name);
  return names;
}

Frame ParseFrame(std::string_view text) {
  Frame frame;
  if (text.size() > kMostFrameBytes) {
    frame.items.push_back(
        Refuse(nullptr, kInvalidRequest, "the message is longer than " + std::to_string(kMostFrameBytes) + " bytes"));
    return frame;
  }
  auto value = tools::ParseJson(text, {.max_bytes = kMostFrameBytes});
  if (!value) {
    frame.items.push_back(Refuse(nullptr, kParseError, std::string(value.error().Text())));
    return frame;
  }
  if (!value->is_array()) {
    frame.items.push_back(ReadMessage(std::move(*value)));
    return frame;
  }
  json::array& list = value->get_array();
  if (list.empty() || list.size() > kMostInBatch) {
    frame.items.push_back(
        Refuse(nullptr, kInvalidRequest, "a batch must hold 1 to " + std::to_string(kMostInBatch) + " messages"));
    return frame;
  }
  frame.is_batch = true;
  for (json::value& each : list) frame.items.push_back(ReadMessage(std::move(each)));
  return frame;
}

std::string IdKey(const json::value& id) { return json::serialize(id); }

json::object ResponseTo(const json::value& id, Outcome outcome) {
  json::object response = {{"jsonrpc", "2.0"}, {"id", id}};
  if (auto* const result = std::get_if<json::object>(&outcome)) {
    response["result"] = std::move(*result);
    return response;
  }
  RpcError& error = *std::get_if<RpcError>(&outcome);
  json::object told = {{"code", error.code}, {"message", std::move(error.message)}};
  if (!error.data.is_null()) told["data"] = std::move(error.data);
  response["error"] = std::move(told);
  return response;
}

json::object Notification(std::string_view method, json::object params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

const json::object* ObjectAt(const json::object& object, std::string_view name) {
  const json::value* const value = object.if_contains(name);
  return value != nullptr ? value->if_object() : nullptr;
}

const json::string* TextAt(const json::object& object, std::string_view name) {
  const json::value* const value = object.if_contains(name);
  return value != nullptr ? value->if_string() : nullptr;
}

}  // namespace paddock::mcp
