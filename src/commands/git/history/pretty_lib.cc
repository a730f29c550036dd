#include "commands/git/history/pretty.h"

#include <algorithm>

#include "commands/git/colour_spec.h"
#include "commands/git/history/notes.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/commit.h"
#include "git/mail.h"
#include "text/char_encoding.h"
#include "text/diff/unified_diff.h"
#include "text/utf8.h"

namespace paddock::git {
namespace {

// Tabs as the blanks that they look like.
std::string Untabbed(std::string_view line, size_t tab_width) {
  std::string out;
  size_t column = 0;
  for (size_t at = 0; at < line.size();) {
    const size_t tab = std::min(line.find('\t', at), line.size());
    const std::string_view piece = line.substr(at, tab - at);
    out += piece;
    column += TextWidth(piece);
    if (tab == line.size()) break;
    const size_t room = tab_width - column % tab_width;
    out.append(room, ' ');
    column += room;
    at = tab + 1;
  }
  return out;
}

std::string Indented(std::string_view message, size_t tab_width) {
  std::string text;
  while (message.starts_with('\n')) message.remove_prefix(1);
  while (message.ends_with('\n') || message.ends_with(' ')) message.remove_suffix(1);
  if (message.empty()) return text;
  for (std::string_view line : SplitLines(message)) {
    while (!line.empty() && (line.back() == '\n' || line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
    const bool has_tabs = tab_width > 0 && line.find('\t') != std::string_view::npos;
    text += "    " + (has_tabs ? Untabbed(line, tab_width) : std::string(line)) + "\n";
  }
  return text;
}

// A head and the message below it, where there is one.
std::string Joined(std::string head, std::string_view message) {
  if (!message.empty()) head.append("\n").append(message);
  return head;
}

std::string Ident(const Signature& who) { return who.name + " <" + who.email + ">"; }

std::string NotesText(Git& git, const Oid& id, const PrettyOptions& options) {
  const auto note = options.notes.find(id);
  if (note == options.notes.end()) return {};
  const auto text = git.ReadBlob(note->second);
  return text ? "\n" + options.notes_title + ":\n" + Indented(*text, 0) : std::string();
}

// As a mail: --pretty=email and mboxrd.
std::string MailText(Git& git, const Oid& id, const Commit& commit, const PrettyOptions& options) {
  const Signature author = ParseSignature(commit.author);
  std::string text = "From " + id.Hex() + " Mon Sep 17 00:00:00 2001\n" + PersonHeader("From", author.name, author.email) + "Date: " + DateText(git, author, "rfc") + "\n" + SubjectHeader("[PATCH] ", SubjectOf(commit.message));
  const std::string everything = commit.author + commit.message;
  if (!IsAscii(everything)) text += "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n";
  text += "\n";
  std::string body = ExpandFormat(git, "%b", id, commit, {});
  while (body.ends_with('\n')) body.pop_back();
  for (const std::string_view line : SplitLines(body)) {
    const size_t quotes = std::min(line.find_first_not_of('>'), line.size());
    text += (options.format == "mboxrd" && line.substr(quotes).starts_with("From ") ? ">" : "") + std::string(line);
  }
  return text + (body.empty() ? "" : "\n");
}

// What stands below the line of the id.
std::string HeaderAndMessage(Git& git, const Commit& commit, const PrettyOptions& options) {
  Signature author = ParseSignature(commit.author), committer = ParseSignature(commit.committer);
  if (options.mailmap) {
    author = options.mailmap->Map(author);
    committer = options.mailmap->Map(committer);
  }
  std::string text;
  if (options.format == "raw") {
    text = "tree " + commit.tree.Hex() + "\n";
    for (const Oid& parent : commit.parents) text += "parent " + parent.Hex() + "\n";
    text += "author " + commit.author + "\ncommitter " + commit.committer + "\n";
    for (const std::string& line : commit.extra) text += line + "\n";
    return Joined(text, Indented(commit.message, options.tab_width));
  }
  if (commit.parents.size() > 1) {
    text += "Merge:";
    for (const Oid& parent : commit.parents) text += " " + git.objects.Abbreviate(parent, options.digits);
    text += "\n";
  }
  if (options.format == "short") return Joined(text + "Author: " + Ident(author) + "\n", Indented(SubjectOf(commit.message), options.tab_width));
  if (options.format == "full") text += "Author: " + Ident(author) + "\nCommit: " + Ident(committer) + "\n";
  else if (options.format == "fuller") text += "Author:     " + Ident(author) + "\nAuthorDate: " + DateText(git, author, options.date) + "\nCommit:     " + Ident(committer) + "\nCommitDate: " + DateText(git, committer, options.date) + "\n";
  else text += "Author: " + Ident(author) + "\nDate:   " + DateText(git, author, options.date) + "\n";
  return Joined(text, Indented(commit.message, options.tab_width));
}

}  // namespace

Status FindNotes(Git& git, std::string_view ref, PrettyOptions& options) {
  options.notes_title = ref == "refs/notes/commits" ? "Notes" : "Notes (" + std::string(ref.starts_with("refs/notes/") ? ref.substr(11) : ref) + ")";
  const auto commit = git.refs.Read(ref);
  if (!commit) return {};
  PADDOCK_ASSIGN(const FlatTree files, git.FlattenCommit(*commit));
  for (const auto& [path, item] : files) {
    git.in.budget.Step();
    if (const auto id = NotedObject(path)) options.notes[*id] = item.id;
  }
  return {};
}

std::string SlugOf(std::string_view subject) {
  std::string slug;
  for (const char c : subject) {
    const bool is_kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    if (is_kept) {
      if (c == '.' && slug.ends_with('.')) continue;
      slug += c;
    } else if (!slug.empty() && !slug.ends_with('-')) {
      slug += '-';
    }
  }
  while (slug.ends_with('-') || slug.ends_with('.')) slug.pop_back();
  return slug;
}

bool IsSeparated(const PrettyOptions& options) { return options.format != "oneline" && options.format != "reference" && !options.format.starts_with("tformat:"); }

std::string Recoded(const std::string& text, std::string_view from, std::string_view to) {
  const auto source = CharEncoding::Find(from), target = CharEncoding::Find(to);
  if (!source || !target || source->kind() == target->kind()) return text;
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    const CharEncoding::Decoded c = source->Decode(rest);
    if (c.state != CharEncoding::Decoded::State::kChar || !target->Encode(c.code, out)) return text;
    rest.remove_prefix(c.length);
  }
  return out;
}

namespace {

std::string CommitText(Git& git, const Oid& id, const Commit& commit, const PrettyOptions& options) {
  const std::string& format = options.format;
  const auto size_line = [&options](const std::string& text) { return options.has_log_size ? "log size " + std::to_string(text.size()) + "\n" : std::string(); };
  if (format.starts_with("format:") || format.starts_with("tformat:")) {
    const bool ends = format[0] == 't';
    const std::string text = ExpandFormat(git, std::string_view(format).substr(ends ? 8 : 7), id, commit, options);
    return size_line(text) + text + (ends ? "\n" : "");
  }
  if (format == "email" || format == "mboxrd") return MailText(git, id, commit, options);
  const std::string name = options.abbreviates ? git.objects.Abbreviate(id, options.digits) : id.Hex();
  if (format == "reference") {
    const Signature author = ParseSignature(commit.author);
    return git.objects.Abbreviate(id, options.digits) + " (" + SubjectOf(commit.message) + ", " + DateText(git, author, options.date == "default" ? "short" : options.date) + ")\n";
  }
  const std::string yellow = options.colours ? "\033[33m" : "", reset = options.colours ? std::string(kColourReset) : "";
  const std::string mark = options.mark.empty() ? "" : options.mark + " ";
  const std::string from = options.from_parent.empty() ? "" : " (from " + (options.abbreviates ? options.from_parent.substr(0, name.size()) : options.from_parent) + ")";
  const bool decorates = options.decorate != PrettyOptions::Decorate::kNo;
  const std::string line = mark + name + options.id_suffix + (options.shows_source ? "\t" + options.source : "") + from + reset + (decorates ? DecorationText(git, id, options, " (", ")", options.colours) : "");
  if (format == "oneline") {
    const std::string subject = options.reflog_name.empty() ? SubjectOf(commit.message) : options.reflog_name + ": " + options.reflog_message;
    return yellow + line + " " + size_line(subject) + subject + "\n";
  }
  std::string text = yellow + "commit " + line + "\n";
  if (!options.reflog_name.empty()) text += "Reflog: " + options.reflog_name + " (" + Ident(ParseSignature(options.reflog_who)) + ")\nReflog message: " + options.reflog_message + "\n";
  const std::string rest = HeaderAndMessage(git, commit, options);
  const std::string notes = NotesText(git, id, options);
  return text + size_line(rest + notes) + rest + notes;
}

}  // namespace

std::string PrettyCommit(Git& git, const Oid& id, const Commit& commit, const PrettyOptions& options) {
  std::string encoding;
  for (const std::string& line : commit.extra) {
    if (line.starts_with("encoding ")) encoding = line.substr(9);
  }
  std::string text;
  if (encoding.empty()) {
    text = CommitText(git, id, commit, options);
  } else {
    Commit decoded = commit;
    for (std::string* part : {&decoded.author, &decoded.committer, &decoded.message}) *part = Recoded(*part, encoding, "UTF-8");
    text = CommitText(git, id, decoded, options);
  }
  return options.encoding.empty() ? text : Recoded(text, "UTF-8", options.encoding);
}

}  // namespace paddock::git
