#include "drivers/process/probe.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <climits>
#include <cstring>

#include "drivers/process/control_group.h"
#include "drivers/process/host_facts.h"
#include "base/descriptor.h"

namespace paddock::process_wall {
namespace {

using sandbox::Check;
using State = Check::State;

constexpr size_t kMostOutput = 64 << 10;
constexpr std::chrono::seconds kProbeTime{10};

// Reads until the end, the limit or the time.
std::string ReadAll(int input) {
  std::string text;
  const auto until = std::chrono::steady_clock::now() + kProbeTime;
  std::array<char, 4096> block;
  while (text.size() < kMostOutput) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    pollfd watched{input, POLLIN, 0};
    const int ready = left <= 0 ? 0 : poll(&watched, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) break;
    const ssize_t got = read(input, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(block.data(), static_cast<size_t>(got));
  }
  return text;
}

std::string CurrentDirectory() {
  std::array<char, PATH_MAX> path{};
  return getcwd(path.data(), path.size()) == nullptr ? "/" : std::string(path.data());
}

}  // namespace

Result<Findings> RunHostProbe(const std::string& guest_program, const std::string& directory) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Error(static_cast<Code>(errno), "cannot make a pipe");
  const Descriptor ours(ends[0]);
  Descriptor theirs(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, theirs.get(), 1);
  const std::array<char*, 4> arguments{const_cast<char*>("paddock-guest"), const_cast<char*>("probe"),
                                       const_cast<char*>(directory.c_str()), nullptr};
  char* const no_environment[] = {nullptr};
  pid_t child = -1;
  const int status = posix_spawn(&child, guest_program.c_str(), &actions, nullptr, arguments.data(), no_environment);
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0) return Error(Code::kUnavailable, "cannot start " + guest_program + ": " + std::strerror(status));
  theirs.Reset();
  const std::string lines = ReadAll(ours.get());
  kill(child, SIGKILL);   // it has said everything, or hangs
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (lines.empty()) return Error(Code::kUnavailable, guest_program + " gives no answer; is it a program for this machine?");
  return ParseFindings(lines);
}

Findings ParseFindings(std::string_view lines) {
  Findings findings;
  while (!lines.empty()) {
    const size_t end = lines.find('\n');
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
    const size_t first = line.find(' ');
    if (first == std::string_view::npos) continue;
    const std::string_view rest = line.substr(first + 1);
    int error = 0;
    const auto [number_end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), error);
    if (failure != std::errc() || number_end == rest.data() + rest.size() || *number_end != ' ') continue;
    findings[std::string(line.substr(0, first))] = {error, std::string(rest.substr(static_cast<size_t>(number_end - rest.data()) + 1))};
  }
  return findings;
}

std::vector<Check> CheckControlGroups() {
  const bool is_root = geteuid() == 0;
  ControlGroup group = ControlGroup::Prepare(FindCgroups(), "paddock-doctor-" + std::to_string(getpid()), {.memory_bytes = 64 << 20, .processes = 64, .cpus = 1.0});
  group.Make();
  const std::string remedy = is_root ? "mount the cgroup file system writable (in a container: --cgroupns=private, and a read-write /sys/fs/cgroup)"
                                     : "start paddock with: systemd-run --user --scope -p Delegate=yes paddock ...";
  std::vector<Check> checks;
  const auto add = [&](const char* name, bool is_held, const std::string& instead) {
    if (is_held) checks.push_back({name, State::kWorks, std::string("a cgroup ") + (group.v2_directory().empty() ? "(version 1)" : "(version 2)") + " holds it", {}});
    else checks.push_back({name, State::kLimited, "no cgroup can be written here; " + instead, remedy});
  };
  add("memory limit", group.limits_memory(), "the memory of a sandbox is not limited as a whole");
  add("process limit", group.limits_processes(), "RLIMIT_NPROC holds instead");
  add("processor share", group.limits_cpu(), "a sandbox may use every core");
  return checks;
}

std::vector<Check> DiagnoseHost(bool with_limits) {
  std::vector<Check> checks;
  const auto facts = ReadHostFacts();
  if (!facts) {
    checks.push_back({"guest program", State::kMissing, std::string(facts.error().Text()), "install paddock-guest beside paddock"});
    return checks;
  }
  const auto findings = RunHostProbe(facts->guest_program, CurrentDirectory());
  if (!findings) {
    checks.push_back({"guest program", State::kMissing, std::string(findings.error().Text()), "install the paddock-guest of this build beside paddock, executable"});
    return checks;
  }
  checks.push_back({"guest program", State::kWorks, facts->guest_program, {}});
  HostSettings settings = ReadHostSettings();
  settings.guest_program = facts->guest_program;
  for (Check& check : JudgeHost(*findings, settings)) checks.push_back(std::move(check));
  if (with_limits) {
    for (Check& check : CheckControlGroups()) checks.push_back(std::move(check));
  }
  return checks;
}

Error Explain(const Error& error) {
  for (const Check& check : DiagnoseHost(false)) {
    if (check.state != State::kMissing) continue;
    const size_t line = check.remedy.find('\n');
    std::string text = std::string(error.Text()) + "; " + check.name + ": " + check.detail;
    text += "; remedy: " + check.remedy.substr(0, line) + (line == std::string::npos ? "" : " ('paddock doctor' prints the whole)");
    return Error(error.code, std::move(text));
  }
  return Error(error.code, std::string(error.Text()) + "; 'paddock doctor' tries what a wall needs, part by part");
}

}  // namespace paddock::process_wall
