#include "drivers/docker/engine/execs.h"

#include <boost/json.hpp>

#include "drivers/docker/engine/json_fields.h"
#include "drivers/docker/engine/names.h"

namespace paddock::docker {
namespace {

namespace json = boost::json;

json::array Strings(const std::vector<std::string>& texts) {
  json::array array;
  for (const std::string& text : texts) array.emplace_back(text);
  return array;
}

Status CheckExecId(const std::string& id) {
  if (!IsFullId(id)) return Error(Code::kInvalid, "not the full id of an exec");
  return {};
}

}  // namespace

Result<std::string> CreateExec(const Engine& engine, const std::string& container_id, const EngineExecSpec& spec) {
  if (!IsFullId(container_id)) return Error(Code::kInvalid, "not the full id of a container");
  json::object body;
  body["Cmd"] = Strings(spec.command);
  body["Env"] = Strings(spec.environment);
  body["WorkingDir"] = spec.directory;
  body["AttachStdin"] = spec.has_input;
  body["AttachStdout"] = true;
  body["AttachStderr"] = true;
  body["Tty"] = spec.has_terminal;
  body["Privileged"] = false;   // Podman gives all capabilities for true, whatever the container has
  // Ctrl-P Ctrl-Q, the default keys that lead out of a terminal, are a program's to have.
  if (spec.has_terminal) body["DetachKeys"] = "ctrl-@,ctrl-@,ctrl-@,ctrl-@,ctrl-@,ctrl-@";
  PADDOCK_ASSIGN(const EngineAnswer answer, engine.Expect({.method = "POST", .path = "/containers/" + container_id + "/exec", .body = std::move(body)}, {201, 200}));
  const json::value said = answer.Json();
  std::string id = TextOf(Field(&said, "Id"));
  if (!IsFullId(id)) return Error(Code::kIo, "start a program in the container: the engine gave no id");
  return id;
}

Result<std::unique_ptr<net::ByteStream>> StartExec(const Engine& engine, const std::string& id, bool has_terminal) {
  PADDOCK_TRY(CheckExecId(id));
  return engine.Hijack({.method = "POST", .path = "/exec/" + id + "/start", .body = json::object{{"Detach", false}, {"Tty", has_terminal}}});
}

Result<EngineExecState> InspectExec(const Engine& engine, const std::string& id) {
  PADDOCK_TRY(CheckExecId(id));
  PADDOCK_ASSIGN(const EngineAnswer answer, engine.Expect({.path = "/exec/" + id + "/json"}, {200}));
  const json::value said = answer.Json();
  const json::value* const running = Field(&said, "Running");
  if (running == nullptr || !running->is_bool()) return Error(Code::kIo, "the engine did not say whether the program runs");
  EngineExecState state{.is_running = running->as_bool()};
  // Podman says 0 of one that runs.
  if (const auto code = NumberOf(Field(&said, "ExitCode")); !state.is_running && code && *code >= 0 && *code <= 255) state.exit_code = static_cast<int>(*code);
  return state;
}

Status ResizeExec(const Engine& engine, const std::string& id, uint32_t columns, uint32_t lines) {
  PADDOCK_TRY(CheckExecId(id));
  PADDOCK_TRY(engine.Expect({.method = "POST", .path = "/exec/" + id + "/resize", .query = {{"h", std::to_string(lines)}, {"w", std::to_string(columns)}}}, {200, 201}));
  return {};
}

}  // namespace paddock::docker
