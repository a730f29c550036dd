// A session on virtual sandboxes, and calls of its tools, for tests.
#pragma once

#include <memory>
#include <string>

#include "commands/table.h"                  // allow(layers): tests play tools on the virtual driver
#include "drivers/virtual/virtual_driver.h"  // allow(layers): tests play tools on the virtual driver
#include "tools/offer/offer.h"
#include "tools/schema/parse_json.h"
#include "tools/session/direct_session.h"

namespace paddock::tools {

class SessionForTest {
 public:
  SessionForTest() : SessionForTest(DirectSettings{}) {}
  explicit SessionForTest(DirectSettings settings) {
    drivers_.Add(sandbox::MakeVirtualDriver(AllCommands()));
    session_ = std::make_unique<DirectSession>(drivers_, std::move(settings));
  }

  ToolResult Call(const Tool& tool, std::string_view arguments) {
    CallContext context{.session = *session_, .call_id = "call-" + std::to_string(++calls_), .defaults = defaults, .stop = {}, .on_output = nullptr};
    return tool.call(context, ParseJson(arguments).value());
  }
  CallContext Context() { return {.session = *session_, .call_id = "call-" + std::to_string(++calls_), .defaults = defaults, .stop = {}, .on_output = nullptr}; }
  // "exit code 0\n…" or "ERROR: …".
  std::string Text(const Tool& tool, std::string_view arguments) {
    const ToolResult result = Call(tool, arguments);
    return (result.is_error() ? "ERROR: " : "") + result.text;
  }
  DirectSession& session() { return *session_; }

  SandboxDefaults defaults;

 private:
  sandbox::DriverSet drivers_;
  std::unique_ptr<DirectSession> session_;
  int calls_ = 0;
};

inline std::string TextAt(const json::object& data, std::string_view key) {
  const json::value* const value = data.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string().c_str()) : "";
}

}  // namespace paddock::tools
