// What every command that commits needs: messages, the object itself and what is told of it.
#include "commands/git/work/commit.h"

#include <strings.h>

#include <algorithm>

#include "commands/git/diff/diff.h"
#include "commands/git/history/pretty.h"
#include "commands/git/objects/signing.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/worktree.h"
#include "text/char_encoding.h"

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

void SetAuthor(Environment& environment, std::string_view author) {
  const Signature who = ParseSignature(author);
  environment.Set("GIT_AUTHOR_NAME", who.name);
  environment.Set("GIT_AUTHOR_EMAIL", who.email);
  environment.Set("GIT_AUTHOR_DATE", "@" + std::to_string(who.time) + " " + OffsetText(who.offset));
}

std::string WithSignoff(std::string_view message, const Signature& who) {
  const std::string line = "Signed-off-by: " + who.name + " <" + who.email + ">\n";
  std::string text(message);
  if (text == line || text.ends_with("\n" + line)) return text;
  if (!text.empty() && !EndsWithTrailers(text)) text += '\n';
  return text + line;
}

namespace {
// Bytes that are no UTF-8 are taken for Latin-1, as git takes them.
std::string WithValidUtf8(std::string_view text, Budget& budget) {
  const auto utf8 = CharEncoding::Find("UTF-8");
  std::string out;
  while (!text.empty()) {
    budget.Step();
    const CharEncoding::Decoded decoded = utf8->Decode(text);
    const bool is_char = decoded.state == CharEncoding::Decoded::State::kChar;
    const size_t length = is_char ? decoded.length : 1;
    if (is_char) out += text.substr(0, length);
    else utf8->Encode(static_cast<unsigned char>(text[0]), out);
    text.remove_prefix(length);
  }
  return out;
}
}  // namespace

Result<Oid> MakeCommit(Git& git, const Commit& given, std::string_view log_message) {
  Commit commit = given;
  const std::string encoding = git.config.Get("i18n.commitencoding", "utf-8");
  const bool is_utf8 = strcasecmp(encoding.c_str(), "utf-8") == 0 || strcasecmp(encoding.c_str(), "utf8") == 0;
  if (!is_utf8 && std::none_of(commit.extra.begin(), commit.extra.end(), [](const std::string& line) { return line.starts_with("encoding "); })) commit.extra.insert(commit.extra.begin(), "encoding " + encoding);
  std::string bytes = commit.Text();
  const bool is_plain = std::all_of(bytes.begin(), bytes.end(), [](char c) { return static_cast<unsigned char>(c) < 128; });
  if (!is_plain && is_utf8) {
    std::string valid = WithValidUtf8(bytes, git.in.budget);
    if (valid != bytes) {
      git.Say("Warning: commit message did not conform to UTF-8.\nYou may want to amend it after fixing the message, or set the config\n"
              "variable i18n.commitEncoding to the encoding your project uses.\n");
    }
    bytes = std::move(valid);
  }
  if (git.signing_key) PADDOCK_TRY(SignCommit(git, commit, bytes));
  PADDOCK_ASSIGN(const Oid id, git.objects.Write(ObjectType::kCommit, bytes));
  PADDOCK_TRY(git.refs.Write("HEAD", id, git.Who(), log_message));
  static_cast<void>(git.in.fs.RemoveFile(git.GitPath("AUTO_MERGE")).has_value());
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
  // The last of several picks ends them all.
  if (git.refs.Exists("CHERRY_PICK_HEAD") || git.refs.Exists("REVERT_HEAD")) {
    const auto todo = vfs::ReadFile(git.in.fs, git.GitPath("sequencer/todo"), 16 << 20);
    if (todo && todo->find('\n') + 1 >= todo->size()) static_cast<void>(RemoveTree(git.in, git.GitPath("sequencer")).has_value());
  }
  for (const char* file : {"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD", "SQUASH_MSG", "AUTO_MERGE", "MERGE_RR"}) static_cast<void>(git.in.fs.RemoveFile(git.GitPath(file)).has_value());
}

}  // namespace paddock::git
