#include "cli/cli.h"

#include <charconv>
#include <cstdio>

#include "cli/client/exec.h"
#include "cli/manual.h"

namespace paddock::cli {
namespace {

constexpr Subcommand kHere[] = {
    {"run", "run a script, a file or a command in a fresh sandbox", RunRun},
    {"shell", "open a prompt in a fresh sandbox, or in one of a daemon", RunShell},
    {"batch", "serve scripts as JSON lines, a fresh sandbox for each", RunBatch},
    {"srt", "run a command under the settings of Anthropic's sandbox-runtime", RunSrt},
    {"diff", "show what a run with --overlay has changed in its workspace, or what changed in a daemon's sandbox", RunDiff},
    {"apply", "carry such changes over into the workspace", RunApply},
    {"discard", "throw such changes away", RunDiscard},
    {"mcp", "serve tools and sandboxes to a client of the Model Context Protocol, on stdio", RunMcp},
    {"policy", "show a policy and answer what it allows", RunPolicy},
    {"doctor", "try what every isolation needs on this host, with remedies", RunDoctor},
    {"commands", "list the commands of the virtual shell, or explain some", RunCommands},
    {"tools", "print the tools that capabilities offer a model, and the system prompt", RunTools},
    {"escape-test", "attack the process wall under a policy, and report what held", RunEscapeTest},
};

constexpr Subcommand kDaemon[] = {
    {"serve", "serve sandboxes over HTTP", RunServe},
    {"key", "make, list and revoke keys of that API", RunKey},
    {"config", "check the daemon's configuration", RunConfig},
};

constexpr Subcommand kOfDaemon[] = {
    {"create", "make a sandbox", RunCreate},
    {"ls", "list sandboxes, or a directory in one", RunLs},
    {"exec", "run a command in a sandbox", RunExec},
    {"attach", "come back to a command at a terminal that was left", RunAttach},
    {"ps", "list what runs in a sandbox", RunPs},
    {"logs", "print what a process wrote", RunLogs},
    {"cp", "copy files and directories into a sandbox, out of one, or between two", RunCp},
    {"inspect", "print all that is known of a sandbox", RunInspect},
    {"snapshot", "keep the state of a sandbox, compare it, bring it back", RunSnapshot},
    {"template", "keep files that sandboxes begin with", RunTemplate},
    {"fork", "make sandboxes that begin as one is now", RunFork},
    {"pause", "put a sandbox to rest", RunPause},
    {"resume", "let a paused sandbox go on", RunResume},
    {"stop", "stop a sandbox", RunStop},
    {"start", "start a stopped sandbox", RunStart},
    {"extend", "let a sandbox's time to live begin anew", RunExtend},
    {"rm", "delete a sandbox", RunRm},
    {"events", "print what happened", RunEvents},
    {"session", "make and use sessions: their tools, files and keys", RunSession},
    {"usage", "print what was used, and what that costs", RunUsage},
};

constexpr Subcommand kAbout[] = {
    {"completion", "print a script that lets a shell complete all of this", RunCompletion},
    {"man", "print the manual", RunMan},
};

constexpr SubcommandGroup kGroups[] = {
    {"On this machine, without a daemon", kHere},
    {"The daemon", kDaemon},
    {"Sandboxes of a daemon", kOfDaemon},
    {"About paddock", kAbout},
};

void PrintUsage(std::FILE* to) {
  std::fprintf(to, "paddock %s: a computer of its own for every agent\n\nUsage: paddock SUBCOMMAND [ARGUMENT]...\n", kVersion);
  for (const SubcommandGroup& group : kGroups) {
    std::fprintf(to, "\n%s:\n", group.title);
    for (const Subcommand& subcommand : group.subcommands) std::fprintf(to, "  %-11s %s\n", subcommand.name, subcommand.summary);
  }
  std::fprintf(to, "\n'paddock SUBCOMMAND --help' explains one. 'paddock --version' prints the version.\n");
}

// A number with an optional fraction and suffix; false if malformed.
bool SplitNumber(std::string_view text, double* number, std::string_view* suffix) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  if (error != std::errc() || !(*number >= 0)) return false;   // "nan" is a number to from_chars
  *suffix = text.substr(static_cast<size_t>(end - text.data()));
  return true;
}

// The amount that a limit's number means: 0 is no limit. False for a fraction of one or too much.
bool ToAmount(double number, uint64_t* amount) {
  constexpr double kMost = 1e18;
  if (number > kMost || (number > 0 && number < 1)) return false;
  *amount = static_cast<uint64_t>(number == 0 ? kMost : number);
  return true;
}

bool ParseBytes(std::string_view text, uint64_t* bytes) {
  double number = 0;
  std::string_view suffix;
  if (!SplitNumber(text, &number, &suffix)) return false;
  double unit = 1;
  if (suffix == "K" || suffix == "KiB" || suffix == "k") unit = 1024;
  else if (suffix == "M" || suffix == "MiB") unit = 1024.0 * 1024;
  else if (suffix == "G" || suffix == "GiB") unit = 1024.0 * 1024 * 1024;
  else if (!suffix.empty() && suffix != "B") return false;
  return ToAmount(number * unit, bytes);
}

bool ParseDuration(std::string_view text, Nanoseconds* time) {
  double number = 0;
  std::string_view suffix;
  if (!SplitNumber(text, &number, &suffix)) return false;
  double unit = 1e9;
  if (suffix == "ms") unit = 1e6;
  else if (suffix == "us") unit = 1e3;
  else if (suffix == "m") unit = 60e9;
  else if (suffix == "h") unit = 3600e9;
  else if (!suffix.empty() && suffix != "s") return false;
  if (number * unit > 9e18) return false;
  *time = Nanoseconds(static_cast<int64_t>(number * unit));
  return true;
}

bool ParseCount(std::string_view text, uint64_t* count) {
  double number = 0;
  std::string_view suffix;
  return SplitNumber(text, &number, &suffix) && suffix.empty() && ToAmount(number, count);
}

}  // namespace

Status ParseLimit(std::string_view item, Limits& limits, sandbox::SandboxSpec& spec) {
  const size_t equals = item.find('=');
  const std::string_view name = item.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? std::string_view() : item.substr(equals + 1);
  bool is_good = false;
  if (name == "time") is_good = ParseDuration(value, &limits.time);
  else if (name == "steps") is_good = ParseCount(value, &limits.steps);
  else if (name == "memory") is_good = ParseBytes(value, &limits.memory_bytes);
  else if (name == "output") is_good = ParseBytes(value, &limits.output_bytes);
  else if (name == "processes") is_good = ParseCount(value, &limits.processes);
  else if (name == "disk") is_good = ParseBytes(value, &spec.disk_bytes);
  else if (name == "files") is_good = ParseCount(value, &spec.disk_inodes);
  else {
    return Error(Code::kInvalid, "unknown limit '" + std::string(name) +
                                     "'; the limits are time, steps, memory, output, processes, disk, files");
  }
  if (!is_good) {
    return Error(Code::kInvalid, "bad value in limit '" + std::string(item) +
                                     "'; write time=2s, memory=64M, output=1M, steps=1e9, processes=100, disk=1G, files=1e5");
  }
  return {};
}

Result<sandbox::MountSpec> ParseMount(std::string_view text) {
  sandbox::MountSpec mount;
  const size_t first = text.find(':');
  if (first == std::string_view::npos || first == 0) {
    return Error(Code::kInvalid, "bad mount '" + std::string(text) + "'; write HOST:GUEST[:ro|rw|overlay]");
  }
  mount.host = text.substr(0, first);
  text.remove_prefix(first + 1);
  const size_t second = text.find(':');
  mount.guest = text.substr(0, second);
  const std::string_view mode = second == std::string_view::npos ? "ro" : text.substr(second + 1);
  if (mode == "ro") mount.mode = sandbox::MountMode::kReadOnly;
  else if (mode == "rw") mount.mode = sandbox::MountMode::kReadWrite;
  else if (mode == "overlay") mount.mode = sandbox::MountMode::kOverlay;
  else return Error(Code::kInvalid, "unknown mount mode '" + std::string(mode) + "'; the modes are ro, rw, overlay");
  if (!mount.guest.starts_with('/')) {
    return Error(Code::kInvalid, "mount target '" + mount.guest + "' must be an absolute path");
  }
  return mount;
}

int Fail(const char* subcommand, std::string_view message) {
  std::fprintf(stderr, "paddock %s: %.*s\n", subcommand, static_cast<int>(message.size()), message.data());
  return 2;
}

int ProcessStatus(const sandbox::ExecResult& result) {
  if (result.exit_code) return *result.exit_code;
  if (result.termination.reason == sandbox::Termination::Reason::kCancelled) return 130;
  return result.termination.reason == sandbox::Termination::Reason::kTimeout ? 124 : 125;
}

std::string StopMessage(const sandbox::ExecResult& result) {
  const sandbox::Termination& end = result.termination;
  if (end.reason == sandbox::Termination::Reason::kExit || end.reason == sandbox::Termination::Reason::kSignal) return {};
  std::string text = std::string("paddock: stopped: ") + sandbox::ReasonName(end.reason);
  if (!end.limit.empty() && end.limit != sandbox::ReasonName(end.reason)) {   // "cancelled" and "deadlock" say it all
    // Where the machinery failed there is no limit: the text is what happened.
    text += " (" + end.limit + (end.reason == sandbox::Termination::Reason::kInfra ? "" : " limit");
    if (end.peak > 0 && end.reason == sandbox::Termination::Reason::kTimeout) text += ", after " + std::to_string(end.peak / 1'000'000) + " ms";
    else if (end.peak > 0) text += ", at " + std::to_string(end.peak);
    text += ")";
  }
  return text;
}

std::span<const SubcommandGroup> SubcommandGroups() { return kGroups; }

int Main(const sandbox::DriverSet& drivers, const std::vector<std::string>& args) {
  if (args.empty()) {
    PrintUsage(stderr);
    return 2;
  }
  if (args[0] == "--help" || args[0] == "-h" || args[0] == "help") {
    PrintUsage(stdout);
    return 0;
  }
  if (args[0] == "--version") {
    std::printf("paddock %s\n", kVersion);
    return 0;
  }
  for (const SubcommandGroup& group : kGroups) {
    for (const Subcommand& subcommand : group.subcommands) {
      if (args[0] == subcommand.name) return subcommand.run(drivers, std::span(args).subspan(1));
    }
  }
  std::fprintf(stderr, "paddock: unknown subcommand '%s'; 'paddock --help' lists them\n", args[0].c_str());
  return 2;
}

}  // namespace paddock::cli
