// Programs: what a file means when it is executed: a command of the sandbox, a shell, a script.
//
// The base tree holds a small marker file for every command, so that which, ls /bin, PATH and copies of
// programs behave as on a real machine.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "proc/command.h"
#include "proc/kernel.h"

namespace paddock::shell {

class InitialVariables;

// Every command of a sandbox by name, and the launcher that runs them. Immutable after construction;
// shared by all shells of a process, safe from any thread.
class ShellHost final : public Launcher {
 public:
  // `commands` outlive the host.
  explicit ShellHost(std::span<const Command* const> commands);

  // What the variables of its shells start from.
  const std::shared_ptr<const InitialVariables>& initial_variables() const { return initial_variables_; }
  const Command* FindCommand(std::string_view name) const;
  // Names of all programs: commands, their aliases and the shells. Sorted.
  std::vector<std::string> ProgramNames() const;
  // The content of a program's marker file.
  static std::string ProgramFile(std::string_view name);

  // What executing `path` gives, or why it cannot be: kNoEntry, kAccess, kIsDirectory, kExecFormat (a
  // binary). Runs it in `process` to its end.
  Result<ExitStatus> Execute(proc::Process& process, const std::string& path, std::vector<std::string> args,
                             std::shared_ptr<const Environment> environment) const;
  // The checks of Execute() without running.
  Status CheckExecutable(proc::Process& process, const std::string& path) const;
  // The same for what runs it, too: an interpreter that is not there is kNoEntry, a binary kExecFormat.
  Status CheckStarts(proc::Process& process, std::string path) const;

  Result<ExitStatus> Run(proc::Process& parent, const ChildSpec& spec) override;
  Result<int> Spawn(proc::Process& parent, const ChildSpec& spec) override;
  Result<std::string> FindProgram(proc::Process& parent, const Environment& environment,
                                  std::string_view name) override;
  std::span<const Command* const> commands() const override { return commands_; }

 private:
  struct Planned {
    std::string path;
    std::shared_ptr<const Environment> environment;
  };
  Result<Planned> Plan(proc::Process& parent, const ChildSpec& spec);

  std::span<const Command* const> commands_;
  std::unordered_map<std::string_view, const Command*> by_name_;
  std::shared_ptr<const InitialVariables> initial_variables_;
};

// Charges what copying an environment for a program takes: scripts can make it as large as their memory.
void ChargeCopy(const Environment& environment, Budget& budget);

// Name of a marker file's command; empty if `content` is none.
std::string_view ProgramName(std::string_view content);

// The `bash` and `sh` programs: parses the shell's own arguments and runs.
ExitStatus RunBash(proc::Process& process, const ShellHost& host, std::span<const std::string> args,
                   const Environment& environment);

}  // namespace paddock::shell
