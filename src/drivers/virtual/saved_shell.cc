// What a virtual sandbox gives away to be kept, and its shell made again from that. See sandbox/persistent.h.

#include <algorithm>

#include "drivers/virtual/virtual_sandbox.h"
#include "shell/exec/jobs.h"
#include "shell/shell.h"

namespace paddock::sandbox {
namespace {

// The highest pid that a script may still know.
int HighestPid(shell::Shell& shell) {
  int highest = shell.last_background_pid;
  for (const shell::Job& job : shell.jobs().jobs()) {
    for (const int pid : job.pids) highest = std::max(highest, pid);
  }
  for (const auto& [pid, status] : shell.jobs().finished()) highest = std::max(highest, pid);
  return highest;
}

}  // namespace

Status VirtualSandbox::CheckIdle() const {
  if (is_inside_) return Error(Code::kBusy, "sandbox " + id_ + " is running an exec: capture it when that has ended");
  return {};
}

shell::EncodedState VirtualSandbox::EncodeShell() const {
  if (state_ == nullptr) return {};
  return shell::EncodeState(*state_, {cwd_, umask_, resource_limits_}, *kernel_, host_->clock, saved_state_);
}

Result<SavedStep> VirtualSandbox::CaptureStep() {
  PADDOCK_TRY(CheckIdle());
  NoteDisk();
  SavedStep step;
  PADDOCK_ASSIGN(step.files, saved_files_.Capture(SavedFiles::Since::kSaved));
  captured_state_ = EncodeShell();
  step.state = shell::EncodeStateDelta(saved_state_.bytes, captured_state_->bytes);
  return step;
}

Result<SavedStep> VirtualSandbox::CaptureWhole() {
  PADDOCK_TRY(CheckIdle());
  SavedStep step;
  PADDOCK_ASSIGN(step.files, saved_files_.Capture(SavedFiles::Since::kBase));
  captured_state_ = EncodeShell();
  step.state = shell::EncodeStateDelta({}, captured_state_->bytes);
  return step;
}

void VirtualSandbox::MarkSaved() {
  saved_files_.MarkSaved();
  if (captured_state_) saved_state_ = std::move(*captured_state_);
  captured_state_.reset();
}

Result<std::shared_ptr<const vfs::MemoryVolume>> VirtualSandbox::CaptureFiles() {
  PADDOCK_TRY(CheckIdle());
  return std::shared_ptr<const vfs::MemoryVolume>(root_->Fork());
}

Result<std::string> VirtualSandbox::CaptureState() {
  PADDOCK_TRY(CheckIdle());
  return shell::EncodeStateDelta({}, EncodeShell().bytes);
}

Status VirtualSandbox::RestoreShell(const std::vector<SavedStep>& steps) {
  std::string bytes;
  for (const SavedStep& step : steps) {
    if (step.state.empty()) continue;
    PADDOCK_ASSIGN(bytes, shell::ApplyStateDelta(bytes, step.state));
  }
  if (bytes.empty()) return {};
  Budget budget(Limits{}, SystemClock());
  Status status = Error(Code::kLimit, "the shell state of sandbox " + id_ + " takes more memory than an exec may have");
  Run({.budget = budget,
       .handler = [](Stream, std::string_view) {},
       .cwd = "/",
       .prepare = [](proc::Process&) {},
       .body =
           [&](proc::Process& process) {
             auto shell = std::make_shared<shell::Shell>(process, host_->programs, Environment());
             shell::ShellPlace place;
             status = shell::DecodeState(bytes, host_->clock, *shell, &place);
             if (!status) return 1;
             kernel_->set_next_pid(std::max(kernel_->next_pid(), HighestPid(*shell) + 1));
             shell->out().ReleaseBuffer();
             cwd_ = std::move(place.cwd);
             umask_ = place.umask;
             resource_limits_ = std::move(place.limits);
             state_ = std::move(shell);
             return 0;
           },
       .waits_for_background = false});
  PADDOCK_TRY(status);
  // A job that ran is one that was killed now: so the next step starts from the bytes as they were.
  saved_state_.bytes = std::move(bytes);
  return {};
}

}  // namespace paddock::sandbox
