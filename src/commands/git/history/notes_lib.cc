// git notes: what is added to commits without changing them.
#include "commands/git/history/notes.h"

#include <algorithm>

#include "commands/git/diff/diff.h"
#include "commands/git/history/pretty.h"
#include "commands/git/option_use.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/commit.h"

namespace paddock::git {
namespace {

struct Options {
  bool force = false, allows_empty = false, dry_run = false, ignores_missing = false, from_stdin = false, edits = false, commits = false, aborts = false;
  int verbosity = 2;
  std::string ref, strategy;
  std::optional<std::string> rewriter;
  std::vector<std::string> texts;   // with a letter for where each is from
  std::string used;                 // letters of the options that were given
};
template <char kKind>
Status TakeText(Options& options, std::string_view value) {
  options.used += kKind;
  if (kKind == 'c') options.edits = true;
  options.texts.push_back(kKind + std::string(value));
  return {};
}
template <int kStep>
Status TakeVerbosity(Options& options, std::string_view) {
  options.used += kStep > 0 ? 'v' : 'q';
  options.verbosity = kStep < 0 ? std::min(options.verbosity, 2) - 1 : std::max(options.verbosity, 2) + 1;
  return {};
}
// Letters in `used` that are no switches have this name.
constexpr std::pair<char, const char*> kLongNames[] = {{'e', "allow-empty"}, {'i', "ignore-missing"}, {'I', "stdin"}, {'r', "for-rewrite"}, {'d', "commit"}, {'a', "abort"}};
constexpr Option kOptions[] = {
    Value<&Options::ref>(0, "ref", "REF", "notes of REF instead of refs/notes/commits"),
    Call<TakeText<'m'>>('m', "message", "TEXT", "the note"),
    Call<TakeText<'F'>>('F', "file", "FILE", "the note is in FILE"),
    Call<TakeText<'C'>>('C', "reuse-message", "OBJECT", "the note is this object"),
    Call<TakeText<'c'>>('c', "reedit-message", "OBJECT", "the note is this object, edited"),
    Call<TakeNotedFlag<&Options::used, &Options::force, 'f'>>('f', "force", nullptr, "replace a note that is there"),
    Call<TakeNotedFlag<&Options::used, &Options::allows_empty, 'e'>>(0, "allow-empty", nullptr, "also an empty note"),
    Call<TakeNotedFlag<&Options::used, &Options::ignores_missing, 'i'>>(0, "ignore-missing", nullptr, "removing what is not there is no error"),
    Call<TakeNotedFlag<&Options::used, &Options::from_stdin, 'I'>>(0, "stdin", nullptr, "with copy and remove: standard input names the objects"),
    Call<TakeNotedText<&Options::used, &Options::rewriter, 'r'>>(0, "for-rewrite", "COMMAND", "with copy: as notes.rewrite.COMMAND says, from standard input"),
    Call<TakeNotedFlag<&Options::used, &Options::dry_run, 'n'>>('n', "dry-run", nullptr, "with prune: only tell"),
    Call<TakeVerbosity<1>>('v', "verbose", nullptr, "with prune and merge: tell more"),
    Call<TakeVerbosity<-1>>('q', "quiet", nullptr, "with merge: tell less"),
    Call<TakeNotedText<&Options::used, &Options::strategy, 's'>>('s', "strategy", "STRATEGY", "with merge: manual, ours, theirs, union or cat_sort_uniq"),
    Call<TakeNotedFlag<&Options::used, &Options::commits, 'd'>>(0, "commit", nullptr, "with merge: what was left to be edited is done"),
    Call<TakeNotedFlag<&Options::used, &Options::aborts, 'a'>>(0, "abort", nullptr, "with merge: forget it"),
};

// A short name of a reference to notes.
std::string WholeRef(const std::string& ref) {
  if (ref.starts_with("refs/notes/")) return ref;
  return ref.starts_with("notes/") ? "refs/" + ref : "refs/notes/" + ref;
}

std::string NotesRef(Git& git, const Options& options) {
  return options.ref.empty() ? std::string(git.in.env.Get("GIT_NOTES_REF", git.config.Get("core.notesref", "refs/notes/commits"))) : WholeRef(options.ref);
}

Result<Oid> Resolve(Git& git, const std::string& name) {
  auto id = ResolveObject(git, name);
  if (!id) return Error(Code::kNoEntry, "failed to resolve '" + name + "' as a valid ref.");
  return id;
}

// What -m, -F, -C and -c say.
Result<std::string> GivenText(Git& git, const Options& options) {
  std::string text;
  for (const std::string& source : options.texts) {
    std::string part = source.substr(1);
    if (source[0] == 'C' || source[0] == 'c') {
      PADDOCK_ASSIGN(const Oid id, Resolve(git, part));
      auto object = git.objects.Read(id);
      if (!object || object->type != ObjectType::kBlob) return Error(Code::kInvalid, "cannot read note data from non-blob object '" + part + "'.");
      text += (text.empty() ? "" : "\n") + object->data;
      continue;
    }
    if (source[0] == 'F' && part == "-") {
      part = git.in.in.ReadAll();
    } else if (source[0] == 'F') {
      auto content = vfs::ReadFile(git.in.fs, part);
      if (!content) return Error(content.error().code, "could not open or read '" + part + "': " + std::string(content.error().Text()));
      part = std::move(*content);
    }
    text = CleanMessage(text + (text.empty() ? "" : "\n") + part, false);
  }
  return text;
}

// The object as show --stat has it, in comments.
Result<std::string> ObjectInComments(Git& git, const Oid& id) {
  PADDOCK_ASSIGN(const Object object, git.objects.Read(id));
  std::string text = object.type == ObjectType::kBlob ? object.data : "";
  if (object.type == ObjectType::kCommit) {
    PADDOCK_ASSIGN(const Commit commit, ParseCommit(object.data, git.in.budget));
    PrettyOptions pretty;
    pretty.hides_notes = true;
    text = PrettyCommit(git, id, commit, pretty);
    FlatTree before;
    if (!commit.parents.empty()) {
      PADDOCK_ASSIGN(before, git.FlattenCommit(commit.parents[0]));
    }
    PADDOCK_ASSIGN(const FlatTree after, git.FlattenCommit(id));
    DiffOptions stat;
    stat.stat = true;
    PADDOCK_ASSIGN(const std::string changes, FormatDiff(git, CompareTrees(before, after), stat));
    if (!changes.empty()) text += "\n" + changes;
  }
  std::string comments = "\n#\n# Write/edit the notes for the following object:\n#\n";
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    comments += (end == at ? "#" : "# ") + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return comments;
}

Result<std::string> EditedText(Git& git, const Oid& id, const std::string& before) {
  const std::string path = git.GitPath("NOTES_EDITMSG");
  PADDOCK_ASSIGN(const std::string comments, ObjectInComments(git, id));
  PADDOCK_TRY(vfs::WriteFile(git.in.fs, path, before + comments));
  if (!git.Edit(path)) return Error(Code::kInvalid, "please supply the note contents using either -m or -F option");
  PADDOCK_ASSIGN(const std::string edited, vfs::ReadFile(git.in.fs, path));
  static_cast<void>(git.in.fs.RemoveFile(path).has_value());
  return CleanMessage(edited, true);
}

struct Request {
  Git& git;
  const Options& options;
  Notes& notes;
  std::string verb;
  std::vector<std::string> words;
};

Result<ExitStatus> List(Request& call) {
  if (call.words.empty()) {
    for (const auto& [id, note] : call.notes.all()) call.git.Print(note.blob.Hex() + " " + id.Hex() + "\n");
    return 0;
  }
  PADDOCK_ASSIGN(const Oid id, Resolve(call.git, call.words[0]));
  const Notes::Note* note = call.notes.Find(id);
  if (note == nullptr) return call.git.Complain("no note found for object " + id.Hex() + ".");
  call.git.Print(note->blob.Hex() + "\n");
  return 0;
}

Result<ExitStatus> Show(Request& call) {
  PADDOCK_ASSIGN(const Oid id, Resolve(call.git, call.words.empty() ? "HEAD" : call.words[0]));
  const Notes::Note* note = call.notes.Find(id);
  if (note == nullptr) return call.git.Complain("no note found for object " + id.Hex() + ".");
  PADDOCK_ASSIGN(const std::string text, call.git.ReadBlob(note->blob));
  call.git.Print(text);
  return 0;
}

// add, append and edit.
Result<ExitStatus> Add(Request& call) {
  Git& git = call.git;
  const bool has_text = !call.options.texts.empty();
  if (call.verb == "edit" && has_text) git.Say("The -m/-F/-c/-C options have been deprecated for the 'edit' subcommand.\nPlease use 'git notes add -f -m/-F/-c/-C' instead.\n");
  PADDOCK_ASSIGN(std::string text, GivenText(git, call.options));
  PADDOCK_ASSIGN(const Oid id, Resolve(git, call.words.empty() ? "HEAD" : call.words[0]));
  const Notes::Note* note = call.notes.Find(id);
  if (call.verb == "add" && note != nullptr) {
    if (!call.options.force && has_text) return git.Complain("Cannot add notes. Found existing notes for object " + id.Hex() + ". Use '-f' to overwrite existing notes");
    if (call.options.force) git.Say("Overwriting existing notes for object " + id.Hex() + "\n");
    else call.verb = "edit";   // as git does
  }
  std::string before;
  if (note != nullptr && call.verb != "add") {
    PADDOCK_ASSIGN(before, git.ReadBlob(note->blob));
  }
  if (!has_text || call.options.edits) {
    PADDOCK_ASSIGN(text, EditedText(git, id, has_text ? text : call.verb == "edit" ? before : std::string()));
  }
  if (call.verb == "append" && note != nullptr) text = before + (before.empty() || text.empty() ? "" : "\n") + text;
  if (text.empty() && !call.options.allows_empty) {
    git.Say("Removing note for object " + id.Hex() + "\n");
    call.notes.Remove(id);
    PADDOCK_TRY(call.notes.Write("removed", call.verb));
    return 0;
  }
  PADDOCK_ASSIGN(const Oid blob, git.objects.Write(ObjectType::kBlob, text));
  call.notes.Put(id, blob);
  PADDOCK_TRY(call.notes.Write("added", call.verb));
  return 0;
}

// The references that notes.rewriteRef names.
std::vector<std::string> RewrittenRefs(Git& git) {
  std::vector<std::string> globs = git.config.GetAll("notes.rewriteref"), refs;
  if (const auto told = git.in.env.Get("GIT_NOTES_REWRITE_REF")) {
    globs.clear();
    for (std::string_view rest = *told; !rest.empty();) {
      const size_t end = std::min(rest.find(':'), rest.size());
      globs.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  for (const std::string& glob : globs) {
    if (glob.find_first_of("*?[") == std::string::npos) {
      refs.push_back(glob);
      continue;
    }
    const Pattern pattern(glob, {.extglob = false});
    for (const auto& [name, id] : git.refs.List("refs/notes/")) {
      if (pattern.Matches(name, git.in.budget)) refs.push_back(name);
    }
  }
  std::erase_if(refs, [](const std::string& ref) { return !ref.starts_with("refs/notes/"); });
  return refs;
}

Status CopyNote(Git& git, Notes& notes, const Oid& from, const Oid& to, const std::optional<NoteJoin>& join) {
  const Notes::Note *note = notes.Find(from), *known = notes.Find(to);
  const std::optional<Oid> new_blob = note == nullptr ? std::nullopt : std::optional<Oid>(note->blob), old_blob = known == nullptr ? std::nullopt : std::optional<Oid>(known->blob);
  if (!new_blob && join) return {};
  PADDOCK_ASSIGN(const auto blob, JoinNotes(git, join.value_or(NoteJoin::kOverwrite), old_blob, new_blob));
  if (blob) notes.Put(to, *blob);
  else notes.Remove(to);
  return {};
}

// copy --stdin: lines "FROM TO". Without `join` a note that is there is an error, unless it is replaced.
Result<ExitStatus> CopyLines(Git& git, std::vector<Notes>& into, const std::optional<NoteJoin>& join, bool force) {
  ExitStatus status = 0;
  while (const auto line = git.in.in.ReadLine()) {
    git.in.budget.Step(8);
    std::string text(line->text);
    const size_t space = text.find(' ');
    if (space == std::string::npos || space + 1 >= text.size()) return Error(Code::kSyntax, "malformed input line: '" + text + "'.");
    const std::string from_name = text.substr(0, space), to_name = text.substr(space + 1, text.find(' ', space + 1) - space - 1);
    PADDOCK_ASSIGN(const Oid from, Resolve(git, from_name));
    PADDOCK_ASSIGN(const Oid to, Resolve(git, to_name));
    for (Notes& notes : into) {
      if (!join && notes.Find(to) != nullptr && !force) status = git.Complain("failed to copy notes from '" + from_name + "' to '" + to_name + "'");
      else PADDOCK_TRY(CopyNote(git, notes, from, to, join));
    }
  }
  for (Notes& notes : into) PADDOCK_TRY(notes.Write("added", "copy"));
  return status;
}

NoteJoin RewriteMode(Git& git) {
  NoteJoin join = NoteJoin::kConcatenate;
  const auto told = git.in.env.Get("GIT_NOTES_REWRITE_MODE");
  const std::string mode = told ? std::string(*told) : git.config.Get("notes.rewritemode", "concatenate");
  if (const auto known = NoteJoinOf(mode)) join = *known;
  else git.Complain(told ? "Bad GIT_NOTES_REWRITE_MODE value: '" + mode + "'" : "Bad notes.rewriteMode value: '" + mode + "'");
  return join;
}

Result<ExitStatus> CopyForRewrite(Request& call) {
  Git& git = call.git;
  if (!git.config.GetBool("notes.rewrite." + *call.options.rewriter, true)) return 0;
  const NoteJoin join = RewriteMode(git);
  std::vector<Notes> into;
  for (const std::string& ref : RewrittenRefs(git)) {
    into.emplace_back(git, ref);
    PADDOCK_TRY(into.back().Read());
  }
  return into.empty() ? Result<ExitStatus>(0) : CopyLines(git, into, join, true);
}

Result<ExitStatus> Copy(Request& call) {
  Git& git = call.git;
  if (call.options.from_stdin || call.options.rewriter) {
    if (!call.words.empty()) return git.Complain("too many arguments", 129);
    if (call.options.rewriter) return CopyForRewrite(call);
    std::vector<Notes> into = {std::move(call.notes)};
    return CopyLines(git, into, std::nullopt, call.options.force);
  }
  if (call.words.empty()) return git.Complain("too few arguments", 129);
  PADDOCK_ASSIGN(const Oid from, Resolve(git, call.words[0]));
  PADDOCK_ASSIGN(const Oid to, Resolve(git, call.words.size() > 1 ? call.words[1] : "HEAD"));
  if (call.notes.Find(to) != nullptr && !call.options.force) return git.Complain("Cannot copy notes. Found existing notes for object " + to.Hex() + ". Use '-f' to overwrite existing notes");
  if (call.notes.Find(to) != nullptr) git.Say("Overwriting existing notes for object " + to.Hex() + "\n");
  const Notes::Note* note = call.notes.Find(from);
  if (note == nullptr) return git.Complain("missing notes on source object " + from.Hex() + ". Cannot copy.");
  call.notes.Put(to, Oid(note->blob));
  PADDOCK_TRY(call.notes.Write("added", "copy"));
  return 0;
}

Result<ExitStatus> Remove(Request& call) {
  Git& git = call.git;
  std::vector<std::string> names = call.words;
  if (names.empty() && !call.options.from_stdin) names.emplace_back("HEAD");
  while (call.options.from_stdin) {
    const auto line = git.in.in.ReadLine();
    if (!line) break;
    git.in.budget.Step();
    names.emplace_back(line->text);
    while (!names.back().empty() && std::string_view(" \t\r\n").find(names.back().back()) != std::string_view::npos) names.back().pop_back();
  }
  ExitStatus status = 0;
  bool has_changed = false;
  for (const std::string& name : names) {
    const auto id = Resolve(git, name);
    if (!id) {
      status = git.Complain("Failed to resolve '" + name + "' as a valid ref.");
      continue;
    }
    if (call.notes.Find(*id) == nullptr) {
      git.Say("Object " + name + " has no note\n");
      if (!call.options.ignores_missing) status = 1;
      continue;
    }
    git.Say("Removing note for object " + name + "\n");
    call.notes.Remove(*id);
    has_changed = true;
  }
  if (status == 0 && has_changed) PADDOCK_TRY(call.notes.Write("removed", "remove"));
  return status;
}

Result<ExitStatus> Prune(Request& call) {
  std::vector<Oid> gone;
  for (const auto& [id, note] : call.notes.all()) {
    if (!call.git.objects.Has(id)) gone.push_back(id);
  }
  for (const Oid& id : gone) {
    if (call.options.dry_run || call.options.verbosity > 2) call.git.Print(id.Hex() + "\n");
    if (!call.options.dry_run) call.notes.Remove(id);
  }
  if (!gone.empty() && !call.options.dry_run) PADDOCK_TRY(call.notes.Write("removed", "prune"));
  return 0;
}

Result<ExitStatus> Merge(Request& call) {
  const Options& options = call.options;
  const bool merges = !options.strategy.empty() || (!options.commits && !options.aborts);
  if (merges + options.commits + options.aborts != 1) return call.git.Complain("cannot mix --commit, --abort or -s/--strategy", 129);
  if (merges && call.words.size() != 1) return call.git.Complain("must specify a notes ref to merge", 129);
  if (!merges && !call.words.empty()) return call.git.Complain("too many arguments", 129);
  if (options.aborts) return AbortNotesMerge(call.git, options.verbosity);
  if (options.commits) return CommitMergedNotes(call.git, options.verbosity);
  if (!options.strategy.empty() && !IsNoteStrategy(options.strategy)) return call.git.Complain("unknown -s/--strategy: " + options.strategy, 129);
  return MergeNotes(call.git, call.notes.ref(), WholeRef(call.words[0]), options.strategy, options.verbosity);
}

Result<ExitStatus> GetRef(Request& call) {
  call.git.Print(call.notes.ref() + "\n");
  return 0;
}

struct Verb {
  const char* name;
  const char* letters;   // of the options that it takes
  size_t most_words;
  bool writes;
  Result<ExitStatus> (*run)(Request&);
};
constexpr Verb kVerbs[] = {
    {"list", "", 1, false, List}, {"add", "mFCcfe", 1, true, Add}, {"copy", "fIr", 2, true, Copy}, {"append", "mFCce", 1, true, Add}, {"edit", "mFCce", 1, true, Add},
    {"show", "", 1, false, Show}, {"merge", "vqsda", SIZE_MAX, true, Merge}, {"remove", "iI", SIZE_MAX, true, Remove}, {"prune", "nv", 0, true, Prune}, {"get-ref", "", 0, false, GetRef},
};

Result<ExitStatus> Run(Git& git, Options& options, Args& args) {
  std::vector<std::string> words = args.All();
  const std::string name = words.empty() ? "list" : words[0];
  if (!words.empty()) words.erase(words.begin());
  const auto verb = std::find_if(std::begin(kVerbs), std::end(kVerbs), [&name](const Verb& known) { return name == known.name; });
  if (verb == std::end(kVerbs)) return git.Complain("unknown subcommand: `" + name + "'", 129);
  for (const char letter : options.used) {
    if (std::string_view(verb->letters).find(letter) != std::string_view::npos) continue;
    const auto known = std::find_if(std::begin(kLongNames), std::end(kLongNames), [letter](const auto& one) { return one.first == letter; });
    return git.Complain(known == std::end(kLongNames) ? std::string("unknown switch `") + letter + "'" : std::string("unknown option `") + known->second + "'", 129);
  }
  if (words.size() > verb->most_words) return git.Complain("too many arguments", 129);
  Notes notes(git, NotesRef(git, options));
  if (verb->writes && !notes.ref().starts_with("refs/notes/") && !(options.commits || options.aborts)) return Error(Code::kInvalid, "refusing to " + name + " notes in " + notes.ref() + " (outside of refs/notes/)");
  if (verb->run != GetRef && verb->run != Merge) PADDOCK_TRY(notes.Read());
  Request call{git, options, notes, name, std::move(words)};
  return verb->run(call);
}

}  // namespace

Status RewriteNotes(Git& git, const std::string& command, const std::vector<std::pair<Oid, Oid>>& rewritten, const std::string& by) {
  if (!git.config.GetBool("notes.rewrite." + command, true)) return {};
  const std::vector<std::string> refs = RewrittenRefs(git);
  if (refs.empty()) return {};
  const NoteJoin join = RewriteMode(git);
  for (const std::string& ref : refs) {
    Notes notes(git, ref);
    PADDOCK_TRY(notes.Read());
    for (const auto& [from, to] : rewritten) {
      git.in.budget.Step(8);
      PADDOCK_TRY(CopyNote(git, notes, from, to, join));
    }
    PADDOCK_TRY(notes.Write("added", by));
  }
  return {};
}

extern const Subcommand kNotes;
const Subcommand kNotes = DefineSubcommand<Options, Run>({.name = "notes", .summary = "add notes to commits", .synopsis = "[--ref <notes-ref>] [list [<object>]]\n[--ref <notes-ref>] add [-f] [--allow-empty] [-m <msg> | -F <file> | (-c | -C) <object>] [<object>]\n[--ref <notes-ref>] copy [-f] <from-object> <to-object>\n[--ref <notes-ref>] copy [-f] (--stdin | --for-rewrite=<command>)\n[--ref <notes-ref>] append [--allow-empty] [-m <msg> | -F <file> | (-c | -C) <object>] [<object>]\n[--ref <notes-ref>] edit [--allow-empty] [<object>]\n[--ref <notes-ref>] show [<object>]\n[--ref <notes-ref>] merge [-v | -q] [-s <strategy>] <notes-ref>\nmerge --commit [-v | -q]\nmerge --abort [-v | -q]\n[--ref <notes-ref>] remove [--stdin] [--ignore-missing] [<object>...]\n[--ref <notes-ref>] prune [-n] [-v]\n[--ref <notes-ref>] get-ref", .options = kOptions});

}  // namespace paddock::git
