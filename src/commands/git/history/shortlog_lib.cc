// git shortlog.
#include <algorithm>

#include "commands/git/history/log.h"
#include "commands/git/history/shortlog.h"
#include "commands/git/mail/trailers.h"
#include "commands/git/work/commit.h"
#include "git/mail.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {

std::string ShortlogText(const Shortlog& log, const ShortlogWrap& wrap) {
  std::string text;
  for (const auto& [name, subjects] : log) {
    text += name + " (" + std::to_string(subjects.size()) + "):\n";
    for (const std::string& subject : subjects) {
      const std::string indent(wrap.first_indent, ' ');
      text += indent + (wrap.width == 0 ? subject : WrapWords(subject, wrap.first_indent, wrap.indent, wrap.width)) + "\n";
    }
    text += "\n";
  }
  return text;
}

namespace {

struct ShortlogOptions : LogOptions {
  bool summary = false, numbered = false, email = false;
  bool by_author = false, by_committer = false;
  std::vector<std::string> trailers, formats;   // other groups
  std::string format;                           // instead of subjects
  std::optional<ShortlogWrap> wrap;
  size_t groups() const { return static_cast<size_t>(by_author) + static_cast<size_t>(by_committer) + trailers.size() + formats.size(); }
};

Status TakeWrap(ShortlogOptions& options, std::string_view value) {
  ShortlogWrap wrap{76, 6, 9};
  size_t* const fields[] = {&wrap.width, &wrap.first_indent, &wrap.indent};
  for (size_t i = 0; i < 3 && !value.empty(); ++i) {
    int64_t number = 0;
    const std::string_view part = value.substr(0, value.find(','));
    if (!ParseOptionValue(part, number) || number < 0 || number > 1000) return Error(Code::kInvalid, "-w[<width>[,<indent1>[,<indent2>]]]");
    *fields[i] = static_cast<size_t>(number);
    value.remove_prefix(std::min(value.size(), part.size() + 1));
  }
  if (wrap.width > 0 && (wrap.first_indent >= wrap.width || wrap.indent >= wrap.width)) return Error(Code::kInvalid, "-w[<width>[,<indent1>[,<indent2>]]]");
  options.wrap = wrap;
  return {};
}
Status TakeFormat(ShortlogOptions& options, std::string_view value) {
  if (value.starts_with("format:") || value.starts_with("tformat:")) value.remove_prefix(value.find(':') + 1);
  else if (value == "oneline" || value == "short" || value == "medium" || value == "full" || value == "fuller" || value == "raw" || value == "email") value = {};   // a subject all the same
  else if (value.find('%') == std::string_view::npos) return Error(Code::kInvalid, "invalid --pretty format: " + std::string(value));
  options.format = value;
  return {};
}
Status TakeGroup(ShortlogOptions& options, std::string_view value) {
  if (value == "author") options.by_author = true;
  else if (value == "committer") options.by_committer = true;
  else if (value.starts_with("trailer:")) options.trailers.emplace_back(value.substr(8));
  else if (value.starts_with("format:")) options.formats.emplace_back(value.substr(7));
  else if (value.find('%') != std::string_view::npos) options.formats.emplace_back(value);
  else return Error(Code::kRange, "unknown group type: " + std::string(value));
  return {};
}
template <int kLeast, int kMost>
Status TakeParents(ShortlogOptions& options, std::string_view) {
  if (kLeast > 0) options.min_parents = kLeast;
  if (kMost > 0) options.max_parents = kMost;
  return {};
}
bool TakeCount(void* options, std::string_view argument) {
  int64_t count = 0;
  if (argument[0] != '-' || argument.size() < 2 || !ParseOptionValue(argument.substr(1), count) || count < 0) return false;
  static_cast<ShortlogOptions*>(options)->count = count;
  return true;
}

constexpr Option kOptions[] = {
    Flag<&ShortlogOptions::summary>('s', "summary", "only tell how many commits there are"), Flag<&ShortlogOptions::numbered>('n', "numbered", "the most busy first"),
    Flag<&ShortlogOptions::email>('e', "email", "with addresses"), Flag<&ShortlogOptions::by_committer>('c', "committer", "by committers"),
    Call<TakeGroup>(0, "group", "FIELD", "by author, committer, trailer:KEY or format:FORMAT; several may be given"),
    CallOptional<TakeWrap>('w', nullptr, "WIDTH,FIRST,REST", "fold lines"), Call<TakeFormat>(0, "format", "FORMAT", "instead of subjects"), Call<TakeFormat>(0, "pretty", "FORMAT", "likewise"),
    Call<TakeParents<0, 1>>(0, "no-merges", nullptr, "no merges"), Call<TakeParents<2, 0>>(0, "merges", nullptr, "merges only"),
    Flag<&ShortlogOptions::all>(0, "all", "from all references"), Flag<&ShortlogOptions::branches>(0, "branches", "from all branches"),
    Flag<&ShortlogOptions::tags>(0, "tags", "from all tags"), Flag<&ShortlogOptions::remotes>(0, "remotes", "from all remote branches"),
    Flag<&ShortlogOptions::first_parent>(0, "first-parent", "follow first parents only"), Value<&ShortlogOptions::count>(0, "max-count", "N", "at most N commits"),
    Value<&ShortlogOptions::skip>(0, "skip", "N", "without the first N"),
    Value<&ShortlogOptions::since>(0, "since", "DATE", "newer ones"), Value<&ShortlogOptions::since>(0, "after", "DATE", "likewise"),
    Value<&ShortlogOptions::until>(0, "until", "DATE", "older ones"), Value<&ShortlogOptions::until>(0, "before", "DATE", "likewise"),
    Value<&ShortlogOptions::authors>(0, "author", "PATTERN", "whose author matches"), Value<&ShortlogOptions::greps>(0, "grep", "PATTERN", "whose message matches"),
};

// The subject as a list shows it: without "[PATCH]".
std::string Entry(const std::string& message) {
  std::string subject = SubjectOf(message);
  if (subject.starts_with("[PATCH")) {
    const size_t end = subject.find(']');
    if (end != std::string::npos) subject.erase(0, std::min(subject.find_first_not_of(' ', end + 1), subject.size()));
  }
  return subject.empty() ? "<none>" : subject;
}

// A person as the map has them; nothing for what is none.
std::optional<std::string> PersonText(const Mailmap& people, bool email, std::string_view text) {
  const size_t open = text.find('<');
  if (open == std::string_view::npos || text.find('>', open) == std::string_view::npos) return std::nullopt;
  const Signature who = people.Map(ParseSignature(text));
  return email ? who.name + " <" + who.email + ">" : who.name;
}

// What log has written, on standard input.
Shortlog ReadLog(Git& git, const ShortlogOptions& options, const Mailmap& people) {
  Shortlog log;
  const std::string text = git.in.in.ReadAll();
  std::string name;
  bool is_message = false;
  const std::string_view lead = options.by_committer ? "Commit: " : "Author: ", raw_lead = options.by_committer ? "committer " : "author ";
  for (std::string_view line : SplitLines(text)) {
    git.in.budget.Step();
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (line.starts_with(lead) || line.starts_with(raw_lead)) {
      name = PersonText(people, options.email, line.substr(line.find(' ') + 1)).value_or("");
      is_message = false;
    } else if (line.empty() && !name.empty()) {
      is_message = true;
    } else if (is_message && !name.empty()) {
      log[name].push_back(Entry(std::string(line.substr(std::min(line.find_first_not_of(' '), line.size())))));
      name.clear();
    }
  }
  return log;
}

// Under which names a commit is listed, each once.
std::vector<std::string> NamesOf(Git& git, const ShortlogOptions& options, const PrettyOptions& pretty, const Oid& id, const Commit& commit) {
  std::vector<std::string> names;
  const auto add = [&](std::string name) {
    git.in.budget.WillAllocate(name.size() + 40);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  };
  for (const std::string& key : options.trailers) {
    git.in.budget.Step(static_cast<int64_t>(1 + commit.message.size() / 16));
    const std::string values = TrailersText(commit.message, TrailerOptions{.only = true, .unfolds = true, .value_only = true, .keys = {key}}, TrailerRules::Load(git.config, git.in.budget), git.in.budget);
    for (std::string_view value : SplitLines(values)) {
      if (value.ends_with('\n')) value.remove_suffix(1);
      add(PersonText(*pretty.format_mailmap, options.email, value).value_or(std::string(value)));
    }
  }
  for (const std::string& format : options.formats) add(ExpandFormat(git, format, id, commit, pretty));
  if (options.by_author) add(PersonText(*pretty.format_mailmap, options.email, commit.author).value_or(commit.author));
  if (options.by_committer) add(PersonText(*pretty.format_mailmap, options.email, commit.committer).value_or(commit.committer));
  return names;
}

Result<ExitStatus> RunShortlog(Git& git, ShortlogOptions& options, Args& args) {
  if (options.groups() == 0) options.by_author = true;
  PADDOCK_ASSIGN(Selection selection, ParseSelection(git, args));
  TakeDefaults(git, options, selection);
  PrettyOptions pretty;
  pretty.format_mailmap = Mailmap::Load(git);
  Shortlog log;
  if (selection.included.empty() && !HasSources(options)) {
    if (options.groups() > 1) return Error(Code::kInvalid, "using multiple --group options with stdin is not supported");
    if (!options.trailers.empty()) return Error(Code::kInvalid, "using --group=trailer with stdin is not supported");
    if (!options.formats.empty()) return Error(Code::kInvalid, "using --group=format with stdin is not supported");
    log = ReadLog(git, options, *pretty.format_mailmap);
  } else {
    PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(selection.paths));
    History history(git);
    LogSides sides;
    PADDOCK_ASSIGN(const std::vector<Oid> commits, Select(git, history, options, selection, paths, sides));
    for (const Oid& id : commits) {
      git.in.budget.Step();
      PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
      const std::string entry = options.summary ? std::string() : options.format.empty() ? Entry(node->commit.message) : ExpandFormat(git, options.format, id, node->commit, pretty);
      for (const std::string& name : NamesOf(git, options, pretty, id, node->commit)) {
        git.in.budget.WillAllocate(entry.size() + 40);
        log[name].push_back(entry);
      }
    }
    for (auto& [name, list] : log) std::reverse(list.begin(), list.end());
  }
  std::vector<const Shortlog::value_type*> order;
  for (const auto& one : log) order.push_back(&one);
  if (options.numbered) std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->second.size() > b->second.size(); });
  for (const auto* one : order) {
    std::string count = std::to_string(one->second.size());
    count.insert(0, count.size() < 6 ? 6 - count.size() : 0, ' ');
    git.Print(options.summary ? count + "\t" + one->first + "\n" : ShortlogText({*one}, options.wrap.value_or(ShortlogWrap{})));
  }
  return 0;
}

}  // namespace

extern const Subcommand kShortlog;
const Subcommand kShortlog = DefineSubcommand<ShortlogOptions, RunShortlog>({.name = "shortlog", .summary = "list commits by their authors", .synopsis = "[<options>] [<revision-range>] [[--] <path>...]", .options = kOptions, .rules = {.numeric_shorthand = TakeCount}});

}  // namespace paddock::git
