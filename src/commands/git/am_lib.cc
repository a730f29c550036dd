// git am.
#include <algorithm>
#include <charconv>

#include "commands/file_facts.h"
#include "commands/git/apply.h"
#include "commands/git/commit.h"
#include "commands/git/diff.h"
#include "commands/git/merge.h"
#include "commands/git/revision.h"
#include "commands/git/worktree.h"
#include "commands/input_files.h"
#include "git/mail.h"

namespace paddock::git {
namespace {

constexpr uint64_t kMostStateBytes = 64 << 20;

enum class Resume { kNo, kContinue, kSkip, kAbort, kQuit, kShow, kAllowEmpty };
enum class OnEmpty { kStop, kDrop, kKeep };

struct Options {
  bool three_way = false, no_three_way = false, quiet = false, signoff = false, keeps = false, keeps_non_patch = false, scissors = false, no_scissors = false, message_id = false;
  bool ignores_date = false, commits_at_author_date = false;
  Resume resume = Resume::kNo;
  OnEmpty on_empty = OnEmpty::kStop;
  bool shows_diff = false;
  std::optional<int64_t> strip, context;
  std::string directory, whitespace;
  std::vector<std::pair<bool, std::string>> limits;
  bool keeps_returns = false, drops_returns = false, rejects = false, ignores_blanks = false, is_interactive = false, is_mbox = false;
  std::optional<bool> recodes;
  std::string quoted_return;            // nowarn, warn or strip
  std::optional<std::string> advice;    // instead of ours, when it stops
};
Status TakeShow(Options& options, std::string_view value) {
  if (!value.empty() && value != "raw" && value != "diff") return Error(Code::kRange, "invalid value for '--show-current-patch': '" + std::string(value) + "'");
  options.resume = Resume::kShow;
  options.shows_diff = value == "diff";
  return {};
}
Status TakeEmpty(Options& options, std::string_view value) {
  if (value == "stop") options.on_empty = OnEmpty::kStop;
  else if (value == "drop") options.on_empty = OnEmpty::kDrop;
  else if (value == "keep") options.on_empty = OnEmpty::kKeep;
  else return Error(Code::kRange, "invalid value for '--empty': '" + std::string(value) + "'");
  return {};
}
Status TakePatchFormat(Options& options, std::string_view value) {
  for (const std::string_view other : {"stgit", "stgit-series", "hg", "mboxrd"}) {
    if (value == other) return Error(Code::kInvalid, "only mails are read: '--patch-format=" + std::string(value) + "' is not supported");
  }
  if (value != "mbox") return Error(Code::kRange, "invalid value for '--patch-format': '" + std::string(value) + "'");
  options.is_mbox = true;
  return {};
}
Status TakeQuotedReturn(Options& options, std::string_view value) {
  if (value != "nowarn" && value != "warn" && value != "strip") return Error(Code::kRange, "bad action '" + std::string(value) + "' for '--quoted-cr'");
  options.quoted_return = value;
  return {};
}
Status TakeRecoding(Options& options, std::string_view) {
  options.recodes = true;
  return {};
}
Status TakeNoRecoding(Options& options, std::string_view) {
  options.recodes = false;
  return {};
}
Status TakeInclude(Options& options, std::string_view value) {
  options.limits.emplace_back(true, value);
  return {};
}
Status TakeExclude(Options& options, std::string_view value) {
  options.limits.emplace_back(false, value);
  return {};
}
constexpr Option kOptions[] = {
    Flag<&Options::three_way>('3', "3way", "merge where a patch does not apply"), Flag<&Options::no_three_way>(0, "no-3way", "do not"),
    Flag<&Options::quiet>('q', "quiet", "say nothing"), Flag<&Options::signoff>('s', "signoff", "add a Signed-off-by line"),
    Flag<&Options::keeps>('k', "keep", "subjects as they are"), Flag<&Options::keeps_non_patch>(0, "keep-non-patch", "keep [x] where x does not say PATCH"),
    Flag<&Options::message_id>('m', "message-id", "add a Message-Id line"), Flag<&Options::scissors>('c', "scissors", "messages begin behind a line of scissors"),
    Flag<&Options::no_scissors>(0, "no-scissors", "scissors are text"), Flag<&Options::ignores_date>(0, "ignore-date", "written now"),
    Flag<&Options::commits_at_author_date>(0, "committer-date-is-author-date", "committed when written"), Call<TakePatchFormat>(0, "patch-format", "FORMAT", "mbox"),
    Call<TakeEmpty>(0, "empty", "ACTION", "for mails without a patch: stop, drop or keep"), Value<&Options::strip>('p', nullptr, "N", "remove N directories from names"),
    Value<&Options::context>('C', nullptr, "N", "so many lines of context have to match"), Value<&Options::directory>(0, "directory", "DIR", "names are below DIR"),
    Value<&Options::whitespace>(0, "whitespace", "ACTION", "as for apply"), Call<TakeInclude>(0, "include", "PATTERN", "only files that match"),
    Call<TakeExclude>(0, "exclude", "PATTERN", "no files that match"), Set<&Options::resume, Resume::kContinue>(0, "continue", "commit what was resolved, go on"),
    Set<&Options::resume, Resume::kContinue>('r', "resolved", "likewise"), Set<&Options::resume, Resume::kSkip>(0, "skip", "go on without this patch"),
    Set<&Options::resume, Resume::kAbort>(0, "abort", "go back to before it"), Set<&Options::resume, Resume::kQuit>(0, "quit", "stop, and leave all as it is"),
    CallOptional<TakeShow>(0, "show-current-patch", "FORM", "show the mail (raw) or its patch (diff)"), Set<&Options::resume, Resume::kAllowEmpty>(0, "allow-empty", "commit a mail without a patch"),
    Flag<&Options::keeps_returns>(0, "keep-cr", "lines of mails may end with CR LF"), Flag<&Options::drops_returns>(0, "no-keep-cr", "CR LF becomes LF"),
    Call<TakeQuotedReturn>(0, "quoted-cr", "ACTION", "of CR LF in what base64 or quoted-printable carries: nowarn, warn or strip"),
    Flag<&Options::rejects>(0, "reject", "apply what fits; hunks that do not go to FILE.rej"), Flag<&Options::ignores_blanks>(0, "ignore-space-change", "blanks in the context may differ"),
    Flag<&Options::ignores_blanks>(0, "ignore-whitespace", "likewise"), Value<&Options::advice>(0, "resolvemsg", "TEXT", "what to say when a patch does not apply"),
    Call<TakeRecoding>('u', "utf8", nullptr, "recode messages into UTF-8 (the default)"), Call<TakeNoRecoding>(0, "no-utf8", nullptr, "take messages as they are"),
    Flag<&Options::is_interactive>('i', "interactive", "ask before each patch"),
};

std::string ShellQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' || c == '!' ? std::string("'\\") + c + "'" : std::string(1, c);
  return quoted + "'";
}
// What stands in such quotes; nothing when it is malformed.
std::optional<std::string> ShellUnquoted(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    if (text[0] == '\\' && text.size() > 1) {
      plain += text[1];
      text.remove_prefix(2);
      continue;
    }
    const size_t end = text[0] == '\'' ? text.find('\'', 1) : std::string_view::npos;
    if (end == std::string_view::npos) return std::nullopt;
    plain += text.substr(1, end - 1);
    text.remove_prefix(end + 1);
  }
  return plain;
}

std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

// One run over the mails in .git/rebase-apply, which git keeps in the same way.
class Session {
 public:
  Session(Git& git, Options& options) : git_(git), options_(options) {}

  Result<ExitStatus> Run(const std::vector<std::string>& names) {
    const bool is_active = git_.in.fs.Stat(Path("applying")).has_value();
    if (is_active && (!names.empty() || options_.resume == Resume::kNo)) return Error(Code::kExists, "previous rebase directory .git/rebase-apply still exists but mbox given.");
    if (!is_active && options_.resume != Resume::kNo) return Error(Code::kNoEntry, "Resolve operation not in progress, we are not resuming.");
    if (!is_active) return Start(names);
    PADDOCK_TRY(Load());
    switch (options_.resume) {
      case Resume::kSkip: return Skip();
      case Resume::kAbort: return Abort();
      case Resume::kQuit:
        PADDOCK_TRY(RemoveState());
        return 0;
      case Resume::kShow: return ShowPatch();
      default: return Continue();
    }
  }

 private:
  struct CurrentMail {
    std::string name, email, date, message, patch;
  };

  std::string Path(std::string_view name) const { return git_.GitPath("rebase-apply/" + std::string(name)); }
  Status WriteState(std::string_view name, std::string_view text) { return vfs::WriteFile(git_.in.fs, Path(name), std::string(text) + (text.empty() || text.ends_with('\n') ? "" : "\n")); }
  std::string ReadState(std::string_view name) {
    auto text = vfs::ReadFile(git_.in.fs, Path(name), kMostStateBytes);
    if (!text) return {};
    if (text->ends_with('\n')) text->pop_back();
    return std::move(*text);
  }
  static std::string Number(int64_t number) {
    const std::string digits = std::to_string(number);
    return std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits;
  }
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
    for (size_t i = 0; i < mails.size(); ++i) PADDOCK_TRY(vfs::WriteFile(git_.in.fs, Path(Number(static_cast<int64_t>(i) + 1)), mails[i]));
    options_.three_way = (options_.three_way || git_.config.GetBool("am.threeway", false)) && !options_.no_three_way;
    const std::string keep = options_.keeps ? "t" : options_.keeps_non_patch ? "b" : "f";
    const auto flag = [](bool value) { return value ? "t" : "f"; };
    PADDOCK_TRY(WriteState("threeway", flag(options_.three_way)));
    PADDOCK_TRY(WriteState("quiet", flag(options_.quiet)));
    PADDOCK_TRY(WriteState("sign", flag(options_.signoff)));
    PADDOCK_TRY(WriteState("utf8", flag(options_.recodes.value_or(true))));
    PADDOCK_TRY(WriteState("keep", keep));
    PADDOCK_TRY(WriteState("messageid", flag(options_.message_id)));
    PADDOCK_TRY(WriteState("scissors", options_.scissors ? "t" : options_.no_scissors ? "f" : ""));
    PADDOCK_TRY(WriteState("quoted-cr", options_.quoted_return));
    PADDOCK_TRY(WriteState("apply-opt", ApplyWords()));
    PADDOCK_TRY(WriteState("applying", ""));
    PADDOCK_TRY(WriteState("abort-safety", head ? head->Hex() : ""));
    if (head) PADDOCK_TRY(git_.refs.WriteDirect("ORIG_HEAD", *head));
    next_ = 1;
    last_ = static_cast<int64_t>(mails.size());
    PADDOCK_TRY(WriteState("next", "1"));
    PADDOCK_TRY(WriteState("last", std::to_string(last_)));
    return Loop();
  }
  static std::string WithoutReturns(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\r' || i + 1 >= text.size() || text[i + 1] != '\n') out += text[i];
    }
    return out;
  }

  // The options of apply, as one line of words in quotes.
  std::string ApplyWords() const {
    std::string text;
    const auto add = [&text](const std::string& word) { text += " " + ShellQuoted(word); };
    if (options_.strip) add("-p" + std::to_string(*options_.strip));
    if (options_.context) add("-C" + std::to_string(*options_.context));
    if (!options_.directory.empty()) add("--directory=" + options_.directory);
    if (!options_.whitespace.empty()) add("--whitespace=" + options_.whitespace);
    if (options_.ignores_blanks) add("--ignore-whitespace");
    if (options_.rejects) add("--reject");
    for (const auto& [is_included, pattern] : options_.limits) add((is_included ? "--include=" : "--exclude=") + pattern);
    return text;
  }
  Status TakeApplyWords(std::string_view text) {
    while (!text.empty()) {
      git_.in.budget.Step();
      const size_t begin = text.find_first_not_of(' ');
      if (begin == std::string_view::npos) break;
      text.remove_prefix(begin);
      size_t end = 0;
      for (bool is_quoted = false; end < text.size() && (is_quoted || text[end] != ' '); ++end) is_quoted ^= text[end] == '\'';
      const auto word = ShellUnquoted(text.substr(0, end));
      text.remove_prefix(end);
      const auto value = [&](std::string_view lead) { return word->substr(lead.size()); };
      if (!word) return Error(Code::kSyntax, "could not parse '.git/rebase-apply/apply-opt'");
      int64_t number = 0;
      if (word->starts_with("-p") && ParseOptionValue(value("-p"), number)) options_.strip = number;
      else if (word->starts_with("-C") && ParseOptionValue(value("-C"), number)) options_.context = number;
      else if (word->starts_with("--directory=")) options_.directory = value("--directory=");
      else if (word->starts_with("--whitespace=")) options_.whitespace = value("--whitespace=");
      else if (word->starts_with("--include=")) options_.limits.emplace_back(true, value("--include="));
      else if (word->starts_with("--exclude=")) options_.limits.emplace_back(false, value("--exclude="));
      else if (*word == "--ignore-whitespace" || *word == "--ignore-space-change") options_.ignores_blanks = true;
      else if (*word == "--reject") options_.rejects = true;
      else return Error(Code::kNotSupported, "option '" + *word + "' of the session is not supported");
    }
    return {};
  }

  Status Load() {
    const auto number = [this](const char* name, int64_t& out) {
      const std::string text = ReadState(name);
      const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
      return read.ec == std::errc{} && out >= 0 && out < 1000000;
    };
    if (!number("next", next_) || !number("last", last_)) return Error(Code::kSyntax, "could not parse '.git/rebase-apply/next'");
    options_.three_way = (options_.three_way || ReadState("threeway") == "t") && !options_.no_three_way;
    options_.quiet |= ReadState("quiet") == "t";
    options_.signoff |= ReadState("sign") == "t";
    options_.message_id |= ReadState("messageid") == "t";
    options_.keeps = ReadState("keep") == "t";
    options_.keeps_non_patch = ReadState("keep") == "b";
    options_.scissors = ReadState("scissors") == "t";
    options_.recodes = ReadState("utf8") == "t";
    options_.quoted_return = ReadState("quoted-cr");
    return TakeApplyWords(ReadState("apply-opt"));
  }

  Status RemoveState() {
    const std::string folder = git_.GitPath("rebase-apply");
    PADDOCK_ASSIGN(const auto list, git_.in.fs.List(folder));
    for (const vfs::DirectoryEntry& entry : list) {
      if (entry.type != vfs::FileType::kDirectory) PADDOCK_TRY(git_.in.fs.RemoveFile(folder + "/" + entry.name));
    }
    return git_.in.fs.RemoveDirectory(folder);
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
    auto text = vfs::ReadFile(git_.in.fs, Path(Number(next_)), kMostStateBytes);
    if (!text) return Error(text.error().code, "could not open '.git/rebase-apply/" + Number(next_) + "' for reading: " + std::string(text.error().Text()));
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
    PADDOCK_TRY(WriteState("info", "Author: " + mail->name + "\nEmail: " + mail->email + "\nSubject: " + mail->subject + "\nDate: " + mail->date + "\n\n"));
    PADDOCK_TRY(WriteState("msg", mail->body));
    PADDOCK_TRY(WriteState("patch", mail->patch));
    PADDOCK_TRY(WriteState("final-commit", std::string_view(message).substr(0, message.size() - (message.ends_with('\n') ? 1 : 0))));
    return WriteAuthor();
  }
  Result<bool> WriteAuthor() {
    PADDOCK_TRY(WriteState("author-script", "GIT_AUTHOR_NAME=" + ShellQuoted(current_.name) + "\nGIT_AUTHOR_EMAIL=" + ShellQuoted(current_.email) + "\nGIT_AUTHOR_DATE=" + ShellQuoted(current_.date) + "\n"));
    return true;
  }
  Status LoadCurrent() {
    current_ = {};
    const std::string script = ReadState("author-script");
    const std::string_view names[] = {"GIT_AUTHOR_NAME=", "GIT_AUTHOR_EMAIL=", "GIT_AUTHOR_DATE="};
    std::string* const fields[] = {&current_.name, &current_.email, &current_.date};
    size_t begin = 0;
    for (size_t i = 0; i < 3; ++i) {
      const size_t end = i < 2 ? script.find("\n" + std::string(names[i + 1]), begin) : script.size();
      const std::string_view line = std::string_view(script).substr(begin, std::min(end, script.size()) - begin);
      auto value = line.starts_with(names[i]) && end != std::string::npos ? ShellUnquoted(line.substr(names[i].size())) : std::nullopt;
      if (!value) return Error(Code::kSyntax, "could not parse author script");
      *fields[i] = std::move(*value);
      begin = std::min(script.size(), end + 1);
    }
    current_.message = ReadState("final-commit");
    if (!current_.message.empty()) current_.message += '\n';
    const auto patch = vfs::ReadFile(git_.in.fs, Path("patch"), kMostStateBytes);
    if (patch) current_.patch = *patch;
    return {};
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
    git_.Print("Patch failed at " + Number(next_) + " " + std::string(FirstLine(current_.message)) + "\n");
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
      PADDOCK_TRY(WriteState("dirtyindex", "t"));
      return Error(Code::kInvalid, "Dirty index: cannot apply patches (dirty: " + list + ")");
    }
    while (next_ <= last_) {
      PADDOCK_ASSIGN(const std::optional<ExitStatus> end, TakeMail());
      if (end) return *end;
      PADDOCK_TRY(Next());
    }
    PADDOCK_TRY(RemoveState());
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
    if (is_empty && options_.on_empty == OnEmpty::kStop) {
      git_.Print("Patch is empty.\n");
      return Stop(AskForHelp(true));
    }
    if (is_empty && options_.on_empty == OnEmpty::kDrop) {
      Tell("Skipping: " + title + "\n");
      return kGoesOn;
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
    PADDOCK_TRY(MakeOne());
    return kGoesOn;
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
      if (!git_.Edit(Path("final-commit"))) continue;
      PADDOCK_ASSIGN(current_.message, vfs::ReadFile(git_.in.fs, Path("final-commit"), kMostStateBytes));
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
    PADDOCK_ASSIGN(const TreeMerge merge, MergeTrees(git_, before, ours, IndexFiles(base), {"HEAD", std::string(FirstLine(current_.message))}));
    PADDOCK_ASSIGN(const bool done, ApplyMerge(git_, ours, merge, "am"));
    if (done) Tell(merge.messages);
    if (!done || !merge.conflicts.empty()) return git_.Complain("Failed to merge in the changes.");
    return 0;
  }

  Status MakeOne() {
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
    PADDOCK_ASSIGN(const Oid made, MakeCommit(git_, commit, "am: " + std::string(FirstLine(commit.message))));
    static_cast<void>(made);
    return {};
  }
  Status Next() {
    for (const char* name : {"author-script", "final-commit", "info", "msg", "patch"}) static_cast<void>(git_.in.fs.RemoveFile(Path(name)).has_value());
    const auto head = git_.Head();
    PADDOCK_TRY(WriteState("abort-safety", head ? head->Hex() : ""));
    return WriteState("next", std::to_string(++next_));
  }

  Result<ExitStatus> Continue() {
    PADDOCK_TRY(LoadCurrent());
    Tell("Applying: " + std::string(FirstLine(current_.message)) + "\n");
    PADDOCK_ASSIGN(const std::vector<FileDiff> staged, StagedChanges());
    PADDOCK_ASSIGN(const Index index, git_.ReadIndex());
    if (index.HasConflicts()) {
      git_.Print("You still have unmerged paths in your index.\nYou should 'git add' each file with resolved conflicts to mark them as such.\n"
                 "You might run `git rm` on a file to accept \"deleted by them\" for it.\n");
      return AskForHelp(false);
    }
    if (staged.empty()) {
      if (options_.resume == Resume::kAllowEmpty && current_.patch.empty()) {
        git_.Print("No changes - recorded it as an empty commit.\n");
      } else {
        git_.Print("No changes - did you forget to use 'git add'?\nIf there is nothing left to stage, chances are that something else\n"
                   "already introduced the same changes; you might want to skip this patch.\n");
        return AskForHelp(current_.patch.empty());
      }
    }
    PADDOCK_TRY(MakeOne());
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
    PADDOCK_TRY(CleanIndex());
    PADDOCK_TRY(Next());
    return Loop();
  }
  Result<ExitStatus> Abort() {
    const auto head = git_.Head();
    const auto original = git_.refs.Read("ORIG_HEAD");
    if (ReadState("abort-safety") != (head ? head->Hex() : "")) {
      git_.Warn("You seem to have moved HEAD since the last 'am' failure.\nNot rewinding to ORIG_HEAD");
      PADDOCK_TRY(RemoveState());
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
    PADDOCK_TRY(RemoveState());
    return 0;
  }
  Result<ExitStatus> ShowPatch() {
    const std::string name = options_.shows_diff ? "patch" : Number(next_);
    auto text = vfs::ReadFile(git_.in.fs, Path(name), kMostStateBytes);
    if (!text) return Error(text.error().code, "could not read '.git/rebase-apply/" + name + "': " + std::string(text.error().Text()));
    git_.Print(*text);
    return 0;
  }

  Git& git_;
  Options& options_;
  int64_t next_ = 1, last_ = 0;
  CurrentMail current_;
};

Result<ExitStatus> RunAm(Git& git, Options& options, Args& args) { return Session(git, options).Run(args.All()); }

}  // namespace

extern const Subcommand kAm;
const Subcommand kAm = DefineSubcommand<Options, RunAm>({.name = "am", .summary = "make commits of mails with patches", .synopsis = "[<options>] [<mbox>...]\n(--continue | --skip | --abort | --quit | --show-current-patch)", .options = kOptions, .needs = Subcommand::Needs::kWorkTree});

}  // namespace paddock::git
