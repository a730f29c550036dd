#include "registry/journal_keeper.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <set>

#include "base/descriptor.h"

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

Result<SavedState> JournalKeeper::Capture(sandbox::Sandbox* live, trees::Session& session) {
  auto* persistent = dynamic_cast<sandbox::Persistent*>(live);
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
  const bool is_beginning = journal_ == nullptr && has_beginning_;
  if (!is_beginning) PADDOCK_TRY(KeepOrigin());
  if (journal_ == nullptr) PADDOCK_TRY(Begin(base, {.files = {}, .state = state.shell}));
  else PADDOCK_TRY(journal_->Restart({.base = base, .files = {}, .state = state.shell}));
  journal_->Park();
  return {};
}

Result<std::shared_ptr<const void>> JournalKeeper::Share(const SavedState& state) {
  PADDOCK_ASSIGN(const std::shared_ptr<const vfs::BaseTree> base, bases_->Find(state.files.ToString()));
  return std::shared_ptr<const void>(base);
}

Result<std::string> JournalKeeper::BaseOfJournal() {
  if (journal_ != nullptr) return journal_->base();
  auto read = store::Journal::BaseOf(path());
  if (!read && read.error().code == Code::kNoEntry) return std::string();
  return read;
}

Result<std::string> JournalKeeper::Origin() {
  const Descriptor file(open(origin_path().c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open() && errno == ENOENT) return BaseOfJournal();
  if (!file.is_open()) return HostError("cannot open " + origin_path());
  char text[128];
  const ssize_t size = read(file.get(), text, sizeof text);
  if (size < 0) return HostError("cannot read " + origin_path());
  std::string base(text, static_cast<size_t>(size));
  if (!trees::ObjectId::Parse(base)) return Error(Code::kIo, origin_path() + " is damaged");
  return base;
}

Status JournalKeeper::KeepOrigin() {
  if (access(origin_path().c_str(), F_OK) == 0) return {};
  PADDOCK_ASSIGN(std::string base, BaseOfJournal());
  if (base.empty()) {
    PADDOCK_ASSIGN(const std::unique_ptr<sandbox::Sandbox> fresh, driver_.Create(spec_));
    auto* persistent = dynamic_cast<sandbox::Persistent*>(fresh.get());
    if (persistent == nullptr) return Error(Code::kNotSupported, "sandboxes of this isolation are not kept like that");
    PADDOCK_ASSIGN(base, bases_->Keep(persistent->base()));
  }
  if (mkdir(directory_.c_str(), 0700) != 0 && errno != EEXIST) return HostError("cannot make " + directory_);
  const std::string draft = origin_path() + ".new";
  const Descriptor file(open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file.is_open()) return HostError("cannot make " + draft);
  if (write(file.get(), base.data(), base.size()) != static_cast<ssize_t>(base.size()) || fdatasync(file.get()) != 0 ||
      rename(draft.c_str(), origin_path().c_str()) != 0) {
    return HostError("cannot write " + origin_path());
  }
  return {};
}

Result<trees::ObjectId> JournalKeeper::CaptureCreation(trees::Session& session) {
  if (creation_ && session.Touch(*creation_)) return *creation_;
  PADDOCK_ASSIGN(const std::string base, Origin());
  // What the driver makes of it: a working directory, too.
  PADDOCK_ASSIGN(const std::unique_ptr<sandbox::Sandbox> fresh, base.empty() ? driver_.Create(spec_) : Restore(base, {}));
  auto* persistent = dynamic_cast<sandbox::Persistent*>(fresh.get());
  if (persistent == nullptr) return Error(Code::kNotSupported, "sandboxes of this isolation are not kept like that");
  PADDOCK_ASSIGN(const std::shared_ptr<const vfs::MemoryVolume> files, persistent->CaptureFiles());
  PADDOCK_ASSIGN(const trees::Captured captured, trees::MemoryCapture().Capture(session, *files));
  creation_ = captured.tree;
  return captured.tree;
}

Result<std::vector<trees::ObjectId>> JournalKeeper::Trees() {
  std::vector<trees::ObjectId> trees;
  PADDOCK_ASSIGN(const std::string base, BaseOfJournal());
  PADDOCK_ASSIGN(const std::string origin, Origin());
  for (const std::string& name : std::set{base, origin}) {
    if (name.empty()) continue;
    PADDOCK_ASSIGN(const trees::ObjectId tree, trees::ObjectId::Parse(name));
    trees.push_back(tree);
  }
  return trees;
}

Status JournalKeeper::Remove() {
  journal_.reset();
  for (const std::string& file : {path(), origin_path(), origin_path() + ".new"}) {
    if (unlink(file.c_str()) != 0 && errno != ENOENT && errno != ENOTDIR) return HostError("cannot remove " + file);
  }
  if (rmdir(directory_.c_str()) != 0 && errno != ENOENT) return HostError("cannot remove " + directory_);
  return {};
}

}  // namespace paddock::registry
