// Before the run: which protected names exist.

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <set>

#include "drivers/process/protect/git_config.h"
#include "drivers/process/protect/git_tree.h"
#include "drivers/process/protect/git_zones.h"
#include "drivers/process/protect/name_matcher.h"
#include "drivers/process/protect/protected_entry.h"
#include "drivers/process/protect/protected_names.h"
#include "drivers/process/protect/safe_open.h"
#include "policy/context.h"

namespace paddock::process_wall {
namespace {

constexpr size_t kMostForTheWall = 2'000;   // mounts; what is above is only swept
constexpr size_t kMostEntries = 200'000;

std::string Join(std::string_view directory, std::string_view name) {
  return directory.empty() ? std::string(name) : std::string(directory) + "/" + std::string(name);
}

bool IsInPackages(std::string_view path) { return ("/" + std::string(path)).find("/node_modules/") != std::string::npos; }

class Scan final : public TreeVisitor {
 public:
  Scan(ProtectedSnapshot& snapshot, const NameMatcher& matcher) : snapshot_(snapshot), matcher_(matcher), zones_(matcher) {}

  std::vector<Descent> Visit(const WalkPlace& place, const std::vector<WalkEntry>& entries, int zone) override {
    if (zone != GitZones::kProtected && IsRepository(place.path, entries, zone == GitZones::kGitStore)) zone = GitZones::kRepository;
    const bool is_in_git = GitZones::IsGit(zone);
    std::vector<Descent> descents;
    for (const WalkEntry& entry : entries) {
      const bool is_directory = entry.type == DT_DIR;
      if (zone == GitZones::kProtected) {
        Record(place, entry.name);
        if (is_directory) descents.push_back({entry.name, GitZones::kProtected});
        continue;
      }
      const bool is_pointer = !is_in_git && FoldCase(entry.name) == ".git" && !is_directory;
      const bool is_protected = is_in_git ? matcher_.MatchesInGit(zones_.Inner(zone, entry.name)) : matcher_.Matches(place.path, entry.name);
      if (is_protected || is_pointer) {
        if (!Record(place, entry.name)) continue;
        tops_.push_back(Join(place.path, entry.name));
        if (is_pointer && entry.type == DT_REG) FollowPointer(place);
        if (zone == GitZones::kRepository) FindHooks(place, entry.name);
        if (is_directory) descents.push_back({entry.name, GitZones::kProtected});
      } else if (is_directory) {
        const int below = is_in_git ? zones_.Below(zone, entry.name) : GitZones::kPlain;
        if (below != GitZones::kGitOther) descents.push_back({entry.name, below});
      }
    }
    return descents;
  }

  void Unreadable(const std::string& path, Code code) override {
    snapshot_.incomplete = "not all of directory '" + path + "' was looked at: ";
    snapshot_.incomplete += code == Code::kLimit ? "it has too many files" : code == Code::kCrossDevice ? "it is another mount" : CodeText(code);
  }

  // Records the directories of hooks that were found. After the walk.
  void RecordHooks(int workspace, const WalkBudget& budget) {
    for (const std::string& path : hooks_) {
      if (path.empty() || snapshot_.entries.contains(path)) continue;
      const size_t slash = path.rfind('/');
      const std::string parent = slash == std::string::npos ? std::string() : path.substr(0, slash);
      const auto directory = OpenBeneath(workspace, parent.empty() ? "." : parent, O_RDONLY | O_DIRECTORY);
      if (!directory) continue;
      const std::string name = parent.empty() ? path : path.substr(slash + 1);
      if (!Record({.directory = directory->get(), .path = parent}, name)) continue;
      tops_.push_back(path);
      const auto hooks = OpenBeneath(directory->get(), name, O_RDONLY | O_DIRECTORY);
      if (!hooks) continue;
      Below below(*this, path);
      if (!WalkTree(hooks->get(), GitZones::kProtected, budget, below)) snapshot_.incomplete = "'" + path + "' cannot be read";
    }
  }

  // What the wall is told: tops and their ancestors.
  void Finish() {
    std::set<std::string> pins;
    std::sort(tops_.begin(), tops_.end());
    for (const std::string& top : tops_) {
      if (IsInPackages(top)) continue;
      // A link cannot be mounted over; the sweep puts it back.
      if (snapshot_.entries.at(top).kind == ProtectedEntry::Kind::kSymlink) continue;
      if (snapshot_.read_only.size() >= kMostForTheWall) {
        snapshot_.incomplete = "more than " + std::to_string(kMostForTheWall) + " protected names exist; the wall holds the first";
        break;
      }
      snapshot_.read_only.push_back(top);
      for (size_t slash = top.rfind('/'); slash != std::string::npos && slash > 0; slash = top.rfind('/', slash - 1)) {
        if (!pins.insert(top.substr(0, slash)).second) break;
      }
    }
    snapshot_.pins.assign(pins.begin(), pins.end());   // sorted: parents first
  }

 private:
  // Records what a walk that began at `path` meets.
  class Below final : public TreeVisitor {
   public:
    Below(Scan& scan, const std::string& path) : scan_(scan), path_(path) {}
    std::vector<Descent> Visit(const WalkPlace& place, const std::vector<WalkEntry>& entries, int zone) override {
      const std::string path = place.path.empty() ? path_ : path_ + "/" + place.path;
      return scan_.Visit({.directory = place.directory, .path = path, .depth = place.depth}, entries, zone);
    }
    void Unreadable(const std::string& path, Code code) override { scan_.Unreadable(path_ + "/" + path, code); }

   private:
    Scan& scan_;
    const std::string& path_;
  };

  // Hooks that the user keeps elsewhere in the tree: core.hooksPath, or a link named hooks.
  void FindHooks(const WalkPlace& place, const std::string& name) {
    const bool is_git = FoldCase(place.path).ends_with(".git");
    const size_t slash = place.path.rfind('/');
    const std::string top = is_git ? (slash == std::string::npos ? "" : place.path.substr(0, slash)) : place.path;
    const ProtectedEntry& entry = snapshot_.entries.at(Join(place.path, name));
    if (name == "hooks" && entry.kind == ProtectedEntry::Kind::kSymlink) hooks_.insert(Resolve(place.path, entry.content));
    if ((name != "config" && name != "config.worktree") || !entry.has_content) return;
    const auto settings = ReadGitConfig(entry.content);
    if (!settings) return;
    for (const GitSetting& setting : *settings) {
      if (setting.section == "core" && setting.key == "hookspath") hooks_.insert(Resolve(top, setting.value));
    }
  }

  // Relative to the workspace; empty for what lies outside.
  std::string Resolve(const std::string& directory, const std::string& target) const {
    const auto path = policy::NormalPath(target.starts_with('/') ? target : snapshot_.workspace + "/" + directory + "/" + target);
    const std::string below = snapshot_.workspace + "/";
    return path && path->starts_with(below) ? path->substr(below.size()) : std::string();
  }

  bool Record(const WalkPlace& place, const std::string& name) {
    if (place.path.size() + name.size() >= kMaxProtectedPath) return false;   // no mount could be put there
    if (snapshot_.entries.size() >= kMostEntries) {
      snapshot_.incomplete = "more than " + std::to_string(kMostEntries) + " protected files";
      return false;
    }
    auto entry = LookAt(place.directory, name, budget_);
    if (!entry) {
      snapshot_.incomplete = "'" + Join(place.path, name) + "' cannot be read";
      return false;
    }
    snapshot_.entries[Join(place.path, name)] = std::move(*entry);
    return true;
  }

  // A linked worktree of a repository outside: what commits need of it.
  void FollowPointer(const WalkPlace& place) {
    const auto content = ReadRegular(place.directory, ".git", 8192);
    if (!content) return;
    const auto target = CheckGitPointer(snapshot_.workspace, place.path, *content);
    if (!target || target->kind != PointerTarget::Kind::kWorktree) return;
    const bool is_inside = (target->common + "/").starts_with(snapshot_.workspace + "/");
    if (is_inside || snapshot_.outside.size() >= 16) return;
    OutsideRepository outside{.worktree_directory = target->directory, .common_directory = target->common, .writable = {}, .protected_paths = {}};
    outside.writable.push_back(target->directory);
    for (const char* name : {"/objects", "/refs", "/logs"}) {
      if (OpenAbsolute(target->common + name, O_RDONLY | O_DIRECTORY)) outside.writable.push_back(target->common + name);
    }
    const auto directory = OpenAbsolute(target->directory, O_RDONLY | O_DIRECTORY);
    for (const char* name : {"commondir", "gitdir", "config.worktree"}) {
      auto entry = directory ? LookAt(directory->get(), name, budget_) : Result<ProtectedEntry>(Code::kNoEntry);
      if (!entry) continue;
      outside.protected_paths.push_back(target->directory + "/" + name);
      snapshot_.entries[target->directory + "/" + name] = std::move(*entry);
    }
    snapshot_.outside.push_back(std::move(outside));
  }

  ProtectedSnapshot& snapshot_;
  const NameMatcher& matcher_;
  GitZones zones_;
  EntryBudget budget_;
  std::vector<std::string> tops_;
  std::set<std::string> hooks_;
};

}  // namespace

Result<ProtectedSnapshot> ScanProtected(int workspace, const std::vector<std::string>& names, const WalkBudget& budget) {
  ProtectedSnapshot snapshot;
  PADDOCK_ASSIGN(snapshot.workspace, PathOf(workspace));
  snapshot.names = names;
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  snapshot.started = now.tv_sec;
  const NameMatcher matcher(names);
  Scan scan(snapshot, matcher);
  const Status walked = WalkTree(workspace, GitZones::kPlain, budget, scan);
  if (!walked) {
    if (walked.error().code != Code::kLimit) return walked.error();
    snapshot.incomplete = walked.error().Text();
  }
  scan.RecordHooks(workspace, budget);
  scan.Finish();
  return snapshot;
}

}  // namespace paddock::process_wall
