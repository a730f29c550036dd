// git commit.
#include "commands/git/commit.h"

#include <algorithm>

#include "commands/git/pretty.h"
#include "commands/git/revision.h"
#include "commands/git/status.h"
#include "commands/input_files.h"

namespace paddock::git {

std::string CleanMessage(std::string_view message, bool strips_comments) {
  std::string clean;
  bool has_gap = false;
  for (std::string_view line : SplitLines(message)) {
    while (!line.empty() && (line.back() == '\n' || line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) line.remove_suffix(1);
    if (strips_comments && line.starts_with('#')) continue;
    if (line.empty()) {
      has_gap = true;
      continue;
    }
    if (has_gap && !clean.empty()) clean += '\n';
    has_gap = false;
    clean.append(line) += '\n';
  }
  return clean;
}

std::string SubjectOf(std::string_view message) {
  std::string subject;
  bool has_begun = false;
  for (std::string_view line : SplitLines(message)) {
    while (!line.empty() && (line.back() == '\n' || line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) line.remove_suffix(1);
    if (line.empty()) {
      if (has_begun) break;
      continue;
    }
    if (has_begun) subject += ' ';
    subject += line;
    has_begun = true;
  }
  return subject;
}

namespace {

// Whether the last paragraph (and not the only one) is made of lines like "Reviewed-by: x".
bool EndsWithTrailers(std::string_view message) {
  const size_t begin = message.rfind("\n\n");
  if (begin == std::string_view::npos) return false;
  const std::string_view last = message.substr(begin + 2);
  bool has_signoff = false, has_other = false;
  for (const std::string_view line : SplitLines(last)) {
    if (line.starts_with("Signed-off-by: ") || line.starts_with("(cherry picked from commit ")) {
      has_signoff = true;
      continue;
    }
    const size_t colon = line.find(": ");
    const bool is_trailer = colon != std::string_view::npos && colon > 0 && std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(colon), [](char c) { return c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
    if (!is_trailer && !line.starts_with(' ')) has_other = true;
  }
  return !last.empty() && (has_signoff || !has_other);
}

}  // namespace

std::string WithSignoff(std::string_view message, const Signature& who) {
  const std::string line = "Signed-off-by: " + who.name + " <" + who.email + ">\n";
  std::string text(message);
  if (text == line || text.ends_with("\n" + line)) return text;
  if (!text.empty() && !EndsWithTrailers(text)) text += '\n';
  return text + line;
}

Result<Oid> MakeCommit(Git& git, const Commit& commit, std::string_view log_message) {
  PADDOCK_ASSIGN(const Oid id, git.objects.Write(ObjectType::kCommit, commit.Text()));
  PADDOCK_TRY(git.refs.Write("HEAD", id, git.Who(), log_message));
  return id;
}

Result<std::string> CommitSummary(Git& git, const Oid& id, bool shows_date, bool is_root) {
  PADDOCK_ASSIGN(const Commit commit, git.objects.ReadCommit(id));
  const auto branch = git.HeadBranch();
  std::string text = "[" + (branch ? ShortRef(*branch) : std::string("detached HEAD")) + (is_root ? " (root-commit) " : " ") + git.objects.Abbreviate(id) + "] " + SubjectOf(commit.message) + "\n";
  const Signature author = ParseSignature(commit.author), committer = ParseSignature(commit.committer);
  if (author.name != committer.name || author.email != committer.email) text += " Author: " + author.name + " <" + author.email + ">\n";
  if (shows_date) text += " Date: " + DateText(git, author, "default") + "\n";
  if (commit.parents.size() > 1) return text;
  FlatTree before;
  if (!commit.parents.empty()) {
    PADDOCK_ASSIGN(before, git.FlattenCommit(commit.parents[0]));
  }
  PADDOCK_ASSIGN(const FlatTree after, git.Flatten(commit.tree));
  std::vector<FileDiff> files = CompareTrees(before, after);
  DiffOptions options;
  options.shortstat = options.summary = true;
  Pathspec all;
  PADDOCK_TRY(Arrange(git, files, options, all));
  PADDOCK_ASSIGN(const std::string changes, FormatDiff(git, files, options));
  return text + changes;
}

void ForgetMerge(Git& git) {
  for (const char* file : {"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD", "SQUASH_MSG"}) static_cast<void>(git.in.fs.RemoveFile(git.GitPath(file)).has_value());
}

namespace {

struct CommitOptions {
  std::vector<std::string> messages;
  std::string file, author, date, reuse, reedit, cleanup, fixup;
  bool all = false, amend = false, allow_empty = false, allow_empty_message = false, quiet = false, no_edit = false, edit = false, signoff = false;
  bool only = false, include = false, dry_run = false, reset_author = false, no_verify = false, no_status = false, has_file = false;
};
Status TakeFile(CommitOptions& options, std::string_view value) {
  options.file = value;
  options.has_file = true;
  return {};
}

constexpr Option kOptions[] = {
    Value<&CommitOptions::messages>('m', "message", "TEXT", "the message; more of them are paragraphs"),
    Call<TakeFile>('F', "file", "FILE", "the message is in FILE (-: standard input)"),
    Flag<&CommitOptions::all>('a', "all", "commit all changed files that git knows"),
    Flag<&CommitOptions::amend>(0, "amend", "replace the last commit"),
    Value<&CommitOptions::reuse>('C', "reuse-message", "COMMIT", "message and author of COMMIT"),
    Value<&CommitOptions::reedit>('c', "reedit-message", "COMMIT", "likewise, edited"),
    Value<&CommitOptions::fixup>(0, "fixup", "COMMIT", "a message for rebase --autosquash"),
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
    Flag<&CommitOptions::no_verify>('n', "no-verify", "without hooks (always)"),
    Flag<&CommitOptions::no_status>(0, "no-status", "no state of the files in the editor"),
};

Status StageAll(Git& git, Index& index, Pathspec& paths) {
  std::vector<std::string> known;
  for (const IndexEntry& entry : index.entries()) {
    if ((paths.empty() || paths.Matches(entry.path, git.in.budget)) && (known.empty() || known.back() != entry.path)) known.push_back(entry.path);
  }
  for (const std::string& path : known) {
    PADDOCK_ASSIGN(auto entry, StageFile(git, path, true));
    if (entry) index.Put(std::move(*entry));
    else index.Remove(path);
  }
  return {};
}

Result<std::string> FirstMessage(Git& git, CommitOptions& options, const std::optional<Commit>& last, bool& wants_editor) {
  wants_editor = options.edit;
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
  if (!options.fixup.empty()) {
    PADDOCK_ASSIGN(const Oid id, ResolveCommit(git, options.fixup));
    PADDOCK_ASSIGN(const Commit commit, git.objects.ReadCommit(id));
    return "fixup! " + SubjectOf(commit.message) + "\n";
  }
  if (const std::string& name = options.reuse.empty() ? options.reedit : options.reuse; !name.empty()) {
    auto id = ResolveCommit(git, name);
    if (!id) return Error(Code::kNoEntry, "could not lookup commit " + name);
    PADDOCK_ASSIGN(const Commit commit, git.objects.ReadCommit(*id));
    wants_editor |= options.reuse.empty();
    return commit.message;
  }
  wants_editor |= !options.no_edit;
  if (options.amend && last) return last->message;
  if (const auto text = vfs::ReadFile(git.in.fs, git.GitPath("MERGE_MSG"), 1 << 20)) return *text;
  if (const auto text = vfs::ReadFile(git.in.fs, git.GitPath("SQUASH_MSG"), 1 << 20)) return *text;
  return std::string();
}

Result<std::string> EditMessage(Git& git, const std::string& message, const StatusReport& report) {
  std::string text = message + "\n# Please enter the commit message for your changes. Lines starting\n"
                     "# with '#' will be ignored, and an empty message aborts the commit.\n#\n";
  PADDOCK_ASSIGN(const std::string status, LongStatus(git, report, true));
  for (const std::string_view line : SplitLines(status)) text += line == "\n" ? "#\n" : line.starts_with('\t') ? "#" + std::string(line) : "# " + std::string(line);
  const std::string path = git.GitPath("COMMIT_EDITMSG");
  PADDOCK_TRY(vfs::WriteFile(git.in.fs, path, text));
  PADDOCK_TRY(git.Edit(path));
  return vfs::ReadFile(git.in.fs, path, 16 << 20);
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
  auto date = git.ParseGitDate(options.date);
  if (!date) return Error(Code::kInvalid, "invalid date format: " + options.date);
  return who + *date;
}

Result<ExitStatus> RunCommit(Git& git, CommitOptions& options, Args& args) {
  const auto head = git.Head();
  std::optional<Commit> last;
  if (options.amend && !head) return Error(Code::kInvalid, "You have nothing to amend.");
  if (options.has_file && !options.messages.empty()) return Error(Code::kInvalid, "options '-m' and '-F' cannot be used together");
  if (head) {
    PADDOCK_ASSIGN(last, git.objects.ReadCommit(*head));
  }
  const std::vector<std::string> operands = args.All();
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(operands));
  if (options.all && !operands.empty()) return Error(Code::kInvalid, "paths '" + operands[0] + " ...' with -a does not make sense");
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  const bool is_merge = git.in.fs.Stat(git.GitPath("MERGE_HEAD")).has_value();
  if (is_merge && options.amend) return Error(Code::kInvalid, "You are in the middle of a merge -- cannot amend.");
  Index to_commit = index;
  if (options.all || options.include) {
    PADDOCK_TRY(StageAll(git, index, paths));
    to_commit = index;
  } else if (!operands.empty()) {
    if (is_merge) return Error(Code::kInvalid, "cannot do a partial commit during a merge.");
    // Only these files, on top of the last commit; they stay in the index, too.
    to_commit = Index();
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
    for (const IndexEntry& entry : index.entries()) {
      if (paths.Matches(entry.path, git.in.budget)) to_commit.Put(entry);
    }
    for (const auto& [path, item] : base) {
      if (paths.Matches(path, git.in.budget) && index.Find(path) == nullptr) to_commit.Remove(path);
    }
    if (const auto unmatched = paths.Unmatched(); !unmatched.empty()) return git.Complain("pathspec '" + unmatched[0] + "' did not match any file(s) known to git");
  }
  if (to_commit.HasConflicts()) {
    std::string list;
    for (const IndexEntry& entry : to_commit.entries()) {
      if (entry.stage != 0 && list.find("U\t" + entry.path + "\n") == std::string::npos) list += "U\t" + entry.path + "\n";
    }
    git.Print(list);
    git.Say("error: Committing is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\nhint: as appropriate to mark resolution and make a commit.\n");
    return Error(Code::kInvalid, "Exiting because of an unresolved conflict.");
  }
  FlatTree base;
  if (options.amend && last && !last->parents.empty()) {
    PADDOCK_ASSIGN(base, git.FlattenCommit(last->parents[0]));
  } else if (!options.amend && head) {
    PADDOCK_ASSIGN(base, git.FlattenCommit(*head));
  }
  Pathspec everything;
  const bool is_empty = CompareTrees(base, IndexFiles(to_commit)).empty();
  StatusReport report;
  const bool may_be_empty = options.allow_empty || is_merge || (options.amend && last);
  if (options.dry_run || (is_empty && !may_be_empty)) {
    PADDOCK_ASSIGN(report, MakeStatus(git, to_commit, base, UntrackedMode::kNormal, everything, false));
    PADDOCK_ASSIGN(const std::string text, LongStatus(git, report, true));
    git.Print(text);
    return is_empty ? 1 : 0;
  }
  bool wants_editor = false, shows_date = false;
  Commit commit;
  PADDOCK_ASSIGN(commit.author, AuthorOf(git, options, last, shows_date));
  PADDOCK_ASSIGN(commit.committer, git.Committer());
  PADDOCK_ASSIGN(std::string message, FirstMessage(git, options, last, wants_editor));
  if (options.signoff) {
    message = WithSignoff(CleanMessage(message, false), ParseSignature(commit.committer));
  }
  if (wants_editor) {
    PADDOCK_ASSIGN(report, MakeStatus(git, to_commit, base, UntrackedMode::kNormal, everything, false));
    auto edited = EditMessage(git, message, report);
    if (!edited && edited.error().code == Code::kInvalid) {
      git.Say(std::string(edited.error().Text()) + "\n");
      return 1;
    }
    PADDOCK_ASSIGN(message, std::move(edited));
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
  if (is_merge) {
    PADDOCK_ASSIGN(const std::string others, vfs::ReadFile(git.in.fs, git.GitPath("MERGE_HEAD"), 1 << 16));
    for (size_t at = 0; at + 40 <= others.size(); at += 41) {
      if (const auto id = Oid::FromHex(std::string_view(others).substr(at, 40))) commit.parents.push_back(*id);
    }
  }
  const bool picks = git.in.fs.Stat(git.GitPath("CHERRY_PICK_HEAD")).has_value();
  const std::string verb = options.amend ? "commit (amend)" : !head ? "commit (initial)" : is_merge ? "commit (merge)" : picks ? "commit (cherry-pick)" : "commit";
  PADDOCK_TRY(git.WriteIndex(index));
  PADDOCK_ASSIGN(const Oid id, MakeCommit(git, commit, verb + ": " + SubjectOf(commit.message)));
  PADDOCK_TRY(vfs::WriteFile(git.in.fs, git.GitPath("COMMIT_EDITMSG"), commit.message));
  ForgetMerge(git);
  if (options.quiet) return 0;
  PADDOCK_ASSIGN(const std::string summary, CommitSummary(git, id, shows_date, !head));
  git.Print(summary);
  return 0;
}

}  // namespace

extern const Subcommand kCommit;
const Subcommand kCommit = DefineSubcommand<CommitOptions, RunCommit>({.name = "commit", .summary = "record changes", .synopsis = "[<options>] [--] [<pathspec>...]", .options = kOptions, .needs = Subcommand::Needs::kWorkTree});

}  // namespace paddock::git
