// git format-patch.
#include <algorithm>

#include "commands/file_facts.h"
#include "commands/git/commit.h"
#include "commands/git/diff.h"
#include "commands/git/pretty.h"
#include "commands/git/revision.h"
#include "commands/git/shortlog.h"
#include "git/mail.h"

namespace paddock::git {
namespace {

constexpr size_t kMailWidth = 72;
constexpr uint64_t kMostSignatureBytes = 1 << 20;

struct Options : DiffOptions {
  bool to_stdout = false, cover_letter = false, signoff = false, numbered = false, not_numbered = false, keeps_subject = false, numbered_files = false, patch_alone = false, root = false;
  bool rfc = false, no_signature = false, no_binary = false, zero_commit = false, no_thread = false;
  bool quiet_names = false, with_empty = false;
  std::optional<int64_t> count, start;
  std::string directory, prefix = "PATCH", suffix = ".patch", version, in_reply_to, signature = "2.39.5";
  std::vector<std::string> to, cc, headers;
  std::string thread;                 // shallow or deep
  std::optional<std::string> from, signature_file;
};
Status TakeThread(Options& options, std::string_view value) {
  if (!value.empty() && value != "shallow" && value != "deep") return Error(Code::kInvalid, "invalid argument to thread");
  options.thread = value.empty() ? "shallow" : value;
  return {};
}
Status TakeFrom(Options& options, std::string_view value) {
  options.from = value;
  return {};
}
bool TakeCount(void* options, std::string_view argument) {
  if (argument[0] != '-' || argument.find_first_not_of("0123456789", 1) != std::string_view::npos || argument.size() > 18) return false;
  int64_t count = 0;
  if (!ParseOptionValue(argument.substr(1), count)) return false;
  static_cast<Options*>(options)->count = count;
  return true;
}

constexpr Option kOptions[] = {
    Value<&Options::directory>('o', "output-directory", "DIR", "write the files there"), Flag<&Options::to_stdout>(0, "stdout", "write all to standard output"),
    Flag<&Options::numbered>('n', "numbered", "[PATCH n/m], for a single one, too"), Flag<&Options::not_numbered>('N', "no-numbered", "[PATCH]"),
    Value<&Options::start>(0, "start-number", "N", "begin with number N"), Flag<&Options::numbered_files>(0, "numbered-files", "files are called by their numbers alone"),
    Value<&Options::suffix>(0, "suffix", "TEXT", "instead of .patch"), Flag<&Options::keeps_subject>('k', "keep-subject", "no [PATCH]"),
    Value<&Options::prefix>(0, "subject-prefix", "TEXT", "instead of PATCH"), Flag<&Options::rfc>(0, "rfc", "RFC PATCH"),
    Value<&Options::version>('v', "reroll-count", "N", "PATCH vN"), Flag<&Options::cover_letter>(0, "cover-letter", "a letter before the patches"),
    Flag<&Options::signoff>('s', "signoff", "add Signed-off-by lines"), CallOptional<TakeThread>(0, "thread", "STYLE", "shallow or deep: mails answer each other"),
    Flag<&Options::no_thread>(0, "no-thread", "mails answer nothing"), Value<&Options::in_reply_to>(0, "in-reply-to", "ID", "the first mail answers ID"),
    Value<&Options::to>(0, "to", "ADDRESS", "a line To:"), Value<&Options::cc>(0, "cc", "ADDRESS", "a line Cc:"), Value<&Options::headers>(0, "add-header", "HEADER", "another line"),
    CallOptional<TakeFrom>(0, "from", "IDENT", "mails are from IDENT; the message names the author"), Value<&Options::signature>(0, "signature", "TEXT", "what the mail ends with"),
    Flag<&Options::no_signature>(0, "no-signature", "no signature"), Flag<&Options::root>(0, "root", "a single revision means all up to it"),
    Flag<&Options::zero_commit>(0, "zero-commit", "no ids in the lines From"), Flag<&Options::with_empty>(0, "always", "commits that change nothing, too"),
    Flag<&Options::quiet_names>('q', "quiet", "do not list the files"), Flag<&Options::patch_alone>('p', "no-stat", "patches without --stat"),
    CallOptional<TakeDiffStat<Options>>(0, "stat", "WIDTH", "with --stat (the default)"), Call<TakeDiffContext<Options>>('U', "unified", "N", "with N lines of context"),
    Flag<&Options::no_binary>(0, "no-binary", "only tell that binary files differ"), Flag<&Options::full_index>(0, "full-index", "show whole ids"),
    Flag<&Options::no_renames>(0, "no-renames", "show renames as what was deleted and created"), CallOptional<TakeDiffRenames<Options>>('M', "find-renames", "PERCENT", "find renames"),
    Call<TakeDiffMinimal<Options>>(0, "minimal", nullptr, "look for the fewest changes"), Flag<&Options::no_prefix>(0, "no-prefix", "no a/ and b/ before names"),
    Value<&Options::src_prefix>(0, "src-prefix", "TEXT", "instead of a/"), Value<&Options::dst_prefix>(0, "dst-prefix", "TEXT", "instead of b/"),
    Flag<&Options::as_text>('a', "text", "take all files for text"),
    Value<&Options::signature_file>(0, "signature-file", "FILE", "what the mail ends with is in FILE"),
};

bool HasHighBytes(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 128; });
}

class Writer {
 public:
  Writer(Git& git, Options& options, std::vector<Oid> commits, Pathspec paths) : git_(git), options_(options), commits_(std::move(commits)), paths_(std::move(paths)) {}

  Result<ExitStatus> Run() {
    start_ = options_.start.value_or(1);
    last_ = start_ + static_cast<int64_t>(commits_.size()) - 1;
    is_numbered_ = !options_.keeps_subject && (options_.numbered || (!options_.not_numbered && (commits_.size() > 1 || options_.cover_letter)));
    if (options_.rfc) options_.prefix = "RFC PATCH";
    if (!options_.version.empty()) options_.prefix += " v" + options_.version;
    if (!options_.in_reply_to.empty()) answered_.push_back(CleanId(options_.in_reply_to));
    options_.stat = options_.summary = !options_.patch_alone;
    options_.patch = true;
    options_.textconv = false;
    options_.binary = !options_.no_binary;
    if (options_.stat_width == 80) options_.stat_width = kMailWidth;
    if (!options_.to_stdout && !options_.directory.empty()) {
      if (const Status made = vfs::MakeDirectories(git_.in.fs, options_.directory); !made) return Error(made.error().code, "could not create directory '" + options_.directory + "'");
    }
    if (options_.cover_letter) PADDOCK_TRY(WriteCover());
    int64_t number = start_;
    for (const Oid& id : commits_) {
      PADDOCK_ASSIGN(const Commit commit, git_.objects.ReadCommit(id));
      PADDOCK_ASSIGN(const std::string mail, Mail(id, commit, number));
      PADDOCK_TRY(Put(FileName(number++, SlugOf(SubjectOf(commit.message))), mail, true));
    }
    return 0;
  }

 private:
  static std::string CleanId(std::string_view id) {
    while (!id.empty() && (id.front() == ' ' || id.front() == '<')) id.remove_prefix(1);
    while (!id.empty() && (id.back() == ' ' || id.back() == '>' || id.back() == '\n')) id.remove_suffix(1);
    return std::string(id);
  }

  std::string FileName(int64_t number, const std::string& slug) const {
    if (options_.numbered_files) return std::to_string(number);
    std::string digits = std::to_string(number);
    digits.insert(0, digits.size() < 4 ? 4 - digits.size() : 0, '0');
    std::string name = (options_.version.empty() ? "" : "v" + options_.version + "-") + digits + "-" + slug;
    const size_t most = 64 - std::min<size_t>(options_.suffix.size() + 1, 63);
    return name.substr(0, most) + options_.suffix;
  }
  Status Put(const std::string& name, const std::string& mail, bool is_patch) {
    if (options_.to_stdout) {
      if (mail.empty()) return {};
      if (has_printed_patch_) git_.Print("\n");
      has_printed_patch_ = is_patch;
      git_.Print(mail);
      return {};
    }
    const std::string path = options_.directory.empty() ? name : options_.directory + (options_.directory.ends_with('/') ? "" : "/") + name;
    if (!options_.quiet_names) git_.Print(path + "\n");
    if (const Status written = vfs::WriteFile(git_.in.fs, path, mail); !written) return Error(written.error().code, "cannot open patch file " + path + ": " + std::string(written.error().Text()));
    return {};
  }

  std::string Prefix(int64_t number) const {
    if (options_.keeps_subject) return "";
    if (!is_numbered_) return options_.prefix.empty() ? "" : "[" + options_.prefix + "] ";
    const std::string total = std::to_string(last_);
    std::string digits = std::to_string(number);
    digits.insert(0, digits.size() < total.size() ? total.size() - digits.size() : 0, '0');
    return "[" + options_.prefix + (options_.prefix.empty() ? "" : " ") + digits + "/" + total + "] ";
  }

  // What stands above From:. `base` begins the mail's own id.
  Result<std::string> Head(const Oid& id, const std::string& base) {
    std::string text = "From " + (options_.zero_commit ? std::string(40, '0') : id.Hex()) + " Mon Sep 17 00:00:00 2001\n";
    if (!options_.thread.empty() && !options_.no_thread) {
      if (!own_id_.empty() && !(options_.thread == "shallow" && !answered_.empty() && (!options_.cover_letter || mails_ > 1))) answered_.push_back(own_id_);
      PADDOCK_ASSIGN(const std::string committer, git_.Committer());
      own_id_ = base + "." + std::to_string(Now(git_.in.clock).seconds) + ".git." + ParseSignature(committer).email;
      text += "Message-Id: <" + own_id_ + ">\n";
      ++mails_;
    }
    if (!answered_.empty()) {
      text += "In-Reply-To: <" + answered_.back() + ">\n";
      for (size_t i = 0; i < answered_.size(); ++i) text += (i > 0 ? "\t<" : "References: <") + answered_[i] + ">\n";
    }
    return text;
  }
  std::string Tail(bool is_eight_bit) const {
    std::string text;
    if (is_eight_bit) text = "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n";
    for (const std::string& header : options_.headers) text += header + (header.ends_with('\n') ? "" : "\n");
    text += Addresses("To: ", options_.to) + Addresses("Cc: ", options_.cc);
    return text + "\n";
  }
  static std::string Addresses(const std::string& field, const std::vector<std::string>& list) {
    std::string text;
    for (size_t i = 0; i < list.size(); ++i) text += (i == 0 ? field : std::string("    ")) + list[i] + (i + 1 < list.size() ? ",\n" : "\n");
    return text;
  }
  std::string Signature() const { return options_.no_signature || options_.signature.empty() ? "" : "-- \n" + options_.signature + (options_.signature.ends_with('\n') ? "" : "\n") + "\n"; }

  // The message behind its subject, with what was asked for.
  Result<std::string> Body(const Commit& commit) {
    std::string message = commit.message;
    while (message.starts_with('\n')) message.erase(0, 1);
    const size_t end = message.find("\n\n");
    std::string body = end == std::string::npos ? "" : message.substr(end + 2);
    while (body.starts_with('\n')) body.erase(0, 1);
    while (body.ends_with('\n') || body.ends_with(' ')) body.pop_back();
    if (!body.empty()) body += '\n';
    if (!options_.signoff) return body;
    PADDOCK_ASSIGN(const std::string committer, git_.Committer());
    static constexpr std::string_view kSubject = "subject\n";
    const std::string whole = std::string(kSubject) + (body.empty() ? "" : "\n" + body);
    return WithSignoff(whole, ParseSignature(committer)).substr(kSubject.size() + 1);
  }

  Result<std::string> Mail(const Oid& id, const Commit& commit, int64_t number) {
    FlatTree before;
    if (!commit.parents.empty()) {
      PADDOCK_ASSIGN(before, git_.FlattenCommit(commit.parents[0]));
    }
    PADDOCK_ASSIGN(const FlatTree after, git_.Flatten(commit.tree));
    std::vector<FileDiff> files = CompareTrees(before, after);
    PADDOCK_TRY(Arrange(git_, files, options_, paths_));
    if (files.empty() && !options_.with_empty) return std::string();
    PADDOCK_ASSIGN(std::string text, Head(id, id.Hex()));
    const git::Signature author = ParseSignature(commit.author);
    git::Signature sender = author;
    std::string lead;
    if (options_.from) {
      std::string ident = *options_.from;
      if (ident.empty()) {
        PADDOCK_ASSIGN(ident, git_.Committer());
      }
      sender = ParseSignature(ident);
      if (sender.name != author.name || sender.email != author.email) lead = "From: " + author.name + " <" + author.email + ">\n\n";
    }
    text += PersonHeader("From", sender.name, sender.email) + "Date: " + DateText(git_, author, "rfc") + "\n" + SubjectHeader(Prefix(number), SubjectOf(commit.message));
    PADDOCK_ASSIGN(const std::string body, Body(commit));
    text += Tail(HasHighBytes(commit.message) || HasHighBytes(body) || HasHighBytes(lead)) + lead + body;
    PADDOCK_ASSIGN(const std::string changes, FormatDiff(git_, files, options_));
    if (!files.empty()) text += (options_.stat ? "---\n" : "\n") + changes;
    return text + Signature();
  }

  Status WriteCover() {
    if (commits_.empty()) return {};
    PADDOCK_ASSIGN(std::string text, Head(commits_.back(), "cover"));
    PADDOCK_ASSIGN(const std::string committer, git_.Committer());
    const git::Signature who = ParseSignature(options_.from && !options_.from->empty() ? *options_.from : committer);
    text += PersonHeader("From", who.name, who.email) + "Date: " + DateText(git_, ParseSignature(committer), "rfc") + "\n" + SubjectHeader(Prefix(0), "*** SUBJECT HERE ***");
    Shortlog log;
    bool is_eight_bit = HasHighBytes(committer), is_line = true;
    for (size_t i = 0; i < commits_.size(); ++i) {
      PADDOCK_ASSIGN(const Commit commit, git_.objects.ReadCommit(commits_[i]));
      is_eight_bit |= HasHighBytes(commit.message) || HasHighBytes(commit.author) || HasHighBytes(commit.committer);
      log[ParseSignature(commit.author).name].push_back(SubjectOf(commit.message));
      is_line &= commit.parents.size() == 1 && (i == 0 || commit.parents[0] == commits_[i - 1]);
    }
    text += Tail(is_eight_bit) + "*** BLURB HERE ***\n\n" + ShortlogText(log, {kMailWidth, 2, 4});
    if (is_line) {
      PADDOCK_ASSIGN(const Commit first, git_.objects.ReadCommit(commits_.front()));
      PADDOCK_ASSIGN(const FlatTree before, git_.FlattenCommit(first.parents[0]));
      PADDOCK_ASSIGN(const FlatTree after, git_.FlattenCommit(commits_.back()));
      std::vector<FileDiff> files = CompareTrees(before, after);
      DiffOptions options = options_;
      options.stat = options.summary = true;
      options.patch = false;
      Pathspec all;
      PADDOCK_TRY(Arrange(git_, files, options, all));
      PADDOCK_ASSIGN(const std::string stat, FormatDiff(git_, files, options));
      text += stat + "\n";
    }
    return Put(FileName(0, "cover-letter"), text + Signature(), false);
  }

  Git& git_;
  Options& options_;
  std::vector<Oid> commits_;   // oldest first
  Pathspec paths_;
  int64_t start_ = 1, last_ = 0;
  bool is_numbered_ = false, has_printed_patch_ = false;
  size_t mails_ = 0;
  std::string own_id_;
  std::vector<std::string> answered_;
};

Result<ExitStatus> RunFormatPatch(Git& git, Options& options, Args& args) {
  if (options.numbered && options.keeps_subject) return Error(Code::kInvalid, "options '-n' and '-k' cannot be used together");
  if (options.to_stdout && !options.directory.empty()) return Error(Code::kInvalid, "options '--stdout' and '--output-directory' cannot be used together");
  if (options.signature_file && !options.no_signature) {
    auto text = vfs::ReadFile(git.in.fs, *options.signature_file, kMostSignatureBytes);
    if (!text) return Error(text.error().code, "unable to read signature file '" + *options.signature_file + "': " + std::string(text.error().Text()));
    options.signature = std::move(*text);
  }
  PADDOCK_ASSIGN(Selection selection, ParseSelection(git, args));
  if (selection.included.empty()) {
    PADDOCK_ASSIGN(const Oid head, git.RequireHead());
    selection.included.push_back(head);
    if (!options.count) return 0;
  } else if (selection.included.size() == 1 && selection.excluded.empty() && !options.count && !options.root) {
    PADDOCK_ASSIGN(const Oid head, git.RequireHead());
    selection.excluded = selection.included;
    selection.included = {head};
  }
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(selection.paths));
  History history(git);
  PADDOCK_ASSIGN(const std::vector<Oid> walk, WalkHistory(git, history, selection, {}));
  std::vector<Oid> commits;
  for (const Oid& id : walk) {
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    if (options.count && static_cast<int64_t>(commits.size()) >= *options.count) break;
    if (node->commit.parents.size() > 1) continue;
    if (!paths.empty()) {
      FlatTree before;
      if (!node->commit.parents.empty()) {
        PADDOCK_ASSIGN(before, git.FlattenCommit(node->commit.parents[0]));
      }
      PADDOCK_ASSIGN(const FlatTree after, git.Flatten(node->commit.tree));
      const std::vector<FileDiff> files = CompareTrees(before, after);
      const bool touches = std::any_of(files.begin(), files.end(), [&](const FileDiff& file) { return paths.Matches(file.new_path, git.in.budget); });
      if (!touches) continue;
    }
    commits.push_back(id);
  }
  std::reverse(commits.begin(), commits.end());
  return Writer(git, options, std::move(commits), std::move(paths)).Run();
}

}  // namespace

extern const Subcommand kFormatPatch;
const Subcommand kFormatPatch = DefineSubcommand<Options, RunFormatPatch>({.name = "format-patch", .summary = "write commits as mails", .synopsis = "[<options>] [<since> | <revision-range>]", .options = kOptions, .rules = {.numeric_shorthand = TakeCount}});

}  // namespace paddock::git
