#include "api/rest/shapes.h"

#include <algorithm>
#include <array>
#include <ctime>

#include "policy/amount.h"
#include "policy/host_pattern.h"
#include "text/base64.h"
#include "text/utf8.h"

namespace paddock::registry {

std::span<const char* const> NamesOf(OnExpiry) {
  static constexpr const char* kNames[] = {"pause", "stop", "delete"};
  return kNames;
}
std::span<const char* const> NamesOf(SandboxState) {
  static constexpr const char* kNames[] = {"running", "paused", "stopped", "deleting"};
  return kNames;
}
std::span<const char* const> NamesOf(ProcessState) {
  static constexpr const char* kNames[] = {"queued", "running", "exited"};
  return kNames;
}

}  // namespace paddock::registry

namespace paddock::sandbox {

std::span<const char* const> NamesOf(Termination::Reason) {
  static constexpr const char* kNames[] = {"exit", "signal", "oom", "pids", "cpu", "timeout", "disk", "output_cap", "policy",
                                           "cancelled", "depth", "deadlock", "infra"};
  return kNames;
}

}  // namespace paddock::sandbox

namespace paddock::api {
namespace {

constexpr Field kLimits[] = {
    Optional<&LimitsShape::memory>("memory", "Bytes of memory; virtual: of each exec."),
    Optional<&LimitsShape::processes>("processes", "Live processes.", {.min = 1}),
    Optional<&LimitsShape::cpus>("cpus", "Processor cores."),
    Optional<&LimitsShape::disk>("disk", "Bytes of the sandbox's own files."),
    Optional<&LimitsShape::files>("files", "Number of the sandbox's own files.", {.min = 1}),
    Optional<&LimitsShape::exec_time>("exec_time", "Wall clock of each exec that does not say: \"30s\", \"5m\"."),
    Optional<&LimitsShape::cpu_time>("cpu_time", "Processor time of each exec; process: of those that run at the same time together."),
    Optional<&LimitsShape::output>("output", "Bytes that an exec may write to stdout and stderr."),
};

constexpr Field kNetwork[] = {
    Optional<&NetworkShape::allow>("allow", "Hosts that may be reached, with ports where given: \"pypi.org:443\", \"*.example.org\". None: no network.",
                                   {.max_length = 300, .max_items = 256}),
    Optional<&NetworkShape::publish>("publish", "Ports inside that the daemon's machine reaches on its loopback: \":3000\" by any free port, \"8080:3000\" by 8080, \"3000\" by the same.",
                                     {.max_length = 11, .max_items = 64}),
};

constexpr Field kPort[] = {
    Shown<&PortShape::port>("port", "Inside."),
    Shown<&PortShape::host_port>("host_port", "Of the daemon's machine."),
    Shown<&PortShape::address>("address", "What to connect to there."),
};

constexpr Field kPosture[] = {
    Shown<&PostureShape::runtime>("runtime", "The container runtime that was found; null: none, or not known."),
    Shown<&PostureShape::user_map>("user_map", "First line of the user namespace's map: \"0 100000 65536\"."),
    Shown<&PostureShape::root_is_somebody_else>("root_is_somebody_else", "Whether user 0 inside is another user outside."),
    Shown<&PostureShape::seccomp>("seccomp", "Whether a seccomp filter holds."),
    Shown<&PostureShape::no_new_privileges>("no_new_privileges", "Whether programs gain no rights by being started."),
    Shown<&PostureShape::capabilities>("capabilities", "Of all sets together, in hexadecimal as in /proc."),
};

constexpr Field kLease[] = {
    Optional<&LeaseShape::ttl>("ttl", "Life from creation, or from the last extension: \"1h\"."),
    Optional<&LeaseShape::idle_ttl>("idle_ttl", "Life without an exec, a stream or a transfer: \"10m\"."),
    Optional<&LeaseShape::max_lifetime>("max_lifetime", "Life from creation, whatever is extended; then it is deleted."),
    Optional<&LeaseShape::remove_after>("remove_after", "Time until one that ttl or idle_ttl has put to rest is deleted, unless somebody wakes it: \"20m\"."),
    Optional<&LeaseShape::on_expiry>("on_expiry", "What becomes of it when ttl or idle_ttl is over."),
};

constexpr Field kCreate[] = {
    Optional<&CreateBody::name>("name", "Unique among your sandboxes.", {.max_length = 63}),
    Optional<&CreateBody::get_or_create>("get_or_create", "Answer with the sandbox of that name if there is one."),
    Optional<&CreateBody::isolation>("isolation", "The wall: see GET /v1/isolations; empty: the daemon's own choice.", {.max_length = 63}),
    Optional<&CreateBody::image>("image", "Of a container: a reference such as \"ubuntu:24.04\"; empty: the daemon's own choice.", {.max_length = 512}),
    Optional<&CreateBody::runtime>("runtime", "Of a container: runc, sysbox-runc, kata or gvisor, as the daemon allows; empty: its own choice.", {.max_length = 64}),
    Optional<&CreateBody::snapshot>("snapshot", "Id or name of the snapshot that it begins as.", {.max_length = 63}),
    Optional<&CreateBody::template_name>("template", "Id of the template that it begins from, or NAME (the newest), or NAME@VERSION.", {.max_length = 90}),
    Optional<&CreateBody::labels>("labels", "For filters.", {.max_items = 64}),
    Optional<&CreateBody::environment>("environment", "Variables of every exec.", {.max_items = 256}),
    Optional<&CreateBody::working_directory>("working_directory", "Absolute path where execs start.", {.max_length = 4095}),
    Optional<&CreateBody::hostname>("hostname", "What the sandbox calls itself.", {.max_length = 63}),
    Optional<&CreateBody::limits>("limits", "What it may use."),
    Optional<&CreateBody::network>("network", "What it may reach."),
    Optional<&CreateBody::lease>("lease", "How long it lives."),
};

constexpr Field kSandbox[] = {
    Shown<&SandboxShape::id>("id", "sbx_ and 20 characters."),
    Shown<&SandboxShape::name>("name", "Empty: none."),
    Shown<&SandboxShape::owner>("owner", "Whose it is."),
    Shown<&SandboxShape::isolation>("isolation", "The wall."),
    Shown<&SandboxShape::state>("state", "Whether it runs."),
    Shown<&SandboxShape::labels>("labels", "For filters."),
    Shown<&SandboxShape::environment>("environment", "Variables of every exec."),
    Shown<&SandboxShape::working_directory>("working_directory", "Where execs start; empty: the isolation's own."),
    Shown<&SandboxShape::command>("command", "What an exec without script and command runs: its image's entrypoint and command; empty: none."),
    Shown<&SandboxShape::user>("user", "UID:GID of execs, from its image; null: the isolation's own."),
    Shown<&SandboxShape::image>("image", "Of a container; null: the daemon's own choice, or none."),
    Shown<&SandboxShape::runtime>("runtime", "Of a container; null: the daemon's own choice, or none."),
    Shown<&SandboxShape::hostname>("hostname", "What the sandbox calls itself."),
    Shown<&SandboxShape::origin>("origin", "The snapshot or template that it began as, or the sandbox that it is a fork of; null: none of them."),
    Shown<&SandboxShape::limits>("limits", "What it may use; what is absent is the isolation's own."),
    Shown<&SandboxShape::network>("network", "What it may reach."),
    Shown<&SandboxShape::lease>("lease", "How long it lives."),
    Shown<&SandboxShape::created_at>("created_at", "RFC 3339."),
    Shown<&SandboxShape::updated_at>("updated_at", "When it last changed its state."),
    Shown<&SandboxShape::last_active_at>("last_active_at", "When it was last used."),
    Shown<&SandboxShape::expires_at>("expires_at", "When its lease ends if nothing happens."),
    Shown<&SandboxShape::expires_by>("expires_by", "What of the lease ends then."),
    Shown<&SandboxShape::running>("running", "Execs that run or wait."),
    Shown<&SandboxShape::ports>("ports", "Published ports, while it stands."),
    Shown<&SandboxShape::posture>("posture", "How its code was found to be confined when it stood up; null where the wall does not tell, and at rest."),
    Shown<&SandboxShape::warnings>("warnings", "What this host could not give, with the remedy."),
};

constexpr Field kTermination[] = {
    Shown<&TerminationShape::reason>("reason", "How it ended."),
    Shown<&TerminationShape::limit>("limit", "The limit that was reached; empty: none."),
    Shown<&TerminationShape::peak>("peak", "How much of it was used, in its unit."),
    Shown<&TerminationShape::signal>("signal", "The signal that ended it; 0: none."),
};

constexpr Field kProcess[] = {
    Shown<&ProcessShape::id>("id", "proc_ and 20 characters."),
    Shown<&ProcessShape::sandbox_id>("sandbox_id", "Where it runs."),
    Shown<&ProcessShape::command>("command", "What was asked for."),
    Shown<&ProcessShape::state>("state", "Whether it runs."),
    Shown<&ProcessShape::created_at>("created_at", "When it was asked for."),
    Shown<&ProcessShape::started_at>("started_at", "When it began; null: it waits for its turn."),
    Shown<&ProcessShape::ended_at>("ended_at", "When it ended."),
    Shown<&ProcessShape::exit_code>("exit_code", "Null while it runs, and when something else than itself ended it."),
    Shown<&ProcessShape::termination>("termination", "How it ended."),
    Shown<&ProcessShape::duration_ms>("duration_ms", "How long it ran."),
    Shown<&ProcessShape::output_bytes>("output_bytes", "Written so far, both streams together."),
    Shown<&ProcessShape::denials>("denials", "What the policy refused, one line each."),
    Shown<&ProcessShape::failure>("failure", "Why it could not be run, or what it changed not be kept; else null."),
};

Result<std::optional<registry::Duration>> TimeOf(const char* field, const std::optional<std::string>& text) {
  if (!text) return std::optional<registry::Duration>();
  const auto time = policy::ParseTimeSpan(*text);
  if (!time) return Error(Code::kInvalid, std::string(field) + ": " + std::string(time.error().Text()));
  return std::optional(std::chrono::duration_cast<registry::Duration>(*time));
}

std::optional<std::string> TextOfTime(const std::optional<registry::Duration>& time) {
  if (!time) return std::nullopt;
  return policy::TimeSpanText(*time);
}

std::optional<tools::ByteAmount> Amount(const std::optional<uint64_t>& bytes) {
  if (!bytes) return std::nullopt;
  return tools::ByteAmount{*bytes};
}

std::optional<uint64_t> BytesOf(const std::optional<tools::ByteAmount>& amount) {
  if (!amount) return std::nullopt;
  return amount->bytes;
}

}  // namespace

std::span<const Field> FieldsOf(const LimitsShape*) { return kLimits; }
std::span<const Field> FieldsOf(const NetworkShape*) { return kNetwork; }
std::span<const Field> FieldsOf(const LeaseShape*) { return kLease; }
std::span<const Field> FieldsOf(const PortShape*) { return kPort; }
std::span<const Field> FieldsOf(const PostureShape*) { return kPosture; }
std::span<const Field> FieldsOf(const CreateBody*) { return kCreate; }
std::span<const Field> FieldsOf(const SandboxShape*) { return kSandbox; }
std::span<const Field> FieldsOf(const TerminationShape*) { return kTermination; }
std::span<const Field> FieldsOf(const ProcessShape*) { return kProcess; }

Result<registry::Lease> LeaseOf(const LeaseShape& shape, const registry::Lease& otherwise) {
  registry::Lease lease = otherwise;
  const auto take = [](std::optional<registry::Duration>& to, const char* field, const std::optional<std::string>& text) -> Status {
    PADDOCK_ASSIGN(const std::optional<registry::Duration> time, TimeOf(field, text));
    if (time) to = time;
    return {};
  };
  PADDOCK_TRY(take(lease.ttl, "lease.ttl", shape.ttl));
  PADDOCK_TRY(take(lease.idle_ttl, "lease.idle_ttl", shape.idle_ttl));
  PADDOCK_TRY(take(lease.max_lifetime, "lease.max_lifetime", shape.max_lifetime));
  PADDOCK_TRY(take(lease.remove_after, "lease.remove_after", shape.remove_after));
  if (shape.on_expiry) lease.on_expiry = *shape.on_expiry;
  return lease;
}

Result<registry::SandboxRequest> RequestOf(const CreateBody& body) {
  registry::SandboxRequest request;
  request.name = body.name;
  request.takes_existing = body.get_or_create;
  request.isolation = body.isolation;
  request.container = {.engine = {}, .image = body.image, .runtime = body.runtime};
  if (body.snapshot && body.template_name) return Error(Code::kInvalid, "template: give it, or snapshot, not both");
  if (body.snapshot) request.base = "snapshot:" + *body.snapshot;
  if (body.template_name) request.base = "template:" + *body.template_name;
  request.labels = body.labels;
  request.environment = body.environment;
  request.working_directory = body.working_directory;
  request.hostname = body.hostname;
  request.limits = {.memory_bytes = BytesOf(body.limits.memory), .processes = body.limits.processes, .disk_bytes = BytesOf(body.limits.disk),
                    .files = body.limits.files, .output_bytes = BytesOf(body.limits.output)};
  if (body.limits.cpus) request.limits.cpus = body.limits.cpus->cores;
  PADDOCK_ASSIGN(request.limits.exec_time, TimeOf("limits.exec_time", body.limits.exec_time));
  PADDOCK_ASSIGN(request.limits.cpu_time, TimeOf("limits.cpu_time", body.limits.cpu_time));
  PADDOCK_ASSIGN(request.network, policy::AllowHosts(body.network.allow, "network.allow"));
  for (const std::string& text : body.network.publish) {
    const auto port = policy::ParsePublishedPort(text);
    if (!port) return Error(Code::kInvalid, "network.publish: '" + text + "': " + std::string(port.error().Text()));
    request.network.publish.push_back(*port);
  }
  PADDOCK_ASSIGN(request.lease, LeaseOf(body.lease, registry::Lease{}));
  request.has_on_expiry = body.lease.on_expiry.has_value();
  return request;
}

PostureShape ShapeOf(const sandbox::Posture& posture) {
  PostureShape shape{.root_is_somebody_else = posture.is_root_somebody_else, .seccomp = posture.has_seccomp_filter, .no_new_privileges = posture.has_no_new_privileges};
  if (!posture.runtime.empty()) shape.runtime = posture.runtime;
  if (!posture.user_map.empty()) shape.user_map = posture.user_map;
  if (posture.capabilities) shape.capabilities = sandbox::CapabilityText(*posture.capabilities);
  return shape;
}

SandboxShape ShapeOf(const registry::SandboxInfo& info) {
  const registry::SandboxRequest& request = info.request;
  SandboxShape shape;
  shape.id = info.id;
  shape.name = request.name;
  shape.owner = info.owner;
  shape.isolation = request.isolation;
  shape.state = info.state;
  shape.labels = request.labels;
  shape.environment = request.environment;
  shape.working_directory = request.working_directory.empty() ? request.image.working_directory : request.working_directory;
  shape.command = request.image.command;
  if (const auto& user = request.image.user) shape.user = std::to_string(user->uid) + ":" + std::to_string(user->gid);
  if (!request.container.image.empty()) shape.image = request.container.image;
  if (!request.container.runtime.empty()) shape.runtime = request.container.runtime;
  shape.hostname = request.hostname;
  if (!request.base.empty()) shape.origin = request.base;
  const registry::SandboxLimits& limits = request.limits;
  shape.limits = {.memory = Amount(limits.memory_bytes), .processes = limits.processes, .disk = Amount(limits.disk_bytes), .files = limits.files,
                  .exec_time = TextOfTime(limits.exec_time), .cpu_time = TextOfTime(limits.cpu_time), .output = Amount(limits.output_bytes)};
  if (limits.cpus) shape.limits.cpus = tools::CoreAmount{*limits.cpus};
  for (const policy::NetworkRule& rule : request.network.rules) shape.network.allow.push_back(policy::HostAndPortsText(rule.host, rule.ports));
  for (const policy::PublishedPort& port : request.network.publish) shape.network.publish.push_back(policy::PublishedPortText(port));
  for (const policy::PublishedPort& port : info.ports) {
    shape.ports.push_back({.port = port.guest, .host_port = port.host, .address = "127.0.0.1:" + std::to_string(port.host)});
  }
  if (info.posture) shape.posture = ShapeOf(*info.posture);
  shape.lease = {.ttl = TextOfTime(request.lease.ttl), .idle_ttl = TextOfTime(request.lease.idle_ttl),
                 .max_lifetime = TextOfTime(request.lease.max_lifetime), .remove_after = TextOfTime(request.lease.remove_after), .on_expiry = request.lease.on_expiry};
  shape.created_at = TimeText(info.created);
  shape.updated_at = TimeText(info.updated);
  shape.last_active_at = TimeText(info.last_active);
  if (info.expiry) {
    shape.expires_at = TimeText(info.expiry->at);
    shape.expires_by = registry::CauseName(info.expiry->cause);
  }
  shape.running = info.running;
  shape.warnings = info.warnings;
  return shape;
}

TerminationShape ShapeOf(const sandbox::Termination& termination) {
  return {.reason = termination.reason, .limit = termination.limit, .peak = termination.peak, .signal = termination.signal};
}

ProcessShape ShapeOf(const registry::ProcessInfo& info) {
  ProcessShape shape;
  shape.id = info.id;
  shape.sandbox_id = info.sandbox_id;
  shape.command = info.command;
  shape.state = info.state;
  shape.created_at = TimeText(info.created);
  if (info.started) shape.started_at = TimeText(*info.started);
  if (info.ended) shape.ended_at = TimeText(*info.ended);
  shape.output_bytes = info.output_bytes;
  if (!info.failure.empty()) shape.failure = info.failure;
  if (info.result) {
    if (info.result->exit_code) shape.exit_code = *info.result->exit_code;
    shape.termination = ShapeOf(info.result->termination);
    shape.duration_ms = std::chrono::duration<double, std::milli>(info.result->duration).count();
    shape.denials = info.result->denials;
  }
  return shape;
}

std::string TimeText(registry::Time time) {
  // Years that RFC 3339 can write: an expiry may lie far beyond.
  const int64_t most = 253402300799999;
  const int64_t milliseconds = std::clamp<int64_t>(time.time_since_epoch().count(), 0, most);
  const std::time_t seconds = milliseconds / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  const size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  char fraction[8];
  std::snprintf(fraction, sizeof fraction, ".%03dZ", static_cast<int>(milliseconds % 1000));
  return std::string(text, size) + fraction;
}

OutputShape TextOf(std::string bytes) {
  if (IsValidUtf8(bytes)) return {std::move(bytes), false};
  return {EncodeBase64(bytes), true};
}

}  // namespace paddock::api
