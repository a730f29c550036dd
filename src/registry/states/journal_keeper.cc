#include "registry/states/journal_keeper.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <set>

#include "base/descriptor.h"
#include "registry/host_error.h"

namespace paddock::registry {
namespace {

constexpr uint64_t kLeastGarbage = 16 << 20;

// The longest step that a fork begins with. Above it another base costs less: that is O(files), and so are these bytes.
uint64_t MostStep(const vfs::MemoryVolume& files) { return std::max<uint64_t>(32 << 10, files.Space().used_inodes * 16); }

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
  mirror_.reset();
  const auto* restores = dynamic_cast<sandbox::Restores*>(&driver_);
  PADDOCK_TRY(OpenJournal([&](const store::Journal::Record& record) -> Status {
    steps.push_back({.files = std::string(record.files), .state = std::string(record.state)});
    if (restores == nullptr) return {};
    PADDOCK_ASSIGN(const std::vector<vfs::ExtentName> extents, restores->ExtentsOf(steps.back()));
    if (std::all_of(extents.begin(), extents.end(), [&](const vfs::ExtentName& name) { return extents_->IsThere(name); })) return {};
    // A loss of power took them, and what came later, too: as a torn end.
    steps.pop_back();
    return Code::kAgain;
  }));
  if (journal_ == nullptr && has_beginning_) return Error(Code::kIo, path() + " is gone; what the sandbox began with is not known");
  PADDOCK_ASSIGN(std::unique_ptr<sandbox::Sandbox> live, journal_ == nullptr ? Restore({}, {}) : Restore(journal_->base(), std::move(steps)));
  if (journal_ != nullptr) journal_->Park();
  extents_->SweepStrangers();
  return live;
}

Result<std::unique_ptr<sandbox::Sandbox>> JournalKeeper::Restore(const std::string& base, std::vector<sandbox::SavedStep> steps) {
  auto* restores = dynamic_cast<sandbox::Restores*>(&driver_);
  if (restores == nullptr && base.empty()) return driver_.Create(spec_);
  if (restores == nullptr) return Error(Code::kNotSupported, std::string(driver_.name()) + ": sandboxes of this isolation are not kept like that");
  sandbox::SavedSandbox saved{.base = nullptr, .steps = std::move(steps), .extents = extents_};
  if (!base.empty()) {
    PADDOCK_ASSIGN(saved.base, bases_->Find(base));
  }
  return restores->Restore(spec_, saved);
}

Status JournalKeeper::MakeDirectory() {
  if (mkdir(directory_.c_str(), 0700) != 0 && errno != EEXIST) return HostError("cannot make " + directory_);
  return {};
}

Status JournalKeeper::Begin(const std::string& base, sandbox::SavedStep step) {
  PADDOCK_TRY(MakeDirectory());
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
    bool is_whole = false;
    journal_->set_compact([&]() -> Result<store::Journal::Start> {
      is_whole = true;
      return Whole(*persistent);
    });
    const Status appended = journal_->Append(step.files, step.state);
    journal_->set_compact({});   // `persistent` may be gone at the next one
    PADDOCK_TRY(appended);
    is_whole &= journal_->compaction().has_value();
    extents_->Sweep(is_whole);
  }
  persistent->MarkSaved();
  return DropOldExtents(*persistent);
}

Result<store::Journal::Start> JournalKeeper::Whole(sandbox::Persistent& persistent) {
  PADDOCK_ASSIGN(sandbox::SavedStep whole, persistent.CaptureWhole());
  PADDOCK_TRY(extents_->Sync());   // the journal that is replaced may be safe on the disk
  return store::Journal::Start{.base = journal_->base(), .files = std::move(whole.files), .state = std::move(whole.state)};
}

Status JournalKeeper::DropOldExtents(sandbox::Persistent& persistent) {
  const uint64_t garbage = extents_->garbage_bytes();
  if (garbage < kLeastGarbage || garbage < extents_->bytes() - garbage) return {};
  const auto whole = Whole(persistent);
  // What was to be kept is kept; the next one tries again.
  if (whole && journal_->Restart(*whole)) extents_->Sweep(true);
  return {};
}

Result<vfs::ExtentPtr> JournalKeeper::TakeExtent(sandbox::Sandbox& live, int file, uint64_t size, uint32_t checksum) {
  auto* persistent = dynamic_cast<sandbox::Persistent*>(&live);
  if (persistent == nullptr) return Error(Code::kNotSupported, "sandboxes of this isolation take no extents");
  PADDOCK_ASSIGN(const std::shared_ptr<const vfs::MemoryVolume> files, persistent->CaptureFiles());
  const vfs::SpaceInfo space = files->Space();
  if (size > space.total_bytes - std::min(space.total_bytes, space.used_bytes)) return Error(Code::kNoSpace);
  if (size < ExtentFiles::kLeastBytes) return Error(Code::kInvalid, "a copy costs less");
  extents_->Sweep(false);
  // A chunk that is left keeps all of its extent: so what they take on the disk is bounded by the sandbox's own, and what is more is copied.
  if (extents_->bytes() + size > 2 * spec_.disk_bytes) return Error(Code::kNoSpace, "too many extents");
  PADDOCK_TRY(MakeDirectory());
  return extents_->Take(file, size, checksum);
}

Status JournalKeeper::Settle(sandbox::Sandbox& sandbox) {
  PADDOCK_TRY(Keep(sandbox));
  capture_.reset();
  mirror_.reset();
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

Result<SavedState> JournalKeeper::CaptureToFork(sandbox::Sandbox* live, trees::Session& session) {
  auto* persistent = dynamic_cast<sandbox::Persistent*>(live);
  if (persistent == nullptr) return Error(Code::kNotSupported, "sandboxes of this isolation are not kept like that");
  PADDOCK_ASSIGN(const std::shared_ptr<const vfs::MemoryVolume> files, persistent->CaptureFiles());
  const uint64_t most = MostStep(*files);
  SavedState state;
  // From its own base, when the way is short.
  if (extents_->bytes() == 0 && (journal_ == nullptr || journal_->bytes() <= most)) {   // extents are not the fork's
    PADDOCK_ASSIGN(const std::string base, journal_ != nullptr ? Result<std::string>(journal_->base()) : bases_->Keep(persistent->base()));
    PADDOCK_ASSIGN(state.files, trees::ObjectId::Parse(base));
    PADDOCK_ASSIGN(sandbox::SavedStep whole, persistent->CaptureWhole());
    if (whole.files.size() <= most && session.Touch(state.files)) {
      state.step = std::move(whole.files);
      state.shell = std::move(whole.state);
      return state;
    }
  }
  // From the base of the fork before.
  if (mirror_ != nullptr && session.Touch(mirror_tree_) && mirror_->Follow(*files)) {
    const auto changes = mirror_->Changes(most);
    if (changes && changes->size() <= most) {
      PADDOCK_ASSIGN(state.shell, persistent->CaptureState());
      state.files = mirror_tree_;
      state.step = persistent->FilesStep(*changes);
      return state;
    }
  }
  mirror_.reset();
  PADDOCK_ASSIGN(state, Capture(live, session));
  mirror_ = std::make_unique<vfs::BaseMirror>(*files);
  mirror_tree_ = state.files;
  bases_->Remember(state.files.ToString(), files, mirror_->base());
  return state;
}

Status JournalKeeper::Become(const SavedState& state) {
  capture_.reset();
  mirror_.reset();
  if (journal_ == nullptr) PADDOCK_TRY(OpenJournal([](const store::Journal::Record&) -> Status { return {}; }));
  const std::string base = state.files.ToString();
  const bool is_beginning = journal_ == nullptr && has_beginning_;
  if (!is_beginning) {
    PADDOCK_TRY(KeepOrigin());
  } else if (!state.step.empty()) {
    PADDOCK_TRY(MakeDirectory());
    PADDOCK_TRY(WriteOrigin(base, state.step, false));
  }
  if (journal_ == nullptr) PADDOCK_TRY(Begin(base, {.files = state.step, .state = state.shell}));
  else PADDOCK_TRY(journal_->Restart({.base = base, .files = state.step, .state = state.shell}));
  journal_->Park();
  extents_->ForgetNames();
  extents_->Sweep(true);
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

Result<std::string> JournalKeeper::Origin(std::string* step) {
  const Descriptor file(open(origin_path().c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open() && errno == ENOENT) return BaseOfJournal();
  if (!file.is_open()) return HostError("cannot open " + origin_path());
  std::string text;
  char piece[4096];
  do {
    const ssize_t size = read(file.get(), piece, sizeof piece);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return HostError("cannot read " + origin_path());
    if (size == 0) break;
    text.append(piece, static_cast<size_t>(size));
  } while (step != nullptr);
  const size_t end = text.find('\n');
  if (step != nullptr && end != std::string::npos) *step = text.substr(end + 1);
  std::string base = text.substr(0, end);
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
  PADDOCK_TRY(MakeDirectory());
  return WriteOrigin(base, {}, true);
}

Status JournalKeeper::WriteOrigin(const std::string& base, const std::string& step, bool syncs) {
  const std::string draft = origin_path() + ".new", text = step.empty() ? base : base + "\n" + step;
  const Descriptor file(open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file.is_open()) return HostError("cannot make " + draft);
  for (size_t done = 0; done < text.size();) {
    const ssize_t wrote = write(file.get(), text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return HostError("cannot write " + draft);
    done += static_cast<size_t>(wrote);
  }
  if ((syncs && fdatasync(file.get()) != 0) || rename(draft.c_str(), origin_path().c_str()) != 0) return HostError("cannot write " + origin_path());
  return {};
}

Result<trees::ObjectId> JournalKeeper::CaptureCreation(trees::Session& session) {
  if (creation_ && session.Touch(*creation_)) return *creation_;
  std::string step;
  PADDOCK_ASSIGN(const std::string base, Origin(&step));
  std::vector<sandbox::SavedStep> steps;
  if (!step.empty()) steps.push_back({.files = std::move(step), .state = {}});
  // What the driver makes of it: a working directory, too.
  PADDOCK_ASSIGN(const std::unique_ptr<sandbox::Sandbox> fresh, base.empty() ? driver_.Create(spec_) : Restore(base, std::move(steps)));
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
  PADDOCK_TRY(extents_->Remove());
  for (const std::string& file : {path(), origin_path(), origin_path() + ".new"}) {
    if (unlink(file.c_str()) != 0 && errno != ENOENT && errno != ENOTDIR) return HostError("cannot remove " + file);
  }
  if (rmdir(directory_.c_str()) != 0 && errno != ENOENT) return HostError("cannot remove " + directory_);
  return {};
}

}  // namespace paddock::registry
