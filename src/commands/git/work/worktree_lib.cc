#include "commands/git/work/worktree.h"

#include <algorithm>
#include <set>

#include "commands/git/work/sparse_patterns.h"
#include "commands/ignore_files.h"

namespace paddock::git {
namespace {

constexpr uint64_t kLargestIgnoreFile = 4 << 20;

// The ignore files from the top down to one directory.
class Ignores {
 public:
  explicit Ignores(Git& git) : git_(git) {
    Level general;
    const std::string home(git.in.env.Get("HOME", ""));
    const std::string by_default = std::string(git.in.env.Get("XDG_CONFIG_HOME", home + "/.config")) + "/git/ignore";
    std::string excludes = git.config.Get("core.excludesfile", by_default);
    if (excludes.starts_with("~/")) excludes = home + excludes.substr(1);
    Read(excludes, general.list);
    levels_.push_back(std::move(general));
    Level own;
    Read(git.GitPath("info/exclude"), own.list);
    levels_.push_back(std::move(own));
  }

  // `directory`: "" or "sub/".
  void Enter(const std::string& directory) {
    Level level;
    level.directory = directory;
    Read(git_.FilePath(directory + ".gitignore"), level.list);
    levels_.push_back(std::move(level));
  }
  void Leave() { levels_.pop_back(); }

  bool Hides(const std::string& path, bool is_directory) {
    for (size_t i = levels_.size(); i-- > 0;) {
      const std::string_view below = std::string_view(path).substr(levels_[i].directory.size());
      const IgnoreVerdict verdict = levels_[i].list.Check(below, is_directory, git_.in.budget);
      if (verdict != IgnoreVerdict::kNone) return verdict == IgnoreVerdict::kIgnore;
    }
    return false;
  }

 private:
  struct Level {
    std::string directory;
    IgnoreGlobList list;
  };
  void Read(const std::string& path, IgnoreGlobList& list) {
    if (const auto text = vfs::ReadFile(git_.in.fs, path, kLargestIgnoreFile)) list.AddLines(*text, false, git_.in.budget);
  }
  Git& git_;
  std::vector<Level> levels_;
};

class Scan {
 public:
  Scan(Git& git, const Index& index, UntrackedMode mode, Pathspec& paths, bool with_ignored, IgnoredMode ignored)
      : git_(git), index_(index), mode_(mode), paths_(paths), with_ignored_(with_ignored), ignored_(ignored), ignores_(git) {}

  Result<Untracked> Run() {
    PADDOCK_TRY(Visit(""));
    std::sort(found_.files.begin(), found_.files.end());
    std::sort(found_.ignored.begin(), found_.ignored.end());
    return std::move(found_);
  }

 private:
  Status Visit(const std::string& directory) {
    git_.in.budget.CheckStack();
    auto list = git_.in.fs.List(git_.FilePath(directory));
    if (!list) return {};
    ignores_.Enter(directory);
    for (const vfs::DirectoryEntry& entry : *list) {
      git_.in.budget.Step(4);
      const std::string path = directory + entry.name;
      if (entry.name == ".git") continue;
      if (entry.type == vfs::FileType::kDirectory) PADDOCK_TRY(VisitDirectory(path));
      else if (entry.type == vfs::FileType::kFile || entry.type == vfs::FileType::kSymlink) VisitFile(path);
    }
    ignores_.Leave();
    return {};
  }

  void VisitFile(const std::string& path) {
    for (int stage = 0; stage < 4; ++stage) {
      if (index_.Find(path, stage) != nullptr) return;
    }
    if (!paths_.empty() && !paths_.Matches(path, git_.in.budget)) return;
    if (!ignores_.Hides(path, false)) found_.files.push_back(path);
    else if (with_ignored_) found_.ignored.push_back(path);
  }

  Status VisitDirectory(const std::string& path) {
    if (const IndexEntry* entry = index_.Find(path); entry != nullptr && entry->mode == kModeCommit) return {};   // a submodule, with or without files
    const bool is_known = index_.HasBelow(path);
    if (!is_known && ignores_.Hides(path, true)) {
      if (with_ignored_ && ignored_ == IgnoredMode::kFiles) return AddAllBelow(path);
      if (with_ignored_ && (paths_.empty() || paths_.Matches(path, git_.in.budget)) && HasFiles(git_.FilePath(path))) found_.ignored.push_back(path + "/");
      return {};
    }
    if (!paths_.empty() && !paths_.MayMatchBelow(path, git_.in.budget)) return {};
    if (!is_known && IsRepository(path)) {
      found_.files.push_back(path + "/");
      return {};
    }
    if (is_known || mode_ == UntrackedMode::kAll) return Visit(path + "/");
    // One line for all of it, if there is anything that counts.
    const size_t files = found_.files.size(), ignored = found_.ignored.size();
    PADDOCK_TRY(Visit(path + "/"));
    const bool is_whole = paths_.empty() || paths_.Matches(path, git_.in.budget);
    if (!is_whole) return {};
    if (found_.files.size() > files) {
      found_.files.resize(files);
      // Where the index has a file of that name, that one is missing.
      bool is_file = false;
      for (int stage = 0; stage < 4; ++stage) is_file |= index_.Find(path, stage) != nullptr;
      if (!is_file) found_.files.push_back(path + "/");
    } else if (found_.ignored.size() > ignored && ignored_ == IgnoredMode::kNormal) {
      found_.ignored.resize(ignored);
      found_.ignored.push_back(path + "/");
    }
    return {};
  }

  bool IsRepository(const std::string& path) {
    const std::string place = git_.FilePath(path) + "/.git";
    return IsGitDirectory(git_.in.fs, FollowGitFile(git_.in, place).value_or(place));
  }

  // Every file of a hidden directory.
  Status AddAllBelow(const std::string& path) {
    git_.in.budget.CheckStack();
    auto list = git_.in.fs.List(git_.FilePath(path));
    if (!list) return {};
    for (const vfs::DirectoryEntry& entry : *list) {
      git_.in.budget.Step(4);
      const std::string name = path + "/" + entry.name;
      if (entry.type == vfs::FileType::kDirectory) PADDOCK_TRY(AddAllBelow(name));
      else if (paths_.empty() || paths_.Matches(name, git_.in.budget)) found_.ignored.push_back(name);
    }
    return {};
  }

  bool HasFiles(const std::string& directory) {
    git_.in.budget.CheckStack();
    auto list = git_.in.fs.List(directory);
    if (!list) return false;
    for (const vfs::DirectoryEntry& entry : *list) {
      git_.in.budget.Step();
      if (entry.type != vfs::FileType::kDirectory || HasFiles(directory + "/" + entry.name)) return true;
    }
    return false;
  }

  Git& git_;
  const Index& index_;
  UntrackedMode mode_;
  Pathspec& paths_;
  bool with_ignored_;
  IgnoredMode ignored_;
  Ignores ignores_;
  Untracked found_;
};

Error CannotWrite(const std::string& path, const Error& error) { return {error.code, "cannot create file '" + path + "': " + std::string(error.Text())}; }

}  // namespace

Result<Untracked> FindUntracked(Git& git, const Index& index, UntrackedMode mode, Pathspec& paths, bool with_ignored, IgnoredMode ignored) { return Scan(git, index, mode, paths, with_ignored, ignored).Run(); }

bool IsIgnored(Git& git, const std::string& path, bool is_directory) {
  Ignores ignores(git);
  ignores.Enter("");
  for (size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    if (ignores.Hides(path.substr(0, slash), true)) return true;
    ignores.Enter(path.substr(0, slash + 1));
  }
  return ignores.Hides(path, is_directory);
}

Status PutContent(Git& git, const std::string& path, uint32_t mode, std::string_view content, bool replaces) {
  if (!IsSafePath(path)) return Error(Code::kInvalid, "invalid path '" + path + "'");
  vfs::FileSystem& fs = git.in.fs;
  for (size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string above = git.FilePath(path.substr(0, slash));
    const auto facts = fs.Stat(above, vfs::Follow::kNo);
    if (facts && facts->is_directory()) continue;
    if (facts) {
      if (!replaces) return CannotWrite(path, Error(Code::kNotDirectory));
      PADDOCK_TRY(fs.RemoveFile(above));
    }
    PADDOCK_TRY(fs.MakeDirectory(above));
  }
  const std::string full = git.FilePath(path);
  std::string converted;
  if (mode != kModeLink && mode != kModeCommit) {
    PADDOCK_ASSIGN(converted, ToWorkTree(git, path, std::string(content)));
    content = converted;
  }
  if (const auto facts = fs.Stat(full, vfs::Follow::kNo)) {
    if (facts->is_directory()) {
      if (mode == kModeCommit) return {};
      if (const Status removed = fs.RemoveDirectory(full); !removed) return CannotWrite(path, Error(Code::kIsDirectory));
    } else {
      PADDOCK_TRY(fs.RemoveFile(full));
    }
  }
  if (mode == kModeLink) return fs.MakeSymlink(content, full);
  if (mode == kModeCommit) return fs.MakeDirectory(full);
  auto file = fs.Open(full, vfs::OpenFlags{.write = true, .create = true, .exclusive = true, .no_follow = true}, mode == kModeExecutable ? 0777 : 0666);
  if (!file) return CannotWrite(path, file.error());
  return (*file)->Write(content);
}

Status PutFile(Git& git, const std::string& path, const TreeItem& item, bool replaces, IndexEntry* entry) {
  std::string content;
  if (item.mode != kModeCommit) {
    PADDOCK_ASSIGN(content, git.ReadBlob(item.id));
  }
  PADDOCK_TRY(PutContent(git, path, item.mode, content, replaces));
  if (entry == nullptr) return {};
  entry->path = path;
  entry->mode = item.mode;
  entry->id = item.id;
  PADDOCK_ASSIGN(const vfs::Attributes facts, git.in.fs.Stat(git.FilePath(path), vfs::Follow::kNo));
  entry->TakeStat(facts);
  return {};
}

Status RemoveTree(Invocation& in, const std::string& path) {
  in.budget.CheckStack();
  in.budget.Step();
  PADDOCK_ASSIGN(const auto list, in.fs.List(path));
  for (const vfs::DirectoryEntry& entry : list) {
    const std::string name = path + "/" + entry.name;
    if (entry.type == vfs::FileType::kDirectory) PADDOCK_TRY(RemoveTree(in, name));
    else PADDOCK_TRY(in.fs.RemoveFile(name));
  }
  return in.fs.RemoveDirectory(path);
}

void RemoveWorkFile(Git& git, const std::string& path) {
  if (!IsSafePath(path)) return;
  // Not through a link.
  for (size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const auto above = git.in.fs.Stat(git.FilePath(path.substr(0, slash)), vfs::Follow::kNo);
    if (!above || !above->is_directory()) return;
  }
  const std::string full = git.FilePath(path);
  if (const auto facts = git.in.fs.Stat(full, vfs::Follow::kNo); facts && facts->is_directory()) {
    // What is left of a submodule stays.
    if (!git.in.fs.RemoveDirectory(full) && git.in.fs.Stat(full + "/.git", vfs::Follow::kNo)) git.Say("warning: unable to rmdir '" + path + "': Directory not empty\n");
  } else {
    static_cast<void>(git.in.fs.RemoveFile(full).has_value());
  }
  std::string above = path;
  for (size_t slash = above.rfind('/'); slash != std::string::npos; slash = above.rfind('/')) {
    above.resize(slash);
    if (git.prefix == above + "/" || !git.in.fs.RemoveDirectory(git.FilePath(above))) return;
  }
}

void TellUnmerged(Git& git, const Index& index) {
  std::string last;
  for (const IndexEntry& entry : index.entries()) {
    git.in.budget.Step();
    if (entry.stage != 0 && entry.path != last) git.Print(git.Shown(last = entry.path) + ": needs merge\n");
  }
}

std::optional<Oid> GitlinkHead(Git& git, const std::string& path) {
  std::string directory = git.FilePath(path) + "/.git";
  if (const auto followed = FollowGitFile(git.in, directory)) directory = *followed;
  if (!IsGitDirectory(git.in.fs, directory)) return std::nullopt;
  Git inner(git.in, directory, "", true);
  return inner.Head();
}

Result<std::optional<IndexEntry>> StageFile(Git& git, const std::string& path, bool writes, bool renormalizes) {
  PADDOCK_ASSIGN(const auto content, ReadWorkingFile(git, path, renormalizes ? RoundTrip::kRenormalized : writes ? RoundTrip::kChecked : RoundTrip::kSilent));
  IndexEntry entry;
  entry.path = path;
  if (const auto head = content ? std::nullopt : GitlinkHead(git, path)) {
    entry.mode = kModeCommit;
    entry.id = *head;
    if (const auto facts = git.in.fs.Stat(git.FilePath(path))) entry.TakeStat(*facts);
    return std::optional<IndexEntry>(std::move(entry));
  }
  if (!content) return std::optional<IndexEntry>();
  entry.mode = content->mode;
  entry.TakeStat(content->attributes);
  if (writes) {
    PADDOCK_ASSIGN(entry.id, git.objects.Write(ObjectType::kBlob, content->data));
  } else {
    entry.id = HashObject(ObjectType::kBlob, content->data);
  }
  return std::optional<IndexEntry>(std::move(entry));
}

namespace {

// What keeps a switch from being done.
struct Obstacles {
  std::vector<std::string> staged, changed, untracked, removed;   // staged: the index has something of its own
  std::vector<std::string> directories;                           // with files that git does not know, where a file has to be
};

bool HasUnknownBelow(Git& git, const Index& index, const std::string& directory, bool counts_ignored) {
  git.in.budget.CheckStack();
  const auto list = git.in.fs.List(git.FilePath(directory));
  if (!list) return false;
  return std::any_of(list->begin(), list->end(), [&](const vfs::DirectoryEntry& entry) {
    git.in.budget.Step();
    const std::string path = directory + "/" + entry.name;
    const bool is_directory = entry.type == vfs::FileType::kDirectory;
    if (!counts_ignored && IsIgnored(git, path, is_directory)) return false;
    if (is_directory) return HasUnknownBelow(git, index, path, counts_ignored);
    for (int stage = 0; stage < 4; ++stage) {
      if (index.Find(path, stage) != nullptr) return false;
    }
    return true;
  });
}

// A directory makes room for a file, with all that is in it.
Status ClearDirectory(Git& git, const std::string& path) {
  const auto facts = git.in.fs.Stat(git.FilePath(path), vfs::Follow::kNo);
  return facts && facts->is_directory() && IsSafePath(path) ? RemoveTree(git.in, git.FilePath(path)) : Status();
}

// `is_outside`: the sparse patterns leave the file out, so that nothing is done to what is there.
Status CheckPath(Git& git, const FileDiff& change, const Index& index, bool is_forced, bool keeps_ignored, bool is_outside, Obstacles& obstacles) {
  const std::string& path = change.new_path;
  const IndexEntry* entry = index.Find(path);
  if (is_outside && entry == nullptr && (change.old_mode == 0 || change.new_mode == 0)) return {};
  PADDOCK_ASSIGN(const auto file, StageFile(git, path, false));
  if (entry == nullptr) {
    if (is_forced) return {};
    if (change.old_mode != 0 && change.new_mode != 0) {
      obstacles.staged.push_back(path);
      return {};
    }
    // Where a submodule comes, its files may be there already; where it goes, they stay.
    if (file && file->mode == kModeCommit && (change.new_mode == 0 ? change.old_mode : change.new_mode) == kModeCommit) return {};
    const auto place = git.in.fs.Stat(git.FilePath(path), vfs::Follow::kNo);
    if (change.new_mode != 0 && change.new_mode != kModeCommit && place && place->is_directory() && HasUnknownBelow(git, index, path, keeps_ignored)) {
      obstacles.directories.push_back(path);
      return {};
    }
    if (change.new_mode != 0 && file && (keeps_ignored || !IsIgnored(git, path, false))) obstacles.untracked.push_back(path);
    if (change.new_mode == 0 && file && (keeps_ignored || !IsIgnored(git, path, false))) obstacles.removed.push_back(path);
    // Something else may stand where a directory has to be.
    for (size_t slash = path.find('/'); slash != std::string::npos && change.new_mode != 0; slash = path.find('/', slash + 1)) {
      const std::string above = path.substr(0, slash);
      const auto facts = git.in.fs.Stat(git.FilePath(above), vfs::Follow::kNo);
      if (facts && !facts->is_directory() && index.Find(above) == nullptr) obstacles.untracked.push_back(above);
    }
    return {};
  }
  if (is_forced) return {};
  const bool is_wanted = entry->id == change.new_id && entry->mode == change.new_mode;
  const bool is_old = entry->id == change.old_id && entry->mode == change.old_mode;
  const bool is_same_file = !file || entry->mode == kModeCommit || (file->id == entry->id && file->mode == entry->mode);
  if (is_wanted) return {};
  if (!is_old) obstacles.staged.push_back(path);
  else if (!is_same_file && !is_outside) obstacles.changed.push_back(path);
  return {};
}

void TellObstacles(Git& git, Obstacles& obstacles, std::string_view action) {
  if (action.empty()) return;
  if (action == "reset") {
    if (!obstacles.staged.empty()) git.Complain("Entry '" + obstacles.staged[0] + "' would be overwritten by merge. Cannot merge.");
    else if (!obstacles.changed.empty()) git.Complain("Entry '" + obstacles.changed[0] + "' not uptodate. Cannot merge.");
    else if (!obstacles.directories.empty()) git.Complain("Updating '" + obstacles.directories[0] + "' would lose untracked files in it");
    else git.Complain("Untracked working tree file '" + (obstacles.untracked.empty() ? obstacles.removed : obstacles.untracked)[0] + "' would be " + (obstacles.untracked.empty() ? "removed" : "overwritten") + " by merge.");
    return;
  }
  const auto list = [](const std::vector<std::string>& paths) {
    std::string text;
    for (const std::string& path : paths) text += "\t" + path + "\n";
    return text;
  };
  const std::string doing = action == "checkout" ? "switch branches" : std::string(action);
  for (const std::vector<std::string>* paths : {&obstacles.staged, &obstacles.changed}) {
    if (paths->empty()) continue;
    git.Say("error: Your local changes to the following files would be overwritten by " + std::string(action) + ":\n" + list(*paths) +
            "Please commit your changes or stash them before you " + doing + ".\n");
  }
  if (!obstacles.directories.empty()) git.Say("error: Updating the following directories would lose untracked files in them:\n" + list(obstacles.directories) + "\n");
  std::sort(obstacles.untracked.begin(), obstacles.untracked.end());
  obstacles.untracked.erase(std::unique(obstacles.untracked.begin(), obstacles.untracked.end()), obstacles.untracked.end());
  if (!obstacles.untracked.empty()) {
    git.Say("error: The following untracked working tree files would be overwritten by " + std::string(action) + ":\n" + list(obstacles.untracked) +
            "Please move or remove them before you " + doing + ".\n");
  }
  if (!obstacles.removed.empty()) {
    git.Say("error: The following untracked working tree files would be removed by " + std::string(action) + ":\n" + list(obstacles.removed) +
            "Please move or remove them before you " + doing + ".\n");
  }
  git.Say("Aborting\n");
}

}  // namespace

Result<bool> SwitchFiles(Git& git, const FlatTree& from, const FlatTree& to, Index& index, std::string_view action, bool is_forced, bool keeps_ignored) {
  for (const auto& [path, item] : to) {
    if (!IsSafePath(path)) return Error(Code::kInvalid, "invalid path '" + path + "'");
  }
  std::vector<FileDiff> changes = CompareTrees(from, to);
  const std::optional<SparsePatterns> sparse = ActivePatterns(git);
  std::set<std::string> conflicts;   // their files stay
  for (const IndexEntry& entry : index.entries()) {
    if (entry.stage != 0) conflicts.insert(entry.path);
  }
  const auto is_outside = [&](const std::string& path) { return sparse && !conflicts.contains(path) && !sparse->Includes(path, git.in.budget); };
  SparseLeftovers left;
  Obstacles obstacles;
  for (const FileDiff& change : changes) PADDOCK_TRY(CheckPath(git, change, index, is_forced, keeps_ignored, is_outside(change.new_path), obstacles));
  // In a sparse checkout git only warns of those, and overwrites them.
  if (sparse) left.present.swap(obstacles.untracked);
  if (!obstacles.staged.empty() || !obstacles.changed.empty() || !obstacles.untracked.empty() || !obstacles.removed.empty() || !obstacles.directories.empty()) {
    TellObstacles(git, obstacles, action);
    return false;
  }
  if (is_forced) {
    // Everything, not the differences alone.
    PADDOCK_ASSIGN(const FlatTree files, WorkingFiles(git, index));
    FlatTree known = files;
    for (const IndexEntry& entry : index.entries()) known.emplace(entry.path, TreeItem{entry.mode, Oid{}});
    changes = CompareTrees(known, to);
    for (const IndexEntry& entry : std::vector<IndexEntry>(index.entries())) {
      const auto wanted = to.find(entry.path);
      if (wanted == to.end()) index.Remove(entry.path);
      else if (entry.stage != 0 || entry.id != wanted->second.id || entry.mode != wanted->second.mode) {
        PADDOCK_ASSIGN(auto staged, StageFile(git, entry.path, false));
        if (staged && staged->id == wanted->second.id) {
          staged->mode = wanted->second.mode;
          index.Put(std::move(*staged));
        }
      }
    }
  }
  for (const FileDiff& change : changes) {
    if (change.new_mode != 0) continue;
    const IndexEntry* entry = index.Find(change.new_path);
    if (entry != nullptr || is_forced) RemoveWorkFile(git, change.new_path);
    index.Remove(change.new_path);
  }
  AttributesFrom(git, to);
  for (const FileDiff& change : changes) {
    git.in.budget.Step();
    if (change.new_mode == 0) continue;
    const IndexEntry* entry = index.Find(change.new_path);
    if (!is_forced && entry != nullptr && entry->id == change.new_id && entry->mode == change.new_mode) continue;
    IndexEntry fresh;
    if (is_outside(change.new_path)) {
      if (entry != nullptr && !entry->is_skipped) RemoveWorkFile(git, change.new_path);
      fresh = SkippedEntry(change.new_path, {change.new_mode, change.new_id});
    } else {
      // Without force nothing is there that git does not know.
      if (change.new_mode != kModeCommit) PADDOCK_TRY(ClearDirectory(git, change.new_path));
      PADDOCK_TRY(PutFile(git, change.new_path, {change.new_mode, change.new_id}, true, &fresh));
    }
    index.Put(std::move(fresh));
  }
  if (sparse) {
    PADDOCK_TRY(FollowPatterns(git, *sparse, index, is_forced, left, conflicts));
    left.unmerged.clear();
    left.Tell(git);
  }
  AttributesFromFiles(git);
  index.ForgetResolved();
  return true;
}

Result<bool> ResetMerged(Git& git, const FlatTree& to, Index& index) {
  struct Step {
    std::string path;
    std::optional<TreeItem> item;
  };
  std::vector<Step> steps;
  std::map<std::string, std::optional<TreeItem>> known;   // nothing: in conflict
  for (const IndexEntry& entry : index.entries()) {
    if (entry.stage == 0) known[entry.path] = TreeItem{entry.mode, entry.id};
    else known[entry.path] = std::nullopt;
  }
  for (const auto& [path, item] : to) {
    if (!IsSafePath(path)) return Error(Code::kInvalid, "invalid path '" + path + "'");
    if (const auto now = known.find(path); now == known.end() || now->second != item) steps.push_back({path, item});
  }
  for (const auto& [path, item] : known) {
    if (!to.contains(path)) steps.push_back({path, std::nullopt});
  }
  for (const Step& step : steps) {
    const auto now = known.find(step.path);
    if (now != known.end() && !now->second) continue;
    PADDOCK_ASSIGN(const auto file, StageFile(git, step.path, false));
    const bool is_in_the_way = now == known.end() ? file && file->id != step.item->id : file && (file->id != now->second->id || file->mode != now->second->mode);
    if (is_in_the_way) {
      git.Complain("Entry '" + step.path + "' not uptodate. Cannot merge.");
      return false;
    }
  }
  AttributesFrom(git, to);
  const std::optional<SparsePatterns> sparse = ActivePatterns(git);
  for (const Step& step : steps) {
    git.in.budget.Step();
    index.Remove(step.path);
    // What was in conflict has its file.
    const auto now = known.find(step.path);
    const bool is_outside = sparse && (now == known.end() || now->second) && !sparse->Includes(step.path, git.in.budget);
    if (!step.item || is_outside) RemoveWorkFile(git, step.path);
    if (!step.item) continue;
    IndexEntry fresh = SkippedEntry(step.path, *step.item);
    if (!is_outside) PADDOCK_TRY(PutFile(git, step.path, *step.item, true, &fresh));
    if (!is_outside) fresh.is_skipped = false;
    index.Put(std::move(fresh));
  }
  AttributesFromFiles(git);
  index.ForgetResolved();
  return true;
}

Result<bool> BackToCommit(Git& git, const Oid& commit) {
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  PADDOCK_ASSIGN(const FlatTree tree, git.FlattenCommit(commit));
  PADDOCK_ASSIGN(const bool done, ResetMerged(git, tree, index));
  if (done) PADDOCK_TRY(git.WriteIndex(index));
  return done;
}

}  // namespace paddock::git
