// The notes of a reference: reading, changing and writing them.
#include <algorithm>

#include "commands/git/history/notes.h"
#include "commands/git/merge/merge.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {

std::optional<Oid> NotedObject(std::string_view path) {
  std::string hex;
  for (const char c : path) {
    if (c != '/') hex += c;
  }
  return Oid::FromHex(hex);
}

Status Notes::Read() {
  const auto commit = git_.refs.Read(ref_);
  return commit ? ReadCommit(*commit) : Status();
}

Status Notes::ReadCommit(const Oid& commit) {
  commit_ = commit;
  PADDOCK_ASSIGN(files_, git_.FlattenCommit(commit));
  for (const auto& [path, item] : files_) {
    git_.in.budget.Step();
    if (const auto id = NotedObject(path)) notes_[*id] = {path, item.id};
  }
  return {};
}

const Notes::Note* Notes::Find(const Oid& id) const {
  const auto found = notes_.find(id);
  return found == notes_.end() ? nullptr : &found->second;
}

void Notes::Put(const Oid& id, const Oid& blob) {
  Remove(id);
  const std::string path = id.Hex();
  files_[path] = {kModeFile, blob};
  has_changed_ = true;
  notes_[id] = {path, blob};
}

void Notes::Remove(const Oid& id) {
  const Note* note = Find(id);
  if (note == nullptr) return;
  files_.erase(note->path);
  notes_.erase(id);
  has_changed_ = true;
}

Result<Oid> Notes::MakeCommit(const std::vector<Oid>& parents, const std::string& message) {
  Commit commit;
  PADDOCK_ASSIGN(commit.tree, TreeOf(git_, files_));
  commit.parents = parents;
  PADDOCK_ASSIGN(commit.author, git_.Author());
  PADDOCK_ASSIGN(commit.committer, git_.Committer());
  commit.message = message;
  return git_.objects.Write(ObjectType::kCommit, commit.Text());
}

Status Notes::Write(const std::string& action, const std::string& verb) {
  if (!has_changed_) return {};
  const std::string message = "Notes " + action + " by '" + (verb.starts_with("git ") ? "" : "git notes ") + verb + "'";
  PADDOCK_ASSIGN(const Oid id, MakeCommit(commit_ ? std::vector<Oid>{*commit_} : std::vector<Oid>(), message + "\n"));
  return git_.refs.Write(ref_, id, git_.Who(), "notes: " + message);
}

std::optional<NoteJoin> NoteJoinOf(std::string_view name) {
  static constexpr std::pair<std::string_view, NoteJoin> kNames[] = {{"ignore", NoteJoin::kIgnore}, {"overwrite", NoteJoin::kOverwrite}, {"concatenate", NoteJoin::kConcatenate}, {"cat_sort_uniq", NoteJoin::kSortLines}};
  for (const auto& [known, join] : kNames) {
    if (known == name) return join;
  }
  return std::nullopt;
}

Result<std::optional<Oid>> JoinNotes(Git& git, NoteJoin how, const std::optional<Oid>& ours, const std::optional<Oid>& theirs) {
  if (how == NoteJoin::kOverwrite) return theirs;
  if (how == NoteJoin::kIgnore) return ours ? ours : theirs;
  const auto read = [&git](const std::optional<Oid>& blob) { return blob ? git.ReadBlob(*blob) : Result<std::string>(std::string()); };
  PADDOCK_ASSIGN(std::string first, read(ours));
  PADDOCK_ASSIGN(const std::string second, read(theirs));
  if (how == NoteJoin::kConcatenate) {
    if (second.empty()) return ours;
    if (first.empty()) return theirs;
    if (first.ends_with('\n')) first.pop_back();
    first += "\n\n" + second;
  } else {
    std::vector<std::string> lines;
    for (const std::string* text : {static_cast<const std::string*>(&first), &second}) {
      for (const std::string_view line : SplitLines(*text)) lines.emplace_back(line.substr(0, line.size() - (line.ends_with('\n') ? 1 : 0)));
    }
    std::erase(lines, "");
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    first = std::move(text);
  }
  PADDOCK_ASSIGN(const Oid blob, git.objects.Write(ObjectType::kBlob, first));
  return std::optional<Oid>(blob);
}

}  // namespace paddock::git
