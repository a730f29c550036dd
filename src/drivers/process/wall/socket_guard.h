// SocketGuard: lets programs inside connect to the unix sockets that were made inside, and to no others.
//
// A directory of the host that is shown inside may get a socket of a host program at any time, and no mount, namespace or
// Landlock rule keeps a path's socket from being connected to. So the wall's filter hands each connect(2) to threads of
// process 1, which have a filter of their own. They copy the address once, open what it names as the caller would, look whether
// a socket of the wall's own network namespace is bound there, and connect the caller's own socket to exactly that file.
// The call is never let through, so nothing that other threads change in the meantime counts. Datagram sockets of the unix family, which can
// name a receiver in calls that no filter sees into, cannot be made in such a wall.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "drivers/process/wall/bound_sockets.h"
#include "drivers/process/wall/plan.h"

namespace paddock::process_wall {

class SocketGuard {
 public:
  // In process 1, inside its root and network, with every right given up, before the filter. `own_devices`: file systems that
  // are the wall's alone (major << 20 | minor). `denials` takes the paths of what is refused, each with a NUL behind it.
  static Result<std::unique_ptr<SocketGuard>> Make(const WallPlan& plan, std::vector<uint32_t> own_devices, Descriptor denials);

  // Starts a thread that waits; it must come before the filter, which every later thread has.
  Status Start();
  // Hands over the filter's listener. From its return on, calls are answered as long as the process lives; it owns itself.
  static Status Serve(std::unique_ptr<SocketGuard> guard, Descriptor listener);

  // What this kernel lacks for it, or empty.
  std::string Lacks() const;

  ~SocketGuard();
  SocketGuard(const SocketGuard&) = delete;
  SocketGuard& operator=(const SocketGuard&) = delete;

 private:
  struct Call;
  struct Mount {
    uint64_t id = 0;
    uint32_t device = 0;
  };
  SocketGuard() = default;
  const std::vector<Mount>& Mounts();
  void BeginServing();
  void AnswerCalls();
  void EnsureOneWaits();
  int Answer(const Call& call);
  int ConnectByPath(const Call& call, int socket);
  bool IsMadeInside(int target);
  int Refuse(const char* path, int target);

  std::once_flag mounts_are_read_;
  std::vector<Mount> mounts_;   // see Mounts()
  std::vector<uint32_t> own_devices_;
  std::vector<SocketFile> granted_;   // sockets of the host that the policy names
  BoundSockets bound_;
  Descriptor denials_;
  Descriptor listener_;
  bool allows_nesting_ = false;
  Status begun_;
  struct Meeting;
  std::unique_ptr<Meeting> meeting_;
};

}  // namespace paddock::process_wall
