// git reflog, and git log -g.
#include <algorithm>

#include "commands/file_facts.h"
#include "commands/git/history/log.h"
#include "commands/git/history/log_filter.h"
#include "commands/git/refs/ref_field.h"
#include "commands/git/refs/reflog.h"
#include "commands/git/work/attributes.h"

namespace paddock::git {

namespace {

// A log that is shown: its entries from the last one on.
struct ShownLog {
  std::string ref, name;
  std::vector<ReflogEntry> entries;
  size_t left = 0;        // entries that were not shown
  bool by_date = false;   // how they are called
  int64_t Time() const { return ParseSignature(entries[left - 1].who).time; }
};

// NAME or NAME@{N}, where it begins then.
Result<ShownLog> LogOf(Git& git, std::string name, bool by_date) {
  size_t first = 0;
  if (const size_t at = name.find("@{"); at != std::string::npos && name.ends_with('}')) {
    const std::string inside = name.substr(at + 2, name.size() - at - 3);
    int64_t number = 0;
    if (ParseOptionValue(inside, number) && number >= 0) first = static_cast<size_t>(number);
    else by_date = true;
    if (by_date && !ParseOptionValue(inside, number)) PADDOCK_TRY(ResolveCommit(git, name));
    name = at == 0 ? ShortRef(git.HeadBranch().value_or("HEAD")) : name.substr(0, at);
  }
  const auto ref = FindRef(git, name);
  if (!ref && name == "HEAD") {
    PADDOCK_TRY(git.RequireHead());
  }
  if (!ref) return AmbiguousArgument(name);
  // A log that is not found below refs or refs/heads has its whole name.
  if (*ref != name && *ref != "refs/" + name && *ref != "refs/heads/" + name) name = *ref;
  ShownLog log{*ref, name, git.refs.ReadLog(*ref), 0, by_date};
  log.left = log.entries.size() - std::min(first, log.entries.size());
  return log;
}

// Those of all references, and of HEAD.
std::vector<ShownLog> AllLogs(Git& git, bool by_date) {
  std::vector<std::string> names;
  for (const auto& [name, id] : git.refs.List("refs/")) names.push_back(name);
  names.emplace_back("HEAD");
  std::vector<ShownLog> logs;
  for (const std::string& name : names) {
    ShownLog log{name, name, git.refs.ReadLog(name), 0, by_date};
    log.left = log.entries.size();
    logs.push_back(std::move(log));
  }
  return logs;
}

}  // namespace

Result<ExitStatus> ShowReflog(Git& git, const LogOptions& options, const Args& args, const char* by_default_format) {
  if (options.is_reversed) return Error(Code::kInvalid, "options '--reverse' and '--walk-reflogs' cannot be used together");
  if (options.graph) return Error(Code::kInvalid, "cannot combine --walk-reflogs with history-limiting options");
  SkipIndexAttributes(git);
  const bool by_date = !options.date.empty();
  std::vector<ShownLog> logs;
  if (options.all) logs = AllLogs(git, by_date);
  if (!options.all || !args.operands.empty()) {
    PADDOCK_ASSIGN(ShownLog one, LogOf(git, args.operands.empty() ? "HEAD" : args.operands[0], by_date));
    logs.push_back(std::move(one));
  }
  LogOptions mine = options;
  if (mine.pretty.empty() && !mine.oneline && by_default_format != nullptr) {
    mine.pretty = by_default_format;
    mine.abbrev_commit = true;
  }
  PADDOCK_ASSIGN(PrettyOptions pretty, PrettyOf(git, mine));
  LogPrinter printer(git, mine, std::move(pretty));
  Pathspec paths;
  int64_t shown = 0, skip = options.skip.value_or(0);
  PADDOCK_ASSIGN(Filter filter, Filter::Make(git, mine));
  while (!options.count || *options.count < 0 || shown < *options.count) {
    git.in.budget.Step(1 + static_cast<int64_t>(logs.size()));
    // The newest entry is next.
    ShownLog* next = nullptr;
    for (ShownLog& log : logs) {
      if (log.left > 0 && (next == nullptr || log.Time() > next->Time())) next = &log;
    }
    if (next == nullptr) break;
    const size_t i = --next->left;
    const ReflogEntry& entry = next->entries[i];
    const auto commit = git.objects.ReadCommit(entry.after);
    if (!commit) continue;
    PADDOCK_ASSIGN(const bool keeps, filter.Keeps(*commit));
    if (!keeps) continue;
    PADDOCK_ASSIGN(const bool matches, filter.KeepsEntry(entry.message));
    if (!matches) continue;
    if (skip-- > 0) continue;
    ++shown;
    const std::string selector = "@{" + (next->by_date ? DateText(git, ParseSignature(entry.who), printer.pretty().date) : std::to_string(next->entries.size() - 1 - i)) + "}";
    printer.pretty().reflog_name = next->name + selector;
    printer.pretty().reflog_short = (next->ref == next->name ? UnambiguousRef(git, next->name) : next->name) + selector;
    printer.pretty().reflog_message = entry.message;
    printer.pretty().reflog_who = entry.who;
    PADDOCK_TRY(printer.Print(entry.after, *commit, paths, false));
  }
  return 0;
}

namespace {

ReflogChange ChangeOf(const LogOptions& options) { return {options.is_dry, options.rewrites, options.updates_ref, options.verbose, options.fixes_stale}; }

// "HEAD@{1}".
Status DeleteLogEntry(Git& git, const std::string& name, const ReflogChange& change) {
  const size_t at = name.find("@{");
  const auto ref = at == std::string::npos ? std::nullopt : FindRef(git, at == 0 ? "HEAD" : name.substr(0, at));
  int64_t number = -1;
  if (!ref || !name.ends_with('}') || !ParseOptionValue(std::string_view(name).substr(at + 2, name.size() - at - 3), number)) return Error(Code::kInvalid, "not a reflog: " + name);
  const std::vector<ReflogEntry> entries = git.refs.ReadLog(*ref);
  if (number < 0 || number >= static_cast<int64_t>(entries.size())) return {};
  std::vector<bool> drops(entries.size(), false);
  drops[entries.size() - 1 - static_cast<size_t>(number)] = true;
  ReflogChange telling = change;
  telling.tells_dry = true;
  return ThinLog(git, git.refs, *ref, entries, drops, telling);
}

Result<ExitStatus> ExpireLogs(Git& git, const LogOptions& options, const Args& args) {
  const int64_t now = Now(git.in.clock).seconds, day = 24 * 3600;
  const auto limit = [&](const std::string& text, const char* option, int64_t otherwise) -> Result<int64_t> {
    if (text.empty()) return otherwise;
    if (text == "now" || text == "all") return INT64_MAX;
    if (text == "never" || text == "false") return INT64_MIN;
    const LooseDate date = git.ReadDate(text);
    if (!date.is_understood) return Error(Code::kInvalid, "invalid timestamp '" + text + "' given to '" + option + "'");
    return date.seconds;
  };
  PADDOCK_ASSIGN(const int64_t before, limit(options.expire, "--expire", now - 90 * day));
  PADDOCK_ASSIGN(const int64_t unreachable, limit(options.expire_unreachable, "--expire-unreachable", options.expire.empty() ? now - 30 * day : std::max(before, now - 30 * day)));
  std::vector<std::string> names;
  for (size_t i = 1; i < args.operands.size(); ++i) {
    const auto ref = FindRef(git, args.operands[i]);
    if (!ref) return git.Complain("'" + args.operands[i] + "' points nowhere!");
    names.push_back(*ref);
  }
  const ReflogLimits limits{before, unreachable};
  if (options.all) PADDOCK_TRY(ExpireAllLogs(git, limits, ChangeOf(options), options.one_worktree));
  History history(git);
  for (const std::string& name : names) PADDOCK_TRY(ExpireLog(git, git.refs, history, name, limits, ChangeOf(options)));
  return 0;
}

}  // namespace

Result<ExitStatus> RunReflog(Git& git, LogOptions& options, Args& args) {
  if (!args.operands.empty() && args.operands[0] == "show") {
    args.operands.erase(args.operands.begin());
  } else if (!args.operands.empty() && args.operands[0] == "exists") {
    if (args.operands.size() != 2) return 129;
    return git.refs.ReadLog(args.operands[1]).empty() ? 1 : 0;
  } else if (!args.operands.empty() && args.operands[0] == "delete") {
    for (size_t i = 1; i < args.operands.size(); ++i) PADDOCK_TRY(DeleteLogEntry(git, args.operands[i], ChangeOf(options)));
    return 0;
  } else if (!args.operands.empty() && args.operands[0] == "expire") {
    return ExpireLogs(git, options, args);
  }
  return ShowReflog(git, options, args, "oneline");
}

}  // namespace paddock::git
