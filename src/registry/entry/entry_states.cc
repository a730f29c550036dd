// The states of a registry's sandbox: they are captured while it stands still, shared with forks, and put back.
#include "registry/entry/sandbox_entry.h"

namespace paddock::registry {

Status SandboxEntry::WithStill(Deadline until, const std::function<Status(KeepsStates& states, sandbox::Sandbox* live)>& body) {
  const std::shared_ptr<void> use = BeginUse();
  const bool needs_live = NeedsLive();
  // Where execs go side by side, none does: their files would be read while they change.
  std::unique_ptr<Turns::Turn> turn;
  if (needs_live) {
    turn = turns_.Take(until);
    if (turn == nullptr) return Error(Code::kTimedOut, id_ + " runs something else; wait for it, or end it");
  } else {
    auto quiet = TakeQuiet(false, until);
    if (!quiet) return Error(Code::kBusy, id_ + " runs something; wait for it, end it, or pause the sandbox");
    turn = std::move(*quiet);
  }
  bool is_running = false;
  {
    const std::lock_guard lock(mutex_);
    is_running = info_.state == SandboxState::kRunning;
  }
  if (is_running && needs_live) PADDOCK_TRY(Wake());
  const std::lock_guard keeping(keeper_mutex_);
  auto* states = dynamic_cast<KeepsStates*>(keeper_.get());
  if (states == nullptr) return Error(Code::kNotSupported, id_ + ": sandboxes of isolation " + Info().request.isolation + " cannot be copied yet");
  std::shared_ptr<sandbox::Sandbox> live;
  {
    const std::lock_guard lock(mutex_);
    if (info_.state == SandboxState::kDeleting) return Error(Code::kNoEntry, id_ + " is being deleted");
    live = live_;
  }
  if (live == nullptr && needs_live) {   // for the moment
    PADDOCK_ASSIGN(live, keeper_->Load());
  }
  auto* const frozen = is_running ? nullptr : dynamic_cast<sandbox::Freezable*>(live.get());
  if (frozen != nullptr) PADDOCK_TRY(frozen->Thaw());
  const Status done = body(*states, live.get());
  if (frozen != nullptr) PADDOCK_TRY(frozen->Freeze());
  return done;
}

Result<SavedState> SandboxEntry::Capture(trees::Session& session, Deadline until, CaptureFor purpose) {
  SavedState state;
  PADDOCK_TRY(WithStill(until, [&](KeepsStates& states, sandbox::Sandbox* live) -> Status {
    PADDOCK_ASSIGN(state, purpose == CaptureFor::kForks ? states.CaptureToFork(live, session) : states.Capture(live, session));
    return {};
  }));
  return state;
}

Result<std::optional<CapturedRoot>> SandboxEntry::CaptureRoot(trees::Session& session, Deadline until, const trees::ArchiveLimits& limits) {
  std::optional<CapturedRoot> root;
  PADDOCK_TRY(WithStill(until, [&](KeepsStates& states, sandbox::Sandbox* live) -> Status {
    auto* const gives = dynamic_cast<GivesRoots*>(&states);
    if (gives == nullptr) return {};
    PADDOCK_ASSIGN(root, gives->CaptureRoot(live, session, limits));
    return {};
  }));
  return root;
}

Status SandboxEntry::Become(const SavedState& state, bool force, Deadline until) {
  const std::shared_ptr<void> use = BeginUse();
  PADDOCK_ASSIGN(const std::unique_ptr<Turns::Turn> turn, TakeQuiet(force, force ? until : std::chrono::steady_clock::now()));
  const std::lock_guard keeping(keeper_mutex_);
  auto* states = dynamic_cast<KeepsStates*>(keeper_.get());
  if (states == nullptr) return Error(Code::kNotSupported, id_ + ": sandboxes of isolation " + Info().request.isolation + " cannot be put back yet");
  std::shared_ptr<sandbox::Sandbox> live;   // ends here, when nobody else looks at it any more
  {
    const std::lock_guard lock(mutex_);
    if (info_.state == SandboxState::kDeleting) return Error(Code::kNoEntry, id_ + " is being deleted");
    live = live_;
    if (!states->needs_live()) live_ = nullptr;   // the next use stands it up anew, whatever becomes of this
  }
  if (live != nullptr && !states->needs_live()) live->Close();
  PADDOCK_TRY(states->Become(state));
  const std::lock_guard lock(mutex_);
  live_ = nullptr;
  info_.updated = Now();
  return {};
}

bool SandboxEntry::NeedsLive() {
  const std::lock_guard keeping(keeper_mutex_);
  const auto* states = dynamic_cast<const KeepsStates*>(keeper_.get());
  return states == nullptr || states->needs_live();
}

Result<std::shared_ptr<const void>> SandboxEntry::Share(const SavedState& state) {
  const std::lock_guard keeping(keeper_mutex_);
  auto* states = dynamic_cast<KeepsStates*>(keeper_.get());
  if (states == nullptr) return std::shared_ptr<const void>();
  return states->Share(state);
}

Result<trees::ObjectId> SandboxEntry::CaptureCreation(trees::Session& session) {
  const std::lock_guard keeping(keeper_mutex_);
  auto* states = dynamic_cast<KeepsStates*>(keeper_.get());
  const SandboxInfo info = Info();
  if (states == nullptr) return Error(Code::kNotSupported, id_ + ": of sandboxes of isolation " + info.request.isolation + " it is not known how they began");
  if (info.state == SandboxState::kDeleting) return Error(Code::kNoEntry, id_ + " is being deleted");
  return states->CaptureCreation(session);
}

Result<std::vector<trees::ObjectId>> SandboxEntry::Trees() {
  const std::lock_guard keeping(keeper_mutex_);
  auto* states = dynamic_cast<KeepsStates*>(keeper_.get());
  if (states == nullptr) return std::vector<trees::ObjectId>();
  return states->Trees();
}

}  // namespace paddock::registry
