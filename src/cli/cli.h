// The command line: one file per subcommand.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sandbox/driver_set.h"

namespace paddock::cli {

inline constexpr const char* kVersion = "0.1.0";

// Runs `paddock ARGS…`; the exit status of the process.
int Main(const sandbox::DriverSet& drivers, const std::vector<std::string>& args);

// A subcommand. `args` is what follows its name.
struct Subcommand {
  const char* name;
  const char* summary;
  int (*run)(const sandbox::DriverSet& drivers, std::span<const std::string> args);
};

int RunRun(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunShell(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunBatch(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunSrt(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunDiff(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunApply(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunDiscard(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunPolicy(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunServe(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunMcp(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunKey(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunConfig(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunDoctor(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunCommands(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunTools(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunEscapeTest(const sandbox::DriverSet& drivers, std::span<const std::string> args);

// Of a daemon's sandboxes: client/.
int RunCreate(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunLs(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunExec(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunPs(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunLogs(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunCp(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunInspect(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunPause(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunResume(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunStop(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunStart(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunRm(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunExtend(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunSnapshot(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunTemplate(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunFork(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunUsage(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunEvents(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunSession(const sandbox::DriverSet& drivers, std::span<const std::string> args);

// Parses one item of --limits ("time=2s", "memory=64M", "steps=1e9" …) or --mount ("HOST:GUEST[:ro|rw|overlay]").
Status ParseLimit(std::string_view item, Limits& limits, sandbox::SandboxSpec& spec);
Result<sandbox::MountSpec> ParseMount(std::string_view text);
// "paddock run: MESSAGE" on stderr; returns 2.
int Fail(const char* subcommand, std::string_view message);

// The exit status that the process shows for a result: its exit code, 128 + signal, 124 for a timeout, 130 when it was
// cancelled, 125 for every other early end.
int ProcessStatus(const sandbox::ExecResult& result);
// "paddock: stopped: memory limit reached (536870912 bytes)"; empty when the exec ended by itself.
std::string StopMessage(const sandbox::ExecResult& result);

}  // namespace paddock::cli
