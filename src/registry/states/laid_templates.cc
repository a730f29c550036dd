#include "registry/states/laid_templates.h"

#include "store/trees/restore.h"

namespace paddock::registry {
namespace {

constexpr size_t kMostRemembered = 10'000;
constexpr vfs::Quota kUnbounded{.bytes = uint64_t{1} << 50, .inodes = uint64_t{1} << 32};   // the template was bounded

}  // namespace

Result<SavedState> LaidTemplates::Begin(trees::Session& session, const TemplateInfo& info) {
  const trees::TreeTotals& totals = info.state.totals;
  if (totals.content_bytes > kMostBytes || totals.entries > kMostEntries) {
    return Error(Code::kQuota, info.name + " has " + std::to_string(totals.content_bytes) + " bytes in " + std::to_string(totals.entries) +
                                   " files; a virtual sandbox has all of them in memory and takes 4 GiB in 1,000,000; choose another isolation");
  }
  const std::lock_guard lock(mutex_);
  const auto known = laid_.find(info.state.files);
  if (known != laid_.end() && session.Touch(known->second.files)) return known->second;
  if (!session.Touch(info.state.files)) return Error(Code::kIo, "tree " + info.state.files.ToString() + " of " + info.id + " is not in the store");
  PADDOCK_ASSIGN(std::shared_ptr<vfs::MemoryVolume> files, trees::RestoreMemory(session.store(), info.state.files, SystemClock(), kUnbounded));
  PADDOCK_TRY(driver_.Lay(files));
  PADDOCK_ASSIGN(const trees::Captured captured, trees::Capture(session, *files));
  PADDOCK_TRY(session.Finish());
  SavedState state{.files = captured.tree, .totals = captured.totals, .shell = {}};
  bases_->Remember(state.files.ToString(), std::move(files));
  if (laid_.size() >= kMostRemembered) laid_.clear();
  laid_[info.state.files] = state;
  return state;
}

}  // namespace paddock::registry
