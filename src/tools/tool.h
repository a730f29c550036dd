// Tools: the operations that a model is offered. One is a name, words, hints, the schemas of its arguments and of its result, and
// the function that does it in a session. Each lies in a file of its own below offer/, in the shape
//
//   struct Arguments { … };   constexpr Field kArguments[] = { … };   FieldsOf(…)
//   struct Output { … };      constexpr Field kOutput[] = { … };      FieldsOf(…)
//   Result<Answer<Output>> Run(CallContext& context, const Arguments& arguments);
//   }  // namespace
//   const Tool kSandboxList = DefineTool<Arguments, Output, Run>({.name = "sandbox_list", …});
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "tools/schema/field.h"
#include "tools/session/session_access.h"

namespace paddock::tools {

// What a caller may expect of a tool, for its user's consent. Not a promise: the wall is what holds.
struct Hints {
  bool is_readonly = false;       // changes nothing
  bool is_destructive = false;    // may lose what was there
  bool is_idempotent = false;     // a second call with the same arguments changes nothing more
  bool is_open_world = false;     // reaches what lies outside the session
  bool is_long_running = false;   // may take longer than a client's patience
  bool keeps_output = false;      // long output is kept as session files
};

// What of the session's rules the hints depend on.
struct EffectiveRules {
  bool is_network_open = false;   // code in the sandboxes reaches anything outside
};

// What the operator's configuration says about the sandboxes that tools make; see capability/sandbox_config.h.
struct SandboxDefaults {
  CreateRequest create;                           // limits and network in it are ceilings
  std::vector<std::string> image_allowlist;       // patterns; empty: any image
  std::chrono::milliseconds exec_timeout{300'000};
  std::chrono::milliseconds max_exec_timeout{600'000};
  size_t max_background = 5;                      // processes running at once in the session
  int64_t max_extend_minutes = 24 * 60;
};

// One call. Files of its output are named after `call_id` ([A-Za-z0-9_-], at most 64).
struct CallContext {
  SessionAccess& session;
  std::string call_id;
  SandboxDefaults defaults;
  std::stop_token stop;                // the client has gone or cancelled
  sandbox::OutputHandler on_output;    // gets output of execs as it comes; may be null
};

struct ToolResult {
  enum class Kind {
    kSuccess,
    kToolError,       // the model can do something about it: `text` says what
    kInternalError,   // it cannot: `text` is general, `detail` is for the log
  };
  Kind kind = Kind::kSuccess;
  json::object data;    // as the output schema says; {"error", "code"} otherwise
  std::string text;     // what the model reads
  std::string detail;
  bool is_error() const { return kind != Kind::kSuccess; }
};

struct Tool {
  const char* name = "";
  const char* title = "";
  const char* description = "";   // for a model: what it does and when to use it
  Hints hints;
  // Whether the open world depends on the network that the session's sandboxes have.
  bool is_open_by_network = false;
  json::object (*input_schema)() = nullptr;
  json::object (*output_schema)() = nullptr;
  // Checks the arguments and does it. Never throws; a failure is in the result.
  ToolResult (*call)(CallContext& context, const json::value& arguments) = nullptr;
};

Hints EffectiveHints(const Tool& tool, const EffectiveRules& rules);

// A result's data, and the text of it for the model.
template <class Output>
struct Answer {
  Output data;
  std::string text;
};

ToolResult Succeed(json::value data, std::string text);
// kInternal and kIo are internal errors, everything else is the model's.
ToolResult Fail(const Error& error, const CallContext& context);

template <class Arguments, class Output, Result<Answer<Output>> (*run)(CallContext&, const Arguments&)>
constexpr Tool DefineTool(Tool tool) {
  tool.input_schema = [] { return SchemaOf<Arguments>(); };
  tool.output_schema = [] { return SchemaOf<Output>(); };
  tool.call = [](CallContext& context, const json::value& arguments) {
    auto read = ReadAs<Arguments>(arguments);
    if (!read) return Fail(read.error(), context);
    auto answer = run(context, *read);
    if (!answer) return Fail(answer.error(), context);
    if (const Status kept = context.session.Settle(); !kept) return Fail(kept.error(), context);
    return Succeed(Json<Output>::Write(answer->data), std::move(answer->text));
  };
  return tool;
}

}  // namespace paddock::tools
