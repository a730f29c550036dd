// git shortlog.
#include <algorithm>

#include "commands/git/commit.h"
#include "commands/git/pretty.h"
#include "commands/git/revision.h"
#include "commands/git/shortlog.h"
#include "git/mail.h"
#include "text/unified_diff.h"

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

struct Options {
  bool summary = false, numbered = false, email = false, committer = false, no_merges = false, merges = false, all = false;
  std::string format;
  std::optional<ShortlogWrap> wrap;
};

Status TakeWrap(Options& options, std::string_view value) {
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
Status TakeFormat(Options& options, std::string_view value) {
  if (value.starts_with("format:") || value.starts_with("tformat:")) value.remove_prefix(value.find(':') + 1);
  else if (value.find('%') == std::string_view::npos) return Error(Code::kInvalid, "invalid --pretty format: " + std::string(value));
  options.format = value;
  return {};
}

constexpr Option kOptions[] = {
    Flag<&Options::summary>('s', "summary", "only tell how many commits there are"), Flag<&Options::numbered>('n', "numbered", "the most busy first"),
    Flag<&Options::email>('e', "email", "with addresses"), Flag<&Options::committer>('c', "committer", "by committers"),
    Flag<&Options::no_merges>(0, "no-merges", "no merges"), Flag<&Options::merges>(0, "merges", "merges only"), Flag<&Options::all>(0, "all", "from all references"),
    CallOptional<TakeWrap>('w', nullptr, "WIDTH,FIRST,REST", "fold lines"), Call<TakeFormat>(0, "format", "FORMAT", "instead of subjects"),
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

// What log has written, on standard input.
Shortlog ReadLog(Git& git, const Options& options) {
  Shortlog log;
  const std::string text = git.in.in.ReadAll();
  std::string name;
  bool is_message = false;
  for (std::string_view line : SplitLines(text)) {
    git.in.budget.Step();
    if (line.ends_with('\n')) line.remove_suffix(1);
    const std::string_view lead = options.committer ? "Commit: " : "Author: ";
    if (line.starts_with(lead)) {
      const Signature who = ParseSignature(line.substr(lead.size()));
      name = options.email ? who.name + " <" + who.email + ">" : who.name;
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

Result<ExitStatus> RunShortlog(Git& git, Options& options, Args& args) {
  PADDOCK_ASSIGN(Selection selection, ParseSelection(git, args));
  if (options.all) IncludeRefs(git, "refs/", selection);
  if (!selection.paths.empty()) return Error(Code::kNotSupported, "shortlog of paths is not supported");
  Shortlog log;
  if (selection.included.empty()) {
    log = ReadLog(git, options);
  } else {
    History history(git);
    PADDOCK_ASSIGN(const std::vector<Oid> commits, WalkHistory(git, history, selection, {}));
    const PrettyOptions pretty;
    for (const Oid& id : commits) {
      PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
      if ((options.no_merges && node->commit.parents.size() > 1) || (options.merges && node->commit.parents.size() < 2)) continue;
      const Signature who = ParseSignature(options.committer ? node->commit.committer : node->commit.author);
      std::vector<std::string>& list = log[options.email ? who.name + " <" + who.email + ">" : who.name];
      list.push_back(options.format.empty() ? Entry(node->commit.message) : ExpandFormat(git, options.format, id, node->commit, pretty));
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
const Subcommand kShortlog = DefineSubcommand<Options, RunShortlog>({.name = "shortlog", .summary = "list commits by their authors", .synopsis = "[<options>] [<revision-range>]", .options = kOptions});

}  // namespace paddock::git
