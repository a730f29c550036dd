// Notes: texts that are added to objects.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "commands/git/git.h"

namespace paddock::git {

// What a file of a tree of notes is about: its path is the id, with slashes anywhere.
std::optional<Oid> NotedObject(std::string_view path);

// The notes of a reference, or of any commit.
class Notes {
 public:
  Notes(Git& git, std::string ref) : git_(git), ref_(std::move(ref)) {}

  // Those that the reference has now: none if it is not there.
  Status Read();
  Status ReadCommit(const Oid& commit);
  struct Note {
    std::string path;
    Oid blob;
  };
  const std::map<Oid, Note>& all() const { return notes_; }
  const Note* Find(const Oid& id) const;
  void Put(const Oid& id, const Oid& blob);
  void Remove(const Oid& id);
  const std::string& ref() const { return ref_; }
  const std::optional<Oid>& commit() const { return commit_; }
  // A commit of them; the reference stays.
  Result<Oid> MakeCommit(const std::vector<Oid>& parents, const std::string& message);
  // The same on top of what the reference has, which it moves to; nothing when nothing was put or removed. `action`: "added", "removed"; `verb`: of git notes, or a whole command that begins with "git ".
  Status Write(const std::string& action, const std::string& verb);

 private:
  Git& git_;
  std::string ref_;
  std::optional<Oid> commit_;
  FlatTree files_;
  std::map<Oid, Note> notes_;
  bool has_changed_ = false;
};

// How two notes for one object become one.
enum class NoteJoin { kIgnore, kOverwrite, kConcatenate, kSortLines };
std::optional<NoteJoin> NoteJoinOf(std::string_view name);
// `ours`, `theirs`: blobs, as far as there are any. Nothing: no note.
Result<std::optional<Oid>> JoinNotes(Git& git, NoteJoin how, const std::optional<Oid>& ours, const std::optional<Oid>& theirs);

// Gives commits that took the place of others the notes of those, in the references of notes.rewriteRef. `command`: "amend" or
// "rebase", for notes.rewrite.COMMAND; `by`: what made them, for the message.
Status RewriteNotes(Git& git, const std::string& command, const std::vector<std::pair<Oid, Oid>>& rewritten, const std::string& by);

// git notes merge. `strategy`: empty for the configured one; `verbosity`: 2 unless -v and -q say otherwise.
Result<ExitStatus> MergeNotes(Git& git, const std::string& ref, const std::string& other, const std::string& strategy, int verbosity);
Result<ExitStatus> CommitMergedNotes(Git& git, int verbosity);
Result<ExitStatus> AbortNotesMerge(Git& git, int verbosity);
bool IsNoteStrategy(std::string_view name);

}  // namespace paddock::git
