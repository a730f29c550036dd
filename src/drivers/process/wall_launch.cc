#include "drivers/process/wall_launch.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "drivers/process/wall/launch_channel.h"
#include "drivers/process/wall/launcher.h"

namespace paddock::process_wall {
namespace {

constexpr int kLaunchTimeoutMs = 20'000;

struct SocketPair {
  Descriptor ours, theirs;
};

Result<SocketPair> MakeSocketPair(int type) {
  int ends[2];
  if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) return Error(static_cast<Code>(errno), "cannot make a socket pair");
  // Above the numbers that the guest program gets them at, so that placing one does not close the other.
  SocketPair pair;
  pair.ours.Reset(ends[0]);
  pair.theirs.Reset(fcntl(ends[1], F_DUPFD_CLOEXEC, kControlDescriptor + 1));
  close(ends[1]);
  if (!pair.theirs.is_open()) return Error(static_cast<Code>(errno), "cannot duplicate a socket");
  return pair;
}

Result<pid_t> Spawn(const std::string& program, const std::vector<std::string>& cgroups, int launch, int control) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int standard = 0; standard < 3; ++standard) {
    posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_RDWR, 0);
  }
  posix_spawn_file_actions_adddup2(&actions, launch, kLaunchDescriptor);
  posix_spawn_file_actions_adddup2(&actions, control, kControlDescriptor);
  std::vector<char*> arguments{const_cast<char*>("paddock-guest"), const_cast<char*>("wall")};
  for (const std::string& directory : cgroups) arguments.push_back(const_cast<char*>(directory.c_str()));
  arguments.push_back(nullptr);
  char* const no_environment[] = {nullptr};
  pid_t child = -1;
  const int status = posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), no_environment);
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0) {
    return Error(static_cast<Code>(status), "cannot start " + program + ": " + std::strerror(status) + "; it belongs beside the paddock program");
  }
  return child;
}

Status SendPlan(int socket, const std::string& bytes) {
  constexpr size_t kPiece = 64 << 10;
  const uint64_t size = bytes.size();
  if (send(socket, &size, sizeof size, MSG_NOSIGNAL) < 0) return Error(static_cast<Code>(errno), "cannot send the plan");
  for (size_t at = 0; at < bytes.size(); at += kPiece) {
    const size_t piece = std::min(kPiece, bytes.size() - at);
    while (send(socket, bytes.data() + at, piece, MSG_NOSIGNAL) < 0) {
      if (errno != EINTR) return Error(static_cast<Code>(errno), "cannot send the plan");
    }
  }
  return {};
}

void Reap(pid_t process) {
  while (waitpid(process, nullptr, __WALL) < 0 && errno == EINTR) {
  }
}

}  // namespace

Result<Wall> Wall::Start(const std::string& guest_program, const std::vector<std::string>& cgroups) {
  PADDOCK_ASSIGN(SocketPair launch, MakeSocketPair(SOCK_SEQPACKET));
  PADDOCK_ASSIGN(SocketPair control, MakeSocketPair(SOCK_STREAM));
  Wall wall;
  PADDOCK_ASSIGN(wall.guard_, Spawn(guest_program, cgroups, launch.theirs.get(), control.theirs.get()));
  launch.theirs.Reset();
  control.theirs.Reset();
  wall.control_ = std::move(control.ours);
  wall.launch_ = std::move(launch.ours);
  wall.cgroups_ = cgroups;
  return wall;
}

Status Wall::Build(const WallPlan& plan) {
  listeners_.resize(plan.listeners.size());
  PADDOCK_TRY(SendPlan(launch_.get(), plan.Encode()));
  while (true) {
    PADDOCK_ASSIGN(LaunchMessage message, ReceiveLaunchMessage(launch_.get(), kLaunchTimeoutMs));
    Descriptor descriptor(message.descriptor);
    switch (message.kind) {
      case LaunchMessage::Kind::kProcess:
        pid_ = static_cast<pid_t>(message.number);
        pidfd_ = std::move(descriptor);
        break;
      case LaunchMessage::Kind::kListener:
        listeners_.at(static_cast<size_t>(message.number)) = std::move(descriptor);
        break;
      case LaunchMessage::Kind::kWarning: warnings_.push_back(std::move(message.text)); break;
      case LaunchMessage::Kind::kFailed: return Error(Code::kUnavailable, message.text);
      case LaunchMessage::Kind::kReady: return {};
    }
  }
}

Wall::Wall(Wall&& other) noexcept
    : control_(std::move(other.control_)),
      launch_(std::move(other.launch_)),
      pidfd_(std::move(other.pidfd_)),
      pid_(std::exchange(other.pid_, -1)),
      guard_(std::exchange(other.guard_, -1)),
      listeners_(std::move(other.listeners_)),
      warnings_(std::move(other.warnings_)),
      cgroups_(std::exchange(other.cgroups_, {})) {}

Wall::~Wall() { Destroy(); }

void Wall::Destroy() {
  if (pidfd_.is_open()) syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
  control_.Reset();
  launch_.Reset();
  if (pid_ > 0) Reap(std::exchange(pid_, -1));
  if (guard_ > 0) Reap(std::exchange(guard_, -1));
  pidfd_.Reset();
  // The guard has done this, unless it was killed.
  for (const std::string& directory : cgroups_) rmdir(directory.c_str());
  cgroups_.clear();
}

}  // namespace paddock::process_wall
