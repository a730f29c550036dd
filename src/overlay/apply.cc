#include "overlay/apply.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>

#include "base/random.h"
#include "overlay/copy_file.h"
#include "overlay/upper.h"

namespace paddock::overlay {
namespace {

constexpr const char* kChangedMeanwhile = "changed in the workspace just now";

Error Failure(int code) { return Error(static_cast<Code>(code), std::strerror(code)); }
Status Check(int result) { return result == 0 ? Status() : Status(Failure(errno)); }

std::string DescriptorPath(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

std::string TemporaryName() {
  std::array<uint8_t, 8> bytes{};
  FillRandom(bytes);
  std::string name = ".paddock-apply-";
  for (const uint8_t byte : bytes) {
    name += "0123456789abcdef"[byte >> 4];
    name += "0123456789abcdef"[byte & 15];
  }
  return name;
}

class Applier {
 public:
  Applier(int workspace, int upper, const OverlayInfo& info) : workspace_(workspace), upper_(upper), info_(info) {}

  ApplyReport Run(const std::vector<Change>& changes) {
    // What goes away goes first, the deepest before what holds it; then what comes, parents before children.
    for (auto at = changes.rbegin(); at != changes.rend(); ++at) {
      if (at->kind == Change::Kind::kDeleted) Do(*at, Remove(*at));
      if (report_.is_cut_short) return std::move(report_);
    }
    for (const Change& change : changes) {
      if (change.kind == Change::Kind::kDeleted) continue;
      Do(change, change.after.is_directory() ? PutDirectory(change) : change.kind == Change::Kind::kMode ? PutMode(change) : PutContent(change));
      if (report_.is_cut_short) return std::move(report_);
    }
    // Modes of directories last, and from the inside: one may shut its owner out.
    for (auto at = directory_modes_.rbegin(); at != directory_modes_.rend(); ++at) {
      if (Status set = SetMode(at->path, at->mode); !set) report_.failures.push_back({at->path, "mode: " + std::string(set.error().Text())});
    }
    if (syncfs(workspace_) != 0) report_.failures.push_back({"", "cannot be written to the disk: " + std::string(std::strerror(errno))});
    return std::move(report_);
  }

 private:
  void Do(const Change& change, const Status& done) {
    if (done) {
      ++report_.applied;
      return;
    }
    const Code code = done.error().code;
    report_.is_cut_short = code == Code::kNoSpace || code == Code::kQuota || code == Code::kIo || code == Code::kReadOnly;
    report_.failures.push_back({change.path, std::string(done.error().Text())});
  }

  Result<Descriptor> OpenParent(const std::string& path) const { return OpenBeneath(workspace_, ParentOf(path), O_PATH | O_DIRECTORY); }

  // What is there is still what the change was found against.
  Status CheckUnchanged(const Change& change) const {
    PADDOCK_ASSIGN(const FileFacts now, FactsAt(workspace_, change.path));
    // A directory's own times change with what is done in it.
    const bool is_same = change.before.is_directory() ? now.is_directory() && now.inode == change.before.inode : now.IsSameAs(change.before);
    if (!is_same) return Error(Code::kBusy, kChangedMeanwhile);
    return {};
  }

  Status Remove(const Change& change) {
    PADDOCK_TRY(CheckUnchanged(change));
    PADDOCK_ASSIGN(const Descriptor parent, OpenParent(change.path));
    const std::string name(NameOf(change.path));
    if (unlinkat(parent.get(), name.c_str(), change.before.is_directory() ? AT_REMOVEDIR : 0) == 0) return {};
    if (errno == ENOTEMPTY) return Error(Code::kNotEmpty, "not empty: something in it stays");
    return Failure(errno);
  }

  // As root, new files belong to the workspace's owner.
  Status SetOwner(int descriptor, const FileFacts& before) const {
    if (geteuid() != 0) return {};
    const uid_t uid = before.exists() ? before.uid : info_.owner;
    const gid_t gid = before.exists() ? before.gid : info_.group;
    return Check(fchownat(descriptor, "", uid, gid, AT_EMPTY_PATH));
  }

  Status SetMode(const std::string& path, uint32_t mode) const {
    PADDOCK_ASSIGN(const Descriptor target, OpenBeneath(workspace_, path, O_PATH | O_NOFOLLOW));
    PADDOCK_ASSIGN(const FileFacts facts, FactsOf(target.get(), path));
    if (facts.is_symlink()) return Error(Code::kBusy, kChangedMeanwhile);
    return Check(chmod(DescriptorPath(target.get()).c_str(), mode & 07777));
  }

  Status PutDirectory(const Change& change) {
    PADDOCK_TRY(CheckUnchanged(change));
    if (!change.before.is_directory()) {
      PADDOCK_ASSIGN(const Descriptor parent, OpenParent(change.path));
      const std::string name(NameOf(change.path));
      if (change.before.exists()) PADDOCK_TRY(Check(unlinkat(parent.get(), name.c_str(), 0)));
      PADDOCK_TRY(Check(mkdirat(parent.get(), name.c_str(), 0700)));
      PADDOCK_ASSIGN(const Descriptor made, OpenBeneath(workspace_, change.path, O_RDONLY | O_DIRECTORY));
      PADDOCK_TRY(SetOwner(made.get(), {}));
      PADDOCK_ASSIGN(const FileFacts facts, FactsOf(made.get(), change.path));
      directory_modes_.push_back({change.path, change.after.mode | (facts.mode & S_ISGID)});
    } else {
      directory_modes_.push_back({change.path, change.after.mode});
    }
    return {};
  }

  Status PutMode(const Change& change) {
    PADDOCK_TRY(CheckUnchanged(change));
    return SetMode(change.path, change.after.mode);
  }

  Status PutContent(const Change& change) {
    PADDOCK_ASSIGN(const Descriptor parent, OpenParent(change.path));
    const std::string temporary = TemporaryName();
    if (Status made = change.after.is_symlink() ? MakeLink(change, parent.get(), temporary) : MakeFile(change, parent.get(), temporary); !made) {
      unlinkat(parent.get(), temporary.c_str(), 0);
      return made;
    }
    Status moved = CheckUnchanged(change);
    if (moved) moved = MoveIntoPlace(change, parent.get(), temporary);
    if (!moved) unlinkat(parent.get(), temporary.c_str(), 0);
    return moved;
  }

  Status MoveIntoPlace(const Change& change, int parent, const std::string& temporary) {
    const std::string name(NameOf(change.path));
    if (change.before.is_directory()) PADDOCK_TRY(Check(unlinkat(parent, name.c_str(), AT_REMOVEDIR)));
    const bool replaces = change.before.exists() && !change.before.is_directory();
    return Check(renameat2(parent, temporary.c_str(), parent, name.c_str(), replaces ? 0 : RENAME_NOREPLACE));
  }

  Status MakeLink(const Change& change, int parent, const std::string& temporary) {
    PADDOCK_ASSIGN(const std::string target, LinkTarget(upper_, change.path));
    PADDOCK_TRY(Check(symlinkat(target.c_str(), parent, temporary.c_str())));
    if (geteuid() != 0) return {};
    const FileFacts& before = change.before;
    return Check(fchownat(parent, temporary.c_str(), before.exists() ? before.uid : info_.owner, before.exists() ? before.gid : info_.group, AT_SYMLINK_NOFOLLOW));
  }

  Status MakeFile(const Change& change, int parent, const std::string& temporary) {
    PADDOCK_ASSIGN(const Descriptor source, OpenBeneath(upper_, change.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
    PADDOCK_ASSIGN(const FileFacts facts, FactsOf(source.get(), change.path));
    if (!facts.is_file()) return Error(Code::kBusy, "changed in the overlay just now");
    const Descriptor file(openat(parent, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file.is_open()) return Failure(errno);
    PADDOCK_TRY(CopyContent(source.get(), file.get()));
    if (change.before.is_file()) {
      // Access lists and labels of the workspace's file stay.
      if (const auto old = OpenBeneath(workspace_, change.path, O_PATH | O_NOFOLLOW)) CopyAttributes(old->get(), file.get());
    }
    PADDOCK_TRY(SetOwner(file.get(), change.before));
    return Check(fchmod(file.get(), change.after.mode & 0777));
  }

  struct Mode {
    std::string path;
    uint32_t mode;
  };

  const int workspace_;
  const int upper_;
  const OverlayInfo& info_;
  ApplyReport report_;
  std::vector<Mode> directory_modes_;
};

// Whether a change at the path or below it is left.
bool IsTouched(const std::vector<Change>& remaining, const std::string& path) {
  const auto at = std::lower_bound(remaining.begin(), remaining.end(), path, [](const Change& change, const std::string& name) { return change.path < name; });
  if (at != remaining.end() && at->path == path) return true;
  const std::string below = path + "/";
  const auto child = std::lower_bound(at, remaining.end(), below, [](const Change& change, const std::string& name) { return change.path < name; });
  return child != remaining.end() && child->path.starts_with(below);
}

}  // namespace

bool IsSelected(const Change& change, const std::vector<std::string>& paths) {
  return paths.empty() || std::any_of(paths.begin(), paths.end(), [&](const std::string& path) { return IsAtOrBelow(change.path, path); });
}

namespace {

std::string ReasonToSkip(const Change& change, const ApplyOptions& options) {
  if (!change.refusal.empty()) return "refused: " + change.refusal;
  const auto& included = options.included_protected;
  if (!change.protected_name.empty() && (included.empty() || !IsSelected(change, included))) {
    return "protected (" + change.protected_name + "); --include-protected applies it";
  }
  if (!change.conflict.empty() && !options.is_forced) return "conflict: " + change.conflict + "; --force applies it all the same";
  return {};
}

}  // namespace

Selection Select(const std::vector<Change>& changes, const ApplyOptions& options) {
  Selection selection;
  std::set<std::string, std::less<>> parents;   // of chosen files
  // From the end, so that what is in a directory is known before it.
  for (auto at = changes.rbegin(); at != changes.rend(); ++at) {
    const bool is_asked_for = IsSelected(*at, options.paths) || (at->after.is_directory() && at->kind != Change::Kind::kMode && parents.contains(at->path));
    if (!is_asked_for) continue;
    if (std::string reason = ReasonToSkip(*at, options); !reason.empty()) {
      selection.skipped.push_back({*at, std::move(reason)});
      continue;
    }
    for (std::string_view parent = ParentOf(at->path); !parent.empty() && at->after.exists() && !parents.contains(parent); parent = ParentOf(parent)) {
      parents.emplace(parent);
    }
    selection.chosen.push_back(*at);
  }
  std::reverse(selection.chosen.begin(), selection.chosen.end());
  std::reverse(selection.skipped.begin(), selection.skipped.end());
  return selection;
}

ApplyReport Apply(int workspace, int upper, const std::vector<Change>& changes, const OverlayInfo& info) {
  return Applier(workspace, upper, info).Run(changes);
}

Status Prune(int upper, const std::vector<Change>& remaining) {
  std::vector<std::string> pending = {""};
  while (!pending.empty()) {
    const std::string directory = std::move(pending.back());
    pending.pop_back();
    const auto names = NamesIn(upper, directory, kMostEntries);
    if (!names && names.error().code == Code::kAccess) continue;   // shut by the code inside; told as refused
    if (!names) return names.error();
    PADDOCK_ASSIGN(const Descriptor here, OpenBeneath(upper, directory, O_RDONLY | O_DIRECTORY));
    for (const std::string& name : *names) {
      const std::string path = Joined(directory, name);
      const UpperEntry entry = ReadUpper(upper, path);
      if (IsTouched(remaining, path)) {
        // What an opaque directory holds belongs together: less in it would mean more deleted.
        if (entry.kind == UpperEntry::Kind::kMerged) pending.push_back(path);
      } else if (entry.facts.is_directory()) {
        PADDOCK_TRY(RemoveTree(here.get(), name));
      } else {
        PADDOCK_TRY(Check(unlinkat(here.get(), name.c_str(), 0)));
      }
    }
  }
  return {};
}

}  // namespace paddock::overlay
