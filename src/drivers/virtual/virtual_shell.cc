#include "drivers/virtual/virtual_shell.h"

#include <charconv>

#include "drivers/virtual/virtual_sandbox.h"
#include "shell/exec/jobs.h"
#include "shell/interactive/completer.h"
#include "shell/interactive/prompt_loop.h"
#include "shell/shell.h"

namespace paddock::sandbox {
namespace {

constexpr int kStoppedStatus = 125;
constexpr int kTimedOutStatus = 124;
constexpr int kInterruptedStatus = 130;

int StatusOf(const ExecResult& result) {
  switch (result.termination.reason) {
    case Termination::Reason::kTimeout: return kTimedOutStatus;
    case Termination::Reason::kCancelled: return kInterruptedStatus;
    default: return kStoppedStatus;
  }
}

}  // namespace

VirtualShell::VirtualShell(VirtualSandbox& sandbox, SessionSpec spec, OutputHandler output)
    : sandbox_(sandbox), spec_(std::move(spec)), output_(std::move(output)) {
  proc::Kernel& kernel = sandbox_.kernel();
  StdinSource input{.kind = StdinSource::Kind::kHostDescriptor, .descriptor = spec_.input};
  descriptors_.Set(0, MakeInputFile(kernel, sandbox_.waiter(), std::move(input)));
  descriptors_.Set(1, MakeOutputFile(kernel, sandbox_.route(), Stream::kStdout, spec_.is_output_terminal));
  descriptors_.Set(2, MakeOutputFile(kernel, sandbox_.route(), Stream::kStderr, spec_.is_error_terminal));
}

VirtualShell::~VirtualShell() {
  sandbox_.LeaveTerminal();
  sandbox_.Release();
}

void VirtualShell::Resize(WindowSize size) {
  size_ = size;
  sandbox_.SetWindow(size);
}

void VirtualShell::UpdateWindow(shell::Shell& shell) const {
  if (!shell.options.Get(shell::ShoptOption::kCheckwinsize)) return;
  const auto set = [&](const char* name, uint32_t value) {
    const std::string text = std::to_string(value);
    if (shell.GetOr(name, "") != text) shell.SetShellVariable(name, text);
  };
  set("COLUMNS", size_.columns);
  set("LINES", size_.lines);
}

int VirtualShell::RunStep(proc::Process& process, const std::function<int(shell::Shell&)>& step, After after) {
  process.descriptors() = descriptors_;
  const bool is_first = sandbox_.state() == nullptr;
  auto shell = is_first ? std::make_shared<shell::Shell>(process, sandbox_.host().programs, spec_.environment)
                        : std::make_shared<shell::Shell>(*sandbox_.state(), process, shell::Shell::Continue{});
  BecomeInteractive(*shell);
  UpdateWindow(*shell);
  if (is_first) StartInteractive(*shell);
  if (failed_status_) shell->last_status = *failed_status_;
  int status = shell->flow == shell::Flow::kExit ? shell->last_status : step(*shell);
  if (shell->flow == shell::Flow::kExit) {
    status = shell->Finish(status);
    ended_ = status & 0xFF;
    return status;
  }
  if (after == After::kDrop) return status;
  shell->flow = shell::Flow::kNone;
  failed_status_.reset();
  descriptors_ = process.descriptors();
  sandbox_.Keep(std::move(shell), process);
  return status;
}

ExecResult VirtualShell::RunExec(const Limits& limits, std::string cwd, const proc::Kernel::Body& body) {
  proc::Kernel& kernel = sandbox_.kernel();
  kernel.ClearRequests();
  kernel.set_foreground_group(VirtualSandbox::kShellPid);
  Budget budget(limits, SystemClock());
  return sandbox_.Run({.budget = budget,
                       .handler = output_,
                       .cwd = std::move(cwd),
                       .prepare = [](proc::Process&) {},
                       .body = body,
                       .waits_for_background = false});
}

ExecResult VirtualShell::Step(const std::function<int(shell::Shell&)>& step, After after) {
  std::string cwd = sandbox_.state() == nullptr ? spec_.cwd : std::string();
  ExecResult result = RunExec(spec_.limits, std::move(cwd),
                              [&](proc::Process& process) { return RunStep(process, step, after); });
  if (!result.exit_code) {
    failed_status_ = StatusOf(result);
  } else if (result.termination.signal != 0) {
    ended_ = *result.exit_code;
  }
  return result;
}

ShellSession::Prompt VirtualShell::PrimaryPrompt() {
  Prompt prompt{.text = "$ ", .timeout = {}};
  Step([&](shell::Shell& shell) {
    const int status = shell.last_status;
    PreparePrompt(shell);
    if (shell.flow == shell::Flow::kNone) prompt.text = PromptText(shell, "PS1");
    const std::string timeout = shell.GetOr("TMOUT", "");
    int64_t seconds = 0;
    std::from_chars(timeout.data(), timeout.data() + timeout.size(), seconds);
    if (seconds > 0 && seconds < 1'000'000'000) prompt.timeout = std::chrono::seconds(seconds);
    shell.last_status = status;
    return status;
  });
  return prompt;
}

ShellSession::Prompt VirtualShell::SecondaryPrompt() {
  Prompt prompt{.text = "> ", .timeout = {}};
  Step([&](shell::Shell& shell) {
    prompt.text = PromptText(shell, "PS2");
    return shell.last_status;
  });
  return prompt;
}

bool VirtualShell::IsIncomplete(std::string_view text) {
  bool is_incomplete = false;
  Step([&](shell::Shell& shell) {
    is_incomplete = shell::IsIncomplete(shell, text);
    return shell.last_status;
  });
  return is_incomplete;
}

std::optional<std::string> VirtualShell::HistoryEntry(std::string_view text) {
  std::optional<std::string> entry;
  const auto step = [&](shell::Shell& shell) {
    entry = shell::HistoryEntry(shell, text);
    return shell.last_status;
  };
  Step(step, After::kDrop);
  return entry;
}

ExecResult VirtualShell::Run(std::string_view text) {
  ends_in_a_row_ = 0;
  return Step([&](shell::Shell& shell) { return RunLine(shell, text); });
}

void VirtualShell::EndInput() {
  ++ends_in_a_row_;
  Step([this](shell::Shell& shell) {
    if (LeavesAtEnd(shell, ends_in_a_row_)) shell.flow = shell::Flow::kExit;
    return shell.last_status;
  });
}

void VirtualShell::NoteInterrupt() { failed_status_ = kInterruptedStatus; }

void VirtualShell::Leave() {
  Step([](shell::Shell& shell) {
    shell.flow = shell::Flow::kExit;
    return shell.last_status;
  });
}

Completions VirtualShell::Complete(std::string_view line, size_t cursor) {
  Completions completions{.from = cursor, .replacement = {}, .shown = {}};
  Step([&](shell::Shell& shell) {
    const int status = shell.last_status;
    shell::LineCompletion found = CompleteLine(shell, line, cursor);
    completions = {found.from, std::move(found.replacement), std::move(found.shown)};
    shell.out().Flush();
    shell.last_status = status;
    return status;
  });
  return completions;
}

void VirtualShell::Idle(int descriptor, std::chrono::nanoseconds until) {
  if (!sandbox_.kernel().HasLiveProcesses()) return;
  Limits limits = spec_.limits;
  limits.time = Nanoseconds{0};
  RunExec(limits, {}, [&](proc::Process& process) {
    for (const int signal : {proc::kSigInt, proc::kSigWinch}) {
      process.set_disposition(signal, proc::Process::Disposition::kCatch);
    }
    sandbox_.waiter().WaitReadable(sandbox_.kernel().scheduler(), descriptor, until);
    return 0;
  });
}

void VirtualShell::Signal(int signal) {
  sandbox_.kernel().RequestSignal(signal);
  sandbox_.waiter().Interrupt();
}

void VirtualShell::Kill() {
  sandbox_.kernel().RequestStop();
  sandbox_.waiter().Interrupt();
}

}  // namespace paddock::sandbox
