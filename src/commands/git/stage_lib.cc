// git add, rm, mv, restore and reset: what goes into the index and comes out of it.
#include <algorithm>

#include "commands/git/revision.h"
#include "commands/git/worktree.h"

namespace paddock::git {
namespace {

struct AddOptions {
  bool dry_run = false, verbose = false, force = false, update = false, all = false, intends = false, ignores_removal = false, ignores_errors = false;
  std::string chmod;
};

constexpr Option kAddOptions[] = {
    Flag<&AddOptions::dry_run>('n', "dry-run", "show what would be added"),
    Flag<&AddOptions::verbose>('v', "verbose", "tell what is added"),
    Flag<&AddOptions::force>('f', "force", "add ignored files, too"),
    Flag<&AddOptions::update>('u', "update", "only files that git knows"),
    Flag<&AddOptions::all>('A', "all", "add, change and remove as in the working tree"),
    Flag<&AddOptions::ignores_removal>(0, "ignore-removal", "do not take out what was deleted"),
    Flag<&AddOptions::ignores_removal>(0, "no-all", "likewise"),
    Flag<&AddOptions::intends>('N', "intent-to-add", "only note that the file will be added"),
    Flag<&AddOptions::ignores_errors>(0, "ignore-errors", "go on when a file cannot be added"),
    Value<&AddOptions::chmod>(0, "chmod", "(+|-)x", "set the executable bit in the index"),
};

Status AddOne(Git& git, const AddOptions& options, Index& index, const std::string& path) {
  const IndexEntry* known = index.Find(path);
  PADDOCK_ASSIGN(auto entry, StageFile(git, path, !options.dry_run && !options.intends));
  if (!entry) {
    if (options.ignores_removal) return {};
    if (options.verbose || options.dry_run) git.Print("remove '" + path + "'\n");
    if (!options.dry_run) index.Remove(path);
    return {};
  }
  if (!options.chmod.empty() && entry->mode != kModeLink) entry->mode = options.chmod == "+x" ? kModeExecutable : kModeFile;
  const bool is_same = known != nullptr && known->id == entry->id && known->mode == entry->mode && !known->is_intended;
  if (options.intends && known == nullptr) {
    entry->id = HashObject(ObjectType::kBlob, "");
    entry->size = 0;
    entry->is_intended = true;
  }
  if (!is_same && (options.verbose || options.dry_run)) git.Print("add '" + path + "'\n");
  if (!options.dry_run && !(options.intends && known != nullptr)) index.Put(std::move(*entry));
  return {};
}

Result<ExitStatus> Add(Git& git, AddOptions& options, Args& args) {
  const std::vector<std::string> operands = args.All();
  if (!options.chmod.empty() && options.chmod != "+x" && options.chmod != "-x") return Error(Code::kInvalid, "--chmod param '" + options.chmod + "' must be either -x or +x");
  if (operands.empty() && !options.update && !options.all) {
    git.Say("Nothing specified, nothing added.\nhint: Maybe you wanted to say 'git add .'?\nhint: Turn this message off by running\nhint: \"git config advice.addEmptyPathspec false\"\n");
    return 0;
  }
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(operands));
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  std::vector<std::string> wanted;
  for (const IndexEntry& entry : index.entries()) {
    git.in.budget.Step();
    if ((paths.empty() || paths.Matches(entry.path, git.in.budget)) && (wanted.empty() || wanted.back() != entry.path)) wanted.push_back(entry.path);
  }
  ExitStatus status = 0;
  if (!options.update) {
    PADDOCK_ASSIGN(const Untracked found, FindUntracked(git, index, UntrackedMode::kAll, paths, true));
    for (const std::string& path : found.files) {
      if (path.ends_with('/')) {
        git.Warn("adding embedded git repository: " + path.substr(0, path.size() - 1));
        return Error(Code::kNotSupported, "embedded repositories are not supported");
      }
      wanted.push_back(path);
    }
    if (options.force) {
      for (const std::string& path : found.ignored) {
        if (!path.ends_with('/')) {
          wanted.push_back(path);
          continue;
        }
        // All that is below.
        std::vector<std::string> todo = {path};
        while (!todo.empty()) {
          git.in.budget.Step();
          const std::string folder = todo.back();
          todo.pop_back();
          auto list = git.in.fs.List(git.FilePath(folder));
          if (!list) continue;
          for (const vfs::DirectoryEntry& entry : *list) {
            if (entry.type == vfs::FileType::kDirectory) todo.push_back(folder + entry.name + "/");
            else if (paths.Matches(folder + entry.name, git.in.budget)) wanted.push_back(folder + entry.name);
          }
        }
      }
    }
    std::vector<std::string> hidden;
    for (const std::string& operand : paths.Unmatched()) {
      const auto path = git.RepositoryPath(operand);
      const auto facts = path ? git.in.fs.Stat(git.FilePath(*path), vfs::Follow::kNo) : Result<vfs::Attributes>(Code::kNoEntry);
      if (!facts) return Error(Code::kNoEntry, "pathspec '" + operand + "' did not match any files");
      if (!path->empty() && !options.force && IsIgnored(git, *path, facts->is_directory())) hidden.push_back(*path);
    }
    if (!options.force) {
      // A file that is hidden and was named itself.
      for (const std::string& path : found.ignored) {
        const std::string plain = path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
        const std::vector<std::string> named = paths.Paths();
        if (std::find(named.begin(), named.end(), plain) != named.end() && std::find(hidden.begin(), hidden.end(), plain) == hidden.end()) hidden.push_back(plain);
      }
    }
    if (!hidden.empty()) {
      std::string text = "The following paths are ignored by one of your .gitignore files:\n";
      for (const std::string& path : hidden) text += path + "\n";
      git.Say(text + "hint: Use -f if you really want to add them.\nhint: Turn this message off by running\nhint: \"git config advice.addIgnoredFile false\"\n");
      status = 1;
    }
  } else if (!paths.Unmatched().empty()) {
    return Error(Code::kNoEntry, "pathspec '" + paths.Unmatched().front() + "' did not match any files");
  }
  std::sort(wanted.begin(), wanted.end());
  for (const std::string& path : wanted) {
    if (!IsSafePath(path)) return Error(Code::kInvalid, "invalid path '" + path + "'");
    const Status added = AddOne(git, options, index, path);
    if (!added && !options.ignores_errors) return Error(added.error().code, std::string(added.error().Text()));
    if (!added) status = git.Complain(added.error().Text());
  }
  if (!options.dry_run) PADDOCK_TRY(git.WriteIndex(index));
  return status;
}

struct RmOptions {
  bool dry_run = false, quiet = false, cached = false, force = false, recursive = false, ignores_unmatch = false;
};

constexpr Option kRmOptions[] = {
    Flag<&RmOptions::dry_run>('n', "dry-run", "only show what would be removed"),
    Flag<&RmOptions::quiet>('q', "quiet", "do not list removed files"),
    Flag<&RmOptions::cached>(0, "cached", "only remove from the index"),
    Flag<&RmOptions::force>('f', "force", "remove changed files, too"),
    Flag<&RmOptions::recursive>('r', nullptr, "remove what is in directories"),
    Flag<&RmOptions::ignores_unmatch>(0, "ignore-unmatch", "exit with zero when nothing matched"),
};

Status CheckRemovable(Git& git, const RmOptions& options, const Index& index, const std::vector<std::string>& wanted) {
  FlatTree head;
  if (const auto id = git.Head()) {
    PADDOCK_ASSIGN(head, git.FlattenCommit(*id));
  }
  std::string both, staged, local;
  size_t counts[3] = {};
  for (const std::string& path : wanted) {
    const IndexEntry* entry = index.Find(path);
    if (entry == nullptr) continue;
    PADDOCK_ASSIGN(const auto file, StageFile(git, path, false));
    if (!file && !options.cached) continue;
    const auto old = head.find(path);
    const bool is_staged = old == head.end() || old->second.id != entry->id || old->second.mode != entry->mode;
    const bool is_local = file && (file->id != entry->id || file->mode != entry->mode);
    if (is_staged && is_local && !(entry->is_intended && options.cached)) both += "\n    " + path, ++counts[0];
    else if (is_staged && !options.cached) staged += "\n    " + path, ++counts[1];
    else if (is_local && !options.cached) local += "\n    " + path, ++counts[2];
  }
  const auto tell = [&git](const std::string& list, size_t count, const char* one, const char* many, const char* hint) {
    if (!list.empty()) git.Complain(std::string(count == 1 ? one : many) + list + "\n(" + hint + ")");
  };
  tell(both, counts[0], "the following file has staged content different from both the\nfile and the HEAD:", "the following files have staged content different from both the\nfile and the HEAD:", "use -f to force removal");
  tell(staged, counts[1], "the following file has changes staged in the index:", "the following files have changes staged in the index:", "use --cached to keep the file, or -f to force removal");
  tell(local, counts[2], "the following file has local modifications:", "the following files have local modifications:", "use --cached to keep the file, or -f to force removal");
  if (counts[0] + counts[1] + counts[2] > 0) return Error(Code::kConflict);
  return {};
}

Result<ExitStatus> Rm(Git& git, RmOptions& options, Args& args) {
  if (args.All().empty()) return Error(Code::kInvalid, "No pathspec was given. Which files should I remove?");
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(args.All()));
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  std::vector<std::string> wanted;
  for (const IndexEntry& entry : index.entries()) {
    git.in.budget.Step();
    if (paths.Matches(entry.path, git.in.budget) && (wanted.empty() || wanted.back() != entry.path)) wanted.push_back(entry.path);
  }
  if (const auto unmatched = paths.Unmatched(); !unmatched.empty() && !options.ignores_unmatch) return Error(Code::kNoEntry, "pathspec '" + unmatched.front() + "' did not match any files");
  if (!options.recursive) {
    const std::vector<std::string> operands = args.All(), named = paths.Paths();
    for (size_t i = 0; i < operands.size(); ++i) {
      if (named[i].find_first_of("*?[") == std::string::npos && (named[i].empty() || index.HasBelow(named[i]))) return Error(Code::kInvalid, "not removing '" + operands[i] + "' recursively without -r");
    }
  }
  if (!options.force) {
    const Status checked = CheckRemovable(git, options, index, wanted);
    if (!checked && checked.error().code == Code::kConflict) return 1;
    if (!checked) return checked.error();
  }
  for (const std::string& path : wanted) {
    if (!options.quiet) git.Print("rm '" + path + "'\n");
    if (options.dry_run) continue;
    index.Remove(path);
    if (!options.cached) RemoveWorkFile(git, path);
  }
  if (!options.dry_run) PADDOCK_TRY(git.WriteIndex(index));
  return 0;
}

struct MvOptions {
  bool verbose = false, dry_run = false, force = false, skips = false;
};

constexpr Option kMvOptions[] = {
    Flag<&MvOptions::verbose>('v', "verbose", "tell what is renamed"),
    Flag<&MvOptions::dry_run>('n', "dry-run", "only show what would happen"),
    Flag<&MvOptions::force>('f', "force", "replace what is there"),
    Flag<&MvOptions::skips>('k', nullptr, "skip what cannot be moved"),
};

Status MoveOne(Git& git, const MvOptions& options, Index& index, const std::string& from, const std::string& to) {
  const auto refuse = [&](std::string_view why) { return Error(Code::kInvalid, std::string(why) + ", source=" + from + ", destination=" + to); };
  const auto source = git.in.fs.Stat(git.FilePath(from), vfs::Follow::kNo);
  if (!source || from.empty()) return refuse("bad source");
  const bool is_directory = source->is_directory();
  if (is_directory && (to == from || to.starts_with(from + "/"))) return refuse("can not move directory into itself");
  if (is_directory ? !index.HasBelow(from) : index.Find(from) == nullptr) return refuse(is_directory ? "source directory is empty" : "not under version control");
  const auto target = git.in.fs.Stat(git.FilePath(to), vfs::Follow::kNo);
  if (target && !(options.force && !target->is_directory() && !is_directory)) return refuse("destination exists");
  if (const auto above = git.in.fs.Stat(vfs::DirectoryName(git.FilePath(to))); !above) return refuse("destination directory does not exist");
  if (!IsSafePath(to)) return refuse("invalid path");
  if (options.verbose || options.dry_run) git.Print("Renaming " + from + " to " + to + "\n");
  if (options.dry_run) return {};
  if (const Status moved = git.in.fs.Rename(git.FilePath(from), git.FilePath(to)); !moved) return Error(moved.error().code, "renaming '" + from + "' failed: " + std::string(moved.error().Text()));
  std::vector<IndexEntry> moved;
  for (const IndexEntry& entry : index.entries()) {
    if (entry.path == from || entry.path.starts_with(from + "/")) moved.push_back(entry);
  }
  for (IndexEntry& entry : moved) {
    index.Remove(entry.path);
    entry.path = to + entry.path.substr(from.size());
    if (const auto facts = git.in.fs.Stat(git.FilePath(entry.path), vfs::Follow::kNo); facts && static_cast<uint32_t>(facts->size) == entry.size) entry.change_seconds = entry.change_nanos = 0;
    index.Put(std::move(entry));
  }
  return {};
}

Result<ExitStatus> Mv(Git& git, MvOptions& options, Args& args) {
  std::vector<std::string> operands = args.All();
  if (operands.size() < 2) return git.Complain("usage: git mv [<options>] <source>... <destination>", 129);
  const std::string last = operands.back();
  operands.pop_back();
  PADDOCK_ASSIGN(const std::string to, git.RepositoryPath(last));
  const auto facts = git.in.fs.Stat(git.FilePath(to));
  const bool is_directory = facts && facts->is_directory();
  if (operands.size() > 1 && !is_directory) return Error(Code::kNotDirectory, "destination '" + last + "' is not a directory");
  if (last.ends_with('/') && !is_directory) {
    PADDOCK_ASSIGN(const std::string from, git.RepositoryPath(operands[0]));
    return Error(Code::kNoEntry, "destination directory does not exist, source=" + from + ", destination=" + to + "/");
  }
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  for (const std::string& operand : operands) {
    PADDOCK_ASSIGN(const std::string from, git.RepositoryPath(operand));
    const std::string target = is_directory ? (to.empty() ? "" : to + "/") + vfs::BaseName(from) : to;
    const Status moved = MoveOne(git, options, index, from, target);
    if (!moved && !options.skips) return moved.error();
  }
  if (!options.dry_run) PADDOCK_TRY(git.WriteIndex(index));
  return 0;
}

struct RestoreOptions {
  std::string source;
  bool staged = false, worktree = false, quiet = false, ours = false, theirs = false;
};

constexpr Option kRestoreOptions[] = {
    Value<&RestoreOptions::source>('s', "source", "TREE", "take the files from TREE"),
    Flag<&RestoreOptions::staged>('S', "staged", "restore the index"),
    Flag<&RestoreOptions::worktree>('W', "worktree", "restore the working tree (the default)"),
    Flag<&RestoreOptions::quiet>('q', "quiet", "say nothing"),
    Flag<&RestoreOptions::ours>('2', "ours", "take our side of a conflict"),
    Flag<&RestoreOptions::theirs>('3', "theirs", "take their side of a conflict"),
};

}  // namespace

// Also what `git checkout -- FILE` does. `source`: nothing for the index. The number of files.
Result<size_t> RestoreFiles(Git& git, const std::optional<FlatTree>& source, bool to_index, bool to_files, bool deletes, int stage, const std::vector<std::string>& operands);

Result<size_t> RestoreFiles(Git& git, const std::optional<FlatTree>& source, bool to_index, bool to_files, bool deletes, int stage, const std::vector<std::string>& operands) {
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(operands));
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  FlatTree wanted;
  if (source) {
    for (const auto& [path, item] : *source) {
      if (paths.Matches(path, git.in.budget)) wanted[path] = item;
    }
  }
  std::vector<std::string> unmerged;
  std::vector<IndexEntry> known = index.entries();
  for (const IndexEntry& entry : known) {
    git.in.budget.Step();
    if (!paths.Matches(entry.path, git.in.budget) || source) continue;
    if (entry.stage == stage || entry.stage == 0) wanted[entry.path] = {entry.mode, entry.id};
    else if (stage == 0) unmerged.push_back(entry.path);
  }
  if (const auto unmatched = paths.Unmatched(); !unmatched.empty()) {
    for (const std::string& operand : unmatched) git.Complain("pathspec '" + operand + "' did not match any file(s) known to git");
    return Error(Code::kConflict);
  }
  if (!unmerged.empty()) {
    git.Complain("path '" + unmerged.front() + "' is unmerged");
    return Error(Code::kConflict);
  }
  size_t count = 0;
  for (const IndexEntry& entry : known) {
    if (!source || !deletes || wanted.contains(entry.path) || !paths.Matches(entry.path, git.in.budget)) continue;
    if (to_files) RemoveWorkFile(git, entry.path);
    if (to_index) index.Remove(entry.path);
  }
  for (const auto& [path, item] : wanted) {
    git.in.budget.Step();
    if (to_files) {
      PADDOCK_ASSIGN(const auto file, StageFile(git, path, false));
      IndexEntry fresh;
      if (!file || file->id != item.id || file->mode != item.mode) {
        PADDOCK_TRY(PutFile(git, path, item, true, &fresh));
        ++count;
      } else {
        fresh = *file;
      }
      if (to_index || (index.Find(path) != nullptr && index.Find(path)->id == item.id)) index.Put(std::move(fresh));
    } else if (const IndexEntry* entry = index.Find(path); entry == nullptr || entry->id != item.id || entry->mode != item.mode) {
      IndexEntry fresh;
      fresh.path = path;
      fresh.mode = item.mode;
      fresh.id = item.id;
      if (!IsSafePath(path)) return Error(Code::kInvalid, "invalid path '" + path + "'");
      index.Put(std::move(fresh));
      ++count;
    }
  }
  PADDOCK_TRY(git.WriteIndex(index));
  return count;
}

namespace {

Result<ExitStatus> Restore(Git& git, RestoreOptions& options, Args& args) {
  const std::vector<std::string> operands = args.All();
  if (operands.empty()) return Error(Code::kInvalid, "you must specify path(s) to restore");
  const bool to_files = options.worktree || !options.staged;
  std::optional<FlatTree> source;
  std::string name = options.source;
  if (name.empty() && options.staged) name = "HEAD";
  if (!name.empty()) {
    if (options.source.empty() && !git.Head()) {
      source.emplace();
    } else {
      auto id = ResolveObject(git, name);
      if (!id) return Error(Code::kNoEntry, "could not resolve " + name);
      PADDOCK_ASSIGN(source, git.FlattenCommit(*id));
    }
  }
  auto count = RestoreFiles(git, source, options.staged, to_files, true, options.ours ? 2 : options.theirs ? 3 : 0, operands);
  if (!count && count.error().code == Code::kConflict) return 1;
  if (!count) return count.error();
  return 0;
}

struct ResetOptions {
  enum class Mode { kMixed, kSoft, kHard, kMerge, kKeep } mode = Mode::kMixed;
  bool has_mode = false, quiet = false, intends = false;
};
template <ResetOptions::Mode kMode>
Status TakeMode(ResetOptions& options, std::string_view) {
  options.mode = kMode;
  options.has_mode = true;
  return {};
}

constexpr Option kResetOptions[] = {
    Call<TakeMode<ResetOptions::Mode::kMixed>>(0, "mixed", nullptr, "reset HEAD and the index (the default)"),
    Call<TakeMode<ResetOptions::Mode::kSoft>>(0, "soft", nullptr, "reset HEAD alone"),
    Call<TakeMode<ResetOptions::Mode::kHard>>(0, "hard", nullptr, "reset HEAD, the index and the working tree"),
    Call<TakeMode<ResetOptions::Mode::kKeep>>(0, "keep", nullptr, "the same, but keep local changes"),
    Flag<&ResetOptions::quiet>('q', "quiet", "say nothing"),
};

// "Unstaged changes after reset:".
Status TellUnstaged(Git& git, const Index& index) {
  PADDOCK_ASSIGN(const std::vector<FileDiff> files, CompareWithFiles(git, IndexFiles(index), index));
  if (!files.empty()) git.Print("Unstaged changes after reset:\n");
  for (const FileDiff& file : files) git.Print(std::string(1, file.status) + "\t" + file.new_path + "\n");
  return {};
}

Result<ExitStatus> ResetPaths(Git& git, const ResetOptions& options, const FlatTree& tree, const std::vector<std::string>& operands) {
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(operands));
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  const std::vector<IndexEntry> known = index.entries();
  for (const IndexEntry& entry : known) {
    if (paths.Matches(entry.path, git.in.budget) && (!tree.contains(entry.path) || entry.stage != 0)) index.Remove(entry.path);
  }
  for (const auto& [path, item] : tree) {
    git.in.budget.Step();
    if (!paths.Matches(path, git.in.budget)) continue;
    const IndexEntry* entry = index.Find(path);
    if (entry != nullptr && entry->id == item.id && entry->mode == item.mode && !entry->is_intended) continue;
    IndexEntry fresh;
    fresh.path = path;
    fresh.mode = item.mode;
    fresh.id = item.id;
    if (!IsSafePath(path)) return Error(Code::kInvalid, "invalid path '" + path + "'");
    index.Put(std::move(fresh));
  }
  PADDOCK_TRY(git.WriteIndex(index));
  if (!options.quiet && !git.work_tree.empty()) PADDOCK_TRY(TellUnstaged(git, index));
  return 0;
}

Result<ExitStatus> Reset(Git& git, ResetOptions& options, Args& args) {
  std::string name = "HEAD";
  std::vector<std::string> operands = args.operands;
  if (!operands.empty() && ResolveObject(git, operands[0])) {
    name = operands[0];
    operands.erase(operands.begin());
  } else if (!operands.empty() && (args.has_dashes || !git.in.fs.Stat(operands[0], vfs::Follow::kNo))) {
    PADDOCK_ASSIGN(const Index index, git.ReadIndex());
    const auto path = git.RepositoryPath(operands[0]);
    const bool is_known = path && (index.Find(*path) != nullptr || index.HasBelow(*path) || operands[0].find('*') != std::string::npos);
    if (args.has_dashes) return Error(Code::kNoEntry, "Failed to resolve '" + operands[0] + "' as a valid revision.");
    if (!is_known) return AmbiguousArgument(operands[0]);
  }
  operands.insert(operands.end(), args.paths.begin(), args.paths.end());
  const bool is_unborn = name == "HEAD" && !git.Head();
  FlatTree tree;
  Oid target;
  if (!is_unborn) {
    PADDOCK_ASSIGN(const Oid object, ResolveObject(git, name));
    PADDOCK_ASSIGN(tree, git.FlattenCommit(object));
    target = object;
  }
  if (!operands.empty()) {
    if (options.has_mode && options.mode != ResetOptions::Mode::kMixed) {
      static constexpr const char* kNames[] = {"mixed", "soft", "hard", "merge", "keep"};
      return Error(Code::kInvalid, "Cannot do " + std::string(kNames[static_cast<int>(options.mode)]) + " reset with paths.");
    }
    return ResetPaths(git, options, tree, operands);
  }
  if (!is_unborn) {
    auto commit = git.objects.Peel(target, ObjectType::kCommit);
    if (!commit) return Error(Code::kInvalid, "Could not parse object '" + name + "'.");
    target = *commit;
  }
  if (git.work_tree.empty() && options.mode != ResetOptions::Mode::kSoft) return Error(Code::kInvalid, std::string(options.mode == ResetOptions::Mode::kHard ? "hard" : "mixed") + " reset is not allowed in a bare repository");
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  if (options.mode == ResetOptions::Mode::kSoft && (index.HasConflicts() || git.in.fs.Stat(git.GitPath("MERGE_HEAD")))) return Error(Code::kInvalid, "Cannot do a soft reset in the middle of a merge.");
  if (options.mode == ResetOptions::Mode::kHard) {
    PADDOCK_ASSIGN(const bool done, SwitchFiles(git, {}, tree, index, "reset", true));
    if (!done) return 1;
    PADDOCK_TRY(git.WriteIndex(index));
  } else if (options.mode == ResetOptions::Mode::kKeep) {
    FlatTree head;
    if (const auto id = git.Head()) {
      PADDOCK_ASSIGN(head, git.FlattenCommit(*id));
    }
    PADDOCK_ASSIGN(const bool done, SwitchFiles(git, head, tree, index, "reset", false));
    if (!done) return Error(Code::kInvalid, "Could not reset index file to revision '" + name + "'.");
    PADDOCK_TRY(git.WriteIndex(index));
  }
  if (!is_unborn) {
    if (const auto head = git.Head()) PADDOCK_TRY(git.refs.WriteDirect("ORIG_HEAD", *head));
    PADDOCK_TRY(git.refs.Write("HEAD", target, git.Who(), "reset: moving to " + name));
  }
  for (const char* file : {"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD", "SQUASH_MSG"}) {
    if (options.mode != ResetOptions::Mode::kSoft) static_cast<void>(git.in.fs.RemoveFile(git.GitPath(file)).has_value());
  }
  if (options.mode == ResetOptions::Mode::kMixed) {
    ResetOptions quiet = options;
    return ResetPaths(git, quiet, tree, {});
  }
  if (options.mode == ResetOptions::Mode::kHard && !options.quiet && !is_unborn) {
    PADDOCK_ASSIGN(const Commit commit, git.objects.ReadCommit(target));
    git.Print("HEAD is now at " + git.objects.Abbreviate(target) + " " + commit.message.substr(0, commit.message.find('\n')) + "\n");
  }
  return 0;
}

}  // namespace

extern const Subcommand kAdd, kRm, kMv, kRestore, kReset;
const Subcommand kAdd = DefineSubcommand<AddOptions, Add>({.name = "add", .summary = "put files into the index", .synopsis = "[<options>] [--] <pathspec>...", .options = kAddOptions, .needs = Subcommand::Needs::kWorkTree});
const Subcommand kRm = DefineSubcommand<RmOptions, Rm>({.name = "rm", .summary = "remove files from the working tree and the index", .synopsis = "[<options>] [--] <pathspec>...", .options = kRmOptions, .needs = Subcommand::Needs::kWorkTree});
const Subcommand kMv = DefineSubcommand<MvOptions, Mv>({.name = "mv", .summary = "move or rename a file or directory", .synopsis = "[<options>] <source>... <destination>", .options = kMvOptions, .needs = Subcommand::Needs::kWorkTree});
const Subcommand kRestore = DefineSubcommand<RestoreOptions, Restore>({.name = "restore", .summary = "restore files of the working tree", .synopsis = "[<options>] [--source=<tree>] <file>...", .options = kRestoreOptions, .needs = Subcommand::Needs::kWorkTree});
const Subcommand kReset = DefineSubcommand<ResetOptions, Reset>({.name = "reset", .summary = "set HEAD, the index and the files to a commit", .synopsis = "[--mixed | --soft | --hard | --keep] [-q] [<commit>]\n[-q] [<tree>] [--] <pathspec>...", .options = kResetOptions});

}  // namespace paddock::git
