// Runtime: an OCI runtime binary (crun, runc, runsc) and its calls, each within a time and with what it says in the error.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "drivers/oci/run_program.h"

namespace paddock::oci {

struct ContainerState {
  std::string id, status;      // "created", "running", "stopped"
  pid_t pid = 0;               // of its init, or of gVisor's kernel; 0 unless it runs
  std::string bundle;
};

class Runtime {
 public:
  // `wanted` as OciSettings::runtime. `directory` is where the runtime keeps its own state; made by it. Errors: kUnavailable with the remedy.
  static Result<Runtime> Find(const std::string& wanted, std::string directory, std::chrono::milliseconds patience);

  const std::string& program() const { return program_; }
  const std::string& name() const { return name_; }      // "crun", "runc", "runsc", as it says itself
  bool is_gvisor() const { return name_ == "runsc"; }
  // Of gVisor: systrap, kvm.
  void UsePlatform(std::string platform) { platform_ = std::move(platform); }
  const std::string& platform() const { return platform_; }

  // Starts a container, whose stdin and stdout are `stream`. What it writes to stderr can be read at the result.
  Result<Descriptor> Start(const std::string& id, const std::string& bundle, const StagePlan& stage, int stream) const;
  // Errors: kNoEntry when there is none of that name, kInvalid for what is no state.
  Result<ContainerState> State(const std::string& id) const;
  Status Pause(const std::string& id) const;
  Status Resume(const std::string& id) const;
  // Kills and removes it. Success when there is none.
  Status Delete(const std::string& id) const;

 private:
  Runtime() = default;
  Status Simple(const char* call, const std::string& id) const;
  Result<ProgramEnd> Call(std::vector<std::string> arguments, const StagePlan* stage = nullptr, int stream = -1) const;

  std::string program_, name_, directory_, platform_, hidden_;
  std::chrono::milliseconds patience_{0};
};

}  // namespace paddock::oci
