// jobs - lists background jobs

#include "shell/builtins/builtin.h"
#include "shell/exec/jobs.h"

namespace paddock::shell {
namespace {

void PrintJob(Shell& shell, Job& job, bool is_long, bool pids_only) {
  if (pids_only) {
    shell.out().WriteLine(std::to_string(job.pids.front()));
    return;
  }
  shell.out().WriteLine(DescribeJob(shell, job, is_long));
}

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("jobs"), "lnprsx");
  bool is_long = false;
  bool pids_only = false;
  bool only_running = false;
  bool only_stopped = false;
  bool only_new = false;
  while (const char letter = options.Next()) {
    if (letter == '?') return 2;
    is_long |= letter == 'l';
    pids_only |= letter == 'p';
    only_running |= letter == 'r';
    only_stopped |= letter == 's';
    only_new |= letter == 'n';
    if (letter == 'x') {
      auto words = options.operands();
      std::vector<std::string> command(words.begin(), words.end());
      for (std::string& word : command) {
        if (word.starts_with('%')) {
          if (Job* job = shell.jobs().Find(word)) word = std::to_string(job->group);
        }
      }
      return command.empty() ? 0 : shell.CallWords(std::move(command), {});
    }
  }
  ReapJobs(shell);
  std::vector<int> finished;
  const auto show = [&](Job& job) {
    if (only_running && (job.is_done() || job.is_stopped)) return;
    if (only_stopped && !job.is_stopped) return;
    if (only_new && job.is_notified) return;
    // A script is not told of jobs that have ended.
    if (shell.is_interactive || !job.is_done()) PrintJob(shell, job, is_long, pids_only);
    job.is_notified = true;
    if (job.is_done()) finished.push_back(job.number);
  };
  int status = 0;
  if (options.operands().empty()) {
    for (Job& job : shell.jobs().jobs()) show(job);
  }
  for (const std::string& spec : options.operands()) {
    Job* job = shell.jobs().Find(spec);
    if (job == nullptr) {
      shell.Complain("jobs", spec + ": no such job");
      status = 1;
    } else {
      show(*job);
    }
  }
  for (const int number : finished) shell.jobs().Remove(number);
  return status;
}

}  // namespace

extern const Builtin kBuiltin_jobs;
const Builtin kBuiltin_jobs = {
    .name = "jobs",
    .usage = "[-lnprs] [jobspec ...] or jobs -x command [args]",
    .help = "Display status of jobs.",
    .run = Run,
};

}  // namespace paddock::shell
