// Why an agent did not answer: whether it could not be executed at all, although the container could be begun.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "drivers/docker/engine/engine.h"

namespace paddock::docker {

// What is known of a container whose init is an agent that never said a word.
struct SilentAgent {
  std::string start_error;         // of the engine; empty: it began
  std::string complaint;           // what came on its stderr: the runtime's words, or the agent's own
  std::optional<int> exit_code;    // 128 and the number of a signal
};

// Says why it cannot be executed: another architecture's engine, a volume that is mounted noexec, a runtime that ends it for a call that it
// does not know. None for every other reason, in which the agent ran, or the container itself cannot.
std::optional<std::string> WhyAgentCannotRun(const SilentAgent& agent);

// Of a container that has ended, also of one that removed itself. None when the engine does not tell.
std::optional<int> ExitCodeOf(const Engine& engine, const std::string& container_id);

}  // namespace paddock::docker
