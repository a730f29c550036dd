// Pipelines, subshells, background commands and coprocesses: everything that makes child shells.

#include <algorithm>
#include <cstdio>

#include "shell/ast/printer.h"
#include "shell/exec/executor.h"
#include "shell/exec/jobs.h"
#include "shell/shell.h"
#include "shell/state/assign.h"
#include "vfs/pipe.h"

namespace paddock::shell {
namespace {

// How a child shell gets its descriptors before it runs.
struct ChildPlan {
  vfs::OpenFilePtr in;    // null: inherited
  vfs::OpenFilePtr out;
  bool is_background = false;
  bool is_stage = false;
  bool has_group = false; // job control: a process group of its own,
  int group = 0;          // this one, or a new one if 0
};

// Runs `statement` as all that a child shell does. One that is a ( ) is the child shell itself.
int RunAlone(Shell& own, const Statement& statement) {
  if (statement.kind != Statement::Kind::kSubshell) return own.ExecuteStatement(statement);
  std::vector<Shell::SavedDescriptor> replaced;
  own.line = statement.line;
  if (!own.ApplyRedirects(statement.redirects, &replaced)) return own.last_status = 1;
  return own.ExecuteList(*statement.body);
}

// Starts `statement` in a child shell on a fiber of its own. `keep` is what the tree belongs to, needed
// when the parent may go on before the child ends.
int StartChildShell(Shell& shell, const Statement& statement, const ChildPlan& plan,
                    std::shared_ptr<const void> keep) {
  shell.out().Flush();
  auto child_shell = std::make_shared<std::unique_ptr<Shell>>();
  const auto prepare = [&](proc::Process& child) {
    if (plan.in) child.descriptors().Set(0, plan.in);
    if (plan.out) child.descriptors().Set(1, plan.out);
    *child_shell = std::make_unique<Shell>(shell, child);
    Shell& made = **child_shell;
    if (plan.is_stage && !plan.is_background) {
      made.pipeline_stage = &statement;
      // The words of a simple stage are expanded before it counts as a subshell (see Dispatch).
      if (statement.kind == Statement::Kind::kSimple) --made.subshell_level;
    }
    made.runs_last_command = statement.kind == Statement::Kind::kSimple;
    if (plan.has_group) child.set_group(plan.group != 0 ? plan.group : child.pid());
    if (plan.is_background) {
      made.loop_depth = 0;
      made.errexit_ignored = 0;
    }
    if (plan.is_background && !plan.has_group) {
      child.set_disposition(proc::kSigInt, proc::Process::Disposition::kIgnore);
      child.set_disposition(proc::kSigQuit, proc::Process::Disposition::kIgnore);
    }
  };
  proc::Process& child =
      shell.kernel().Start(shell.process(), prepare, [child_shell, &statement, keep](proc::Process&) {
        Shell& own = **child_shell;
        const int status = own.Finish(RunAlone(own, statement));
        child_shell->reset();
        return status;
      });
  return child.pid();
}

// The DEBUG trap of a simple command that gets a shell of its own runs in the parent, before it starts.
void AnnounceStage(Shell& shell, const Statement& stage) {
  if (shell.traps.actions.empty() || shell.options.Get(SetOption::kFunctrace)) return;
  shell.line = stage.line;
  if (shell.traps.innermost == kNoTrap) shell.command_text = PrintStatement(stage);
  shell.RunPseudoTrap(kTrapDebug);
}

// Starts the stages from `first` on; returns their pids. `last_in_shell` leaves out the last stage and puts
// the pipe it reads from into `last_input`.
std::vector<int> StartStages(Shell& shell, const Statement& pipeline, const StatementListPtr& keep,
                             bool is_background, bool last_in_shell, vfs::OpenFilePtr* last_input,
                             vfs::OpenFilePtr first_input = nullptr) {
  std::vector<int> pids;
  vfs::OpenFilePtr input = std::move(first_input);
  const size_t count = pipeline.children.size();
  for (size_t i = 0; i < count; ++i) {
    const bool is_last = i + 1 == count;
    if (is_last && last_in_shell) {
      *last_input = std::move(input);
      break;
    }
    ChildPlan plan{.in = std::move(input), .is_background = is_background, .is_stage = true};
    plan.has_group = is_background && shell.options.Get(SetOption::kMonitor);
    if (!pids.empty()) plan.group = pids.front();
    vfs::OpenFilePtr next_input;
    if (!is_last) {
      vfs::PipeEnds ends = vfs::MakePipe(shell.kernel().scheduler());
      plan.out = std::move(ends.write);
      next_input = std::move(ends.read);
    }
    const Statement& stage = *pipeline.children[i];
    if (stage.kind == Statement::Kind::kSimple) AnnounceStage(shell, stage);
    // The child must not hold the read end of its own output: the parent keeps it out of its table.
    pids.push_back(StartChildShell(shell, *pipeline.children[i], plan, keep));
    input = std::move(next_input);
  }
  return pids;
}

void SetPipelineStatus(Shell& shell, const Statement& pipeline, const std::vector<int>& statuses) {
  int status = statuses.back();
  if (shell.options.Get(SetOption::kPipefail)) {
    status = 0;
    for (const int stage : statuses) {
      if (stage != 0) status = stage;
    }
  }
  shell.pipe_status = statuses;
  shell.last_status = status;
  (void)pipeline;
}

void RunStages(Shell& shell, const Statement& pipeline) {
  const bool last_in_shell = shell.options.Get(ShoptOption::kLastpipe) && !shell.options.Get(SetOption::kMonitor);
  vfs::OpenFilePtr last_input;
  const std::vector<int> pids = StartStages(shell, pipeline, nullptr, false, last_in_shell, &last_input);
  std::vector<int> statuses;
  std::vector<proc::WaitStatus> ends;
  int last_status = 0;
  if (last_in_shell) {
    proc::DescriptorTable& descriptors = shell.process().descriptors();
    vfs::OpenFilePtr saved = descriptors.Get(0);
    descriptors.Set(0, std::move(last_input));
    shell.ExecuteStatement(*pipeline.children.back());
    shell.out().Flush();
    if (saved) {
      descriptors.Set(0, std::move(saved));
    } else {
      descriptors.Close(0);
    }
    last_status = shell.last_status;
  }
  bool is_interrupted = false;
  for (const int pid : pids) {
    const proc::WaitStatus ended = WaitForChild(shell, pid);
    ends.push_back(ended);
    is_interrupted |= ended.signal == proc::kSigInt;
    statuses.push_back(ended.status);
  }
  if (last_in_shell) statuses.push_back(last_status);
  SetPipelineStatus(shell, pipeline, statuses);
  if (!shell.jobs().jobs().empty()) ReapJobs(shell);
  ReportStages(shell, pipeline, pids, ends);
  shell.SettleInterrupt(is_interrupted);
}

// --- time ----------------------------------------------------------------------------------------------

std::string FormatSeconds(Nanoseconds time, int digits, bool is_long) {
  const double seconds = std::chrono::duration<double>(time).count();
  char text[64];
  if (is_long) {
    const int64_t minutes = static_cast<int64_t>(seconds) / 60;
    std::snprintf(text, sizeof text, "%ldm%.*fs", static_cast<long>(minutes), digits,
                  seconds - static_cast<double>(minutes) * 60);
  } else {
    std::snprintf(text, sizeof text, "%.*f", digits, seconds);
  }
  return text;
}

// TIMEFORMAT: %[p][l]R %U %S %P %%. A complaint without a newline at the end if there is something else.
std::string FormatTimes(std::string_view format, Nanoseconds real) {
  std::string text;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 == format.size()) {
      text += format[i];
      continue;
    }
    ++i;
    int digits = 3;
    if (format[i] >= '0' && format[i] <= '9') digits = std::min(format[i++] - '0', 3);
    const bool is_long = i < format.size() && format[i] == 'l';
    if (is_long) ++i;
    const char letter = i < format.size() ? format[i] : '%';
    switch (letter) {
      case 'R': text += FormatSeconds(real, digits, is_long); break;
      case 'U': text += FormatSeconds(real, digits, is_long); break;
      case 'S': text += FormatSeconds(Nanoseconds{0}, digits, is_long); break;
      case 'P': text += real.count() > 0 ? "100.00" : "0.00"; break;
      case '%': text += '%'; break;
      default: return "`" + std::string(1, letter) + "': invalid format character";
    }
  }
  return text + "\n";
}

void ReportTimes(Shell& shell, const Statement& pipeline, Nanoseconds real) {
  const auto format = shell.Get("TIMEFORMAT");
  if (format && format->empty()) return;
  std::string_view used = format ? *format : "\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS";
  if (pipeline.is_time_posix || (!format && shell.options.Get(SetOption::kPosix))) used = "real %2R\nuser %2U\nsys %2S";
  const std::string text = FormatTimes(used, real);
  if (!text.ends_with('\n')) return shell.Complain("TIMEFORMAT", text);
  shell.err().Write(text);
}

// Whether a command says itself where its input comes from: `<&0` then means the input of the shell.
bool SaysItsInput(const Statement& statement) {
  const Statement& first = statement.kind == Statement::Kind::kPipeline && !statement.children.empty() ? *statement.children[0] : statement;
  return std::any_of(first.redirects.begin(), first.redirects.end(), [](const Redirect& redirect) {
    const bool is_input = redirect.kind == Redirect::Kind::kInput || redirect.kind == Redirect::Kind::kDuplicateInput ||
                          redirect.kind == Redirect::Kind::kReadWrite;
    return redirect.variable.empty() && (redirect.descriptor == 0 || (redirect.descriptor == -1 && is_input));
  });
}

vfs::OpenFilePtr OpenNull(Shell& shell) {
  auto null = shell.files().Open("/dev/null", vfs::OpenFlags{.read = true});
  return null ? std::move(*null) : nullptr;
}

}  // namespace

void RunPipeline(Shell& shell, const Statement& statement) {
  const Nanoseconds started = shell.kernel().clock().MonotonicNow();
  shell.errexit_ignored += statement.is_negated ? 1 : 0;
  if (statement.children.size() == 1) {
    shell.ExecuteStatement(*statement.children[0]);
  } else if (!statement.children.empty()) {
    RunStages(shell, statement);
  } else {
    shell.last_status = 0;   // `time` or `!` alone
  }
  shell.errexit_ignored -= statement.is_negated ? 1 : 0;
  if (statement.is_timed) ReportTimes(shell, statement, shell.kernel().clock().MonotonicNow() - started);
  if (statement.is_negated && shell.flow != Flow::kExit) shell.last_status = shell.last_status == 0 ? 1 : 0;
}

void RunSubshell(Shell& shell, const Statement& statement) {
  shell.out().Flush();
  const int pid = shell.kernel().next_pid();
  const proc::WaitStatus ended =
      shell.kernel().RunInline(shell.process(), nullptr, [&](proc::Process& child) {
        Shell subshell(shell, child);
        subshell.loop_depth = 0;
        subshell.traps.innermost = kNoTrap;
        std::vector<Shell::SavedDescriptor> replaced;
        if (!statement.redirects.empty()) {
          subshell.line = statement.line;
          if (!subshell.ApplyRedirects(statement.redirects, &replaced)) return subshell.Finish(1);
        }
        return subshell.Finish(subshell.ExecuteList(*statement.body));
      });
  shell.last_status = ended.status;
  shell.pipe_status.assign(1, ended.status);
  if (ended.signal != 0) {
    shell.line = statement.line;
    ReportSignal(shell, pid, ended, &statement);
  }
  shell.SettleInterrupt(ended.signal == proc::kSigInt);
}

void StartBackground(Shell& shell, const Statement& statement, StatementListPtr keep) {
  ReapJobs(shell);
  std::vector<int> pids;
  // Only the stdin that the script began with is kept from background commands.
  const bool needs_null = !shell.options.Get(SetOption::kMonitor) &&
                          shell.process().descriptors().Get(0).get() == shell.initial_stdin && !SaysItsInput(statement);
  const bool is_plain_pipeline = statement.kind == Statement::Kind::kPipeline && !statement.is_negated &&
                                 !statement.is_timed && statement.children.size() > 1;
  if (is_plain_pipeline) {
    pids = StartStages(shell, statement, keep, true, false, nullptr, needs_null ? OpenNull(shell) : nullptr);
  } else {
    if (statement.kind == Statement::Kind::kSimple) AnnounceStage(shell, statement);
    const ChildPlan plan{.in = needs_null ? OpenNull(shell) : nullptr,
                         .is_background = true,
                         .has_group = shell.options.Get(SetOption::kMonitor)};
    pids.push_back(StartChildShell(shell, statement, plan, keep));
  }
  const int last_pid = pids.back();
  Job& job = shell.jobs().Add(std::move(pids), PrintStatement(statement));
  if (is_plain_pipeline) {
    for (const auto& stage : statement.children) job.stage_texts.push_back(PrintStatement(*stage));
  }
  shell.last_background_pid = last_pid;
  shell.last_status = 0;
  if (shell.is_interactive) {
    shell.err().Write("[" + std::to_string(job.number) + "] " + std::to_string(last_pid) + "\n");
  }
}

void StartCoprocess(Shell& shell, const Statement& statement) {
  const std::string name = statement.name.empty() ? "COPROC" : statement.name.text;
  vfs::PipeEnds to_child = vfs::MakePipe(shell.kernel().scheduler());
  vfs::PipeEnds from_child = vfs::MakePipe(shell.kernel().scheduler());
  const ChildPlan plan{.in = to_child.read, .out = from_child.write, .is_background = true};
  const int pid = StartChildShell(shell, *statement.definition, plan, statement.definition);
  to_child.read.reset();
  from_child.write.reset();
  // Bash hands out descriptors from 63 downwards here.
  proc::DescriptorTable& descriptors = shell.process().descriptors();
  const auto take_high = [&](vfs::OpenFilePtr file) {
    int number = 63;
    while (number > 10 && descriptors.Get(number)) --number;
    descriptors.Set(number, std::move(file), /*close_on_exec=*/true);
    return number;
  };
  const int read_end = take_high(std::move(from_child.read));
  const int write_end = take_high(std::move(to_child.write));
  AssignIndex(shell, Name(name), 0, std::to_string(read_end));
  AssignIndex(shell, Name(name), 1, std::to_string(write_end));
  AssignScalar(shell, Name(name + "_PID"), std::to_string(pid));
  shell.jobs().Add({pid}, "coproc " + name + " " + PrintStatement(*statement.definition)).coprocess = name;
  shell.last_background_pid = pid;
  shell.last_status = 0;
}

}  // namespace paddock::shell
