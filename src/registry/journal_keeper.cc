#include "registry/journal_keeper.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace paddock::registry {
namespace {

Error HostError(const std::string& what) {
  const auto code = static_cast<Code>(errno);
  return Error(code, what + ": " + std::string(CodeText(code)));
}

}  // namespace

Status JournalKeeper::OpenJournal(const store::Journal::Visit& visit) {
  auto opened = store::Journal::Open(path(), {}, visit);
  if (!opened && opened.error().code != Code::kNoEntry) return opened.error();
  journal_ = opened ? std::move(*opened) : nullptr;
  return {};
}

Result<std::unique_ptr<sandbox::Sandbox>> JournalKeeper::Load() {
  std::vector<sandbox::SavedStep> steps;
  capture_.reset();
  PADDOCK_TRY(OpenJournal([&](const store::Journal::Record& record) -> Status {
    steps.push_back({.files = std::string(record.files), .state = std::string(record.state)});
    return {};
  }));
  if (journal_ == nullptr && has_beginning_) return Error(Code::kIo, path() + " is gone; what the sandbox began with is not known");
  if (journal_ == nullptr) return driver_.Create(spec_);
  PADDOCK_ASSIGN(std::unique_ptr<sandbox::Sandbox> live, Restore(journal_->base(), std::move(steps)));
  journal_->Park();
  return live;
}

Result<std::unique_ptr<sandbox::Sandbox>> JournalKeeper::Restore(const std::string& base, std::vector<sandbox::SavedStep> steps) {
  auto* restores = dynamic_cast<sandbox::Restores*>(&driver_);
  if (restores == nullptr) return Error(Code::kNotSupported, std::string(driver_.name()) + ": sandboxes of this isolation are not kept like that");
  sandbox::SavedSandbox saved{.base = nullptr, .steps = std::move(steps)};
  PADDOCK_ASSIGN(saved.base, bases_->Find(base));
  return restores->Restore(spec_, saved);
}

Status JournalKeeper::Begin(const std::string& base, sandbox::SavedStep step) {
  if (mkdir(directory_.c_str(), 0700) != 0 && errno != EEXIST) return HostError("cannot make " + directory_);
  PADDOCK_ASSIGN(journal_, store::Journal::Create(path(), {.base = base, .files = std::move(step.files), .state = std::move(step.state)}, {}));
  return {};
}

Status JournalKeeper::Keep(sandbox::Sandbox& sandbox) {
  auto* persistent = dynamic_cast<sandbox::Persistent*>(&sandbox);
  if (persistent == nullptr) return Error(Code::kNotSupported, "sandboxes of this isolation are not kept like that");
  PADDOCK_ASSIGN(sandbox::SavedStep step, persistent->CaptureStep());
  if (step.empty()) return {};
  if (journal_ == nullptr) {
    PADDOCK_ASSIGN(const std::string base, bases_->Keep(persistent->base()));
    PADDOCK_TRY(Begin(base, std::move(step)));
  } else {
    journal_->set_compact([&]() -> Result<store::Journal::Start> {
      PADDOCK_ASSIGN(sandbox::SavedStep whole, persistent->CaptureWhole());
      return store::Journal::Start{.base = journal_->base(), .files = std::move(whole.files), .state = std::move(whole.state)};
    });
    const Status appended = journal_->Append(step.files, step.state);
    journal_->set_compact({});   // `persistent` may be gone at the next one
    PADDOCK_TRY(appended);
  }
  persistent->MarkSaved();
  return {};
}

Status JournalKeeper::Settle(sandbox::Sandbox& sandbox) {
  PADDOCK_TRY(Keep(sandbox));
  capture_.reset();
  if (journal_ != nullptr) journal_->Park();
  return {};
}

Result<SavedState> JournalKeeper::Capture(sandbox::Sandbox& live, trees::Session& session) {
  auto* persistent = dynamic_cast<sandbox::Persistent*>(&live);
  if (persistent == nullptr) return Error(Code::kNotSupported, "sandboxes of this isolation are not kept like that");
  PADDOCK_ASSIGN(std::shared_ptr<const vfs::MemoryVolume> files, persistent->CaptureFiles());
  SavedState state;
  PADDOCK_ASSIGN(state.shell, persistent->CaptureState());
  if (capture_ == nullptr) capture_ = std::make_unique<trees::MemoryCapture>();
  PADDOCK_ASSIGN(const trees::Captured captured, capture_->Capture(session, *files));
  state.files = captured.tree;
  state.totals = captured.totals;
  bases_->Remember(state.files.ToString(), std::move(files));
  return state;
}

Status JournalKeeper::Become(const SavedState& state) {
  capture_.reset();
  if (journal_ == nullptr) PADDOCK_TRY(OpenJournal([](const store::Journal::Record&) -> Status { return {}; }));
  const std::string base = state.files.ToString();
  if (journal_ == nullptr) PADDOCK_TRY(Begin(base, {.files = {}, .state = state.shell}));
  else PADDOCK_TRY(journal_->Restart({.base = base, .files = {}, .state = state.shell}));
  journal_->Park();
  return {};
}

Result<std::optional<trees::ObjectId>> JournalKeeper::Tree() {
  std::string base;
  if (journal_ != nullptr) {
    base = journal_->base();
  } else {
    auto read = store::Journal::BaseOf(path());
    if (!read && read.error().code == Code::kNoEntry) return std::optional<trees::ObjectId>();
    if (!read) return read.error();
    base = std::move(*read);
  }
  PADDOCK_ASSIGN(const trees::ObjectId tree, trees::ObjectId::Parse(base));
  return std::optional(tree);
}

Status JournalKeeper::Remove() {
  journal_.reset();
  if (unlink(path().c_str()) != 0 && errno != ENOENT && errno != ENOTDIR) return HostError("cannot remove " + path());
  if (rmdir(directory_.c_str()) != 0 && errno != ENOENT) return HostError("cannot remove " + directory_);
  return {};
}

}  // namespace paddock::registry
