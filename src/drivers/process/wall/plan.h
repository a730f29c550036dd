// WallPlan: everything that the launcher needs to know to build one wall, as data.
//
// The driver makes it (it knows the policy and the host); paddock-guest gets it as its first message, builds the
// namespaces, mounts and filters that it lists, and becomes the sandbox's init. Both ends are the same build, so the
// encoding has no versions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock::process_wall {

// One step of building the file tree. Targets are absolute paths inside; parents are made as needed, except below a
// bound directory. Steps run in order.
struct MountStep {
  enum class Kind : uint8_t {
    kTmpfs,       // a private file system: size, mode
    kBind,        // source of the host, read-only or writable, with the mounts below it
    kOverlay,     // source is the lower directory; extra a directory of the host with upper/ and work/, or empty: in memory, size
    kSymlink,     // extra is what it points to
    kFile,        // a file with extra as its content: read-only over what is there, or, writable, the sandbox's own
    kDirectory,   // mode
    kMask,        // what is there becomes unreadable; nothing is done if nothing is there
    kReadOnly,    // what is there (a path inside) becomes read-only; nothing if nothing is there
    kPin,         // what is there becomes a mount point, so that it cannot be renamed or removed
    kProc,
    kDevices,
  };
  // Whose the files of the source are inside. What is not mapped is nobody's there, and root's sandboxes may do with it what everybody may.
  enum class Owners : uint8_t {
    kKept,
    kMapped,        // those of the source's owner are the sandbox user's; the launcher is root
    kMappedAlike,   // of a mount below the last kMapped: the same, if the file system can; a container's overlay, say, cannot
  };
  Kind kind = Kind::kBind;
  std::string target;
  std::string source;
  std::string extra;
  uint64_t size = 0;        // bytes, for kTmpfs
  uint32_t mode = 0755;
  bool writable = false;    // for kBind
  bool optional = false;    // an absent source is no error
  bool is_alone = false;    // for kBind: without the mounts below the source
  Owners owners = Owners::kKept;   // for kBind and kOverlay

  bool operator==(const MountStep&) const = default;
};

enum class SeccompProfile : uint8_t { kDefault, kPtrace, kNested };

// A socket that is made inside the network namespace and handed out to the driver.
struct ListenerSpec {
  enum class Kind : uint8_t { kTcp4, kTcp6, kUdp4 };
  Kind kind = Kind::kTcp4;
  bool is_any = false;      // listen on every address, not only on loopback
  uint16_t port = 0;        // 0: any free one
};

struct ResourceLimit {
  int32_t resource = 0;     // RLIMIT_*
  uint64_t value = 0;
};

// Of what a limit on processes counts: init, and the threads with which it answers for others (socket_guard.h).
inline constexpr uint64_t kOwnProcesses = 3;

struct WallPlan {
  uint32_t uid = 1000;            // inside
  uint32_t gid = 1000;
  uint32_t host_uid = 0;          // what they are on the host
  uint32_t host_gid = 0;
  bool is_root = false;           // the launcher runs as root: ids are mapped to others, groups are dropped
  std::string hostname = "paddock";
  std::vector<MountStep> mounts;
  std::vector<std::string> cgroups;        // directories of cgroup v1 hierarchies to run in
  std::vector<ResourceLimit> limits;
  bool captures_network = false;           // any address is routed to loopback, where listeners wait
  std::vector<ListenerSpec> listeners;
  SeccompProfile seccomp = SeccompProfile::kDefault;
  bool uses_landlock = true;
  bool guards_sockets = false;             // host programs may make sockets in what is shown (socket_guard.h)
  std::vector<std::string> host_sockets;   // sockets of the host, by their paths inside, that may be connected to all the same

  std::string Encode() const;
  // Errors: kInvalid.
  static Result<WallPlan> Decode(std::string_view bytes);
};

}  // namespace paddock::process_wall
