#include "drivers/process/wall/id_map.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace paddock::process_wall {
namespace {

Status WriteProcFile(pid_t process, const char* name, const std::string& text) {
  const std::string path = "/proc/" + std::to_string(process) + "/" + name;
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.is_open() || write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return Error(static_cast<Code>(errno), "write " + std::string(name) + ": " + std::strerror(errno));
  }
  return {};
}

std::string MapLine(IdPair pair) { return std::to_string(pair.inside) + " " + std::to_string(pair.outside) + " 1\n"; }

}  // namespace

Status WriteIdMaps(pid_t process, IdPair uid, IdPair gid, bool denies_setgroups) {
  if (denies_setgroups) PADDOCK_TRY(WriteProcFile(process, "setgroups", "deny"));
  PADDOCK_TRY(WriteProcFile(process, "gid_map", MapLine(gid)));
  return WriteProcFile(process, "uid_map", MapLine(uid));
}

Result<Descriptor> MakeIdMap(IdPair uid, IdPair gid) {
  // The namespace's first process only waits. It shares this memory, which may be large, and none of our handlers runs in it.
  // It is killed with us, not only by us.
  alignas(16) std::array<char, 4096> stack;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const auto wait = [](void* parent) {
    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    while (syscall(SYS_getppid) == *static_cast<const long*>(parent)) syscall(SYS_pause);
    return 0;
  };
  long parent = syscall(SYS_getpid);
  const pid_t child = clone(wait, stack.data() + stack.size(), CLONE_NEWUSER | CLONE_VM, &parent);
  const int clone_error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (child < 0) return Error(static_cast<Code>(clone_error), "make a user namespace: " + std::string(std::strerror(clone_error)));
  Status written = WriteIdMaps(child, uid, gid, false);
  const std::string path = "/proc/" + std::to_string(child) + "/ns/user";
  Descriptor map(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const int open_error = errno;
  kill(child, SIGKILL);
  waitpid(child, nullptr, __WALL);
  if (!written) return written.error();
  if (!map.is_open()) return Error(static_cast<Code>(open_error), "open " + path);
  return map;
}

}  // namespace paddock::process_wall
