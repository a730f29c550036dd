// git diff.
#include <algorithm>

#include "commands/git/combined_diff.h"
#include "commands/git/diff.h"
#include "commands/git/revision.h"

namespace paddock::git {
namespace {

struct Options : DiffOptions {
  bool cached = false, merge_base = false;
};
constexpr auto kOptions = JoinTables(DiffOptionTable<Options>(), std::array{
    Flag<&Options::cached>(0, "cached", "what the next commit would change"),
    Flag<&Options::cached>(0, "staged", "likewise"),
    Flag<&Options::exit_code>(0, "exit-code", "exit with 1 if something differs"),
    Flag<&Options::quiet>(0, "quiet", "show nothing, exit with 1 if something differs"),
    Flag<&Options::merge_base>(0, "merge-base", "against the common ancestor"),
});

Result<ExitStatus> Finish(Git& git, Options& options, std::vector<FileDiff> files, Pathspec& paths) {
  PADDOCK_TRY(Arrange(git, files, options, paths));
  if (!options.HasFormat() && !options.no_patch) options.patch = true;
  std::string text;
  if (!options.no_patch) {
    PADDOCK_ASSIGN(text, FormatDiff(git, files, options));
  }
  if (!options.quiet) git.Print(text);
  if (options.checks && !text.empty()) return options.exit_code ? 3 : 2;
  return (options.exit_code || options.quiet) && !files.empty() ? 1 : 0;
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

Result<ExitStatus> RunDiff(Git& git, Options& options, Args& args) {
  PADDOCK_ASSIGN(Selection selection, ParseSelection(git, args));
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(selection.paths));
  std::vector<Oid> ids = selection.included;
  // a..b is a b; a...b is the common ancestor and b.
  if (selection.has_symmetric) {
    if (selection.bases.empty()) return Error(Code::kNoEntry, selection.names[0] + ": no merge base");
    ids = {selection.bases[0], selection.included.back()};
  } else if (!selection.excluded.empty()) {
    ids.insert(ids.begin(), selection.excluded.begin(), selection.excluded.end());
  }
  if (ids.size() > 2) return CompareMerge(git, options, ids, selection);
  if (ids.size() == 2 && options.cached) return Error(Code::kInvalid, "--cached takes one revision");
  if (options.merge_base && ids.size() == 2) {
    History history(git);
    PADDOCK_ASSIGN(const std::vector<Oid> bases, history.MergeBases(ids[0], ids[1]));
    if (bases.empty()) return Error(Code::kNoEntry, "no merge base found");
    ids[0] = bases[0];
  }
  if (ids.size() == 2) {
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
    PADDOCK_ASSIGN(const FlatTree before, git.FlattenCommit(ids[0]));
    PADDOCK_ASSIGN(const FlatTree after, git.FlattenCommit(ids[1]));
    return Finish(git, options, CompareTrees(before, after), paths);
  }
  if (git.work_tree.empty()) return Error(Code::kInvalid, std::string(kNeedsWorkTree));
  PADDOCK_ASSIGN(const Index index, git.ReadIndex());
  FlatTree known = IndexFiles(index);
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
  } else {
    PADDOCK_ASSIGN(files, CompareWithFiles(git, against_tree ? base : known, index));
  }
  // Against a tree files count as they are.
  if (against_tree && !options.cached) unmerged.clear();
  for (const std::string& path : unmerged) {
    const bool lists = !against_tree && (options.name_only || options.name_status || options.raw || options.stat || options.numstat || options.shortstat);
    std::erase_if(files, [&path](const FileDiff& other) { return other.new_path == path; });
    // Lists name the file again, as it differs from our side.
    const IndexEntry* ours = index.Find(path, 2);
    const auto content = ReadWorkingFile(git, path);
    if (lists && ours != nullptr && content && *content) {
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
  std::stable_sort(files.begin(), files.end(), [](const FileDiff& a, const FileDiff& b) { return a.new_path < b.new_path; });
  return Finish(git, options, std::move(files), paths);
}

}  // namespace

extern const Subcommand kDiff;
const Subcommand kDiff = DefineSubcommand<Options, RunDiff>({.name = "diff", .summary = "show what changed", .synopsis = "[<options>] [<commit>] [--] [<path>...]\n[<options>] --cached [<commit>] [--] [<path>...]\n[<options>] <commit>...<commit> [--] [<path>...]", .options = kOptions});

}  // namespace paddock::git
