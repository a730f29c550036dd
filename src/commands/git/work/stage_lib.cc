// git add, rm and mv: what goes into the index and comes out of it.
#include <algorithm>
#include <set>
#include <utility>

#include "commands/git/refs/revision.h"
#include "commands/git/remote/submodule.h"
#include "commands/git/work/add_menu.h"
#include "commands/git/work/patch_choice.h"
#include "commands/git/work/pathspec_file.h"
#include "commands/git/work/sparse_patterns.h"
#include "commands/git/work/status.h"
#include "commands/git/work/unsupported_parts.h"
#include "commands/git/work/worktree.h"

namespace paddock::git {
namespace {

struct AddOptions {
  bool dry_run = false, verbose = false, force = false, update = false, all = false, intends = false, ignores_removal = false, ignores_errors = false;
  std::string chmod, pathspec_file;
  bool interactive = false, edits = false, patch = false, pathspec_nul = false, renormalizes = false, refreshes = false, ignores_missing = false, sparse = false;
};

constexpr Option kAddOptions[] = {
    Flag<&AddOptions::dry_run>('n', "dry-run", "show what would be added"),
    Flag<&AddOptions::verbose>('v', "verbose", "tell what is added"),
    Flag<&AddOptions::interactive>('i', "interactive", "choose in menus"),
    Flag<&AddOptions::edits>('e', "edit", "edit the patch that is added"),
    Flag<&AddOptions::patch>('p', "patch", "ask for each change"),
    Flag<&AddOptions::force>('f', "force", "add ignored files, too"),
    Flag<&AddOptions::update>('u', "update", "only files that git knows"),
    Flag<&AddOptions::all>('A', "all", "add, change and remove as in the working tree"),
    Flag<&AddOptions::ignores_removal>(0, "ignore-removal", "do not take out what was deleted"),
    Flag<&AddOptions::ignores_removal>(0, "no-all", "likewise"),
    Flag<&AddOptions::intends>('N', "intent-to-add", "only note that the file will be added"),
    Flag<&AddOptions::ignores_errors>(0, "ignore-errors", "go on when a file cannot be added"),
    Flag<&AddOptions::renormalizes>(0, "renormalize", "put all files that git knows into the index anew (implies -u)"),
    Flag<&AddOptions::refreshes>(0, "refresh", "add nothing, only look at the files"),
    Flag<&AddOptions::ignores_missing>(0, "ignore-missing", "with -n: also for files that are not there"),
    Value<&AddOptions::pathspec_file>(0, "pathspec-from-file", "FILE", "the files are named in FILE (-: standard input)"),
    Flag<&AddOptions::pathspec_nul>(0, "pathspec-file-nul", "FILE's names end with NUL"),
    Flag<&AddOptions::sparse>(0, "sparse", "also for files with the skip-worktree bit"),
    Value<&AddOptions::chmod>(0, "chmod", "(+|-)x", "set the executable bit in the index"),
};

// A repository inside of this one becomes a link to its commit.
Status CheckEmbedded(Git& git, const std::string& path, bool& has_hinted) {
  if (!GitlinkHead(git, path)) return Error(Code::kNoEntry, "'" + path + "/' does not have a commit checked out");
  if (!git.config.GetBool("advice.addEmbeddedRepo", true)) return {};
  git.Warn("adding embedded git repository: " + path);
  if (std::exchange(has_hinted, true)) return {};
  git.Say("hint: You've added another git repository inside your current repository.\n"
          "hint: Clones of the outer repository will not contain the contents of\n"
          "hint: the embedded repository and will not know how to obtain it.\n"
          "hint: If you meant to add a submodule, use:\nhint: \n"
          "hint: \tgit submodule add <url> " + path + "\nhint: \n"
          "hint: If you added this path by mistake, you can remove it from the\n"
          "hint: index with:\nhint: \n"
          "hint: \tgit rm --cached " + path + "\nhint: \n"
          "hint: See \"git help submodule\" for more information.\n");
  return {};
}

Status CheckOutsideOfLinks(Git& git, const Index& index, const std::vector<std::string>& paths) {
  for (const IndexEntry& entry : index.entries()) {
    git.in.budget.Step();
    if (entry.mode != kModeCommit) continue;
    for (const std::string& path : paths) {
      if (path.size() > entry.path.size() + 1 && path.starts_with(entry.path + "/")) return Error(Code::kInvalid, "Pathspec '" + path + "' is in submodule '" + entry.path + "'");
    }
  }
  return {};
}

// `shown`: how -v and -n name it.
Status AddOne(Git& git, const AddOptions& options, Index& index, const std::string& path, const std::string& shown) {
  const IndexEntry* known = index.Find(path);
  // What is there already is not written, nor warned about, again.
  if (known != nullptr && !known->is_intended && !options.renormalizes && options.chmod.empty()) {
    PADDOCK_ASSIGN(auto same, StageFile(git, path, false));
    if (same && same->id == known->id && same->mode == known->mode) {
      if (!options.dry_run) index.Put(std::move(*same));
      return {};
    }
  }
  PADDOCK_ASSIGN(auto entry, StageFile(git, path, !options.dry_run && !options.intends, options.renormalizes));
  if (!entry) {
    if (options.ignores_removal || (known != nullptr && known->mode == kModeCommit && git.in.fs.Stat(git.FilePath(path)))) return {};
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
  if (!is_same && (options.verbose || options.dry_run)) git.Print("add '" + shown + "'\n");
  if (!options.dry_run && !(options.intends && known != nullptr)) index.Put(std::move(*entry));
  return {};
}

// Whether a sparse checkout leaves the path out.
bool IsOutside(Git& git, const std::optional<SparsePatterns>& sparse, const std::string& path) { return sparse && !sparse->Includes(path, git.in.budget); }

// Whether the operand names a file that has its skip-worktree bit, or that a sparse checkout leaves out.
Result<bool> NamesSkipped(Git& git, const Index& index, const std::string& operand) {
  PADDOCK_ASSIGN(Pathspec path, git.ParsePaths({operand}));
  const std::optional<SparsePatterns> sparse = ActivePatterns(git);
  for (const IndexEntry& entry : index.entries()) {
    git.in.budget.Step();
    if ((entry.is_skipped || IsOutside(git, sparse, entry.path)) && path.Matches(entry.path, git.in.budget)) return true;
  }
  return false;
}

// Where the directory of a file is missing below one that is there.
void WarnOfNoDirectory(Git& git, const std::string& path) {
  const std::string directory = path.substr(0, path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  if (directory.find('/') == std::string::npos || git.in.fs.Stat(git.FilePath(directory))) return;
  const auto above = git.in.fs.Stat(git.FilePath(directory.substr(0, directory.find('/'))), vfs::Follow::kNo);
  if (above && above->is_directory()) git.Warn("could not open directory '" + directory + "/': No such file or directory");
}

// --refresh: what stat says of files that are as they were.
Result<ExitStatus> Refresh(Git& git, const std::vector<std::string>& operands) {
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(operands));
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  for (IndexEntry& entry : index.entries()) {
    git.in.budget.Step();
    if (entry.stage != 0 || entry.is_intended || (!paths.empty() && !paths.Matches(entry.path, git.in.budget))) continue;
    PADDOCK_ASSIGN(auto file, StageFile(git, entry.path, false));
    if (file && file->id == entry.id && file->mode == entry.mode) entry = *file;
  }
  if (!paths.Unmatched().empty()) return Error(Code::kNoEntry, "pathspec '" + paths.Unmatched().front() + "' did not match any files");
  PADDOCK_TRY(git.WriteIndex(index));
  return 0;
}

// What add is to look at.
struct Found {
  std::vector<std::string> wanted;
  std::vector<std::string> outside;   // of a sparse checkout
  std::set<std::string> embedded;     // repositories among the wanted
};

// Files of the index that are meant, in its order.
std::vector<std::string> FindKnown(Git& git, const AddOptions& options, const std::optional<SparsePatterns>& sparse, Index& index, Pathspec& paths) {
  std::vector<std::string> wanted;
  for (IndexEntry& entry : index.entries()) {
    git.in.budget.Step();
    if (IsOutside(git, sparse, entry.path)) continue;
    if (entry.is_skipped) {
      // Its file is not looked at, so that only its mode can change, or its content where all is added anew.
      if (!options.sparse || (!paths.empty() && !paths.Matches(entry.path, git.in.budget))) continue;
      if (!options.chmod.empty() && !options.dry_run && entry.mode != kModeLink) entry.mode = options.chmod == "+x" ? kModeExecutable : kModeFile;
      if (options.renormalizes) wanted.push_back(entry.path);
      continue;
    }
    if ((paths.empty() || paths.Matches(entry.path, git.in.budget)) && (wanted.empty() || wanted.back() != entry.path)) wanted.push_back(entry.path);
  }
  return wanted;
}

// All files below a directory, whether ignored or not.
void AddBelow(Git& git, Pathspec& paths, const std::string& top, std::vector<std::string>& wanted) {
  std::vector<std::string> todo = {top};
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

void TellIgnored(Git& git, const std::vector<std::string>& hidden) {
  std::string text = "The following paths are ignored by one of your .gitignore files:\n";
  for (const std::string& path : hidden) text += path + "\n";
  git.Say(text + "hint: Use -f if you really want to add them.\nhint: Turn this message off by running\nhint: \"git config advice.addIgnoredFile false\"\n");
}

// Adds files that are not in the index. 1 when some that were named are not added; told.
Result<ExitStatus> FindNew(Git& git, const AddOptions& options, const std::optional<SparsePatterns>& sparse, Index& index, Pathspec& paths,
                           const std::vector<std::string>& operands, Found& all) {
  PADDOCK_ASSIGN(const Untracked found, FindUntracked(git, index, UntrackedMode::kAll, paths, true));
  for (const std::string& path : found.files) {
    if (IsOutside(git, sparse, path)) {
      all.outside.push_back(path);
      continue;
    }
    all.wanted.push_back(path.ends_with('/') ? path.substr(0, path.size() - 1) : path);
    if (path.ends_with('/')) all.embedded.insert(all.wanted.back());
  }
  if (options.force) {
    for (const std::string& path : found.ignored) {
      if (path.ends_with('/')) AddBelow(git, paths, path, all.wanted);
      else all.wanted.push_back(path);
    }
  }
  std::vector<std::string> hidden, skipped;
  for (const std::string& operand : paths.Unmatched()) {
    const auto path = git.RepositoryPath(operand);
    PADDOCK_ASSIGN(const bool is_skipped, NamesSkipped(git, index, operand));
    if (is_skipped) {
      skipped.push_back(operand);
      continue;
    }
    const auto facts = path ? git.in.fs.Stat(git.FilePath(*path), vfs::Follow::kNo) : Result<vfs::Attributes>(Code::kNoEntry);
    if (!facts && options.ignores_missing) {
      if (path && IsIgnored(git, *path, false)) hidden.push_back(*path);
      continue;
    }
    if (!facts && path && operands.size() == 1) WarnOfNoDirectory(git, *path);
    if (!facts) return Error(Code::kNoEntry, "pathspec '" + operand + "' did not match any files");
    if (!path->empty() && !options.force && IsIgnored(git, *path, facts->is_directory())) hidden.push_back(*path);
  }
  if (!skipped.empty()) TellSkipped(git, skipped);
  if (!options.force) {
    // A file that is hidden and was named itself.
    for (const std::string& path : found.ignored) {
      const std::string plain = path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
      const std::vector<std::string> named = paths.Paths();
      if (std::find(named.begin(), named.end(), plain) != named.end() && std::find(hidden.begin(), hidden.end(), plain) == hidden.end()) hidden.push_back(plain);
    }
  }
  if (!hidden.empty()) TellIgnored(git, hidden);
  return hidden.empty() && skipped.empty() ? 0 : 1;
}

// -u: what is named has to be known.
Result<ExitStatus> CheckNamed(Git& git, Index& index, Pathspec& paths) {
  if (paths.Unmatched().empty()) return 0;
  PADDOCK_ASSIGN(const bool is_skipped, NamesSkipped(git, index, paths.Unmatched().front()));
  if (is_skipped && paths.Unmatched().size() == 1) {
    TellSkipped(git, paths.Unmatched());
    return 1;
  }
  return Error(Code::kNoEntry, "pathspec '" + paths.Unmatched().front() + "' did not match any files");
}

// The status of what could not be added, told.
Result<ExitStatus> AddThem(Git& git, const AddOptions& options, Index& index, const Found& all) {
  ExitStatus status = 0;
  bool has_hinted = false;
  for (const std::string& path : all.wanted) {
    if (!IsSafePath(path)) return Error(Code::kInvalid, "invalid path '" + path + "'");
    if (options.renormalizes && !git.in.fs.Stat(git.FilePath(path), vfs::Follow::kNo)) return Error(Code::kNoEntry, "unable to stat '" + path + "': No such file or directory");
    const bool is_embedded = all.embedded.contains(path);
    if (const Status checked = is_embedded ? CheckEmbedded(git, path, has_hinted) : Status(); !checked) {
      status = git.Complain(checked.error().Text());
      if (!options.ignores_errors) return Error(Code::kNoEntry, "adding files failed");
      continue;
    }
    const Status added = AddOne(git, options, index, path, is_embedded ? path + "/" : path);
    if (!added && !options.ignores_errors) return Error(added.error().code, std::string(added.error().Text()));
    if (!added) status = git.Complain(added.error().Text());
  }
  if (!all.outside.empty()) {
    TellSkipped(git, all.outside);
    status = 1;
  }
  return status;
}

Result<ExitStatus> Add(Git& git, AddOptions& options, Args& args) {
  const bool asks = options.interactive || options.patch;
  if (asks && options.dry_run) return Error(Code::kInvalid, "options '--dry-run' and '--interactive/--patch' cannot be used together");
  if ((asks || options.edits) && !options.pathspec_file.empty()) return Error(Code::kInvalid, std::string("options '--pathspec-from-file' and '") + (asks ? "--interactive/--patch" : "--edit") + "' cannot be used together");
  PADDOCK_TRY(TakePathspecFile(git, options.pathspec_file, options.pathspec_nul, args));
  const std::vector<std::string> operands = args.All();
  if (options.edits && !asks) return AddEdited(git, operands);
  if (asks) {
    if (!options.patch) return RunAddMenu(git, operands);
    return ChoosePatches(git, PatchTarget::kStage, std::nullopt, "", operands);
  }
  if (options.update && options.all) return Error(Code::kInvalid, "options '-A' and '-u' cannot be used together");
  if (options.ignores_missing && !options.dry_run) return Error(Code::kInvalid, "the option '--ignore-missing' requires '--dry-run'");
  if (options.refreshes) return Refresh(git, operands);
  if (options.renormalizes) options.update = true;
  if (!options.chmod.empty() && options.chmod != "+x" && options.chmod != "-x") return Error(Code::kInvalid, "--chmod param '" + options.chmod + "' must be either -x or +x");
  if (operands.empty() && !options.update && !options.all) {
    git.Say("Nothing specified, nothing added.\nhint: Maybe you wanted to say 'git add .'?\nhint: Turn this message off by running\nhint: \"git config advice.addEmptyPathspec false\"\n");
    return 0;
  }
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(operands));
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  const std::optional<SparsePatterns> sparse = options.sparse ? std::nullopt : ActivePatterns(git);
  Found all;
  all.wanted = FindKnown(git, options, sparse, index, paths);
  PADDOCK_TRY(CheckOutsideOfLinks(git, index, paths.Paths()));
  const std::ptrdiff_t known_count = static_cast<std::ptrdiff_t>(all.wanted.size());
  PADDOCK_ASSIGN(const ExitStatus found, options.update ? CheckNamed(git, index, paths) : FindNew(git, options, sparse, index, paths, operands, all));
  if (options.update && found != 0) return found;
  // First what git knows, then what is new.
  std::sort(all.wanted.begin() + known_count, all.wanted.end());
  PADDOCK_ASSIGN(const ExitStatus added, AddThem(git, options, index, all));
  if (!options.dry_run) PADDOCK_TRY(git.WriteIndex(index));
  return added != 0 ? added : found;
}

struct RmOptions {
  bool dry_run = false, quiet = false, cached = false, force = false, recursive = false, ignores_unmatch = false, pathspec_nul = false, sparse = false;
  std::string pathspec_file;
};

constexpr Option kRmOptions[] = {
    Flag<&RmOptions::dry_run>('n', "dry-run", "only show what would be removed"),
    Flag<&RmOptions::quiet>('q', "quiet", "do not list removed files"),
    Flag<&RmOptions::cached>(0, "cached", "only remove from the index"),
    Flag<&RmOptions::force>('f', "force", "remove changed files, too"),
    Flag<&RmOptions::recursive>('r', nullptr, "remove what is in directories"),
    Flag<&RmOptions::ignores_unmatch>(0, "ignore-unmatch", "exit with zero when nothing matched"),
    Flag<&RmOptions::sparse>(0, "sparse", "also files with the skip-worktree bit"),
    Value<&RmOptions::pathspec_file>(0, "pathspec-from-file", "FILE", "the files are named in FILE (-: standard input)"),
    Flag<&RmOptions::pathspec_nul>(0, "pathspec-file-nul", "FILE's names end with NUL"),
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
    bool is_local = file && !entry->is_skipped && (file->id != entry->id || file->mode != entry->mode);
    if (entry->mode == kModeCommit && !is_local) {
      PADDOCK_ASSIGN(const ModuleDirt dirt, DirtOfModule(git, path));
      is_local = dirt.is_any();
    }
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

// A submodule goes with all of its files, but not its repository in .git/modules, and .gitmodules does not name it any more.
Status RemoveSubmodule(Git& git, const std::string& path, bool& edits_names) {
  const std::string top = git.FilePath(path), file = git.FilePath(".gitmodules");
  if (const auto facts = git.in.fs.Stat(top + "/.git", vfs::Follow::kNo); facts && facts->is_directory()) RunGitIn(git, git.work_tree, {"submodule", "absorbgitdirs", path});
  if (const auto facts = git.in.fs.Stat(top, vfs::Follow::kNo); facts && facts->is_directory()) {
    if (const Status removed = RemoveTree(git.in, top); !removed) return Error(removed.error().code, "could not remove '" + path + "': " + std::string(removed.error().Text()));
  }
  const auto text = vfs::ReadFile(git.in.fs, file, 4 << 20);
  if (!text) return {};
  PADDOCK_ASSIGN(const std::vector<ConfigEntry> entries, ParseConfig(*text, git.in.budget));
  for (const ConfigEntry& entry : entries) {
    if (!entry.key.starts_with("submodule.") || !entry.key.ends_with(".path") || entry.value != path) continue;
    const auto edited = EditConfigSection(*text, entry.key.substr(0, entry.key.size() - 5), std::nullopt);
    edits_names = edits_names || edited;
    return edited ? vfs::WriteFile(git.in.fs, file, *edited) : Status();
  }
  git.Say("warning: Could not find section in .gitmodules where path=" + path + "\n");
  return {};
}

Result<ExitStatus> Rm(Git& git, RmOptions& options, Args& args) {
  PADDOCK_TRY(TakePathspecFile(git, options.pathspec_file, options.pathspec_nul, args));
  if (args.All().empty()) return Error(Code::kInvalid, "No pathspec was given. Which files should I remove?");
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(args.All()));
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  std::vector<std::string> wanted;
  const std::optional<SparsePatterns> sparse = ActivePatterns(git);
  for (const IndexEntry& entry : index.entries()) {
    git.in.budget.Step();
    if (!options.sparse && (entry.is_skipped || IsOutside(git, sparse, entry.path))) continue;
    if (paths.Matches(entry.path, git.in.budget) && (wanted.empty() || wanted.back() != entry.path)) wanted.push_back(entry.path);
  }
  std::vector<std::string> skipped;
  for (const std::string& operand : options.ignores_unmatch ? std::vector<std::string>() : paths.Unmatched()) {
    PADDOCK_ASSIGN(const bool is_skipped, NamesSkipped(git, index, operand));
    if (!is_skipped) return Error(Code::kNoEntry, "pathspec '" + operand + "' did not match any files");
    skipped.push_back(operand);
  }
  const ExitStatus status = skipped.empty() ? 0 : 1;
  if (status != 0) TellSkipped(git, skipped);
  if (wanted.empty()) return status;
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
  const auto is_module = [&index](const std::string& path) {
    const IndexEntry* entry = index.Find(path);
    return entry != nullptr && entry->mode == kModeCommit;
  };
  if (!options.cached && std::any_of(wanted.begin(), wanted.end(), is_module)) {
    PADDOCK_ASSIGN(const auto names, StageFile(git, ".gitmodules", false));
    const IndexEntry* known = index.Find(".gitmodules");
    if (names && known != nullptr && names->id != known->id) return Error(Code::kConflict, "please stage your changes to .gitmodules or stash them to proceed");
  }
  bool edits_names = false;
  for (const std::string& path : wanted) {
    if (!options.quiet) git.Print("rm '" + path + "'\n");
    if (options.dry_run) continue;
    const bool was_module = is_module(path);
    index.Remove(path);
    if (options.cached) continue;
    if (was_module) PADDOCK_TRY(RemoveSubmodule(git, path, edits_names));
    else RemoveWorkFile(git, path);
  }
  if (edits_names) {
    PADDOCK_ASSIGN(auto names, StageFile(git, ".gitmodules", true));
    if (names) index.Put(std::move(*names));
  }
  if (!options.dry_run) PADDOCK_TRY(git.WriteIndex(index));
  return status;
}

struct MvOptions {
  bool verbose = false, dry_run = false, force = false, skips = false, sparse = false;
};

constexpr Option kMvOptions[] = {
    Flag<&MvOptions::verbose>('v', "verbose", "tell what is renamed"),
    Flag<&MvOptions::dry_run>('n', "dry-run", "only show what would happen"),
    Flag<&MvOptions::force>('f', "force", "replace what is there"),
    Flag<&MvOptions::sparse>(0, "sparse", "also files that are not there and have the skip-worktree bit"),
    Flag<&MvOptions::skips>('k', nullptr, "skip what cannot be moved"),
};

// Whether the file or directory can be moved there.
Status CheckMove(Git& git, const MvOptions& options, Index& index, const std::string& from, const std::string& to) {
  if (options.dry_run) git.Print("Checking rename of '" + from + "' to '" + to + "'\n");
  const auto refuse = [&](std::string_view why) { return Error(Code::kInvalid, std::string(why) + ", source=" + from + ", destination=" + to); };
  const auto source = git.in.fs.Stat(git.FilePath(from), vfs::Follow::kNo);
  // The entry alone moves.
  if (const IndexEntry* entry = source ? nullptr : index.Find(from); entry != nullptr && entry->is_skipped) return index.Find(to) != nullptr && !options.force ? refuse("destination exists") : Status();
  if (!source || from.empty()) return refuse("bad source");
  const bool is_directory = source->is_directory();
  if (to == from || (is_directory && to.starts_with(from + "/"))) return refuse("can not move directory into itself");
  if (is_directory ? !index.HasBelow(from) : index.Find(from) == nullptr) return refuse(is_directory ? "source directory is empty" : "not under version control");
  const auto target = git.in.fs.Stat(git.FilePath(to), vfs::Follow::kNo);
  if (target && !(options.force && !target->is_directory() && !is_directory)) return refuse("destination exists");
  if (!IsSafePath(to)) return refuse("invalid path");
  return {};
}

Status MoveOne(Git& git, const MvOptions& options, Index& index, const std::string& from, const std::string& to) {
  if (options.verbose || options.dry_run) git.Print("Renaming " + from + " to " + to + "\n");
  if (options.dry_run) return {};
  const IndexEntry* skipped = index.Find(from);
  const bool has_file = skipped == nullptr || !skipped->is_skipped || git.in.fs.Stat(git.FilePath(from), vfs::Follow::kNo);
  if (const Status moved = !has_file ? Status() : git.in.fs.Rename(git.FilePath(from), git.FilePath(to)); !moved) return Error(moved.error().code, "renaming '" + from + "' failed: " + std::string(moved.error().Text()));
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
  const std::optional<SparsePatterns> sparse = ActivePatterns(git);
  std::vector<std::string> skipped;
  std::vector<std::pair<std::string, std::string>> moves, below;   // below: files of directories, which go along
  for (const std::string& operand : operands) {
    PADDOCK_ASSIGN(const std::string from, git.RepositoryPath(operand));
    const std::string target = is_directory ? (to.empty() ? "" : to + "/") + vfs::BaseName(from) : to;
    if (const IndexEntry* entry = index.Find(from); !options.sparse && entry != nullptr && entry->is_skipped && !git.in.fs.Stat(git.FilePath(from), vfs::Follow::kNo)) {
      skipped.push_back(from);
      continue;
    }
    const Status checked = CheckMove(git, options, index, from, target);
    if (!checked && !options.skips) return checked.error();
    if (!checked) continue;
    const size_t known = skipped.size();
    for (const std::string& path : {from, target}) {
      if (!options.sparse && IsOutside(git, sparse, path)) skipped.push_back(path);
    }
    if (skipped.size() > known) continue;
    moves.emplace_back(from, target);
    for (const IndexEntry& entry : index.entries()) {
      if (!entry.path.starts_with(from + "/")) continue;
      const std::string to_path = target + entry.path.substr(from.size());
      if (!entry.is_skipped && !git.in.fs.Stat(git.FilePath(entry.path), vfs::Follow::kNo)) {
        if (options.skips) continue;
        return Error(Code::kInvalid, "bad source, source=" + entry.path + ", destination=" + to_path);
      }
      below.emplace_back(entry.path, to_path);
    }
  }
  if (!skipped.empty()) {
    TellSkipped(git, skipped);
    if (!options.skips) return 1;
  }
  for (const auto& [from, target] : options.dry_run ? below : decltype(below)()) git.Print("Checking rename of '" + from + "' to '" + target + "'\n");
  for (const auto& [from, target] : moves) PADDOCK_TRY(MoveOne(git, options, index, from, target));
  for (const auto& [from, target] : options.dry_run || options.verbose ? below : decltype(below)()) git.Print("Renaming " + from + " to " + target + "\n");
  if (!options.dry_run) PADDOCK_TRY(git.WriteIndex(index));
  return 0;
}

}  // namespace

extern const Subcommand kAdd, kStage, kRm, kMv;
const Subcommand kAdd = DefineSubcommand<AddOptions, Add>({.name = "add", .summary = "put files into the index", .synopsis = "[<options>] [--] <pathspec>...", .options = kAddOptions, .needs = Subcommand::Needs::kWorkTree});
const Subcommand kStage = DefineSubcommand<AddOptions, Add>({.name = "stage", .summary = "add, by its other name", .synopsis = "[<options>] [--] <pathspec>...", .options = kAddOptions, .needs = Subcommand::Needs::kWorkTree});
const Subcommand kRm = DefineSubcommand<RmOptions, Rm>({.name = "rm", .summary = "remove files from the working tree and the index", .synopsis = "[<options>] [--] <pathspec>...", .options = kRmOptions, .needs = Subcommand::Needs::kWorkTree});
const Subcommand kMv = DefineSubcommand<MvOptions, Mv>({.name = "mv", .summary = "move or rename a file or directory", .synopsis = "[<options>] <source>... <destination>", .options = kMvOptions, .needs = Subcommand::Needs::kWorkTree});

}  // namespace paddock::git
