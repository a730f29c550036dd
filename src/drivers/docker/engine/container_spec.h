// ContainerSpec: all that a container of ours can be asked for, and nothing else. What would open a container is not a field that is
// checked but a field that is not there: privileged mode, host paths, host namespaces, added capabilities, devices, other
// containers' volumes, sysctls.
#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace paddock::docker {

// A volume of ours, never a path of the host.
struct VolumeMount {
  std::string volume;                      // empty: a new one without a name, which goes with the container
  std::string target;
  bool is_read_only = false;
};

struct ContainerSpec {
  std::string image;                       // id or full reference
  std::vector<std::string> entrypoint;     // takes the image's place, Cmd with it
  std::vector<std::string> environment;    // "NAME=value"
  std::string working_directory = "/workspace";
  std::string user;                        // "1000:1000"; empty: the image's
  std::string hostname = "sandbox";
  std::map<std::string, std::string> labels;
  bool opens_stdin = true;                 // the agent's way in; it ends when the client that attached to it goes
  bool removes_itself = false;             // when it has ended

  std::string network_id;                  // empty: none but loopback
  std::string resolver;                    // address of the name server; empty: the engine's choice
  std::string runtime;                     // a registered name; empty: the engine's default
  uint64_t memory_bytes = 2ull << 30;      // with no swap beside it
  int64_t nano_cpus = 1'000'000'000;
  int64_t pids = 256;
  std::string seccomp;                     // in the engine's own form: the profile's text, or the path of its file
  bool has_read_only_root = false;
  std::vector<VolumeMount> volumes;
  std::optional<uint64_t> tmpfs_bytes;     // of /tmp, mode 1777; none: the image's /tmp
  std::optional<uint64_t> disk_bytes;      // of the root, where the engine's storage has quotas
  std::optional<uint64_t> file_bytes;      // size of one file; the kernel keeps it
  uint64_t open_files = 4096;
  bool needs_nproc_limit = false;          // Podman's own default may lie above the host's hard limit
};

// The body of POST /containers/create.
boost::json::object CreateBody(const ContainerSpec& spec);

// What an operator may set, in the forms that people write. Errors: kInvalid that names `key`.
// Bytes: 2147483648, "2g", "512m", "1.5GiB". At least 6 MiB, what engines need.
Result<uint64_t> ParseMemory(const std::string& key, std::string_view text);
// Cores as 1, "1.5", "500m"; or nanocpus from 1,000,000 on.
Result<int64_t> ParseCpus(const std::string& key, std::string_view text);

}  // namespace paddock::docker
