#include "registry/request_check.h"

#include <algorithm>
#include <cctype>

namespace paddock::registry {
namespace {

bool IsLowerOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool IsVariableName(std::string_view name) {
  return !name.empty() && (std::isalpha(static_cast<unsigned char>(name[0])) != 0 || name[0] == '_') &&
         std::all_of(name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

Status CheckPath(const char* field, std::string_view path) {
  if (path.empty()) return {};
  if (path[0] != '/' || path.size() > 4095 || path.find('\0') != std::string_view::npos) {
    return Error(Code::kInvalid, std::string(field) + " must be an absolute path of at most 4095 bytes");
  }
  return {};
}

template <class T>
Status CheckRange(const char* field, const std::optional<T>& value, T least, T most) {
  if (!value || (*value >= least && *value <= most)) return {};
  return Error(Code::kInvalid, std::string("limits.") + field + " is out of range");
}

}  // namespace

Status CheckName(std::string_view name) {
  const auto is_good = [](char c) { return IsLowerOrDigit(c) || c == '.' || c == '_' || c == '-'; };
  if (name.empty() || name.size() > 63 || !std::all_of(name.begin(), name.end(), is_good) || !IsLowerOrDigit(name.front()) ||
      !IsLowerOrDigit(name.back())) {
    return Error(Code::kInvalid, "name '" + std::string(name.substr(0, 80)) + "' must be 1 to 63 of a-z, 0-9, '.', '_', '-', with a letter or digit at both ends");
  }
  if (name.starts_with("sbx_")) return Error(Code::kInvalid, "name '" + std::string(name) + "' looks like an id; choose one without 'sbx_' in front");
  return {};
}

Status CheckLabels(const Labels& labels) {
  if (labels.size() > kMostLabels) return Error(Code::kInvalid, "labels: more than " + std::to_string(kMostLabels));
  for (const auto& [key, value] : labels) {
    const bool is_good = !key.empty() && key.size() <= kMostLabelKey && std::all_of(key.begin(), key.end(), [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-' || c == '/';
    });
    if (!is_good) return Error(Code::kInvalid, "labels: key '" + key.substr(0, 80) + "' must be 1 to 63 of letters, digits, '.', '_', '-', '/'");
    if (value.size() > kMostLabelValue || value.find('\0') != std::string::npos) {
      return Error(Code::kInvalid, "labels." + key + ": a value has at most 256 bytes, none of them NUL");
    }
  }
  return {};
}

Status CheckVariables(const Variables& variables) {
  if (variables.size() > kMostVariables) return Error(Code::kInvalid, "environment: more than " + std::to_string(kMostVariables) + " variables");
  size_t bytes = 0;
  for (const auto& [name, value] : variables) {
    if (!IsVariableName(name)) return Error(Code::kInvalid, "environment: '" + name.substr(0, 80) + "' is no name of a variable");
    if (value.find('\0') != std::string::npos) return Error(Code::kInvalid, "environment." + name + " holds a NUL");
    bytes += name.size() + value.size() + 2;
  }
  if (bytes > kMostVariableBytes) return Error(Code::kInvalid, "environment: more than 128 KiB in all");
  return {};
}

Status CheckRequest(const SandboxRequest& request) {
  if (!request.name.empty()) PADDOCK_TRY(CheckName(request.name));
  if (request.takes_existing && request.name.empty()) return Error(Code::kInvalid, "name: get-or-create needs one");
  PADDOCK_TRY(CheckLabels(request.labels));
  PADDOCK_TRY(CheckVariables(request.environment));
  PADDOCK_TRY(CheckPath("working_directory", request.working_directory));
  const std::string& host = request.hostname;
  if (host.empty() || host.size() > 63 || !std::all_of(host.begin(), host.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-'; })) {
    return Error(Code::kInvalid, "hostname must be 1 to 63 letters, digits and '-'");
  }
  const sandbox::ContainerChoice& container = request.container;
  for (const auto& [name, text] : {std::pair("image", &container.image), std::pair("runtime", &container.runtime), std::pair("engine", &container.engine)}) {
    if (text->size() > 512 || text->find('\0') != std::string::npos) return Error(Code::kInvalid, std::string(name) + " is longer than 512 bytes, or holds a NUL");
  }
  if (request.network.publish.size() > kMostPublished) return Error(Code::kInvalid, "network.publish: more than " + std::to_string(kMostPublished) + " ports");
  for (const policy::PublishedPort& port : request.network.publish) {
    if (port.guest == 0) return Error(Code::kInvalid, "network.publish: 0 is no port inside");
    if (port.host != 0 && port.host < 1024) return Error(Code::kInvalid, "network.publish: ports of the host below 1024 are the system's; choose another, or ':PORT' for any free one");
  }
  const SandboxLimits& limits = request.limits;
  PADDOCK_TRY(CheckRange<uint64_t>("memory_bytes", limits.memory_bytes, 1 << 20, 1ull << 50));
  PADDOCK_TRY(CheckRange<uint64_t>("processes", limits.processes, 1, 1 << 22));
  PADDOCK_TRY(CheckRange<double>("cpus", limits.cpus, 0.01, 4096));
  PADDOCK_TRY(CheckRange<uint64_t>("disk_bytes", limits.disk_bytes, 4096, 1ull << 50));
  PADDOCK_TRY(CheckRange<uint64_t>("files", limits.files, 1, 1ull << 32));
  PADDOCK_TRY(CheckRange<Duration>("exec_time", limits.exec_time, Duration(1), std::chrono::hours(24 * 30)));
  PADDOCK_TRY(CheckRange<Duration>("cpu_time", limits.cpu_time, Duration(1), std::chrono::hours(24 * 30)));
  PADDOCK_TRY(CheckRange<uint64_t>("output_bytes", limits.output_bytes, 1, 1ull << 40));
  return CheckLease(request.lease);
}

Status CheckExec(const ExecRequest& request) {
  if (request.script && !request.command.empty()) return Error(Code::kInvalid, "an exec takes a script or a command, not both");
  if (!request.script && request.command.empty()) {
    return Error(Code::kInvalid, request.keeps_shell ? "keep_shell: give a script" : "an exec needs a script or a command: the sandbox began from no image that names one");
  }
  if (request.script && request.script->find('\0') != std::string::npos) return Error(Code::kInvalid, "script holds a NUL");
  for (const std::string& word : request.command) {
    if (word.find('\0') != std::string::npos) return Error(Code::kInvalid, "command holds a NUL");
  }
  PADDOCK_TRY(CheckPath("cwd", request.cwd));
  PADDOCK_TRY(CheckVariables(request.environment));
  if (request.keeps_shell && !request.environment.empty()) {
    return Error(Code::kInvalid, "environment: a kept shell has its own variables; set them in the script (export NAME=VALUE), or do not keep the shell");
  }
  if (request.keeps_shell && !request.script) return Error(Code::kInvalid, "keep_shell: a command runs without a shell; give a script");
  if (request.has_open_input && !request.input.empty()) return Error(Code::kInvalid, "input: give it, or keep it open, not both");
  if (request.timeout && (*request.timeout < Duration(1) || *request.timeout > std::chrono::hours(24 * 30))) {
    return Error(Code::kInvalid, "timeout must be between 1 ms and 30 days");
  }
  return {};
}

}  // namespace paddock::registry
