#include "guest/agent/agent.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "guest/agent/session.h"

namespace paddock::guest {
namespace {

constexpr int kBrokenProtocol = 3;

class Agent {
 public:
  explicit Agent(const AgentOptions& options)
      : options_(options), input_(options.input_fd),
        output_(options.output_fd == options.input_fd ? fcntl(options.input_fd, F_DUPFD_CLOEXEC, 3) : options.output_fd),
        session_(loop_, outbox_, machine_, options) {}

  int Run();

 private:
  void ReadInput();
  void HandleFrames();
  // Writes what there is and decides what to wait for.
  void Settle();
  void End(int status) {
    is_over_ = true;
    status_ = status;
  }

  const AgentOptions& options_;
  Descriptor input_;
  Descriptor output_;
  EventLoop loop_;
  Outbox outbox_;
  RealMachine machine_;
  Session session_;
  FrameDecoder decoder_;
  uint64_t input_watch_ = 0;
  uint64_t output_watch_ = 0;
  bool has_frames_ = false;   // there may be more in the decoder
  bool is_over_ = false;
  int status_ = 0;
};

// What runs inside with the same user must not look into the agent or act for it.
void ProtectSelf() {
  prctl(PR_SET_DUMPABLE, 0);
  prctl(PR_SET_NAME, "paddock-guest");
  // Orphans of the programs come to the agent also where it is not PID 1.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

int Agent::Run() {
  ProtectSelf();
  for (const int fd : {input_.get(), output_.get()}) {
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);   // a file over the limit is an error of the operation
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, nullptr);
  const Descriptor signals(signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals) return 1;
  loop_.Watch(signals.get(), EPOLLIN, [this, &signals](uint32_t) {
    signalfd_siginfo info[16];
    while (read(signals.get(), info, sizeof info) > 0) {
    }
    session_.processes().Reap();
  });
  input_watch_ = loop_.Watch(input_.get(), EPOLLIN, [this](uint32_t) { ReadInput(); });
  output_watch_ = loop_.Watch(output_.get(), 0, [](uint32_t) {});
  if (input_watch_ == 0) return 1;
  session_.Greet();
  Settle();
  while (!is_over_ && loop_.RunOnce()) Settle();
  if (!options_.is_init) session_.processes().KillAll();
  return status_;
}

void Agent::ReadInput() {
  const std::span<char> space = decoder_.Space();
  const ssize_t got = read(input_.get(), space.data(), space.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return End(0);
  decoder_.Commit(static_cast<size_t>(got));
  HandleFrames();
}

void Agent::HandleFrames() {
  // What is left over when the client does not take its answers waits in the decoder.
  while (!is_over_ && !outbox_.IsCrowded()) {
    const auto frame = decoder_.Next();
    has_frames_ = !frame || frame->has_value();
    if (!has_frames_) return;
    Status status = frame ? session_.Receive(**frame) : Status(frame.error());
    if (!status) {
      outbox_.Frame(0, FrameType::kFailure, 0, Encode(Failure{EPROTO, Step::kNone, std::string(status.error().Text())}));
      outbox_.Flush(output_.get());
      return End(kBrokenProtocol);
    }
  }
}

void Agent::Settle() {
  do {
    if (!outbox_.Flush(output_.get())) return End(0);
    session_.Sweep();
    if (has_frames_) HandleFrames();
  } while (has_frames_ && !is_over_ && !outbox_.IsCrowded());
  if (session_.WantsShutdown() && outbox_.IsEmpty()) return End(0);
  loop_.Change(output_watch_, outbox_.IsEmpty() ? 0u : EPOLLOUT);
  // A client that does not take its answers gets no further requests read.
  loop_.Change(input_watch_, has_frames_ ? 0u : EPOLLIN);
}

}  // namespace

int RunAgent(const AgentOptions& options) {
  Agent agent(options);
  return agent.Run();
}

}  // namespace paddock::guest
