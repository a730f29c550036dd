// NewProcess: fork(2) into new namespaces, by clone3(2), or by clone(2) where a filter around this program hides that.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace paddock::process_wall {

// A user, mount, pid, net, ipc, uts and cgroup namespace: CLONE_NEW… together.
uint64_t WallNamespaces();

struct NewProcess {
  long pid = -1;               // 0 in the child; -1 with errno set
  int pidfd = -1;              // in the parent
  bool is_in_cgroup = false;   // it was born in the group that was asked for; otherwise the parent has to move it
};

// `flags` are those of clone(2); `exit_signal` is what its parent gets; `cgroup` a descriptor of a v2 group, or -1.
NewProcess CloneProcess(uint64_t flags, int exit_signal, int cgroup);

}  // namespace paddock::process_wall
