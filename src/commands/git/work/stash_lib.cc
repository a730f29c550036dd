// git stash.
#include "commands/git/work/stash.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "commands/git/merge/merge.h"
#include "commands/git/merge/pick.h"
#include "commands/git/merge/rerere.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/commit.h"
#include "commands/git/work/patch_choice.h"
#include "commands/git/work/pathspec_file.h"
#include "commands/git/work/worktree.h"
#include "proc/process.h"

namespace paddock::git {
namespace {

struct Options {
  std::string message, pathspec_file;
  bool quiet = false, untracked = false, all = false, patch = false, staged = false, keeps_index = false, drops_index = false, index = false, pathspec_nul = false;
};
constexpr Option kOptions[] = {
    Flag<&Options::keeps_index>('k', "keep-index", "leave what is in the index as it is"),
    Flag<&Options::drops_index>(0, "no-keep-index", "do not (the default)"),
    Flag<&Options::staged>('S', "staged", "only what is in the index"),
    Flag<&Options::patch>('p', "patch", "ask for each change; with show: the lines"),
    Flag<&Options::quiet>('q', "quiet", "say nothing"),
    Flag<&Options::untracked>('u', "include-untracked", "untracked files, too"),
    Flag<&Options::all>('a', "all", "untracked and ignored files, too"),
    Value<&Options::message>('m', "message", "TEXT", "what it is called"),
    Value<&Options::pathspec_file>(0, "pathspec-from-file", "FILE", "the files are named in FILE (-: standard input)"),
    Flag<&Options::pathspec_nul>(0, "pathspec-file-nul", "FILE's names end with NUL"),
    Flag<&Options::index>(0, "index", "with pop and apply: the index, too"),
};

// Which entry an operand means: "stash@{1}" or "1".
Result<size_t> EntryOf(const std::string& operand) {
  std::string_view text = operand;
  if (text == "stash" || text == "refs/stash") return size_t{0};
  if (text.starts_with("refs/")) text.remove_prefix(5);
  if (text.starts_with("stash@{") && text.ends_with('}')) text = text.substr(7, text.size() - 8);
  size_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return Error(Code::kNoEntry, operand + " is not a valid reference");
  return number;
}

Result<ReflogEntry> Entry(Git& git, size_t number) {
  const std::vector<ReflogEntry> log = git.refs.ReadLog("refs/stash");
  if (log.empty()) return Error(Code::kConflict, "No stash entries found.");
  if (number >= log.size()) return Error(Code::kNoEntry, "log for 'stash' only has " + std::to_string(log.size()) + " entries");
  return log[log.size() - 1 - number];
}

// What an operand of apply, pop, drop, branch and show means: an entry, or any commit that is made like one.
struct NamedStash {
  Oid id;
  std::optional<size_t> number;   // of an entry
  std::string shown;              // in messages
  Commit state;
};

// Nothing where there is none, which has been said. Errors: kInvalid for a commit of another kind.
Result<std::optional<NamedStash>> FindStash(Git& git, const std::string& operand) {
  NamedStash named;
  const auto number = operand.empty() ? Result<size_t>(size_t{0}) : EntryOf(operand);
  const bool is_plain = operand.find_first_not_of("0123456789") == std::string::npos;
  named.shown = number && is_plain ? "refs/stash@{" + std::to_string(*number) + "}" : operand;
  if (number) {
    const auto entry = Entry(git, *number);
    if (!entry && operand.empty() && entry.error().code == Code::kConflict) {
      git.Say("No stash entries found.\n");
      return std::optional<NamedStash>();
    }
    if (entry) {
      named.id = entry->after;
      named.number = *number;
    }
  } else if (const auto commit = ResolveCommit(git, operand)) {
    named.id = *commit;
  }
  if (named.id.is_null()) {
    git.Complain(named.shown + " is not a valid reference");
    return std::optional<NamedStash>();
  }
  PADDOCK_ASSIGN(named.state, git.objects.ReadCommit(named.id));
  if (named.state.parents.size() < 2) return Error(Code::kInvalid, "'" + named.shown + "' is not a stash-like commit");
  return std::optional<NamedStash>(std::move(named));
}

Status Drop(Git& git, size_t number) {
  std::vector<ReflogEntry> log = git.refs.ReadLog("refs/stash");
  const size_t at = log.size() - 1 - number;
  if (at + 1 < log.size()) log[at + 1].before = log[at].before;
  log.erase(log.begin() + static_cast<std::ptrdiff_t>(at));
  if (log.empty()) return git.refs.Remove("refs/stash");
  PADDOCK_TRY(git.refs.WriteLog("refs/stash", log));
  return git.refs.WriteDirect("refs/stash", log.back().after);
}

// With what is said of it.
Result<ExitStatus> DropNamed(Git& git, const NamedStash& named, bool quiet) {
  if (named.shown.find('@') == std::string::npos) {   // "stash" alone is the reference, no entry of its log
    git.Complain("not a reflog: " + named.shown);
    return git.Complain(named.shown + ": Could not drop stash entry");
  }
  PADDOCK_TRY(Drop(git, *named.number));
  if (!quiet) git.Print("Dropped " + named.shown + " (" + named.id.Hex() + ")\n");
  return 0;
}

// All files below an ignored directory ("x/"), or the file itself.
Status ListFiles(Git& git, const std::string& path, std::vector<std::string>& out) {
  git.in.budget.CheckStack();
  git.in.budget.Step();
  if (!path.ends_with('/')) {
    out.push_back(path);
    return {};
  }
  PADDOCK_ASSIGN(const auto list, git.in.fs.List(git.FilePath(path)));
  for (const vfs::DirectoryEntry& entry : list) PADDOCK_TRY(ListFiles(git, path + entry.name + (entry.type == vfs::FileType::kDirectory ? "/" : ""), out));
  return {};
}

// What a stash is made of.
struct Stash {
  Commit state;
  Oid id;
  std::string title;
  std::vector<std::string> untracked;
  FlatTree base, files;
};

// Writes the commits of a stash; nothing when there is nothing to put aside.
Result<std::optional<Stash>> Make(Git& git, const Options& options, const Index& index, Pathspec& paths, const std::string& words) {
  Stash stash;
  PADDOCK_ASSIGN(const Oid head, git.RequireHead());
  PADDOCK_ASSIGN(stash.base, git.FlattenCommit(head));
  PADDOCK_ASSIGN(std::vector<FileDiff> changed, CompareWithFiles(git, IndexFiles(index), index));
  std::vector<FileDiff> staged = CompareTrees(stash.base, IndexFiles(index));
  const auto is_other = [&](const FileDiff& file) { return !paths.empty() && !paths.Matches(file.new_path, git.in.budget); };
  std::erase_if(changed, is_other);
  std::erase_if(staged, is_other);
  if (options.untracked || options.all) {
    PADDOCK_ASSIGN(const Untracked found, FindUntracked(git, index, UntrackedMode::kAll, paths, options.all));
    stash.untracked = found.files;
    for (const std::string& path : options.all ? found.ignored : std::vector<std::string>()) PADDOCK_TRY(ListFiles(git, path, stash.untracked));
    std::erase_if(stash.untracked, [](const std::string& path) { return path.ends_with('/'); });
    std::sort(stash.untracked.begin(), stash.untracked.end());
  }
  if (options.staged ? staged.empty() : changed.empty() && staged.empty() && stash.untracked.empty()) return std::optional<Stash>();
  PADDOCK_ASSIGN(const Commit last, git.objects.ReadCommit(head));
  const auto branch = git.HeadBranch();
  const std::string place = (branch ? ShortRef(*branch) : std::string("(no branch)")) + ": ";
  const std::string about = place + git.objects.Abbreviate(head) + " " + SubjectOf(last.message);
  Commit& state = stash.state;
  PADDOCK_ASSIGN(state.author, git.Author());
  PADDOCK_ASSIGN(state.committer, git.Committer());
  Commit of_index = state;
  PADDOCK_ASSIGN(of_index.tree, git.WriteTree(index));
  of_index.parents = {head};
  of_index.message = "index on " + about + "\n";
  PADDOCK_ASSIGN(const Oid index_id, git.objects.Write(ObjectType::kCommit, of_index.Text()));
  stash.files = IndexFiles(index);
  for (const FileDiff& file : options.staged ? std::vector<FileDiff>() : changed) {
    PADDOCK_ASSIGN(const auto now, StageFile(git, file.new_path, true));
    if (now) stash.files[file.new_path] = {now->mode, now->id};
    else if (stash.base.contains(file.new_path)) stash.files.erase(file.new_path);   // else only the index has it, and keeps it
  }
  for (const FileDiff& file : options.staged ? std::vector<FileDiff>() : staged) {
    if (file.new_mode != 0) continue;
    // Taken out of the index, but there.
    PADDOCK_ASSIGN(const auto now, StageFile(git, file.new_path, true));
    if (now) stash.files[file.new_path] = {now->mode, now->id};
  }
  PADDOCK_ASSIGN(state.tree, TreeOf(git, stash.files));
  state.parents = {head, index_id};
  if (options.untracked || options.all) {
    FlatTree others;
    for (const std::string& path : stash.untracked) {
      PADDOCK_ASSIGN(const auto now, StageFile(git, path, true));
      if (now) others[path] = {now->mode, now->id};
    }
    Commit of_others = of_index;
    of_others.parents.clear();
    PADDOCK_ASSIGN(of_others.tree, TreeOf(git, others));
    of_others.message = "untracked files on " + about + "\n";
    PADDOCK_ASSIGN(const Oid others_id, git.objects.Write(ObjectType::kCommit, of_others.Text()));
    state.parents.push_back(others_id);
  }
  stash.title = words.empty() ? "WIP on " + about : "On " + place + words;
  state.message = stash.title;
  PADDOCK_ASSIGN(stash.id, git.objects.Write(ObjectType::kCommit, state.Text()));
  return std::optional<Stash>(std::move(stash));
}

Status Store(Git& git, const Oid& id, const std::string& title) {
  const Oid before = git.refs.Read("refs/stash").value_or(Oid{});
  PADDOCK_TRY(git.refs.WriteDirect("refs/stash", id));
  return git.refs.Log("refs/stash", before, id, git.Who(), title);
}

// Takes the staged changes back out of the files.
Status UnstageFiles(Git& git, Index& index, const FlatTree& base, Pathspec& paths) {
  for (const FileDiff& file : CompareTrees(base, IndexFiles(index))) {
    const std::string& path = file.new_path;
    if (!paths.empty() && !paths.Matches(path, git.in.budget)) continue;
    PADDOCK_ASSIGN(const auto now, StageFile(git, path, true));
    const bool is_clean = now ? now->id == file.new_id && now->mode == file.new_mode : file.new_mode == 0;
    if (!is_clean) {
      if (!now || file.old_mode == 0 || file.new_mode == 0) return Error(Code::kConflict, "Cannot remove worktree changes");
      PADDOCK_ASSIGN(const std::string before, git.ReadBlob(file.new_id));
      PADDOCK_ASSIGN(const std::string ours, git.ReadBlob(now->id));
      PADDOCK_ASSIGN(const std::string after, git.ReadBlob(file.old_id));
      const TextMerge merge = MergeTexts(before, ours, after, {}, {}, git.in.budget);
      if (merge.has_conflict) return Error(Code::kConflict, "Cannot remove worktree changes");
      PADDOCK_TRY(PutContent(git, path, now->mode, merge.text, false));
      IndexEntry entry;
      entry.path = path;
      entry.mode = file.old_mode;
      entry.id = file.old_id;
      index.Put(std::move(entry));
      continue;
    }
    if (file.old_mode == 0) {
      RemoveWorkFile(git, path);
      index.Remove(path);
      continue;
    }
    IndexEntry entry;
    PADDOCK_TRY(PutFile(git, path, {file.old_mode, file.old_id}, true, &entry));
    index.Put(std::move(entry));
  }
  return {};
}

// The index and the files as in the last commit, where the paths match.
Status ResetFiles(Git& git, Index& index, const FlatTree& base, Pathspec& paths, const FlatTree* kept) {
  if (paths.empty() && kept == nullptr) {
    PADDOCK_ASSIGN(const bool done, SwitchFiles(git, {}, base, index, "reset", true));
    return done ? Status() : Status(Error(Code::kConflict, "Cannot remove worktree changes"));
  }
  const FlatTree& wanted = kept != nullptr ? *kept : base;
  std::set<std::string> names;
  for (const IndexEntry& entry : index.entries()) names.insert(entry.path);
  for (const auto& [path, item] : wanted) names.insert(path);
  for (const std::string& path : names) {
    git.in.budget.Step();
    if (!paths.empty() && !paths.Matches(path, git.in.budget)) continue;
    const auto item = wanted.find(path);
    if (item == wanted.end()) {
      RemoveWorkFile(git, path);
      index.Remove(path);
      continue;
    }
    IndexEntry entry;
    PADDOCK_TRY(PutFile(git, path, item->second, true, &entry));
    index.Put(std::move(entry));
  }
  return {};
}

// stash -p: what was chosen goes out of the files; the index stays.
Result<ExitStatus> PushChosen(Git& git, const Options& options, const Index& index, Pathspec& paths, const std::string& words) {
  Options plain = options;
  plain.untracked = plain.all = false;
  PADDOCK_ASSIGN(auto stash, Make(git, plain, index, paths, words));
  if (!stash) {
    if (!options.quiet) git.Print("No local changes to save\n");
    return 0;
  }
  PADDOCK_ASSIGN(std::vector<FileDiff> files, CompareWithFiles(git, stash->base, index));
  DiffOptions form;
  form.no_renames = true;
  PADDOCK_TRY(Arrange(git, files, form, paths));
  PADDOCK_ASSIGN(const std::vector<ChosenFile> chosen, AskForPatches(git, files, "Stash", "", false));
  if (chosen.empty()) {
    git.Say("No changes selected\n");
    return 1;
  }
  FlatTree tree = stash->base;
  for (const ChosenFile& file : chosen) {
    if (file.taken.mode == 0) {
      tree.erase(file.file.new_path);
      continue;
    }
    PADDOCK_ASSIGN(const Oid id, git.objects.Write(ObjectType::kBlob, file.taken.text));
    tree[file.file.new_path] = {file.taken.mode, id};
  }
  PADDOCK_ASSIGN(stash->state.tree, TreeOf(git, tree));
  PADDOCK_ASSIGN(const Oid id, git.objects.Write(ObjectType::kCommit, stash->state.Text()));
  PADDOCK_TRY(Store(git, id, stash->title));
  for (const ChosenFile& file : chosen) {
    if (file.left.mode == 0) RemoveWorkFile(git, file.file.new_path);
    else PADDOCK_TRY(PutContent(git, file.file.new_path, file.left.mode, file.left.text, true));
  }
  if (!options.quiet) git.Print("Saved working directory and index state " + stash->title + "\n");
  return 0;
}

Result<ExitStatus> Push(Git& git, const Options& options, const std::string& words, const std::vector<std::string>& operands) {
  if (!git.Head()) {
    git.Say("You do not have the initial commit yet\n");
    return 1;
  }
  if (options.staged && (options.untracked || options.all)) return Error(Code::kInvalid, "Can't use --staged and --include-untracked or --all at the same time");
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  if (index.HasConflicts()) {
    TellUnmerged(git, index);
    return 1;
  }
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(operands));
  if (!paths.empty()) {
    for (const IndexEntry& entry : index.entries()) paths.Matches(entry.path, git.in.budget);
    if (options.untracked || options.all) PADDOCK_TRY(FindUntracked(git, index, UntrackedMode::kAll, paths, options.all));
    for (const std::string& operand : paths.Unmatched()) git.Complain("pathspec ':(,prefix:" + std::to_string(git.prefix.size()) + ")" + operand + "' did not match any file(s) known to git");
    if (!paths.Unmatched().empty()) {
      git.Say("Did you forget to 'git add'?\n");
      return 1;
    }
  }
  if (options.patch) return PushChosen(git, options, index, paths, words);
  PADDOCK_ASSIGN(const auto stash, Make(git, options, index, paths, words));
  if (!stash) {
    bool has_changes = false;
    if (options.staged) {
      PADDOCK_ASSIGN(const std::vector<FileDiff> changed, CompareWithFiles(git, IndexFiles(index), index));
      has_changes = !changed.empty();
    }
    if (options.staged && has_changes) {
      git.Say("No staged changes\n");
      return 1;
    }
    if (!options.quiet) git.Print("No local changes to save\n");
    return 0;
  }
  PADDOCK_TRY(Store(git, stash->id, stash->title));
  const FlatTree in_index = IndexFiles(index);
  if (options.staged) PADDOCK_TRY(UnstageFiles(git, index, stash->base, paths));
  else PADDOCK_TRY(ResetFiles(git, index, stash->base, paths, options.keeps_index && !options.drops_index ? &in_index : nullptr));
  if (const auto head = git.Head(); head && paths.empty()) {
    // As the reset that it is.
    PADDOCK_TRY(git.refs.WriteDirect("ORIG_HEAD", *head));
    PADDOCK_TRY(git.refs.Write("HEAD", *head, git.Who(), "reset: moving to HEAD"));
  }
  for (const std::string& path : stash->untracked) RemoveWorkFile(git, path);
  PADDOCK_TRY(git.WriteIndex(index));
  if (!options.quiet) git.Print("Saved working directory and index state " + stash->title + "\n");
  return 0;
}

// Applies a stash commit to the files.
enum class Applied { kClean, kConflict, kBlocked, kRefused };
Result<Applied> ApplyState(Git& git, const Commit& state, bool with_index, const Sides& names) {
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  if (index.HasConflicts()) {
    git.Complain("could not write index");
    return Applied::kRefused;
  }
  PADDOCK_ASSIGN(const FlatTree base, git.FlattenCommit(state.parents[0]));
  PADDOCK_ASSIGN(const FlatTree theirs, git.Flatten(state.tree));
  const FlatTree ours = IndexFiles(index);
  std::optional<FlatTree> staged;
  if (with_index) {
    PADDOCK_ASSIGN(const FlatTree in_index, git.FlattenCommit(state.parents[1]));
    if (in_index != base && in_index != ours) {
      PADDOCK_ASSIGN(TreeMerge merge, MergeTrees(git, base, ours, in_index, names));
      if (!merge.conflicts.empty()) {
        git.Complain("conflicts in index. Try without --index.");
        return Applied::kRefused;
      }
      staged = std::move(merge.tree);
    }
  }
  PADDOCK_ASSIGN(const MergeStyle style, StrategyStyle(git, "ort", {}));
  PADDOCK_ASSIGN(const TreeMerge merge, MergeTrees(git, base, ours, theirs, names, style));
  PADDOCK_ASSIGN(const bool done, ApplyMerge(git, ours, merge, "stash"));
  if (!done) return Applied::kBlocked;
  if (base == theirs) git.Print("Already up to date.\n");
  git.Print(merge.messages);
  if (!merge.conflicts.empty()) {
    PADDOCK_TRY(RememberConflicts(git));
    if (with_index) git.Say("Index was not unstashed.\n");
    return Applied::kConflict;
  }
  // Changes come back unstaged; new files stay in the index.
  PADDOCK_ASSIGN(Index after, git.ReadIndex());
  for (const auto& [path, item] : staged ? *staged : ours) {
    const IndexEntry* now = after.Find(path);
    if (now != nullptr && now->id == item.id && now->mode == item.mode) continue;
    IndexEntry old;
    old.path = path;
    old.mode = item.mode;
    old.id = item.id;
    after.Put(std::move(old));
  }
  if (staged) std::erase_if(after.entries(), [&staged](const IndexEntry& entry) { return !staged->contains(entry.path); });
  PADDOCK_TRY(git.WriteIndex(after));
  return Applied::kClean;
}

Result<ExitStatus> Apply(Git& git, const Options& options, const NamedStash& named, bool drops) {
  const Commit& state = named.state;
  PADDOCK_ASSIGN(const Applied applied, ApplyState(git, state, options.index, {"Updated upstream", "Stashed changes", "Stash base"}));
  if (applied == Applied::kRefused) {
    if (drops) git.Print("The stash entry is kept in case you need it again.\n");
    return 1;
  }
  if (state.parents.size() > 2 && applied != Applied::kBlocked) {
    PADDOCK_ASSIGN(const FlatTree others, git.FlattenCommit(state.parents[2]));
    bool is_whole = true;
    for (const auto& [path, item] : others) {
      if (git.in.fs.Stat(git.FilePath(path), vfs::Follow::kNo)) {
        git.Say(path + " already exists, no checkout\n");
        is_whole = false;
        continue;
      }
      PADDOCK_TRY(PutFile(git, path, item, false, nullptr));
    }
    if (!is_whole) {
      git.Complain("could not restore untracked files from stash");
      if (drops) git.Print("The stash entry is kept in case you need it again.\n");
      return 1;
    }
  }
  if (!options.quiet) {
    git.in.out.Flush();
    ChildSpec spec{.args = {"git", "status"}, .environment = &git.in.env};
    static_cast<void>(git.in.launcher.Run(git.in.process, spec).has_value());
  }
  if (applied != Applied::kClean) {
    if (drops) git.Print("The stash entry is kept in case you need it again.\n");
    return 1;
  }
  return drops ? DropNamed(git, named, options.quiet) : Result<ExitStatus>(0);
}

// stash branch NAME [STASH].
Result<ExitStatus> Branch(Git& git, Options& options, const NamedStash& named, const std::string& name) {
  if (const ExitStatus status = RunGit(git, {"checkout", "-b", name, named.state.parents[0].Hex()}); status != 0) return status;
  options.index = true;
  return Apply(git, options, named, named.number.has_value());
}

// stash show [OPTION]... [STASH]: what git diff makes of it.
Result<ExitStatus> Show(Git& git, const std::vector<std::string>& args) {
  std::vector<std::string> command = {"diff"};
  std::vector<std::string> operands;
  bool with_untracked = git.config.GetBool("stash.showincludeuntracked", false), only_untracked = false;
  for (size_t i = 2; i < args.size(); ++i) {
    if (args[i] == "-u" || args[i] == "--include-untracked") with_untracked = true;
    else if (args[i] == "--no-include-untracked") with_untracked = false;
    else if (args[i] == "--only-untracked") only_untracked = true;
    else if (args[i].starts_with('-')) command.push_back(args[i]);
    else operands.push_back(args[i]);
  }
  if (command.size() == 1) {
    if (git.config.GetBool("stash.showstat", true)) command.push_back("--stat");
    if (git.config.GetBool("stash.showpatch", false)) command.push_back("-p");
  }
  if (operands.size() > 1) {
    git.Say("Too many revisions specified:");
    for (const std::string& operand : operands) git.Say(" '" + operand + "'");
    git.Say("\n");
    return 1;
  }
  PADDOCK_ASSIGN(const std::optional<NamedStash> named, FindStash(git, operands.empty() ? std::string() : operands[0]));
  if (!named) return 1;
  const Commit& state = named->state;
  FlatTree before, after, others;
  PADDOCK_ASSIGN(before, git.FlattenCommit(state.parents[0]));
  PADDOCK_ASSIGN(after, git.Flatten(state.tree));
  if (state.parents.size() > 2) {
    PADDOCK_ASSIGN(others, git.FlattenCommit(state.parents[2]));
  }
  if (only_untracked) {
    before.clear();
    after = others;
  } else if (with_untracked) {
    after.insert(others.begin(), others.end());
  }
  PADDOCK_ASSIGN(const Oid from, TreeOf(git, before));
  PADDOCK_ASSIGN(const Oid to, TreeOf(git, after));
  command.insert(command.end(), {from.Hex(), to.Hex(), "--"});
  return RunGit(git, std::move(command));
}

Result<ExitStatus> RunStash(Git& git, Options& options, Args& args) {
  static constexpr std::string_view kVerbs[] = {"push", "save", "clear", "pop", "apply", "drop", "branch", "create", "store"};
  const bool has_verb = !args.operands.empty() && std::find(std::begin(kVerbs), std::end(kVerbs), args.operands[0]) != std::end(kVerbs);
  if (!args.operands.empty() && !has_verb) return Error(Code::kInvalid, "subcommand wasn't specified; 'push' can't be assumed due to unexpected token '" + args.operands[0] + "'");
  const std::string verb = has_verb ? args.operands[0] : "push";
  const std::vector<std::string> operands(args.operands.begin() + (has_verb ? 1 : 0), args.operands.end());
  if (verb == "push") {
    std::vector<std::string> paths = operands;
    paths.insert(paths.end(), args.paths.begin(), args.paths.end());
    if (!options.pathspec_file.empty()) PADDOCK_TRY(TakePathspecFile(git, options.pathspec_file, options.pathspec_nul, paths));
    return Push(git, options, options.message, paths);
  }
  if (verb == "save" || verb == "create") {
    std::string words = options.message;
    for (const std::string& word : operands) words += (words.empty() ? "" : " ") + word;
    if (verb == "save") return Push(git, options, words, {});
    PADDOCK_ASSIGN(const Index index, git.ReadIndex());
    Pathspec all;
    PADDOCK_ASSIGN(const auto stash, Make(git, options, index, all, words));
    if (stash) git.Print(stash->id.Hex() + "\n");
    return 0;
  }
  if (verb == "clear") {
    if (!operands.empty()) return git.Complain("git stash clear with arguments is unimplemented");
    if (git.refs.Exists("refs/stash")) PADDOCK_TRY(git.refs.Remove("refs/stash"));
    return 0;
  }
  if (verb == "store") {
    if (operands.size() != 1) {
      git.Say("\"git stash store\" requires one <commit> argument\n");
      return 1;
    }
    auto id = ResolveCommit(git, operands[0]);
    if (!id) {
      git.Say("Cannot update refs/stash with " + operands[0] + "\n");
      return 1;
    }
    PADDOCK_TRY(Store(git, *id, options.message.empty() ? "Created via \"git stash store\"." : options.message));
    return 0;
  }
  const size_t at = verb == "branch" ? 1 : 0;
  if (verb == "branch" && operands.empty()) {
    git.Say("No branch name specified\n");
    return 1;
  }
  if (operands.size() > at + 1) {
    git.Say("Too many revisions specified:");
    for (const std::string& operand : operands) git.Say(" '" + operand + "'");
    git.Say("\n");
    return 1;
  }
  const std::string name = operands.size() > at ? operands[at] : "";
  PADDOCK_ASSIGN(const std::optional<NamedStash> named, FindStash(git, name));
  if (!named) return 1;
  if (verb == "branch") return Branch(git, options, *named, operands[0]);
  if (verb != "apply" && !named->number) return git.Complain("'" + named->shown + "' is not a stash reference");
  if (verb == "pop" || verb == "apply") return Apply(git, options, *named, verb == "pop");
  return DropNamed(git, *named, options.quiet);
}

constexpr Subcommand kWords = DefineSubcommand<Options, RunStash>({.name = "stash", .summary = "put changes aside", .synopsis = "[push [<options>] [--] [<pathspec>...]]\nlist [<log-options>]\nshow [-u | --include-untracked | --only-untracked] [<diff-options>] [<stash>]\n(pop | apply) [--index] [-q] [<stash>]\ndrop [-q] [<stash>]\nbranch <branchname> [<stash>]\nsave [<options>] [<message>]\ncreate [<message>]\nstore [-m <message>] [-q] <commit>\nclear", .options = kOptions, .needs = Subcommand::Needs::kWorkTree});

// list and show take the options of log and diff; everything else has its own.
ExitStatus RunWords(Invocation& in, const Subcommand& self, Git* git, std::vector<std::string> args) {
  const bool asks_help = std::find_if(args.begin(), args.end(), [](const std::string& arg) { return arg == "-h" || arg == "--help"; }) != args.end();
  if (!asks_help && args.size() > 1 && args[1] == "list") {
    if (!git->refs.Exists("refs/stash")) return 0;
    std::vector<std::string> command = {"log", "--format=%gd: %gs", "-g", "--first-parent", "-m"};
    command.insert(command.end(), args.begin() + 2, args.end());
    command.insert(command.end(), {"stash", "--"});
    return RunGit(*git, std::move(command));
  }
  if (!asks_help && args.size() > 1 && args[1] == "show") {
    const Result<ExitStatus> result = Show(*git, args);
    return result ? *result : Die(in, result.error());
  }
  return kWords.run(in, self, git, std::move(args));
}

}  // namespace

Status CreateAutostash(Git& git, const std::string& name) {
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  if (index.HasConflicts()) return {};
  Pathspec all;
  PADDOCK_ASSIGN(const auto stash, Make(git, {}, index, all, "autostash"));
  if (!stash) return {};
  PADDOCK_TRY(vfs::WriteFile(git.in.fs, git.GitPath(name), stash->id.Hex() + "\n"));
  git.Print("Created autostash: " + git.objects.Abbreviate(stash->id) + "\n");
  PADDOCK_TRY(ResetFiles(git, index, stash->base, all, nullptr));
  return git.WriteIndex(index);
}

namespace {

// What CreateAutostash() left; nothing without it.
std::optional<Oid> AutostashId(Git& git, const std::string& name) {
  const auto text = vfs::ReadFile(git.in.fs, git.GitPath(name), 100);
  return text ? Oid::FromHex(std::string_view(*text).substr(0, 40)) : std::optional<Oid>();
}

Status StoreAutostash(Git& git, const Oid& id, std::string_view reason) {
  PADDOCK_TRY(Store(git, id, "autostash"));
  git.Say(std::string(reason) + "\nYour changes are safe in the stash.\nYou can run \"git stash pop\" or \"git stash drop\" at any time.\n");
  return {};
}

}  // namespace

Status ApplyAutostash(Git& git, const std::string& name) {
  const auto id = AutostashId(git, name);
  if (!id) return {};
  PADDOCK_TRY(git.in.fs.RemoveFile(git.GitPath(name)));
  PADDOCK_ASSIGN(const Commit state, git.objects.ReadCommit(*id));
  if (state.parents.size() < 2) return {};
  auto applied = ApplyState(git, state, false, {"Updated upstream", "Stashed changes", "Stash base"});
  if (applied && *applied == Applied::kClean) {
    git.Say("Applied autostash.\n");
    return {};
  }
  return StoreAutostash(git, *id, "Applying autostash resulted in conflicts.");
}

Status KeepAutostash(Git& git, const std::string& name) {
  const auto id = AutostashId(git, name);
  if (!id) return {};
  PADDOCK_TRY(StoreAutostash(git, *id, "Autostash exists; creating a new stash entry."));
  return git.in.fs.RemoveFile(git.GitPath(name));
}

extern const Subcommand kStash;
const Subcommand kStash = {.name = kWords.name, .summary = kWords.summary, .synopsis = kWords.synopsis, .options = kOptions, .needs = kWords.needs, .run = RunWords};

}  // namespace paddock::git
