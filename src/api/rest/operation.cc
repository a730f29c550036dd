#include "api/rest/operation.h"

#include "api/rest/groups.h"
#include "text/utf8.h"

namespace paddock::api {

int StatusOf(Code code) {
  switch (code) {
    case Code::kInvalid:
    case Code::kSyntax:
    case Code::kNameTooLong:
    case Code::kArgumentsTooLong: return 400;
    case Code::kAccess:
    case Code::kNotPermitted:
    case Code::kReadOnly: return 403;
    case Code::kNoEntry:
    case Code::kNoProcess: return 404;
    case Code::kExists:
    case Code::kConflict:
    case Code::kBusy:
    case Code::kUnavailable:
    case Code::kNotDirectory:
    case Code::kIsDirectory:
    case Code::kNotEmpty:
    case Code::kBrokenPipe: return 409;
    case Code::kFileTooBig: return 413;
    case Code::kLimit:
    case Code::kQuota: return 429;
    case Code::kNotSupported:
    case Code::kNotImplemented: return 501;
    case Code::kTimedOut: return 504;
    case Code::kNoSpace: return 507;
    default: return 500;
  }
}

const char* NameOf(Code code) {
  switch (code) {
    case Code::kInvalid:
    case Code::kSyntax:
    case Code::kNameTooLong:
    case Code::kArgumentsTooLong: return "invalid";
    case Code::kAccess:
    case Code::kNotPermitted: return "forbidden";
    case Code::kReadOnly: return "read_only";
    case Code::kNoEntry:
    case Code::kNoProcess: return "not_found";
    case Code::kExists: return "exists";
    case Code::kConflict: return "conflict";
    case Code::kBusy: return "busy";
    case Code::kUnavailable: return "unavailable";
    case Code::kNotDirectory: return "not_a_directory";
    case Code::kIsDirectory: return "is_a_directory";
    case Code::kNotEmpty: return "not_empty";
    case Code::kBrokenPipe: return "closed";
    case Code::kFileTooBig: return "too_large";
    case Code::kLimit: return "limit";
    case Code::kQuota: return "quota";
    case Code::kNotSupported:
    case Code::kNotImplemented: return "not_supported";
    case Code::kTimedOut: return "timeout";
    case Code::kNoSpace: return "no_space";
    default: return "internal";
  }
}

std::string ErrorText(const Error& error) {
  json::object inner;
  inner["code"] = NameOf(error.code);
  inner["message"] = tools::Json<std::string>::Write(std::string(error.Text()));
  return json::serialize(json::object{{"error", std::move(inner)}});
}

Result<std::string> IdempotencyKeyOf(const Call& call) {
  const net::Request& asked = call.exchange.request();
  if (asked.CountHeader(kIdempotencyKey) > 1) return Error(Code::kInvalid, "Idempotency-Key: give it once");
  const std::string* key = asked.Header(kIdempotencyKey);
  if (key == nullptr) return std::string();
  if (key->empty() || key->size() > kMostIdempotencyKey || !IsValidUtf8(*key)) return Error(Code::kInvalid, "Idempotency-Key must have 1 to 255 bytes of UTF-8");
  return *key;
}

Status Answer(Call& call, int status, const json::value& value) {
  return call.exchange.Respond(status, {{"Content-Type", "application/json"}}, json::serialize(value));
}

bool WantsEvents(const net::Request& request) {
  const std::string* accepts = request.Header("Accept");
  return accepts != nullptr && accepts->find("text/event-stream") != std::string::npos;
}

std::span<const Operation> AllOperations() {
  static const std::vector<Operation> all = [] {
    std::vector<Operation> list;
    for (const auto group : {SystemOperations, SandboxOperations, ExecOperations, FileOperations, SnapshotOperations, TemplateOperations, EventOperations,
                             TerminalOperations, SearchOperations, ArchiveOperations, MetricsOperations,
                             UsageOperations, LogOperations, WatchOperations, SessionOperations, DefinitionOperations}) {
      const std::vector<Operation> operations = group();
      list.insert(list.end(), operations.begin(), operations.end());
    }
    return list;
  }();
  return all;
}

}  // namespace paddock::api
