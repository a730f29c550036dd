// Programs that an engine starts in a running container beside its init. Every `id` is a full id that the engine gave.
//
// An engine has no way to end such a program, and what it says of the end is to be taken with care: a lost program's exit code may be none, 0
// (Podman) or 126 (Docker). Whoever starts one has to know its process id inside, and to look whether the container still runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/docker/engine/engine.h"

namespace paddock::docker {

// Neither another user nor privileges can be asked for: it is who the container's init is, and no more.
struct EngineExecSpec {
  std::vector<std::string> command;       // one argument is at most 128 KiB for the kernel
  std::vector<std::string> environment;   // "NAME=value", over what the image and the container have
  std::string directory = "/";            // absolute; one that is not there fails in other words on each engine
  bool has_input = false;
  bool has_terminal = false;              // stdout and stderr are then one stream of raw bytes, otherwise frames (stream_frames.h)
};

struct EngineExecState {
  bool is_running = false;
  std::optional<int> exit_code;   // none while it runs, and for a moment afterwards
};

// Its id; nothing runs yet. Errors: kNoEntry, kConflict when the container does not run (Podman: kIo).
Result<std::string> CreateExec(const Engine& engine, const std::string& container_id, const EngineExecSpec& spec);
// Starts it, once. Hanging up does not end it. A program that cannot be executed is told in the stream.
Result<std::unique_ptr<net::ByteStream>> StartExec(const Engine& engine, const std::string& id, bool has_terminal);
// Errors: kNoEntry when the engine has forgotten it.
Result<EngineExecState> InspectExec(const Engine& engine, const std::string& id);
// Of its terminal; not before it runs.
Status ResizeExec(const Engine& engine, const std::string& id, uint32_t columns, uint32_t lines);

}  // namespace paddock::docker
