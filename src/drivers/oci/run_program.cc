#include "drivers/oci/run_program.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace paddock::oci {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMostOutput = 64 << 10;

struct Pipe {
  Descriptor reader, writer;
};

Result<Pipe> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Error(static_cast<Code>(errno), std::string("cannot make a pipe: ") + std::strerror(errno));
  Pipe made{Descriptor(ends[0]), Descriptor(ends[1])};
  fcntl(made.reader.get(), F_SETFL, O_NONBLOCK);
  return made;
}

// What the child of RunProgram() is given; it makes nothing itself.
struct Child {
  const ProgramCall& call;
  char* const* arguments;
  int input, output, error, report;
  pid_t parent;
};

void Report(const Child& child, const char* step, const char* name) {
  const StageFailure failure{.step = step, .name = name, .error = errno};
  (void)!write(child.report, &failure, sizeof failure);   // pointers into the parent's memory, of which this is a copy
  _exit(126);
}

[[noreturn]] void BecomeProgram(const Child& child) {
  setsid();
  // It is killed with the thread that waits for it, so that nothing is begun any more when what is left is swept.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != child.parent) _exit(126);
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  for (int signal = 1; signal < 65; ++signal) sigaction(signal, &plain, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  StageFailure failure;
  const bool is_apart = child.call.stage != nullptr || !child.call.hidden.empty();
  if ((is_apart && !LeaveHostMounts(child.call.hidden, failure)) || (child.call.stage != nullptr && !BuildStage(*child.call.stage, failure))) {
    errno = failure.error;
    Report(child, failure.step, failure.name);
  }
  // Out of the way of the targets: none of the ends is below 3 while the daemon's own stdin, stdout and stderr are open.
  const int input = fcntl(child.input, F_DUPFD_CLOEXEC, 3), output = fcntl(child.output, F_DUPFD_CLOEXEC, 3), error = fcntl(child.error, F_DUPFD_CLOEXEC, 3);
  const int report = fcntl(child.report, F_DUPFD_CLOEXEC, 3);
  const Child moved{child.call, child.arguments, input, output, error, report, child.parent};
  if (dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(error, 2) < 0) Report(moved, "arrange the descriptors of", child.arguments[0]);
  syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC);
  umask(022);
  static char path[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", home[] = "HOME=/";
  char* const environment[] = {path, home, nullptr};
  execve(child.arguments[0], child.arguments, environment);
  Report(moved, "start", child.arguments[0]);
  _exit(126);
}

std::string OneLine(std::string text) {
  for (char& one : text) {
    if (static_cast<unsigned char>(one) < 0x20 || static_cast<unsigned char>(one) >= 0x7f) one = ' ';
  }
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// Reads what there is; what is more than `most` is let go. False at the end of the input.
bool Drain(int descriptor, std::string& text, size_t most) {
  std::array<char, 8192> piece;
  for (int rounds = 0; rounds < 64; ++rounds) {
    const ssize_t got = read(descriptor, piece.data(), piece.size());
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    text.append(piece.data(), std::min(static_cast<size_t>(got), most - std::min(most, text.size())));
  }
  return true;
}

int StatusOf(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::string ReadComplaint(int descriptor, size_t most) {
  std::string text;
  if (descriptor >= 0) Drain(descriptor, text, most);
  return OneLine(std::move(text));
}

Result<ProgramEnd> RunProgram(const ProgramCall& call) {
  PADDOCK_ASSIGN(Pipe report, MakePipe());
  PADDOCK_ASSIGN(Pipe output, MakePipe());
  PADDOCK_ASSIGN(Pipe error, MakePipe());
  const Descriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
  std::vector<char*> arguments;
  for (const std::string& one : call.arguments) arguments.push_back(const_cast<char*>(one.c_str()));
  arguments.push_back(nullptr);
  const bool has_stream = call.stream >= 0;
  const Child plan{call, arguments.data(), has_stream ? call.stream : null.get(), has_stream ? call.stream : output.writer.get(), error.writer.get(), report.writer.get(),
                   getpid()};
  const pid_t child = fork();
  if (child < 0) return Error(Code::kUnavailable, "cannot start " + call.arguments.front() + ": " + std::strerror(errno));
  if (child == 0) BecomeProgram(plan);
  report.writer.Reset();
  output.writer.Reset();
  error.writer.Reset();
  const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  const Clock::time_point until = Clock::now() + call.patience;
  ProgramEnd end;
  bool has_output = true, has_error = true, is_late = false;
  for (bool is_over = false; !is_over;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    is_late = left <= 0;
    if (is_late) break;
    std::array<pollfd, 3> waits{pollfd{process.get(), POLLIN, 0}, {has_output ? output.reader.get() : -1, POLLIN, 0}, {has_error ? error.reader.get() : -1, POLLIN, 0}};
    const int ready = poll(waits.data(), waits.size(), static_cast<int>(std::min<int64_t>(left, 60'000)));
    if (ready < 0 && errno != EINTR) break;
    if (ready <= 0) continue;
    is_over = waits[0].revents != 0;
    // What is flooded is read on, or who writes it would wait for ever.
    if (has_output) has_output = Drain(output.reader.get(), end.output, kMostOutput);
    if (has_error) has_error = Drain(error.reader.get(), end.complaint, 4096);
  }
  if (is_late) kill(-child, SIGKILL);
  if (is_late || !process.is_open()) kill(child, SIGKILL);
  end.status = StatusOf(child);
  end.complaint = OneLine(std::move(end.complaint));
  const std::string said = end.complaint.empty() ? "" : "; it says: " + end.complaint;
  StageFailure failure;
  if (read(report.reader.get(), &failure, sizeof failure) == static_cast<ssize_t>(sizeof failure) && failure.step != nullptr) {
    return Error(Code::kUnavailable, std::string("cannot ") + failure.step + " " + failure.name + ": " + std::strerror(failure.error));
  }
  if (is_late) {
    return Error(Code::kTimedOut, call.arguments.front() + " did not end within " + std::to_string(call.patience.count()) + " ms and was killed" + said);
  }
  end.stderr_end = std::move(error.reader);
  return end;
}

}  // namespace paddock::oci
