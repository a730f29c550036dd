// Jobs: the background pipelines of a shell, for jobs, wait, fg, disown, kill %n and $!.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace paddock::proc {
class Process;
}

namespace paddock::shell {

struct Job {
  int number = 0;                  // %1
  std::vector<int> pids;           // of the stages, in order
  std::vector<int> statuses;       // beside them; -1 while running
  std::vector<int> signals;        // beside them; 0 when it exited
  std::string text;                // as `jobs` shows it
  std::vector<std::string> stage_texts;   // of each stage, where there are several
  std::string coprocess;           // the name of a coprocess, while its variables are set
  int group = 0;
  bool is_notified = false;        // its end or stop was reported (wait, jobs, before a prompt)
  bool is_disowned = false;
  bool is_stopped = false;
  bool is_done() const;
  int status() const;              // of the last stage
};

class JobTable {
 public:
  Job& Add(std::vector<int> pids, std::string text);
  Job* FindByNumber(int number);
  Job* FindByPid(int pid);
  // %n %% %+ %- %string %?string or a plain pid; null if none (`is_ambiguous` set when several match).
  Job* Find(std::string_view spec, bool* is_ambiguous = nullptr);
  Job* current();
  Job* previous();
  std::vector<Job>& jobs() { return jobs_; }
  const std::vector<Job>& jobs() const { return jobs_; }
  // Notes the end of a process; false if no job has it.
  bool NoteExit(int pid, int status, int signal);
  // Notes what has ended of a parent's jobs, in the copy that a child shell gets: it cannot wait for them.
  void NoteEnded(proc::Process& child);
  // The status of a pid that ended and was dropped from the list (wait $pid later); -1 if unknown.
  std::optional<int> FinishedStatus(int pid) const;
  void Remove(int number);
  void Clear() { jobs_.clear(); }
  // For keeping it elsewhere: pid and status of dropped ones, newest last.
  using Finished = std::vector<std::pair<int, int>>;
  const Finished& finished() const { return finished_; }
  void Restore(std::vector<Job> jobs, Finished finished) {
    jobs_ = std::move(jobs);
    finished_ = std::move(finished);
  }

 private:
  std::vector<Job> jobs_;          // ascending number
  Finished finished_;
};

class Shell;
// "[1]+  Done                    sleep 1", with the pid after the mark if `is_long`.
std::string DescribeJob(Shell& shell, const Job& job, bool is_long);
// Takes note of background children that have ended, without waiting, and tells of those that a signal killed.
void ReapJobs(Shell& shell);
// Tells of a background job that a signal killed, once, as bash does in scripts.
void TellOfKilled(Shell& shell, Job& job);
// Closes the descriptors of coprocesses that have ended and unsets their variables.
void ForgetCoprocesses(Shell& shell);

}  // namespace paddock::shell
