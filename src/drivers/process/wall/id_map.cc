#include "drivers/process/wall/id_map.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

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
  const auto child = static_cast<pid_t>(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  if (child < 0) return Error(static_cast<Code>(errno), "make a user namespace: " + std::string(std::strerror(errno)));
  if (child == 0) {
    while (true) pause();
  }
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
