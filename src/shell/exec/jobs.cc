#include "shell/exec/jobs.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "proc/kernel.h"
#include "proc/process.h"
#include "proc/signals.h"
#include "shell/ast/printer.h"
#include "shell/exec/executor.h"
#include "shell/shell.h"

namespace paddock::shell {
namespace {

constexpr size_t kKeptFinished = 4096;
constexpr std::string_view kLaterStage = "\n     ";

// Whether a script is told at length of what this signal killed: not where it has a trap for it, or expects it.
bool IsTold(const Shell& shell, int signal) {
  return signal != 0 && signal != proc::kSigInt && signal != proc::kSigTerm && signal != proc::kSigPipe &&
         !shell.traps.actions.contains(signal);
}

// "  106 Killed                  sleep 5"
std::string StageLine(int pid, int status, int signal, const std::string& text) {
  constexpr size_t kPidWidth = 5;
  constexpr size_t kStateWidth = 24;
  std::string line = std::to_string(pid);
  if (line.size() < kPidWidth) line.insert(0, kPidWidth - line.size(), ' ');
  std::string state(signal != 0 ? std::string(proc::SignalDescription(signal)) : status == 0 ? "Done" : "Exit " + std::to_string(status));
  if (state.size() < kStateWidth) state.resize(kStateWidth, ' ');
  return line + " " + state + text;
}

}  // namespace

bool Job::is_done() const {
  return std::none_of(statuses.begin(), statuses.end(), [](int status) { return status < 0; });
}

int Job::status() const { return statuses.empty() ? 0 : statuses.back(); }

Job& JobTable::Add(std::vector<int> pids, std::string text) {
  const int number = jobs_.empty() ? 1 : jobs_.back().number + 1;
  Job job;
  job.number = number;
  job.statuses.assign(pids.size(), -1);
  job.signals.assign(pids.size(), 0);
  job.group = pids.front();
  job.pids = std::move(pids);
  job.text = std::move(text);
  jobs_.push_back(std::move(job));
  return jobs_.back();
}

Job* JobTable::FindByNumber(int number) {
  for (Job& job : jobs_) {
    if (job.number == number) return &job;
  }
  return nullptr;
}

Job* JobTable::FindByPid(int pid) {
  for (Job& job : jobs_) {
    if (std::find(job.pids.begin(), job.pids.end(), pid) != job.pids.end()) return &job;
  }
  return nullptr;
}

Job* JobTable::Find(std::string_view spec, bool* is_ambiguous) {
  if (spec.empty()) return nullptr;
  if (spec[0] != '%') {
    int pid = 0;
    const auto [end, error] = std::from_chars(spec.data(), spec.data() + spec.size(), pid);
    return error == std::errc() && end == spec.data() + spec.size() ? FindByPid(pid) : nullptr;
  }
  spec.remove_prefix(1);
  if (spec.empty() || spec == "%" || spec == "+") return current();
  if (spec == "-") return previous();
  int number = 0;
  const auto [end, error] = std::from_chars(spec.data(), spec.data() + spec.size(), number);
  if (error == std::errc() && end == spec.data() + spec.size()) return FindByNumber(number);
  const bool is_contained = spec[0] == '?';
  if (is_contained) spec.remove_prefix(1);
  Job* found = nullptr;
  for (Job& job : jobs_) {
    const bool matches = is_contained ? job.text.find(spec) != std::string::npos : job.text.starts_with(spec);
    if (!matches) continue;
    if (found != nullptr && is_ambiguous != nullptr) *is_ambiguous = true;
    found = &job;
  }
  return found;
}

Job* JobTable::current() {
  for (auto job = jobs_.rbegin(); job != jobs_.rend(); ++job) {
    if (job->is_stopped) return &*job;
  }
  return jobs_.empty() ? nullptr : &jobs_.back();
}

Job* JobTable::previous() {
  const Job* const newest = current();
  for (auto job = jobs_.rbegin(); job != jobs_.rend(); ++job) {
    if (&*job != newest) return &*job;
  }
  return current();
}

bool JobTable::NoteExit(int pid, int status, int signal) {
  for (Job& job : jobs_) {
    for (size_t i = 0; i < job.pids.size(); ++i) {
      if (job.pids[i] != pid) continue;
      job.statuses[i] = status;
      job.signals[i] = signal;
      return true;
    }
  }
  return false;
}

void JobTable::NoteEnded(proc::Process& child) {
  for (Job& job : jobs_) {
    for (size_t i = 0; i < job.pids.size(); ++i) {
      if (job.statuses[i] >= 0) continue;
      const proc::Process* process = child.kernel().Find(job.pids[i]);
      if (process == nullptr || process->state() != proc::Process::State::kExited || process->parent_pid() != child.parent_pid()) continue;
      job.statuses[i] = process->exit_status();
      job.signals[i] = process->exit_signal();
    }
  }
}

std::optional<int> JobTable::FinishedStatus(int pid) const {
  for (auto it = finished_.rbegin(); it != finished_.rend(); ++it) {
    if (it->first == pid) return it->second;
  }
  return std::nullopt;
}

void JobTable::Remove(int number) {
  const auto it = std::find_if(jobs_.begin(), jobs_.end(), [number](const Job& job) { return job.number == number; });
  if (it == jobs_.end()) return;
  for (size_t i = 0; i < it->pids.size(); ++i) {
    if (it->statuses[i] >= 0) finished_.emplace_back(it->pids[i], it->statuses[i]);
  }
  if (finished_.size() > kKeptFinished) {
    finished_.erase(finished_.begin(), finished_.begin() + static_cast<std::ptrdiff_t>(kKeptFinished / 2));
  }
  jobs_.erase(it);
}

std::string DescribeJob(Shell& shell, const Job& job, bool is_long) {
  const char mark = &job == shell.jobs().current() ? '+' : &job == shell.jobs().previous() ? '-' : ' ';
  std::string line = "[" + std::to_string(job.number) + "]" + mark + "  ";
  if (is_long) line += std::to_string(job.pids.front()) + " ";
  std::string state;
  if (job.is_stopped) state = "Stopped";
  else if (!job.is_done()) state = "Running";
  else if (job.signals.back() != 0) state = proc::SignalDescription(job.signals.back());
  else state = job.status() == 0 ? "Done" : "Exit " + std::to_string(job.status());
  if (state.size() < 24) state.resize(24, ' ');
  return line + state + job.text + (job.is_done() || job.is_stopped ? "" : " &");
}

void ReapJobs(Shell& shell) {
  for (Job& job : shell.jobs().jobs()) {
    for (size_t i = 0; i < job.pids.size(); ++i) {
      if (job.statuses[i] >= 0) continue;
      proc::Process* process = shell.kernel().Find(job.pids[i]);
      if (process != nullptr) {
        const bool is_stopped = process->state() == proc::Process::State::kStopped;
        if (is_stopped != job.is_stopped) job.is_notified = false;
        job.is_stopped = is_stopped;
      }
      if (process == nullptr) {
        job.statuses[i] = 127;
      } else if (process->state() == proc::Process::State::kExited &&
                 process->parent_pid() == shell.process().pid()) {
        const auto ended = shell.kernel().Wait(shell.process(), job.pids[i], Nanoseconds::max(),
                                               proc::Kernel::OnSignal::kWaitOn);
        job.statuses[i] = ended ? ended->status : 127;
        job.signals[i] = ended ? ended->signal : 0;
      }
    }
    TellOfKilled(shell, job);
  }
  // Finished jobs of a script are only kept for `wait PID`; bound the list.
  constexpr size_t kKeptJobs = 256;
  while (!shell.is_interactive && shell.jobs().jobs().size() > kKeptJobs && shell.jobs().jobs().front().is_done()) {
    shell.jobs().Remove(shell.jobs().jobs().front().number);
  }
}

void ForgetCoprocesses(Shell& shell) {
  for (Job& job : shell.jobs().jobs()) {
    if (job.coprocess.empty() || !job.is_done()) continue;
    const std::string name = std::exchange(job.coprocess, {});
    const Variable* variable = shell.variables.Find(Name(name));
    for (const int64_t index : {0, 1}) {
      if (variable == nullptr || !variable->has(kIndexed) || !variable->indexed) break;
      const std::string* number = variable->indexed->Get(index);
      if (number != nullptr) shell.process().descriptors().Close(std::atoi(number->c_str()));
    }
    shell.variables.Unset(Name(name));
    shell.variables.Unset(Name(name + "_PID"));
  }
}

proc::WaitStatus WaitForChild(Shell& shell, int pid) {
  const auto ended = shell.kernel().Wait(shell.process(), pid, Nanoseconds::max(), proc::Kernel::OnSignal::kWaitOn);
  return ended ? *ended : proc::WaitStatus{127, 0};
}

void ReportSignal(Shell& shell, int pid, const proc::WaitStatus& status, const Statement* statement) {
  if (status.signal == proc::kSigPipe || status.signal == proc::kSigInt || status.signal == 0 || !shell.tells_of_signals) return;
  if (shell.is_interactive || !IsTold(shell, status.signal)) {
    shell.err().Write(std::string(proc::SignalDescription(status.signal)) + "\n");
    return;
  }
  shell.Complain(StageLine(pid, status.status, status.signal, statement == nullptr ? std::string() : PrintStatement(*statement)));
}

void ReportStages(Shell& shell, const Statement& pipeline, const std::vector<int>& pids, const std::vector<proc::WaitStatus>& ended) {
  if (ended.empty() || ended.size() != pipeline.children.size() || !shell.tells_of_signals) return;
  // The stage whose status is that of the pipeline.
  size_t deciding = ended.size() - 1;
  while (shell.options.Get(SetOption::kPipefail) && deciding > 0 && ended[deciding].status == 0) --deciding;
  if (!IsTold(shell, ended[deciding].signal)) return;
  shell.line = pipeline.line;
  std::string text;
  for (size_t i = 0; i < ended.size(); ++i) {
    if (i > 0) text += kLaterStage;
    text += StageLine(pids[i], ended[i].status, ended[i].signal, (i > 0 ? "| " : "") + PrintStatement(*pipeline.children[i]));
  }
  shell.Complain(text);
}

void TellOfKilled(Shell& shell, Job& job) {
  if (shell.is_interactive || !shell.tells_of_signals || job.is_notified || !job.is_done() || !IsTold(shell, job.signals.back())) return;
  job.is_notified = true;
  if (job.stage_texts.size() != job.pids.size()) {
    shell.Complain(StageLine(job.pids.back(), job.status(), job.signals.back(), job.text));
    return;
  }
  std::string text;
  for (size_t i = 0; i < job.pids.size(); ++i) {
    if (i > 0) text += kLaterStage;
    text += StageLine(job.pids[i], job.statuses[i], job.signals[i], (i > 0 ? "| " : "") + job.stage_texts[i]);
  }
  shell.Complain(text);
}

}  // namespace paddock::shell
