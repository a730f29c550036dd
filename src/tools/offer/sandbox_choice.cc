#include "tools/offer/sandbox_choice.h"

#include <chrono>
#include <cstdio>

namespace paddock::tools {
namespace {

constexpr const char* kStates[] = {"created", "running", "paused", "stopped", "dead"};
constexpr const char* kReaches[] = {"none", "isolated", "egress", "bridge"};

constexpr Field kLimitFields[] = {
    Shown<&ShownLimits::memory_bytes>("memory_bytes", "Memory of all its processes."),
    Shown<&ShownLimits::cpus>("cpus", "Processor cores."),
    Shown<&ShownLimits::pids>("pids", "Processes at once."),
    Shown<&ShownLimits::disk_bytes>("disk_bytes", "Its own files."),
};

constexpr Field kPortFields[] = {
    Shown<&ShownPort::port>("port", "Where a program inside listens."),
    Shown<&ShownPort::address>("address", "Where people reach it, on the machine of the sandboxes."),
};

constexpr Field kSandboxFields[] = {
    Shown<&ShownSandbox::sandbox_id>("sandbox_id", "What other tools take as sandbox_id."),
    Shown<&ShownSandbox::name>("name", "Its name in this session."),
    Shown<&ShownSandbox::title>("title", "What it is for; may be empty."),
    Shown<&ShownSandbox::state>("state", "Only a running one runs commands."),
    Shown<&ShownSandbox::exit_code>("exit_code", "Of a dead one, where known."),
    Shown<&ShownSandbox::isolation>("isolation", "The kind of wall around it."),
    Shown<&ShownSandbox::image>("image", "Null where there are no images."),
    Shown<&ShownSandbox::runtime>("runtime", "Container runtime, where there is one."),
    Shown<&ShownSandbox::user_namespace>("user_namespace", "Whether user 0 inside is another user outside; null: not known."),
    Shown<&ShownSandbox::working_dir>("working_dir", "Where commands start."),
    Shown<&ShownSandbox::network>("network", "What code inside reaches: nothing, its own network, allowed destinations, everything."),
    Shown<&ShownSandbox::ports>("ports", "Ports inside that people reach from outside, while it runs."),
    Shown<&ShownSandbox::limits>("limits", "Null: not limited."),
    Shown<&ShownSandbox::created_at>("created_at", "UTC."),
    Shown<&ShownSandbox::last_used_at>("last_used_at", "UTC."),
    Shown<&ShownSandbox::auto_stop_at>("auto_stop_at", "When it will be stopped if it is not used; null: never."),
    Shown<&ShownSandbox::lease_expires_at>("lease_expires_at", "When it will be given back; null: not by time."),
    Shown<&ShownSandbox::warnings>("warnings", "What could not be had as asked for."),
};

std::string Listed(const std::vector<SandboxInfo>& sandboxes) {
  std::string text;
  for (const SandboxInfo& info : sandboxes) text += (text.empty() ? "" : ", ") + info.id + (info.name.empty() ? "" : " (" + info.name + ")");
  return text;
}

}  // namespace

std::span<const char* const> NamesOf(SandboxState) { return kStates; }
std::span<const char* const> NamesOf(NetworkReach) { return kReaches; }
std::span<const Field> FieldsOf(const ShownLimits*) { return kLimitFields; }
std::span<const Field> FieldsOf(const ShownPort*) { return kPortFields; }
std::span<const Field> FieldsOf(const ShownSandbox*) { return kSandboxFields; }

std::string TimeText(Nanoseconds since_1970) {
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(since_1970);
  const auto days = std::chrono::floor<std::chrono::days>(milliseconds);
  const std::chrono::year_month_day date{std::chrono::sys_days(days)};
  const std::chrono::hh_mm_ss time(milliseconds - days);
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                static_cast<int>(time.seconds().count()), static_cast<int>(time.subseconds().count()));
  return text;
}

ShownSandbox Show(const SandboxInfo& info) {
  const auto optional_text = [](const std::string& text) { return text.empty() ? std::optional<std::string>() : text; };
  const auto optional_time = [](std::optional<Nanoseconds> time) { return time ? std::optional<std::string>(TimeText(*time)) : std::nullopt; };
  ShownSandbox shown;
  shown.sandbox_id = info.id;
  shown.name = info.name;
  shown.title = info.title;
  shown.state = info.state;
  if (info.exit_code) shown.exit_code = *info.exit_code;
  shown.isolation = info.isolation;
  shown.image = optional_text(info.image);
  shown.runtime = optional_text(info.runtime);
  shown.working_dir = info.working_directory;
  shown.network = info.network;
  shown.user_namespace = info.has_user_namespace;
  for (const policy::PublishedPort& port : info.ports) shown.ports.push_back({.port = port.guest, .address = "127.0.0.1:" + std::to_string(port.host)});
  shown.limits = {.memory_bytes = info.limits.memory_bytes, .cpus = info.limits.cpus, .pids = info.limits.processes, .disk_bytes = info.limits.disk_bytes};
  shown.created_at = TimeText(info.created_at);
  shown.last_used_at = TimeText(info.last_used_at);
  shown.auto_stop_at = optional_time(info.auto_stop_at);
  shown.lease_expires_at = optional_time(info.lease_expires_at);
  shown.warnings = info.warnings;
  return shown;
}

Result<std::shared_ptr<SandboxAccess>> ChooseSandbox(CallContext& context, const std::optional<std::string>& id) {
  if (id) return context.session.Find(*id);
  PADDOCK_ASSIGN(std::vector<SandboxInfo> sandboxes, context.session.List());
  std::erase_if(sandboxes, [](const SandboxInfo& info) { return info.state == SandboxState::kDead; });
  if (sandboxes.empty()) return Error(Code::kNoEntry, "this session has no sandbox yet; call sandbox_create first");
  if (sandboxes.size() > 1) {
    return Error(Code::kInvalid, "this session has " + std::to_string(sandboxes.size()) + " sandboxes; say which one with sandbox_id: " + Listed(sandboxes));
  }
  return context.session.Find(sandboxes.front().id);
}

Result<std::shared_ptr<SandboxAccess>> ChooseOrCreateSandbox(CallContext& context) {
  PADDOCK_ASSIGN(const std::vector<SandboxInfo> sandboxes, context.session.List());
  if (!sandboxes.empty()) return ChooseSandbox(context, std::nullopt);
  CreateRequest request = context.defaults.create;
  request.idempotency_key = "first";
  return context.session.Create(request);
}

}  // namespace paddock::tools
