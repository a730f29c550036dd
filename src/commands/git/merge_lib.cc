// git merge, merge-base, cherry-pick and revert: three states of the files made into one.
#include <algorithm>

#include "commands/git/commit.h"
#include "commands/git/merge.h"
#include "commands/git/revision.h"
#include "commands/git/status.h"
#include "text/unified_diff.h"

namespace paddock::git {
namespace {

struct TextMerge {
  std::string text;
  bool has_conflict = false;
};

// A change of one side: lines [begin, end) of the base become [from, to) of the side.
struct Change {
  size_t begin, end, from, to;
};

// Appends lines with the last newline that a marker needs in front of it.
void AppendLines(std::string& out, const std::vector<std::string_view>& lines, size_t from, size_t to, bool needs_newline) {
  for (size_t i = from; i < to; ++i) out += lines[i];
  if (needs_newline && from < to && !out.ends_with('\n')) out += '\n';
}

// Both sides' changes of the base; what both changed, differently, stands between markers.
TextMerge MergeTexts(std::string_view base_text, std::string_view our_text, std::string_view their_text, const std::string& our_name, const std::string& their_name, Budget& budget) {
  const std::vector<std::string_view> base = SplitLines(base_text), ours = SplitLines(our_text), theirs = SplitLines(their_text);
  const DiffOptions plain;
  const auto changes = [&](const std::vector<std::string_view>& side) {
    std::vector<Change> list;
    for (const DiffEdit& edit : FindEdits(base, side, plain, budget)) list.push_back({edit.a_begin, edit.a_end(), edit.b_begin, edit.b_end()});
    return list;
  };
  const std::vector<Change> a = changes(ours), b = changes(theirs);
  TextMerge merge;
  size_t at = 0, i = 0, k = 0;
  int64_t shift_a = 0, shift_b = 0;   // how far the sides are ahead of the base
  while (i < a.size() || k < b.size()) {
    budget.Step();
    const size_t begin = std::min(i < a.size() ? a[i].begin : SIZE_MAX, k < b.size() ? b[k].begin : SIZE_MAX);
    size_t end = begin;
    const size_t first_a = i, first_b = k;
    // All changes that touch each other.
    for (bool grows = true; grows;) {
      grows = false;
      if (i < a.size() && a[i].begin <= end) {
        end = std::max(end, a[i++].end);
        grows = true;
      }
      if (k < b.size() && b[k].begin <= end) {
        end = std::max(end, b[k++].end);
        grows = true;
      }
    }
    AppendLines(merge.text, base, at, begin, false);
    at = end;
    const auto range = [&](const std::vector<Change>& list, size_t first, size_t last, int64_t& shift) {
      const int64_t from = static_cast<int64_t>(begin) + shift;
      for (size_t c = first; c < last; ++c) shift = static_cast<int64_t>(list[c].to) - static_cast<int64_t>(list[c].end);
      return std::pair<size_t, size_t>(static_cast<size_t>(from), static_cast<size_t>(static_cast<int64_t>(end) + shift));
    };
    auto [a_from, a_to] = range(a, first_a, i, shift_a);
    auto [b_from, b_to] = range(b, first_b, k, shift_b);
    const bool is_same = std::equal(ours.begin() + static_cast<std::ptrdiff_t>(a_from), ours.begin() + static_cast<std::ptrdiff_t>(a_to), theirs.begin() + static_cast<std::ptrdiff_t>(b_from), theirs.begin() + static_cast<std::ptrdiff_t>(b_to));
    if (first_b == k || is_same) {
      AppendLines(merge.text, ours, a_from, a_to, false);
      continue;
    }
    if (first_a == i) {
      AppendLines(merge.text, theirs, b_from, b_to, false);
      continue;
    }
    // What both have at the ends is no conflict.
    while (a_from < a_to && b_from < b_to && ours[a_from] == theirs[b_from]) {
      merge.text += ours[a_from++];
      ++b_from;
    }
    size_t tail = 0;
    while (a_from < a_to - tail && b_from < b_to - tail && ours[a_to - tail - 1] == theirs[b_to - tail - 1]) ++tail;
    merge.has_conflict = true;
    merge.text += "<<<<<<< " + our_name + "\n";
    AppendLines(merge.text, ours, a_from, a_to - tail, true);
    merge.text += "=======\n";
    AppendLines(merge.text, theirs, b_from, b_to - tail, true);
    merge.text += ">>>>>>> " + their_name + "\n";
    AppendLines(merge.text, ours, a_to - tail, a_to, false);
  }
  AppendLines(merge.text, base, at, base.size(), false);
  return merge;
}

Status MergePath(Git& git, const std::string& path, const std::optional<TreeItem>& base, const std::optional<TreeItem>& ours, const std::optional<TreeItem>& theirs, const Sides& names, TreeMerge& merge) {
  if (ours == theirs || theirs == base) {
    if (ours) merge.tree[path] = *ours;
    return {};
  }
  if (ours == base) {
    if (theirs) merge.tree[path] = *theirs;
    return {};
  }
  Conflict conflict{base, ours, theirs, std::nullopt, ours ? ours->mode : theirs->mode};
  if (!ours || !theirs) {
    const std::string& deleted = ours ? names.theirs : names.ours;
    const std::string& changed = ours ? names.ours : names.theirs;
    merge.messages += "CONFLICT (modify/delete): " + path + " deleted in " + deleted + " and modified in " + changed + ".  Version " + changed + " of " + path + " left in tree.\n";
    PADDOCK_ASSIGN(conflict.text, git.ReadBlob(ours ? ours->id : theirs->id));
    merge.conflicts[path] = std::move(conflict);
    return {};
  }
  const auto is_file = [](const std::optional<TreeItem>& item) { return !item || (item->mode & 0170000) == 0100000; };
  uint32_t mode = ours->mode;
  if (base && ours->mode == base->mode) mode = theirs->mode;
  PADDOCK_ASSIGN(const std::string our_text, git.ReadBlob(ours->id));
  PADDOCK_ASSIGN(const std::string their_text, git.ReadBlob(theirs->id));
  std::string base_text;
  if (base) {
    PADDOCK_ASSIGN(base_text, git.ReadBlob(base->id));
  }
  conflict.mode = mode;
  if (!is_file(ours) || !is_file(theirs) || !is_file(base) || LooksBinary(our_text) || LooksBinary(their_text) || LooksBinary(base_text)) {
    merge.messages += "warning: Cannot merge binary files: " + path + " (" + names.ours + " vs. " + names.theirs + ")\nAuto-merging " + path + "\nCONFLICT (content): Merge conflict in " + path + "\n";
    conflict.text = our_text;
    merge.conflicts[path] = std::move(conflict);
    return {};
  }
  merge.messages += "Auto-merging " + path + "\n";
  TextMerge text = MergeTexts(base_text, our_text, their_text, names.ours, names.theirs, git.in.budget);
  if (!text.has_conflict) {
    PADDOCK_ASSIGN(const Oid id, git.objects.Write(ObjectType::kBlob, text.text));
    merge.tree[path] = {mode, id};
    return {};
  }
  merge.messages += std::string("CONFLICT (") + (base ? "content" : "add/add") + "): Merge conflict in " + path + "\n";
  conflict.text = std::move(text.text);
  merge.conflicts[path] = std::move(conflict);
  return {};
}

// Renames of one side are carried over to the other: its file gets the new name, too.
Status FollowRenames(Git& git, FlatTree& base, const FlatTree& side, FlatTree& other) {
  std::vector<FileDiff> files = CompareTrees(base, side);
  PADDOCK_TRY(DetectRenames(git, files, 50, false));
  for (const FileDiff& file : files) {
    if (file.status != 'R' || !other.contains(file.old_path) || other.contains(file.new_path) || side.contains(file.old_path)) continue;
    base[file.new_path] = base[file.old_path];
    other[file.new_path] = other[file.old_path];
    base.erase(file.old_path);
    other.erase(file.old_path);
  }
  return {};
}

}  // namespace

Result<TreeMerge> MergeTrees(Git& git, FlatTree base, FlatTree ours, FlatTree theirs, const Sides& names) {
  PADDOCK_TRY(FollowRenames(git, base, theirs, ours));
  PADDOCK_TRY(FollowRenames(git, base, ours, theirs));
  TreeMerge merge;
  std::set<std::string> paths;
  for (const FlatTree* tree : {&base, &ours, &theirs}) {
    for (const auto& [path, item] : *tree) paths.insert(path);
  }
  const auto item = [](const FlatTree& tree, const std::string& path) -> std::optional<TreeItem> {
    const auto found = tree.find(path);
    if (found == tree.end()) return std::nullopt;
    return found->second;
  };
  for (const std::string& path : paths) {
    git.in.budget.Step(4);
    if (!IsSafePath(path)) return Error(Code::kInvalid, "invalid path '" + path + "'");
    PADDOCK_TRY(MergePath(git, path, item(base, path), item(ours, path), item(theirs, path), names, merge));
  }
  return merge;
}

Result<bool> ApplyMerge(Git& git, const FlatTree& ours, const TreeMerge& merge, std::string_view action) {
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  if (action != "stash" && !CompareTrees(ours, IndexFiles(index)).empty()) {
    std::string list;
    for (const FileDiff& file : CompareTrees(ours, IndexFiles(index))) list += (list.empty() ? "  " : " ") + file.new_path;
    git.Say("error: Your local changes to the following files would be overwritten by merge:\n" + list + "\n");
    return false;
  }
  FlatTree target = merge.tree;
  for (const auto& [path, conflict] : merge.conflicts) {
    // For the check, and to get the file written: any content that is not ours.
    if (conflict.text) {
      PADDOCK_ASSIGN(const Oid id, git.objects.Write(ObjectType::kBlob, *conflict.text));
      target[path] = {conflict.mode, id};
    }
  }
  PADDOCK_ASSIGN(const bool done, SwitchFiles(git, ours, target, index, "merge", false));
  if (!done) return false;
  for (const auto& [path, conflict] : merge.conflicts) {
    index.Remove(path);
    int stage = 0;
    for (const auto* item : {&conflict.base, &conflict.ours, &conflict.theirs}) {
      ++stage;
      if (!*item) continue;
      IndexEntry entry;
      entry.path = path;
      entry.mode = (*item)->mode;
      entry.id = (*item)->id;
      entry.stage = stage;
      index.Put(std::move(entry));
    }
  }
  PADDOCK_TRY(git.WriteIndex(index));
  return true;
}

Result<Oid> TreeOf(Git& git, const FlatTree& files) {
  Index index;
  for (const auto& [path, item] : files) {
    IndexEntry entry;
    entry.path = path;
    entry.mode = item.mode;
    entry.id = item.id;
    index.Put(std::move(entry));
  }
  return git.WriteTree(index);
}

namespace {

struct MergeOptions {
  std::vector<std::string> messages;
  bool no_ff = false, ff_only = false, ff = false, squash = false, no_commit = false, abort = false, proceeds = false, quiet = false, no_edit = false, no_stat = false;
};
constexpr Option kMergeOptions[] = {
    Value<&MergeOptions::messages>('m', "message", "TEXT", "the message of the merge"), Flag<&MergeOptions::no_ff>(0, "no-ff", "make a commit in any case"),
    Flag<&MergeOptions::ff_only>(0, "ff-only", "only if no commit is needed"), Flag<&MergeOptions::ff>(0, "ff", "no commit where none is needed (the default)"),
    Flag<&MergeOptions::squash>(0, "squash", "only change the files"), Flag<&MergeOptions::no_commit>(0, "no-commit", "stop before the commit"),
    Flag<&MergeOptions::abort>(0, "abort", "go back to before the merge"), Flag<&MergeOptions::proceeds>(0, "continue", "commit what was resolved"),
    Flag<&MergeOptions::quiet>('q', "quiet", "say nothing"), Flag<&MergeOptions::no_edit>(0, "no-edit", "take the message as it is"),
    Flag<&MergeOptions::no_stat>('n', "no-stat", "do not show what changed"),
};

Status ShowMergeStat(Git& git, const FlatTree& before, const FlatTree& after) {
  std::vector<FileDiff> files = CompareTrees(before, after);
  DiffOptions options;
  options.stat = options.summary = true;
  Pathspec all;
  PADDOCK_TRY(Arrange(git, files, options, all));
  PADDOCK_ASSIGN(const std::string text, FormatDiff(git, files, options));
  git.Print(text);
  return {};
}

// The last commit again, index and files.
Result<ExitStatus> BackToHead(Git& git) {
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  const auto head = git.Head();
  if (!head) return Error(Code::kInvalid, "there is no commit to go back to");
  PADDOCK_ASSIGN(const FlatTree tree, git.FlattenCommit(*head));
  PADDOCK_ASSIGN(const bool done, SwitchFiles(git, {}, tree, index, "merge", true));
  if (!done) return 1;
  PADDOCK_TRY(git.WriteIndex(index));
  ForgetMerge(git);
  return 0;
}

// Commits what is in the index with the prepared message.
Result<ExitStatus> Conclude(Git& git, const char* marker) {
  if (!git.refs.Exists(marker)) return Error(Code::kInvalid, std::string("There is no operation in progress (") + marker + " missing).");
  ChildSpec spec{.args = {"git", "commit"}, .environment = &git.in.env};
  git.in.out.Flush();
  const auto status = git.in.launcher.Run(git.in.process, spec);
  return status ? *status : 128;
}

std::string MergeTitle(Git& git, const std::string& name) {
  const auto ref = FindRef(git, name);
  const std::string kind = !ref ? "commit '" : ref->starts_with("refs/heads/") ? "branch '" : ref->starts_with("refs/tags/") ? "tag '" : ref->starts_with("refs/remotes/") ? "remote-tracking branch '" : "commit '";
  const std::string into = ShortRef(git.HeadBranch().value_or("HEAD"));
  return "Merge " + kind + name + "'" + (into == "master" || into == "main" ? "" : " into " + into);
}

Result<ExitStatus> RunMerge(Git& git, MergeOptions& options, Args& args) {
  if (options.abort) {
    if (!git.refs.Exists("MERGE_HEAD")) return Error(Code::kInvalid, "There is no merge to abort (MERGE_HEAD missing).");
    return BackToHead(git);
  }
  if (options.proceeds) return Conclude(git, "MERGE_HEAD");
  PADDOCK_ASSIGN(const Index current, git.ReadIndex());
  if (current.HasConflicts()) {
    git.Say("error: Merging is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\nhint: as appropriate to mark resolution and make a commit.\n");
    return Error(Code::kInvalid, "Exiting because of an unresolved conflict.");
  }
  if (git.refs.Exists("MERGE_HEAD")) return Error(Code::kInvalid, "You have not concluded your merge (MERGE_HEAD exists).\nPlease, commit your changes before you merge.");
  std::string name = args.operands.empty() ? "@{u}" : args.operands[0];
  if (args.operands.size() > 1) return Error(Code::kNotSupported, "merges of more than two heads are not supported");
  auto object = ResolveObject(git, name);
  if (!object && args.operands.empty()) return Error(Code::kNoEntry, "No remote for the current branch.");
  if (!object) {
    git.Say("merge: " + name + " - not something we can merge\n");
    return 1;
  }
  PADDOCK_ASSIGN(const Oid theirs, git.objects.Peel(*object, ObjectType::kCommit));
  const auto head = git.Head();
  if (!head) return Error(Code::kNotSupported, "there is no commit to merge into");
  History history(git);
  PADDOCK_ASSIGN(const std::vector<Oid> bases, history.MergeBases(*head, theirs));
  if (bases.empty()) return Error(Code::kInvalid, "refusing to merge unrelated histories");
  if (bases[0] == theirs) {
    if (!options.quiet) git.Print("Already up to date.\n");
    return 0;
  }
  PADDOCK_ASSIGN(const FlatTree our_files, git.FlattenCommit(*head));
  PADDOCK_ASSIGN(const FlatTree their_files, git.FlattenCommit(theirs));
  if (bases[0] == *head && !options.no_ff) {
    if (!options.quiet) git.Print("Updating " + git.objects.Abbreviate(*head) + ".." + git.objects.Abbreviate(theirs) + "\n");
    PADDOCK_ASSIGN(Index index, git.ReadIndex());
    PADDOCK_ASSIGN(const bool done, SwitchFiles(git, our_files, their_files, index, "merge", false));
    if (!done) return 1;
    PADDOCK_TRY(git.WriteIndex(index));
    if (options.squash) {
      git.Print("Squash commit -- not updating HEAD\n");
    } else {
      PADDOCK_TRY(git.refs.WriteDirect("ORIG_HEAD", *head));
      PADDOCK_TRY(git.refs.Write("HEAD", theirs, git.Who(), "merge " + name + ": Fast-forward"));
    }
    if (options.quiet) return 0;
    git.Print("Fast-forward\n");
    if (!options.no_stat) PADDOCK_TRY(ShowMergeStat(git, our_files, their_files));
    return 0;
  }
  if (options.ff_only) return Error(Code::kInvalid, "Not possible to fast-forward, aborting.");
  PADDOCK_ASSIGN(const FlatTree base_files, git.FlattenCommit(bases[0]));
  PADDOCK_ASSIGN(const TreeMerge merge, MergeTrees(git, base_files, our_files, their_files, {"HEAD", name}));
  PADDOCK_ASSIGN(const bool done, ApplyMerge(git, our_files, merge, "merge"));
  if (!done) {
    git.Say("Merge with strategy ort failed.\n");
    return 2;
  }
  git.Print(merge.messages);
  std::string message;
  for (const std::string& part : options.messages) message += (message.empty() ? "" : "\n") + part + "\n";
  if (message.empty()) message = MergeTitle(git, name) + "\n";
  PADDOCK_TRY(git.refs.WriteDirect("ORIG_HEAD", *head));
  if (options.squash || options.no_commit || !merge.conflicts.empty()) {
    if (!options.squash) {
      PADDOCK_TRY(git.refs.WriteDirect("MERGE_HEAD", theirs));
      PADDOCK_TRY(vfs::WriteFile(git.in.fs, git.GitPath("MERGE_MODE"), options.no_ff ? "no-ff" : ""));
    }
    std::string text = message;
    if (!merge.conflicts.empty()) {
      text += "\n# Conflicts:\n";
      for (const auto& [path, conflict] : merge.conflicts) text += "#\t" + path + "\n";
    }
    PADDOCK_TRY(vfs::WriteFile(git.in.fs, git.GitPath("MERGE_MSG"), text));
    if (!merge.conflicts.empty()) {
      git.Print("Automatic merge failed; fix conflicts and then commit the result.\n");
      return 1;
    }
    if (options.squash) git.Print("Squash commit -- not updating HEAD\n");
    git.Say("Automatic merge went well; stopped before committing as requested\n");
    return 0;
  }
  Commit commit;
  PADDOCK_ASSIGN(commit.tree, TreeOf(git, merge.tree));
  commit.parents = {*head, theirs};
  PADDOCK_ASSIGN(commit.author, git.Author());
  PADDOCK_ASSIGN(commit.committer, git.Committer());
  commit.message = message;
  PADDOCK_TRY(MakeCommit(git, commit, "merge " + name + ": Merge made by the 'ort' strategy."));
  if (options.quiet) return 0;
  git.Print("Merge made by the 'ort' strategy.\n");
  if (!options.no_stat) PADDOCK_TRY(ShowMergeStat(git, our_files, merge.tree));
  return 0;
}

struct BaseOptions {
  bool all = false, is_ancestor = false;
};
constexpr Option kBaseOptions[] = {Flag<&BaseOptions::all>('a', "all", "all of the best ones"), Flag<&BaseOptions::is_ancestor>(0, "is-ancestor", "tell by the exit status whether the first leads to the second")};
Result<ExitStatus> RunMergeBase(Git& git, BaseOptions& options, Args& args) {
  if (args.operands.size() != 2) {
    git.Say("usage: git merge-base [-a | --all] <commit> <commit>\n");
    return 129;
  }
  Oid ids[2];
  for (size_t i = 0; i < 2; ++i) {
    auto id = ResolveCommit(git, args.operands[i]);
    if (!id) return Error(Code::kNoEntry, "Not a valid object name " + args.operands[i]);
    ids[i] = *id;
  }
  History history(git);
  if (options.is_ancestor) {
    PADDOCK_ASSIGN(const bool is_ancestor, history.IsAncestor(ids[0], ids[1]));
    return is_ancestor ? 0 : 1;
  }
  PADDOCK_ASSIGN(std::vector<Oid> bases, history.MergeBases(ids[0], ids[1]));
  if (!options.all && bases.size() > 1) bases.resize(1);
  for (const Oid& id : bases) git.Print(id.Hex() + "\n");
  return bases.empty() ? 1 : 0;
}

struct PickOptions {
  bool no_commit = false, abort = false, proceeds = false, cites = false, no_edit = false, allow_empty = false;
};
constexpr Option kPickOptions[] = {
    Flag<&PickOptions::no_commit>('n', "no-commit", "only change the index and the files"), Flag<&PickOptions::abort>(0, "abort", "go back to before it"),
    Flag<&PickOptions::proceeds>(0, "continue", "commit what was resolved"), Flag<&PickOptions::cites>('x', nullptr, "tell in the message where it is from"),
    Flag<&PickOptions::allow_empty>(0, "allow-empty", "even if nothing changes"),
};
constexpr Option kRevertOptions[] = {
    Flag<&PickOptions::no_commit>('n', "no-commit", "only change the index and the files"), Flag<&PickOptions::abort>(0, "abort", "go back to before it"),
    Flag<&PickOptions::proceeds>(0, "continue", "commit what was resolved"), Flag<&PickOptions::no_edit>(0, "no-edit", "take the message as it is"),
};

// Carries one commit over to HEAD, or takes it back.
Result<ExitStatus> PickOne(Git& git, const PickOptions& options, const Oid& id, bool reverts) {
  const auto head = git.Head();
  if (!head) return Error(Code::kInvalid, "there is no commit to go on from");
  PADDOCK_ASSIGN(const Commit picked, git.objects.ReadCommit(id));
  if (picked.parents.size() > 1) {
    git.Complain("commit " + id.Hex() + " is a merge but no -m option was given.");
    return Error(Code::kInvalid, reverts ? "revert failed" : "cherry-pick failed");
  }
  FlatTree before;
  if (!picked.parents.empty()) {
    PADDOCK_ASSIGN(before, git.FlattenCommit(picked.parents[0]));
  }
  PADDOCK_ASSIGN(const FlatTree after, git.Flatten(picked.tree));
  PADDOCK_ASSIGN(const FlatTree ours, git.FlattenCommit(*head));
  const std::string label = git.objects.Abbreviate(id) + " (" + SubjectOf(picked.message) + ")";
  PADDOCK_ASSIGN(const TreeMerge merge, MergeTrees(git, reverts ? after : before, ours, reverts ? before : after, {"HEAD", reverts ? "parent of " + label : label}));
  PADDOCK_ASSIGN(const bool done, ApplyMerge(git, ours, merge, reverts ? "revert" : "cherry-pick"));
  if (!done) return Error(Code::kInvalid, reverts ? "revert failed" : "cherry-pick failed");
  git.Print(merge.messages);
  std::string message = picked.message;
  if (reverts) message = "Revert \"" + SubjectOf(picked.message) + "\"\n\nThis reverts commit " + id.Hex() + ".\n";
  else if (options.cites) message = CleanMessage(message, false) + "\n(cherry picked from commit " + id.Hex() + ")\n";
  if (!merge.conflicts.empty()) {
    PADDOCK_TRY(git.refs.WriteDirect(reverts ? "REVERT_HEAD" : "CHERRY_PICK_HEAD", id));
    std::string text = message + "\n# Conflicts:\n";
    for (const auto& [path, conflict] : merge.conflicts) text += "#\t" + path + "\n";
    PADDOCK_TRY(vfs::WriteFile(git.in.fs, git.GitPath("MERGE_MSG"), text));
    git.Say(std::string("error: could not ") + (reverts ? "revert " : "apply ") + git.objects.Abbreviate(id) + "... " + SubjectOf(picked.message) + "\n");
    const std::string verb = reverts ? "revert" : "cherry-pick";
    git.Say("hint: After resolving the conflicts, mark them with\nhint: \"git add/rm <pathspec>\", then run\nhint: \"git " + verb + " --continue\".\nhint: You can instead skip this commit with \"git " + verb +
            " --skip\".\nhint: To abort and get back to the state before \"git " + verb + "\",\nhint: run \"git " + verb + " --abort\".\n");
    return 1;
  }
  if (options.no_commit) return 0;
  Commit commit;
  PADDOCK_ASSIGN(commit.tree, TreeOf(git, merge.tree));
  PADDOCK_ASSIGN(const Commit last, git.objects.ReadCommit(*head));
  if (commit.tree == last.tree && !options.allow_empty) return Error(Code::kInvalid, "nothing would change: the commit is empty here");
  commit.parents = {*head};
  commit.author = picked.author;
  if (reverts) {
    PADDOCK_ASSIGN(commit.author, git.Author());
  }
  PADDOCK_ASSIGN(commit.committer, git.Committer());
  commit.message = message;
  PADDOCK_ASSIGN(const Oid made, MakeCommit(git, commit, (reverts ? "revert: " : "cherry-pick: ") + SubjectOf(message)));
  PADDOCK_ASSIGN(const std::string summary, CommitSummary(git, made, true, false));
  git.Print(summary);
  return 0;
}

Result<ExitStatus> PickAll(Git& git, const PickOptions& options, const Args& args, bool reverts) {
  const char* marker = reverts ? "REVERT_HEAD" : "CHERRY_PICK_HEAD";
  if (options.abort) {
    if (!git.refs.Exists(marker)) {
      git.Complain("no cherry-pick or revert in progress");
      return Error(Code::kInvalid, reverts ? "revert failed" : "cherry-pick failed");
    }
    return BackToHead(git);
  }
  if (options.proceeds) return Conclude(git, marker);
  Selection selection;
  for (const std::string& name : args.operands) {
    PADDOCK_ASSIGN(const bool taken, TakeRevision(git, name, selection));
    if (!taken) return Error(Code::kNoEntry, "bad revision '" + name + "'");
  }
  std::vector<Oid> ids = selection.included;
  if (!selection.excluded.empty()) {
    History history(git);
    PADDOCK_ASSIGN(ids, WalkHistory(git, history, selection, {.is_topological = true}));
    if (!reverts) std::reverse(ids.begin(), ids.end());
  }
  for (const Oid& id : ids) {
    PADDOCK_ASSIGN(const Oid commit, git.objects.Peel(id, ObjectType::kCommit));
    PADDOCK_ASSIGN(const ExitStatus status, PickOne(git, options, commit, reverts));
    if (status != 0) return status;
  }
  return 0;
}
Result<ExitStatus> RunCherryPick(Git& git, PickOptions& options, Args& args) { return PickAll(git, options, args, false); }
Result<ExitStatus> RunRevert(Git& git, PickOptions& options, Args& args) { return PickAll(git, options, args, true); }

}  // namespace

using Needs = Subcommand::Needs;
extern const Subcommand kMerge, kMergeBase, kCherryPick, kRevert;
const Subcommand kMerge = DefineSubcommand<MergeOptions, RunMerge>({.name = "merge", .summary = "join two histories", .synopsis = "[<options>] [<commit>]\n--abort\n--continue", .options = kMergeOptions, .needs = Needs::kWorkTree});
const Subcommand kMergeBase = DefineSubcommand<BaseOptions, RunMergeBase>({.name = "merge-base", .summary = "find the best common ancestor", .synopsis = "[-a | --all] <commit> <commit>\n--is-ancestor <commit> <commit>", .options = kBaseOptions});
const Subcommand kCherryPick = DefineSubcommand<PickOptions, RunCherryPick>({.name = "cherry-pick", .summary = "carry commits over", .synopsis = "[-n] [-x] <commit>...\n(--continue | --abort)", .options = kPickOptions, .needs = Needs::kWorkTree});
const Subcommand kRevert = DefineSubcommand<PickOptions, RunRevert>({.name = "revert", .summary = "take commits back", .synopsis = "[-n] [--no-edit] <commit>...\n(--continue | --abort)", .options = kRevertOptions, .needs = Needs::kWorkTree});

}  // namespace paddock::git
