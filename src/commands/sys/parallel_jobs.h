// The jobs of parallel: starts them, waits for them, prints what they wrote, and knows when to stop.
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "commands/sys/parallel_options.h"
#include "commands/sys/parallel_output.h"
#include "commands/sys/parallel_results.h"
#include "commands/sys/parallel_template.h"
#include "proc/command.h"
#include "proc/kernel.h"

namespace paddock {

class ParallelJobs final : public PerlHost {
 public:
  struct Halt {
    enum class When { kNever, kSoon, kNow } when = When::kNever;
    enum class What { kFail, kSuccess, kDone } what = What::kFail;
    int64_t count = 1;
    bool is_percent = false;
  };
  // Nothing for what cannot be understood.
  static std::optional<Halt> ParseHalt(std::string_view text);

  // `most` jobs at once. `quotes`: arguments are quoted for the shell. All outlive it.
  ParallelJobs(Invocation& in, const ParallelOptions& options, const ParallelSyntax& syntax, Halt halt, int64_t most, ParallelTemplate command, bool quotes);

  // --joblog, and what it says of earlier runs. False: told on err.
  bool OpenLog(const std::string& name);
  // The commands that failed last, of an earlier run's log.
  const std::vector<std::pair<int64_t, std::string>>& failed_before() const { return failed_before_; }
  // No more jobs are to be started.
  bool is_halted() const { return is_halted_; }
  // How many jobs there will be, where that is known.
  void set_total(int64_t total) { total_ = total; }
  void set_names(std::vector<std::string> names) { results_.set_names(std::move(names)); }

  // Starts a job when there is room for one.
  void Add(std::vector<std::string> arguments, std::string block = {});
  // The same with a command line that is complete already.
  void AddLine(int64_t sequence, std::string line);
  // How long the command line with these arguments is.
  size_t LengthWith(const std::vector<std::string>& arguments);
  ExitStatus Finish();

  std::string FileTest(char test, std::string_view path) override;
  void Warn(std::string_view text) override { in_.err.Write(text); }
  void Print(std::string_view text) override { in_.out.Write(text); }

 private:
  struct Job {
    int64_t sequence = 0;
    ParallelTemplate::Values values;
    std::string command, block, workdir;
    std::shared_ptr<ParallelOutput> out, err;
    std::string file;   // --cat, --fifo: what the block is read from
    int pid = 0;
    int64_t slot = 0, tries = 0;
    Nanoseconds started{0}, started_real{0}, deadline = Nanoseconds::max();
    size_t kill_step = 0;   // how far the sequence of --term-seq has come
    Nanoseconds next_kill = Nanoseconds::max();
    bool timed_out = false, is_done = false, is_stopped = false;
  };
  using JobPtr = std::shared_ptr<Job>;

  int64_t FreeSlot() const;
  void Said(Job& job, const std::string& text);
  std::optional<std::string> Filled(const std::string& text, const ParallelTemplate::Values& values);
  bool Passes(const ParallelTemplate::Values& values);
  bool MakeFiles(Job& job);
  bool PrepareCommand(const JobPtr& job);
  std::string DirectoryFor(const Job& job);
  void WaitForRoom();
  void WaitForMachine();
  void Queue(const JobPtr& job);
  void Start(const JobPtr& job);
  void WaitForOne();
  // Sends the first signal of --term-seq, and later the next ones.
  void Kill(Job& job);
  void ParseKillSequence();
  void StopYoungest();   // --memsuspend
  bool Asks(const Job& job);   // --interactive
  void KillLate();
  void End(const JobPtr& job, const proc::WaitStatus& how);
  void Log(const Job& job, const proc::WaitStatus& how);
  void CheckHalt(const Job& job, bool failed, ExitStatus status);
  void Tell();
  void PrintJob(Job& job);
  void PutOut(Job& job);
  void Break(const Error& error);

  Invocation& in_;
  const ParallelOptions& options_;
  const ParallelSyntax& syntax_;
  const Halt halt_;
  const int64_t most_;
  const ParallelTemplate command_;
  const bool quotes_;
  ParallelResults results_;
  vfs::OpenFilePtr log_file_;
  std::optional<Output> log_;
  std::set<int64_t> done_before_;
  std::vector<std::pair<int64_t, std::string>> failed_before_;
  std::vector<JobPtr> running_;
  std::deque<JobPtr> ordered_;
  struct KillStep {
    int signal = 0;
    Nanoseconds wait{0};
  };
  std::vector<KillStep> kill_sequence_;
  int64_t sequence_ = 0, total_ = 0, failed_ = 0, succeeded_ = 0, skipped_ = 0;
  Nanoseconds last_start_{0}, first_start_{0}, time_of_done_{0};
  bool is_halted_ = false, was_killed_ = false, is_broken_ = false;
  std::optional<ExitStatus> halt_status_;
};

}  // namespace paddock
