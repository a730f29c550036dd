#include "drivers/oci/id_map.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace paddock::oci {
namespace {

Error Failure(const std::string& what) {
  const int code = errno;
  return Error(static_cast<Code>(code), what + ": " + std::strerror(code));
}

Status WriteProcFile(pid_t process, const char* name, uint32_t inside, uint32_t outside) {
  const std::string path = "/proc/" + std::to_string(process) + "/" + name, text = std::to_string(inside) + " " + std::to_string(outside) + " 1\n";
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.is_open() || write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) return Failure(std::string("write ") + name);
  return {};
}

}  // namespace

Result<Descriptor> MakeIdMap(Owner on_disk, Owner in_use) {
  // The namespace's first process only waits, on a stack of its own in this memory, and is killed with us.
  alignas(16) char stack[4096];
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);   // none of our handlers runs in it
  const auto wait = [](void* parent) {
    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    while (syscall(SYS_getppid) == *static_cast<const long*>(parent)) syscall(SYS_pause);
    return 0;
  };
  long parent = syscall(SYS_getpid);
  const pid_t child = clone(wait, stack + sizeof stack, CLONE_NEWUSER | CLONE_VM, &parent);
  const int clone_error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = clone_error;
  if (child < 0) return Failure("make a user namespace");
  Status written = WriteProcFile(child, "uid_map", on_disk.uid, in_use.uid);
  if (written) written = WriteProcFile(child, "gid_map", on_disk.gid, in_use.gid);
  Descriptor map(open(("/proc/" + std::to_string(child) + "/ns/user").c_str(), O_RDONLY | O_CLOEXEC));
  Status opened = map.is_open() ? Status() : Status(Failure("open a user namespace"));
  kill(child, SIGKILL);
  while (waitpid(child, nullptr, __WALL) < 0 && errno == EINTR) {
  }
  PADDOCK_TRY(written);
  PADDOCK_TRY(opened);
  return map;
}

}  // namespace paddock::oci
