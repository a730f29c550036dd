// Traps: pseudo signals and real ones, and the end of a shell.

#include <utility>

#include "shell/ast/printer.h"
#include "shell/exec/executor.h"
#include "shell/exec/jobs.h"
#include "shell/shell.h"

namespace paddock::shell {
namespace {

// Runs a trap's action with $? kept for whoever comes after it; the action's own status.
int RunAction(Shell& shell, int trap, const std::string& action) {
  if (shell.traps.is_running[trap]) return 0;
  const int saved_status = shell.last_status;
  const int outer = std::exchange(shell.traps.innermost, trap);
  const int outer_status = std::exchange(shell.traps.status_before, saved_status);
  const std::vector<int> saved_pipe_status = shell.pipe_status;
  const Statement* const saved_command = shell.command;
  const int saved_line = shell.line;
  const int saved_ignored = shell.errexit_ignored;
  shell.traps.is_running[trap] = true;
  const std::string text = action;   // the action may change the trap
  const int saved_depth = shell.trace_depth;
  if (trap == kTrapExit) --shell.trace_depth;   // nothing is left that it could be nested in
  shell.Eval(text, shell.line);
  shell.trace_depth = saved_depth;
  shell.traps.is_running[trap] = false;
  shell.traps.innermost = outer;
  shell.traps.status_before = outer_status;
  const int status = shell.last_status;
  shell.errexit_ignored = saved_ignored;
  shell.command = saved_command;
  shell.line = saved_line;
  if (shell.flow == Flow::kNone) {
    shell.last_status = saved_status;
    shell.pipe_status = saved_pipe_status;
  }
  return status;
}

// Signals that an interactive shell takes itself where another one dies of them.
bool IsHeld(const Shell& shell, int signal) {
  return shell.is_interactive && (signal == proc::kSigInt || signal == proc::kSigTerm || signal == proc::kSigQuit);
}

}  // namespace

void Shell::SetTrap(int signal, std::optional<std::string> action) {
  const bool is_pseudo = signal == kTrapExit || signal >= kTrapDebug;
  if (!is_pseudo && signal != 0) {
    if ((traps.ignored_at_start & (1ull << (signal - 1))) != 0) return;
    using Disposition = proc::Process::Disposition;
    process_->set_disposition(signal, !action           ? IsHeld(*this, signal) ? Disposition::kCatch : Disposition::kDefault
                                      : action->empty() ? Disposition::kIgnore
                                                        : Disposition::kCatch);
  }
  traps.inherited.clear();
  if (signal == kTrapExit) CatchDeadlySignals(action && !action->empty());
  if (action) {
    traps.actions[signal] = std::move(*action);
  } else {
    traps.actions.erase(signal);
  }
}

void Shell::CatchDeadlySignals(bool on) {
  using Disposition = proc::Process::Disposition;
  for (const int signal : {proc::kSigHup, proc::kSigInt, proc::kSigTerm}) {
    if (traps.actions.contains(signal) || process_->disposition(signal) == Disposition::kIgnore) continue;
    if (IsHeld(*this, signal)) continue;
    process_->set_disposition(signal, on ? Disposition::kCatch : Disposition::kDefault);
  }
}

void Shell::RunPendingTraps() {
  while (flow == Flow::kNone) {
    const int signal = process_->TakeCaught();
    if (signal == 0) return;
    const auto it = traps.actions.find(signal);
    if (it == traps.actions.end()) {
      // Caught only so that the EXIT trap can run first (see SetTrap).
      if (signal == proc::kSigChld) continue;
      if (IsHeld(*this, signal)) {
        if (signal != proc::kSigInt) continue;
        err_.Write("\n");
        last_status = 128 + signal;
        flow = Flow::kInterrupt;
        return;
      }
      death_signal = signal;
      last_status = 128 + signal;
      flow = Flow::kExit;
      return;
    }
    if (!it->second.empty()) RunAction(*this, signal, it->second);
  }
}

void Shell::SettleInterrupt(bool killed) {
  if (!is_interactive) return;
  process_->DropCaught(proc::kSigInt);
  if (!killed) return;
  out_.Flush();
  err_.Write("\n");
  if (traps.actions.contains(proc::kSigInt)) return;
  last_status = 128 + proc::kSigInt;
  if (flow == Flow::kNone) flow = Flow::kInterrupt;
}

int Shell::RunPseudoTrap(int trap) {
  const auto it = traps.actions.find(trap);
  if (it == traps.actions.end() || it->second.empty()) return 0;
  // Pseudo traps do not fire inside each other.
  if (traps.is_running[kTrapDebug] || traps.is_running[trap]) return 0;
  return RunAction(*this, trap, it->second);
}

void Shell::RunReturnTrap() {
  const bool has_returned = flow == Flow::kReturn;
  if (has_returned) flow = Flow::kNone;
  if (flow != Flow::kNone || traps.actions.empty()) return;
  const int status = last_status;
  if (has_returned) last_status = status_before_return;
  RunPseudoTrap(kTrapReturn);
  if (has_returned && flow == Flow::kNone) last_status = status;
}

bool Shell::RunDebugTrap() {
  const int status = RunPseudoTrap(kTrapDebug);
  if (flow != Flow::kNone) return false;
  if (status == 0 || !options.Get(ShoptOption::kExtdebug)) return true;
  constexpr int kReturns = 2;
  if (status == kReturns && frames.size() > 1) {
    status_before_return = last_status = status;
    flow = Flow::kReturn;
  } else {
    last_status = 0;
  }
  return false;
}

bool Shell::AnnounceCommand(std::string text) {
  if (traps.innermost == kNoTrap) command_text = std::move(text);
  return RunDebugTrap();
}

void Shell::ForgetCommand() {
  if (command != nullptr && has_traps() && traps.innermost == kNoTrap) command_text = PrintStatement(*command);
  command = nullptr;
}

int Shell::Finish(int status) {
  if (flow == Flow::kNone && process_->HasCaught()) {
    last_status = status;
    RunPendingTraps();
  }
  if (flow == Flow::kExit) status = last_status;
  flow = Flow::kNone;
  last_status = status;
  errexit_ignored = 0;
  const auto it = traps.actions.find(kTrapExit);
  if (it != traps.actions.end() && !it->second.empty()) {
    const std::string action = std::move(it->second);
    traps.actions.erase(it);
    RunAction(*this, kTrapExit, action);
    if (flow == Flow::kExit) status = last_status;
  }
  out_.Flush();
  if (death_signal != 0) {
    process_->set_disposition(death_signal, proc::Process::Disposition::kDefault);
    process_->Raise(death_signal);
    process_->Poll();
  }
  return status;
}

}  // namespace paddock::shell
