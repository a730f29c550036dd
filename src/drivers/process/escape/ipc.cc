// Objects by which processes talk: the host's must not be there inside.
#include <fcntl.h>
#include <mqueue.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "drivers/process/escape/reading.h"

namespace paddock::escape {
namespace {

std::string Why(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

Verdict SharedMemory(const Facts& facts) {
  const int id = shmget(static_cast<key_t>(facts.Number("key")), 0, 0);
  if (id < 0) return Held(Why("shmget"));
  const void* const memory = shmat(id, nullptr, SHM_RDONLY);
  if (memory == reinterpret_cast<void*>(-1)) return Held(Why("shmat"));
  return Show("shared memory of the host", std::string(static_cast<const char*>(memory), 64));
}

Verdict MessageQueue(const Facts& facts) { return Judge("a message queue of the host", msgget(static_cast<key_t>(facts.Number("key")), 0)); }

// Sets the value that it has, and then one more: the stage looks at it.
Verdict Semaphore(const Facts& facts) {
  const int id = semget(static_cast<key_t>(facts.Number("key")), 0, 0);
  if (id < 0) return Held(Why("semget"));
  sembuf add{0, 1, IPC_NOWAIT};
  return Judge("changing a semaphore of the host", semop(id, &add, 1));
}

Verdict PosixMemory(const Facts& facts) { return Show("shared memory of the host", ReadSome("/dev/shm" + facts.Text("posix_name"))); }

Verdict PosixQueue(const Facts& facts) {
  if (facts.Number("has_queue") != 1) return NotApplicable("this kernel has no POSIX message queues");
  const auto queue = static_cast<int>(syscall(SYS_mq_open, facts.Text("posix_name").c_str() + 1, O_RDONLY, 0, nullptr));
  return Judge("a POSIX message queue of the host", queue);
}

Verdict Connect(int type, const std::string& name, bool is_abstract) {
  if (name.empty()) return NotApplicable("the stage could make no socket there");
  const int connection = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
  if (connection < 0) return Held(Why("socket"));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.size() + 2 > sizeof address.sun_path) return NotApplicable("the socket's name is too long here");
  std::memcpy(address.sun_path + (is_abstract ? 1 : 0), name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() + 1);
  const Verdict verdict = Judge("connecting to a socket of the host", connect(connection, reinterpret_cast<const sockaddr*>(&address), size));
  close(connection);
  return verdict;
}

Verdict AbstractStream(const Facts& facts) { return Connect(SOCK_STREAM, facts.Text("abstract"), true); }
Verdict AbstractDatagram(const Facts& facts) { return Connect(SOCK_DGRAM, facts.Text("abstract") + "-d", true); }
Verdict PathSocket(const Facts& facts) { return Connect(SOCK_STREAM, facts.Text("socket"), false); }
Verdict HomeSocket(const Facts& facts) { return Connect(SOCK_STREAM, facts.Text("home_socket"), false); }

Verdict EngineSockets(const Facts&) {
  for (const char* path : {"/var/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock", "/run/dbus/system_bus_socket",
                           "/run/systemd/private", "/run/snapd.socket"}) {
    const Verdict verdict = Connect(SOCK_STREAM, path, false);
    if (verdict.outcome == Outcome::kEscaped) return Escaped(std::string("connecting to ") + path + " is allowed");
  }
  return Held("no socket of an engine or a bus answers");
}

Verdict Keyring(const Facts& facts) {
  if (facts.Number("has_key") != 1) return NotApplicable("this kernel keeps no keys for this user");
  const long key = syscall(SYS_keyctl, 10 /* KEYCTL_SEARCH */, -4 /* the user's keyring */, "user", facts.Text("posix_name").c_str(), 0);
  if (key < 0) return Held(Why("keyctl"));
  std::array<char, 128> text{};
  const long length = syscall(SYS_keyctl, 11 /* KEYCTL_READ */, key, text.data(), text.size());
  return Show("a key of the user's keyring", length > 0 ? std::string(text.data(), static_cast<size_t>(std::min<long>(length, 128))) : std::string());
}

// Into a terminal of its own, so that nobody's prompt gets a letter.
Verdict TypeAhead(const Facts&) {
  const int master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
  int unlock = 0, number = 0;
  if (master < 0 || ioctl(master, TIOCSPTLCK, &unlock) != 0 || ioctl(master, TIOCGPTN, &number) != 0) return Held(Why("a terminal"));
  setsid();
  const int terminal = open(("/dev/pts/" + std::to_string(number)).c_str(), O_RDWR | O_CLOEXEC);
  if (terminal < 0) return Held(Why("a terminal"));
  ioctl(terminal, TIOCSCTTY, 0);
  return Judge("TIOCSTI", ioctl(terminal, TIOCSTI, "x"));
}

Verdict HostTerminal(const Facts& facts) {
  if (facts.Number("has_terminal") != 1) return NotApplicable("the test was started without a terminal");
  return Judge("the caller's terminal", open("/dev/tty", O_RDWR | O_CLOEXEC));
}

constexpr Probe kProbes[] = {
    {"ipc/shared-memory", "System V shared memory of the host", SharedMemory},
    {"ipc/message-queue", "a System V message queue of the host", MessageQueue},
    {"ipc/semaphore", "a System V semaphore of the host", Semaphore},
    {"ipc/posix-memory", "POSIX shared memory of the host", PosixMemory},
    {"ipc/posix-queue", "a POSIX message queue of the host", PosixQueue},
    {"ipc/abstract-stream", "an abstract stream socket of the host", AbstractStream},
    {"ipc/abstract-datagram", "an abstract datagram socket of the host", AbstractDatagram},
    {"ipc/path-socket", "a socket in the host's /tmp", PathSocket},
    {"ipc/home-socket", "a socket in the home", HomeSocket},
    {"ipc/engine-sockets", "sockets of container engines and message buses", EngineSockets},
    {"ipc/keyring", "a key in the user's keyring", Keyring},
    {"ipc/type-ahead", "typing into a terminal by TIOCSTI", TypeAhead},
    {"ipc/terminal", "the terminal of whoever started it", HostTerminal},
};

}  // namespace

std::span<const Probe> IpcProbes() { return kProbes; }

}  // namespace paddock::escape
