// wait - waits for background children

#include <algorithm>

#include "shell/builtins/arguments.h"
#include "shell/builtins/builtin.h"
#include "shell/exec/jobs.h"
#include "shell/state/assign.h"

namespace paddock::shell {
namespace {

constexpr int kUnknownChild = 127;

// Waits for one pid of this shell; its status, or nothing when a trapped signal came first.
std::optional<int> WaitForPid(Shell& shell, int pid) {
  const auto ended = shell.kernel().Wait(shell.process(), pid);
  if (ended) {
    shell.jobs().NoteExit(pid, ended->status, ended->signal);
    return ended->status;
  }
  if (ended.error().code == Code::kInterrupted) return std::nullopt;
  shell.jobs().NoteExit(pid, kUnknownChild, 0);
  return kUnknownChild;
}

// The status of a wait that a signal interrupted: 128 + its number.
int Interrupted(Shell& shell) {
  const int signal = shell.process().TakeCaught();
  if (signal != 0) {
    shell.process().Raise(signal);
    shell.RunPendingTraps();
    if (shell.flow != Flow::kNone) return shell.last_status;  // the trap's own exit
  }
  return 128 + signal;
}

int WaitForAll(Shell& shell) {
  while (true) {
    std::vector<int> running;
    for (const Job& job : shell.jobs().jobs()) {
      for (size_t i = 0; i < job.pids.size(); ++i) {
        if (job.statuses[i] < 0) running.push_back(job.pids[i]);
      }
    }
    if (running.empty()) break;
    const auto status = WaitForPid(shell, running.front());
    if (!status) return Interrupted(shell);
  }
  ForgetCoprocesses(shell);
  ReapJobs(shell);
  std::vector<int> numbers;
  for (const Job& job : shell.jobs().jobs()) numbers.push_back(job.number);
  for (const int number : numbers) shell.jobs().Remove(number);
  return 0;
}

int WaitForJob(Shell& shell, Job& job) {
  const std::vector<int> pids = job.pids;
  const int number = job.number;
  for (const int pid : pids) {
    Job* current = shell.jobs().FindByNumber(number);
    if (current == nullptr) return kUnknownChild;
    const auto at = static_cast<size_t>(std::find(current->pids.begin(), current->pids.end(), pid) - current->pids.begin());
    if (current->statuses[at] >= 0) continue;
    const auto status = WaitForPid(shell, pid);
    if (!status) return Interrupted(shell);
  }
  ForgetCoprocesses(shell);
  Job* done = shell.jobs().FindByNumber(number);
  const int status = done == nullptr ? kUnknownChild : done->status();
  if (done != nullptr) TellOfKilled(shell, *done);
  shell.jobs().Remove(number);
  return status;
}

int WaitForOperand(Shell& shell, const std::string& operand, int* pid_out) {
  if (operand.starts_with('%')) {
    Job* job = shell.jobs().Find(operand);
    if (job == nullptr) {
      shell.Complain("wait", operand + ": no such job");
      return kUnknownChild;
    }
    *pid_out = job->pids.back();
    return WaitForJob(shell, *job);
  }
  const auto pid = ParseInteger(operand);
  if (!pid || *pid < 0 || operand.find_first_not_of("0123456789") != std::string::npos) {
    shell.Complain("wait", "`" + operand + "': not a pid or valid job spec");
    return 1;
  }
  *pid_out = static_cast<int>(*pid);
  if (Job* job = shell.jobs().FindByPid(*pid_out)) {
    if (*pid_out == job->pids.back()) return WaitForJob(shell, *job);
    const auto status = WaitForPid(shell, *pid_out);
    return status ? *status : Interrupted(shell);
  }
  if (const auto finished = shell.jobs().FinishedStatus(*pid_out)) return *finished;
  const auto ended = WaitForPid(shell, *pid_out);
  if (!ended) return Interrupted(shell);
  if (*ended == kUnknownChild && shell.kernel().Find(*pid_out) == nullptr) {
    shell.Complain("wait", "pid " + operand + " is not a child of this shell");
  }
  return *ended;
}

// wait -n: the next job of the list (all jobs if empty) to end.
int WaitForNext(Shell& shell, std::span<const std::string> operands, int* pid_out) {
  std::vector<int> numbers;
  for (const std::string& operand : operands) {
    if (Job* job = shell.jobs().Find(operand)) numbers.push_back(job->number);
    else shell.Complain("wait", operand + ": no such job");
  }
  if (operands.empty()) {
    for (const Job& job : shell.jobs().jobs()) numbers.push_back(job.number);
  }
  while (true) {
    ReapJobs(shell);
    std::vector<int> running;
    for (const int number : numbers) {
      Job* job = shell.jobs().FindByNumber(number);
      if (job == nullptr) continue;
      if (job->is_done()) {
        const int status = job->status();
        TellOfKilled(shell, *job);
        *pid_out = job->pids.back();
        ForgetCoprocesses(shell);
        shell.jobs().Remove(number);
        return status;
      }
      for (size_t i = 0; i < job->pids.size(); ++i) {
        if (job->statuses[i] < 0) running.push_back(job->pids[i]);
      }
    }
    if (running.empty()) return kUnknownChild;
    const auto ended = shell.kernel().WaitAny(shell.process(), running);
    if (!ended) {
      if (ended.error().code == Code::kInterrupted) return Interrupted(shell);
      return kUnknownChild;
    }
    shell.jobs().NoteExit(ended->pid, ended->status.status, ended->status.signal);
  }
}

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("wait"), "fnp:");
  bool next = false;
  std::string variable;
  while (const char letter = options.Next()) {
    if (letter == '?') return 2;
    next |= letter == 'n';
    if (letter == 'p') variable = options.argument();
  }
  if (!variable.empty()) {
    if (!IsReference(variable)) {
      shell.Complain("wait", "`" + variable + "': not a valid identifier");
      return 1;
    }
    UnsetVariable(shell, variable, false, "wait");
  }
  const auto operands = options.operands();
  int pid = 0;
  int status = 0;
  if (next) {
    status = WaitForNext(shell, operands, &pid);
  } else if (operands.empty()) {
    return WaitForAll(shell);
  } else {
    for (const std::string& operand : operands) status = WaitForOperand(shell, operand, &pid);
  }
  if (!variable.empty() && pid != 0) AssignReference(shell, variable, std::to_string(pid));
  return status;
}

}  // namespace

extern const Builtin kBuiltin_wait;
const Builtin kBuiltin_wait = {
    .name = "wait",
    .usage = "[-fn] [-p var] [id ...]",
    .help = "Wait for job completion and return exit status.",
    .run = Run,
};

}  // namespace paddock::shell
