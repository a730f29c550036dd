// How sandboxes and processes stand in JSON, and back.
#pragma once

#include "api/rest/operation.h"

// Found by the types' own namespaces.
namespace paddock::registry {
std::span<const char* const> NamesOf(OnExpiry);
std::span<const char* const> NamesOf(SandboxState);
std::span<const char* const> NamesOf(ProcessState);
}  // namespace paddock::registry
namespace paddock::sandbox {
std::span<const char* const> NamesOf(Termination::Reason);
}

namespace paddock::api {

using Texts = std::map<std::string, std::string>;

struct LimitsShape {
  std::optional<tools::ByteAmount> memory;
  std::optional<uint64_t> processes;
  std::optional<tools::CoreAmount> cpus;
  std::optional<tools::ByteAmount> disk;
  std::optional<uint64_t> files;
  std::optional<std::string> exec_time, cpu_time;
  std::optional<tools::ByteAmount> output;
};
struct NetworkShape {
  std::vector<std::string> allow, publish;
};
struct PortShape {
  uint64_t port = 0, host_port = 0;
  std::string address;
};
struct PostureShape {
  std::optional<std::string> runtime, user_map;
  std::optional<bool> root_is_somebody_else, seccomp, no_new_privileges;
  std::optional<std::string> capabilities;
};
struct LeaseShape {
  std::optional<std::string> ttl, idle_ttl, max_lifetime, remove_after;
  std::optional<registry::OnExpiry> on_expiry;
};
struct CreateBody {
  std::string name;
  bool get_or_create = false;
  std::string isolation;
  std::string image, runtime;
  std::optional<std::string> snapshot, template_name;
  Texts labels, environment;
  std::string working_directory;
  std::string hostname = "paddock";
  LimitsShape limits;
  NetworkShape network;
  LeaseShape lease;
};
std::span<const Field> FieldsOf(const LimitsShape*);
std::span<const Field> FieldsOf(const NetworkShape*);
std::span<const Field> FieldsOf(const LeaseShape*);
std::span<const Field> FieldsOf(const PortShape*);
std::span<const Field> FieldsOf(const PostureShape*);
std::span<const Field> FieldsOf(const CreateBody*);

Result<registry::SandboxRequest> RequestOf(const CreateBody& body);
Result<registry::Lease> LeaseOf(const LeaseShape& shape, const registry::Lease& otherwise);

struct SandboxShape {
  std::string id, name, owner, isolation;
  registry::SandboxState state = registry::SandboxState::kRunning;
  Texts labels, environment;
  std::string working_directory;
  std::vector<std::string> command;
  std::optional<std::string> user, image, runtime;
  std::string hostname;
  std::optional<std::string> origin;
  LimitsShape limits;
  NetworkShape network;
  LeaseShape lease;
  std::string created_at, updated_at, last_active_at;
  std::optional<std::string> expires_at, expires_by;
  uint64_t running = 0;
  std::vector<PortShape> ports;
  std::optional<PostureShape> posture;
  std::vector<std::string> warnings;
};
std::span<const Field> FieldsOf(const SandboxShape*);
SandboxShape ShapeOf(const registry::SandboxInfo& info);
PostureShape ShapeOf(const sandbox::Posture& posture);

struct TerminationShape {
  sandbox::Termination::Reason reason = sandbox::Termination::Reason::kExit;
  std::string limit;
  uint64_t peak = 0;
  int64_t signal = 0;
};
struct ProcessShape {
  std::string id, sandbox_id, command;
  registry::ProcessState state = registry::ProcessState::kQueued;
  std::string created_at;
  std::optional<std::string> started_at, ended_at;
  std::optional<int64_t> exit_code;
  std::optional<TerminationShape> termination;
  std::optional<double> duration_ms;
  uint64_t output_bytes = 0;
  std::vector<std::string> denials;
  std::optional<std::string> failure;
};
std::span<const Field> FieldsOf(const TerminationShape*);
std::span<const Field> FieldsOf(const ProcessShape*);
TerminationShape ShapeOf(const sandbox::Termination& termination);
ProcessShape ShapeOf(const registry::ProcessInfo& info);

// "2026-11-22T06:10:47.123Z".
std::string TimeText(registry::Time time);

// Bytes as text where they are UTF-8, and as base64 where not.
struct OutputShape {
  std::string text;
  bool is_base64 = false;
};
OutputShape TextOf(std::string bytes);

}  // namespace paddock::api
