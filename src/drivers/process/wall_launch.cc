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
#include "drivers/process/wall/zygote.h"
#include "drivers/process/wall/mount_sources.h"
#include "drivers/process/wall/remove_groups.h"
#include "drivers/process/wall/zygote_request.h"

namespace paddock::process_wall {
namespace {

constexpr int kLaunchTimeoutMs = 20'000;
constexpr int kEndingMs = 500;
constexpr char kZygoteKilled[] = "the zygote, from which walls are forked: was killed";

struct SocketPair {
  Descriptor ours, theirs;
};

Error Failure(const std::string& what) { return Error(static_cast<Code>(errno), what + ": " + std::strerror(errno)); }

// Of which no send of ours waits for longer than kLaunchTimeoutMs.
Result<SocketPair> MakeSocketPair(int type) {
  int ends[2];
  if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) return Failure("cannot make a socket pair");
  // Above the numbers that the guest program gets them at, so that placing one does not close the other.
  SocketPair pair;
  pair.ours.Reset(ends[0]);
  pair.theirs.Reset(ends[1]);
  const int above = fcntl(ends[1], F_DUPFD_CLOEXEC, kControlDescriptor + 1);
  if (above < 0) return Failure("cannot duplicate a socket");
  pair.theirs.Reset(above);
  if (type == SOCK_SEQPACKET) {
    const timeval patience{.tv_sec = kLaunchTimeoutMs / 1000, .tv_usec = 0};
    setsockopt(pair.ours.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  }
  return pair;
}

// Out of the caller's terminal from the first moment: its Ctrl-C is for the driver, and nothing inside has it as /dev/tty.
Result<pid_t> Spawn(const std::string& program, int socket) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int standard = 0; standard < 3; ++standard) {
    posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_RDWR, 0);
  }
  posix_spawn_file_actions_adddup2(&actions, socket, kZygoteDescriptor);
  char* const arguments[] = {const_cast<char*>("paddock-guest"), const_cast<char*>("walls"), nullptr};
  char* const no_environment[] = {nullptr};
  pid_t child = -1;
  const int status = posix_spawn(&child, program.c_str(), &actions, &attributes, arguments, no_environment);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (status != 0) {
    return Error(static_cast<Code>(status), "cannot start " + program + ": " + std::strerror(status) + "; it belongs beside the paddock program");
  }
  return child;
}

void Reap(pid_t process) {
  while (waitpid(process, nullptr, __WALL) < 0 && errno == EINTR) {
  }
}

}  // namespace

Result<std::shared_ptr<WallZygote>> WallZygote::Start(const std::string& guest_program) {
  PADDOCK_ASSIGN(SocketPair pair, MakeSocketPair(SOCK_SEQPACKET));
  std::shared_ptr<WallZygote> zygote(new WallZygote);   // allow(raw-new): private constructor
  PADDOCK_ASSIGN(zygote->pid_, Spawn(guest_program, pair.theirs.get()));
  zygote->socket_ = std::move(pair.ours);
  return zygote;
}

WallZygote::~WallZygote() {
  socket_.Reset();
  if (pid_ <= 0) return;
  // It has nothing left to do but to end, unless somebody has stopped it.
  constexpr int kPatienceMs = 5'000;
  const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  pollfd end{process.get(), POLLIN, 0};
  int count = -1;
  do count = process ? poll(&end, 1, kPatienceMs) : -1;
  while (process && count < 0 && errno == EINTR);
  if (count == 0) kill(pid_, SIGKILL);
  Reap(pid_);
}

bool WallZygote::is_alive() const {
  pollfd other{socket_.get(), 0, 0};
  return poll(&other, 1, 0) == 0;
}

Result<Wall> WallZygote::Reserve(const std::vector<std::string>& cgroups) {
  Wall wall;
  ZygoteRequest request;
  request.kind = ZygoteRequest::Kind::kReserve;
  std::string text;
  for (const std::string& directory : cgroups) text.append(directory).push_back('\0');
  {
    const std::lock_guard lock(mutex_);
    request.wall = ++last_wall_;
    PADDOCK_TRY(SendRequest(socket_.get(), request, text, {}));
  }
  wall.zygote_ = shared_from_this();
  wall.number_ = request.wall;
  wall.cgroups_ = cgroups;
  return wall;
}

Status WallZygote::Launch(Wall& wall, const WallOrder& order, const std::string& group) {
  PADDOCK_ASSIGN(SocketPair launch, MakeSocketPair(SOCK_SEQPACKET));
  PADDOCK_ASSIGN(SocketPair control, MakeSocketPair(SOCK_STREAM));
  std::vector<int> descriptors{launch.theirs.get(), control.theirs.get()};
  Descriptor born_in;
  if (!group.empty()) {
    born_in.Reset(open(group.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!born_in.is_open()) return Failure("open " + group);
    descriptors.push_back(born_in.get());
  }
  ZygoteRequest request;
  request.kind = ZygoteRequest::Kind::kLaunch;
  request.has_group = born_in.is_open();
  request.wall = wall.number_;
  request.order = order;
  {
    const std::lock_guard lock(mutex_);
    PADDOCK_TRY(SendRequest(socket_.get(), request, {}, descriptors));
  }
  wall.control_ = std::move(control.ours);
  wall.launch_ = std::move(launch.ours);
  wall.may_have_process_ = true;
  return {};
}

void WallZygote::Release(uint64_t wall) {
  ZygoteRequest request;
  request.kind = ZygoteRequest::Kind::kRelease;
  request.wall = wall;
  const std::lock_guard lock(mutex_);
  const Status sent = SendRequest(socket_.get(), request, {}, {});
  (void)sent;   // it was killed; then it keeps nothing
}

Result<bool> Wall::TakeMessage() {
  // A wall whose zygote is killed while it is made does not come to be: nothing would end it if we were killed, too.
  std::array<pollfd, 2> ready{{{launch_.get(), POLLIN, 0}, {zygote_->socket_.get(), 0, 0}}};
  int count = 0;
  do count = poll(ready.data(), ready.size(), kLaunchTimeoutMs);
  while (count < 0 && errno == EINTR);
  if (count > 0 && ready[0].revents == 0) return Error(Code::kBrokenPipe, kZygoteKilled);
  auto received = ReceiveLaunchMessage(launch_.get(), 0);
  if (!received && received.error().code == Code::kBrokenPipe) {
    // The files of a process that is killed are closed one after the other: for a moment it seems to live.
    pollfd end{zygote_->socket_.get(), 0, 0};
    do count = poll(&end, 1, kEndingMs);
    while (count < 0 && errno == EINTR);
    if (count > 0 || !zygote_->is_alive()) return Error(Code::kBrokenPipe, kZygoteKilled);
    return Error(Code::kUnavailable, pid_ < 0 ? "no process came of the wall: are too many files open?" : "the wall's first process was killed");
  }
  if (!received) return received.error();
  LaunchMessage& message = *received;
  Descriptor descriptor(message.descriptor);
  switch (message.kind) {
    case LaunchMessage::Kind::kProcess:
      pid_ = static_cast<pid_t>(message.number);
      pidfd_ = std::move(descriptor);
      break;
    case LaunchMessage::Kind::kListener:
      if (static_cast<uint64_t>(message.number) >= listeners_.size()) return Error(Code::kInternal, "a listener that nobody wants");
      listeners_[static_cast<size_t>(message.number)] = std::move(descriptor);
      break;
    case LaunchMessage::Kind::kDenials: denials_ = std::move(descriptor); break;
    case LaunchMessage::Kind::kWarning: warnings_.push_back(std::move(message.text)); break;
    case LaunchMessage::Kind::kFailed: return Error(Code::kUnavailable, message.text);
    case LaunchMessage::Kind::kReady: return true;
  }
  return false;
}

Status Wall::Give(const WallPlan& plan) {
  Status given = SendBytes(launch_.get(), plan.Encode());
  if (given && plan.is_root) given = SendSources(launch_.get(), plan, [this](std::string_view text) { warnings_.emplace_back(text); });
  // Who has closed its end has said why before.
  return !given && given.error().code == Code::kBrokenPipe ? Status() : given;
}

Status Wall::Begin(const WallPlan& base) { return Give(base); }

bool Wall::is_waiting() const {
  pollfd other{launch_.get(), 0, 0};
  return poll(&other, 1, 0) == 0;
}

Status Wall::Build(const WallPlan& plan) {
  listeners_.resize(plan.listeners.size());
  PADDOCK_TRY(Give(plan));
  while (true) {
    PADDOCK_ASSIGN(const bool is_ready, TakeMessage());
    if (is_ready) break;
  }
  launch_.Reset();
  return {};
}

Wall::Wall(Wall&& other) noexcept
    : zygote_(std::move(other.zygote_)),
      number_(std::exchange(other.number_, 0)),
      control_(std::move(other.control_)),
      launch_(std::move(other.launch_)),
      pidfd_(std::move(other.pidfd_)),
      denials_(std::move(other.denials_)),
      pid_(std::exchange(other.pid_, -1)),
      may_have_process_(std::exchange(other.may_have_process_, false)),
      listeners_(std::move(other.listeners_)),
      warnings_(std::move(other.warnings_)),
      cgroups_(std::exchange(other.cgroups_, {})) {}

Wall::~Wall() { Destroy(); }

void Wall::Destroy() {
  if (!zygote_) return;
  // One that is being made is waited for: it is ours to bury.
  while (may_have_process_ && pid_ < 0 && TakeMessage()) {
  }
  if (pidfd_.is_open()) syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
  control_.Reset();
  launch_.Reset();
  if (pid_ > 0) Reap(std::exchange(pid_, -1));
  pidfd_.Reset();
  RemoveGroups(cgroups_);
  cgroups_.clear();
  zygote_->Release(number_);
  zygote_.reset();
}

}  // namespace paddock::process_wall
