// git am.
#include <algorithm>

#include "commands/file_facts.h"
#include "commands/git/diff/diff.h"
#include "commands/git/history/pretty.h"
#include "commands/git/hook_input.h"
#include "commands/git/hooks.h"
#include "commands/git/mail/am.h"
#include "commands/git/mail/apply.h"
#include "commands/git/merge/merge.h"
#include "commands/git/merge/pick.h"
#include "commands/git/merge/rerere.h"
#include "commands/git/objects/signing.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/commit.h"
#include "commands/git/work/worktree.h"
#include "commands/input_files.h"
#include "git/mail.h"

namespace paddock::git {
namespace {

Status TakeShow(AmOptions& options, std::string_view value) {
  if (!value.empty() && value != "raw" && value != "diff") return Error(Code::kRange, "invalid value for '--show-current-patch': '" + std::string(value) + "'");
  options.resume = AmResume::kShow;
  options.shows_diff = value == "diff";
  return {};
}
Status TakeEmpty(AmOptions& options, std::string_view value) {
  if (value == "stop") options.on_empty = OnEmptyMail::kStop;
  else if (value == "drop") options.on_empty = OnEmptyMail::kDrop;
  else if (value == "keep") options.on_empty = OnEmptyMail::kKeep;
  else return Error(Code::kRange, "invalid value for '--empty': '" + std::string(value) + "'");
  return {};
}
Status TakePatchFormat(AmOptions& options, std::string_view value) {
  for (const std::string_view other : {"stgit", "stgit-series", "hg", "mboxrd"}) {
    if (value == other) return Error(Code::kInvalid, "only mails are read: '--patch-format=" + std::string(value) + "' is not supported");
  }
  if (value != "mbox") return Error(Code::kRange, "invalid value for '--patch-format': '" + std::string(value) + "'");
  options.is_mbox = true;
  return {};
}
Status TakeQuotedReturn(AmOptions& options, std::string_view value) {
  if (value != "nowarn" && value != "warn" && value != "strip") return Error(Code::kRange, "bad action '" + std::string(value) + "' for '--quoted-cr'");
  options.quoted_return = value;
  return {};
}
Status TakeRecoding(AmOptions& options, std::string_view) {
  options.recodes = true;
  return {};
}
Status TakeNoRecoding(AmOptions& options, std::string_view) {
  options.recodes = false;
  return {};
}
Status TakeInclude(AmOptions& options, std::string_view value) {
  options.limits.emplace_back(true, value);
  return {};
}
Status TakeExclude(AmOptions& options, std::string_view value) {
  options.limits.emplace_back(false, value);
  return {};
}
constexpr Option kOptions[] = {
    Flag<&AmOptions::three_way>('3', "3way", "merge where a patch does not apply"), Flag<&AmOptions::no_three_way>(0, "no-3way", "do not"),
    Flag<&AmOptions::quiet>('q', "quiet", "say nothing"), Flag<&AmOptions::signoff>('s', "signoff", "add a Signed-off-by line"),
    Flag<&AmOptions::keeps>('k', "keep", "subjects as they are"), Flag<&AmOptions::keeps_non_patch>(0, "keep-non-patch", "keep [x] where x does not say PATCH"),
    Flag<&AmOptions::message_id>('m', "message-id", "add a Message-Id line"), Flag<&AmOptions::scissors>('c', "scissors", "messages begin behind a line of scissors"),
    Flag<&AmOptions::no_scissors>(0, "no-scissors", "scissors are text"), Flag<&AmOptions::ignores_date>(0, "ignore-date", "written now"),
    Flag<&AmOptions::commits_at_author_date>(0, "committer-date-is-author-date", "committed when written"), Call<TakePatchFormat>(0, "patch-format", "FORMAT", "mbox"),
    Call<TakeEmpty>(0, "empty", "ACTION", "for mails without a patch: stop, drop or keep"), Value<&AmOptions::strip>('p', nullptr, "N", "remove N directories from names"),
    Value<&AmOptions::context>('C', nullptr, "N", "so many lines of context have to match"), Value<&AmOptions::directory>(0, "directory", "DIR", "names are below DIR"),
    Value<&AmOptions::whitespace>(0, "whitespace", "ACTION", "as for apply"), Call<TakeInclude>(0, "include", "PATTERN", "only files that match"),
    Call<TakeExclude>(0, "exclude", "PATTERN", "no files that match"), Set<&AmOptions::resume, AmResume::kContinue>(0, "continue", "commit what was resolved, go on"),
    Set<&AmOptions::resume, AmResume::kContinue>('r', "resolved", "likewise"), Set<&AmOptions::resume, AmResume::kSkip>(0, "skip", "go on without this patch"),
    Set<&AmOptions::resume, AmResume::kAbort>(0, "abort", "go back to before it"), Set<&AmOptions::resume, AmResume::kQuit>(0, "quit", "stop, and leave all as it is"),
    CallOptional<TakeShow>(0, "show-current-patch", "FORM", "show the mail (raw) or its patch (diff)"), Set<&AmOptions::resume, AmResume::kAllowEmpty>(0, "allow-empty", "commit a mail without a patch"),
    Flag<&AmOptions::keeps_returns>(0, "keep-cr", "lines of mails may end with CR LF"), Flag<&AmOptions::drops_returns>(0, "no-keep-cr", "CR LF becomes LF"),
    Call<TakeQuotedReturn>(0, "quoted-cr", "ACTION", "of CR LF in what base64 or quoted-printable carries: nowarn, warn or strip"),
    Flag<&AmOptions::rejects>(0, "reject", "apply what fits; hunks that do not go to FILE.rej"), Flag<&AmOptions::ignores_blanks>(0, "ignore-space-change", "blanks in the context may differ"),
    Flag<&AmOptions::ignores_blanks>(0, "ignore-whitespace", "likewise"), Value<&AmOptions::advice>(0, "resolvemsg", "TEXT", "what to say when a patch does not apply"),
    Call<TakeRecoding>('u', "utf8", nullptr, "recode messages into UTF-8 (the default)"), Call<TakeNoRecoding>(0, "no-utf8", nullptr, "take messages as they are"),
    Flag<&AmOptions::is_interactive>('i', "interactive", "ask before each patch"),
    SigningOptions<AmOptions>()[0], SigningOptions<AmOptions>()[1], Flag<&AmOptions::is_rebasing>(0, "rebasing", nullptr),
    Flag<&AmOptions::rerere>(0, "rerere-autoupdate", "put into the index what is resolved as before"), Flag<&AmOptions::no_rerere>(0, "no-rerere-autoupdate", "do not"),
};

std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

// One run over the mails in .git/rebase-apply, which git keeps in the same way.
class Session {
 public:
  Session(Git& git, AmOptions& options) : git_(git), options_(options), state_(git) {}

  Result<ExitStatus> Run(const std::vector<std::string>& names) {
    const bool is_active = git_.in.fs.Stat(state_.Path("applying")).has_value() || git_.in.fs.Stat(state_.Path("rebasing")).has_value();
    if (is_active && (!names.empty() || options_.resume == AmResume::kNo)) return Error(Code::kExists, "previous rebase directory .git/rebase-apply still exists but mbox given.");
    if (!is_active && options_.resume != AmResume::kNo) return Error(Code::kNoEntry, "Resolve operation not in progress, we are not resuming.");
    if (!is_active) return Start(names);
    PADDOCK_TRY(Load());
    switch (options_.resume) {
      case AmResume::kSkip: return Skip();
      case AmResume::kAbort: return Abort();
      case AmResume::kQuit:
        PADDOCK_TRY(state_.Remove());
        return 0;
      case AmResume::kShow: return ShowPatch();
      default: return Continue();
    }
  }

 private:
  void Tell(std::string_view text) {
    if (!options_.quiet) git_.Print(text);
  }

  Result<ExitStatus> Start(const std::vector<std::string>& names) {
    const auto head = git_.Head();
    const bool keeps_returns = (options_.keeps_returns || git_.config.GetBool("am.keepcr", false)) && !options_.drops_returns;
    std::vector<std::string> mails;
    for (const std::string& name : names.empty() ? std::vector<std::string>{"-"} : names) {
      auto input = InputFile::Open(git_.in, name);
      if (!input) return Error(input.error().code, "could not open '" + name + "' for reading: " + std::string(input.error().Text()));
      const std::string text = input->input().ReadAll();
      if (name != "-" && !options_.is_mbox && !LooksLikeMail(text)) {
        git_.Say("Patch format detection failed.\n");
        return 128;
      }
      for (const std::string_view mail : SplitMbox(text, git_.in.budget)) mails.push_back(keeps_returns ? std::string(mail) : WithoutReturns(mail));
    }
    PADDOCK_TRY(vfs::MakeDirectories(git_.in.fs, git_.GitPath("rebase-apply")));
    for (size_t i = 0; i < mails.size(); ++i) PADDOCK_TRY(vfs::WriteFile(git_.in.fs, state_.Path(AmState::Number(static_cast<int64_t>(i) + 1)), mails[i]));
    options_.three_way = options_.is_rebasing || ((options_.three_way || git_.config.GetBool("am.threeway", false)) && !options_.no_three_way);
    PADDOCK_TRY(state_.WriteOptions(options_));
    PADDOCK_TRY(state_.Write(options_.is_rebasing ? "rebasing" : "applying", ""));
    PADDOCK_TRY(state_.Write("abort-safety", head ? head->Hex() : ""));
    if (head && !options_.is_rebasing) PADDOCK_TRY(git_.refs.WriteDirect("ORIG_HEAD", *head));
    next_ = 1;
    last_ = static_cast<int64_t>(mails.size());
    PADDOCK_TRY(state_.Write("next", "1"));
    PADDOCK_TRY(state_.Write("last", std::to_string(last_)));
    return Loop();
  }
  Status Load() {
    PADDOCK_ASSIGN(const auto place, state_.ReadNextAndLast());
    next_ = place.first;
    last_ = place.second;
    return state_.ReadOptions(options_);
  }

  Result<FlatTree> HeadFiles() {
    const auto head = git_.Head();
    if (!head) return FlatTree();
    return git_.FlattenCommit(*head);
  }
  Result<std::vector<FileDiff>> StagedChanges() {
    PADDOCK_ASSIGN(const FlatTree head, HeadFiles());
    PADDOCK_ASSIGN(const Index index, git_.ReadIndex());
    return CompareTrees(head, IndexFiles(index));
  }

  // Reads the mail of this number into the state. False: it has to be resolved by hand.
  Result<bool> ReadCurrent() {
    auto text = state_.ReadWhole(AmState::Number(next_));
    if (!text) return Error(text.error().code, "could not open '.git/rebase-apply/" + AmState::Number(next_) + "' for reading: " + std::string(text.error().Text()));
    if (options_.is_rebasing) return ReadCommitOf(*text);
    auto mail = ReadMail(*text, {.keeps_subject = options_.keeps, .keeps_non_patch = options_.keeps_non_patch, .recodes = options_.recodes.value_or(true), .strips_return = options_.quoted_return == "strip", .has_scissors = options_.scissors}, git_.in.budget);
    if (!mail && mail.error().code != Code::kSyntax) return mail.error();
    if (!mail) return Error(Code::kSyntax, "could not parse patch");
    if (mail->has_return && (options_.quoted_return.empty() || options_.quoted_return == "warn")) git_.Warn("quoted CRLF detected");
    current_ = {mail->name, mail->email, mail->date, {}, mail->patch};
    std::string message = mail->subject + "\n\n" + mail->body;
    if (options_.message_id && !mail->message_id.empty()) message += "Message-Id: " + mail->message_id + "\n";
    message = CleanMessage(message, false);
    if (options_.signoff) {
      PADDOCK_ASSIGN(const std::string committer, git_.Committer());
      message = WithSignoff(message, ParseSignature(committer));
    }
    current_.message = message;
    PADDOCK_TRY(state_.Write("info", "Author: " + mail->name + "\nEmail: " + mail->email + "\nSubject: " + mail->subject + "\nDate: " + mail->date + "\n\n"));
    PADDOCK_TRY(state_.Write("msg", mail->body));
    PADDOCK_TRY(state_.Write("patch", mail->patch));
    PADDOCK_TRY(state_.Write("final-commit", std::string_view(message).substr(0, message.size() - (message.ends_with('\n') ? 1 : 0))));
    PADDOCK_TRY(state_.WriteAuthor(current_));
    return true;
  }
  // The same of a mail that only names its commit.
  Result<bool> ReadCommitOf(std::string_view mail) {
    const auto id = mail.starts_with("From ") ? Oid::FromHex(mail.substr(5, 40)) : std::nullopt;
    if (!id) return Error(Code::kSyntax, "could not parse patch");
    PADDOCK_ASSIGN(const Commit commit, git_.objects.ReadCommit(*id));
    const Signature author = ParseSignature(commit.author);
    FlatTree before;
    if (!commit.parents.empty()) {
      PADDOCK_ASSIGN(before, git_.FlattenCommit(commit.parents[0]));
    }
    PADDOCK_ASSIGN(const FlatTree after, git_.Flatten(commit.tree));
    DiffOptions options;
    options.patch = options.binary = options.full_index = true;
    options.textconv = false;
    PADDOCK_ASSIGN(std::string patch, FormatDiff(git_, CompareTrees(before, after), options));
    current_ = {author.name, author.email, DateText(git_, author, "default"), commit.message, std::move(patch)};
    if (options_.signoff) {
      PADDOCK_ASSIGN(const std::string committer, git_.Committer());
      current_.message = WithSignoff(current_.message, ParseSignature(committer));
    }
    PADDOCK_TRY(state_.Write("original-commit", id->Hex()));
    PADDOCK_TRY(git_.refs.WriteDirect("REBASE_HEAD", *id));
    PADDOCK_TRY(state_.Write("patch", current_.patch));
    PADDOCK_TRY(state_.Write("final-commit", std::string_view(current_.message).substr(0, current_.message.size() - (current_.message.ends_with('\n') ? 1 : 0))));
    PADDOCK_TRY(state_.WriteAuthor(current_));
    return true;
  }
  Result<ExitStatus> AskForHelp(bool is_empty) {
    if (options_.advice) {
      git_.Print(*options_.advice + "\n");
      return 128;
    }
    std::string text = "When you have resolved this problem, run \"git am --continue\".\nIf you prefer to skip this patch, run \"git am --skip\" instead.\n";
    if (is_empty) {
      PADDOCK_ASSIGN(const std::vector<FileDiff> staged, StagedChanges());
      if (staged.empty()) text += "To record the empty patch as an empty commit, run \"git am --allow-empty\".\n";
    }
    git_.Print(text + "To restore the original branch and stop patching, run \"git am --abort\".\n");
    return 128;
  }
  Result<ExitStatus> Fail() {
    git_.Print("Patch failed at " + AmState::Number(next_) + " " + std::string(FirstLine(current_.message)) + "\n");
    if (git_.config.GetBool("advice.amworkdir", true)) git_.Say("hint: Use 'git am --show-current-patch=diff' to see the failed patch\n");
    return AskForHelp(false);
  }

  ApplyOptions OptionsOfApply(bool is_silent) const {
    ApplyOptions apply;
    apply.index = true;
    apply.is_silent = is_silent;
    apply.quiet = is_silent || options_.quiet;
    apply.strip = options_.strip;
    apply.context = options_.context;
    apply.directory = options_.directory;
    apply.whitespace = options_.whitespace;
    apply.limits = options_.limits;
    apply.rejects = options_.rejects;
    apply.ignores_blanks = options_.ignores_blanks;
    return apply;
  }

  Result<ExitStatus> Loop() {
    PADDOCK_ASSIGN(const std::vector<FileDiff> staged, StagedChanges());
    if (!staged.empty()) {
      std::string list;
      for (const FileDiff& file : staged) list += (list.empty() ? "" : " ") + file.new_path;
      PADDOCK_TRY(state_.Write("dirtyindex", "t"));
      return Error(Code::kInvalid, "Dirty index: cannot apply patches (dirty: " + list + ")");
    }
    while (next_ <= last_) {
      PADDOCK_ASSIGN(const std::optional<ExitStatus> end, TakeMail());
      if (end) return *end;
      PADDOCK_TRY(Next());
    }
    if (const std::string list = state_.Read("rewritten"); !list.empty()) static_cast<void>(RunHookWithInput(git_, {.name = "post-rewrite", .args = {"rebase"}, .input = list + "\n", .writes_errors = true}, nullptr));
    if (!options_.is_rebasing) PADDOCK_TRY(state_.Remove());
    return 0;
  }

  // The exit status, when the run stops at this mail.
  static constexpr std::optional<ExitStatus> kGoesOn = std::nullopt;
  static Result<std::optional<ExitStatus>> Stop(Result<ExitStatus> status) {
    if (!status) return status.error();
    return std::optional<ExitStatus>(*status);
  }
  Result<std::optional<ExitStatus>> TakeMail() {
    git_.in.budget.Step();
    PADDOCK_TRY(ReadCurrent());
    const bool is_empty = current_.patch.empty();
    if (options_.is_interactive) {
      PADDOCK_ASSIGN(const bool is_wanted, Ask());
      if (!is_wanted) return kGoesOn;
    }
    const std::string title(FirstLine(current_.message));
    if (is_empty && options_.on_empty == OnEmptyMail::kStop) {
      git_.Print("Patch is empty.\n");
      return Stop(AskForHelp(true));
    }
    if (is_empty && options_.on_empty == OnEmptyMail::kDrop) {
      Tell("Skipping: " + title + "\n");
      return kGoesOn;
    }
    if (RunHook(git_, "applypatch-msg", {".git/rebase-apply/final-commit"}) != 0) return std::optional<ExitStatus>(1);
    if (HasHook(git_, "applypatch-msg")) {
      current_.message = state_.ReadMessage();
    }
    Tell((is_empty ? "Creating an empty commit: " : "Applying: ") + title + "\n");
    if (!is_empty) {
      ApplyOptions apply = OptionsOfApply(options_.three_way);
      PADDOCK_ASSIGN(ExitStatus status, ApplyPatchText(git_, apply, current_.patch, ".git/rebase-apply/patch"));
      if (status != 0 && options_.three_way) {
        PADDOCK_ASSIGN(status, MergeInstead());
        if (status == 0) {
          PADDOCK_ASSIGN(const std::vector<FileDiff> changes, StagedChanges());
          if (changes.empty()) {
            Tell("No changes -- Patch already applied.\n");
            return kGoesOn;
          }
        }
      }
      if (status != 0) return Stop(Fail());
    }
    return MakeOne();
  }

  // Whether the user wants the patch.
  Result<bool> Ask() {
    while (true) {
      git_.in.budget.Step();
      const std::string line(26, '-');
      git_.Print("Commit Body is:\n" + line + "\n" + current_.message + line + "\nApply? [y]es/[n]o/[e]dit/[v]iew patch/[a]ccept all: ");
      const auto reply = git_.in.in.ReadLine();
      if (!reply) return Error(Code::kInvalid, "unable to read from stdin; aborting");
      const char choice = reply->text.empty() ? ' ' : reply->text[0];
      if (choice == 'y' || choice == 'Y') return true;
      if (choice == 'n' || choice == 'N') return false;
      if (choice == 'a' || choice == 'A') {
        options_.is_interactive = false;
        return true;
      }
      if (choice == 'v' || choice == 'V') git_.Print(current_.patch);
      if (choice != 'e' && choice != 'E') continue;
      if (!git_.Edit(state_.Path("final-commit"))) continue;
      PADDOCK_ASSIGN(current_.message, state_.ReadWhole("final-commit"));
    }
  }

  // Builds the files that the patch was made for, and merges.
  Result<ExitStatus> MergeInstead() {
    PatchReading reading{.strip = options_.strip.value_or(1), .is_strip_known = options_.strip.has_value(), .prefix = {}, .directory = options_.directory};
    if (!reading.directory.empty() && !reading.directory.ends_with('/')) reading.directory += '/';
    auto patches = ReadPatches(current_.patch, reading, git_.in.budget);
    if (!patches && patches.error().code != Code::kSyntax) return patches.error();
    PADDOCK_ASSIGN(const FlatTree ours, HeadFiles());
    Index base;
    const auto lacks = [this](const std::string& why) {
      git_.Complain(why);
      return git_.Complain("could not build fake ancestor");
    };
    if (!patches) return lacks(std::string(patches.error().Text()));
    if (const std::string why = TakeAncestor(git_, *patches, ours, base); !why.empty()) return lacks(why);
    Tell("Using index info to reconstruct a base tree...\n");
    const FlatTree before = IndexFiles(base);
    if (!options_.quiet) {
      for (const FileDiff& file : CompareTrees(ours, before)) {
        if (file.status == 'M' || file.status == 'A') git_.Print(std::string(1, file.status) + "\t" + git_.Quoted(file.new_path) + "\n");
      }
    }
    ApplyOptions apply = OptionsOfApply(true);
    apply.index = false;
    apply.cached = true;
    apply.target = &base;
    PADDOCK_ASSIGN(const ExitStatus status, ApplyPatchText(git_, apply, current_.patch, ".git/rebase-apply/patch"));
    if (status != 0) return git_.Complain("Did you hand edit your patch?\nIt does not apply to blobs recorded in its index.");
    Tell("Falling back to patching base and 3-way merge...\n");
    PADDOCK_ASSIGN(const TreeMerge merge, MergeTrees(git_, before, ours, IndexFiles(base), {"HEAD", std::string(FirstLine(current_.message)), "constructed merge base"}));
    PADDOCK_ASSIGN(const bool done, ApplyMerge(git_, ours, merge, "am"));
    if (done) Tell(merge.messages);
    if (done && !merge.conflicts.empty()) PADDOCK_TRY(RememberConflicts(git_, StagesResolved(options_)));
    if (!done || !merge.conflicts.empty()) return git_.Complain("Failed to merge in the changes.");
    return 0;
  }

  Result<std::optional<ExitStatus>> MakeOne() {
    if (RunHook(git_, "pre-applypatch") != 0) return std::optional<ExitStatus>(1);
    PADDOCK_ASSIGN(const Index index, git_.ReadIndex());
    Commit commit;
    PADDOCK_ASSIGN(commit.tree, git_.WriteTree(index));
    if (const auto head = git_.Head()) commit.parents.push_back(*head);
    else Tell("applying to an empty history\n");
    PADDOCK_ASSIGN(commit.committer, git_.Committer());
    if (current_.email.empty()) return Error(Code::kInvalid, "empty ident name (for <>) not allowed");
    std::string date;
    if (options_.ignores_date || current_.date.empty()) {
      const int64_t now = Now(git_.in.clock).seconds;
      date = std::to_string(now) + " " + OffsetText(LocalZone(git_.in.env).ToLocal(now).offset / 60);
    } else {
      PADDOCK_ASSIGN(date, git_.ParseGitDate(current_.date));
    }
    const auto clean = [](std::string text) {
      std::erase_if(text, [](char c) { return c == '<' || c == '>' || c == '\n' || c == '\0'; });
      return text;
    };
    commit.author = clean(current_.name) + " <" + clean(current_.email) + "> " + date;
    if (options_.commits_at_author_date) commit.committer = commit.committer.substr(0, commit.committer.rfind('>') + 1) + " " + date;
    commit.message = current_.message;
    const std::string action(git_.in.env.Get("GIT_REFLOG_ACTION", "am"));
    PADDOCK_ASSIGN(const Oid made, MakeCommit(git_, commit, action + ": " + std::string(FirstLine(commit.message))));
    if (options_.is_rebasing) PADDOCK_TRY(state_.Write("rewritten", state_.Read("rewritten") + (state_.Read("rewritten").empty() ? "" : "\n") + state_.Read("original-commit") + " " + made.Hex()));
    static_cast<void>(RunHook(git_, "post-applypatch"));
    return kGoesOn;
  }
  Status Next() {
    for (const char* name : {"author-script", "final-commit", "info", "msg", "original-commit", "patch"}) static_cast<void>(git_.in.fs.RemoveFile(state_.Path(name)).has_value());
    const auto head = git_.Head();
    PADDOCK_TRY(state_.Write("abort-safety", head ? head->Hex() : ""));
    return state_.Write("next", std::to_string(++next_));
  }

  Result<ExitStatus> Continue() {
    PADDOCK_ASSIGN(current_, state_.ReadCurrent());
    Tell("Applying: " + std::string(FirstLine(current_.message)) + "\n");
    PADDOCK_ASSIGN(const std::vector<FileDiff> staged, StagedChanges());
    PADDOCK_ASSIGN(const Index index, git_.ReadIndex());
    if (index.HasConflicts()) {
      git_.Print("You still have unmerged paths in your index.\nYou should 'git add' each file with resolved conflicts to mark them as such.\n"
                 "You might run `git rm` on a file to accept \"deleted by them\" for it.\n");
      return AskForHelp(false);
    }
    if (staged.empty()) {
      if (options_.resume == AmResume::kAllowEmpty && current_.patch.empty()) {
        git_.Print("No changes - recorded it as an empty commit.\n");
      } else {
        git_.Print("No changes - did you forget to use 'git add'?\nIf there is nothing left to stage, chances are that something else\n"
                   "already introduced the same changes; you might want to skip this patch.\n");
        return AskForHelp(current_.patch.empty());
      }
    }
    PADDOCK_TRY(RememberConflicts(git_));
    PADDOCK_ASSIGN(const std::optional<ExitStatus> end, MakeOne());
    if (end) return *end;
    PADDOCK_TRY(Next());
    return Loop();
  }

  // Index and files as HEAD has them, where the patch changed them.
  Status CleanIndex() {
    PADDOCK_ASSIGN(const FlatTree head, HeadFiles());
    PADDOCK_ASSIGN(Index index, git_.ReadIndex());
    std::vector<std::string> changed;
    for (const FileDiff& file : CompareTrees(head, IndexFiles(index))) changed.push_back(file.new_path);
    for (const IndexEntry& entry : index.entries()) {
      if (entry.stage != 0) changed.push_back(entry.path);
    }
    for (const std::string& path : changed) {
      git_.in.budget.Step();
      index.Remove(path);
      const auto known = head.find(path);
      if (known == head.end()) {
        RemoveWorkFile(git_, path);
        continue;
      }
      IndexEntry entry;
      PADDOCK_TRY(PutFile(git_, path, known->second, true, &entry));
      index.Put(std::move(entry));
    }
    return git_.WriteIndex(index);
  }
  Result<ExitStatus> Skip() {
    ForgetConflicts(git_);
    PADDOCK_TRY(CleanIndex());
    PADDOCK_TRY(Next());
    return Loop();
  }
  Result<ExitStatus> Abort() {
    ForgetConflicts(git_);
    const auto head = git_.Head();
    const auto original = git_.refs.Read("ORIG_HEAD");
    if (state_.Read("abort-safety") != (head ? head->Hex() : "")) {
      git_.Warn("You seem to have moved HEAD since the last 'am' failure.\nNot rewinding to ORIG_HEAD");
      PADDOCK_TRY(state_.Remove());
      return 0;
    }
    PADDOCK_TRY(CleanIndex());
    if (head && original && *original != *head) {
      PADDOCK_ASSIGN(const FlatTree from, HeadFiles());
      PADDOCK_ASSIGN(const FlatTree to, git_.FlattenCommit(*original));
      PADDOCK_ASSIGN(Index index, git_.ReadIndex());
      PADDOCK_ASSIGN(const bool done, SwitchFiles(git_, from, to, index, "merge", false));
      if (!done) return Error(Code::kInvalid, "failed to clean index");
      PADDOCK_TRY(git_.WriteIndex(index));
      PADDOCK_TRY(git_.refs.Write("HEAD", *original, git_.Who(), "am --abort"));
    }
    PADDOCK_TRY(state_.Remove());
    return 0;
  }
  Result<ExitStatus> ShowPatch() {
    if (options_.is_rebasing && !options_.shows_diff) return RunGit(git_, {"show", state_.Read("original-commit"), "--"});
    const std::string name = options_.shows_diff ? "patch" : AmState::Number(next_);
    auto text = state_.ReadWhole(name);
    if (!text) return Error(text.error().code, "could not read '.git/rebase-apply/" + name + "': " + std::string(text.error().Text()));
    git_.Print(*text);
    return 0;
  }

  Git& git_;
  AmOptions& options_;
  AmState state_;
  int64_t next_ = 1, last_ = 0;
  CurrentMail current_;
};

Result<ExitStatus> RunAm(Git& git, AmOptions& options, Args& args) {
  ChooseSigning(git, options);
  return Session(git, options).Run(args.All());
}

}  // namespace

extern const Subcommand kAm;
const Subcommand kAm = DefineSubcommand<AmOptions, RunAm>({.name = "am", .summary = "make commits of mails with patches", .synopsis = "[<options>] [<mbox>...]\n(--continue | --skip | --abort | --quit | --show-current-patch)", .options = kOptions, .needs = Subcommand::Needs::kWorkTree});

}  // namespace paddock::git
