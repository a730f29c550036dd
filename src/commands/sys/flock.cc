// flock - hold a lock on a file while a command runs
//
// usage: flock [OPTION]... FILE|DIRECTORY COMMAND [ARGUMENT]...
//        flock [OPTION]... FILE|DIRECTORY -c COMMAND
//        flock [OPTION]... NUMBER
//
// Exit status: the command's; 1 (-E) when the lock is not to be had; 64 to 73 (sysexits) for errors of its own.
// Source: util-linux 2.38.
// Differs: locks hold within the sandbox; a mounted host directory is not locked for the host.

#include <charconv>
#include <cmath>

#include "proc/command.h"
#include "proc/kernel.h"
#include "proc/process.h"
#include "text/date/duration.h"

namespace paddock {
namespace {

constexpr ExitStatus kUsage = 64, kNoInput = 66, kUnavailable = 69, kNoTimer = 71;

struct Options {
  proc::FileLocks::Kind kind = proc::FileLocks::Kind::kExclusive;
  bool unlocks = false, fails = false, closes = false, no_fork = false, verbose = false, help = false, version = false;
  std::optional<std::string> timeout, conflict_status;
};

Status Shared(Options& options, std::string_view) {
  options.kind = proc::FileLocks::Kind::kShared;
  options.unlocks = false;
  return {};
}
Status Exclusive(Options& options, std::string_view) {
  options.kind = proc::FileLocks::Kind::kExclusive;
  options.unlocks = false;
  return {};
}

constexpr Option kOptions[] = {
    Call<Shared>('s', "shared", nullptr, "get a shared lock"),
    Call<Exclusive>('x', "exclusive", nullptr, "get an exclusive lock (default)"),
    Call<Exclusive>('e', nullptr, nullptr, nullptr),
    Flag<&Options::unlocks>('u', "unlock", "remove a lock"),
    Flag<&Options::fails>('n', "nonblock", "fail rather than wait"),
    Flag<&Options::fails>(0, "nb", nullptr),
    Value<&Options::timeout>('w', "timeout", "SECONDS", "wait for SECONDS only"),
    Value<&Options::timeout>(0, "wait", "SECONDS", nullptr),
    Value<&Options::conflict_status>('E', "conflict-exit-code", "NUMBER", "exit status when the lock is not to be had"),
    Flag<&Options::closes>('o', "close", "close the file's descriptor before the command runs"),
    Flag<&Options::no_fork>('F', "no-fork", "run the command in place of this one"),
    Flag<&Options::verbose>(0, "verbose", "say what is done"),
    Flag<&Options::help>('h', nullptr, "display this help"),
    Flag<&Options::version>('V', nullptr, "display the version"),
};

class Flock {
 public:
  Flock(Invocation& in, const Options& options) : in_(in), options_(options) {}

  ExitStatus Run(const std::vector<std::string>& operands) {
    if (const ExitStatus status = ReadNumbers(); status != 0) return status;
    if (options_.no_fork && options_.closes) return in_.Fail("the --no-fork and --close options are incompatible", kUsage);
    if (operands.empty()) return in_.Usage("not enough arguments");
    if (operands.size() == 1) return LockDescriptor(operands[0]);
    std::vector<std::string> command(operands.begin() + 1, operands.end());
    if (command[0] == "-c" || command[0] == "--command") {
      if (command.size() != 2) return in_.Fail(command[0] + " requires exactly one command argument", kUsage);
      const std::string shell(in_.env.Get("SHELL", ""));
      command = {shell.empty() ? "/bin/sh" : shell, "-c", command[1]};
    }
    return LockAndRun(operands[0], std::move(command));
  }

 private:
  ExitStatus ReadNumbers() {
    if (options_.conflict_status) {
      const std::string& text = *options_.conflict_status;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), conflict_status_);
      if (error != std::errc() || end != text.data() + text.size()) return in_.Fail("invalid exit code: '" + text + "'", kUsage);
      if (conflict_status_ < 0 || conflict_status_ > 255) return in_.Fail("exit code out of range (expected 0 to 255)", kUsage);
    }
    if (!options_.timeout) return 0;
    const std::string& text = *options_.timeout;
    double seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds, std::chars_format::fixed);
    if (error != std::errc() || end != text.data() + text.size()) {
      return in_.Fail("invalid timeout value: '" + text + "'", kUsage);
    }
    timeout_ = seconds;
    return 0;
  }

  ExitStatus LockDescriptor(const std::string& text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return in_.Fail("bad file descriptor: '" + text + "'", kUsage);
    const vfs::OpenFilePtr file = in_.process.descriptors().Get(number);
    if (file == nullptr) return in_.Fail(text + ": Bad file descriptor", 65);
    return Lock(*file, text);
  }

  ExitStatus LockAndRun(const std::string& name, std::vector<std::string> command) {
    auto opened = in_.fs.Open(name, {.read = true, .create = true});
    if (!opened && opened.error().code == Code::kIsDirectory) opened = in_.fs.Open(name, vfs::OpenFlags::Read());
    if (!opened) return in_.Fail("cannot open lock file " + name, opened.error(), kNoInput);
    const vfs::OpenFilePtr file = *opened;
    const int number = in_.process.descriptors().LowestFree(3);
    if (number >= 0) in_.process.descriptors().Set(number, file, options_.closes);
    if (const ExitStatus status = Lock(*file, name); status != 0 || gave_up_) return status;
    if (options_.verbose) in_.out.Write(std::string(in_.name()) + ": executing " + command[0] + "\n");
    in_.out.Flush();
    ChildSpec spec;
    const std::string program = command[0];
    spec.args = std::move(command);
    spec.environment = &in_.env;
    const auto status = in_.launcher.Run(in_.process, spec);
    if (status) return *status;
    return in_.Fail("failed to execute " + program, status.error(), kUnavailable);
  }

  ExitStatus Lock(vfs::OpenFile& file, const std::string& name) {
    proc::FileLocks& locks = in_.kernel.file_locks();
    if (options_.unlocks) {
      proc::FileLocks::Unlock(file);
      return 0;
    }
    if (timeout_ && *timeout_ < 0) return in_.Fail("cannot set up timer: Invalid argument", kNoTimer);
    const Nanoseconds begin = in_.clock.MonotonicNow();
    Status taken;
    if (options_.fails || timeout_ == 0.0) {
      taken = locks.TryLock(file, options_.kind);
    } else {
      Nanoseconds until = Nanoseconds::max();
      if (timeout_ && *timeout_ < 1e9) until = begin + ToNanoseconds(*timeout_);
      do {   // a signal that somebody handles does not end the wait
        taken = locks.Lock(in_.process, file, options_.kind, until);
      } while (!taken && taken.error().code == Code::kInterrupted && in_.process.TakeCaught() != 0);
    }
    if (taken) {
      if (options_.verbose) {
        const double seconds = static_cast<double>((in_.clock.MonotonicNow() - begin).count()) / 1e9;
        char text[64];
        const int length = std::snprintf(text, sizeof text, ": getting lock took %.6f seconds\n", seconds);
        in_.out.Write(std::string(in_.name()) + std::string(text, static_cast<size_t>(length)));
      }
      return 0;
    }
    if (taken.error().code != Code::kAgain && taken.error().code != Code::kTimedOut) return in_.Fail(name, taken.error(), 65);
    if (options_.verbose) in_.Fail(options_.fails || timeout_ == 0.0 ? "failed to get lock" : "timeout while waiting to get lock");
    gave_up_ = true;
    return conflict_status_;
  }

  Invocation& in_;
  const Options& options_;
  int conflict_status_ = 1;
  std::optional<double> timeout_;
  bool gave_up_ = false;   // with -E 0, too, the command does not run
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (options.help) return in.out.Write(HelpText(in.command, in.name())), 0;
  if (options.version) return in.out.Write(VersionText(in.command, in.name())), 0;
  return Flock(in, options).Run(operands);
}

}  // namespace

extern const Command kCommand_flock;
const Command kCommand_flock = Define<Options, Run>({
    .name = "flock",
    .summary = "hold a lock on a file while a command runs",
    .synopsis = "[OPTION]... FILE|DIRECTORY COMMAND [ARGUMENT]...\n[OPTION]... FILE|DIRECTORY -c|--command COMMAND\n[OPTION]... NUMBER",
    .options = kOptions,
    .rules = {.stop_at_operand = true},
    .usage_status = kUsage,
    .cuts_own_name = true,
});

}  // namespace paddock
