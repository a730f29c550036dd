// Operations: what the REST API offers, as data. One is a method, a path, words, and the shapes of its query, body and answer; from the
// one table come the routing, the checks, and the OpenAPI document. Each group lies in a file of its own (sandboxes.cc …), in the shape
//
//   struct Body { … };   constexpr Field kBody[] = { … };   FieldsOf(…)
//   Result<Reply<Answer>> Handle(Call& call, const Query& query, Body& body);
//   constexpr Operation kOperations[] = { Define<Query, Body, Answer, Handle>("POST", "/v1/…", "createX", "Makes an X.", 201), … };
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "api/config/config.h"
#include "api/rest/metrics.h"
#include "api/rest/tickets.h"
#include "net/exchange.h"
#include "registry/registry.h"
#include "tools/schema/field.h"

namespace paddock::api {

class SessionService;

namespace json = boost::json;
using tools::Field;
using tools::Optional;
using tools::Required;
using tools::Shown;

// Of the daemon as a whole; one owner gets three quarters of either. A request holds a handler until it is answered, a stream a connection.
constexpr size_t kMostHandlers = 2048, kMostConnections = 8192;

// What operations work on; outlives the server.
struct Services {
  registry::Registry& registry;
  std::string version;                 // of the program
  std::string scratch_directory;       // of the host, for what does not fit into memory
  SessionService* sessions = nullptr;  // null: there are none
  RateConfig rates = {.currency = "USD"};
  std::unique_ptr<Tickets> tickets = std::make_unique<Tickets>();
  std::unique_ptr<Metrics> metrics = std::make_unique<Metrics>();
  std::shared_ptr<net::Shares> requests = std::make_shared<net::Shares>(kMostHandlers / 4 * 3, "requests");
  std::unique_ptr<net::Shares> streams = std::make_unique<net::Shares>(kMostConnections / 4 * 3, "streams");
};

// One request on its way through an operation.
struct Call {
  Services& services;
  net::Exchange& exchange;
  registry::Caller caller;
  Access access = Access::kAnyone;   // what the caller may do
  std::map<std::string, std::string, std::less<>> parameters;   // of the path

  const std::string& operator[](std::string_view name) const { return parameters.find(name)->second; }
};

// No query, no body, no answer.
struct Nothing {};
inline std::span<const Field> FieldsOf(const Nothing*) { return {}; }
// A body, or an answer, of bytes that the handler reads or writes itself.
struct Bytes {};
inline std::span<const Field> FieldsOf(const Bytes*) { return {}; }

struct Operation {
  enum class Content { kNone, kJson, kBytes };

  const char* method;
  const char* path;          // "/v1/sandboxes/{sandbox}"
  const char* id;            // camelCase, unique
  const char* summary;       // one line
  Access access;
  int status;                // of success
  Content body, answer;
  bool can_stream;           // the answer may be text/event-stream, for who accepts that
  std::span<const Field> query;
  json::object (*body_schema)();
  json::object (*answer_schema)();
  // Reads what it needs, does it, and answers. The error becomes the answer's.
  Status (*run)(Call& call, const json::object& query, const json::value& body);
  bool takes_ticket = false;   // a ticket in the query stands for the key
  bool takes_key = false;      // an Idempotency-Key: a repetition gets what the first one made
};
constexpr const char* kIdempotencyKey = "Idempotency-Key";
constexpr size_t kMostIdempotencyKey = 255;   // bytes
inline Operation TakesKey(Operation operation) {
  operation.takes_key = true;
  return operation;
}
// Empty: there is none. Errors: kInvalid.
Result<std::string> IdempotencyKeyOf(const Call& call);

// Errors as clients see them: {"error": {"code": "not_found", "message": "…"}}.
int StatusOf(Code code);
const char* NameOf(Code code);
std::string ErrorText(const Error& error);

Status Answer(Call& call, int status, const json::value& value);
// Whether the client asks for server-sent events.
bool WantsEvents(const net::Request& request);

template <class Query, class Body, class Result_, Result<Result_> (*kHandle)(Call&, const Query&, Body&), int kStatus>
Status RunJson(Call& call, const json::object& query, const json::value& body) {
  Query read_query{};
  PADDOCK_TRY(tools::ReadObject(query, FieldsOf(&read_query), "", &read_query));
  Body read_body{};
  if constexpr (!std::is_same_v<Body, Nothing> && !std::is_same_v<Body, Bytes>) {
    PADDOCK_TRY(tools::ReadObject(body, FieldsOf(&read_body), "", &read_body));
  }
  auto done = kHandle(call, read_query, read_body);
  if (!done) return done.error();
  if (call.exchange.has_answered()) return {};
  if constexpr (std::is_same_v<Result_, Nothing> || std::is_same_v<Result_, Bytes>) {
    return call.exchange.Respond(204, {}, "");
  } else {
    return Answer(call, kStatus, tools::WriteObject(FieldsOf(&*done), &*done));
  }
}

// Answers 200 with what was made before, else leaves the answer to its caller.
template <class Shape>
Result<Shape> MadeShape(Call& call, Shape shape, bool is_new) {
  if (!is_new) PADDOCK_TRY(Answer(call, 200, tools::WriteObject(FieldsOf(&shape), &shape)));
  return shape;
}

template <class T>
constexpr Operation::Content ContentOf() {
  if constexpr (std::is_same_v<T, Nothing>) return Operation::Content::kNone;
  else if constexpr (std::is_same_v<T, Bytes>) return Operation::Content::kBytes;
  else return Operation::Content::kJson;
}

template <class T>
json::object SchemaOf() {
  const T fresh{};
  return tools::ObjectSchema(FieldsOf(&fresh), &fresh);
}

template <class Query, class Body, class Result_, Result<Result_> (*kHandle)(Call&, const Query&, Body&), int kStatus = 200>
Operation Define(const char* method, const char* path, const char* id, const char* summary, Access access, bool can_stream = false) {
  const Query* none = nullptr;
  return {.method = method,
          .path = path,
          .id = id,
          .summary = summary,
          .access = access,
          .status = ContentOf<Result_>() == Operation::Content::kNone ? 204 : kStatus,
          .body = ContentOf<Body>(),
          .answer = ContentOf<Result_>(),
          .can_stream = can_stream,
          .query = FieldsOf(none),
          .body_schema = SchemaOf<Body>,
          .answer_schema = SchemaOf<Result_>,
          .run = RunJson<Query, Body, Result_, kHandle, kStatus>};
}

// All of them, in the order of the document.
std::span<const Operation> AllOperations();

}  // namespace paddock::api
