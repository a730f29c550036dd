// How the files of a registry's sandbox are watched: by the wall's own kernel, or by looking again and again where there is none.
#include "registry/entry/sandbox_entry.h"
#include "registry/entry/scan_watch.h"

namespace paddock::registry {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kTurnTime = std::chrono::milliseconds(20);   // to wait for a moment to look
constexpr auto kRetry = std::chrono::milliseconds(500);     // after a moment that did not come
constexpr int kRest = 10;                                   // times as long as a look takes, before the next one

}  // namespace

// Ends with the living sandbox that it watches.
class SandboxEntry::LiveWatch final : public sandbox::FileWatch {
 public:
  LiveWatch(std::shared_ptr<SandboxEntry> entry, std::weak_ptr<sandbox::Sandbox> live, std::shared_ptr<void> use, std::unique_ptr<sandbox::FileWatch> inner)
      : entry_(std::move(entry)), live_(std::move(live)), use_(std::move(use)), inner_(std::move(inner)) {}
  Result<std::vector<sandbox::FileEvent>> Take() override {
    {
      const std::lock_guard lock(entry_->mutex_);
      if (entry_->live_ == nullptr || entry_->live_ != live_.lock()) return Error(Code::kUnavailable, entry_->id_ + " was put to rest, or became another");
    }
    return inner_->Take();
  }

 private:
  const std::shared_ptr<SandboxEntry> entry_;
  const std::weak_ptr<sandbox::Sandbox> live_;
  const std::shared_ptr<void> use_;
  const std::unique_ptr<sandbox::FileWatch> inner_;
};

// kBusy: not now.
Status SandboxEntry::LookAt(const std::weak_ptr<sandbox::Sandbox>& watched, const std::function<Status(vfs::FileSystem&)>& body) {
  const std::shared_ptr<sandbox::Sandbox> live = watched.lock();
  if (live == nullptr) return Error(Code::kUnavailable, id_ + " was put to rest");
  const Hold hold = TakeHold(*live, Clock::now() + kTurnTime);
  if (!hold) return Code::kBusy;
  auto* files = dynamic_cast<sandbox::HasFiles*>(live.get());
  if (files == nullptr) return Error(Code::kNotSupported, id_ + ": this isolation shows no files");
  return body(files->files());
}

Result<std::unique_ptr<sandbox::FileWatch>> SandboxEntry::WatchFiles(const std::string& path, bool is_recursive) {
  std::shared_ptr<void> use = BeginUse();
  PADDOCK_ASSIGN(const std::shared_ptr<sandbox::Sandbox> live, Live());
  const std::weak_ptr<sandbox::Sandbox> watched = live;
  std::unique_ptr<sandbox::FileWatch> inner;
  if (auto* watches = dynamic_cast<sandbox::WatchesFiles*>(live.get())) {
    PADDOCK_ASSIGN(inner, watches->Watch(path, is_recursive));
  } else {
    if (!IsSerial(*live)) return Error(Code::kNotSupported, id_ + ": files of this isolation cannot be watched");
    struct State {
      uint64_t version = 0;
      bool has_looked = false;
      Clock::time_point next{};
    };
    auto look = [entry = weak_from_this(), watched, state = std::make_shared<State>()](const std::function<Status(vfs::FileSystem&)>& body) -> Status {
      const std::shared_ptr<SandboxEntry> self = entry.lock();
      if (self == nullptr) return Error(Code::kUnavailable, "the sandbox is gone");
      const uint64_t version = self->files_version_;
      const bool runs = self->ledger_.is_active();
      const auto began = Clock::now();
      if (state->has_looked && ((version == state->version && !runs) || began < state->next)) return Code::kBusy;
      const Status looked = self->LookAt(watched, body);
      if (!looked) {
        state->next = Clock::now() + kRetry;
        return looked;
      }
      state->has_looked = true;
      state->version = version;
      state->next = Clock::now() + (Clock::now() - began) * kRest;
      return {};
    };
    // The first look waits for its moment, like other uses of files.
    const auto until = Clock::now() + std::chrono::seconds(10);
    while (true) {   // each time waits for a moment itself
      auto scan = ScanWatch::Make(look, path, is_recursive);
      if (!scan && scan.error().code == Code::kBusy && Clock::now() < until) continue;
      if (!scan && scan.error().code == Code::kBusy) return Error(Code::kTimedOut, id_ + " runs something else; wait for it, or end it");
      if (!scan) return scan.error();
      inner = std::move(*scan);
      break;
    }
  }
  return std::unique_ptr<sandbox::FileWatch>(std::make_unique<LiveWatch>(shared_from_this(), watched, std::move(use), std::move(inner)));
}

}  // namespace paddock::registry
