// kill - sends signals to jobs and processes

#include "proc/signals.h"
#include "shell/builtins/arguments.h"
#include "shell/builtins/builtin.h"
#include "shell/exec/jobs.h"

namespace paddock::shell {
namespace {

int List(Shell& shell, std::span<const std::string> operands) {
  if (operands.empty() && shell.options.Get(SetOption::kPosix)) {
    std::string names;
    for (int signal = 1; signal <= proc::kLastSignal; ++signal) {
      const std::string name = proc::SignalName(signal);
      if (!name.empty()) names += (names.empty() ? "" : " ") + name;
    }
    shell.out().WriteLine(names);
    return 0;
  }
  if (operands.empty()) {
    int column = 0;
    for (int signal = 1; signal <= proc::kLastSignal; ++signal) {
      const std::string name = proc::SignalName(signal);
      if (name.empty()) continue;
      const std::string number = std::to_string(signal);
      shell.out().Write(std::string(number.size() < 2 ? 1 : 0, ' ') + number + ") SIG" + name);
      shell.out().Put(++column % 5 == 0 ? '\n' : '\t');
    }
    if (column % 5 != 0) shell.out().Put('\n');
    return 0;
  }
  int status = 0;
  for (const std::string& operand : operands) {
    if (const auto number = ParseInteger(operand)) {
      const int64_t signal = *number > 128 ? *number - 128 : *number;
      const std::string name = signal > 0 && signal <= proc::kLastSignal ? proc::SignalName(static_cast<int>(signal)) : "";
      if (*number == 0) {
        shell.out().WriteLine("EXIT");
      } else if (name.empty()) {
        shell.Complain("kill", operand + ": invalid signal specification");
        status = 1;
      } else {
        shell.out().WriteLine(name);
      }
      continue;
    }
    const int signal = proc::FindSignal(operand);
    if (signal < 0) {
      shell.Complain("kill", operand + ": invalid signal specification");
      status = 1;
    } else {
      shell.out().WriteLine(std::to_string(signal));
    }
  }
  return status;
}

bool SendTo(Shell& shell, const std::string& operand, int signal) {
  if (operand.starts_with('%')) {
    bool is_ambiguous = false;
    Job* job = shell.jobs().Find(operand, &is_ambiguous);
    if (job == nullptr || is_ambiguous) {
      shell.Complain("kill", operand + (is_ambiguous ? ": ambiguous job spec" : ": no such job"));
      return false;
    }
    bool any = false;
    for (const int pid : job->pids) any |= shell.kernel().Signal(shell.process(), pid, signal).has_value();
    if (!any) shell.Complain("kill", "(" + std::to_string(job->pids.front()) + ") - No such process");
    return any;
  }
  const auto pid = ParseInteger(operand);
  if (operand.empty()) {
    shell.Complain("kill", "`': not a pid or valid job spec");
    return false;
  }
  if (!pid || *pid > INT32_MAX || *pid < INT32_MIN) {
    shell.Complain("kill", operand + ": arguments must be process or job IDs");
    return false;
  }
  if (const Status sent = shell.kernel().Signal(shell.process(), static_cast<int>(*pid), signal); !sent) {
    shell.Complain("kill", "(" + operand + ") - " + std::string(sent.error().Text()));
    return false;
  }
  return true;
}

int Run(Shell& shell, const BuiltinCall& call) {
  int signal = proc::kSigTerm;
  size_t i = 1;
  if (i < call.args.size() && call.args[i].size() > 1 && call.args[i][0] == '-') {
    const std::string& arg = call.args[i];
    if (arg == "-l" || arg == "-L") return List(shell, call.args.subspan(i + 1));
    if (arg == "--") {
      ++i;
    } else {
      std::string name = arg.substr(1);
      if (name == "s" || name == "n") {
        if (++i >= call.args.size()) {
          shell.Complain("kill", arg + ": option requires an argument");
          return 1;
        }
        name = call.args[i];
      } else if (name[0] == 's' && proc::FindSignal(name) < 0) {
        name = name.substr(1);
      }
      signal = name == "EXIT" ? 0 : proc::FindSignal(name);
      if (signal < 0) {
        shell.Complain("kill", name + ": invalid signal specification");
        return 1;
      }
      ++i;
      if (i < call.args.size() && call.args[i] == "--") ++i;
    }
  }
  if (i >= call.args.size()) return UsageError(shell, *FindBuiltin("kill"));
  // Children that were just started get to set their traps first.
  shell.kernel().scheduler().Yield();
  int failures = 0;
  int sent = 0;
  for (; i < call.args.size(); ++i) (SendTo(shell, call.args[i], signal) ? sent : failures) += 1;
  return sent > 0 || failures == 0 ? 0 : 1;
}

}  // namespace

extern const Builtin kBuiltin_kill;
const Builtin kBuiltin_kill = {
    .name = "kill",
    .usage = "[-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]",
    .help = "Send a signal to a job.",
    .run = Run,
};

}  // namespace paddock::shell
