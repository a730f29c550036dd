// The volume that holds paddock-guest on an engine: filled once for each version of the program, and mounted read-only into every
// container, so that it is nobody's file and costs a create nothing.
#pragma once

#include <functional>
#include <string>

#include "drivers/docker/engine/engine.h"

namespace paddock::docker {

inline constexpr const char* kAgentDirectory = "/.paddock";
inline constexpr const char* kAgentProgram = "/.paddock/paddock-guest";
inline constexpr const char* kManagedLabel = "org.paddock.managed-by";   // "paddock"

// The volume's name; made, by way of a container from the image of that id that is never started, unless it is there. `program`: the file of
// paddock-guest on this machine. The name holds the program's digest, and a volume gets it only with the whole program in it; one of that name
// without our label is refused (kConflict). Errors: those of the engine, and of `find_image`.
Result<std::string> PutAgent(const Engine& engine, const std::string& program, const std::function<Result<std::string>()>& find_image);

}  // namespace paddock::docker
