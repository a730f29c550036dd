// git diff-tree, diff-index and diff-files: the differences that scripts ask for.
#include <algorithm>

#include "commands/git/diff/combined_diff.h"
#include "commands/git/diff/diff.h"
#include "commands/git/history/pretty.h"
#include "commands/git/refs/abbrev.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/commit.h"
#include "commands/git/work/working_changes.h"
#include "commands/git/work/worktree.h"

namespace paddock::git {
namespace {

struct Options : DiffOptions {
  bool recursive = false, shows_trees = false, with_root = false, verbose = false, no_commit_id = false, from_stdin = false, against_all = false, cached = false, merge_base = false, quiet_missing = false, stays_quiet = false;
  bool has_shown = false;   // a commit, before another one
  std::optional<std::string> pretty;
};
Status TakePretty(Options& options, std::string_view value) {
  options.pretty = value.empty() ? "medium" : std::string(value);
  if (options.pretty->find('%') != std::string::npos && !options.pretty->starts_with("format:") && !options.pretty->starts_with("tformat:")) options.pretty->insert(0, "tformat:");
  return {};
}

constexpr auto kCommonOptions = JoinTables(DiffOptionTable(), std::array{
    CallOptional<TakeDiffAbbrev<&Options::abbrev>>(0, "abbrev", "N", "ids of N digits"),
    Value<&Options::output>(0, "output", "FILE", "write to FILE"),
    Flag<&Options::follows>(0, "follow", "the one file that is named, with what it was called before"),
    Flag<&Options::exit_code>(0, "exit-code", "exit with 1 if something differs"),
    Flag<&Options::quiet>(0, "quiet", "show nothing, exit with 1 if something differs"),
});
constexpr auto kTreeOptions = JoinTables(kCommonOptions, std::array{
    Flag<&Options::recursive>('r', nullptr, "go into directories"),
    Flag<&Options::shows_trees>('t', nullptr, "show the directories themselves, too"),
    Flag<&Options::with_root>(0, "root", "show what the first commit created"),
    Flag<&Options::from_stdin>(0, "stdin", "read commits from standard input"),
    Flag<&Options::against_all>('m', nullptr, "show merges, against each parent"),
    Flag<&Options::verbose>('v', nullptr, "show the message, too"),
    CallOptional<TakePretty>(0, "pretty", "FORMAT", "show the commit in this format"),
    Flag<&Options::no_commit_id>(0, "no-commit-id", "do not show the commit's id"),
    Flag<&Options::merge_base>(0, "merge-base", "against the common ancestor"),
});
constexpr auto kIndexOptions = JoinTables(kCommonOptions, std::array{
    Flag<&Options::cached>(0, "cached", "look at the index alone"),
    Flag<&Options::quiet_missing>('m', nullptr, "take missing files for unchanged"),
    Flag<&Options::merge_base>(0, "merge-base", "against the common ancestor"),
});
constexpr auto kFilesOptions = JoinTables(kCommonOptions, std::array{
    Set<&Options::stage, 0>('0', nullptr, "only tell that files are unmerged"),
    Set<&Options::stage, 1>('1', nullptr, "compare unmerged files with their common ancestor"),
    Set<&Options::stage, 1>(0, "base", "likewise"),
    Set<&Options::stage, 2>('2', nullptr, "compare unmerged files with our side (the default)"),
    Set<&Options::stage, 2>(0, "ours", "likewise"),
    Set<&Options::stage, 3>('3', nullptr, "compare unmerged files with their side"),
    Set<&Options::stage, 3>(0, "theirs", "likewise"),
    Flag<&Options::stays_quiet>('q', nullptr, "say nothing of what is wrong (nothing is said)"),
});

// Plumbing does as it is told: raw lines with whole ids, and no renames unless they are asked for.
void SetDefaults(Options& options) {
  if (!options.HasFormat() && !options.no_patch) options.raw = true;
  if (!options.abbrev) options.full_raw_ids = true;
  if (!options.textconv) options.textconv = false;
  if (!options.find_renames) options.no_renames = true;
}

Result<ExitStatus> Show(Git& git, Options& options, std::vector<FileDiff> files, Pathspec& paths, const FlatTree* before = nullptr) {
  if (!options.find_object.empty() && !ResolveObject(git, options.find_object)) return git.Complain("unable to resolve '" + options.find_object + "'", 129);
  PADDOCK_TRY(Arrange(git, files, options, paths, before));
  return ShowDiff(git, files, options);
}

// The entries of two directories that differ, without going deeper.
Result<std::vector<FileDiff>> CompareTops(Git& git, const Oid* before, const Oid* after) {
  FlatTree sides[2];
  for (const auto& [tree, side] : {std::pair{before, &sides[0]}, std::pair{after, &sides[1]}}) {
    if (tree == nullptr) continue;
    PADDOCK_ASSIGN(const std::vector<TreeEntry> entries, git.objects.ReadTree(*tree));
    for (const TreeEntry& entry : entries) {
      git.in.budget.Step();
      (*side)[entry.name] = {entry.mode, entry.id};
    }
  }
  return CompareTrees(sides[0], sides[1]);
}

// All that differs, and the directories that it is in.
Status CompareWithTrees(Git& git, const Oid* before, const Oid* after, const std::string& prefix, std::vector<FileDiff>& files) {
  git.in.budget.CheckStack();
  if (prefix.size() > 4096) return Error(Code::kNameTooLong, "path in tree is too long");
  PADDOCK_ASSIGN(const std::vector<FileDiff> tops, CompareTops(git, before, after));
  for (FileDiff top : tops) {
    const bool was_tree = top.old_mode == kModeTree, is_tree = top.new_mode == kModeTree;
    top.old_path = top.new_path = prefix + top.new_path;
    files.push_back(top);
    if (was_tree || is_tree) PADDOCK_TRY(CompareWithTrees(git, was_tree ? &top.old_id : nullptr, is_tree ? &top.new_id : nullptr, top.new_path + "/", files));
  }
  return {};
}

Result<std::vector<FileDiff>> Compare(Git& git, const Options& options, const Oid* before, const Oid* after) {
  // Only raw lines and names are shown of directories as such.
  const bool is_deep = options.recursive || options.patch || options.stat || options.numstat || options.shortstat || options.summary;
  if (!is_deep) return CompareTops(git, before, after);
  if (options.shows_trees) {
    std::vector<FileDiff> files;
    PADDOCK_TRY(CompareWithTrees(git, before, after, "", files));
    return files;
  }
  FlatTree a, b;
  if (before != nullptr) {
    PADDOCK_ASSIGN(a, git.Flatten(*before));
  }
  if (after != nullptr) {
    PADDOCK_ASSIGN(b, git.Flatten(*after));
  }
  return CompareTrees(a, b);
}

// All files of the old side, where copies of unchanged ones are looked for.
Result<FlatTree> AllBefore(Git& git, const Options& options, const Oid* before) {
  if (!options.finds_copies_harder || before == nullptr) return FlatTree();
  return git.Flatten(*before);
}

// `parent`: against which one of a merge's it is compared; null for all at once.
void ShowHeading(Git& git, Options& options, const Oid& id, const Commit& commit, const Oid* parent = nullptr) {
  if (options.pretty || options.verbose) {
    PrettyOptions pretty;
    if (parent != nullptr) pretty.from_parent = parent->Hex();
    pretty.format = options.pretty.value_or("medium");
    pretty.digits = options.abbrev.value_or(40);
    const bool shows_id = pretty.format == "oneline" || pretty.format.find("format:") != std::string::npos;
    std::string text = PrettyCommit(git, id, commit, pretty);
    if (!text.ends_with('\n')) text += '\n';
    const bool is_apart = options.has_shown && pretty.format != "oneline" && !pretty.format.starts_with("tformat:");
    git.Print((is_apart ? "\n" : "") + text + (shows_id ? "" : "\n"));
    options.has_shown = true;
  } else if (!options.no_commit_id) {
    git.Print(id.Hex() + (options.nul ? '\0' : '\n'));
  }
}

// A merge against all its parents at once.
Result<bool> ShowCombined(Git& git, Options& options, const Oid& id, const Commit& commit, Pathspec& paths) {
  const bool is_dense = options.combine == DiffOptions::Combine::kDense;
  PADDOCK_ASSIGN(const std::vector<CombinedFile> files, CombinedChanges(git, commit, paths));
  if (files.empty()) return false;
  if (options.quiet) return true;
  ShowHeading(git, options, id, commit);
  if (options.no_patch) return true;
  // What counts lines counts them against the first parent.
  Options counts = options;
  counts.patch = counts.raw = counts.name_only = counts.name_status = false;
  if (counts.HasFormat()) {
    PADDOCK_ASSIGN(const Oid before, git.objects.Peel(commit.parents[0], ObjectType::kTree));
    PADDOCK_ASSIGN(std::vector<FileDiff> first, Compare(git, counts, &before, &commit.tree));
    PADDOCK_TRY(Arrange(git, first, counts, paths));
    PADDOCK_ASSIGN(const std::string text, FormatDiff(git, first, counts));
    git.Print(text + (options.patch ? "\n" : ""));
  }
  PADDOCK_ASSIGN(const std::string text, FormatCombined(git, files, options, is_dense));
  git.Print(text);
  return true;
}

Result<bool> ShowCommit(Git& git, Options& options, const Oid& id, Pathspec& paths) {
  PADDOCK_ASSIGN(const Commit commit, git.objects.ReadCommit(id));
  if (commit.parents.empty() && !options.with_root) return false;
  if (commit.parents.size() > 1 && !options.against_all) {
    if (options.combine == DiffOptions::Combine::kDefault) return false;
    return ShowCombined(git, options, id, commit, paths);
  }
  bool differs = false;
  for (size_t i = 0; i < std::max<size_t>(commit.parents.size(), 1); ++i) {
    std::optional<Oid> before;
    if (i < commit.parents.size()) {
      PADDOCK_ASSIGN(before, git.objects.Peel(commit.parents[i], ObjectType::kTree));
    }
    PADDOCK_ASSIGN(std::vector<FileDiff> files, Compare(git, options, before ? &*before : nullptr, &commit.tree));
    PADDOCK_ASSIGN(const FlatTree all, AllBefore(git, options, before ? &*before : nullptr));
    PADDOCK_TRY(Arrange(git, files, options, paths, &all));
    if (files.empty()) continue;
    differs = true;
    if (options.quiet) continue;
    ShowHeading(git, options, id, commit, commit.parents.size() > 1 ? &commit.parents[i] : nullptr);
    if (options.no_patch) continue;
    PADDOCK_ASSIGN(const std::string text, FormatDiff(git, files, options));
    git.Print(text);
  }
  return differs;
}

Result<ExitStatus> RunTree(Git& git, Options& options, Args& args) {
  PADDOCK_TRY(SettleForms(options));
  if (options.combine == DiffOptions::Combine::kDense && !options.HasFormat() && !options.no_patch) options.patch = true;
  SetDefaults(options);
  PADDOCK_ASSIGN(Selection selection, ParseSelection(git, args));
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(selection.paths));
  std::vector<Oid> ids = selection.excluded;
  ids.insert(ids.end(), selection.included.begin(), selection.included.end());
  if (ids.empty() && !options.from_stdin) {
    git.Say("usage: git diff-tree [--stdin] [-m] [-s] [-v] [--no-commit-id] [--pretty] [-t] [-r] [--root] [<common-diff-options>] <tree-ish> [<tree-ish>] [<path>...]\n");
    return 129;
  }
  if (selection.has_symmetric && !selection.bases.empty()) ids = {selection.bases[0], selection.included.back()};
  bool differs = false;
  if (ids.size() == 1) {
    auto commit = git.objects.Peel(ids[0], ObjectType::kCommit);
    if (!commit) return 0;
    PADDOCK_ASSIGN(differs, ShowCommit(git, options, *commit, paths));
  } else if (ids.size() >= 2) {
    if (options.merge_base) {
      History history(git);
      PADDOCK_ASSIGN(const std::vector<Oid> bases, history.MergeBases(ids[0], ids[1]));
      if (bases.empty()) return Error(Code::kNoEntry, "no merge base found");
      ids[0] = bases[0];
    }
    PADDOCK_ASSIGN(const Oid before, git.objects.Peel(ids[0], ObjectType::kTree));
    PADDOCK_ASSIGN(const Oid after, git.objects.Peel(ids[1], ObjectType::kTree));
    PADDOCK_ASSIGN(std::vector<FileDiff> files, Compare(git, options, &before, &after));
    PADDOCK_ASSIGN(const FlatTree all, AllBefore(git, options, &before));
    return Show(git, options, std::move(files), paths, &all);
  }
  if (options.from_stdin) {
    while (const auto line = git.in.in.ReadLine()) {
      git.in.budget.Step();
      const auto id = Oid::FromHex(std::string_view(line->text).substr(0, 40));
      if (!id || !git.objects.Has(*id)) {
        git.Print(std::string(line->text) + "\n");
        continue;
      }
      PADDOCK_ASSIGN(const bool one, ShowCommit(git, options, *id, paths));
      differs |= one;
    }
  }
  return (options.exit_code || options.quiet) && differs ? 1 : 0;
}

// Marks what is unmerged; lists show it as that, and then as it differs from our side.
void AddUnmerged(const Index& index, const FlatTree& before, std::vector<FileDiff>& files) {
  std::set<std::string> unmerged;
  for (const IndexEntry& entry : index.entries()) {
    if (entry.stage != 0) unmerged.insert(entry.path);
  }
  if (unmerged.empty()) return;
  for (const std::string& path : unmerged) {
    FileDiff file;
    file.status = 'U';
    file.old_path = file.new_path = path;
    if (const auto old = before.find(path); old != before.end()) {
      file.old_mode = old->second.mode;
      file.old_id = old->second.id;
    }
    files.insert(files.begin(), file);
  }
  std::stable_sort(files.begin(), files.end(), [](const FileDiff& a, const FileDiff& b) { return a.new_path < b.new_path; });
}

// The state of the files as the index knows it: what does not look as it did counts as changed, even when its content is the same.
// That is what scripts run `update-index --refresh` for.
Result<std::vector<FileDiff>> CompareByStat(Git& git, const FlatTree& before, const Index& index, bool skips_missing) {
  FlatTree after;
  std::set<std::string> touched, moved /* submodules that are at another commit than the index says */;
  for (const IndexEntry& entry : index.entries()) {
    git.in.budget.Step(2);
    if (entry.stage != 0 && entry.stage != 2) continue;
    TreeItem item{entry.mode, entry.id};
    if (entry.mode == kModeCommit && entry.stage == 0) item.id = GitlinkHead(git, entry.path).value_or(entry.id);
    if (entry.is_intended || entry.is_assumed || entry.is_skipped || entry.mode == kModeCommit) {
      after[entry.path] = item;
      if (item.id != entry.id) moved.insert(entry.path);
      continue;
    }
    const auto facts = git.in.fs.Stat(git.FilePath(entry.path), vfs::Follow::kNo);
    if (!facts || facts->is_directory()) {
      if (skips_missing) after[entry.path] = item;
      continue;
    }
    const uint32_t mode = facts->is_symlink() ? kModeLink : (facts->mode & 0100) != 0 ? kModeExecutable : kModeFile;
    if (entry.stage == 0 && entry.HasStatOf(*facts) && mode == entry.mode) {
      // A file as old as the index may have changed since.
      PADDOCK_ASSIGN(const auto content, ReadWorkingFile(git, entry.path));
      if (content && HashObject(ObjectType::kBlob, content->data) == entry.id) {
        after[entry.path] = item;
        continue;
      }
    }
    after[entry.path] = {mode, Oid{}};
    touched.insert(entry.path);
  }
  std::vector<FileDiff> files = CompareTrees(before, after);
  for (FileDiff& file : files) {
    if (moved.contains(file.new_path)) file.new_is_file = true;
    if (!touched.contains(file.new_path) || file.new_mode == 0) continue;
    file.new_is_file = true;
    PADDOCK_ASSIGN(const auto content, ReadWorkingFile(git, file.new_path));
    if (content) file.new_id = HashObject(ObjectType::kBlob, content->data);
  }
  return files;
}

Result<ExitStatus> RunIndex(Git& git, Options& options, Args& args) {
  PADDOCK_TRY(SettleForms(options));
  SetDefaults(options);
  PADDOCK_ASSIGN(Selection selection, ParseSelection(git, args));
  if (selection.included.size() != 1) {
    git.Say("usage: git diff-index [-m] [--cached] [--merge-base] [<common-diff-options>] <tree-ish> [<path>...]\n");
    return 129;
  }
  Oid id = selection.included[0];
  if (options.merge_base) {
    PADDOCK_ASSIGN(const Oid head, git.RequireHead());
    History history(git);
    PADDOCK_ASSIGN(const std::vector<Oid> bases, history.MergeBases(id, head));
    if (bases.empty()) return Error(Code::kNoEntry, "no merge base found");
    id = bases[0];
  }
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(selection.paths));
  PADDOCK_ASSIGN(const FlatTree before, git.FlattenCommit(id));
  PADDOCK_ASSIGN(const Index index, git.ReadIndex());
  std::vector<FileDiff> files;
  if (options.cached) {
    files = CompareTrees(before, IndexFiles(index));
    std::set<std::string> unmerged;
    for (const IndexEntry& entry : index.entries()) {
      if (entry.stage != 0) unmerged.insert(entry.path);
    }
    std::erase_if(files, [&](const FileDiff& file) { return unmerged.contains(file.new_path); });
  } else {
    if (git.work_tree.empty()) return Error(Code::kInvalid, std::string(kNeedsWorkTree));
    PADDOCK_ASSIGN(files, CompareByStat(git, before, index, options.quiet_missing));
    PADDOCK_TRY(AddDirtyModules(git, index, &before, options, files));
  }
  if (options.cached) AddUnmerged(index, before, files);
  return Show(git, options, std::move(files), paths, &before);
}

// An unmerged file against one of its stages, or with both sides at once.
Status AddStages(Git& git, const Options& options, const Index& index, const std::string& path, bool is_combined, std::vector<FileDiff>& files) {
  PADDOCK_ASSIGN(const auto content, ReadWorkingFile(git, path));
  FileDiff file;
  file.status = 'U';
  file.old_path = file.new_path = path;
  file.new_mode = content ? content->mode : 0;
  const IndexEntry* ours = index.Find(path, 2);
  const IndexEntry* theirs = index.Find(path, 3);
  if (is_combined && ours != nullptr && theirs != nullptr) {
    file.is_combined = true;
    file.ours = {ours->mode, ours->id};
    file.theirs = {theirs->mode, theirs->id};
    files.push_back(std::move(file));
    return {};
  }
  files.push_back(std::move(file));
  const IndexEntry* stage = options.stage == 0 ? nullptr : index.Find(path, options.stage < 0 ? 2 : options.stage);
  if (stage == nullptr) return {};
  FileDiff changed;
  changed.old_path = changed.new_path = path;
  changed.old_mode = stage->mode;
  changed.old_id = stage->id;
  changed.status = content ? 'M' : 'D';
  if (content) {
    changed.new_mode = content->mode;
    changed.new_id = HashObject(ObjectType::kBlob, content->data);
    changed.new_is_file = true;
  }
  files.push_back(std::move(changed));
  return {};
}

Result<ExitStatus> RunFiles(Git& git, Options& options, Args& args) {
  PADDOCK_TRY(SettleForms(options));
  if (options.combine != DiffOptions::Combine::kDefault && !options.HasFormat() && !options.no_patch) options.patch = true;
  SetDefaults(options);
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(args.All()));
  PADDOCK_ASSIGN(const Index index, git.ReadIndex());
  FlatTree before;
  std::set<std::string> unmerged;
  for (const IndexEntry& entry : index.entries()) {
    if (entry.stage == 0) before[entry.path] = {entry.mode, entry.id};
    else unmerged.insert(entry.path);
  }
  PADDOCK_ASSIGN(std::vector<FileDiff> files, CompareByStat(git, before, index, options.quiet_missing));
  PADDOCK_TRY(AddDirtyModules(git, index, nullptr, options, files));
  std::erase_if(files, [&](const FileDiff& file) { return unmerged.contains(file.new_path); });
  const bool is_combined = options.patch && options.stage < 0;
  for (const std::string& path : unmerged) PADDOCK_TRY(AddStages(git, options, index, path, is_combined, files));
  std::stable_sort(files.begin(), files.end(), [](const FileDiff& a, const FileDiff& b) { return a.new_path < b.new_path; });
  return Show(git, options, std::move(files), paths, &before);
}

}  // namespace

extern const Subcommand kDiffTree, kDiffIndex, kDiffFiles;
const Subcommand kDiffTree = DefineSubcommand<Options, RunTree>({.name = "diff-tree", .summary = "show what differs between trees", .synopsis = "[<options>] <tree-ish> [<tree-ish>] [<path>...]", .options = kTreeOptions});
const Subcommand kDiffIndex = DefineSubcommand<Options, RunIndex>({.name = "diff-index", .summary = "show what differs between a tree and the index or files", .synopsis = "[--cached] [<options>] <tree-ish> [<path>...]", .options = kIndexOptions});
const Subcommand kDiffFiles = DefineSubcommand<Options, RunFiles>({.name = "diff-files", .summary = "show what differs between the index and the files", .synopsis = "[<options>] [<path>...]", .options = kFilesOptions, .needs = Subcommand::Needs::kWorkTree});

}  // namespace paddock::git
