// Which sandbox a call means, and how one is told to a model.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tools/schema/patterns.h"
#include "tools/tool.h"

namespace paddock::tools {

inline constexpr const char* kSandboxIdWords = "Id or name of the sandbox. May be left out while the session has exactly one.";
inline constexpr Rules kSandboxIdRules{.min_length = 1, .max_length = 64, .pattern = {"^[a-z0-9][a-z0-9_-]*$", "must be the id or name of a sandbox"}};

// The sandbox with this id or name; without one the session's only sandbox. Errors: kNoEntry when there is none ("call
// sandbox_create first"), kInvalid when there are several (lists them).
Result<std::shared_ptr<SandboxAccess>> ChooseSandbox(CallContext& context, const std::optional<std::string>& id);

// The same, but makes one when there is none: for tools of other makers, which know no sandbox_create.
Result<std::shared_ptr<SandboxAccess>> ChooseOrCreateSandbox(CallContext& context);

// RFC 3339 in UTC with milliseconds.
std::string TimeText(Nanoseconds since_1970);

std::span<const char* const> NamesOf(SandboxState);
std::span<const char* const> NamesOf(NetworkReach);

// A sandbox in a result.
struct ShownLimits {
  std::optional<uint64_t> memory_bytes;
  std::optional<double> cpus;
  std::optional<uint64_t> pids;
  std::optional<uint64_t> disk_bytes;
};
std::span<const Field> FieldsOf(const ShownLimits*);
struct ShownPort {
  int64_t port = 0;
  std::string address;
};
std::span<const Field> FieldsOf(const ShownPort*);
struct ShownSandbox {
  std::string sandbox_id, name, title;
  SandboxState state = SandboxState::kRunning;
  std::optional<int64_t> exit_code;
  std::string isolation;
  std::optional<std::string> image, runtime;
  std::string working_dir;
  std::optional<bool> user_namespace;
  NetworkReach network = NetworkReach::kNone;
  std::vector<ShownPort> ports;
  ShownLimits limits;
  std::string created_at, last_used_at;
  std::optional<std::string> auto_stop_at, lease_expires_at;
  std::vector<std::string> warnings;
};
std::span<const Field> FieldsOf(const ShownSandbox*);
ShownSandbox Show(const SandboxInfo& info);

}  // namespace paddock::tools
