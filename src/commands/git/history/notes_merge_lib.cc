// git notes merge: two histories of notes made into one.
#include <algorithm>
#include <set>

#include "commands/git/history/notes.h"
#include "commands/git/merge/merge.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/commit.h"

namespace paddock::git {
namespace {

constexpr std::string_view kPartial = "NOTES_MERGE_PARTIAL", kMergedRef = "NOTES_MERGE_REF", kWorktree = "NOTES_MERGE_WORKTREE";
constexpr std::string_view kStrategies[] = {"manual", "ours", "theirs", "union", "cat_sort_uniq"};

std::vector<vfs::DirectoryEntry> WorktreeFiles(Git& git) {
  auto list = git.in.fs.List(git.GitPath(kWorktree));
  return list ? std::move(*list) : std::vector<vfs::DirectoryEntry>();
}

// How messages name the directory.
std::string ShownWorktree(Git& git) { return (git.git_dir == vfs::JoinPath(git.work_tree, ".git") ? ".git/" : git.git_dir + "/") + std::string(kWorktree); }

class NoteMerge {
 public:
  NoteMerge(Git& git, const std::string& ref, const std::string& other, std::string strategy, int verbosity)
      : git_(git), base_(git, ""), ours_(git, ref), theirs_(git, other), strategy_(std::move(strategy)), verbosity_(verbosity) {}

  Result<ExitStatus> Run() {
    PADDOCK_TRY(ours_.Read());
    PADDOCK_TRY(theirs_.Read());
    const auto &local = ours_.commit(), &remote = theirs_.commit();
    if (!local && !remote) return Error(Code::kNoEntry, "Cannot merge empty notes ref (" + theirs_.ref() + ") into empty notes ref (" + ours_.ref() + ")");
    message_ = "Merged notes from " + theirs_.ref() + " into " + ours_.ref();
    if (!remote) return 0;
    if (!local) return MoveTo(*remote);
    PADDOCK_ASSIGN(const std::optional<Oid> base, FindBase(*local, *remote));
    if (base == remote) {
      Tell(2, "Already up to date.\n");
      return 0;
    }
    if (base == local) {
      Tell(2, "Fast-forward\n");
      return MoveTo(*remote);
    }
    if (base) PADDOCK_TRY(base_.ReadCommit(*base));
    return MergeAll();
  }

 private:
  void Tell(int level, const std::string& text) {
    if (verbosity_ >= level) git_.Print(text);
  }

  Result<std::optional<Oid>> FindBase(const Oid& local, const Oid& remote) {
    History history(git_);
    PADDOCK_ASSIGN(const std::vector<Oid> bases, history.MergeBases(local, remote));
    if (bases.empty()) {
      Tell(4, "No merge base found; performing history-less merge\n");
      return std::optional<Oid>();
    }
    const auto shown = [this](const Oid& id) { return git_.objects.Abbreviate(id); };
    Tell(4, (bases.size() == 1 ? "One merge base found (" : "Multiple merge bases found. Using the first (") + shown(bases[0]) + ")\n");
    Tell(4, "Merging remote commit " + shown(remote) + " into local commit " + shown(local) + " with merge-base " + shown(bases[0]) + "\n");
    return std::optional<Oid>(bases[0]);
  }

  Result<ExitStatus> MoveTo(const Oid& id) {
    PADDOCK_TRY(git_.refs.Write(ours_.ref(), id, git_.Who(), "notes: " + message_));
    return 0;
  }

  static std::optional<Oid> BlobOf(const Notes& notes, const Oid& id) {
    const Notes::Note* note = notes.Find(id);
    return note == nullptr ? std::nullopt : std::optional<Oid>(note->blob);
  }

  void Take(const Oid& id, const std::optional<Oid>& blob) {
    if (blob) ours_.Put(id, *blob);
    else ours_.Remove(id);
  }

  Result<ExitStatus> MergeAll() {
    std::set<Oid> ids;
    for (const auto& [id, note] : theirs_.all()) ids.insert(id);
    for (const auto& [id, note] : base_.all()) ids.insert(id);
    std::string conflicts;
    for (const Oid& id : ids) {
      git_.in.budget.Step(4);
      const auto base = BlobOf(base_, id), local = BlobOf(ours_, id), remote = BlobOf(theirs_, id);
      if (remote == base || remote == local) continue;
      if (local == base) {
        Take(id, remote);
        continue;
      }
      PADDOCK_ASSIGN(const bool is_settled, Settle(id, base, local, remote, conflicts.empty()));
      if (!is_settled) conflicts += "\t" + id.Hex() + "\n";
    }
    const std::vector<Oid> parents = {*ours_.commit(), *theirs_.commit()};
    if (conflicts.empty()) {
      PADDOCK_ASSIGN(const Oid merged, ours_.MakeCommit(parents, message_));
      return MoveTo(merged);
    }
    PADDOCK_ASSIGN(const Oid partial, ours_.MakeCommit(parents, message_ + "\n\nConflicts:\n" + conflicts));
    PADDOCK_TRY(git_.refs.WriteDirect(kPartial, partial));
    PADDOCK_TRY(git_.refs.WriteSymbolic(kMergedRef, ours_.ref()));
    git_.Say("Automatic notes merge failed. Fix conflicts in " + ShownWorktree(git_) + " and commit the result with 'git notes merge --commit', or abort the merge with 'git notes merge --abort'.\n");
    return 1;
  }

  // False: it is left to whoever edits the file of the object.
  Result<bool> Settle(const Oid& id, const std::optional<Oid>& base, const std::optional<Oid>& local, const std::optional<Oid>& remote, bool is_first) {
    if (strategy_ == "manual") {
      PADDOCK_TRY(PutConflict(id, base, local, remote, is_first));
      ours_.Remove(id);
      return false;
    }
    if (strategy_ == "ours") {
      Tell(2, "Using local notes for " + id.Hex() + "\n");
      return true;
    }
    if (strategy_ == "theirs") {
      Tell(2, "Using remote notes for " + id.Hex() + "\n");
      Take(id, remote);
      return true;
    }
    Tell(2, (strategy_ == "union" ? "Concatenating local and remote notes for " : "Concatenating unique lines in local and remote notes for ") + id.Hex() + "\n");
    PADDOCK_ASSIGN(const auto joined, JoinNotes(git_, strategy_ == "union" ? NoteJoin::kConcatenate : NoteJoin::kSortLines, local, remote));
    Take(id, joined);
    return true;
  }

  Status PutConflict(const Oid& id, const std::optional<Oid>& base, const std::optional<Oid>& local, const std::optional<Oid>& remote, bool is_first) {
    std::string text;
    const std::string about = "notes for object " + id.Hex();
    Tell(2, "Auto-merging " + about.substr(0, 10) + id.Hex() + "\n");
    if (is_first && !WorktreeFiles(git_).empty()) {
      return Error(Code::kConflict, "You have not concluded your previous notes merge (.git/NOTES_MERGE_* exists).\nPlease, use 'git notes merge --commit' or 'git notes merge --abort' to commit/abort the previous merge before you start a new notes merge.");
    }
    if (local && remote) {
      Tell(1, std::string("CONFLICT (") + (base ? "content" : "add/add") + "): Merge conflict in " + about + "\n");
    } else {
      const std::string &gone = local ? theirs_.ref() : ours_.ref(), &kept = local ? ours_.ref() : theirs_.ref();
      Tell(1, "CONFLICT (delete/modify): Notes for object " + id.Hex() + " deleted in " + gone + " and modified in " + kept + ". Version from " + kept + " left in tree.\n");
    }
    const auto read = [this](const std::optional<Oid>& blob) { return blob ? git_.ReadBlob(*blob) : Result<std::string>(std::string()); };
    PADDOCK_ASSIGN(const std::string before, read(base));
    PADDOCK_ASSIGN(const std::string mine, read(local));
    PADDOCK_ASSIGN(const std::string other, read(remote));
    if (local && remote) {
      PADDOCK_ASSIGN(const MergeStyle style, ConfiguredStyle(git_));
      text = MergeTexts(before, mine, other, {ours_.ref(), theirs_.ref(), ""}, style, git_.in.budget).text;
    } else {
      text = local ? mine : other;
    }
    const std::string folder = git_.GitPath(kWorktree);
    PADDOCK_TRY(vfs::MakeDirectories(git_.in.fs, folder));
    return vfs::WriteFile(git_.in.fs, folder + "/" + id.Hex(), text);
  }

  Git& git_;
  Notes base_, ours_, theirs_;
  std::string strategy_, message_;
  int verbosity_;
};

void ClearWorktree(Git& git, int verbosity) {
  const auto folder = git.in.fs.Stat(git.GitPath(kWorktree), vfs::Follow::kNo);
  if (!folder || folder->type != vfs::FileType::kDirectory) return;  // through a link it would empty another folder
  if (verbosity >= 3) git.Print("Removing notes merge worktree at " + ShownWorktree(git) + "/*\n");
  for (const vfs::DirectoryEntry& entry : WorktreeFiles(git)) {
    git.in.budget.Step(4);
    if (entry.type != vfs::FileType::kDirectory) static_cast<void>(git.in.fs.RemoveFile(git.GitPath(kWorktree) + "/" + entry.name).has_value());
  }
}

}  // namespace

bool IsNoteStrategy(std::string_view name) { return std::find(std::begin(kStrategies), std::end(kStrategies), name) != std::end(kStrategies); }

Result<ExitStatus> MergeNotes(Git& git, const std::string& ref, const std::string& other, const std::string& strategy, int verbosity) {
  std::string chosen = strategy;
  const std::string own_key = "notes." + ref.substr(std::min<size_t>(ref.size(), 11)) + ".mergestrategy";
  for (const std::string& key : {own_key, std::string("notes.mergestrategy")}) {
    const auto value = chosen.empty() ? git.config.Get(key) : std::nullopt;
    if (!value) continue;
    chosen = *value;
    if (IsNoteStrategy(chosen)) continue;
    git.Complain("unknown notes merge strategy " + chosen);
    return Error(Code::kInvalid, "bad config variable '" + std::string(key == own_key ? own_key : "notes.mergeStrategy") + "'");
  }
  return NoteMerge(git, ref, other, chosen.empty() ? "manual" : chosen, verbosity).Run();
}

Result<ExitStatus> CommitMergedNotes(Git& git, int verbosity) {
  const auto partial = git.refs.Read(kPartial);
  if (!partial) return Error(Code::kNoEntry, "failed to read ref NOTES_MERGE_PARTIAL");
  const auto commit = git.objects.ReadCommit(*partial);
  if (!commit) return Error(Code::kCorrupt, "could not find commit from NOTES_MERGE_PARTIAL.");
  const auto ref = git.refs.ReadSymbolic(kMergedRef);
  if (!ref) return Error(Code::kNoEntry, "failed to resolve NOTES_MERGE_REF");
  Notes notes(git, *ref);
  PADDOCK_TRY(notes.ReadCommit(*partial));
  if (verbosity >= 3) git.Print("Committing notes in notes merge worktree at " + ShownWorktree(git) + "\n");
  for (const vfs::DirectoryEntry& entry : WorktreeFiles(git)) {
    git.in.budget.Step(4);
    const auto id = Oid::FromHex(entry.name);
    if (!id) {
      if (verbosity >= 3) git.Print("Skipping non-SHA1 entry '" + ShownWorktree(git) + "/" + entry.name + "'\n");
      continue;
    }
    PADDOCK_ASSIGN(const std::string text, vfs::ReadFile(git.in.fs, git.GitPath(kWorktree) + "/" + entry.name));
    PADDOCK_ASSIGN(const Oid blob, git.objects.Write(ObjectType::kBlob, text));
    notes.Put(*id, blob);
    if (verbosity >= 4) git.Print("Added resolved note for object " + id->Hex() + ": " + blob.Hex() + "\n");
  }
  PADDOCK_ASSIGN(const Oid merged, notes.MakeCommit(commit->parents, commit->message));
  PADDOCK_TRY(git.refs.Write(*ref, merged, git.Who(), "notes: " + SubjectOf(commit->message)));
  return AbortNotesMerge(git, verbosity);
}

Result<ExitStatus> AbortNotesMerge(Git& git, int verbosity) {
  for (const std::string_view name : {kPartial, kMergedRef}) {
    if (git.in.fs.Stat(git.GitPath(name))) PADDOCK_TRY(git.in.fs.RemoveFile(git.GitPath(name)));
  }
  ClearWorktree(git, verbosity);
  return 0;
}

}  // namespace paddock::git
