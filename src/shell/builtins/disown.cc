// disown - drops jobs from the list

#include "shell/builtins/builtin.h"
#include "shell/exec/jobs.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("disown"), "ahr");
  bool all = false;
  bool keeps = false;
  bool only_running = false;
  while (const char letter = options.Next()) {
    if (letter == '?') return 2;
    all |= letter == 'a';
    keeps |= letter == 'h';
    only_running |= letter == 'r';
  }
  std::vector<int> numbers;
  int status = 0;
  for (const std::string& spec : options.operands()) {
    Job* job = shell.jobs().Find(spec);
    if (job == nullptr) {
      shell.Complain("disown", spec + ": no such job");
      status = 1;
    } else {
      numbers.push_back(job->number);
    }
  }
  if (options.operands().empty()) {
    if (all || only_running) {
      for (const Job& job : shell.jobs().jobs()) {
        if (!only_running || !job.is_done()) numbers.push_back(job.number);
      }
    } else if (Job* job = shell.jobs().current()) {
      numbers.push_back(job->number);
    } else {
      shell.Complain("disown", "current: no such job");
      return 1;
    }
  }
  for (const int number : numbers) {
    if (keeps) shell.jobs().FindByNumber(number)->is_disowned = true;
    else shell.jobs().Remove(number);
  }
  return status;
}

}  // namespace

extern const Builtin kBuiltin_disown;
const Builtin kBuiltin_disown = {
    .name = "disown",
    .usage = "[-h] [-ar] [jobspec ... | pid ...]",
    .help = "Remove jobs from current shell.",
    .run = Run,
};

}  // namespace paddock::shell
