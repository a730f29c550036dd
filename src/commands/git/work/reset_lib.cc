// git reset.
#include <algorithm>

#include "commands/git/refs/revision.h"
#include "commands/git/work/commit.h"
#include "commands/git/work/patch_choice.h"
#include "commands/git/work/pathspec_file.h"
#include "commands/git/work/sparse_patterns.h"
#include "commands/git/work/stash.h"
#include "commands/git/work/unsupported_parts.h"
#include "commands/git/work/worktree.h"

namespace paddock::git {
namespace {

struct ResetOptions {
  enum class Mode { kMixed, kSoft, kHard, kMerge, kKeep } mode = Mode::kMixed;
  bool has_mode = false, quiet = false, intends = false, patch = false, pathspec_nul = false, no_refresh = false, refresh = false, recurses = false, no_recursion = false;
  std::string pathspec_file;
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
    Call<TakeMode<ResetOptions::Mode::kMerge>>(0, "merge", nullptr, "the same, but keep what is changed and not in the index"),
    Flag<&ResetOptions::quiet>('q', "quiet", "say nothing"),
    Flag<&ResetOptions::no_refresh>(0, "no-refresh", "do not look at the files"),
    Flag<&ResetOptions::refresh>(0, "refresh", "look at them (the default)"),
    Flag<&ResetOptions::patch>('p', "patch", "ask for each change"),
    Flag<&ResetOptions::intends>('N', "intent-to-add", "note that what goes will be added again"),
    Flag<&ResetOptions::recurses>(0, "recurse-submodules", "submodules, too (refused where there are any)"),
    Flag<&ResetOptions::no_recursion>(0, "no-recurse-submodules", "not those (the default)"),
    Value<&ResetOptions::pathspec_file>(0, "pathspec-from-file", "FILE", "the files are named in FILE (-: standard input)"),
    Flag<&ResetOptions::pathspec_nul>(0, "pathspec-file-nul", "FILE's names end with NUL"),
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
    if (!paths.Matches(entry.path, git.in.budget) || (tree.contains(entry.path) && entry.stage == 0)) continue;
    index.Remove(entry.path);
    if (!options.intends || tree.contains(entry.path)) continue;
    IndexEntry intended;
    intended.path = entry.path;
    intended.mode = entry.mode;
    intended.id = HashObject(ObjectType::kBlob, "");
    intended.is_intended = true;
    index.Put(std::move(intended));
  }
  const std::optional<SparsePatterns> sparse = ActivePatterns(git);
  for (const auto& [path, item] : tree) {
    git.in.budget.Step();
    if (!paths.Matches(path, git.in.budget)) continue;
    const IndexEntry* entry = index.Find(path);
    if (entry != nullptr && entry->id == item.id && entry->mode == item.mode && !entry->is_intended) continue;
    IndexEntry fresh;
    fresh.path = path;
    fresh.mode = item.mode;
    fresh.id = item.id;
    fresh.is_skipped = entry != nullptr ? entry->is_skipped : sparse && !sparse->Includes(path, git.in.budget);
    if (!IsSafePath(path)) return Error(Code::kInvalid, "invalid path '" + path + "'");
    index.Put(std::move(fresh));
  }
  PADDOCK_TRY(git.WriteIndex(index));
  if (!options.quiet && !options.no_refresh && !git.work_tree.empty()) PADDOCK_TRY(TellUnstaged(git, index));
  return 0;
}

// Whether no file that is not looked at (skip-worktree), and was changed nevertheless, would become another one.
Result<bool> SkippedAreFree(Git& git, const Index& index, const FlatTree& tree) {
  for (const IndexEntry& entry : index.entries()) {
    git.in.budget.Step();
    const auto wanted = tree.find(entry.path);
    if (!entry.is_skipped || (wanted != tree.end() && wanted->second == TreeItem{entry.mode, entry.id})) continue;
    PADDOCK_ASSIGN(const auto file, StageFile(git, entry.path, false));
    if (!file || (file->id == entry.id && file->mode == entry.mode)) continue;
    git.Complain("Entry '" + entry.path + "' not uptodate. Cannot merge.");
    return false;
  }
  return true;
}

Result<ExitStatus> Reset(Git& git, ResetOptions& options, Args& args) {
  if (options.recurses) {
    PADDOCK_ASSIGN(const Index index, git.ReadIndex());
    PADDOCK_TRY(RefuseSubmodules(git, index));
  }
  if (!options.pathspec_file.empty()) {
    if (!args.paths.empty()) return Error(Code::kInvalid, "'--pathspec-from-file' and pathspec arguments cannot be used together");
    PADDOCK_TRY(TakePathspecFile(git, options.pathspec_file, options.pathspec_nul, args.paths));
  }
  std::string name = "HEAD";
  std::vector<std::string> operands = args.operands;
  if (!operands.empty() && ResolveObject(git, operands[0])) {
    name = operands[0];
    operands.erase(operands.begin());
  } else if (!operands.empty() && (args.has_dashes || !git.in.fs.Stat(operands[0], vfs::Follow::kNo))) {
    PADDOCK_ASSIGN(const Index index, git.ReadIndex());
    const auto path = git.RepositoryPath(operands[0]);
    const bool is_known = path && (index.Find(*path) != nullptr || index.HasBelow(*path) || operands[0].find('*') != std::string::npos);
    if (args.has_dashes) return Error(Code::kNoEntry, "Failed to resolve '" + operands[0] + "' as a valid " + (args.paths.empty() ? "revision." : "tree."));
    if (!is_known) return UnknownRevision(operands[0], ResolveObject(git, operands[0]).error());
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
  if (options.patch) {
    if (options.has_mode) return Error(Code::kInvalid, "options '--patch' and '--{hard,mixed,soft}' cannot be used together");
    return ChoosePatches(git, PatchTarget::kUnstage, tree, name == "HEAD" ? "" : name, operands);
  }
  if (options.intends && (options.has_mode && options.mode != ResetOptions::Mode::kMixed)) return Error(Code::kInvalid, "the option '-N' requires '--mixed'");
  if (!operands.empty()) {
    if (options.has_mode && options.mode != ResetOptions::Mode::kMixed) {
      static constexpr const char* kNames[] = {"mixed", "soft", "hard", "merge", "keep"};
      return Error(Code::kInvalid, "Cannot do " + std::string(kNames[static_cast<int>(options.mode)]) + " reset with paths.");
    }
    if (options.has_mode) git.Warn("--mixed with paths is deprecated; use 'git reset -- <paths>' instead.");
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
  if (options.mode == ResetOptions::Mode::kKeep && (index.HasConflicts() || git.in.fs.Stat(git.GitPath("MERGE_HEAD")))) return Error(Code::kInvalid, "Cannot do a keep reset in the middle of a merge.");
  if (options.mode == ResetOptions::Mode::kHard) {
    PADDOCK_ASSIGN(const bool is_free, SkippedAreFree(git, index, tree));
    if (!is_free) return Error(Code::kInvalid, "Could not reset index file to revision '" + name + "'.");
    std::vector<std::string> skipped;
    const bool is_sparse = ActivePatterns(git).has_value();
    for (const IndexEntry& entry : index.entries()) {
      if (entry.is_skipped && !is_sparse) skipped.push_back(entry.path);
    }
    PADDOCK_ASSIGN(const bool done, SwitchFiles(git, {}, tree, index, "reset", true));
    if (!done) return 1;
    for (const std::string& path : skipped) {
      if (IndexEntry* entry = index.Find(path)) entry->is_skipped = true;   // the bit stays
    }
    PADDOCK_TRY(git.WriteIndex(index));
  } else if (options.mode == ResetOptions::Mode::kMerge) {
    PADDOCK_ASSIGN(const bool done, ResetMerged(git, tree, index));
    if (!done) return Error(Code::kInvalid, "Could not reset index file to revision '" + name + "'.");
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
    PADDOCK_TRY(git.refs.Write("HEAD", target, git.Who(), (git.in.env.Get("GIT_REFLOG_ACTION") ? std::string(*git.in.env.Get("GIT_REFLOG_ACTION")) : "reset: moving to " + name)));
  }
  if (options.mode != ResetOptions::Mode::kSoft) {
    PADDOCK_TRY(KeepAutostash(git, "MERGE_AUTOSTASH"));
    ForgetMerge(git);
  }
  if (options.mode == ResetOptions::Mode::kMixed) {
    ResetOptions quiet = options;
    return ResetPaths(git, quiet, tree, {});
  }
  if (options.mode == ResetOptions::Mode::kHard && !options.quiet && !is_unborn) {
    PADDOCK_ASSIGN(const Commit commit, git.objects.ReadCommit(target));
    const std::string subject = commit.message.substr(0, commit.message.find('\n'));
    git.Print("HEAD is now at " + git.objects.Abbreviate(target) + (subject.empty() ? "" : " " + subject) + "\n");
  }
  return 0;
}

}  // namespace

extern const Subcommand kReset;
const Subcommand kReset = DefineSubcommand<ResetOptions, Reset>({.name = "reset", .summary = "set HEAD, the index and the files to a commit", .synopsis = "[--mixed | --soft | --hard | --merge | --keep] [-q] [<commit>]\n[-q] [<tree>] [--] <pathspec>...\n-p [<tree>] [--] [<pathspec>...]", .options = kResetOptions});

}  // namespace paddock::git
