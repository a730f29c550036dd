#include "drivers/oci/oci_settings.h"

#include <algorithm>

namespace paddock::oci {
namespace {

bool IsName(const std::string& text) {
  const auto fits = [](char one) { return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9') || one == '-' || one == '_' || one == '.'; };
  return !text.empty() && text.size() <= 64 && text.front() != '.' && std::all_of(text.begin(), text.end(), fits);
}

}  // namespace

Status CheckSettings(const OciSettings& settings) {
  constexpr uint64_t kLeastMemory = 6 << 20;
  const auto refuse = [](const std::string& text) { return Error(Code::kInvalid, text); };
  if (!settings.state_directory.starts_with('/')) return refuse("state_directory: name an absolute path, such as /run/paddock/oci");
  if (!IsName(settings.deployment)) return refuse("deployment: '" + settings.deployment.substr(0, 100) + "' is no name of letters, digits, '-', '_' and '.', at most 64");
  if (settings.agent_program.empty()) return refuse("agent_program: name the file of paddock-guest");
  if (!settings.root.empty() && !settings.root.starts_with('/')) return refuse("root: '" + settings.root.substr(0, 200) + "' is no absolute path");
  if (settings.memory_bytes < kLeastMemory) return refuse("memory: at least 6 MiB are needed");
  if (settings.pids < 8) return refuse("pids: at least 8 are needed");
  if (settings.nano_cpus < 10'000'000) return refuse("cpus: at least 0.01 is needed");
  return {};
}

}  // namespace paddock::oci
