#include "api/rest/router.h"

#include <algorithm>
#include <charconv>

#include "api/rest/origin.h"
#include "tools/schema/parse_json.h"

namespace paddock::api {
namespace {

constexpr uint64_t kMostJson = 8 << 20;

// The pieces of an operation's path; those in braces are parameters.
bool Matches(std::string_view pattern, const std::vector<std::string>& segments, std::map<std::string, std::string, std::less<>>& parameters) {
  parameters.clear();
  size_t index = 0;
  for (size_t at = 1; at <= pattern.size(); ++index) {
    const size_t slash = std::min(pattern.find('/', at), pattern.size());
    const std::string_view piece = pattern.substr(at, slash - at);
    if (index >= segments.size()) return false;
    if (piece.starts_with('{')) {
      if (segments[index].empty()) return false;
      parameters[std::string(piece.substr(1, piece.size() - 2))] = segments[index];
    } else if (piece != segments[index]) {
      return false;
    }
    at = slash + 1;
  }
  return index == segments.size();
}

// Text of the query as the type of its field wants it; what cannot be is left as text, for the reader to refuse.
json::value ValueOf(const std::string& text, const json::object& schema) {
  const json::value* type = schema.if_contains("type");
  if (type == nullptr || !type->is_string()) return json::value(text);
  if (type->get_string() == "integer") {
    int64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure == std::errc() && end == text.data() + text.size()) return number;
  }
  if (type->get_string() == "boolean") {
    if (text == "true") return true;
    if (text == "false") return false;
  }
  return json::value(text);
}

Result<json::object> QueryOf(const net::Request& request, std::span<const Field> fields) {
  json::object query;
  for (const net::QueryPair& pair : request.query) {
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const Field& one) { return pair.name == one.name; });
    if (field == fields.end()) {   // the reader says which there are
      query[pair.name] = pair.value;
      continue;
    }
    const json::object schema = field->schema(field->rules);
    const json::value* type = schema.if_contains("type");
    if (type != nullptr && type->is_string() && type->get_string() == "array") {
      if (!query.contains(pair.name)) query[pair.name] = json::array();
      const json::value* items = schema.if_contains("items");
      query[pair.name].get_array().push_back(ValueOf(pair.value, items != nullptr && items->is_object() ? items->get_object() : json::object()));
    } else if (query.contains(pair.name)) {
      return Error(Code::kInvalid, pair.name + ": give it once");
    } else {
      query[pair.name] = ValueOf(pair.value, schema);
    }
  }
  return query;
}

Result<json::value> BodyOf(net::Exchange& exchange, const Operation& operation) {
  if (operation.body == Operation::Content::kBytes) return json::value(nullptr);
  if (operation.body == Operation::Content::kNone) {
    PADDOCK_ASSIGN(const std::string body, exchange.ReadWholeBody(kMostJson));
    if (!body.empty() && body != "{}") return Error(Code::kInvalid, "this operation takes no body");
    return json::value(nullptr);
  }
  const std::string* type = exchange.request().Header("Content-Type");
  if (type != nullptr && !type->starts_with("application/json")) return Error(Code::kInvalid, "Content-Type must be application/json");
  PADDOCK_ASSIGN(const std::string body, exchange.ReadWholeBody(kMostJson));
  if (body.empty()) return json::value(json::object());
  return tools::ParseJson(body, {.max_bytes = kMostJson});
}

const net::QueryPair* TicketOf(const net::Request& request) {
  const auto found = std::find_if(request.query.begin(), request.query.end(), [](const net::QueryPair& pair) { return pair.name == "ticket"; });
  return found == request.query.end() ? nullptr : &*found;
}

bool IsEnough(Access has, Access wanted) {
  return static_cast<int>(has) >= static_cast<int>(wanted);
}

}  // namespace

Status Router::Route(CountedExchange& exchange) {
  const net::Request& request = exchange.request();
  if (IsForged(request)) return Error(Code::kAccess, "a page of another site may not do that: the Origin is not what was asked");
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  Call call{.services = services_, .exchange = exchange};
  std::string allowed;
  net::Shares::Place place;   // held until it is answered
  for (const Operation& operation : AllOperations()) {
    if (!Matches(operation.path, request.segments, call.parameters)) continue;
    if (operation.method != method) {
      allowed += (allowed.empty() ? "" : ", ") + std::string(operation.method);
      continue;
    }
    exchange.answered.operation = operation.id;
    if (operation.access != Access::kAnyone) {
      const net::QueryPair* ticket = operation.takes_ticket ? TicketOf(request) : nullptr;
      auto identity = ticket != nullptr ? services_.tickets->Take(ticket->value, call["sandbox"], std::chrono::steady_clock::now()) : authenticate_(request);
      if (!identity) {
        return exchange.Respond(401, {{"Content-Type", "application/json"}, {"WWW-Authenticate", "Bearer"}}, ErrorText(identity.error()));
      }
      if (!IsEnough(identity->most, operation.access)) return Error(Code::kAccess, "this key may not do that");
      call.caller = std::move(identity->caller);
      exchange.owner = call.caller.owner;
      PADDOCK_ASSIGN(place, services_.requests->Take(call.caller.owner));
      call.access = identity->most;
    }
    PADDOCK_ASSIGN(const json::object query, QueryOf(request, operation.query));
    auto body = BodyOf(exchange, operation);
    if (!body && (body.error().code == Code::kLimit || body.error().code == Code::kTimedOut)) {
      return exchange.Respond(net::StatusOf(body.error()), {{"Content-Type", "application/json"}}, ErrorText(body.error()));
    }
    if (!body) return body.error();
    return operation.run(call, query, *body);
  }
  if (!allowed.empty()) {
    return exchange.Respond(405, {{"Content-Type", "application/json"}, {"Allow", allowed}},
                            ErrorText(Error(Code::kNotSupported, request.method + " is not one of " + allowed)));
  }
  return Error(Code::kNoEntry, "no such path: " + request.path.substr(0, 200) + "; GET /v1/openapi.json tells which there are");
}

void Router::Handle(net::Exchange& inner) {
  const auto begun = std::chrono::steady_clock::now();
  CountedExchange exchange(inner, *services_.metrics, *services_.streams);
  const Status done = Route(exchange);
  if (!done && !exchange.has_answered()) {
    (void)exchange.Respond(StatusOf(done.error().code), {{"Content-Type", "application/json"}}, ErrorText(done.error()));
  }
  exchange.answered.duration = std::chrono::steady_clock::now() - begun;
  services_.metrics->Count(exchange.answered);
}

}  // namespace paddock::api
