// Before the run: which protected names exist.

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <optional>
#include <set>

#include "drivers/process/protect/git_config.h"
#include "drivers/process/protect/git_references.h"
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
constexpr size_t kMostConfigurations = 1'000;
constexpr int kMostLinks = 40;   // as the kernel

std::string Join(std::string_view directory, std::string_view name) {
  return directory.empty() ? std::string(name) : std::string(directory) + "/" + std::string(name);
}

bool IsInPackages(std::string_view path) { return ("/" + std::string(path)).find("/node_modules/") != std::string::npos; }

// A configuration that names a directory of hooks.
std::string HooksSetting(std::string_view path) {
  std::string quoted;
  for (const char c : path) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return "[core]\nhooksPath = \"" + quoted + "\"\n";
}

// Hooks that the user keeps at the same place in every work tree are hooks of those that are made inside, too. A plain word as `hooks` may
// be any directory elsewhere: it counts in the work trees that exist, which are returned as a configuration.
std::string AddSharedHooks(const std::string& host_configuration, std::vector<std::string>& names) {
  std::string shared;
  for (const GitReference& reference : ReadGitReferences(host_configuration)) {
    if (reference.kind != GitReference::Kind::kHooks || reference.path.starts_with('~') || reference.path.starts_with("%(")) continue;
    const auto path = policy::NormalPath("/" + reference.path);
    const bool is_name = path && !reference.path.starts_with('/') && ("/" + reference.path + "/").find("/../") == std::string::npos &&
                         (path->find('/', 1) != std::string::npos || path->starts_with("/."));
    if (is_name) names.push_back(path->substr(1));
    else shared = HooksSetting(reference.path);   // the last one holds
  }
  return shared;
}

class Scan final : public TreeVisitor {
 public:
  // `shared_hooks`: a configuration that holds for every work tree.
  Scan(ProtectedSnapshot& snapshot, const NameMatcher& matcher, std::string shared_hooks)
      : snapshot_(snapshot), matcher_(matcher), zones_(matcher), shared_hooks_(std::move(shared_hooks)) {}

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
      const bool is_dot_git = !is_in_git && FoldCase(entry.name) == ".git";
      const bool is_pointer = is_dot_git && !is_directory;
      if (is_dot_git && !shared_hooks_.empty()) configurations_.push_back({shared_hooks_, place.path, place.path});
      const bool is_protected = is_in_git ? matcher_.MatchesInGit(zones_.Inner(zone, entry.name)) : matcher_.Matches(place.path, entry.name);
      if (is_protected || is_pointer) {
        if (!Record(place, entry.name)) continue;
        tops_.push_back(Join(place.path, entry.name));
        if (is_pointer && entry.type == DT_REG) FollowPointer(place);
        if (zone == GitZones::kRepository) NoteConfiguration(place, entry.name);
        if (is_directory) descents.push_back({entry.name, GitZones::kProtected});
      } else if (is_directory) {
        const int below = is_in_git ? zones_.Below(zone, entry.name) : GitZones::kPlain;
        if (below != GitZones::kGitOther) descents.push_back({entry.name, below});
      }
    }
    return descents;
  }

  void Unreadable(const std::string& path, Code code) override {
    if (code == Code::kCrossDevice) return;   // another mount, which is looked at by itself
    snapshot_.incomplete = "not all of directory '" + path + "' was looked at: ";
    snapshot_.incomplete += code == Code::kLimit ? "it has too many files" : CodeText(code);
  }

  // Records what git's configuration names: hooks kept elsewhere, included files, programs. After the walk.
  void RecordNamed(int workspace, const WalkBudget& budget) {
    for (size_t i = 0; i < configurations_.size() && i < kMostConfigurations; ++i) {
      const Configuration configuration = std::move(configurations_[i]);
      const std::vector<GitReference> references = ReadGitReferences(configuration.content);
      std::string top = configuration.top;
      for (const GitReference& reference : references) {
        if (reference.kind == GitReference::Kind::kWorkTree) top = Resolve(configuration.directory, reference.path).value_or(top);
      }
      for (const GitReference& reference : references) {
        if (reference.kind == GitReference::Kind::kWorkTree) continue;
        const bool is_included = reference.kind == GitReference::Kind::kConfiguration;
        const auto path = Resolve(is_included ? configuration.directory : top, reference.path);
        if (path && !path->empty()) RecordPath(workspace, *path, reference.kind, top, budget);
      }
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

  struct Configuration {
    std::string content;
    std::string directory;   // where the file lies: relative to the workspace, or absolute
    std::string top;         // of the work tree, relative to the workspace
  };

  // Configuration of a repository, or hooks that are a link: what they name is looked at after the walk.
  void NoteConfiguration(const WalkPlace& place, const std::string& name) {
    const ProtectedEntry& entry = snapshot_.entries.at(Join(place.path, name));
    if (!entry.has_content) return;
    const bool is_git = FoldCase(place.path).ends_with(".git");
    const std::string top = is_git ? Parent(place.path) : place.path;
    const std::string folded = FoldCase(name);
    if (folded == "config" || folded == "config.worktree") configurations_.push_back({entry.content, place.path, top});
    if (folded != "hooks" || entry.kind != ProtectedEntry::Kind::kSymlink) return;
    configurations_.push_back({HooksSetting(entry.content), place.path, place.path});
  }

  static std::string Parent(const std::string& path) {
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? std::string() : path.substr(0, slash);
  }

  // Relative to the workspace, empty for itself; nothing for what lies outside. `directory`: as Configuration's.
  std::optional<std::string> Resolve(const std::string& directory, const std::string& target) const {
    if (target.starts_with('~') || target.starts_with("%(")) return std::nullopt;   // a home is not in the tree that agents work in
    const std::string base = directory.starts_with('/') ? directory : snapshot_.workspace + "/" + directory;
    return Inside(target.starts_with('/') ? target : base + "/" + target);
  }

  std::optional<std::string> Inside(const std::string& absolute) const {
    const auto path = policy::NormalPath(absolute);
    if (!path || !policy::IsWithin(*path, snapshot_.workspace)) return std::nullopt;
    return *path == snapshot_.workspace ? std::string() : path->substr(snapshot_.workspace.size() + 1);
  }

  // Follows links as git will, and records each: another one in its place would lead elsewhere. What is not there yet is noted to be swept.
  void RecordPath(int workspace, std::string rest, GitReference::Kind kind, const std::string& top, const WalkBudget& budget) {
    std::string at;
    for (int links = 0; !rest.empty() && links < kMostLinks;) {
      const size_t slash = rest.find('/');
      const std::string name = rest.substr(0, slash);
      const std::string behind = slash == std::string::npos ? std::string() : rest.substr(slash + 1);
      const auto directory = OpenBeneath(workspace, at.empty() ? "." : at, O_RDONLY | O_DIRECTORY);
      struct stat status {};
      if (!directory) return;
      if (fstatat(directory->get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT && kind != GitReference::Kind::kArgument) snapshot_.absent.push_back(Join(at, rest));
        return;
      }
      const std::string path = Join(at, name);
      if (S_ISLNK(status.st_mode)) {
        ++links;
        if (!snapshot_.entries.contains(path) && !Record({.directory = directory->get(), .path = at}, name)) return;
        const std::string& target = snapshot_.entries.at(path).content;
        const auto inside = Inside((target.starts_with('/') ? target : snapshot_.workspace + "/" + at + "/" + target) + "/" + behind);
        if (!inside) return;
        rest = *inside;
        at.clear();
        continue;
      }
      if (behind.empty()) return RecordNamedFile({.directory = directory->get(), .path = at}, name, S_ISDIR(status.st_mode), kind, top, budget);
      if (!S_ISDIR(status.st_mode)) return;
      at = path;
      rest = behind;
    }
  }

  void RecordNamedFile(const WalkPlace& place, const std::string& name, bool is_directory, GitReference::Kind kind, const std::string& top,
                       const WalkBudget& budget) {
    const std::string path = Join(place.path, name);
    if (is_directory && kind != GitReference::Kind::kHooks) return;   // no file that git reads or starts
    if (!snapshot_.entries.contains(path)) {
      if (!Record(place, name)) return;
      tops_.push_back(path);
      const auto hooks = is_directory ? OpenBeneath(place.directory, name, O_RDONLY | O_DIRECTORY) : Result<Descriptor>(Code::kNotDirectory);
      Below below(*this, path);
      if (hooks && !WalkTree(hooks->get(), GitZones::kProtected, budget, below)) snapshot_.incomplete = "'" + path + "' cannot be read";
    }
    const ProtectedEntry& entry = snapshot_.entries.at(path);
    if (kind == GitReference::Kind::kConfiguration && entry.has_content && included_.insert(path).second) {
      configurations_.push_back({entry.content, place.path, top});
    }
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
    for (const std::string& file : {target->common + "/config", target->directory + "/config.worktree"}) {
      const std::string directory = file.substr(0, file.rfind('/'));
      const auto opened = OpenAbsolute(directory, O_RDONLY | O_DIRECTORY);
      auto configuration = opened ? ReadRegular(opened->get(), file.substr(directory.size() + 1), kMaxGitConfig) : Result<std::string>(Code::kNoEntry);
      if (configuration) configurations_.push_back({std::move(*configuration), directory, place.path});
    }
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
  const std::string shared_hooks_;
  EntryBudget budget_;
  std::vector<std::string> tops_;
  std::vector<Configuration> configurations_;   // to be looked at; grows meanwhile
  std::set<std::string> included_;
};

}  // namespace

Result<ProtectedSnapshot> ScanProtected(int workspace, const std::vector<std::string>& names, const WalkBudget& budget,
                                        const std::string& host_configuration) {
  ProtectedSnapshot snapshot;
  PADDOCK_ASSIGN(snapshot.workspace, PathOf(workspace));
  snapshot.names = names;
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  snapshot.started = now.tv_sec;
  std::string shared_hooks = AddSharedHooks(host_configuration, snapshot.names);
  const NameMatcher matcher(snapshot.names);
  Scan scan(snapshot, matcher, std::move(shared_hooks));
  const Status walked = WalkTree(workspace, GitZones::kPlain, budget, scan);
  if (!walked) {
    if (walked.error().code != Code::kLimit) return walked.error();
    snapshot.incomplete = walked.error().Text();
  }
  scan.RecordNamed(workspace, budget);
  scan.Finish();
  return snapshot;
}

}  // namespace paddock::process_wall
