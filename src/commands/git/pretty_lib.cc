#include "commands/git/pretty.h"

#include <algorithm>
#include <charconv>

#include "commands/file_facts.h"
#include "commands/git/commit.h"
#include "commands/git/diff.h"
#include "commands/git/notes.h"
#include "commands/git/revision.h"
#include "text/time_format.h"

namespace paddock::git {
namespace {

std::string Plural(int64_t count, const char* unit) { return std::to_string(count) + " " + unit + (count == 1 ? "" : "s"); }

std::string RelativeDate(const Git& git, int64_t time) {
  const int64_t now = Now(git.in.clock).seconds;
  if (now < time) return "in the future";
  int64_t diff = now - time;
  if (diff < 90) return Plural(diff, "second") + " ago";
  diff = (diff + 30) / 60;
  if (diff < 90) return Plural(diff, "minute") + " ago";
  diff = (diff + 30) / 60;
  if (diff < 36) return Plural(diff, "hour") + " ago";
  diff = (diff + 12) / 24;
  if (diff < 14) return Plural(diff, "day") + " ago";
  if (diff < 70) return Plural((diff + 3) / 7, "week") + " ago";
  if (diff < 365) return Plural((diff + 15) / 30, "month") + " ago";
  if (diff < 1825) {
    const int64_t months = (diff * 12 * 2 + 365) / (365 * 2);
    const int64_t years = months / 12, rest = months % 12;
    return rest != 0 ? Plural(years, "year") + ", " + Plural(rest, "month") + " ago" : Plural(years, "year") + " ago";
  }
  return Plural((diff + 183) / 365, "year") + " ago";
}

// As little as tells a date apart from today: the day and the time of the last days, else a date.
std::string HumanDate(const Git& git, const Signature& signature, const CalendarTime& time, bool is_local) {
  const int64_t now = Now(git.in.clock).seconds;
  const int here = LocalZone(git.in.env).ToLocal(now).offset;
  const CalendarTime today = ToUtc(now + here);
  const TimePoint moment{signature.time, 0};
  const auto format = [&](std::string_view pattern) { return FormatTime(pattern, time, moment, git.in.budget, TimeDialect::kLibc); };
  const bool is_this_year = time.year == today.year;
  if (!is_this_year) return format("%b %-d %Y");
  bool hides_date = false;
  if (time.month == today.month) {
    if (time.day == today.day) return RelativeDate(git, signature.time);
    hides_date = time.day < today.day && time.day + 5 > today.day;
  }
  const std::string zone = is_local || signature.offset * 60 == here || !hides_date ? "" : " " + OffsetText(signature.offset);
  return format(hides_date ? "%a %H:%M" : "%a %b %-d %H:%M") + zone;
}

std::string Indented(std::string_view message) {
  std::string text;
  while (message.starts_with('\n')) message.remove_prefix(1);
  while (message.ends_with('\n') || message.ends_with(' ')) message.remove_suffix(1);
  if (message.empty()) return text;
  for (std::string_view line : SplitLines(message)) {
    while (!line.empty() && (line.back() == '\n' || line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
    text += "    " + std::string(line) + "\n";
  }
  return text;
}

std::string Ident(const Signature& who) { return who.name + " <" + who.email + ">"; }

// What follows the subject and the empty lines behind it.
std::string_view BodyOf(std::string_view message) {
  while (message.starts_with('\n')) message.remove_prefix(1);
  const size_t end = message.find("\n\n");
  if (end == std::string_view::npos) return {};
  message.remove_prefix(end + 2);
  while (message.starts_with('\n')) message.remove_prefix(1);
  return message;
}

std::string Decorated(const Oid& id, const PrettyOptions& options, const char* lead, const char* end) {
  const auto found = options.decorations.find(id);
  if (found == options.decorations.end()) return {};
  std::string text;
  for (const std::string& name : found->second) text += (text.empty() ? "" : ", ") + name;
  return lead + text + end;
}

// %an and its like.
std::optional<std::string> PersonField(const Git& git, char field, const Signature& who, const std::string& date) {
  switch (field) {
    case 'n': case 'N': return who.name;
    case 'e': case 'E': return who.email;
    case 'l': case 'L': return who.email.substr(0, who.email.find('@'));
    case 'd': return DateText(git, who, date);
    case 'D': return DateText(git, who, "rfc");
    case 'r': return DateText(git, who, "relative");
    case 't': return std::to_string(who.time);
    case 'i': return DateText(git, who, "iso");
    case 'I': return DateText(git, who, "iso-strict");
    case 's': return DateText(git, who, "short");
    default: return std::nullopt;
  }
}

// One placeholder at the front of `rest` (behind the %); takes what it is written with.
std::optional<std::string> Placeholder(Git& git, std::string_view& rest, const Oid& id, const Commit& commit, const PrettyOptions& options) {
  const auto join = [&git](const std::vector<Oid>& ids, bool is_short) {
    std::string text;
    for (const Oid& one : ids) text += (text.empty() ? "" : " ") + (is_short ? git.objects.Abbreviate(one) : one.Hex());
    return text;
  };
  const char first = rest.empty() ? '\0' : rest[0];
  const char second = rest.size() > 1 ? rest[1] : '\0';
  const auto take = [&rest](size_t count, std::string value) {
    rest.remove_prefix(count);
    return std::optional<std::string>(std::move(value));
  };
  switch (first) {
    case '%': return take(1, "%");
    case 'n': return take(1, "\n");
    case 'H': return take(1, id.Hex());
    case 'h': return take(1, git.objects.Abbreviate(id));
    case 'T': return take(1, commit.tree.Hex());
    case 't': return take(1, git.objects.Abbreviate(commit.tree));
    case 'P': return take(1, join(commit.parents, false));
    case 'p': return take(1, join(commit.parents, true));
    case 's': return take(1, SubjectOf(commit.message));
    case 'f': return take(1, SlugOf(SubjectOf(commit.message)));
    case 'b': return take(1, std::string(BodyOf(commit.message)));
    case 'B': return take(1, commit.message);
    case 'm': return take(1, options.mark.empty() ? ">" : options.mark);
    case 'd': case 'D': {
      PrettyOptions named = options;
      if (named.decorations.empty()) FindDecorations(git, named);
      return take(1, first == 'd' ? Decorated(id, named, " (", ")") : Decorated(id, named, "", ""));
    }
    case 'e': return take(1, "");
    case 'N': {
      PrettyOptions noted = options;
      if (noted.notes_title.empty() && !FindNotes(git, "refs/notes/commits", noted)) return take(1, "");
      const auto note = noted.notes.find(id);
      const auto text = note == noted.notes.end() ? Result<std::string>(std::string()) : git.ReadBlob(note->second);
      return take(1, text ? *text : "");
    }
    case 'x': {
      unsigned value = 0;
      if (rest.size() < 3) return std::nullopt;
      const auto read = std::from_chars(rest.data() + 1, rest.data() + 3, value, 16);
      if (read.ptr != rest.data() + 3) return std::nullopt;
      return take(3, std::string(1, static_cast<char>(value)));
    }
    case 'C':
      if (second == '(') {
        const size_t end = rest.find(')');
        return end == std::string_view::npos ? std::nullopt : take(end + 1, "");
      }
      for (const std::string_view colour : {"reset", "red", "green", "blue"}) {
        if (rest.substr(1).starts_with(colour)) return take(1 + colour.size(), "");
      }
      return std::nullopt;
    case 'g':
      if (second == 'd' || second == 'D') return take(2, options.reflog_name);
      if (second == 's') return take(2, options.reflog_message);
      return std::nullopt;
    case 'a': case 'c': {
      auto value = PersonField(git, second, ParseSignature(first == 'a' ? commit.author : commit.committer), options.date);
      if (!value) return std::nullopt;
      return take(2, std::move(*value));
    }
    default: return std::nullopt;
  }
}

}  // namespace

bool IsDateMode(std::string_view mode) {
  static constexpr std::string_view kModes[] = {"default", "iso", "iso8601", "iso-strict", "iso8601-strict", "short", "rfc", "rfc2822", "raw", "unix", "relative", "human", "human-local", "local", "relative-local", "unix-local", "rfc2822-local", "iso8601-local", "iso8601-strict-local", "default-local", "iso-local", "short-local", "rfc-local", "raw-local", "iso-strict-local"};
  return mode.starts_with("format:") || mode.starts_with("format-local:") || std::find(std::begin(kModes), std::end(kModes), mode) != std::end(kModes);
}

std::string DateText(const Git& git, const Signature& signature, std::string_view mode) {
  const bool is_local = mode == "local" || mode.ends_with("-local") || mode.starts_with("format-local:");
  int offset = signature.offset;
  if (is_local) offset = LocalZone(git.in.env).ToLocal(signature.time).offset / 60;
  std::string zone = OffsetText(offset);
  CalendarTime time = ToUtc(signature.time + int64_t{offset} * 60);
  time.offset = offset * 60;
  const TimePoint moment{signature.time, 0};
  const auto format = [&](std::string_view pattern) { return FormatTime(pattern, time, moment, git.in.budget, TimeDialect::kLibc); };
  if (mode.starts_with("format:")) return format(mode.substr(7));
  if (mode.starts_with("format-local:")) return format(mode.substr(13));
  if (mode.starts_with("human")) return HumanDate(git, signature, time, is_local);
  if (mode.starts_with("unix")) return std::to_string(signature.time);
  if (mode.starts_with("raw")) return std::to_string(signature.time) + " " + zone;
  if (mode.starts_with("relative")) return RelativeDate(git, signature.time);
  if (mode.starts_with("iso-strict") || mode.starts_with("iso8601-strict")) return format("%Y-%m-%dT%H:%M:%S") + zone.substr(0, 3) + ":" + zone.substr(3);
  if (mode.starts_with("iso")) return format("%Y-%m-%d %H:%M:%S ") + zone;
  if (mode.starts_with("short")) return format("%Y-%m-%d");
  if (mode.starts_with("rfc")) return format("%a, %-d %b %Y %H:%M:%S ") + zone;
  return format("%a %b %-d %H:%M:%S %Y") + (is_local ? "" : " " + zone);
}

void FindDecorations(Git& git, PrettyOptions& options) {
  const auto head = git.Head();
  const auto branch = git.HeadBranch();
  std::map<Oid, std::vector<std::string>> branches, tags, remotes;
  for (const auto& [name, id] : git.refs.List("refs/")) {
    git.in.budget.Step();
    const bool is_full = options.decorate == PrettyOptions::Decorate::kFull;
    if (name.starts_with("refs/tags/")) {
      const auto peeled = git.objects.Peel(id, std::nullopt);
      tags[peeled ? *peeled : id].push_back("tag: " + (is_full ? name : name.substr(10)));
    } else if (name.starts_with("refs/heads/")) {
      if (name != branch) branches[id].push_back(is_full ? name : name.substr(11));
    } else if (name.starts_with("refs/remotes/")) {
      remotes[id].push_back(is_full ? name : name.substr(13));
    } else {
      remotes[id].push_back(name);
    }
  }
  if (head) options.decorations[*head].push_back(branch ? "HEAD -> " + (options.decorate == PrettyOptions::Decorate::kFull ? *branch : ShortRef(*branch)) : "HEAD");
  for (const auto* group : {&tags, &remotes, &branches}) {
    for (const auto& [id, names] : *group) {
      auto& all = options.decorations[id];
      all.insert(all.end(), names.rbegin(), names.rend());   // the last one first, as git has it
    }
  }
}

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

std::string ExpandFormat(Git& git, std::string_view format, const Oid& id, const Commit& commit, const PrettyOptions& options) {
  std::string text;
  while (!format.empty()) {
    git.in.budget.Step();
    const size_t percent = format.find('%');
    text += format.substr(0, percent);
    if (percent == std::string_view::npos) break;
    format.remove_prefix(percent + 1);
    std::string_view rest = format;
    const char magic = rest.empty() ? '\0' : rest[0];
    const bool has_magic = magic == '+' || magic == '-' || magic == ' ';
    if (has_magic) rest.remove_prefix(1);
    auto value = Placeholder(git, rest, id, commit, options);
    if (!value) {
      text += '%';
      continue;
    }
    format = rest;
    if (magic == '+' && !value->empty()) text += '\n';
    if (magic == ' ' && !value->empty()) text += ' ';
    if (magic == '-' && value->empty()) {
      while (text.ends_with('\n')) text.pop_back();
    }
    text += *value;
  }
  return text;
}

namespace {

std::string NotesText(Git& git, const Oid& id, const PrettyOptions& options) {
  const auto note = options.notes.find(id);
  if (note == options.notes.end()) return {};
  const auto text = git.ReadBlob(note->second);
  return text ? "\n" + options.notes_title + ":\n" + Indented(*text) : std::string();
}

}  // namespace

std::string PrettyCommit(Git& git, const Oid& id, const Commit& commit, const PrettyOptions& options) {
  const std::string& format = options.format;
  if (format.starts_with("format:")) return ExpandFormat(git, std::string_view(format).substr(7), id, commit, options);
  if (format.starts_with("tformat:")) return ExpandFormat(git, std::string_view(format).substr(8), id, commit, options) + "\n";
  const bool decorates = options.decorate != PrettyOptions::Decorate::kNo;
  const std::string name = options.abbreviates ? git.objects.Abbreviate(id) : id.Hex();
  const std::string decoration = decorates ? Decorated(id, options, " (", ")") : std::string();
  const std::string yellow = options.colours ? "\033[33m" : "", reset = options.colours ? "\033[m" : "";
  if (format == "oneline") {
    const std::string subject = options.reflog_name.empty() ? SubjectOf(commit.message) : options.reflog_name + ": " + options.reflog_message;
    const std::string from = options.from_parent.empty() ? "" : " (from " + (options.abbreviates ? options.from_parent.substr(0, name.size()) : options.from_parent) + ")";
    const std::string mark = options.mark.empty() ? "" : options.mark + " ";
    return yellow + mark + name + from + reset + decoration + " " + subject + "\n";
  }
  const Signature author = ParseSignature(commit.author), committer = ParseSignature(commit.committer);
  if (format == "reference") {
    return name.substr(0, git.objects.Abbreviate(id).size()) + " (" + SubjectOf(commit.message) + ", " + DateText(git, author, options.date == "default" ? "short" : options.date) + ")\n";
  }
  if (format == "raw") {
    std::string text = "commit " + name + decoration + "\ntree " + commit.tree.Hex() + "\n";
    for (const Oid& parent : commit.parents) text += "parent " + parent.Hex() + "\n";
    text += "author " + commit.author + "\ncommitter " + commit.committer + "\n";
    for (const std::string& line : commit.extra) text += line + "\n";
    return text + "\n" + Indented(commit.message) + NotesText(git, id, options);
  }
  const std::string from = options.from_parent.empty() ? "" : " (from " + options.from_parent + ")";
  std::string text = yellow + "commit " + (options.mark.empty() ? "" : options.mark + " ") + name + from + reset + decoration + "\n";
  if (!options.reflog_name.empty()) text += "Reflog: " + options.reflog_name + " (" + Ident(committer) + ")\nReflog message: " + options.reflog_message + "\n";
  if (commit.parents.size() > 1) {
    text += "Merge:";
    for (const Oid& parent : commit.parents) text += " " + git.objects.Abbreviate(parent);
    text += "\n";
  }
  if (format == "short") return text + "Author: " + Ident(author) + "\n\n    " + SubjectOf(commit.message) + "\n" + NotesText(git, id, options);
  if (format == "medium") text += "Author: " + Ident(author) + "\nDate:   " + DateText(git, author, options.date) + "\n";
  if (format == "full") text += "Author: " + Ident(author) + "\nCommit: " + Ident(committer) + "\n";
  if (format == "fuller") {
    text += "Author:     " + Ident(author) + "\nAuthorDate: " + DateText(git, author, options.date) + "\nCommit:     " + Ident(committer) + "\nCommitDate: " + DateText(git, committer, options.date) + "\n";
  }
  return text + "\n" + Indented(commit.message) + NotesText(git, id, options);
}

}  // namespace paddock::git
