// After the run: what came or changed under protected names is taken away.

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>

#include "drivers/process/protect/absent_path.h"
#include "drivers/process/protect/git_config.h"
#include "drivers/process/protect/git_tree.h"
#include "drivers/process/protect/git_zones.h"
#include "drivers/process/protect/protected_entry.h"
#include "drivers/process/protect/protected_names.h"
#include "drivers/process/protect/quarantine.h"
#include "drivers/process/protect/safe_open.h"
#include "policy/context.h"
#include "text/utf8.h"

namespace paddock::process_wall {
namespace {

constexpr size_t kMostItems = 10'000;

std::string Join(std::string_view directory, std::string_view name) {
  return directory.empty() ? std::string(name) : std::string(directory) + "/" + std::string(name);
}

// Packages come and go.
bool IsInPackages(std::string_view path) { return ("/" + std::string(path)).find("/node_modules/") != std::string::npos; }

class Sweep final : public TreeVisitor {
 public:
  // `prefix` stands before the paths of the report: where the root lies that is swept, when it is not the workspace.
  Sweep(int root, const ProtectedSnapshot& snapshot, const NameMatcher& matcher, Quarantine& quarantine, SweepReport& report, std::string prefix)
      : root_(root), snapshot_(snapshot), matcher_(matcher), zones_(matcher), quarantine_(quarantine), report_(report), prefix_(std::move(prefix)) {}

  std::vector<Descent> Visit(const WalkPlace& place, const std::vector<WalkEntry>& entries, int zone) override {
    if (zone != GitZones::kProtected && IsRepository(place.path, entries, zone == GitZones::kGitStore)) zone = GitZones::kRepository;
    std::vector<Descent> descents;
    for (const WalkEntry& entry : entries) {
      struct stat status {};
      if (fstatat(place.directory, entry.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
      if (S_ISBLK(status.st_mode) || S_ISCHR(status.st_mode)) {
        if (RemoveDevice(place, entry.name, status)) continue;
      }
      if (S_ISREG(status.st_mode) && (status.st_mode & (S_ISUID | S_ISGID)) != 0) ClearMode(place, entry.name, status);
      const int below = Judge(place, entry.name, status, zone);
      if (below >= 0 && S_ISDIR(status.st_mode)) descents.push_back({entry.name, below});
    }
    // Repositories come first (the walk takes from the back): a tree made too large to walk must not hide them.
    std::stable_partition(descents.begin(), descents.end(), [](const Descent& descent) { return descent.name != ".git" && descent.zone < GitZones::kGitStore; });
    return descents;
  }

  void Unreadable(const std::string& path, Code code) override {
    if (!report_.incomplete.empty() || code == Code::kCrossDevice) return;   // another mount is looked at by itself
    report_.incomplete = "not all of directory '" + prefix_ + Shown(path) + "' was looked at: ";
    report_.incomplete += code == Code::kLimit ? "it has too many files" : CodeText(code);
  }

  // What was there before and was not met.
  void FindMissing() {
    for (const auto& [path, before] : snapshot_.entries) {
      if (met_.contains(path) || IsInPackages(path) || path.starts_with('/') || !HeldName(path).empty() || IsDoubtful(before)) continue;
      if (PutBack(path, before)) Add({SweepItem::Action::kRestored, path, "was removed", {}});
      else Add({SweepItem::Action::kMissing, path, "was removed", {}});
    }
  }

 private:
  static constexpr int kGone = -1;   // not to be gone into: taken away

  static std::string Shown(const std::string& path) { return path.size() <= kMaxProtectedPath ? path : path.substr(0, kMaxProtectedPath) + "…"; }

  void Add(SweepItem item) {
    if (report_.items.size() >= kMostItems) {
      ++report_.more;
      return;
    }
    item.path = prefix_ + Shown(item.path);
    report_.items.push_back(std::move(item));
  }

  const ProtectedEntry* Before(const WalkPlace& place, const std::string& name) const {
    if (place.path.size() + name.size() >= kMaxProtectedPath) return nullptr;
    const auto found = snapshot_.entries.find(prefix_ + Join(place.path, name));
    return found == snapshot_.entries.end() ? nullptr : &found->second;
  }

  // The protected name at or above a path that the wall made read-only; empty when there was none.
  std::string HeldName(const std::string& path) const {
    if (!snapshot_.was_held || !prefix_.empty()) return {};
    for (size_t end = path.size(); end != std::string::npos && end > 0; end = path.rfind('/', end - 1)) {
      std::string above = path.substr(0, end);
      if (std::binary_search(snapshot_.read_only.begin(), snapshot_.read_only.end(), above)) return above;
    }
    return {};
  }

  // Whether the wall held a path for the whole run, by itself or with a directory above it, so that a change is the host's own.
  bool IsHeld(const std::string& path) {
    const std::string held = HeldName(path);
    if (held.empty()) return false;
    const auto known = is_intact_.find(held);
    const bool is_intact = known != is_intact_.end() ? known->second : is_intact_.emplace(held, IsIntact(held)).first->second;
    if (!is_intact) return false;
    // A file with another name could be written to by that one.
    const auto entry = snapshot_.entries.find(path);
    return entry == snapshot_.entries.end() || entry->second.kind == ProtectedEntry::Kind::kDirectory || entry->second.links == 1;
  }

  // Whether a protected name is the file on which the wall's mount was put.
  bool IsIntact(const std::string& held) const {
    const auto entry = snapshot_.entries.find(held);
    if (entry == snapshot_.entries.end()) return false;
    const auto now = OpenBeneath(root_, held, O_PATH);
    return now && IsSameFile(entry->second, now->get());
  }

  // Whether code of another sandbox, which ran when this one began, may have made what was found then.
  bool IsDoubtful(const ProtectedEntry& before) const { return before.changed >= snapshot_.others_since; }

  // Of what is doubtful only the file itself may stay, for the other sandbox's sweep to judge; not one made like it.
  bool IsUnchanged(const ProtectedEntry& before, const ProtectedEntry& now) const {
    if (!IsSame(before, now) || !IsDoubtful(before)) return IsSame(before, now);
    const bool is_same_file = before.device == now.device && before.inode == now.inode && before.born == now.born;
    return is_same_file && (before.kind == ProtectedEntry::Kind::kDirectory || before.changed == now.changed);
  }

  // The zone in which to go on below `name`, if it is a directory that stays.
  int Judge(const WalkPlace& place, const std::string& name, const struct stat& status, int zone) {
    if (zone == GitZones::kProtected) return Compare(place, name, GitZones::kProtected, "in a protected directory");
    const bool is_directory = S_ISDIR(status.st_mode);
    if (GitZones::IsGit(zone)) {
      const std::string inner = zones_.Inner(zone, name);
      if (!inner.empty() && matcher_.MatchesInGit(inner)) return JudgeInGit(place, name, inner, is_directory, zone);
      if (Before(place, name) != nullptr) return Compare(place, name, GitZones::kProtected, "file that git's configuration names");
      if (S_ISLNK(status.st_mode)) return JudgeLinkInGit(place, name, status, zone);
      if (FoldCase(name).starts_with("git-rebase-todo") && status.st_ctime >= snapshot_.started && RunsPrograms(place, name)) {
        return Take(place, name, "rebase that would run programs", nullptr);
      }
      return zones_.Below(zone, name);
    }
    if (matcher_.Matches(place.path, name)) return Compare(place, name, GitZones::kProtected, "protected name");
    if (FoldCase(name) == ".git" && !is_directory) return JudgePointer(place, name, S_ISREG(status.st_mode));
    // What a repository's own configuration names as its hooks.
    if (Before(place, name) != nullptr) return Compare(place, name, GitZones::kProtected, "file that git's configuration names");
    return GitZones::kPlain;
  }

  // Stays when it is as it was before; else it is taken away, and what was there is put back.
  int Compare(const WalkPlace& place, const std::string& name, int below, const std::string& what) {
    const ProtectedEntry* before = Before(place, name);
    if (IsHeld(Join(place.path, name))) {
      met_.insert(Join(place.path, name));
      return below;
    }
    if (before == nullptr && WasThereUnseen(place, name)) return below;
    if (before == nullptr) return Take(place, name, "new " + what, nullptr);
    const auto now = LookAt(place.directory, name, budget_);
    if (!now || !IsUnchanged(*before, *now)) return Take(place, name, "changed " + what, before);
    met_.insert(Join(place.path, name));
    return below;
  }

  bool IsAsBefore(const WalkPlace& place, const std::string& name) {
    const ProtectedEntry* before = Before(place, name);
    if (before == nullptr) return false;
    if (IsHeld(Join(place.path, name))) {
      met_.insert(Join(place.path, name));
      return true;
    }
    const auto now = LookAt(place.directory, name, budget_);
    if (!now || !IsUnchanged(*before, *now)) return false;
    met_.insert(Join(place.path, name));
    return true;
  }

  int JudgeInGit(const WalkPlace& place, const std::string& name, const std::string& inner, bool is_directory, int zone) {
    const ProtectedEntry* before = Before(place, name);
    const std::string folded = FoldCase(inner);
    if (folded == "hooks" && is_directory) {
      if (before != nullptr && before->kind == ProtectedEntry::Kind::kDirectory) met_.insert(Join(place.path, name));
      SweepHooks(place, name);
      return kGone;   // looked through already
    }
    if (IsAsBefore(place, name)) return is_directory ? GitZones::kProtected : zones_.Below(zone, name);
    std::string why = before == nullptr ? "new " + inner : "changed " + inner;
    if (folded == "config" || folded == "config.worktree") {
      const Status checked = CheckConfig(place, name);
      if (checked) {
        if (before != nullptr) met_.insert(Join(place.path, name));
        return zones_.Below(zone, name);
      }
      why = "configuration: " + std::string(checked.error().Text());
    } else if (folded == "commondir" && IsHonestCommonDirectory(place, name)) {
      if (before != nullptr) met_.insert(Join(place.path, name));
      return zones_.Below(zone, name);
    }
    return Take(place, name, why, before);
  }

  // The list of a rebase that somebody may continue: "exec" and "x" run commands.
  static bool RunsPrograms(const WalkPlace& place, const std::string& name) {
    const auto text = ReadRegular(place.directory, name, 4 << 20);
    if (!text) return true;
    std::string_view rest = *text;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find('\n'), rest.size() - 1);
      std::string_view line = rest.substr(0, end + 1);
      rest.remove_prefix(end + 1);
      line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
      if (line.starts_with("exec") || line == "x" || line.starts_with("x ") || line.starts_with("x\t") || line.starts_with("x\r")) return true;
    }
    return false;
  }

  Status CheckConfig(const WalkPlace& place, const std::string& name) {
    const auto text = ReadRegular(place.directory, name, kMaxGitConfig);
    if (!text) return Error(text.error().code, "it cannot be read as a file");
    const auto settings = ReadGitConfig(*text);
    if (!settings) return Error(Code::kSyntax, "line " + std::string(settings.error().Text()));
    PADDOCK_TRY(CheckGitSettings(*settings));
    for (const GitSetting& setting : *settings) {
      if (setting.section != "core" || setting.key != "worktree") continue;
      if (!LeadsInside(place, setting.value)) return Error(Code::kAccess, "sets core.worktree to a place outside the workspace");
    }
    return {};
  }

  // A submodule's work tree: a directory of the workspace, no link on the way.
  bool LeadsInside(const WalkPlace& place, const std::string& target) const {
    if (!prefix_.empty() || target.empty() || place.path.size() > kMaxProtectedPath) return false;
    const auto path = policy::NormalPath(target[0] == '/' ? target : snapshot_.workspace + "/" + place.path + "/" + target);
    if (!path || !policy::IsWithin(*path, snapshot_.workspace)) return false;
    const std::string inside = *path == snapshot_.workspace ? "." : path->substr(snapshot_.workspace.size() + 1);
    return OpenBeneath(root_, inside, O_PATH | O_DIRECTORY).has_value();
  }

  // `…/worktrees/NAME/commondir` says "../.." and nothing else.
  bool IsHonestCommonDirectory(const WalkPlace& place, const std::string& name) const {
    const size_t last = place.path.rfind('/');
    if (last == std::string::npos || !("/" + place.path.substr(0, last)).ends_with("/worktrees") || !prefix_.empty()) return false;
    const auto content = ReadRegular(place.directory, name, 64);
    return content && (*content == "../..\n" || *content == "../..");
  }

  // Hooks that existed stay as they were; of new ones only samples, which git does not run.
  void SweepHooks(const WalkPlace& place, const std::string& name) {
    auto hooks = OpenBeneath(place.directory, name, O_RDONLY | O_DIRECTORY);
    if (!hooks) {
      Take(place, name, "hooks that cannot be looked at", nullptr);
      return;
    }
    const std::string path = Join(place.path, name);
    HookVisitor visitor(*this, path);
    const Status walked = WalkTree(hooks->get(), GitZones::kProtected, {.entries = 100'000, .opens_shut = true}, visitor);
    if (!walked) Take(place, name, "hooks: " + std::string(walked.error().Text()), nullptr);
  }

  class HookVisitor final : public TreeVisitor {
   public:
    HookVisitor(Sweep& sweep, const std::string& path) : sweep_(sweep), path_(path) {}
    std::vector<Descent> Visit(const WalkPlace& place, const std::vector<WalkEntry>& entries, int) override {
      const std::string path = place.path.empty() ? path_ : Join(path_, place.path);
      const WalkPlace outer{.directory = place.directory, .path = path, .depth = place.depth};
      std::vector<Descent> descents;
      for (const WalkEntry& entry : entries) {
        if (sweep_.IsAsBefore(outer, entry.name)) {
          if (entry.type == DT_DIR) descents.push_back({entry.name, GitZones::kProtected});
          continue;
        }
        const ProtectedEntry* before = sweep_.Before(outer, entry.name);
        const bool is_sample = entry.type == DT_REG && place.path.empty() && entry.name.ends_with(".sample");
        if (is_sample && before == nullptr) continue;
        sweep_.Take(outer, entry.name, before == nullptr ? "new hook" : "changed hook", before);
      }
      return descents;
    }
    void Unreadable(const std::string& path, Code code) override { sweep_.Unreadable(Join(path_, path), code); }

   private:
    Sweep& sweep_;
    const std::string& path_;
  };

  // git makes no links in its directories. What it writes through one would land elsewhere.
  int JudgeLinkInGit(const WalkPlace& place, const std::string& name, const struct stat& status, int zone) {
    if (status.st_ctime < snapshot_.started) return zones_.Below(zone, name);
    if (zone == GitZones::kRepository && name == "HEAD") {
      const auto now = LookAt(place.directory, name, budget_);
      if (now && now->content.starts_with("refs/") && ("/" + now->content + "/").find("/../") == std::string::npos) return zones_.Below(zone, name);
    }
    return Take(place, name, "new link in a repository", nullptr);
  }

  int JudgePointer(const WalkPlace& place, const std::string& name, bool is_file) {
    if (IsAsBefore(place, name)) return GitZones::kPlain;
    const ProtectedEntry* before = Before(place, name);
    if (!is_file || !prefix_.empty()) return Take(place, name, "new .git that is no file of git's", before);
    const auto content = ReadRegular(place.directory, name, 8192);
    if (!content) return Take(place, name, ".git file that cannot be read", before);
    const auto target = CheckGitPointer(snapshot_.workspace, place.path, *content);
    std::string why;
    if (!target) why = target.error().Text();
    else if (!policy::IsWithin(target->directory, snapshot_.workspace)) why = "it points out of the workspace";
    if (!why.empty()) return Take(place, name, ".git file: " + why, before);
    if (before != nullptr) met_.insert(Join(place.path, name));
    return GitZones::kPlain;
  }

  // After a scan that was cut short, what has not changed since then was there and was not looked at. No code inside can set
  // a change time back.
  bool WasThereUnseen(const WalkPlace& place, const std::string& name) const {
    struct stat status {};
    return !snapshot_.incomplete.empty() && fstatat(place.directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           status.st_ctime < snapshot_.started;
  }

  int Take(const WalkPlace& place, const std::string& name, const std::string& why, const ProtectedEntry* before) {
    if (before == nullptr && WasThereUnseen(place, name)) return kGone;
    const std::string path = Join(place.path, name);
    const auto kept = quarantine_.Take(place.directory, Shown(path), name);
    if (before != nullptr) met_.insert(path);
    if (!kept) {
      Add({SweepItem::Action::kFailed, path, why + "; it could not be moved: " + std::string(CodeText(kept.error().code)), {}});
      return kGone;
    }
    const bool is_restored = before != nullptr && !IsDoubtful(*before) && Restore(place.directory, name, *before);
    // What lay below a directory that was taken is put back by FindMissing(), after it.
    Add({is_restored ? SweepItem::Action::kRestored : SweepItem::Action::kQuarantined, path, why, *kept});
    return kGone;
  }

  bool PutBack(const std::string& path, const ProtectedEntry& before) {
    const size_t slash = path.rfind('/');
    const auto parent = OpenBeneath(root_, slash == std::string::npos ? "." : path.substr(0, slash), O_RDONLY | O_DIRECTORY);
    return parent && Restore(parent->get(), slash == std::string::npos ? path : path.substr(slash + 1), before);
  }

  static bool Restore(int directory, const std::string& name, const ProtectedEntry& before) {
    if (before.kind == ProtectedEntry::Kind::kDirectory) return mkdirat(directory, name.c_str(), before.mode & 0777) == 0;
    if (!before.has_content) return false;
    if (before.kind == ProtectedEntry::Kind::kSymlink) return symlinkat(before.content.c_str(), directory, name.c_str()) == 0;
    const Descriptor file(openat(directory, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file.is_open()) return false;
    for (size_t done = 0; done < before.content.size();) {
      const ssize_t wrote = write(file.get(), before.content.data() + done, before.content.size() - done);
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) return false;
      done += static_cast<size_t>(wrote);
    }
    return fchmod(file.get(), before.mode & 0777) == 0;
  }

  // True when it is gone. One that was there before the run stays.
  bool RemoveDevice(const WalkPlace& place, const std::string& name, const struct stat& status) {
    if (status.st_ctime < snapshot_.started) return false;
    const bool is_removed = unlinkat(place.directory, name.c_str(), 0) == 0;
    Add({is_removed ? SweepItem::Action::kRemoved : SweepItem::Action::kFailed, Join(place.path, name), "device", {}});
    return is_removed;
  }

  void ClearMode(const WalkPlace& place, const std::string& name, const struct stat& status) {
    if (status.st_ctime < snapshot_.started) return;
    const bool is_cleared = SetMode(place.directory, name, status.st_mode & 01777).has_value();
    Add({is_cleared ? SweepItem::Action::kModeCleared : SweepItem::Action::kFailed, Join(place.path, name), "set-user-id or set-group-id", {}});
  }

  int root_;
  const ProtectedSnapshot& snapshot_;
  const NameMatcher& matcher_;
  GitZones zones_;
  Quarantine& quarantine_;
  SweepReport& report_;
  std::string prefix_;
  EntryBudget budget_;
  std::set<std::string> met_;
  std::map<std::string, bool> is_intact_;   // by protected name that the wall held
};

const char* ActionName(SweepItem::Action action) {
  switch (action) {
    case SweepItem::Action::kQuarantined: return "quarantined";
    case SweepItem::Action::kRestored: return "restored";
    case SweepItem::Action::kMissing: return "missing";
    case SweepItem::Action::kModeCleared: return "cleared the mode of";
    case SweepItem::Action::kRemoved: return "removed";
    case SweepItem::Action::kFailed: return "could not take away";
  }
  return "";
}

}  // namespace

Result<SweepReport> SweepProtected(int workspace, const ProtectedSnapshot& snapshot, int quarantine, WalkBudget budget) {
  SweepReport report;
  const NameMatcher matcher(snapshot.names);
  Quarantine store(quarantine);
  budget.opens_shut = true;
  const auto note = [&](const Status& walked) {
    if (!walked) report.incomplete = walked.error().Text();
  };
  for (const std::string& path : snapshot.absent) {
    if (auto item = SweepAbsent(workspace, path, snapshot.started, "git's configuration names it", store)) report.items.push_back(std::move(*item));
  }
  Sweep sweep(workspace, snapshot, matcher, store, report, "");
  const Status walked = WalkTree(workspace, GitZones::kPlain, budget, sweep);
  note(walked);
  if (walked && report.incomplete.empty()) sweep.FindMissing();
  for (const OutsideRepository& outside : snapshot.outside) {
    for (const std::string& directory : outside.writable) {
      const auto opened = OpenAbsolute(directory, O_RDONLY | O_DIRECTORY);
      if (!opened) continue;   // logs may not exist
      Sweep other(opened->get(), snapshot, matcher, store, report, directory + "/");
      note(WalkTree(opened->get(), directory == outside.worktree_directory ? GitZones::kRepository : GitZones::kGitOther, budget, other));
    }
  }
  return report;
}

std::string SweepText(const SweepItem& item) {
  std::string text = std::string(ActionName(item.action)) + " " + item.path + ": " + item.why;
  if (!item.kept.empty()) text += " (kept as " + item.kept + ")";
  return HarmlessLine(text);
}

}  // namespace paddock::process_wall
