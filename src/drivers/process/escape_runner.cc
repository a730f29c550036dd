#include "drivers/process/escape_runner.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>

#include "drivers/process/escape/probe.h"
#include "drivers/process/escape_stage.h"
#include "drivers/process/host_facts.h"
#include "drivers/process/wall_plan.h"
#include "policy/preset.h"
#include "policy/verdict.h"

namespace paddock::process_wall {
namespace {

using escape::Needs;
using escape::Probe;
using sandbox::EscapeFinding;
using sandbox::Termination;
using Outcome = EscapeFinding::Outcome;

// Of the sandbox that the bombs go off in.
constexpr uint64_t kMemory = 96 << 20, kProcesses = 40, kTmp = 8 << 20;
constexpr int kCpuSeconds = 1;
constexpr std::chrono::seconds kProbeTime{60};

// Probes that read a file which some policy may show.
constexpr struct {
  const char* probe;
  const char* fact;
} kReads[] = {{"files/home", "home_file"},       {"files/tmp", "tmp_file"},         {"files/var-tmp", "vartmp_file"}, {"files/sibling", "sibling_file"},
              {"files/symlink", "home_file"},    {"files/climb", "home_file"},      {"files/proc-root", "home_file"}, {"files/hard-link", "sibling_file"}};

// What a run of the probe's program came to.
struct Ended {
  std::optional<int> status;   // as it exited
  std::string output;
  std::string otherwise;       // how it ended if it did not exit
  bool is_late = false;        // it gave no answer in time
};

class Runner {
 public:
  Runner(sandbox::Driver& driver, const sandbox::EscapeTest& test, const std::function<void(const EscapeFinding&)>& on_finding)
      : driver_(driver), test_(test), on_finding_(on_finding) {}

  Status Run() {
    PADDOCK_ASSIGN(const HostFacts facts, ReadHostFacts());
    program_ = facts.guest_program.substr(0, facts.guest_program.rfind('/')) + "/paddock-escape";
    guest_ = facts.guest_program;
    if (access(program_.c_str(), X_OK) != 0) return Error(Code::kUnavailable, program_ + " is missing: install it beside the paddock program");
    PADDOCK_ASSIGN(stage_, EscapeStage::Make(test_.workspace, test_.home, program_));
    PADDOCK_TRY(RunGroup([](Needs needs) { return needs != Needs::kEnd && needs != Needs::kLimits; }, test_.policy));
    PADDOCK_TRY(RunEnds());
    return RunGroup([](Needs needs) { return needs == Needs::kLimits; }, WithSmallLimits());
  }

 private:
  std::vector<const Probe*> Chosen(const std::function<bool(Needs)>& belongs) const {
    std::vector<const Probe*> chosen;
    for (const Probe* probe : escape::AllProbes()) {
      if (belongs(probe->needs) && (!test_.selects || test_.selects(probe->name))) chosen.push_back(probe);
    }
    return chosen;
  }

  policy::Policy WithSmallLimits() const {
    policy::Policy policy = test_.policy;
    policy.limits.memory_bytes = kMemory;
    policy.limits.processes = kProcesses;
    policy.limits.cpu_time = std::chrono::seconds(kCpuSeconds);
    policy.files.tmp_bytes = kTmp;
    return policy;
  }

  Result<std::unique_ptr<sandbox::Sandbox>> MakeSandbox(policy::Policy policy) {
    policy::SetPathRule(policy.files, {program_, policy::Access::kRead, false, "escape-test"});
    sandbox::SandboxSpec spec;
    spec.policy = std::move(policy);
    spec.state_directory = test_.workspace.substr(0, test_.workspace.rfind('/')) + "/state";   // removed with the test's directory
    return driver_.Create(spec);
  }

  std::vector<std::string> Command(const Probe& probe) const {
    std::vector<std::string> command{program_, probe.name};
    const std::string place = test_.is_control ? test_.workspace : WorkspacePath(test_.policy.files);
    for (const auto& [name, value] : stage_->facts()) command.push_back(name + "=" + (name == "workspace" ? place : value));
    command.push_back("guest=" + guest_);
    command.push_back("mark=" + stage_->Mark(probe.name));
    command.push_back("limit_memory=" + std::to_string(kMemory));
    command.push_back("limit_processes=" + std::to_string(kProcesses));
    command.push_back("limit_disk=" + std::to_string(kTmp));
    command.push_back("limit_cpu_seconds=" + std::to_string(kCpuSeconds));
    if (test_.is_control) command.push_back("control=1");
    return command;
  }

  Result<Ended> RunInside(sandbox::Sandbox& inside, const Probe& probe) const {
    sandbox::ExecSpec exec;
    exec.command = Command(probe);
    exec.limits.time = kProbeTime;
    PADDOCK_ASSIGN(const std::unique_ptr<sandbox::Process> process, inside.Start(std::move(exec), {}, nullptr));
    const sandbox::ExecResult result = process->Wait();
    Ended ended{.output = result.stdout_text + result.stderr_text};
    const Termination& end = result.termination;
    if (end.reason == Termination::Reason::kExit) ended.status = result.exit_code;
    else if (end.reason == Termination::Reason::kSignal) ended.otherwise = "killed by signal " + std::to_string(end.signal);
    else ended.otherwise = std::string("ended by the wall: ") + sandbox::ReasonName(end.reason) + (end.limit.empty() ? "" : " (" + end.limit + ")");
    ended.is_late = end.reason == Termination::Reason::kTimeout || (end.reason == Termination::Reason::kSignal && end.signal == SIGALRM);
    return ended;
  }

  // The control: as a child of this process.
  Result<Ended> RunOutside(const Probe& probe) const {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return Error(static_cast<Code>(errno), "cannot make a pipe");
    const Descriptor ours(ends[0]);
    Descriptor theirs(ends[1]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, theirs.get(), 1);
    posix_spawn_file_actions_addchdir_np(&actions, test_.workspace.c_str());
    std::vector<std::string> command = Command(probe);
    std::vector<char*> arguments;
    for (std::string& argument : command) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    char* const no_environment[] = {nullptr};
    pid_t child = -1;
    const int failed = posix_spawn(&child, program_.c_str(), &actions, nullptr, arguments.data(), no_environment);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) return Error(Code::kUnavailable, "cannot start " + program_ + ": " + std::strerror(failed));
    theirs.Reset();
    Ended ended;
    std::array<char, 4096> block;
    while (ended.output.size() < (64 << 10)) {   // a probe has an alarm of its own
      const ssize_t got = read(ours.get(), block.data(), block.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      ended.output.append(block.data(), static_cast<size_t>(got));
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) ended.status = WEXITSTATUS(status);
    else ended.otherwise = "killed by signal " + std::to_string(WTERMSIG(status));
    ended.is_late = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    return ended;
  }

  // What the policy grants is no escape.
  std::string WhyNotApplicable(const Probe& probe) const {
    if (test_.is_control) return {};
    if (probe.needs == Needs::kNoPtrace && test_.policy.kernel.ptrace) return "the policy grants debugging (kernel.ptrace)";
    if (probe.needs == Needs::kNoNesting && test_.policy.kernel.nested) return "the policy grants sandboxes in the sandbox (kernel.nested)";
    for (const auto& [name, fact] : kReads) {
      const auto path = stage_->facts().find(fact);
      if (std::strcmp(name, probe.name) != 0 || path == stage_->facts().end() || path->second.empty()) continue;
      const policy::FileVerdict verdict = policy::AccessOf(test_.policy.files, path->second);
      if (verdict.access != policy::Access::kDeny && !verdict.is_private) return "the policy shows that file: " + verdict.rule;
    }
    return {};
  }

  void Tell(const Probe& probe, Outcome outcome, std::string detail) const {
    while (!detail.empty() && detail.back() == '\n') detail.pop_back();
    on_finding_({probe.name, probe.trick, outcome, std::move(detail)});
  }

  void JudgeNow(const Probe& probe, const Ended& ended) {
    const std::string trace = stage_->TakeTrace(ended.output.find("a signal was sent") != std::string::npos ? 3000 : 0);
    if (!trace.empty()) return Tell(probe, Outcome::kEscaped, trace);
    if (stage_->Leaks(ended.output)) return Tell(probe, Outcome::kEscaped, "a secret of the host was read");
    if (ended.is_late) return Tell(probe, Outcome::kNotApplicable, "it gave no answer in time");
    if (!ended.status) return Tell(probe, Outcome::kHeld, ended.otherwise);
    switch (static_cast<escape::Outcome>(*ended.status)) {
      case escape::Outcome::kHeld: return Tell(probe, Outcome::kHeld, ended.output);
      case escape::Outcome::kEscaped: return Tell(probe, Outcome::kEscaped, ended.output);
      case escape::Outcome::kNotApplicable: return Tell(probe, Outcome::kNotApplicable, ended.output);
    }
    Tell(probe, Outcome::kNotApplicable, "the probe did not run: exit status " + std::to_string(*ended.status) + " " + ended.output);
  }

  Status RunGroup(const std::function<bool(Needs)>& belongs, const policy::Policy& policy) {
    const auto chosen = Chosen(belongs);
    if (chosen.empty()) return {};
    std::unique_ptr<sandbox::Sandbox> inside;
    if (!test_.is_control) {
      PADDOCK_ASSIGN(inside, MakeSandbox(policy));
    }
    for (const Probe* probe : chosen) {
      if (std::string why = WhyNotApplicable(*probe); !why.empty()) {
        Tell(*probe, Outcome::kNotApplicable, std::move(why));
        continue;
      }
      PADDOCK_ASSIGN(const Ended ended, inside ? RunInside(*inside, *probe) : RunOutside(*probe));
      JudgeNow(*probe, ended);
    }
    return {};
  }

  // Those that are judged when their sandbox is gone. They share one; in the control each has a fresh workspace.
  Status RunEnds() {
    const auto chosen = Chosen([](Needs needs) { return needs == Needs::kEnd; });
    if (chosen.empty()) return {};
    if (test_.is_control) {
      for (const Probe* probe : chosen) {
        PADDOCK_TRY(stage_->ResetWorkspace());
        PADDOCK_ASSIGN(const Ended ended, RunOutside(*probe));
        JudgeEnd(*probe, ended);
      }
      return {};
    }
    PADDOCK_TRY(stage_->ResetWorkspace());
    std::vector<Ended> ends;
    {
      PADDOCK_ASSIGN(const std::unique_ptr<sandbox::Sandbox> inside, MakeSandbox(test_.policy));
      for (const Probe* probe : chosen) {
        PADDOCK_ASSIGN(Ended ended, RunInside(*inside, *probe));
        ends.push_back(std::move(ended));
      }
      inside->Close();
    }
    for (size_t i = 0; i < chosen.size(); ++i) JudgeEnd(*chosen[i], ends[i]);
    return {};
  }

  void JudgeEnd(const Probe& probe, const Ended& ended) {
    const std::string mark = stage_->Mark(probe.name);
    if (probe.target == nullptr) {
      if (EscapeStage::EndMarked(mark)) return Tell(probe, Outcome::kEscaped, "the process runs on after its sandbox has ended");
      return JudgeNow(probe, ended);
    }
    std::ifstream file(test_.workspace + "/" + probe.target, std::ios::binary);
    for (std::string line; std::getline(file, line);) {
      if (line.find(mark) != std::string::npos) return Tell(probe, Outcome::kEscaped, std::string(probe.target) + " holds what was written inside");
    }
    JudgeNow(probe, ended);
  }

  sandbox::Driver& driver_;
  const sandbox::EscapeTest& test_;
  const std::function<void(const EscapeFinding&)>& on_finding_;
  std::string program_, guest_;
  std::unique_ptr<EscapeStage> stage_;
};

}  // namespace

Status TestEscapes(sandbox::Driver& driver, const sandbox::EscapeTest& test, const std::function<void(const EscapeFinding&)>& on_finding) {
  return Runner(driver, test, on_finding).Run();
}

}  // namespace paddock::process_wall
