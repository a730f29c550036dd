// What sandboxes are made from and what an exec asks for: values that copy, compare and serialise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "policy/policy.h"
#include "proc/command.h"

namespace paddock::sandbox {

enum class MountMode { kReadOnly, kReadWrite, kOverlay };

struct MountSpec {
  std::string host;     // a directory of the host
  std::string guest;    // absolute path inside
  MountMode mode = MountMode::kReadOnly;
  bool operator==(const MountSpec&) const = default;
};

// Who the code is behind a wall of the kernel's, as it sees itself; outside it is whom the wall chooses.
struct WallUser {
  std::string name;     // empty: the wall's own name
  uint32_t uid = 1000;  // never 0
  uint32_t gid = 1000;
  bool operator==(const WallUser&) const = default;
};

// What a container is made from, for walls of a container engine. Empty members: the operator's choice.
struct ContainerChoice {
  std::string engine;    // where it is; one that the operator allows
  std::string image;     // a reference
  std::string runtime;
  bool operator==(const ContainerChoice&) const = default;
};

struct SandboxSpec {
  std::string hostname = "paddock";
  std::string user = "agent";
  uint32_t uid = 1000;
  uint32_t gid = 1000;
  uint64_t disk_bytes = 1ull << 30;      // quota of the sandbox's own files
  uint64_t disk_inodes = 1'000'000;
  std::vector<MountSpec> mounts;
  // Where execs start and the user's files lie: absolute, made for the user if absent. Empty: the user's home. For walls
  // whose policy says where the workspace is it stays empty.
  std::string working_directory;
  // What the wall enforces. The virtual tier has walls of its own making and takes the network and secrets alone.
  std::optional<policy::Policy> policy;
  // For walls of the kernel's; none: the wall's own choice.
  std::optional<WallUser> wall_user;
  ContainerChoice container;
  // Where overlays of workspaces are kept (absolute; $XDG_STATE_HOME), and which one a run goes on in.
  std::string state_directory;
  std::string overlay_name = "default";
  bool operator==(const SandboxSpec&) const = default;
};

// What a login gives that user, where nobody says otherwise: HOME, USER, LOGNAME, PATH, LANG, TERM.
Environment UserEnvironment(const std::string& user);

struct WindowSize {
  uint32_t columns = 80;
  uint32_t lines = 24;
};

struct ExecSpec {
  // A script for the sandbox's shell with its arguments, or a command line run without a shell. Exactly
  // one is set.
  std::optional<std::string> script;
  std::vector<std::string> command;
  std::string name0 = "bash";            // $0 of the script
  std::vector<std::string> arguments;    // $1 … of the script
  bool is_file = false;                  // the script is a file's content: name0 stands in messages
  Environment environment;               // the whole environment (of a sandbox's first exec, with kept state)
  std::string cwd;                       // absolute; where the sandbox's shell is if empty
  Limits limits;
  // Keep shell variables, functions, options and background jobs from one exec to the next.
  bool keeps_state = false;
  // Give it a terminal of this size as stdin, stdout and stderr; for walls whose processes implement Controllable.
  std::optional<WindowSize> terminal;
  // End only when background processes have ended too, as a reader of the output pipe would see it.
  bool waits_for_background = true;
};

}  // namespace paddock::sandbox
