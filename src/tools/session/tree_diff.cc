#include "tools/session/tree_diff.h"

#include <algorithm>

#include "text/diff/unified_diff.h"
#include "text/repair_utf8.h"
#include "text/utf8.h"

namespace paddock::tools {
namespace {

using vfs::Attributes;
using vfs::FileSystem;
using vfs::FileType;
using vfs::Follow;

constexpr uint64_t kMostCompared = 8u << 20;
constexpr uint64_t kMostPatched = 256u << 10;
constexpr size_t kMostEntries = 1'000'000;

class Walk {
 public:
  Walk(FileSystem& before, FileSystem& after, const DiffRequest& request) : before_(before), after_(after), request_(request) {}

  DiffOutcome Run() {
    const std::string below = vfs::NormalizePath(request_.below.empty() ? "/" : request_.below);
    pending_.push_back(below);
    while (!pending_.empty() && outcome_.is_complete) {
      const std::string path = std::move(pending_.back());
      pending_.pop_back();
      Compare(path);
    }
    std::sort(outcome_.changes.begin(), outcome_.changes.end(),
              [](const FileChange& a, const FileChange& b) { return a.path < b.path; });
    return std::move(outcome_);
  }

 private:
  void Compare(const std::string& path) {
    if (path == "/proc" || path == "/dev" || path == "/sys") return;
    if (++seen_ > kMostEntries) {
      outcome_.is_complete = false;
      return;
    }
    const auto a = before_.Stat(path, Follow::kNo);
    const auto b = after_.Stat(path, Follow::kNo);
    if (!a && !b) return;
    if (!a || !b) {
      Add(path, a ? ChangeKind::kRemoved : ChangeKind::kAdded, a ? *a : Attributes{}, b ? *b : Attributes{});
      // A new tree is told entry by entry, a removed one by its root.
      if (b && b->is_directory()) Descend(path);
      return;
    }
    if (a->type != b->type) {
      Add(path, ChangeKind::kRetyped, *a, *b);
      if (b->is_directory()) Descend(path);
      return;
    }
    if (a->is_directory()) Descend(path);
    else if (!IsSame(path, *a, *b)) Add(path, ChangeKind::kModified, *a, *b);
    if (a->is_directory() && a->mode != b->mode) Add(path, ChangeKind::kModified, *a, *b);
  }

  void Descend(const std::string& path) {
    std::vector<std::string> names;
    for (FileSystem* const files : {&before_, &after_}) {
      if (const auto listed = files->List(path)) {
        for (const vfs::DirectoryEntry& entry : *listed) names.push_back(entry.name);
      }
    }
    std::sort(names.begin(), names.end(), std::greater<>());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (const std::string& name : names) pending_.push_back(vfs::JoinPath(path, name));
  }

  bool IsSame(const std::string& path, const Attributes& a, const Attributes& b) {
    if (a.mode != b.mode || a.uid != b.uid || a.gid != b.gid) return false;
    if (a.type == FileType::kSymlink) return before_.ReadLink(path).value_or("") == after_.ReadLink(path).value_or("");
    if (!a.is_file()) return a.special == b.special;
    if (a.size != b.size) return false;
    // Both trees come from one: what was not written has the time it had.
    if (a.modify_time == b.modify_time && a.change_time == b.change_time) return true;
    if (a.size > kMostCompared) return false;
    const auto old_text = vfs::ReadFile(before_, path, kMostCompared);
    const auto new_text = vfs::ReadFile(after_, path, kMostCompared);
    return old_text && new_text && *old_text == *new_text;
  }

  void Add(const std::string& path, ChangeKind kind, const Attributes& a, const Attributes& b) {
    if (outcome_.changes.size() >= request_.most) {
      outcome_.is_complete = false;
      return;
    }
    FileChange change{.path = path, .kind = kind, .type = kind == ChangeKind::kRemoved ? a.type : b.type, .size_before = a.size, .size_after = b.size, .patch = {}};
    const bool is_text_file = change.type == FileType::kFile && kind != ChangeKind::kRetyped;
    if (request_.wants_patch && is_text_file) change.patch = Patch(path, kind);
    outcome_.changes.push_back(std::move(change));
  }

  std::string Patch(const std::string& path, ChangeKind kind) {
    const auto old_text = kind == ChangeKind::kAdded ? Result<std::string>(std::string()) : vfs::ReadFile(before_, path, kMostPatched);
    const auto new_text = kind == ChangeKind::kRemoved ? Result<std::string>(std::string()) : vfs::ReadFile(after_, path, kMostPatched);
    if (!old_text || !new_text || LooksBinary(*old_text) || LooksBinary(*new_text)) return {};
    return RepairUtf8(HunksText(*old_text, *new_text));
  }

  FileSystem& before_;
  FileSystem& after_;
  const DiffRequest& request_;
  std::vector<std::string> pending_;
  size_t seen_ = 0;
  DiffOutcome outcome_;
};

}  // namespace

DiffOutcome DiffTrees(FileSystem& before, FileSystem& after, const DiffRequest& request) { return Walk(before, after, request).Run(); }

}  // namespace paddock::tools
