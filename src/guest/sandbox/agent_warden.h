// AgentWarden: what an exec did to the limits of the control group around its sandbox, as the agent inside sees that group.
#pragma once

#include <functional>
#include <memory>

#include "guest/client/client.h"
#include "guest/sandbox/exec_warden.h"

namespace paddock::guest {

class AgentWarden final : public ExecWarden {
 public:
  // Before the program is started: one round trip to the agent.
  // `take_denials`: what was refused outside of the agent's sight; may be empty.
  explicit AgentWarden(std::shared_ptr<Client> client, std::function<std::vector<std::string>()> take_denials = {});
  std::optional<uint64_t> MemoryExhausted() override;
  bool RefusedForks() override;
  std::vector<std::string> TakeDenials() override { return take_denials_ ? take_denials_() : std::vector<std::string>(); }

 private:
  struct Counts {
    uint64_t oom_kills = 0, forks_refused = 0, peak_memory = 0;
  };
  Counts Read() const;   // zeros when the agent cannot tell

  const std::shared_ptr<Client> client_;
  const std::function<std::vector<std::string>()> take_denials_;
  const Counts before_;
};

}  // namespace paddock::guest
