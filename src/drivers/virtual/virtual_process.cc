#include "drivers/virtual/virtual_process.h"

#include <csignal>

#include "drivers/virtual/virtual_sandbox.h"
#include "shell/exec/jobs.h"
#include "shell/shell.h"

namespace paddock::sandbox {

VirtualProcess::VirtualProcess(VirtualSandbox& sandbox, ExecSpec spec, StdinSource input, OutputHandler handler)
    : sandbox_(sandbox),
      spec_(std::move(spec)),
      input_(std::move(input)),
      handler_(std::move(handler)),
      budget_(spec_.limits, SystemClock()) {
  if (!spec_.terminal) return;
  sandbox_.kernel().ClearRequests();
  spec_.environment.Set("COLUMNS", std::to_string(spec_.terminal->columns));
  spec_.environment.Set("LINES", std::to_string(spec_.terminal->lines));
  sandbox_.SetWindow(*spec_.terminal);
}

void VirtualProcess::Cancel() {
  budget_.Cancel();
  sandbox_.waiter().Interrupt();
}

void VirtualTerminalProcess::Signal(int signal) {
  if (signal == SIGKILL) return Cancel();
  sandbox().kernel().RequestSignal(signal);
  sandbox().waiter().Interrupt();
}

void VirtualTerminalProcess::Resize(WindowSize size) {
  sandbox().SetWindow(size);
  Signal(SIGWINCH);
}

int VirtualProcess::RunInside(proc::Process& process) {
  const shell::ShellHost& host = sandbox_.host().programs;
  if (!spec_.command.empty()) {
    shell::Shell shell(process, host, spec_.environment);
    shell.name0 = "paddock";
    return shell.Finish(shell.CallWords(spec_.command, {.skip_functions = true}));
  }
  auto shell = sandbox_.state() && spec_.keeps_state
                   ? std::make_shared<shell::Shell>(*sandbox_.state(), process, shell::Shell::Continue{})
                   : std::make_shared<shell::Shell>(process, host, spec_.environment);
  shell->name0 = spec_.name0;
  shell->reads_command_string = !spec_.is_file;
  if (spec_.is_file) shell->frames.front().source = spec_.name0;
  else shell->SetShellVariable("BASH_EXECUTION_STRING", *spec_.script);
  if (!spec_.arguments.empty() || !spec_.keeps_state) shell->SetPositionals(spec_.arguments);
  int status = shell->RunScript(*spec_.script);
  const bool has_exited = shell->flow == shell::Flow::kExit;
  if (!spec_.keeps_state || has_exited) status = shell->Finish(status);
  if (spec_.keeps_state) {
    shell->flow = shell::Flow::kNone;
    shell->out().ReleaseBuffer();   // an idle sandbox holds none
    sandbox_.Keep(std::move(shell), process);
  }
  return status;
}

ExecResult VirtualProcess::Wait() {
  const auto prepare = [this](proc::Process& process) {
    proc::Kernel& kernel = sandbox_.kernel();
    proc::DescriptorTable& descriptors = process.descriptors();
    descriptors.Set(0, MakeInputFile(kernel, sandbox_.waiter(), std::move(input_)));
    descriptors.Set(1, MakeOutputFile(kernel, sandbox_.route(), Stream::kStdout, spec_.terminal.has_value()));
    descriptors.Set(2, MakeOutputFile(kernel, sandbox_.route(), Stream::kStderr, spec_.terminal.has_value()));
  };
  if (spec_.terminal) sandbox_.kernel().set_foreground_group(VirtualSandbox::kShellPid);
  ExecResult result = sandbox_.Run({.budget = budget_,
                                    .handler = std::move(handler_),
                                    .cwd = spec_.cwd,
                                    .prepare = prepare,
                                    .body = [this](proc::Process& process) { return RunInside(process); },
                                    .waits_for_background = spec_.waits_for_background});
  if (spec_.terminal) sandbox_.LeaveTerminal();
  sandbox_.Release();
  return result;
}

}  // namespace paddock::sandbox
