#include "api/mcp/http_headers.h"

#include <algorithm>

#include "net/address.h"
#include "text/base64.h"
#include "text/http_head.h"
#include "text/utf8.h"

namespace paddock::mcp {
namespace {

constexpr std::string_view kEncodedBegin = "=?base64?", kEncodedEnd = "?=";

RpcError Mismatch(std::string message) { return {.code = kHeaderMismatch, .message = std::move(message), .data = nullptr}; }

}  // namespace

bool Accepts(const net::Request& request, std::string_view type) {
  const std::string family = std::string(type.substr(0, type.find('/'))) + "/*";
  bool has_any = false;
  for (const auto& field : request.headers) {
    if (!EqualsIgnoringCase(field.name, "Accept")) continue;
    has_any = true;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      const size_t comma = std::min(rest.find(','), rest.size());
      const std::string range = LowerUtf8(TrimHeaderSpace(rest.substr(0, std::min(rest.find(';'), comma))));
      if (range == type || range == family || range == "*/*") return true;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return !has_any;
}

bool IsOriginGood(const net::Request& request) {
  const size_t count = request.CountHeader("Origin");
  if (count == 0) return true;
  std::string_view origin = *request.Header("Origin");
  if (count > 1) return false;
  const size_t scheme = origin.find("://");
  if (scheme == std::string_view::npos) return false;   // "null" too
  origin.remove_prefix(scheme + 3);
  const size_t bracket = origin.starts_with('[') ? origin.find(']') : 0;
  if (bracket == std::string_view::npos) return false;
  const std::string host = LowerUtf8(origin.substr(0, origin.find(':', bracket)));
  return net::IsLoopbackHost(host) || (!request.host.empty() && host == request.host);
}

std::optional<std::string> DecodeHeaderValue(std::string_view value) {
  const size_t least = kEncodedBegin.size() + kEncodedEnd.size();
  if (value.size() < least || !value.starts_with(kEncodedBegin) || !value.ends_with(kEncodedEnd)) return std::string(value);
  const std::string_view payload = value.substr(kEncodedBegin.size(), value.size() - least);
  std::optional<std::string> decoded = DecodeBase64(payload);
  // One text has one encoding: what others would read otherwise is refused.
  if (!decoded || EncodeBase64(*decoded) != payload || !IsValidUtf8(*decoded)) return std::nullopt;
  return decoded;
}

namespace {

// What a proxy may have routed by must be what the body says.
std::optional<RpcError> CheckMirror(const net::Request& request, const Message& message) {
  const std::string field = std::string("Mcp-Param-") + kMirrorHeader;
  const size_t count = request.CountHeader(field);
  if (count > 1) return Mismatch(field + " stands more than once");
  const json::object* const arguments = ObjectAt(message.params, "arguments");
  const json::value* const value = arguments != nullptr ? arguments->if_contains(kMirroredArgument) : nullptr;
  const bool is_said = value != nullptr && !value->is_null();
  if (!is_said && count == 0) return std::nullopt;
  const std::optional<std::string> decoded = count == 1 ? DecodeHeaderValue(*request.Header(field)) : std::nullopt;
  if (is_said && value->is_string() && decoded && *decoded == std::string_view(value->get_string())) return std::nullopt;
  return Mismatch("the header " + field + " must be params.arguments." + kMirroredArgument + (is_said ? "" : ", which is not there"));
}

}  // namespace

std::optional<RpcError> CheckHeaders(const net::Request& request, const Message& message) {
  for (const char* name : {"MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"}) {
    if (request.CountHeader(name) > 1) return Mismatch(std::string(name) + " stands more than once");
  }
  const json::object* const meta = ObjectAt(message.params, "_meta");
  const json::string* const revision = meta != nullptr ? TextAt(*meta, "io.modelcontextprotocol/protocolVersion") : nullptr;
  const std::string* const stated = request.Header("MCP-Protocol-Version");
  if (revision != nullptr && (stated == nullptr || *stated != std::string_view(*revision))) {
    return Mismatch("the header MCP-Protocol-Version must be the revision in params._meta");
  }
  const std::string* const method = request.Header("Mcp-Method");
  if (method == nullptr || *method != message.method) return Mismatch("the header Mcp-Method must be the method of the message");
  const char* const key = message.method == "tools/call"         ? "name"
                          : message.method == "resources/read"   ? "uri"
                          : message.method.starts_with("tasks/") ? "taskId"
                                                                 : nullptr;
  const json::string* const named = key != nullptr ? TextAt(message.params, key) : nullptr;
  if (named == nullptr) return std::nullopt;
  const std::string* const name = request.Header("Mcp-Name");
  const std::optional<std::string> decoded = name != nullptr ? DecodeHeaderValue(*name) : std::nullopt;
  if (!decoded || *decoded != std::string_view(*named)) return Mismatch(std::string("the header Mcp-Name must be params.") + key);
  return message.method == "tools/call" ? CheckMirror(request, message) : std::nullopt;
}

}  // namespace paddock::mcp
