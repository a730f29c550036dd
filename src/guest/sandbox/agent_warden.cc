#include "guest/sandbox/agent_warden.h"

namespace paddock::guest {
namespace {

constexpr std::chrono::seconds kPatience{5};

}  // namespace

AgentWarden::AgentWarden(std::shared_ptr<Client> client, std::function<std::vector<std::string>()> take_denials)
    : client_(std::move(client)), take_denials_(std::move(take_denials)), before_(Read()) {}

AgentWarden::Counts AgentWarden::Read() const {
  Counts counts;
  const auto values = client_->Usage(In(kPatience));
  if (!values) return counts;
  for (const UsageValue& one : *values) {
    if (one.name == "cgroup.oom_kills") counts.oom_kills = one.value;
    if (one.name == "cgroup.forks_refused") counts.forks_refused = one.value;
    if (one.name == "cgroup.memory_peak_bytes") counts.peak_memory = one.value;
  }
  return counts;
}

std::optional<uint64_t> AgentWarden::MemoryExhausted() {
  const Counts now = Read();
  return now.oom_kills > before_.oom_kills ? std::optional(now.peak_memory) : std::nullopt;
}

bool AgentWarden::RefusedForks() { return Read().forks_refused > before_.forks_refused; }

}  // namespace paddock::guest
