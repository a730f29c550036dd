// git stash.
#include <algorithm>
#include <charconv>

#include "commands/git/commit.h"
#include "commands/git/merge.h"
#include "commands/git/revision.h"
#include "commands/git/worktree.h"
#include "proc/process.h"

namespace paddock::git {
namespace {

struct Options {
  std::string message;
  bool quiet = false, untracked = false, patch = false;
};
constexpr Option kOptions[] = {
    Value<&Options::message>('m', "message", "TEXT", "what it is called"), Flag<&Options::quiet>('q', "quiet", "say nothing"),
    Flag<&Options::untracked>('u', "include-untracked", "untracked files, too"), Flag<&Options::patch>('p', "patch", "with show: the lines"),
};

// Which entry an operand means: "stash@{1}" or "1".
Result<size_t> EntryOf(const Args& args, size_t at) {
  if (args.operands.size() <= at) return size_t{0};
  std::string_view text = args.operands[at];
  if (text == "stash") return size_t{0};
  if (text.starts_with("stash@{") && text.ends_with('}')) text = text.substr(7, text.size() - 8);
  size_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return Error(Code::kNoEntry, "'" + args.operands[at] + "' is not a stash reference");
  return number;
}

Result<ReflogEntry> Entry(Git& git, size_t number) {
  const std::vector<ReflogEntry> log = git.refs.ReadLog("refs/stash");
  if (log.empty()) return Error(Code::kConflict, "No stash entries found.");
  if (number >= log.size()) return Error(Code::kNoEntry, "log for 'stash' only has " + std::to_string(log.size()) + " entries");
  return log[log.size() - 1 - number];
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

Result<ExitStatus> Push(Git& git, const Options& options, const std::string& words) {
  const auto head = git.Head();
  if (!head) return Error(Code::kInvalid, "You do not have the initial commit yet");
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  if (index.HasConflicts()) return git.Complain("could not write index");
  PADDOCK_ASSIGN(const FlatTree base, git.FlattenCommit(*head));
  PADDOCK_ASSIGN(const std::vector<FileDiff> changed, CompareWithFiles(git, IndexFiles(index), index));
  Pathspec all;
  std::vector<std::string> untracked;
  if (options.untracked) {
    PADDOCK_ASSIGN(const Untracked found, FindUntracked(git, index, UntrackedMode::kAll, all, false));
    untracked = found.files;
  }
  if (changed.empty() && CompareTrees(base, IndexFiles(index)).empty() && untracked.empty()) {
    git.Print("No local changes to save\n");
    return 0;
  }
  PADDOCK_ASSIGN(const Commit last, git.objects.ReadCommit(*head));
  const auto branch = git.HeadBranch();
  const std::string place = (branch ? ShortRef(*branch) : std::string("(no branch)")) + ": ";
  const std::string about = place + git.objects.Abbreviate(*head) + " " + SubjectOf(last.message);
  Commit state;
  PADDOCK_ASSIGN(state.author, git.Author());
  PADDOCK_ASSIGN(state.committer, git.Committer());
  Commit of_index = state;
  PADDOCK_ASSIGN(of_index.tree, git.WriteTree(index));
  of_index.parents = {*head};
  of_index.message = "index on " + about + "\n";
  PADDOCK_ASSIGN(const Oid index_id, git.objects.Write(ObjectType::kCommit, of_index.Text()));
  FlatTree files = IndexFiles(index);
  for (const FileDiff& file : changed) {
    PADDOCK_ASSIGN(const auto staged, StageFile(git, file.new_path, true));
    if (staged) files[file.new_path] = {staged->mode, staged->id};
    else files.erase(file.new_path);
  }
  PADDOCK_ASSIGN(state.tree, TreeOf(git, files));
  state.parents = {*head, index_id};
  if (options.untracked) {
    FlatTree others;
    for (const std::string& path : untracked) {
      PADDOCK_ASSIGN(const auto staged, StageFile(git, path, true));
      if (staged) others[path] = {staged->mode, staged->id};
    }
    Commit of_others = of_index;
    of_others.parents.clear();
    PADDOCK_ASSIGN(of_others.tree, TreeOf(git, others));
    of_others.message = "untracked files on " + about + "\n";
    PADDOCK_ASSIGN(const Oid others_id, git.objects.Write(ObjectType::kCommit, of_others.Text()));
    state.parents.push_back(others_id);
  }
  const std::string title = words.empty() ? "WIP on " + about : "On " + place + words;
  state.message = title;
  PADDOCK_ASSIGN(const Oid id, git.objects.Write(ObjectType::kCommit, state.Text()));
  const Oid before = git.refs.Read("refs/stash").value_or(Oid{});
  PADDOCK_TRY(git.refs.WriteDirect("refs/stash", id));
  PADDOCK_TRY(git.refs.Log("refs/stash", before, id, git.Who(), title));
  PADDOCK_ASSIGN(const bool done, SwitchFiles(git, {}, base, index, "reset", true));
  if (!done) return 1;
  for (const std::string& path : untracked) RemoveWorkFile(git, path);
  PADDOCK_TRY(git.WriteIndex(index));
  if (!options.quiet) git.Print("Saved working directory and index state " + title + "\n");
  return 0;
}

Result<ExitStatus> Apply(Git& git, const Options& options, size_t number, const std::string& shown, bool drops) {
  auto entry = Entry(git, number);
  if (!entry && entry.error().code == Code::kConflict) {
    git.Say("No stash entries found.\n");
    return 1;
  }
  if (!entry) return git.Complain("stash@{" + std::to_string(number) + "} is not a valid reference");
  PADDOCK_ASSIGN(const Commit state, git.objects.ReadCommit(entry->after));
  if (state.parents.size() < 2) return Error(Code::kInvalid, "'" + entry->after.Hex() + "' is not a stash-like commit");
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  if (index.HasConflicts()) return git.Complain("could not write index");
  PADDOCK_ASSIGN(const FlatTree base, git.FlattenCommit(state.parents[0]));
  PADDOCK_ASSIGN(const FlatTree theirs, git.Flatten(state.tree));
  const FlatTree ours = IndexFiles(index);
  PADDOCK_ASSIGN(const TreeMerge merge, MergeTrees(git, base, ours, theirs, {"Updated upstream", "Stashed changes"}));
  PADDOCK_ASSIGN(const bool done, ApplyMerge(git, ours, merge, "stash"));
  if (!done) {
    if (drops) git.Print("The stash entry is kept in case you need it again.\n");
    return 1;
  }
  git.Print(merge.messages);
  if (merge.conflicts.empty()) {
    // Changes come back unstaged; new files stay in the index.
    PADDOCK_ASSIGN(Index after, git.ReadIndex());
    for (const auto& [path, item] : ours) {
      const IndexEntry* now = after.Find(path);
      if (now != nullptr && now->id == item.id && now->mode == item.mode) continue;
      IndexEntry old;
      old.path = path;
      old.mode = item.mode;
      old.id = item.id;
      after.Put(std::move(old));
    }
    PADDOCK_TRY(git.WriteIndex(after));
  }
  if (state.parents.size() > 2) {
    PADDOCK_ASSIGN(const FlatTree others, git.FlattenCommit(state.parents[2]));
    for (const auto& [path, item] : others) {
      if (git.in.fs.Stat(git.FilePath(path), vfs::Follow::kNo)) return git.Complain("could not restore untracked files from stash");
      PADDOCK_TRY(PutFile(git, path, item, false, nullptr));
    }
  }
  if (!options.quiet) {
    git.in.out.Flush();
    ChildSpec spec{.args = {"git", "status"}, .environment = &git.in.env};
    static_cast<void>(git.in.launcher.Run(git.in.process, spec).has_value());
  }
  if (!merge.conflicts.empty()) {
    if (drops) git.Print("The stash entry is kept in case you need it again.\n");
    return 1;
  }
  if (!drops) return 0;
  PADDOCK_TRY(Drop(git, number));
  if (!options.quiet) git.Print("Dropped " + shown + " (" + entry->after.Hex() + ")\n");
  return 0;
}

Result<ExitStatus> Show(Git& git, const Options& options, size_t number) {
  PADDOCK_ASSIGN(const ReflogEntry entry, Entry(git, number));
  PADDOCK_ASSIGN(const Commit state, git.objects.ReadCommit(entry.after));
  if (state.parents.empty()) return Error(Code::kInvalid, "not a stash");
  PADDOCK_ASSIGN(const FlatTree before, git.FlattenCommit(state.parents[0]));
  PADDOCK_ASSIGN(const FlatTree after, git.Flatten(state.tree));
  std::vector<FileDiff> files = CompareTrees(before, after);
  DiffOptions form;
  (options.patch ? form.patch : form.stat) = true;
  Pathspec all;
  PADDOCK_TRY(Arrange(git, files, form, all));
  PADDOCK_ASSIGN(const std::string text, FormatDiff(git, files, form));
  git.Print(text);
  return 0;
}

Result<ExitStatus> RunStash(Git& git, Options& options, Args& args) {
  const std::string verb = args.operands.empty() ? "push" : args.operands[0];
  if (verb == "push" || verb == "save") {
    if (!args.paths.empty() || (verb == "push" && args.operands.size() > 1)) return Error(Code::kNotSupported, "stash of some files is not supported");
    std::string words = options.message;
    for (size_t i = 1; i < args.operands.size(); ++i) words += (words.empty() ? "" : " ") + args.operands[i];
    return Push(git, options, words);
  }
  if (verb == "list") {
    const std::vector<ReflogEntry> log = git.refs.ReadLog("refs/stash");
    for (size_t i = log.size(); i-- > 0;) git.Print("stash@{" + std::to_string(log.size() - 1 - i) + "}: " + log[i].message + "\n");
    return 0;
  }
  if (verb == "clear") {
    if (git.refs.Exists("refs/stash")) PADDOCK_TRY(git.refs.Remove("refs/stash"));
    return 0;
  }
  if (verb != "pop" && verb != "apply" && verb != "drop" && verb != "show") return Error(Code::kInvalid, "subcommand wasn't specified; 'push' can't be assumed due to unexpected token '" + verb + "'");
  auto number = EntryOf(args, 1);
  if (!number) return Error(Code::kNoEntry, std::string(number.error().Text()));
  std::string shown = "refs/stash@{" + std::to_string(*number) + "}";
  if (args.operands.size() > 1) shown = args.operands[1].find('@') == std::string::npos && args.operands[1] != "stash" ? shown : args.operands[1];
  if (verb == "pop" || verb == "apply") return Apply(git, options, *number, shown, verb == "pop");
  const auto entry = Entry(git, *number);
  if (!entry && entry.error().code == Code::kConflict) {
    git.Say("No stash entries found.\n");
    return 1;
  }
  if (!entry) return git.Complain("stash@{" + std::to_string(*number) + "} is not a valid reference");
  if (verb == "show") return Show(git, options, *number);
  PADDOCK_TRY(Drop(git, *number));
  if (!options.quiet) git.Print("Dropped " + shown + " (" + entry->after.Hex() + ")\n");
  return 0;
}

}  // namespace

extern const Subcommand kStash;
const Subcommand kStash = DefineSubcommand<Options, RunStash>({.name = "stash", .summary = "put changes aside", .synopsis = "[push [-u] [-q] [-m <text>]]\nlist\n(show [-p] | pop | apply | drop) [<stash>]\nclear", .options = kOptions, .needs = Subcommand::Needs::kWorkTree});

}  // namespace paddock::git
