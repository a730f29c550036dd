// Containers of an engine. Every `id` is a full id (names.h) that the engine gave; other ones are refused before anything is sent.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "drivers/docker/engine/container_spec.h"
#include "drivers/docker/engine/engine.h"

namespace paddock::docker {

enum class ContainerState { kCreated, kRunning, kPaused, kRestarting, kRemoving, kExited, kDead };
const char* ContainerStateName(ContainerState state);

struct ContainerInfo {
  std::string id, name, image_id;
  std::map<std::string, std::string> labels;
  ContainerState state = ContainerState::kCreated;
  std::optional<int> exit_code;   // once it has ended
  bool is_oom_killed = false;     // as the engine says, which is not always
  std::string error;              // why it could not be started
  bool has_read_only_root = false;
  std::string runtime;            // that the engine says it uses
  int pid = 0;                    // on the engine's machine; 0 while it does not run
  std::string created, started;   // RFC 3339; the last start
  std::vector<std::string> network_ids;
  std::map<std::string, std::string> volumes;   // names, by where they are mounted
  std::optional<uint64_t> written_bytes;   // of its own layer, when asked for
};

struct Created {
  std::string id;
  std::vector<std::string> warnings;
};

// Errors: kExists when the name is taken, kNoEntry for an image that is not there, kInvalid, those of Engine::Expect().
Result<Created> CreateContainer(const Engine& engine, const std::string& name, const ContainerSpec& spec);
Result<ContainerInfo> InspectContainer(const Engine& engine, const std::string& id, bool with_size = false);
// Those that have all the labels ("NAME=value" or "NAME"), the stopped ones too. State, names, labels and ids only.
Result<std::vector<ContainerInfo>> ListContainers(const Engine& engine, const std::vector<std::string>& labels);
// Success when it runs already. Errors: kUnavailable with the engine's text.
Status StartContainer(const Engine& engine, const std::string& id);
// Success when it has stopped already. `grace`: until it is killed.
Status StopContainer(const Engine& engine, const std::string& id, std::chrono::seconds grace);
Status KillContainer(const Engine& engine, const std::string& id, const std::string& signal);
// Errors: kExists when the name is taken.
Status RenameContainer(const Engine& engine, const std::string& id, const std::string& name);
Status PauseContainer(const Engine& engine, const std::string& id);
Status UnpauseContainer(const Engine& engine, const std::string& id);
// With its anonymous volumes. Success when it is gone.
Status RemoveContainer(const Engine& engine, const std::string& id);
// Its stdin and stdout, before it is started, so that nothing is missed. The bytes come in frames (stream_frames.h).
Result<std::unique_ptr<net::ByteStream>> AttachContainer(const Engine& engine, const std::string& id);

struct ContainerUsage {
  std::optional<uint64_t> cpu_nanoseconds, memory_bytes, memory_peak_bytes, processes;
  std::optional<uint64_t> network_in_bytes, network_out_bytes, disk_read_bytes, disk_written_bytes;
};
Result<ContainerUsage> MeasureContainer(const Engine& engine, const std::string& id);

}  // namespace paddock::docker
