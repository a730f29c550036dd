// The lines of a rebase that make merges again, and branches that move along.
#include <algorithm>

#include "commands/git/history/notes.h"
#include "commands/git/hook_input.h"
#include "commands/git/merge/merge.h"
#include "commands/git/merge/rebase.h"
#include "commands/git/merge/rerere.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/commit.h"
#include "commands/git/work/worktree.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

constexpr std::string_view kLabels = "refs/rewritten/";
constexpr size_t kMostSides = 64;

std::string_view FirstWord(std::string_view text) { return text.substr(0, text.find_first_of(" \t")); }

}  // namespace

std::optional<Oid> Rebase::Labelled(const std::string& name) {
  if (const auto id = git_.refs.Read(std::string(kLabels) + name)) return id;
  if (auto id = ResolveCommit(git_, name)) return *id;
  git_.Complain("could not resolve '" + name + "'");
  return std::nullopt;
}

Result<Rebase::Step> Rebase::DoLabel(const TodoItem& item) {
  const std::string name = std::string(kLabels) + item.text;
  if (item.text == "#") {
    git_.Complain("illegal label name: '#'");
    return Reschedule(item);
  }
  if (!IsRefName(name)) {
    git_.Complain("refusing to update ref with bad name '" + name + "'");
    return Reschedule(item);
  }
  PADDOCK_ASSIGN(const Oid head, git_.RequireHead());
  PADDOCK_TRY(git_.refs.WriteDirect(name, head));
  PADDOCK_TRY(WriteFile("refs-to-delete", ReadFile("refs-to-delete") + name + "\n"));
  return Step::kDone;
}

Result<Rebase::Step> Rebase::DoReset(const TodoItem& item) {
  std::optional<Oid> target;
  std::string name(FirstWord(item.text));
  if (item.text == "[new root]") {
    name = item.text;
    if (!state.squash_onto) {
      Commit empty;
      PADDOCK_ASSIGN(empty.tree, TreeOf(git_, {}));
      PADDOCK_ASSIGN(empty.author, git_.Author());
      PADDOCK_ASSIGN(empty.committer, git_.Committer());
      PADDOCK_ASSIGN(const Oid id, git_.objects.Write(ObjectType::kCommit, empty.Text()));
      state.squash_onto = id;
      PADDOCK_TRY(WriteFile("squash-onto", id.Hex() + "\n"));
    }
    target = state.squash_onto;
  } else {
    target = Labelled(name);
  }
  if (!target) return Reschedule(item);
  PADDOCK_ASSIGN(const Oid head, git_.RequireHead());
  PADDOCK_ASSIGN(Index index, git_.ReadIndex());
  PADDOCK_ASSIGN(const FlatTree from, git_.FlattenCommit(head));
  PADDOCK_ASSIGN(const FlatTree to, git_.FlattenCommit(*target));
  PADDOCK_ASSIGN(const bool is_done, SwitchFiles(git_, from, to, index, "reset", false));
  if (!is_done) return Reschedule(item);
  PADDOCK_TRY(git_.WriteIndex(index));
  if (head == *target) return Step::kDone;
  PADDOCK_TRY(git_.refs.Write("HEAD", *target, git_.Who(), "rebase (reset): '" + name + "'"));
  return Step::kDone;
}

Result<Rebase::Step> Rebase::DoMerge(const TodoItem& item) {
  std::optional<Commit> like;
  if (item.commit) {
    PADDOCK_ASSIGN(like, git_.objects.ReadCommit(*item.commit));
  }
  PADDOCK_ASSIGN(const Oid head, git_.RequireHead());
  std::vector<Oid> sides;
  std::vector<std::string> names;
  std::string_view rest = item.text;
  std::string title;
  while (true) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    const std::string_view word = FirstWord(rest);
    rest.remove_prefix(word.size());
    if (word == "#") {
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
      title = rest;
    }
    if (word.empty() || word == "#") break;
    if (sides.size() >= kMostSides) return Error(Code::kRange, "too many heads to merge");
    const auto side = Labelled(std::string(word));
    if (!side) {
      git_.Complain("unable to parse '" + std::string(word) + "'");
      return Reschedule(item);
    }
    sides.push_back(*side);
    names.emplace_back(word);
  }
  if (sides.empty()) {
    git_.Complain("nothing to merge: '" + item.text + "'");
    return Reschedule(item);
  }
  // Without a merge to take it from, the message is edited.
  const bool edits = !like || item.fixup == 'c';
  std::string message = like ? like->message : title;
  if (message.empty()) {
    message = sides.size() > 1 ? "Merge branches '" : "Merge branch '";
    for (size_t i = 0; i < names.size(); ++i) message += (i > 0 ? " " : "") + names[i];
    message += "'";
  }
  // The merge as it was, where nothing below it changed.
  std::vector<Oid> parents = {head};
  parents.insert(parents.end(), sides.begin(), sides.end());
  if (like && !state.forces && !edits && like->parents == parents) {
    PADDOCK_ASSIGN(const bool is_done, ForwardTo(git_, *item.commit, "rebase: fast-forward"));
    if (!is_done) return Reschedule(item);
    PADDOCK_TRY(Rewrote(*item.commit));
    return Step::kDone;
  }
  if (like) PADDOCK_TRY(WriteAuthor(*like));
  const Commit* model = like ? &*like : nullptr;
  PADDOCK_ASSIGN(const Step step, sides.size() > 1 ? MergeSeveral(item, sides, message, model) : MergeOne(item, sides[0], names[0], message, model));
  if (step == Step::kDone && item.commit) PADDOCK_TRY(Rewrote(*item.commit));
  return step;
}

Result<Rebase::Step> Rebase::MergeOne(const TodoItem& item, const Oid& side, const std::string& name, const std::string& message, const Commit* like) {
  PADDOCK_ASSIGN(const Oid head, git_.RequireHead());
  History history(git_);
  PADDOCK_ASSIGN(const std::vector<Oid> bases, history.MergeBases(head, side));
  if (!bases.empty() && bases[0] == side) return Step::kDone;   // it is in there
  PADDOCK_ASSIGN(const MergeStyle style, StrategyStyle(git_, state.strategy, state.strategy_options));
  PADDOCK_ASSIGN(FlatTree base, BaseFiles(git_, history, bases, style));
  PADDOCK_ASSIGN(const FlatTree ours, git_.FlattenCommit(head));
  PADDOCK_ASSIGN(FlatTree theirs, git_.FlattenCommit(side));
  const std::string label = git_.refs.Exists(std::string(kLabels) + name) ? std::string(kLabels) + name : name;
  PADDOCK_ASSIGN(const TreeMerge merge, MergeTrees(git_, std::move(base), ours, std::move(theirs), {"HEAD", label}, style));
  PADDOCK_ASSIGN(const bool is_applied, ApplyMerge(git_, ours, merge, "merge"));
  if (!is_applied) {
    git_.Complain("could not even attempt to merge '" + item.text + "'");
    return Reschedule(item);
  }
  PADDOCK_TRY(vfs::WriteFile(git_.in.fs, git_.GitPath("MERGE_HEAD"), side.Hex() + "\n"));
  PADDOCK_TRY(vfs::WriteFile(git_.in.fs, git_.GitPath("MERGE_MODE"), "no-ff"));
  if (!merge.conflicts.empty()) {
    PADDOCK_TRY(vfs::WriteFile(git_.in.fs, git_.GitPath("MERGE_MSG"), message));
    PADDOCK_TRY(WriteFile("message", message));
    git_.Print(merge.messages);
    PADDOCK_TRY(RememberConflicts(git_, state.stages_resolved));
    if (item.commit) return StopAt(item, false, true);
    return Step::kFail;
  }
  PADDOCK_TRY(vfs::WriteFile(git_.in.fs, git_.GitPath("MERGE_MSG"), message));
  PADDOCK_ASSIGN(const ExitStatus status, CommitMerge(like, message, like == nullptr || item.fixup == 'c'));
  if (status == 0) return Step::kDone;
  return item.commit ? StopAt(item, false, true) : Result<Step>(Step::kFail);
}

// With the author of `like`, under the name of what was done before.
Result<ExitStatus> Rebase::CommitMerge(const Commit* like, const std::string& message, bool edits) {
  Commit own;
  if (like == nullptr) {
    PADDOCK_ASSIGN(own.author, git_.Author());
    like = &own;
  }
  Commit commit;
  PADDOCK_ASSIGN(const Index index, git_.ReadIndex());
  PADDOCK_ASSIGN(commit.tree, git_.WriteTree(index));
  PADDOCK_ASSIGN(const Oid head, git_.RequireHead());
  commit.parents = {head};
  const auto side = git_.refs.Read("MERGE_HEAD");
  if (side) commit.parents.push_back(*side);
  commit.author = like->author;
  PADDOCK_ASSIGN(commit.committer, git_.Committer());
  TakeDates(commit);
  commit.message = message;
  PADDOCK_TRY(MakeCommit(git_, commit, action_ + ": " + commit.message.substr(0, commit.message.find('\n'))));
  ForgetMerge(git_);
  return edits ? Commit_(commit, message, true, true, action_) : Result<ExitStatus>(0);
}

Result<Rebase::Step> Rebase::MergeSeveral(const TodoItem& item, const std::vector<Oid>& sides, const std::string& message, const Commit* like) {
  Environment environment = git_.in.env;
  if (like != nullptr) SetAuthor(environment, like->author);
  std::vector<std::string> command = {"merge", "--no-edit", "--no-ff", "--no-stat", "-m", message.substr(0, message.find_last_not_of('\n') + 1), git_.signing_key ? "-S" + *git_.signing_key : "--no-gpg-sign"};
  for (const Oid& side : sides) command.push_back(side.Hex());
  const ExitStatus status = RunGit(git_, command, &environment);
  if (status == 0) return Step::kDone;
  if (item.commit) return StopAt(item, false, true);
  return Step::kFail;
}

std::vector<MovedRef> Rebase::ReadMovedRefs() const {
  std::vector<MovedRef> refs;
  const std::string text = ReadFile("update-refs");
  const std::vector<std::string_view> lines = SplitLines(text);
  for (size_t i = 0; i + 2 < lines.size(); i += 3) {
    const auto before = Oid::FromHex(lines[i + 1].substr(0, 40)), after = Oid::FromHex(lines[i + 2].substr(0, 40));
    const std::string name(lines[i].substr(0, lines[i].size() - 1));
    if (before && after && name.starts_with("refs/") && IsRefName(name)) refs.push_back({name, *before, *after});
  }
  return refs;
}

Status Rebase::WriteMovedRefs(const std::vector<MovedRef>& refs) {
  std::string text;
  for (const MovedRef& ref : refs) text += ref.name + "\n" + ref.before.Hex() + "\n" + ref.after.Hex() + "\n";
  if (!text.empty()) return WriteFile("update-refs", text);
  RemoveFile("update-refs");
  return {};
}

Status Rebase::KeepMovedRefs() {
  std::vector<MovedRef> refs = ReadMovedRefs();
  const auto is_listed = [this](const std::string& name) {
    return std::any_of(todo.begin(), todo.end(), [&](const TodoItem& item) { return item.verb == TodoItem::Verb::kUpdateRef && item.text == name; });
  };
  std::erase_if(refs, [&](const MovedRef& ref) { return ref.after.is_null() && !is_listed(ref.name); });
  for (const TodoItem& item : todo) {
    git_.in.budget.Step();
    if (item.verb != TodoItem::Verb::kUpdateRef) continue;
    if (std::any_of(refs.begin(), refs.end(), [&](const MovedRef& ref) { return ref.name == item.text; })) continue;
    refs.push_back({item.text, git_.refs.Read(item.text).value_or(Oid{}), Oid{}});
  }
  return WriteMovedRefs(refs);
}

Result<Rebase::Step> Rebase::DoUpdateRef(const TodoItem& item) {
  PADDOCK_ASSIGN(const Oid head, git_.RequireHead());
  std::vector<MovedRef> refs = ReadMovedRefs();
  for (MovedRef& ref : refs) {
    if (ref.name == item.text) ref.after = head;
  }
  PADDOCK_TRY(WriteMovedRefs(refs));
  return Step::kDone;
}

void Rebase::MoveRefs() {
  std::string moved, failed;
  for (const MovedRef& ref : ReadMovedRefs()) {
    const Oid now = git_.refs.Read(ref.name).value_or(Oid{});
    const bool is_done = !ref.after.is_null() && now == ref.before && git_.refs.WriteDirect(ref.name, ref.after).has_value();
    if (is_done) static_cast<void>(git_.refs.Log(ref.name, ref.before, ref.after, git_.Who(), "rewritten during rebase").has_value());
    (is_done ? moved : failed) += "\t" + ref.name + "\n";
  }
  if (!moved.empty() && !state.quiet) git_.Say("Updated the following refs with --update-refs:\n" + moved);
  if (!failed.empty()) git_.Complain("Failed to update the following refs with --update-refs:\n" + failed.substr(0, failed.size() - 1));
}

Status Rebase::Rewrote(const Oid& id) {
  const std::string pending = ReadFile("rewritten-pending") + id.Hex() + "\n";
  if (!todo.empty() && todo.front().IsFixup()) return WriteFile("rewritten-pending", pending);
  PADDOCK_ASSIGN(const Oid head, git_.RequireHead());
  std::string list = ReadFile("rewritten-list");
  for (const std::string_view line : SplitLines(pending)) list += std::string(line.substr(0, 40)) + " " + head.Hex() + "\n";
  RemoveFile("rewritten-pending");
  return WriteFile("rewritten-list", list);
}

Status Rebase::RunPostRewrite() {
  const std::string list = ReadFile("rewritten-list");
  std::vector<std::pair<Oid, Oid>> rewritten;
  for (const std::string_view line : SplitLines(list)) {
    const auto from = Oid::FromHex(line.substr(0, 40));
    const auto to = line.size() > 80 ? Oid::FromHex(line.substr(41, 40)) : std::nullopt;
    if (from && to) rewritten.emplace_back(*from, *to);
  }
  PADDOCK_TRY(RewriteNotes(git_, "rebase", rewritten, "copy"));
  if (!list.empty()) static_cast<void>(RunHookWithInput(git_, {.name = "post-rewrite", .args = {"rebase"}, .input = list, .writes_errors = true}, nullptr));
  return {};
}

}  // namespace paddock::git
