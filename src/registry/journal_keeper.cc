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

Result<std::unique_ptr<sandbox::Sandbox>> JournalKeeper::Load() {
  std::vector<sandbox::SavedStep> steps;
  auto opened = store::Journal::Open(path(), {}, [&](const store::Journal::Record& record) -> Status {
    steps.push_back({.files = std::string(record.files), .state = std::string(record.state)});
    return {};
  });
  if (!opened && opened.error().code != Code::kNoEntry) return opened.error();
  journal_ = opened ? std::move(*opened) : nullptr;
  if (journal_ == nullptr && base_.empty()) return driver_.Create(spec_);
  PADDOCK_ASSIGN(std::unique_ptr<sandbox::Sandbox> live, Restore(journal_ != nullptr ? journal_->base() : base_, std::move(steps)));
  if (journal_ != nullptr) journal_->Park();
  return live;
}

Result<std::unique_ptr<sandbox::Sandbox>> JournalKeeper::Restore(const std::string& base, std::vector<sandbox::SavedStep> steps) {
  auto* restores = dynamic_cast<sandbox::Restores*>(&driver_);
  if (restores == nullptr) return Error(Code::kNotSupported, std::string(driver_.name()) + ": sandboxes of this isolation are not kept like that");
  sandbox::SavedSandbox saved{.base = nullptr, .steps = std::move(steps)};
  PADDOCK_ASSIGN(saved.base, bases_->Find(base));
  return restores->Restore(spec_, saved);
}

Status JournalKeeper::Begin(const std::shared_ptr<const vfs::BaseTree>& base, sandbox::SavedStep step) {
  PADDOCK_ASSIGN(const std::string name, bases_->Keep(base));
  if (mkdir(directory_.c_str(), 0700) != 0 && errno != EEXIST) return HostError("cannot make " + directory_);
  PADDOCK_ASSIGN(journal_, store::Journal::Create(path(), {.base = name, .files = std::move(step.files), .state = std::move(step.state)}, {}));
  return {};
}

Status JournalKeeper::Keep(sandbox::Sandbox& sandbox) {
  auto* persistent = dynamic_cast<sandbox::Persistent*>(&sandbox);
  if (persistent == nullptr) return Error(Code::kNotSupported, "sandboxes of this isolation are not kept like that");
  PADDOCK_ASSIGN(sandbox::SavedStep step, persistent->CaptureStep());
  if (step.empty()) return {};
  if (journal_ == nullptr) {
    PADDOCK_TRY(Begin(persistent->base(), std::move(step)));
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
  if (journal_ != nullptr) journal_->Park();
  return {};
}

Status JournalKeeper::Remove() {
  journal_.reset();
  if (unlink(path().c_str()) != 0 && errno != ENOENT && errno != ENOTDIR) return HostError("cannot remove " + path());
  if (rmdir(directory_.c_str()) != 0 && errno != ENOENT) return HostError("cannot remove " + directory_);
  return {};
}

}  // namespace paddock::registry
