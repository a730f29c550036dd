#include "tools/tool.h"

#include "text/repair_utf8.h"
#include "text/utf8.h"

namespace paddock::tools {
namespace {

const char* ErrorName(Code code) {
  switch (code) {
    case Code::kInvalid:
    case Code::kSyntax: return "invalid_argument";
    case Code::kNoEntry:
    case Code::kNoProcess: return "not_found";
    case Code::kExists: return "already_exists";
    case Code::kBusy: return "busy";
    case Code::kUnavailable:
    case Code::kNotSupported: return "unavailable";
    case Code::kAccess:
    case Code::kNotPermitted: return "permission_denied";
    case Code::kReadOnly: return "read_only";
    case Code::kIsDirectory: return "is_directory";
    case Code::kNotDirectory: return "not_a_directory";
    case Code::kFileTooBig: return "too_large";
    case Code::kNoSpace:
    case Code::kQuota:
    case Code::kLimit: return "limit_reached";
    case Code::kTimedOut: return "timed_out";
    case Code::kCancelled: return "cancelled";
    default: return "failed";
  }
}

}  // namespace

Hints EffectiveHints(const Tool& tool, const EffectiveRules& rules) {
  Hints hints = tool.hints;
  if (tool.is_open_by_network) hints.is_open_world = rules.is_network_open;
  return hints;
}

ToolResult Succeed(json::value data, std::string text) {
  ToolResult result;
  result.data = std::move(data.as_object());
  result.text = text.empty() ? json::serialize(result.data) : RepairUtf8(text);
  return result;
}

ToolResult Fail(const Error& error, const CallContext& context) {
  ToolResult result;
  const bool is_internal = error.code == Code::kInternal || error.code == Code::kIo;
  result.kind = is_internal ? ToolResult::Kind::kInternalError : ToolResult::Kind::kToolError;
  if (is_internal) {
    result.detail = error.Text();
    result.text = "internal error; it has been logged as call " + context.call_id + ". Trying again may help; other arguments will not";
  } else {
    result.text = RepairUtf8(error.Text());
  }
  result.data = {{"error", result.text}, {"code", is_internal ? "internal" : ErrorName(error.code)}};
  return result;
}

}  // namespace paddock::tools
