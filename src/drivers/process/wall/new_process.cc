#include "drivers/process/wall/new_process.h"

#include <linux/sched.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace paddock::process_wall {

uint64_t WallNamespaces() {
  return CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
}

NewProcess CloneProcess(uint64_t flags, int exit_signal, int cgroup) {
  NewProcess made;
  clone_args arguments{};
  arguments.flags = flags | CLONE_PIDFD;
  arguments.pidfd = reinterpret_cast<uint64_t>(&made.pidfd);
  arguments.exit_signal = static_cast<uint64_t>(exit_signal);
  if (cgroup >= 0) {
    arguments.flags |= CLONE_INTO_CGROUP;
    arguments.cgroup = static_cast<uint64_t>(cgroup);
  }
  made.is_in_cgroup = cgroup >= 0;
  made.pid = syscall(SYS_clone3, &arguments, sizeof arguments);
  if (made.pid >= 0 || errno != ENOSYS) return made;
  // The pidfd comes where the parent's thread id would.
  made.is_in_cgroup = false;
  made.pid = syscall(SYS_clone, flags | CLONE_PIDFD | static_cast<uint64_t>(exit_signal), nullptr, &made.pidfd, nullptr, nullptr);
  return made;
}

}  // namespace paddock::process_wall
