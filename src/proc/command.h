// Command and Invocation: what a program of the virtual shell is, and all that it gets to see.
//
// A command is one file under commands/ that ends in one definition:
//
//   struct Options { … };
//   constexpr Option kOptions[] = { … };
//   ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands);
//   }  // namespace
//   extern const Command kCommand_nl;
//   const Command kCommand_nl = Define<Options, Run>({
//       .name = "nl", .summary = "number lines of files", .synopsis = "[OPTION]... [FILE]...",
//       .options = kOptions});
//
// The build finds the file and puts the command into the table; nothing else lists it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/options.h"
#include "base/stream.h"
#include "vfs/file_system.h"

namespace paddock::proc {
class Kernel;
class Process;
}  // namespace paddock::proc

namespace paddock {

// As $?: 0 success, 1–125 the command's own, 126/127 could not run, 128 + n killed by signal n.
using ExitStatus = int;

struct Command;

// The exported variables of a process, in the order of export; values are bytes without NUL.
class Environment {
 public:
  struct Variable {
    std::string name;
    std::string value;
  };
  std::optional<std::string_view> Get(std::string_view name) const;
  // Get(), or the default when it is unset.
  std::string_view Get(std::string_view name, std::string_view otherwise) const;
  void Set(std::string_view name, std::string_view value);
  // Set() for a name that is known to be new: constant time.
  void Append(std::string_view name, std::string_view value) {
    variables_.push_back({std::string(name), std::string(value)});
  }
  void Unset(std::string_view name);
  const std::vector<Variable>& variables() const { return variables_; }

 private:
  std::vector<Variable> variables_;
};

// How text is read: from LC_ALL, else LC_CTYPE, else LANG ("C" when none is set).
struct Locale {
  bool is_utf8 = false;
};
Locale LocaleOf(const Environment& environment);

// A command line to run as a child process.
struct ChildSpec {
  std::vector<std::string> args;             // args[0] is looked up in PATH unless it has a slash
  const Environment* environment = nullptr;  // required: usually the invocation's env
  std::optional<std::string> cwd;
  vfs::OpenFilePtr in, out, err;             // null: the caller's own
  bool own_group = false;                    // a process group of its own (timeout)
  std::vector<int> ignored_signals;          // nohup
};

// Runs commands for a command: xargs, find -exec, env, timeout, awk's system().
class Launcher {
 public:
  virtual ~Launcher() = default;
  // Runs to the end; the exit status, or kNoEntry (127) / kAccess, kExecFormat (126) when it cannot start.
  virtual Result<ExitStatus> Run(proc::Process& parent, const ChildSpec& spec) = 0;
  // Starts it beside the caller; wait with Kernel::Wait(parent, pid).
  virtual Result<int> Spawn(proc::Process& parent, const ChildSpec& spec) = 0;
  // What `name` would run by the PATH of `environment`: a path, or kNoEntry.
  virtual Result<std::string> FindProgram(proc::Process& parent, const Environment& environment,
                                          std::string_view name) = 0;
  // Every command of the sandbox, by name.
  virtual std::span<const Command* const> commands() const = 0;
};

// All that a running command gets. Everything outlives the call.
struct Invocation {
  std::span<const std::string> args;   // args[0] is the name it was called by
  Input& in;                           // descriptor 0
  Output& out;                         // descriptor 1; flushed when the command returns
  Output& err;                         // descriptor 2; unbuffered
  vfs::FileSystem& fs;
  const Environment& env;
  Budget& budget;
  const Clock& clock;
  proc::Process& process;              // descriptors, pids, signals
  proc::Kernel& kernel;
  Launcher& launcher;
  const Command& command;
  Locale locale;

  // The last component of args[0].
  std::string_view name() const;
  // The name for messages: args[0] as it is, or name() for programs that cut it.
  std::string_view name_in_messages() const;
  // Writes "NAME: MESSAGE\n" to err, after flushing out. Returns `status`.
  ExitStatus Fail(std::string_view message, ExitStatus status = 1);
  // "NAME: SUBJECT: No such file or directory\n".
  ExitStatus Fail(std::string_view subject, const Error& error, ExitStatus status = 1);
  // "NAME: MESSAGE\nTry 'NAME --help' for more information.\n", the command's usage status.
  ExitStatus Usage(std::string_view message);
  // The second line alone, after complaints were written one by one.
  ExitStatus UsageHint();
};

struct Command {
  const char* name;
  std::span<const char* const> aliases = {};
  const char* summary;                    // one line, no full stop
  const char* synopsis = "[OPTION]...";   // after the name; lines split with \n
  const char* details = "";               // the rest of --help, after the options
  std::span<const Option> options = {};
  OptionRules rules = {};
  ExitStatus usage_status = 1;            // exit status of a usage error (ls, sort, grep: 2)
  bool cuts_own_name = false;             // /bin/awk says "awk: …", while /bin/ls says "/bin/ls: …"
  bool needs_network = false;             // absent where the policy allows no host
  bool parses_options = true;             // false: run gets every argument (echo, test, expr, true)
  ExitStatus (*run)(Invocation& in) = nullptr;
};

// Text of --help and --version.
std::string HelpText(const Command& command, std::string_view name);
std::string VersionText(const Command& command, std::string_view name);

namespace command_internal {
// Parses the options of `in` into `options`; nothing when the command is already answered with `status`
// (usage error, --help, --version).
std::optional<std::vector<std::string>> Prepare(Invocation& in, void* options, ExitStatus* status);

template <class O, auto kRun>
ExitStatus ParseAndRun(Invocation& in) {
  O options{};
  ExitStatus status = 0;
  auto operands = Prepare(in, &options, &status);
  if (!operands) return status;
  return kRun(in, options, *operands);
}
}  // namespace command_internal

// A command with an option table: ExitStatus kRun(Invocation&, O& or const O&, operands).
template <class O, auto kRun>
constexpr Command Define(Command command) {
  command.run = command_internal::ParseAndRun<O, kRun>;
  return command;
}

// Runs a command in `process` (descriptors and files as they are there) and returns its exit status.
// Flushes its output; a write error that was not reported becomes "NAME: write error: …", status 1.
ExitStatus RunCommand(const Command& command, proc::Process& process, std::span<const std::string> args,
                      const Environment& environment, Launcher& launcher);

}  // namespace paddock
