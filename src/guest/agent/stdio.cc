#include "guest/agent/stdio.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

namespace paddock::guest {
namespace {

bool Fail(StdioFailure& failure, Step step) {
  failure = {errno, step};
  return false;
}

bool MakePipe(Descriptor& reader, Descriptor& writer) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  reader = Descriptor(ends[0]);
  writer = Descriptor(ends[1]);
  return true;
}

bool MakeNonBlocking(const Descriptor& descriptor) { return fcntl(descriptor.get(), F_SETFL, O_NONBLOCK) == 0; }

Descriptor Duplicate(const Descriptor& descriptor) { return Descriptor(fcntl(descriptor.get(), F_DUPFD_CLOEXEC, 3)); }

bool MakeTerminal(const StartRequest& request, Stdio& stdio) {
  stdio.terminal = Descriptor(open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!stdio.terminal) stdio.terminal = Descriptor(open("/dev/pts/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!stdio.terminal) return false;
  int unlock = 0;
  if (ioctl(stdio.terminal.get(), TIOCSPTLCK, &unlock) != 0) return false;
  // By the master and not by name: /dev/pts may be another instance's.
  stdio.program[0] = Descriptor(ioctl(stdio.terminal.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!stdio.program[0] || !SetTerminalSize(stdio.terminal.get(), *request.terminal)) return false;
  if (request.user) (void)!fchown(stdio.program[0].get(), request.user->uid, static_cast<gid_t>(-1));
  stdio.program[1] = Duplicate(stdio.program[0]);
  stdio.program[2] = Duplicate(stdio.program[0]);
  stdio.output = Duplicate(stdio.terminal);
  if (request.has_input) stdio.input = Duplicate(stdio.terminal);
  if (!stdio.program[1] || !stdio.program[2] || !stdio.output || (request.has_input && !stdio.input)) return false;
  // One open file: what holds for one of its descriptors holds for all three.
  return MakeNonBlocking(stdio.output);
}

bool MakePipes(const StartRequest& request, Stdio& stdio) {
  if (request.has_input) {
    if (!MakePipe(stdio.program[0], stdio.input) || !MakeNonBlocking(stdio.input)) return false;
  } else {
    stdio.program[0] = Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
    // Without a /dev: a pipe that nobody writes to.
    Descriptor writer;
    if (!stdio.program[0] && !MakePipe(stdio.program[0], writer)) return false;
  }
  if (!MakePipe(stdio.output, stdio.program[1]) || !MakeNonBlocking(stdio.output)) return false;
  if (request.merges_output) {
    stdio.program[2] = Duplicate(stdio.program[1]);
    if (!stdio.program[2]) return false;
  } else if (!MakePipe(stdio.error, stdio.program[2]) || !MakeNonBlocking(stdio.error)) {
    return false;
  }
  // So that another user's program can open /dev/stdout again. Only a privileged agent may, and only it can change users.
  if (request.user) {
    for (const Descriptor& descriptor : stdio.program) (void)!fchown(descriptor.get(), request.user->uid, request.user->gid);
  }
  return true;
}

}  // namespace

bool MakeStdio(const StartRequest& request, Stdio& stdio, StdioFailure& failure) {
  if (request.terminal) return MakeTerminal(request, stdio) || Fail(failure, Step::kTerminal);
  return MakePipes(request, stdio) || Fail(failure, Step::kPipe);
}

bool SetTerminalSize(int terminal, TerminalSize size) {
  winsize value{};
  value.ws_row = size.rows;
  value.ws_col = size.columns;
  return ioctl(terminal, TIOCSWINSZ, &value) == 0;
}

}  // namespace paddock::guest
