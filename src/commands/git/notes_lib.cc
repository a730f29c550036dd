// git notes: what is added to commits without changing them.
#include <algorithm>

#include "commands/git/commit.h"
#include "commands/git/merge.h"
#include "commands/git/notes.h"
#include "commands/git/revision.h"

namespace paddock::git {
namespace {

struct Options {
  bool force = false, allows_empty = false, quiet = false, dry_run = false, verbose = false, ignores_missing = false;
  std::string ref;
  std::vector<std::string> texts;   // with a letter for where each is from
};
template <char kKind>
Status TakeText(Options& options, std::string_view value) {
  options.texts.push_back(kKind + std::string(value));
  return {};
}
constexpr Option kOptions[] = {
    Value<&Options::ref>(0, "ref", "REF", "notes of REF instead of refs/notes/commits"),
    Call<TakeText<'m'>>('m', "message", "TEXT", "the note"),
    Call<TakeText<'F'>>('F', "file", "FILE", "the note is in FILE"),
    Call<TakeText<'C'>>('C', "reuse-message", "OBJECT", "the note is this object"),
    Flag<&Options::force>('f', "force", "replace a note that is there"),
    Flag<&Options::allows_empty>(0, "allow-empty", "also an empty note"),
    Flag<&Options::ignores_missing>(0, "ignore-missing", "removing what is not there is no error"),
    Flag<&Options::dry_run>('n', "dry-run", "with prune: only tell"),
    Flag<&Options::verbose>('v', "verbose", "with prune: tell"),
};

std::string NotesRef(Git& git, const Options& options) {
  std::string ref = options.ref;
  if (ref.empty()) return std::string(git.in.env.Get("GIT_NOTES_REF", git.config.Get("core.notesref", "refs/notes/commits")));
  if (ref.starts_with("refs/notes/")) return ref;
  return ref.starts_with("notes/") ? "refs/" + ref : "refs/notes/" + ref;
}

class Notes {
 public:
  Notes(Git& git, std::string ref) : git_(git), ref_(std::move(ref)) {}

  Status Read() {
    const auto commit = git_.refs.Read(ref_);
    if (!commit) return {};
    commit_ = *commit;
    PADDOCK_ASSIGN(files_, git_.FlattenCommit(*commit));
    for (const auto& [path, item] : files_) {
      git_.in.budget.Step();
      if (const auto id = NotedObject(path)) notes_[*id] = {path, item.id};
    }
    return {};
  }
  struct Note {
    std::string path;
    Oid blob;
  };
  const std::map<Oid, Note>& all() const { return notes_; }
  const Note* Find(const Oid& id) const {
    const auto found = notes_.find(id);
    return found == notes_.end() ? nullptr : &found->second;
  }
  void Put(const Oid& id, const Oid& blob) {
    Remove(id);
    const std::string path = id.Hex();
    files_[path] = {kModeFile, blob};
    notes_[id] = {path, blob};
  }
  void Remove(const Oid& id) {
    if (const Note* note = Find(id)) files_.erase(note->path);
    notes_.erase(id);
  }
  Status Write(const std::string& action) {
    Commit commit;
    PADDOCK_ASSIGN(commit.tree, TreeOf(git_, files_));
    if (commit_) commit.parents.push_back(*commit_);
    PADDOCK_ASSIGN(commit.author, git_.Author());
    PADDOCK_ASSIGN(commit.committer, git_.Committer());
    commit.message = "Notes " + action + " by 'git notes " + verb_ + "'\n";
    PADDOCK_ASSIGN(const Oid id, git_.objects.Write(ObjectType::kCommit, commit.Text()));
    return git_.refs.Write(ref_, id, git_.Who(), "notes: " + commit.message.substr(0, commit.message.size() - 1));
  }
  void Name(std::string verb) { verb_ = std::move(verb); }

 private:
  Git& git_;
  std::string ref_, verb_;
  std::optional<Oid> commit_;
  FlatTree files_;
  std::map<Oid, Note> notes_;
};

Result<std::string> NoteText(Git& git, const Options& options) {
  std::string text;
  for (const std::string& source : options.texts) {
    std::string part = source.substr(1);
    if (source[0] == 'F') {
      if (part == "-") {
        part = git.in.in.ReadAll();
      } else {
        auto content = vfs::ReadFile(git.in.fs, part);
        if (!content) return Error(content.error().code, "could not open or read '" + part + "': " + std::string(content.error().Text()));
        part = std::move(*content);
      }
    } else if (source[0] == 'C') {
      const auto id = ResolveObject(git, part);
      if (!id) return Error(Code::kNoEntry, "failed to resolve '" + part + "' as a valid ref.");
      auto object = git.objects.Read(*id);
      if (!object || object->type != ObjectType::kBlob) return Error(Code::kInvalid, "cannot read note data from non-blob object '" + part + "'.");
      return std::move(object->data);
    }
    if (!text.empty()) text += '\n';
    text += part;
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
  }
  return CleanMessage(text, false);
}

Result<ExitStatus> Run(Git& git, Options& options, Args& args) {
  std::vector<std::string> words = args.All();
  const std::string verb = words.empty() ? "list" : words[0];
  if (!words.empty()) words.erase(words.begin());
  const std::string ref = NotesRef(git, options);
  if (verb == "get-ref") {
    git.Print(ref + "\n");
    return 0;
  }
  const auto resolve = [&git](const std::string& name) -> Result<Oid> {
    auto id = ResolveObject(git, name);
    if (!id) return Error(Code::kNoEntry, "failed to resolve '" + name + "' as a valid ref.");
    return id;
  };
  Notes notes(git, ref);
  notes.Name(verb);
  PADDOCK_TRY(notes.Read());
  if (verb == "list") {
    if (words.empty()) {
      for (const auto& [id, note] : notes.all()) git.Print(note.blob.Hex() + " " + id.Hex() + "\n");
      return 0;
    }
    PADDOCK_ASSIGN(const Oid id, resolve(words[0]));
    const Notes::Note* note = notes.Find(id);
    if (note == nullptr) return git.Complain("no note found for object " + id.Hex() + ".");
    git.Print(note->blob.Hex() + "\n");
    return 0;
  }
  if (verb == "show") {
    PADDOCK_ASSIGN(const Oid id, resolve(words.empty() ? "HEAD" : words[0]));
    const Notes::Note* note = notes.Find(id);
    if (note == nullptr) return git.Complain("no note found for object " + id.Hex() + ".");
    PADDOCK_ASSIGN(const std::string text, git.ReadBlob(note->blob));
    git.Print(text);
    return 0;
  }
  if (verb == "add" || verb == "append" || verb == "edit") {
    PADDOCK_ASSIGN(const Oid id, resolve(words.empty() ? "HEAD" : words[0]));
    const Notes::Note* note = notes.Find(id);
    if (verb == "add" && note != nullptr && !options.force) {
      return git.Complain("Cannot add notes. Found existing notes for object " + id.Hex() + ". Use '-f' to overwrite existing notes");
    }
    if (verb == "add" && note != nullptr) git.Say("Overwriting existing notes for object " + id.Hex() + "\n");
    std::string text;
    if (options.texts.empty()) {
      const std::string path = git.GitPath("NOTES_EDITMSG");
      std::string before;
      if (note != nullptr && verb == "edit") {
        PADDOCK_ASSIGN(before, git.ReadBlob(note->blob));
      }
      PADDOCK_TRY(vfs::WriteFile(git.in.fs, path, before + "\n#\n# Write/edit the notes for the following object:\n#\n"));
      PADDOCK_TRY(git.Edit(path));
      PADDOCK_ASSIGN(const std::string edited, vfs::ReadFile(git.in.fs, path));
      text = CleanMessage(edited, true);
    } else {
      PADDOCK_ASSIGN(text, NoteText(git, options));
    }
    if (verb == "append" && note != nullptr) {
      PADDOCK_ASSIGN(const std::string before, git.ReadBlob(note->blob));
      text = before + (before.empty() || text.empty() ? "" : "\n") + text;
    }
    if (text.empty() && !options.allows_empty) {
      git.Say("Removing note for object " + id.Hex() + "\n");
      notes.Remove(id);
      PADDOCK_TRY(notes.Write("removed"));
      return 0;
    }
    PADDOCK_ASSIGN(const Oid blob, git.objects.Write(ObjectType::kBlob, text));
    notes.Put(id, blob);
    PADDOCK_TRY(notes.Write("added"));
    return 0;
  }
  if (verb == "copy") {
    if (words.empty()) return git.Complain("too few arguments", 129);
    PADDOCK_ASSIGN(const Oid from, resolve(words[0]));
    PADDOCK_ASSIGN(const Oid to, resolve(words.size() > 1 ? words[1] : "HEAD"));
    if (notes.Find(to) != nullptr && !options.force) return git.Complain("Cannot copy notes. Found existing notes for object " + to.Hex() + ". Use '-f' to overwrite existing notes");
    if (notes.Find(to) != nullptr) git.Say("Overwriting existing notes for object " + to.Hex() + "\n");
    const Notes::Note* note = notes.Find(from);
    if (note == nullptr) return git.Complain("missing notes on source object " + from.Hex() + ". Cannot copy.");
    notes.Put(to, Oid(note->blob));
    PADDOCK_TRY(notes.Write("added"));
    return 0;
  }
  if (verb == "remove") {
    if (words.empty()) words.emplace_back("HEAD");
    ExitStatus status = 0;
    bool has_changed = false;
    for (const std::string& name : words) {
      const auto id = resolve(name);
      if (!id) return git.Complain("Failed to resolve '" + name + "' as a valid ref.");
      if (notes.Find(*id) == nullptr) {
        git.Say("Object " + name + " has no note\n");
        if (!options.ignores_missing) status = 1;
        continue;
      }
      git.Say("Removing note for object " + name + "\n");
      notes.Remove(*id);
      has_changed = true;
    }
    if (status == 0 && has_changed) PADDOCK_TRY(notes.Write("removed"));
    return status;
  }
  if (verb == "prune") {
    std::vector<Oid> gone;
    for (const auto& [id, note] : notes.all()) {
      if (!git.objects.Has(id)) gone.push_back(id);
    }
    for (const Oid& id : gone) {
      if (options.dry_run || options.verbose) git.Print(id.Hex() + "\n");
      if (!options.dry_run) notes.Remove(id);
    }
    if (!gone.empty() && !options.dry_run) PADDOCK_TRY(notes.Write("removed"));
    return 0;
  }
  if (verb == "merge") return Error(Code::kNotSupported, "notes merge is not supported");
  return git.Complain("unknown subcommand: `" + verb + "'", 129);
}

}  // namespace

std::optional<Oid> NotedObject(std::string_view path) {
  std::string hex;
  for (const char c : path) {
    if (c != '/') hex += c;
  }
  return Oid::FromHex(hex);
}

extern const Subcommand kNotes;
const Subcommand kNotes = DefineSubcommand<Options, Run>({.name = "notes", .summary = "add notes to commits", .synopsis = "[--ref <notes-ref>] [list [<object>]]\n[--ref <notes-ref>] add [-f] [--allow-empty] [-m <msg> | -F <file> | -C <object>] [<object>]\n[--ref <notes-ref>] copy [-f] <from-object> <to-object>\n[--ref <notes-ref>] append [--allow-empty] [-m <msg> | -F <file> | -C <object>] [<object>]\n[--ref <notes-ref>] edit [--allow-empty] [<object>]\n[--ref <notes-ref>] show [<object>]\n[--ref <notes-ref>] remove [<object>...]\n[--ref <notes-ref>] prune [-n] [-v]\n[--ref <notes-ref>] get-ref", .options = kOptions});

}  // namespace paddock::git
