#include "shell/exec/jobs.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "proc/signals.h"
#include "shell/exec/executor.h"
#include "shell/shell.h"

namespace paddock::shell {
namespace {

constexpr size_t kKeptFinished = 4096;

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

void ReportSignal(Shell& shell, int pid, const proc::WaitStatus& status, const std::string& text) {
  if (status.signal == proc::kSigPipe || status.signal == proc::kSigInt || status.signal == 0) return;
  if (shell.is_interactive) {
    shell.err().Write(std::string(proc::SignalDescription(status.signal)) + "\n");
    return;
  }
  std::string line(proc::SignalDescription(status.signal));
  constexpr size_t kColumn = 24;
  if (line.size() < kColumn) line.resize(kColumn, ' ');
  shell.Complain(" " + std::to_string(pid) + " " + line + text);
}

}  // namespace paddock::shell
