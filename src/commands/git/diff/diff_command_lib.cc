// git diff.
#include <algorithm>
#include <set>

#include "commands/git/diff/combined_diff.h"
#include "commands/git/diff/diff.h"
#include "commands/git/refs/abbrev.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/attributes.h"
#include "commands/git/work/commit_changes.h"
#include "commands/git/work/working_changes.h"

namespace paddock::git {
namespace {

struct Options : DiffOptions {
  bool cached = false, merge_base = false, no_index = false;
};
constexpr auto kOptions = JoinTables(DiffOptionTable(), std::array{
    CallOptional<TakeDiffAbbrev<&Options::abbrev>>(0, "abbrev", "N", "ids of N digits"),
    Flag<&Options::follows>(0, "follow", "the one file that is named, with what it was called before"),
    Set<&Options::stage, 0>('0', nullptr, "only tell that files are unmerged"),
    Set<&Options::stage, 1>('1', "base", "compare unmerged files with their common ancestor"),
    Set<&Options::stage, 2>('2', "ours", "with our side"),
    Set<&Options::stage, 3>('3', "theirs", "with their side"),
    Value<&Options::output>(0, "output", "FILE", "write to FILE"),
    Flag<&Options::cached>(0, "cached", "what the next commit would change"),
    Flag<&Options::cached>(0, "staged", "likewise"),
    Flag<&Options::exit_code>(0, "exit-code", "exit with 1 if something differs"),
    Flag<&Options::quiet>(0, "quiet", "show nothing, exit with 1 if something differs"),
    Flag<&Options::no_index>(0, "no-index", "two files or directories, whether git knows them or not"),
    Flag<&Options::merge_base>(0, "merge-base", "against the common ancestor"),
});

Result<ExitStatus> Finish(Git& git, Options& options, std::vector<FileDiff> files, Pathspec& paths, const FlatTree* before = nullptr) {
  if (!options.find_object.empty() && !ResolveObject(git, options.find_object)) return git.Complain("unable to resolve '" + options.find_object + "'", 129);
  if (options.follows && paths.count() != 1) return Error(Code::kInvalid, "--follow requires exactly one pathspec");
  PADDOCK_TRY(Arrange(git, files, options, paths, before));
  if (!options.HasFormat() && !options.no_patch) options.patch = true;
  // Patches of conflicts alone are no difference.
  const bool is_combined = options.patch && !options.quiet && !files.empty() && std::all_of(files.begin(), files.end(), [](const FileDiff& file) { return file.is_combined; });
  PADDOCK_ASSIGN(const ExitStatus status, ShowDiff(git, files, options));
  return is_combined ? 0 : status;
}

// git diff MERGE PARENT...: the first is what came out.
Result<ExitStatus> CompareMerge(Git& git, Options& options, std::vector<Oid> ids, const Selection& selection) {
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(selection.paths));
  Commit merge;
  PADDOCK_ASSIGN(merge.tree, git.objects.Peel(ids[0], ObjectType::kTree));
  merge.parents.assign(ids.begin() + 1, ids.end());
  PADDOCK_ASSIGN(const std::vector<CombinedFile> files, CombinedChanges(git, merge, paths));
  if (!options.HasFormat()) options.patch = true;
  PADDOCK_ASSIGN(const std::string text, FormatCombined(git, files, options, options.combine != DiffOptions::Combine::kPlain));
  git.Print(text);
  return 0;
}

struct OutsideFile {
  uint32_t mode = 0;
  std::shared_ptr<const std::string> text;
};
using OutsideFiles = std::map<std::string, OutsideFile>;   // by path below the operand

Status ReadOutside(Git& git, const std::string& path, const std::string& below, OutsideFiles& files) {
  git.in.budget.CheckStack();
  git.in.budget.Step(8);
  PADDOCK_ASSIGN(const vfs::Attributes facts, git.in.fs.Stat(path, below.empty() ? vfs::Follow::kYes : vfs::Follow::kNo));
  if (facts.is_directory()) {
    PADDOCK_ASSIGN(const auto list, git.in.fs.List(path));
    for (const vfs::DirectoryEntry& entry : list) PADDOCK_TRY(ReadOutside(git, vfs::JoinPath(path, entry.name), below.empty() ? entry.name : below + "/" + entry.name, files));
    return {};
  }
  OutsideFile file;
  std::string text;
  if (facts.is_symlink()) {
    file.mode = kModeLink;
    PADDOCK_ASSIGN(text, git.in.fs.ReadLink(path));
  } else {
    file.mode = (facts.mode & 0100) != 0 ? kModeExecutable : kModeFile;
    git.in.budget.WillAllocate(facts.size);
    PADDOCK_ASSIGN(text, vfs::ReadFile(git.in.fs, path));
  }
  file.text = std::make_shared<const std::string>(std::move(text));
  files[below] = std::move(file);
  return {};
}

// git diff --no-index A B; "-" is standard input.
Result<ExitStatus> CompareOutside(Git& git, Options& options, const std::vector<std::string>& operands) {
  if (operands.size() != 2) {
    git.Say("usage: git diff --no-index [<options>] <path> <path>\n");
    return 129;
  }
  std::string names[2] = {operands[0], operands[1]};
  OutsideFiles sides[2];
  bool is_directory[2] = {false, false};
  for (size_t i = 0; i < 2; ++i) {
    if (names[i] == "-" || names[i] == "/dev/null") continue;
    const auto facts = git.in.fs.Stat(names[i]);
    if (!facts) return git.Complain("Could not access '" + names[i] + "'");
    is_directory[i] = facts->is_directory();
  }
  // A file is compared with the one of that name in a directory.
  for (size_t i = 0; i < 2; ++i) {
    if (!is_directory[i] || is_directory[1 - i] || names[1 - i] == "-" || names[1 - i] == "/dev/null") continue;
    names[i] = vfs::JoinPath(names[i], vfs::BaseName(names[1 - i]));
    is_directory[i] = false;
    if (!git.in.fs.Stat(names[i])) return git.Complain("Could not access '" + names[i] + "'");
  }
  for (size_t i = 0; i < 2; ++i) {
    if (names[i] == "/dev/null") continue;
    if (names[i] == "-") sides[i][""] = {kModeFile, std::make_shared<const std::string>(git.in.in.ReadAll())};
    else PADDOCK_TRY(ReadOutside(git, names[i], "", sides[i]));
  }
  std::set<std::string> paths;
  for (const OutsideFiles& side : sides) {
    for (const auto& [path, file] : side) paths.insert(path);
  }
  std::vector<FileDiff> files;
  const auto shown = [](const std::string& operand, const std::string& below) {
    std::string name = below.empty() ? operand : vfs::JoinPath(operand, below);
    return name.starts_with('/') ? name.substr(1) : name;
  };
  for (const std::string& path : paths) {
    FileDiff file;
    const auto a = sides[0].find(path), b = sides[1].find(path);
    file.old_path = shown(names[0], path);
    file.new_path = shown(names[1], path);
    if (a != sides[0].end()) {
      file.old_mode = a->second.mode;
      file.old_text = a->second.text;
      if (names[0] != "-") file.old_id = HashObject(ObjectType::kBlob, *file.old_text);
    } else {
      file.status = 'A';
      file.old_path = file.new_path;
    }
    if (b != sides[1].end()) {
      file.new_mode = b->second.mode;
      file.new_text = b->second.text;
      if (names[1] != "-") file.new_id = HashObject(ObjectType::kBlob, *file.new_text);
    } else {
      file.status = 'D';
      file.new_path = file.old_path;
    }
    const bool is_same_text = file.old_text && file.new_text && *file.old_text == *file.new_text;
    if (!is_same_text || file.old_mode != file.new_mode) files.push_back(std::move(file));
  }
  options.exit_code = true;
  Pathspec everything;
  return Finish(git, options, std::move(files), everything);
}

// What is compared: a..b is a b; a...b is the common ancestor and b.
Result<std::vector<Oid>> EndsOf(const Selection& selection) {
  std::vector<Oid> ids = selection.included;
  if (selection.has_symmetric) {
    if (selection.bases.empty()) return Error(Code::kNoEntry, selection.names[0] + ": no merge base");
    ids = {selection.bases[0], selection.included.back()};
  } else if (!selection.excluded.empty()) {
    ids.insert(ids.begin(), selection.excluded.begin(), selection.excluded.end());
  }
  return ids;
}

// --merge-base: the common ancestor, of HEAD where there is one commit alone, takes the place of the first.
Status TakeMergeBase(Git& git, std::vector<Oid>& ids) {
  if (ids.empty() || ids.size() > 2) return {};
  Oid other = ids.back();
  if (ids.size() == 1) {
    PADDOCK_ASSIGN(other, git.RequireHead());
  }
  History history(git);
  PADDOCK_ASSIGN(const std::vector<Oid> bases, history.MergeBases(ids[0], other));
  if (bases.empty()) return Error(Code::kNoEntry, "no merge base found");
  ids[0] = bases[0];
  return {};
}

// Two trees or two files of the repository.
Result<ExitStatus> CompareTwo(Git& git, Options& options, const std::vector<Oid>& ids, const Selection& selection, Pathspec& paths) {
  const auto a = git.objects.Read(ids[0]), b = git.objects.Read(ids[1]);
  if (a && b && a->type == ObjectType::kBlob && b->type == ObjectType::kBlob) {
    FileDiff file;
    file.old_path = ids[0].Hex();
    file.new_path = ids[1].Hex();
    file.old_mode = file.new_mode = kModeFile;
    file.old_id = ids[0];
    file.new_id = ids[1];
    if (const size_t colon = selection.names.size() == 2 ? selection.names[0].find(':') : std::string::npos; colon != std::string::npos) {
      file.old_path = selection.names[0].substr(colon + 1);
      file.new_path = selection.names[1].substr(selection.names[1].find(':') + 1);
    }
    std::vector<FileDiff> files;
    if (ids[0] != ids[1]) files.push_back(file);
    return Finish(git, options, files, paths);
  }
  SkipIndexAttributes(git);
  FlatTree before;
  if (options.finds_copies_harder) {
    PADDOCK_ASSIGN(before, git.FlattenCommit(ids[0]));
  }
  PADDOCK_ASSIGN(const Oid old_tree, git.objects.Peel(ids[0], ObjectType::kTree));
  PADDOCK_ASSIGN(const Oid new_tree, git.objects.Peel(ids[1], ObjectType::kTree));
  const Pathspec everything;
  PADDOCK_ASSIGN(std::vector<FileDiff> files, DifferencesOf(git, &old_tree, &new_tree, options.follows ? everything : paths));
  return Finish(git, options, std::move(files), paths, &before);
}

// A file with conflicts takes the place of what it differs by.
void AddUnmerged(Git& git, const Options& options, const Index& index, const std::string& path, bool against_tree, std::vector<FileDiff>& files) {
  const bool lists = !against_tree && (options.stage >= 0 || options.name_only || options.name_status || options.raw || options.stat || options.numstat || options.shortstat);
  std::erase_if(files, [&path](const FileDiff& other) { return other.new_path == path; });
  // Lists name the file again, as it differs from our side.
  const IndexEntry* ours = index.Find(path, options.stage < 0 ? 2 : options.stage);
  const auto content = ReadWorkingFile(git, path);
  if (lists && options.stage != 0 && ours != nullptr && content && *content) {
    FileDiff changed;
    changed.old_path = changed.new_path = path;
    changed.old_mode = ours->mode;
    changed.new_mode = (*content)->mode;
    changed.old_id = ours->id;
    changed.new_id = HashObject(ObjectType::kBlob, (*content)->data);
    changed.new_is_file = true;
    if (changed.old_id != changed.new_id) files.push_back(std::move(changed));
  }
  FileDiff file;
  file.status = 'U';
  file.old_path = file.new_path = path;
  const IndexEntry* theirs_entry = index.Find(path, 3);
  if (!against_tree && !lists && ours != nullptr && theirs_entry != nullptr && content) {
    file.is_combined = true;
    file.ours = {ours->mode, ours->id};
    file.theirs = {theirs_entry->mode, theirs_entry->id};
    file.new_mode = *content ? (*content)->mode : 0;
  }
  files.insert(files.begin(), file);
}

// The working tree or the index against a commit or each other.
Result<ExitStatus> CompareWorking(Git& git, Options& options, const std::vector<Oid>& ids, Pathspec& paths) {
  if (git.work_tree.empty()) return Error(Code::kInvalid, std::string(kNeedsWorkTree));
  PADDOCK_ASSIGN(const Index index, git.ReadIndex());
  TakeIndexAttributes(git, index);
  FlatTree known;
  if (options.cached || options.finds_copies_harder) known = IndexFiles(index, options.shows_intended);
  std::vector<std::string> unmerged;
  for (const IndexEntry& entry : index.entries()) {
    if (entry.stage != 0 && (unmerged.empty() || unmerged.back() != entry.path)) unmerged.push_back(entry.path);
  }
  FlatTree base;
  const bool against_tree = !ids.empty() || options.cached;
  if (!ids.empty()) {
    PADDOCK_ASSIGN(base, git.FlattenCommit(ids[0]));
  } else if (options.cached) {
    if (const auto head = git.Head()) {
      PADDOCK_ASSIGN(base, git.FlattenCommit(*head));
    }
  }
  std::vector<FileDiff> files;
  if (options.cached) {
    files = CompareTrees(base, known);
  } else if (against_tree) {
    PADDOCK_ASSIGN(files, CompareWithFiles(git, base, index));
  } else {
    PADDOCK_ASSIGN(files, CompareIndexWithFiles(git, index, options.shows_intended));
  }
  if (!options.cached) PADDOCK_TRY(AddDirtyModules(git, index, against_tree ? &base : nullptr, options, files));
  // Against a tree files count as they are.
  if (against_tree && !options.cached) unmerged.clear();
  for (const std::string& path : unmerged) AddUnmerged(git, options, index, path, against_tree, files);
  std::stable_sort(files.begin(), files.end(), [](const FileDiff& a, const FileDiff& b) { return a.new_path < b.new_path; });
  return Finish(git, options, std::move(files), paths, against_tree ? &base : &known);
}

Result<ExitStatus> RunDiff(Invocation& in, Git* maybe_git, Options& options, Args& args) {
  PADDOCK_TRY(SettleForms(options));
  if (!options.textconv) options.textconv = true;
  if (!options.ext_diff) options.ext_diff = true;
  if (maybe_git == nullptr || options.no_index) {
    if (maybe_git == nullptr && !options.no_index && args.All().size() != 2) {
      in.err.Write("warning: Not a git repository. Use --no-index to compare two paths outside a working tree\nusage: git diff --no-index [<options>] <path> <path>\n");
      return 129;
    }
    if (maybe_git != nullptr) TakeDiffConfig(*maybe_git, options);
    if (maybe_git != nullptr) return CompareOutside(*maybe_git, options, args.All());
    Git nowhere(in, "", "", true);
    return CompareOutside(nowhere, options, args.All());
  }
  Git& git = *maybe_git;
  TakeDiffConfig(git, options);
  PADDOCK_ASSIGN(Selection selection, ParseSelection(git, args));
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(selection.paths));
  PADDOCK_ASSIGN(std::vector<Oid> ids, EndsOf(selection));
  if (ids.size() > 2) return CompareMerge(git, options, ids, selection);
  if (ids.size() == 2 && options.cached) return Error(Code::kInvalid, "--cached takes one revision");
  if (options.merge_base) PADDOCK_TRY(TakeMergeBase(git, ids));
  return ids.size() == 2 ? CompareTwo(git, options, ids, selection, paths) : CompareWorking(git, options, ids, paths);
}

}  // namespace

extern const Subcommand kDiff;
const Subcommand kDiff = DefineFreeSubcommand<Options, RunDiff>({.name = "diff", .summary = "show what changed", .synopsis = "[<options>] [<commit>] [--] [<path>...]\n[<options>] --cached [<commit>] [--] [<path>...]\n[<options>] <commit>...<commit> [--] [<path>...]", .options = kOptions, .needs = Subcommand::Needs::kMaybeRepository});

}  // namespace paddock::git
