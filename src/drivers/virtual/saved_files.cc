#include "drivers/virtual/saved_files.h"

#include "base/packed.h"

namespace paddock::sandbox {
namespace {

constexpr uint64_t kMaxTrees = 1024;

Error Damaged() { return Error(Code::kInvalid, "saved files of a sandbox are damaged, or of one with other mounts"); }

}  // namespace

Result<SavedFiles::Steps> SavedFiles::Split(const std::vector<SavedStep>& steps) {
  Steps result;
  for (const SavedStep& step : steps) {
    PackedReader in(step.files);
    uint64_t next = 0;
    while (in.ok() && !in.at_end()) {
      const uint64_t tree = in.Number(kMaxTrees);
      const std::string_view changes = in.Bytes();
      if (tree < next || changes.empty()) in.Fail();
      if (!in.ok()) return Damaged();
      next = tree + 1;
      if (result.size() <= tree) result.resize(tree + 1);
      result[tree].push_back(changes);
    }
    if (!in.ok()) return Damaged();
  }
  return result;
}

Status SavedFiles::Add(std::shared_ptr<vfs::MemoryVolume> volume, std::shared_ptr<const vfs::BaseTree> base,
                       const Steps& steps) {
  const size_t number = trees_.size();
  Tree& tree = trees_.emplace_back(Tree{.volume = std::move(volume), .base = std::move(base), .saved = {}, .captured = {}});
  if (number >= steps.size() || steps[number].empty()) return {};
  for (const std::string_view bytes : steps[number]) {
    PADDOCK_ASSIGN(const vfs::TreeChanges changes, vfs::DecodeChanges(bytes, extents_.get()));
    PADDOCK_TRY(vfs::ApplyChanges(changes, *tree.volume));
  }
  tree.saved = tree.volume->Fork();
  return {};
}

Status SavedFiles::CheckAllUsed(const Steps& steps) const { return steps.size() <= trees_.size() ? Status() : Damaged(); }

Result<std::string> SavedFiles::Capture(Since since) {
  std::string bytes;
  PackedWriter out(bytes);
  for (size_t i = 0; i < trees_.size(); ++i) {
    Tree& tree = trees_[i];
    const vfs::MemoryVolume& saved = tree.saved ? *tree.saved : tree.base->volume();
    PADDOCK_ASSIGN(vfs::TreeChanges changes, vfs::ChangesBetween(saved, *tree.volume));
    tree.captured = changes.empty() ? nullptr : tree.volume->Fork();
    if (since == Since::kBase) {
      PADDOCK_ASSIGN(changes, vfs::ChangesBetween(tree.base->volume(), *tree.volume));
    }
    if (changes.empty()) continue;
    out.Number(i);
    out.Bytes(vfs::EncodeChanges(changes, extents_.get()));
  }
  return bytes;
}

std::string SavedFiles::StepOf(std::string_view changes) {
  std::string bytes;
  if (changes.empty()) return bytes;
  PackedWriter out(bytes);
  out.Number(0);
  out.Bytes(changes);
  return bytes;
}

Result<std::vector<vfs::ExtentName>> SavedFiles::ExtentsOf(const SavedStep& step) {
  std::vector<vfs::ExtentName> names;
  const std::vector<SavedStep> one{step};   // the steps are views into it
  PADDOCK_ASSIGN(const Steps steps, Split(one));
  for (const auto& tree : steps) {
    for (const std::string_view bytes : tree) {
      PADDOCK_ASSIGN(std::vector<vfs::ExtentName> some, vfs::ExtentsOf(bytes));
      names.insert(names.end(), some.begin(), some.end());
    }
  }
  return names;
}

void SavedFiles::MarkSaved() {
  for (Tree& tree : trees_) {
    if (tree.captured) tree.saved = std::move(tree.captured);
    tree.captured = nullptr;
  }
}

}  // namespace paddock::sandbox
