// Commits written as mails.
#include "commands/git/mail/patch_series.h"

#include <algorithm>
#include <charconv>

#include "commands/file_facts.h"
#include "commands/git/history/pretty.h"
#include "commands/git/history/shortlog.h"
#include "commands/git/work/commit.h"
#include "git/mail.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

constexpr size_t kMailWidth = 72;
constexpr size_t kLongestAutomaticSubject = 100;
constexpr std::string_view kBoundaryLead = "------------";

bool HasHighBytes(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 128; });
}

class SeriesWriter {
 public:
  SeriesWriter(Git& git, PatchSeriesOptions& options, const PatchSeries& series, Pathspec& paths) : git_(git), options_(options), series_(series), paths_(paths), base_(series.base) {}

  Result<ExitStatus> Run() {
    const std::vector<Oid>& commits = series_.commits;
    start_ = options_.start.value_or(1);
    last_ = start_ + static_cast<int64_t>(commits.size()) - 1;
    is_numbered_ = !options_.keeps_subject && options_.numbered.value_or(commits.size() > 1 || *options_.cover_letter);
    if (!options_.in_reply_to.empty()) answered_.push_back(CleanId(options_.in_reply_to));
    options_.stat = options_.summary = !options_.patch_alone;
    options_.patch = true;
    options_.textconv = false;
    options_.binary = !options_.no_binary;
    if (options_.stat_width == 80) options_.stat_width = kMailWidth;
    if (!options_.to_stdout && !options_.directory->empty()) {
      if (const Status made = vfs::MakeDirectories(git_.in.fs, *options_.directory); !made) return Error(made.error().code, "could not create directory '" + *options_.directory + "'");
    }
    if (*options_.cover_letter) PADDOCK_TRY(WriteCover());
    const Nanoseconds began = git_.in.clock.MonotonicNow();
    for (size_t i = 0; i < commits.size(); ++i) {
      ShowProgress(i + 1, began);
      const int64_t number = start_ + static_cast<int64_t>(i);
      PADDOCK_ASSIGN(const Commit commit, git_.objects.ReadCommit(commits[i]));
      PADDOCK_ASSIGN(const std::string mail, Mail(commits[i], commit, number));
      PADDOCK_TRY(Put(FileName(number, SlugOf(SubjectOf(commit.message))), mail, true));
    }
    if (shows_progress_) git_.Say(ProgressText(commits.size()) + ", done.\n");
    return 0;
  }

 private:
  static std::string CleanId(std::string_view id) {
    while (!id.empty() && (id.front() == ' ' || id.front() == '<')) id.remove_prefix(1);
    while (!id.empty() && (id.back() == ' ' || id.back() == '>' || id.back() == '\n')) id.remove_suffix(1);
    return std::string(id);
  }

  // Told only when it takes longer than GIT_PROGRESS_DELAY says, in seconds.
  std::string ProgressText(size_t number) const {
    const std::string percent = std::to_string(number * 100 / series_.commits.size());
    return "Generating patches: " + std::string(3 - percent.size(), ' ') + percent + "% (" + std::to_string(number) + "/" + std::to_string(series_.commits.size()) + ")";
  }
  void ShowProgress(size_t number, Nanoseconds began) {
    if (!options_.has_progress) return;
    const std::string delay(git_.in.env.Get("GIT_PROGRESS_DELAY", ""));
    int64_t seconds = 2;
    std::from_chars(delay.data(), delay.data() + delay.size(), seconds);
    if (git_.in.clock.MonotonicNow() - began < std::chrono::seconds(std::clamp<int64_t>(seconds, 0, 1000000))) return;
    shows_progress_ = true;
    git_.Say(ProgressText(number) + "\r");
  }

  std::string FileName(int64_t number, const std::string& slug) const {
    if (options_.numbered_files) return std::to_string(number);
    std::string digits = std::to_string(number);
    digits.insert(0, digits.size() < 4 ? 4 - digits.size() : 0, '0');
    const std::string name = (options_.version.empty() ? "" : "v" + options_.version + "-") + digits + "-" + slug;
    const size_t tail = options_.suffix->size() + 1;
    if (*options_.name_length < 0) return name + *options_.suffix;
    return name.substr(0, std::max<size_t>(static_cast<size_t>(*options_.name_length), tail + 4) - tail) + *options_.suffix;
  }
  Status Put(const std::string& name, const std::string& mail, bool is_patch) {
    if (options_.to_stdout) {
      if (mail.empty()) return {};
      if (has_printed_patch_) git_.Print("\n");
      has_printed_patch_ = is_patch;
      git_.Print(mail);
      return {};
    }
    const std::string& directory = *options_.directory;
    const std::string path = directory.empty() ? name : directory + (directory.ends_with('/') ? "" : "/") + name;
    if (!options_.quiet_names) git_.Print(path + "\n");
    if (const Status written = vfs::WriteFile(git_.in.fs, path, mail); !written) return Error(written.error().code, "cannot open patch file " + path + ": " + std::string(written.error().Text()));
    return {};
  }

  std::string Prefix(int64_t number) const {
    if (options_.keeps_subject) return "";
    if (!is_numbered_) return options_.prefix->empty() ? "" : "[" + *options_.prefix + "] ";
    const std::string total = std::to_string(last_);
    std::string digits = std::to_string(number);
    digits.insert(0, digits.size() < total.size() ? total.size() - digits.size() : 0, '0');
    return "[" + *options_.prefix + (options_.prefix->empty() ? "" : " ") + digits + "/" + total + "] ";
  }

  // What stands above From:. `base` begins the mail's own id.
  Result<std::string> Head(const Oid& id, const std::string& base) {
    std::string text = "From " + (options_.zero_commit ? std::string(40, '0') : id.Hex()) + " Mon Sep 17 00:00:00 2001\n";
    if (!options_.thread->empty()) {
      if (!own_id_.empty() && !(*options_.thread == "shallow" && !answered_.empty() && (!*options_.cover_letter || mails_ > 1))) answered_.push_back(own_id_);
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
  std::string Headers() const {
    std::string text;
    for (const std::string& header : options_.headers) text += header + "\n";
    return text + Addresses("To: ", options_.to) + Addresses("Cc: ", options_.cc);
  }
  // The headers behind the subject, and the empty line.
  std::string Tail(bool is_eight_bit) const { return (is_eight_bit ? "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n" : "") + Headers() + "\n"; }
  // The same, of a mail in parts. The parts' own headers end with an empty line, too.
  std::string TailWithParts() const {
    const std::string boundary = std::string(kBoundaryLead) + *options_.boundary;
    return Headers() + "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"" + boundary + "\"\n\nThis is a multi-part message in MIME format.\n--" + boundary +
           "\nContent-Type: text/plain; charset=UTF-8; format=fixed\nContent-Transfer-Encoding: 8bit\n\n";
  }
  std::string PatchPart(const std::string& file) const {
    return "\n--" + std::string(kBoundaryLead) + *options_.boundary + "\nContent-Type: text/x-patch; name=\"" + file + "\"\nContent-Transfer-Encoding: 8bit\nContent-Disposition: " + (options_.is_inline ? "inline" : "attachment") + "; filename=\"" + file + "\"\n\n";
  }
  static std::string Addresses(const std::string& field, const std::vector<std::string>& list) {
    std::string text;
    for (size_t i = 0; i < list.size(); ++i) text += (i == 0 ? field : std::string("    ")) + list[i] + (i + 1 < list.size() ? ",\n" : "\n");
    return text;
  }
  std::string Signature() const { return options_.signature->empty() ? "" : "-- \n" + *options_.signature + (options_.signature->ends_with('\n') ? "" : "\n") + "\n"; }
  std::string Base() {
    std::string text = std::move(base_);
    base_.clear();
    return text;
  }

  // The message behind its subject.
  static std::string Body(const Commit& commit) {
    std::string message = commit.message;
    while (message.starts_with('\n')) message.erase(0, 1);
    const size_t end = message.find("\n\n");
    std::string body = end == std::string::npos ? "" : message.substr(end + 2);
    while (body.starts_with('\n')) body.erase(0, 1);
    while (body.ends_with('\n') || body.ends_with(' ')) body.pop_back();
    return body.empty() ? body : body + '\n';
  }
  Result<std::string> SignedOff(const std::string& body) {
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
      if (*options_.body_from || sender.name != author.name || sender.email != author.email) lead = "From: " + author.name + " <" + author.email + ">\n\n";
    }
    const std::string subject = SubjectOf(commit.message);
    text += PersonHeader("From", sender.name, sender.email) + "Date: " + DateText(git_, author, "rfc") + "\n" + SubjectHeader(Prefix(number), subject);
    std::string body = Body(commit);
    const bool has_text = !lead.empty() || !body.empty();
    if (*options_.signoff) {
      PADDOCK_ASSIGN(body, SignedOff(body));
    }
    const bool is_eight_bit = HasHighBytes(commit.message) || HasHighBytes(body) || HasHighBytes(lead);
    text += (options_.boundary ? TailWithParts() + (has_text ? "\n" : "") : Tail(is_eight_bit)) + lead + body;
    PADDOCK_ASSIGN(const std::string comments, Comments(id));
    text += comments;
    if (!files.empty()) {
      text += !options_.stat || !comments.empty() ? "\n" : "---\n";
      PADDOCK_ASSIGN(const std::string changes, Changes(files, FileName(number, SlugOf(subject))));
      text += changes;
    }
    text += Base();
    return text + (options_.boundary ? "\n--" + std::string(kBoundaryLead) + *options_.boundary + "--\n\n\n" : Signature());
  }
  // The summary and the patch.
  Result<std::string> Changes(const std::vector<FileDiff>& files, const std::string& name) {
    if (!options_.boundary || !options_.stat) return FormatDiff(git_, files, options_);
    DiffOptions part = options_;
    part.patch = false;
    PADDOCK_ASSIGN(const std::string stat, FormatDiff(git_, files, part));
    part.patch = true;
    part.stat = part.summary = false;
    PADDOCK_ASSIGN(const std::string patch, FormatDiff(git_, files, part));
    return stat + "\n" + PatchPart(name) + patch;
  }

  // What is told of the last version, in a mail that is alone.
  Result<std::string> Comments(const Oid& id) {
    std::string text;
    if (*options_.cover_letter) return text;
    if (series_.interdiff) {
      PADDOCK_ASSIGN(const std::string changes, Interdiff(id, "  "));
      text += "---\n" + series_.interdiff_title + "\n" + changes;
    }
    if (!series_.range_diff_title.empty()) text += std::string(text.empty() ? "---\n" : "\n") + series_.range_diff_title + "\n" + series_.range_diff;
    return text;
  }
  Result<std::string> Interdiff(const Oid& id, const std::string& indent) {
    PADDOCK_ASSIGN(const FlatTree before, git_.FlattenCommit(*series_.interdiff));
    PADDOCK_ASSIGN(const FlatTree after, git_.FlattenCommit(id));
    std::vector<FileDiff> files = CompareTrees(before, after);
    DiffOptions options = options_;
    options.stat = options.summary = false;
    options.line_prefix = indent;
    Pathspec all;
    PADDOCK_TRY(Arrange(git_, files, options, all));
    return FormatDiff(git_, files, options);
  }

  // The subject and the text that the branch's description makes.
  void DescribeCover(std::string& subject, std::string& body) const {
    subject = "*** SUBJECT HERE ***";
    body = "*** BLURB HERE ***\n";
    const std::string& mode = *options_.cover_mode;
    const std::string description = series_.branch.empty() || mode == "none" ? "" : git_.config.Get("branch." + series_.branch + ".description", "");
    if (description.empty()) return;
    const std::string title = SubjectOf(description);
    std::string whole = description + (description.ends_with('\n') ? "" : "\n");
    while (whole.starts_with('\n')) whole.erase(0, 1);
    if (mode == "message" || mode == "default" || (mode == "auto" && title.size() > kLongestAutomaticSubject)) {
      body = whole;
      return;
    }
    subject = title;
    const size_t end = whole.find("\n\n");
    body = end == std::string::npos ? "" : whole.substr(end + 2);
    while (body.starts_with('\n')) body.erase(0, 1);
  }

  Status WriteCover() {
    const std::vector<Oid>& commits = series_.commits;
    if (commits.empty()) return {};
    PADDOCK_ASSIGN(std::string text, Head(commits.back(), "cover"));
    PADDOCK_ASSIGN(const std::string committer, git_.Committer());
    const git::Signature who = ParseSignature(options_.from && !options_.from->empty() ? *options_.from : committer);
    std::string subject, body;
    DescribeCover(subject, body);
    text += PersonHeader("From", who.name, who.email) + "Date: " + DateText(git_, ParseSignature(committer), "rfc") + "\n" + SubjectHeader(Prefix(0), subject);
    Shortlog log;
    bool is_eight_bit = HasHighBytes(committer);
    for (const Oid& id : commits) {
      PADDOCK_ASSIGN(const Commit commit, git_.objects.ReadCommit(id));
      is_eight_bit |= HasHighBytes(commit.message) || HasHighBytes(commit.author) || HasHighBytes(commit.committer);
      log[ParseSignature(commit.author).name].push_back(SubjectOf(commit.message));
    }
    text += Tail(is_eight_bit) + body + "\n" + ShortlogText(log, {kMailWidth, 2, 4});
    if (series_.origin) {
      PADDOCK_ASSIGN(const FlatTree before, git_.FlattenCommit(*series_.origin));
      PADDOCK_ASSIGN(const FlatTree after, git_.FlattenCommit(commits.back()));
      std::vector<FileDiff> files = CompareTrees(before, after);
      DiffOptions options = options_;
      options.stat = options.summary = true;
      options.patch = false;
      Pathspec all;
      PADDOCK_TRY(Arrange(git_, files, options, all));
      PADDOCK_ASSIGN(const std::string stat, FormatDiff(git_, files, options));
      text += stat + "\n";
    }
    if (series_.interdiff) {
      PADDOCK_ASSIGN(const std::string changes, Interdiff(commits.back(), ""));
      text += series_.interdiff_title + "\n" + changes;
    }
    if (!series_.range_diff_title.empty()) text += series_.range_diff_title + "\n" + series_.range_diff;
    text += Base();
    return Put(FileName(0, "cover-letter"), text + Signature(), false);
  }

  Git& git_;
  PatchSeriesOptions& options_;
  const PatchSeries& series_;
  Pathspec& paths_;
  std::string base_;   // until it was written
  int64_t start_ = 1, last_ = 0;
  bool is_numbered_ = false, has_printed_patch_ = false, shows_progress_ = false;
  size_t mails_ = 0;
  std::string own_id_;
  std::vector<std::string> answered_;
};

}  // namespace

Result<ExitStatus> WritePatchSeries(Git& git, PatchSeriesOptions& options, const PatchSeries& series, Pathspec& paths) { return SeriesWriter(git, options, series, paths).Run(); }

}  // namespace paddock::git
