#include "registry/states/state_diff.h"

#include "store/trees/content.h"
#include "text/diff/unified_diff.h"
#include "text/repair_utf8.h"
#include "vfs/file_system.h"

namespace paddock::registry {
namespace {

constexpr uint64_t kMostPatched = 256 << 10;   // of each text
constexpr size_t kMostPatches = 4 << 20;       // all together
constexpr size_t kMostPatchedFiles = 200;

bool IsFile(const std::optional<trees::Entry>& entry) {
  return entry && entry->type == vfs::FileType::kFile;
}

// Empty for what is no text, or too large.
std::string PatchOf(trees::Store& store, const trees::TreeChange& change) {
  if ((change.before && !IsFile(change.before)) || (change.after && !IsFile(change.after))) return {};
  const auto text_of = [&](const std::optional<trees::Entry>& entry) -> Result<std::string> {
    if (!entry) return std::string();
    return trees::ReadWhole(store, entry->content, kMostPatched);
  };
  const auto before = text_of(change.before), after = text_of(change.after);
  if (!before || !after || LooksBinary(*before) || LooksBinary(*after)) return {};
  return RepairUtf8(HunksText(*before, *after));
}

StateChange ChangeOf(const trees::TreeChange& change) {
  StateChange told;
  told.path = "/" + change.path;
  told.kind = !change.before                            ? StateChangeKind::kAdded
              : !change.after                           ? StateChangeKind::kRemoved
              : (change.parts & trees::TreeChange::kType) != 0 ? StateChangeKind::kRetyped
                                                        : StateChangeKind::kModified;
  told.type = change.after ? change.after->type : change.before->type;
  if (IsFile(change.before)) told.size_before = change.before->content.size;
  if (IsFile(change.after)) told.size_after = change.after->content.size;
  if (change.before) told.mode_before = change.before->mode;
  if (change.after) told.mode_after = change.after->mode;
  return told;
}

}  // namespace

Result<StateDiff> DiffStates(trees::Store& store, const trees::ObjectId& before, const trees::ObjectId& after, const StateDiffRequest& request) {
  StateDiff diff;
  const std::string below = vfs::NormalizePath(request.below.empty() ? "/" : request.below);
  const std::string inside = below == "/" ? below : below + "/";
  size_t patched = 0, patched_files = 0;
  std::string removed;   // the last removed directory that was told, and a slash
  const Status visited = trees::DiffTrees(store, before, after, {.reports_times = false}, [&](const trees::TreeChange& change) -> Status {
    const std::string path = "/" + change.path;
    if (path != below && !path.starts_with(inside)) return {};
    if (!change.after && request.tells_removed_once) {
      if (!removed.empty() && path.starts_with(removed)) return {};
      removed = path + "/";
    }
    if (diff.changes.size() >= request.most) {
      diff.is_complete = false;
      return Error(Code::kLimit);
    }
    StateChange told = ChangeOf(change);
    if (request.wants_patches && patched < kMostPatches && patched_files < kMostPatchedFiles) {
      told.patch = PatchOf(store, change);
      ++patched_files;
    }
    patched += told.patch.size();
    diff.changes.push_back(std::move(told));
    return {};
  });
  if (!visited && diff.is_complete) return visited.error();
  return diff;
}

}  // namespace paddock::registry
