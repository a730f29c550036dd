// git restore, and what git checkout does with files.
#include "commands/git/work/restore.h"

#include <algorithm>
#include <set>

#include "commands/git/refs/revision.h"
#include "commands/git/work/patch_choice.h"
#include "commands/git/work/pathspec_file.h"
#include "commands/git/work/unsupported_parts.h"
#include "commands/git/work/worktree.h"

namespace paddock::git {
namespace {

// Writes a conflict of the index into the file again.
Status Recreate(Git& git, const Index& index, const std::string& path, const MergeStyle& style) {
  const IndexEntry* base = index.Find(path, 1);
  const IndexEntry* ours = index.Find(path, 2);
  const IndexEntry* theirs = index.Find(path, 3);
  if (ours == nullptr || theirs == nullptr) return Error(Code::kConflict, "path '" + path + "' does not have necessary versions");
  std::string base_text;
  if (base != nullptr) {
    PADDOCK_ASSIGN(base_text, git.ReadBlob(base->id));
  }
  PADDOCK_ASSIGN(const std::string our_text, git.ReadBlob(ours->id));
  PADDOCK_ASSIGN(const std::string their_text, git.ReadBlob(theirs->id));
  const TextMerge merge = MergeTexts(base_text, our_text, their_text, {"ours", "theirs", "base"}, style, git.in.budget);
  return PutContent(git, path, ours->mode, merge.text, true);
}

// Conflicts that the operands name. False: something is wrong, and told.
bool CheckConflicts(Git& git, const RestorePlan& plan, const Index& index, const std::set<std::string>& unmerged) {
  bool is_fine = true;
  for (const std::string& path : unmerged) {
    if (plan.passes_unmerged) {
      git.Warn("path '" + path + "' is unmerged");
    } else if (plan.stage != 0 && index.Find(path, plan.stage) == nullptr) {
      git.Complain("path '" + path + "' does not have " + (plan.stage == 2 ? "our" : "their") + " version");
      is_fine = false;
    } else if (plan.stage == 0 && plan.recreates && (index.Find(path, 2) == nullptr || index.Find(path, 3) == nullptr)) {
      git.Complain("path '" + path + "' does not have all necessary versions");
      is_fine = false;
    } else if (plan.stage == 0 && !plan.recreates) {
      git.Complain("path '" + path + "' is unmerged");
      is_fine = false;
    }
  }
  return is_fine;
}

}  // namespace

Result<Restored> RestoreFiles(Git& git, const RestorePlan& plan, const std::vector<std::string>& operands) {
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(operands));
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  if (plan.recreates && plan.stage == 0 && !plan.source) {
    // What was resolved is a conflict again.
    const auto resolved = index.resolved();
    for (const auto& [path, conflict] : resolved) {
      git.in.budget.Step();
      if (index.Find(path) != nullptr && paths.Matches(path, git.in.budget)) index.Unmerge(path);
    }
  }
  FlatTree wanted;
  for (const auto& [path, item] : plan.source ? *plan.source : FlatTree()) {
    git.in.budget.Step();
    // A file that is skipped and has nothing new stays as it is.
    const IndexEntry* entry = index.Find(path);
    if (!plan.sees_skipped && entry != nullptr && entry->is_skipped && TreeItem{entry->mode, entry->id} == item) continue;
    if (paths.Matches(path, git.in.budget)) wanted[path] = item;
  }
  std::set<std::string> unmerged;
  const std::vector<IndexEntry> known = index.entries();
  for (const IndexEntry& entry : known) {
    git.in.budget.Step();
    if (entry.is_skipped && !plan.sees_skipped) continue;
    // Without --no-overlay only what the source has counts as known.
    if ((plan.source && !plan.deletes) || !paths.Matches(entry.path, git.in.budget) || plan.source) continue;
    if (entry.stage != 0) unmerged.insert(entry.path);
    if (entry.stage == 0 || (entry.stage == plan.stage && !plan.passes_unmerged)) wanted[entry.path] = {entry.mode, entry.id};
  }
  if (const auto unmatched = paths.Unmatched(); !unmatched.empty()) {
    for (const std::string& operand : unmatched) git.Complain("pathspec '" + operand + "' did not match any file(s) known to git");
    return Error(Code::kConflict);
  }
  if (!CheckConflicts(git, plan, index, unmerged)) return Error(Code::kConflict);
  Restored done;
  for (const std::string& path : plan.recreates && plan.stage == 0 ? unmerged : std::set<std::string>()) {
    PADDOCK_TRY(Recreate(git, index, path, plan.style));
    ++done.conflicts;
  }
  for (const IndexEntry& entry : known) {
    if (!plan.source || !plan.deletes || (entry.is_skipped && !plan.sees_skipped) || wanted.contains(entry.path) || !paths.Matches(entry.path, git.in.budget)) continue;
    if (plan.to_files) RemoveWorkFile(git, entry.path);
    if (plan.to_index) index.Remove(entry.path);
  }
  for (const auto& [path, item] : wanted) {
    git.in.budget.Step();
    const IndexEntry* entry = index.Find(path);
    if (plan.to_files) {
      PADDOCK_ASSIGN(const auto file, StageFile(git, path, false));
      IndexEntry fresh;
      const bool is_same = file && file->id == item.id && file->mode == item.mode;
      if (!is_same) PADDOCK_TRY(PutFile(git, path, item, true, &fresh));
      else fresh = *file;
      if (!is_same || unmerged.contains(path)) ++done.files;
      fresh.is_skipped = entry != nullptr && entry->is_skipped && entry->id == item.id;
      if (plan.to_index || (entry != nullptr && entry->id == item.id)) index.Put(std::move(fresh));
    } else if (entry == nullptr || entry->id != item.id || entry->mode != item.mode || entry->is_intended) {
      IndexEntry fresh;
      fresh.path = path;
      fresh.mode = item.mode;
      fresh.id = item.id;
      if (!IsSafePath(path)) return Error(Code::kInvalid, "invalid path '" + path + "'");
      index.Put(std::move(fresh));
      ++done.files;
    }
  }
  PADDOCK_TRY(git.WriteIndex(index));
  return done;
}

namespace {

struct RestoreOptions {
  std::string source, pathspec_file, conflict;
  bool staged = false, worktree = false, quiet = false, ours = false, theirs = false, merge = false, overlay = false, no_overlay = false, ignores_unmerged = false, patch = false, pathspec_nul = false, sees_skipped = false, progress = false, no_progress = false, recurses = false, no_recursion = false;
};

constexpr Option kRestoreOptions[] = {
    Value<&RestoreOptions::source>('s', "source", "TREE", "take the files from TREE"),
    Flag<&RestoreOptions::staged>('S', "staged", "restore the index"),
    Flag<&RestoreOptions::worktree>('W', "worktree", "restore the working tree (the default)"),
    Flag<&RestoreOptions::ignores_unmerged>(0, "ignore-unmerged", "pass over conflicts"),
    Flag<&RestoreOptions::overlay>(0, "overlay", "remove nothing that the source does not have"),
    Flag<&RestoreOptions::no_overlay>(0, "no-overlay", "remove it (the default)"),
    Flag<&RestoreOptions::quiet>('q', "quiet", "say nothing"),
    Flag<&RestoreOptions::merge>('m', "merge", "show conflicts anew"),
    Value<&RestoreOptions::conflict>(0, "conflict", "STYLE", "likewise, as merge, diff3 or zdiff3"),
    Flag<&RestoreOptions::ours>('2', "ours", "take our side of a conflict"),
    Flag<&RestoreOptions::theirs>('3', "theirs", "take their side of a conflict"),
    Flag<&RestoreOptions::patch>('p', "patch", "ask for each change"),
    Flag<&RestoreOptions::sees_skipped>(0, "ignore-skip-worktree-bits", "also files with that bit"),
    Flag<&RestoreOptions::progress>(0, "progress", "show progress (of what takes more than two seconds, which nothing does)"),
    Flag<&RestoreOptions::no_progress>(0, "no-progress", "show none"),
    Flag<&RestoreOptions::recurses>(0, "recurse-submodules", "submodules, too (refused where there are any)"),
    Flag<&RestoreOptions::no_recursion>(0, "no-recurse-submodules", "not those (the default)"),
    Value<&RestoreOptions::pathspec_file>(0, "pathspec-from-file", "FILE", "the files are named in FILE (-: standard input)"),
    Flag<&RestoreOptions::pathspec_nul>(0, "pathspec-file-nul", "FILE's names end with NUL"),
};

Result<ExitStatus> Restore(Git& git, RestoreOptions& options, Args& args) {
  PADDOCK_TRY(TakePathspecFile(git, options.pathspec_file, options.pathspec_nul, args));
  const std::vector<std::string> operands = args.All();
  if (operands.empty() && !options.patch) return Error(Code::kInvalid, "you must specify path(s) to restore");
  if (options.recurses) {
    PADDOCK_ASSIGN(const Index index, git.ReadIndex());
    PADDOCK_TRY(RefuseSubmodules(git, index));
  }
  RestorePlan plan;
  plan.sees_skipped = options.sees_skipped;
  plan.to_files = options.worktree || !options.staged;
  plan.to_index = options.staged;
  plan.deletes = !options.overlay;
  plan.stage = options.ours ? 2 : options.theirs ? 3 : 0;
  plan.recreates = options.merge || !options.conflict.empty();
  plan.passes_unmerged = options.ignores_unmerged;
  PADDOCK_ASSIGN(plan.style, ConfiguredStyle(git));
  if (!options.conflict.empty()) PADDOCK_TRY(TakeConflictStyle(plan.style, options.conflict));
  if (options.staged && (plan.stage != 0 || plan.recreates)) {
    return Error(Code::kInvalid, std::string("'--ours' or '--theirs', '--merge' and '--conflict' cannot be used when updating the index").c_str());
  }
  if ((plan.stage != 0 || plan.recreates) && !options.source.empty()) return Error(Code::kInvalid, "'--ours', '--theirs' and '--merge' cannot be used when checking out of a tree");
  std::string name = options.source;
  if (name.empty() && options.staged) name = "HEAD";
  if (!name.empty()) {
    if (options.source.empty() && !git.Head()) {
      plan.source.emplace();
    } else {
      auto id = ResolveObject(git, name);
      if (!id) return Error(Code::kNoEntry, "could not resolve " + name);
      PADDOCK_ASSIGN(plan.source, git.FlattenCommit(*id));
    }
  }
  if (options.patch) {
    const PatchTarget target = plan.to_index && plan.to_files ? PatchTarget::kDiscardBoth : plan.to_index ? PatchTarget::kUnstage : PatchTarget::kDiscard;
    return ChoosePatches(git, target, plan.source, options.source, operands);
  }
  auto done = RestoreFiles(git, plan, operands);
  if (!done && done.error().code == Code::kConflict) return 1;
  if (!done) return done.error();
  return 0;
}

}  // namespace

extern const Subcommand kRestore;
const Subcommand kRestore = DefineSubcommand<RestoreOptions, Restore>({.name = "restore", .summary = "restore files of the working tree", .synopsis = "[<options>] [--source=<tree>] <file>...", .options = kRestoreOptions, .needs = Subcommand::Needs::kWorkTree});

}  // namespace paddock::git
