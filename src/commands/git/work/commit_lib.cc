// git commit.
#include "commands/git/work/commit.h"

#include <algorithm>

#include "commands/file_facts.h"
#include "commands/git/history/notes.h"
#include "commands/git/history/pretty.h"
#include "commands/git/hook_input.h"
#include "commands/git/hooks.h"
#include "commands/git/mail/trailer_edit.h"
#include "commands/git/merge/pick.h"
#include "commands/git/merge/rerere.h"
#include "commands/git/objects/signing.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/add_menu.h"
#include "commands/git/work/patch_choice.h"
#include "commands/git/work/pathspec_file.h"
#include "commands/git/work/sparse_patterns.h"
#include "commands/git/work/stash.h"
#include "commands/git/work/status.h"
#include "commands/git/work/worktree.h"
#include "commands/input_files.h"

namespace paddock::git {

namespace {

struct CommitOptions {
  std::vector<std::string> messages, trailers;
  std::string file, author, date, reuse, reedit, cleanup, fixup, squash, template_file, pathspec_file;
  std::vector<std::string> status;   // options for git status: then that is all
  std::optional<std::string> gpg_sign;
  bool interactive = false, patch = false, verbose = false, no_gpg_sign = false, with_status = false, no_post_rewrite = false, pathspec_nul = false;
  bool all = false, amend = false, allow_empty = false, allow_empty_message = false, quiet = false, no_edit = false, edit = false, signoff = false;
  bool only = false, include = false, dry_run = false, reset_author = false, no_verify = false, no_status = false, has_file = false;
};
Status TakeFile(CommitOptions& options, std::string_view value) {
  options.file = value;
  options.has_file = true;
  return {};
}

Status TakePorcelain(CommitOptions& options, std::string_view) {
  std::erase_if(options.status, [](const std::string& option) { return option == "--short" || option == "--long"; });
  options.status.push_back("--porcelain");
  return {};
}
Status TakeShort(CommitOptions& options, std::string_view) {
  std::erase_if(options.status, [](const std::string& option) { return option == "--porcelain" || option == "--long"; });
  options.status.push_back("--short");
  return {};
}
Status TakeLong(CommitOptions& options, std::string_view) {
  std::erase_if(options.status, [](const std::string& option) { return option == "--short" || option == "--porcelain"; });
  options.status.push_back("--long");
  return {};
}
Status TakeBranch(CommitOptions& options, std::string_view) {
  options.status.push_back("--branch");
  return {};
}
Status TakeCounts(CommitOptions& options, std::string_view) {
  options.status.push_back("--ahead-behind");
  return {};
}
Status TakeNoCounts(CommitOptions& options, std::string_view) {
  options.status.push_back("--no-ahead-behind");
  return {};
}
Status TakeNul(CommitOptions& options, std::string_view) {
  options.status.push_back("-z");
  return {};
}
Status TakeUntracked(CommitOptions& options, std::string_view value) {
  options.status.push_back("-u" + std::string(value));
  return {};
}

constexpr Option kOptions[] = {
    Value<&CommitOptions::messages>('m', "message", "TEXT", "the message; more of them are paragraphs"),
    Call<TakeFile>('F', "file", "FILE", "the message is in FILE (-: standard input)"),
    Flag<&CommitOptions::all>('a', "all", "commit all changed files that git knows"),
    Flag<&CommitOptions::amend>(0, "amend", "replace the last commit"),
    Value<&CommitOptions::reuse>('C', "reuse-message", "COMMIT", "message and author of COMMIT"),
    Value<&CommitOptions::reedit>('c', "reedit-message", "COMMIT", "likewise, edited"),
    Value<&CommitOptions::fixup>(0, "fixup", "[(amend|reword):]COMMIT", "a message for rebase --autosquash"),
    Value<&CommitOptions::squash>(0, "squash", "COMMIT", "likewise, with a message of its own"),
    Value<&CommitOptions::trailers>(0, "trailer", "NAME:VALUE", "add a line at the end of the message"),
    Value<&CommitOptions::template_file>('t', "template", "FILE", "begin with the message in FILE"),
    Flag<&CommitOptions::interactive>(0, "interactive", "choose in the menus of add -i"),
    Flag<&CommitOptions::patch>('p', "patch", "ask for each change"),
    Flag<&CommitOptions::verbose>('v', "verbose", "show the differences in the editor"),
    Call<TakeShort>(0, "short", nullptr, "only show the state, in short"),
    Call<TakeBranch>(0, "branch", nullptr, "with --short: the branch, too"),
    Call<TakePorcelain>(0, "porcelain", nullptr, "only show the state, for programs"),
    Call<TakeLong>(0, "long", nullptr, "only show the state"),
    Call<TakeCounts>(0, "ahead-behind", nullptr, "with --short: how far the branch is from its upstream (the default)"),
    Call<TakeNoCounts>(0, "no-ahead-behind", nullptr, "only whether it is"),
    SigningOptions<CommitOptions>()[0],
    SigningOptions<CommitOptions>()[1],
    Call<TakeNul>('z', "null", nullptr, "with --short: end lines with NUL"),
    CallOptional<TakeUntracked>('u', "untracked-files", "MODE", "show untracked files: all, normal or no"),
    Value<&CommitOptions::pathspec_file>(0, "pathspec-from-file", "FILE", "the files are named in FILE (-: standard input)"),
    Flag<&CommitOptions::pathspec_nul>(0, "pathspec-file-nul", "FILE's names end with NUL"),
    Value<&CommitOptions::author>(0, "author", "NAME <EMAIL>", "who wrote it"),
    Value<&CommitOptions::date>(0, "date", "DATE", "when it was written"),
    Flag<&CommitOptions::reset_author>(0, "reset-author", "with --amend or -C: you are the author"),
    Flag<&CommitOptions::signoff>('s', "signoff", "add a Signed-off-by line"),
    Flag<&CommitOptions::allow_empty>(0, "allow-empty", "even if nothing changed"),
    Flag<&CommitOptions::allow_empty_message>(0, "allow-empty-message", "even without a message"),
    Flag<&CommitOptions::no_edit>(0, "no-edit", "take the message as it is"),
    Flag<&CommitOptions::edit>('e', "edit", "edit the message"),
    Value<&CommitOptions::cleanup>(0, "cleanup", "MODE", "strip, whitespace or verbatim"),
    Flag<&CommitOptions::only>('o', "only", "commit the named files alone (the default when there are some)"),
    Flag<&CommitOptions::include>('i', "include", "the named files and what is in the index"),
    Flag<&CommitOptions::quiet>('q', "quiet", "say nothing"),
    Flag<&CommitOptions::dry_run>(0, "dry-run", "show what would be committed"),
    Flag<&CommitOptions::no_verify>('n', "no-verify", "without the hooks pre-commit and commit-msg"),
    Flag<&CommitOptions::no_post_rewrite>(0, "no-post-rewrite", "without the hook post-rewrite"),
    Flag<&CommitOptions::with_status>(0, "status", "the state of the files in the editor (the default)"),
    Flag<&CommitOptions::no_status>(0, "no-status", "no state of the files in the editor"),
};

Status StageAll(Git& git, Index& index, Pathspec& paths) {
  std::vector<std::string> known;
  const std::optional<SparsePatterns> sparse = ActivePatterns(git);
  for (const IndexEntry& entry : index.entries()) {
    if (entry.is_skipped || (sparse && !sparse->Includes(entry.path, git.in.budget))) continue;
    if ((paths.empty() || paths.Matches(entry.path, git.in.budget)) && (known.empty() || known.back() != entry.path)) known.push_back(entry.path);
  }
  for (const std::string& path : known) {
    PADDOCK_ASSIGN(auto entry, StageFile(git, path, true));
    const IndexEntry* before = index.Find(path);
    // A submodule without files stays what it is.
    const bool is_empty_link = !entry && before != nullptr && before->mode == kModeCommit && git.in.fs.Stat(git.FilePath(path));
    if (entry) index.Put(std::move(*entry));
    else if (!is_empty_link) index.Remove(path);
  }
  return {};
}

// "fixup! SUBJECT\n\n", "squash! …" or "amend! …" with the message that it replaces.
Result<std::string> FixupLine(Git& git, CommitOptions& options, bool& wants_editor) {
  std::string name = options.fixup.empty() ? options.squash : options.fixup, kind = options.fixup.empty() ? "squash! " : "fixup! ";
  const bool amends = !options.fixup.empty() && (name.starts_with("amend:") || name.starts_with("reword:"));
  if (amends) {
    if (!options.messages.empty()) return Error(Code::kInvalid, "options '-m' and '--fixup:" + name.substr(0, name.find(':')) + "' cannot be used together");
    name.erase(0, name.find(':') + 1);
  }
  auto id = ResolveCommit(git, name);
  if (!id) return Error(Code::kNoEntry, id.error().message.starts_with("bad revision") ? "could not lookup commit " + name : id.error().message);
  PADDOCK_ASSIGN(const Commit commit, git.objects.ReadCommit(*id));
  const std::string subject = SubjectOf(commit.message);
  if (amends) {
    wants_editor = !options.no_edit;
    return "amend! " + subject + "\n\n" + commit.message;
  }
  if (!options.squash.empty() && options.messages.empty() && !options.has_file) wants_editor = !options.no_edit;
  return kind + subject + "\n\n";
}

Result<std::string> FirstMessage(Git& git, CommitOptions& options, const std::optional<Commit>& last, bool& wants_editor) {
  wants_editor = options.edit;
  if (!options.fixup.empty() || !options.squash.empty()) {
    PADDOCK_ASSIGN(const std::string line, FixupLine(git, options, wants_editor));
    std::string rest;
    const bool edits = wants_editor;
    if (!options.messages.empty() || options.has_file || !options.reuse.empty()) {
      CommitOptions plain = options;
      plain.fixup.clear();
      plain.squash.clear();
      PADDOCK_ASSIGN(rest, FirstMessage(git, plain, last, wants_editor));
    }
    wants_editor = edits;
    return line + rest;
  }
  if (!options.messages.empty()) {
    std::string text;
    for (const std::string& message : options.messages) text += (text.empty() ? "" : "\n") + message + (message.ends_with('\n') ? "" : "\n");
    return text;
  }
  if (options.has_file) {
    auto input = InputFile::Open(git.in, options.file);
    if (!input) return Error(input.error().code, "could not read log file '" + options.file + "': " + std::string(input.error().Text()));
    return input->input().ReadAll();
  }
  if (const std::string& name = options.reuse.empty() ? options.reedit : options.reuse; !name.empty()) {
    auto id = ResolveCommit(git, name);
    if (!id) return Error(Code::kNoEntry, id.error().message.starts_with("bad revision") ? "could not lookup commit " + name : id.error().message);
    PADDOCK_ASSIGN(const Commit commit, git.objects.ReadCommit(*id));
    wants_editor |= options.reuse.empty();
    return commit.message;
  }
  wants_editor |= !options.no_edit;
  if (options.amend && last) return last->message;
  if (const auto text = vfs::ReadFile(git.in.fs, git.GitPath("MERGE_MSG"), 1 << 20)) return *text;
  if (const auto text = vfs::ReadFile(git.in.fs, git.GitPath("SQUASH_MSG"), 1 << 20)) return *text;
  if (!options.template_file.empty()) {
    auto text = vfs::ReadFile(git.in.fs, options.template_file, 16 << 20);
    if (!text) return Error(text.error().code, "could not read '" + options.template_file + "': " + std::string(text.error().Text()));
    return *text;
  }
  return std::string();
}

constexpr std::string_view kScissors = "# ------------------------ >8 ------------------------\n";

// What the message will be the message of, as a patch.
Result<std::string> StagedPatch(Git& git, const FlatTree& base, const Index& index) {
  std::vector<FileDiff> files = CompareTrees(base, IndexFiles(index));
  DiffOptions options;
  options.patch = true;
  Pathspec all;
  PADDOCK_TRY(Arrange(git, files, options, all));
  return FormatDiff(git, files, options);
}

// What the editor is told of the commit.
struct Draft {
  const StatusReport& report;
  Signature author, committer;
  bool shows_date = false, keeps_comments = false, no_status = false, has_scissors = false;
  std::string patch;   // -v
};

Result<std::string> EditMessage(Git& git, const std::string& message, const Draft& draft) {
  std::string text = message;
  for (const auto& [name, what] : {std::pair<std::string, const char*>{"MERGE_HEAD", "merge"}, {"CHERRY_PICK_HEAD", "cherry-pick"}}) {
    if (git.refs.Exists(name)) text += "#\n# It looks like you may be committing a " + std::string(what) + ".\n# If this is not correct, please run\n#\tgit update-ref -d " + name + "\n# and try again.\n\n";
  }
  if (draft.has_scissors) text += "\n" + std::string(kScissors) + "# Do not modify or remove the line above.\n# Everything below it will be ignored.\n#\n";
  else text += draft.keeps_comments ? "\n# Please enter the commit message for your changes. Lines starting\n# with '#' will be kept; you may remove them yourself if you want to.\n# An empty message aborts the commit.\n#\n"
                               : "\n# Please enter the commit message for your changes. Lines starting\n# with '#' will be ignored, and an empty message aborts the commit.\n#\n";
  const bool is_other = draft.author.name != draft.committer.name || draft.author.email != draft.committer.email;
  if (is_other) text += "# Author:    " + draft.author.name + " <" + draft.author.email + ">\n";
  if (draft.shows_date) text += "# Date:      " + DateText(git, draft.author, "default") + "\n";
  if (is_other || draft.shows_date) text += "#\n";
  if (!draft.no_status) {
    PADDOCK_ASSIGN(const std::string status, LongStatus(git, draft.report, true, false));
    for (const std::string_view line : SplitLines(status)) text += line == "\n" ? "#\n" : line.starts_with('\t') ? "#" + std::string(line) : "# " + std::string(line);
  }
  if (!draft.patch.empty() && draft.has_scissors) text += draft.patch;
  else if (!draft.patch.empty()) text += std::string(kScissors) + "# Do not modify or remove the line above.\n# Everything below it will be ignored.\n" + draft.patch;
  const std::string path = git.GitPath("COMMIT_EDITMSG");
  PADDOCK_TRY(vfs::WriteFile(git.in.fs, path, text));
  if (RunHook(git, "prepare-commit-msg", {path}) != 0) return Error(Code::kConflict);
  PADDOCK_TRY(git.Edit(path));
  PADDOCK_ASSIGN(text, vfs::ReadFile(git.in.fs, path, 16 << 20));
  if (!draft.patch.empty() || draft.has_scissors) {
    const size_t cut = text.starts_with(kScissors) ? 0 : text.find("\n" + std::string(kScissors));
    if (cut != std::string::npos) text.resize(cut == 0 ? 0 : cut + 1);
  }
  return text;
}

// Who wrote it.
Result<std::string> AuthorOf(Git& git, const CommitOptions& options, const std::optional<Commit>& last, bool& shows_date) {
  std::string author;
  std::string source = options.reuse.empty() ? options.reedit : options.reuse;
  if (!options.reset_author && !source.empty()) {
    PADDOCK_ASSIGN(const Oid id, ResolveCommit(git, source));
    PADDOCK_ASSIGN(const Commit commit, git.objects.ReadCommit(id));
    author = commit.author;
  } else if (!options.reset_author && options.amend && last) {
    author = last->author;
  } else if (const auto picked = git.refs.Read("CHERRY_PICK_HEAD"); picked && !options.reset_author) {
    PADDOCK_ASSIGN(const Commit commit, git.objects.ReadCommit(*picked));
    author = commit.author;
  }
  shows_date = !author.empty() || !options.date.empty();
  if (author.empty()) {
    PADDOCK_ASSIGN(author, git.Author());
  }
  if (options.author.empty() && options.date.empty()) return author;
  Signature signature = ParseSignature(author);
  if (!options.author.empty()) {
    const size_t open = options.author.find('<'), close = options.author.rfind('>');
    if (open == std::string::npos || close == std::string::npos || close < open) {
      return Error(Code::kInvalid, "--author '" + options.author + "' is not 'Name <email>' and matches no existing author");
    }
    signature.name = options.author.substr(0, open);
    while (signature.name.ends_with(' ')) signature.name.pop_back();
    signature.email = options.author.substr(open + 1, close - open - 1);
  }
  const std::string who = signature.name + " <" + signature.email + "> ";
  if (options.date.empty()) return who + std::to_string(signature.time) + " " + OffsetText(signature.offset);
  if (const auto date = git.ParseGitDate(options.date)) return who + *date;
  const LooseDate date = git.ReadDate(options.date);
  if (!date.is_understood) return Error(Code::kInvalid, "invalid date format: " + options.date);
  return who + std::to_string(date.seconds) + " " + OffsetText(LocalZone(git.in.env).ToLocal(date.seconds).offset / 60);
}

// commit --short and its like: what git status says of the index that would be committed.
Result<ExitStatus> ShowStatus(Git& git, const CommitOptions& options, const Index& index, bool is_empty) {
  const std::string path = git.GitPath("next-index.tmp");
  PADDOCK_TRY(vfs::WriteFile(git.in.fs, path, index.Text()));
  Environment environment = git.in.env;
  environment.Set("GIT_INDEX_FILE", path);
  std::vector<std::string> command = {"status"};
  command.insert(command.end(), options.status.begin(), options.status.end());
  const ExitStatus status = RunGit(git, command, &environment);
  static_cast<void>(git.in.fs.RemoveFile(path).has_value());
  return status != 0 ? status : is_empty ? 1 : 0;
}

// As interpret-trailers adds them.
std::string WithTrailers(Git& git, const std::string& message, const std::vector<std::string>& trailers) {
  std::vector<NewTrailer> added;
  for (const std::string& text : trailers) added.push_back(NewTrailer{.text = text, .where = {}, .if_exists = {}, .if_missing = {}});
  const TrailerRules rules = TrailerRules::Load(git.config, git.in.budget, [&git](const std::string& text) { git.Warn(text); });
  return WithNewTrailers(git.in, message, rules, added, TrailerEdit{});
}

Result<ExitStatus> RunCommit(Git& git, CommitOptions& options, Args& args);

// -p and --interactive. Without a commit, the index is what it was.
Result<ExitStatus> CommitChosen(Git& git, CommitOptions& options, Args& args) {
  PADDOCK_ASSIGN(const Index before, git.ReadIndex());
  const auto chosen = options.patch ? ChoosePatches(git, PatchTarget::kStage, std::nullopt, "", args.All()) : RunAddMenu(git, args.All());
  if (!chosen || *chosen != 0) return chosen;
  options.patch = options.interactive = false;
  Args none;
  const auto done = RunCommit(git, options, none);
  if (!done || *done != 0) PADDOCK_TRY(git.WriteIndex(before));
  return done;
}

// Options that exclude each other, in the order in which git looks at them.
Status RefuseTogether(Git& git, const CommitOptions& options, bool has_paths) {
  using Given = std::vector<std::pair<bool, const char*>>;
  const auto refuse = [](const Given& given) -> Status {
    std::vector<std::string> names;
    for (const auto& [is_given, name] : given) {
      if (is_given) names.push_back("'" + std::string(name) + "'");
    }
    if (names.size() < 2) return {};
    std::string text = "options " + names[0];
    for (size_t i = 1; i < names.size(); ++i) text += (i + 1 < names.size() ? ", " : names.size() > 2 ? ", and " : " and ") + names[i];
    return Error(Code::kInvalid, text + " cannot be used together");
  };
  const bool reuses = !options.reuse.empty(), reedits = !options.reedit.empty(), fixes = !options.fixup.empty();
  PADDOCK_TRY(refuse({{options.reset_author, "--reset-author"}, {!options.author.empty(), "--author"}}));
  if (options.amend && !git.Head()) return Error(Code::kInvalid, "You have nothing to amend.");
  PADDOCK_TRY(refuse({{!options.squash.empty(), "--squash"}, {fixes, "--fixup"}}));
  PADDOCK_TRY(refuse({{reuses, "-C"}, {reedits, "-c"}, {options.has_file, "-F"}, {fixes, "--fixup"}}));
  PADDOCK_TRY(refuse({{!options.messages.empty(), "-m"}, {reedits, "-c"}, {reuses, "-C"}, {options.has_file, "-F"}}));
  if (options.reset_author && !reuses && !reedits && !options.amend && !git.refs.Exists("CHERRY_PICK_HEAD")) {
    return Error(Code::kInvalid, "--reset-author can be used only with -C, -c or --amend.");
  }
  PADDOCK_TRY(refuse({{options.include, "-i/--include"}, {options.only, "-o/--only"}, {options.all, "-a/--all"}, {options.interactive || options.patch, "--interactive/-p/--patch"}}));
  if (!has_paths && (options.include || (options.only && !options.amend && !options.allow_empty))) return Error(Code::kInvalid, "No paths with --include/--only does not make sense.");
  return {};
}

// What git commit -u and the configuration want to see of files that git does not know.
UntrackedMode UntrackedOf(Git& git, const CommitOptions& options) {
  UntrackedMode mode = ConfiguredUntracked(git);
  for (const std::string& option : options.status) {
    if (option == "-uno") mode = UntrackedMode::kNo;
    else if (option == "-unormal") mode = UntrackedMode::kNormal;
    else if (option == "-uall" || option == "-u") mode = UntrackedMode::kAll;
  }
  return mode;
}

// A pick that is under way has nothing left to commit.
void TellEmptyPick(Git& git) {
  const bool is_rebase = git.in.fs.Stat(git.GitPath("rebase-merge")).has_value();
  std::string text = "The previous cherry-pick is now empty, possibly due to conflict resolution.\nIf you wish to commit it anyway, use:\n\n    git commit --allow-empty\n\n";
  if (is_rebase) text += "Otherwise, please use 'git rebase --skip'\n";
  else text += "Otherwise, please use 'git cherry-pick --skip'\n";
  git.Say(text);
}

// The index with only these files, on top of the last commit. They stay in `index`, too.
Result<Index> OnlyThese(Git& git, Index& index, Pathspec& paths, const std::optional<Oid>& head, bool is_merge) {
  if (is_merge) return Error(Code::kInvalid, "cannot do a partial commit during a merge.");
  if (git.refs.Exists("CHERRY_PICK_HEAD")) return Error(Code::kInvalid, std::string("cannot do a partial commit during a ") + (git.in.fs.Stat(git.GitPath("rebase-merge")) ? "rebase." : "cherry-pick."));
  Index to_commit;
  FlatTree base;
  if (head) {
    PADDOCK_ASSIGN(base, git.FlattenCommit(*head));
  }
  for (const auto& [path, item] : base) {
    IndexEntry entry;
    entry.path = path;
    entry.mode = item.mode;
    entry.id = item.id;
    if (!paths.Matches(path, git.in.budget) || index.Find(path) != nullptr) to_commit.Put(std::move(entry));
  }
  PADDOCK_TRY(StageAll(git, index, paths));
  TellUnmerged(git, index);
  for (const IndexEntry& entry : index.entries()) {
    if (paths.Matches(entry.path, git.in.budget)) to_commit.Put(entry);
  }
  for (const auto& [path, item] : base) {
    if (paths.Matches(path, git.in.budget) && index.Find(path) == nullptr) to_commit.Remove(path);
  }
  return to_commit;
}

// Says which files have conflicts.
Error RefuseConflicts(Git& git, const Index& to_commit) {
  std::string list;
  for (const IndexEntry& entry : to_commit.entries()) {
    if (entry.stage != 0 && list.find("U\t" + entry.path + "\n") == std::string::npos) list += "U\t" + entry.path + "\n";
  }
  git.Print(list);
  git.Say("error: Committing is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\nhint: as appropriate to mark resolution and make a commit.\n");
  return Error(Code::kInvalid, "Exiting because of an unresolved conflict.");
}

// What would be committed, where nothing is.
Status TellStatus(Git& git, const CommitOptions& options, const Index& to_commit, const FlatTree& base) {
  if (!options.dry_run && !options.amend && git.refs.Exists("CHERRY_PICK_HEAD")) TellEmptyPick(git);
  Pathspec everything;
  PADDOCK_ASSIGN(StatusReport report, MakeStatus(git, to_commit, &base, UntrackedOf(git, options), everything, false));
  report.amends = options.amend;
  for (const std::string& option : options.status) {
    if (option.ends_with("ahead-behind")) report.hides_counts = option.starts_with("--no-");
  }
  PADDOCK_ASSIGN(const std::string text, LongStatus(git, report, true));
  git.Print(text);
  if (options.verbose) {
    PADDOCK_ASSIGN(const std::string patch, StagedPatch(git, base, to_commit));
    git.Print(patch);
  }
  if (options.amend && !options.dry_run) {
    git.Say("You asked to amend the most recent commit, but doing so would make\nit empty. You can repeat your command with --allow-empty, or you can\nremove the commit entirely with \"git reset HEAD^\".\n");
  }
  return {};
}

Status AddMergedParents(Git& git, Commit& commit) {
  PADDOCK_ASSIGN(const std::string others, vfs::ReadFile(git.in.fs, git.GitPath("MERGE_HEAD"), 1 << 16));
  for (size_t at = 0; at + 40 <= others.size(); at += 41) {
    if (const auto id = Oid::FromHex(std::string_view(others).substr(at, 40))) commit.parents.push_back(*id);
  }
  return {};
}

// Has the message edited above what would be committed. False when nothing is to be committed then; told.
Result<bool> EditDraft(Git& git, const CommitOptions& options, const Index& to_commit, const FlatTree& base, const Commit& commit, bool shows_date, std::string& message) {
  Pathspec everything;
  PADDOCK_ASSIGN(const StatusReport report, MakeStatus(git, to_commit, &base, UntrackedOf(git, options), everything, false));
  Draft draft{report, ParseSignature(commit.author), ParseSignature(commit.committer), shows_date, options.cleanup == "whitespace" || options.cleanup == "verbatim", options.no_status, options.cleanup == "scissors", ""};
  if (options.verbose || git.config.GetBool("commit.verbose", false)) {
    PADDOCK_ASSIGN(draft.patch, StagedPatch(git, base, to_commit));
  }
  auto edited = EditMessage(git, message, draft);
  if (!edited && edited.error().code == Code::kConflict) return false;
  if (!edited && edited.error().code == Code::kInvalid) {
    git.Say(std::string(edited.error().Text()) + "\n");
    return false;
  }
  PADDOCK_ASSIGN(std::string text, std::move(edited));
  if (!options.template_file.empty() && CleanMessage(text, true) == CleanMessage(message, true) && !CleanMessage(text, true).empty()) {
    git.Say("Aborting commit; you did not edit the message.\n");
    return false;
  }
  message = std::move(text);
  return true;
}

// Whether there is something to commit besides what is in conflict.
bool HasStaged(const FlatTree& base, const Index& index) {
  const std::vector<FileDiff> files = CompareTrees(base, IndexFiles(index));
  return std::any_of(files.begin(), files.end(), [&index](const FileDiff& file) {
    return index.Find(file.new_path, 1) == nullptr && index.Find(file.new_path, 2) == nullptr && index.Find(file.new_path, 3) == nullptr;
  });
}

Result<ExitStatus> RunCommit(Git& git, CommitOptions& options, Args& args) {
  ChooseSigning(git, options);
  PADDOCK_TRY(TakePathspecFile(git, options.pathspec_file, options.pathspec_nul, args));
  PADDOCK_TRY(RefuseTogether(git, options, !args.operands.empty() || !args.paths.empty()));
  if (options.patch || options.interactive) return CommitChosen(git, options, args);
  if (options.cleanup.empty()) options.cleanup = git.config.Get("commit.cleanup", "");
  if (static constexpr std::string_view kModes[] = {"", "default", "strip", "whitespace", "verbatim", "scissors"}; std::find(std::begin(kModes), std::end(kModes), options.cleanup) == std::end(kModes)) {
    return Error(Code::kInvalid, "Invalid cleanup mode " + options.cleanup);
  }
  if (options.fixup.starts_with("reword:")) options.allow_empty = true;
  const auto head = git.Head();
  std::optional<Commit> last;
  if (head) {
    PADDOCK_ASSIGN(last, git.objects.ReadCommit(*head));
  }
  const std::vector<std::string> operands = args.All();
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(operands));
  if (options.all && !operands.empty()) return Error(Code::kInvalid, "paths '" + operands[0] + " ...' with -a does not make sense");
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  const bool is_merge = git.in.fs.Stat(git.GitPath("MERGE_HEAD")).has_value();
  if (is_merge && options.amend) return Error(Code::kInvalid, "You are in the middle of a merge -- cannot amend.");
  if (options.amend && git.refs.Exists("CHERRY_PICK_HEAD") && !git.in.fs.Stat(git.GitPath("rebase-merge"))) return Error(Code::kInvalid, "You are in the middle of a cherry-pick -- cannot amend.");
  Index to_commit = index;
  if (options.all || options.include) {
    PADDOCK_TRY(StageAll(git, index, paths));
    to_commit = index;
  } else if (!operands.empty()) {
    PADDOCK_ASSIGN(to_commit, OnlyThese(git, index, paths, head, is_merge));
    if (const auto unmatched = paths.Unmatched(); !unmatched.empty()) return git.Complain("pathspec '" + unmatched[0] + "' did not match any file(s) known to git");
  }
  const bool shows_only = std::any_of(options.status.begin(), options.status.end(), [](const std::string& option) { return option == "--short" || option == "--porcelain" || option == "--long" || option == "-z"; });
  if (options.status.end() != std::find(options.status.begin(), options.status.end(), "--long")) options.dry_run = true;
  if (to_commit.HasConflicts() && !shows_only && !options.dry_run) {
    return RefuseConflicts(git, to_commit);
  }
  FlatTree base;
  if (options.amend && last && !last->parents.empty()) {
    PADDOCK_ASSIGN(base, git.FlattenCommit(last->parents[0]));
  } else if (!options.amend && head) {
    PADDOCK_ASSIGN(base, git.FlattenCommit(*head));
  }
  const bool is_empty = CompareTrees(base, IndexFiles(to_commit)).empty();
  const bool may_be_empty = options.allow_empty || is_merge || (options.amend && last && last->parents.size() > 1);
  if (shows_only && !options.dry_run) return ShowStatus(git, options, to_commit, is_empty && !is_merge);
  if (!options.no_verify && !options.dry_run && RunHook(git, "pre-commit") != 0) return 1;
  bool wants_editor = false, shows_date = false;
  Commit commit;
  std::string message;
  if (!options.dry_run) {
    PADDOCK_ASSIGN(message, FirstMessage(git, options, last, wants_editor));
    PADDOCK_ASSIGN(commit.author, AuthorOf(git, options, last, shows_date));
    PADDOCK_ASSIGN(commit.committer, git.Committer());
  }
  if (options.dry_run || (is_empty && !may_be_empty)) {
    PADDOCK_TRY(TellStatus(git, options, to_commit, base));
    if (to_commit.HasConflicts()) return HasStaged(base, to_commit) ? 0 : 1;
    return is_empty && !is_merge ? 1 : 0;
  }
  if (options.signoff) {
    message = WithSignoff(CleanMessage(message, false), ParseSignature(commit.committer));
  }
  if (!options.trailers.empty()) message = WithTrailers(git, CleanMessage(message, false), options.trailers);
  if (wants_editor) {
    PADDOCK_ASSIGN(const bool goes_on, EditDraft(git, options, to_commit, base, commit, shows_date, message));
    if (!goes_on) return 1;
  }
  if (!options.no_verify && git.in.fs.Stat(git.config.Get("core.hookspath", git.GitPath("hooks")) + "/commit-msg")) {
    const std::string path = git.GitPath("COMMIT_EDITMSG");
    PADDOCK_TRY(vfs::WriteFile(git.in.fs, path, message));
    if (RunHook(git, "commit-msg", {path}) != 0) return 1;
    PADDOCK_ASSIGN(message, vfs::ReadFile(git.in.fs, path, 16 << 20));
  }
  const std::string mode = options.cleanup.empty() ? "default" : options.cleanup;
  commit.message = mode == "verbatim" ? message : CleanMessage(message, mode == "strip" || (mode == "default" && wants_editor));
  if (commit.message.empty() && !options.allow_empty_message) {
    git.Say("Aborting commit due to empty commit message.\n");
    return 1;
  }
  PADDOCK_ASSIGN(commit.tree, git.WriteTree(to_commit));
  if (options.amend) commit.parents = last->parents;
  else if (head) commit.parents.push_back(*head);
  if (is_merge) PADDOCK_TRY(AddMergedParents(git, commit));
  const bool picks = git.in.fs.Stat(git.GitPath("CHERRY_PICK_HEAD")).has_value();
  const std::string verb = options.amend ? "commit (amend)" : !head ? "commit (initial)" : is_merge ? "commit (merge)" : picks ? "commit (cherry-pick)" : "commit";
  PADDOCK_TRY(git.WriteIndex(index));
  const std::string action(git.in.env.Get("GIT_REFLOG_ACTION", verb));
  PADDOCK_ASSIGN(const Oid id, MakeCommit(git, commit, action + ": " + SubjectOf(commit.message)));
  PADDOCK_TRY(vfs::WriteFile(git.in.fs, git.GitPath("COMMIT_EDITMSG"), commit.message));
  PADDOCK_TRY(RememberConflicts(git));
  ForgetMerge(git);
  PADDOCK_TRY(ApplyAutostash(git, "MERGE_AUTOSTASH"));
  static_cast<void>(RunHook(git, "post-commit"));
  if (options.amend) PADDOCK_TRY(RewriteNotes(git, "amend", {{*head, id}}, "git commit --amend"));
  if (options.amend && !options.no_post_rewrite) static_cast<void>(RunHookWithInput(git, {.name = "post-rewrite", .args = {"amend"}, .input = head->Hex() + " " + id.Hex() + "\n", .writes_errors = true}, nullptr));
  if (options.quiet) return 0;
  PADDOCK_ASSIGN(const std::string summary, CommitSummary(git, id, shows_date, !head));
  git.Print(summary);
  return 0;
}

}  // namespace

extern const Subcommand kCommit;
const Subcommand kCommit = DefineSubcommand<CommitOptions, RunCommit>({.name = "commit", .summary = "record changes", .synopsis = "[<options>] [--] [<pathspec>...]", .options = kOptions, .needs = Subcommand::Needs::kWorkTree});

}  // namespace paddock::git
