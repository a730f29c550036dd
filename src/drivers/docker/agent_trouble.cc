#include "drivers/docker/agent_trouble.h"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <csignal>

#include "drivers/docker/agent_volume.h"
#include "drivers/docker/engine/json_fields.h"
#include "drivers/docker/engine/names.h"

namespace paddock::docker {
namespace {

namespace json = boost::json;

constexpr std::array kNotExecuted{"exec format error", "permission denied", "operation not permitted"};
constexpr std::array kSignals{SIGILL, SIGBUS, SIGSEGV, SIGSYS};
constexpr std::chrono::minutes kHowLongAgo{10};
constexpr std::chrono::seconds kPatience{10};
constexpr size_t kMostEvents = 256 << 10;

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// Runtimes name the program that they execute, or, older ones, "exec user process". An agent's own words do neither.
std::optional<std::string> NotExecuted(std::string_view text) {
  const std::string lower = Lower(text);
  if (lower.find(kAgentProgram) == lower.npos && lower.find("exec user process") == lower.npos) return std::nullopt;
  for (const char* reason : kNotExecuted) {
    if (lower.find(reason) != lower.npos) return std::string(reason);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> WhyAgentCannotRun(const SilentAgent& agent) {
  if (!agent.start_error.empty()) return NotExecuted(agent.start_error);
  if (!agent.complaint.empty()) return NotExecuted(agent.complaint);
  for (const int signal : kSignals) {
    if (agent.exit_code == 128 + signal) return "it is killed by signal " + std::to_string(signal);
  }
  return std::nullopt;
}

std::optional<int> ExitCodeOf(const Engine& engine, const std::string& container_id) {
  if (!IsFullId(container_id)) return std::nullopt;
  // Its stream may end a moment before it does.
  const auto waited = engine.Call({.method = "POST", .path = "/containers/" + container_id + "/wait", .time = kPatience});
  if (!waited) return std::nullopt;
  const json::value said = waited->Json();
  const auto told = waited->status == 200 ? NumberOf(Field(&said, "StatusCode")) : std::nullopt;
  if (told && *told >= 0 && *told <= 255 && !engine.is_podman()) return static_cast<int>(*told);
  // It has removed itself, and is in the engine's memory only: 404, but from Podman also 0, whatever it was.
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
  const json::object filters{{"container", json::array{container_id}}, {"type", json::array{"container"}}};
  EngineCall call{.path = "/events", .query = {{"since", std::to_string((now - kHowLongAgo).count())}, {"until", std::to_string(now.count() + 1)}, {"filters", json::serialize(filters)}},
                  .time = kPatience};
  const auto answer = engine.Expect(std::move(call), {200});
  if (!answer || answer->body.size() > kMostEvents) return std::nullopt;
  std::optional<int> code;
  for (std::string_view rest = answer->body; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const json::value event = EngineAnswer{.status = 200, .body = std::string(line)}.Json();
    const std::string action = TextOf(Field(&event, "Action"));
    if (action != "die" && action != "died") continue;
    for (const char* name : {"exitCode", "containerExitCode"}) {
      const std::string text = TextOf(FieldAt(event, {"Actor", "Attributes", name}));
      int value = 0;
      const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
      if (!text.empty() && parsed.ec == std::errc() && parsed.ptr == text.data() + text.size()) code = value;
    }
  }
  return code;
}

}  // namespace paddock::docker
