// What runs in a registry's sandbox: it is admitted, waits for its turn, runs, and is remembered for a while.
#include <algorithm>
#include <utility>

#include "base/id.h"
#include "registry/entry/measure.h"
#include "registry/entry/sandbox_entry.h"
#include "sandbox/shell_session.h"

namespace paddock::registry {
namespace {

sandbox::ExecResult NotRun(sandbox::Termination::Reason reason) {
  sandbox::ExecResult result;
  result.termination.reason = reason;
  return result;
}

}  // namespace

Result<std::shared_ptr<RunningProcess>> SandboxEntry::Admit(const ExecRequest& request) {
  const std::lock_guard lock(mutex_);
  size_t living = 0, ended = 0;
  for (const auto& [age, process] : processes_) ++(process->Info().state == ProcessState::kExited ? ended : living);
  if (living >= settings_->most_processes) {
    return Error(Code::kLimit, id_ + " has " + std::to_string(living) + " processes, the most there may be; wait for some, or end them");
  }
  for (auto it = processes_.begin(); it != processes_.end() && ended > settings_->most_ended;) {
    if (it->second->Info().state != ProcessState::kExited) {
      ++it;
      continue;
    }
    it = processes_.erase(it);
    --ended;
  }
  auto process = std::make_shared<RunningProcess>(NewId("proc_"), id_, request, settings_->output_directory);
  processes_.emplace(++last_process_, process);
  return process;
}

void SandboxEntry::TakeImagesCommand(ExecRequest& request) const {
  if (request.script || !request.command.empty() || request.keeps_shell) return;
  const std::lock_guard lock(mutex_);
  request.command = info_.request.image.command;
}

void SandboxEntry::Withdraw(const std::shared_ptr<RunningProcess>& process) {
  const std::lock_guard lock(mutex_);
  std::erase_if(processes_, [&](const auto& one) { return one.second == process; });
}

sandbox::ExecSpec SandboxEntry::SpecOf(ExecRequest& request) const {
  const std::lock_guard lock(mutex_);
  const SandboxRequest& of = info_.request;
  sandbox::ExecSpec spec;
  spec.script = std::move(request.script);
  spec.command = std::move(request.command);
  spec.environment = sandbox::UserEnvironment(sandbox::SandboxSpec().user);
  for (const Variables* variables : {&of.environment, &std::as_const(request).environment}) {
    for (const auto& [name, value] : *variables) spec.environment.Set(name, value);
  }
  spec.cwd = request.cwd.empty() ? of.image.working_directory : std::move(request.cwd);
  spec.keeps_state = request.keeps_shell;
  spec.terminal = request.terminal;
  if (of.limits.memory_bytes) spec.limits.memory_bytes = *of.limits.memory_bytes;
  if (of.limits.processes) spec.limits.processes = *of.limits.processes;
  if (of.limits.output_bytes) spec.limits.output_bytes = *of.limits.output_bytes;
  if (of.limits.cpu_time) spec.limits.cpu_time = *of.limits.cpu_time;
  if (request.terminal) spec.limits.output_bytes = kUnlimited;   // nobody keeps it; who looks at it holds it up
  if (request.output_bytes) spec.limits.output_bytes = std::min(spec.limits.output_bytes, *request.output_bytes);
  return spec;
}

Result<sandbox::ExecResult> SandboxEntry::Run(const std::shared_ptr<RunningProcess>& process, ExecRequest request, sandbox::OutputHandler handler) {
  const std::shared_ptr<void> use = BeginUse();
  const auto give_up = [&](sandbox::Termination::Reason reason, Error error) -> Error {
    process->Finish(NotRun(reason), Now(), std::string(error.Text()));
    return error;
  };
  const std::optional<Duration> time = request.timeout ? request.timeout : Info().request.limits.exec_time;
  const Deadline asked = std::chrono::steady_clock::now();
  const Deadline until = time ? asked + *time : Deadline::max();

  auto live = Live();
  if (!live) return give_up(sandbox::Termination::Reason::kInfra, live.error());
  // Where execs go side by side it is only waited for: whoever wants quiet has it.
  process->WhenCancelled([self = shared_from_this()] { self->turns_.Nudge(); });
  std::unique_ptr<Turns::Turn> turn = turns_.Take(until, [&] { return process->is_cancelled(); });
  process->WhenCancelled({});
  if (turn == nullptr && process->is_cancelled()) {
    sandbox::ExecResult result = NotRun(sandbox::Termination::Reason::kCancelled);
    process->Finish(result, Now());
    return result;
  }
  if (turn == nullptr) {
    sandbox::ExecResult result = NotRun(sandbox::Termination::Reason::kTimeout);
    result.termination.limit = "time";
    process->Finish(result, Now());
    return result;
  }
  live = Live();   // it may have been put to rest while others had the turn
  if (!live) return give_up(sandbox::Termination::Reason::kInfra, live.error());
  if (!IsSerial(**live)) turn.reset();

  sandbox::StdinSource input;
  const Descriptor input_end(process->TakeInput());
  if (input_end.is_open()) {
    input = {.kind = sandbox::StdinSource::Kind::kHostDescriptor, .text = {}, .descriptor = input_end.get()};
  } else if (!request.input.empty()) {
    input = {.kind = sandbox::StdinSource::Kind::kText, .text = std::move(request.input), .descriptor = -1};
  }
  if (request.keeps_shell && dynamic_cast<sandbox::KeepsShell*>(live->get()) == nullptr) {
    return give_up(sandbox::Termination::Reason::kInfra, Error(Code::kNotSupported, "keep_shell: this isolation keeps no shell between execs"));
  }
  const bool is_command = !request.command.empty();
  sandbox::ExecSpec spec = SpecOf(request);
  if (time) {
    const auto left = std::chrono::duration_cast<Nanoseconds>(until - std::chrono::steady_clock::now());
    spec.limits.time = std::max(left, Nanoseconds(1));
  }
  const bool is_logged = !request.terminal;   // what a person sees is no log
  const auto output = [&](sandbox::Stream stream, std::string_view bytes) {
    std::string lines;
    if (process->reads_lines()) {
      // What it read is shown before what it answers: whoever types holds the input until then.
      static_cast<void>(process->WriteSome({}, std::chrono::steady_clock::now()));
      bytes = lines = ForTerminal(bytes);
    }
    process->output().Append(stream, bytes);
    if (is_logged) log_.Append(process->id(), stream, Now(), bytes);
    if (handler) handler(stream, bytes);
  };
  auto started = request.starter ? request.starter(**live, std::move(spec), std::move(input), output) : (*live)->Start(std::move(spec), std::move(input), output);
  if (!started && is_command && (started.error().code == Code::kNoEntry || started.error().code == Code::kAccess)) {
    // As a shell answers: that is the command's failure, not the sandbox's.
    const std::string text = "paddock: " + std::string(started.error().Text()) + "\n";
    output(sandbox::Stream::kStderr, text);
    sandbox::ExecResult result;
    result.exit_code = started.error().code == Code::kNoEntry ? 127 : 126;
    process->Finish(result, Now());
    return result;
  }
  if (!started) return give_up(sandbox::Termination::Reason::kInfra, started.error());
  sandbox::ExecResult result;
  ledger_.ExecBegan(Now());
  if (process->Begin(**started, Now())) {
    result = (*started)->Wait();
  } else {
    (*started)->Cancel();
    result = (*started)->Wait();
  }
  process->Leave();   // before it goes: signals, new sizes and cancels come from other threads
  ledger_.ExecEnded(result, Measure(**live), Now());
  started->reset();
  if (const Status kept = Keep(**live); !kept) {
    const Error failure(kept.error().code, "the exec ended, but what it changed could not be kept: " + std::string(kept.error().Text()) +
                                               "; it is in memory, and kept with the next one that succeeds");
    process->Finish(result, Now(), failure.message);
    return failure;
  }
  process->Finish(result, Now());
  return result;
}

std::vector<ProcessInfo> SandboxEntry::Processes() const {
  const std::lock_guard lock(mutex_);
  std::vector<ProcessInfo> list;
  for (const auto& [age, process] : processes_) list.push_back(process->Info());
  return list;
}

std::shared_ptr<RunningProcess> SandboxEntry::FindProcess(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [age, process] : processes_) {
    if (process->id() == id) return process;
  }
  return nullptr;
}

void SandboxEntry::ForgetEnded(Time before) {
  const std::lock_guard lock(mutex_);
  std::erase_if(processes_, [&](const auto& entry) {
    const auto info = entry.second->Info();
    return info.state == ProcessState::kExited && info.ended && *info.ended < before;
  });
}

void SandboxEntry::EndProcesses() {
  std::vector<std::shared_ptr<RunningProcess>> living;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [age, process] : processes_) living.push_back(process);
  }
  for (const auto& process : living) process->Cancel();
}

}  // namespace paddock::registry
