// pgrep, pkill, pidwait - look up, signal or wait for processes by name and other attributes
//
// usage: pgrep [options] <pattern>
//        pkill [options] <pattern>
//        pidwait [options] <pattern>
//
// Exit status: 0 one or more matched (and were signalled, or have ended), 1 none, 2 a wrong option, 3 a fatal error.
// Source: procps-ng 4.0.2.
// Differs: a process is one thread, all are in the control group "/" and in the same namespaces; nobody can read the value that --queue
// sends. Of processes that were started together the newest is the one with the highest number.

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/option_tables.h"
#include "commands/input_files.h"
#include "commands/sys/process_table.h"
#include "proc/kernel.h"
#include "proc/process.h"
#include "proc/signals.h"
#include "text/regex.h"

namespace paddock {
namespace {

struct Options {
  std::string delimiter = "\n";
  bool has_delimiter = false, lists_name = false, lists_full = false, inverse = false, counts = false, full = false;
  bool ignores_case = false, newest = false, oldest = false, exact = false, log_pid_file = false, skips_ancestors = false;
  bool echoes = false, wants_help = false, wants_version = false;
  bool lists_threads = false;
  std::vector<std::string> control_groups, namespaces;
  std::optional<std::string> namespace_of;
  std::vector<std::string> groups, gids, parents, sessions, terminals, euids, uids, states;
  std::optional<std::string> pid_file, signal, queue;
  int64_t older = 0;   // seconds
};
Status SetOlder(Options& o, std::string_view text) {
  o.older = std::strtoll(std::string(text).c_str(), nullptr, 10);   // what is no number is 0
  return {};
}
Status SetDelimiter(Options& o, std::string_view text) {
  o.delimiter = text;
  o.has_delimiter = true;
  return {};
}
template <auto kMember>
Status AddItems(Options& o, std::string_view text) {
  for (std::string& item : SplitList(text)) (o.*kMember).push_back(std::move(item));
  return {};
}

constexpr std::array kMatchOptions = {
    Flag<&Options::counts>('c', "count", "print the number of matching processes"),
    Flag<&Options::full>('f', "full", "match the full command line"),
    Call<AddItems<&Options::groups>>('g', "pgroup", "PGID,...", "match process groups (0: the own one)"),
    Call<AddItems<&Options::gids>>('G', "group", "GID,...", "match real group ids"),
    Flag<&Options::ignores_case>('i', "ignore-case", "match case insensitively"),
    Flag<&Options::newest>('n', "newest", "select the newest"),
    Flag<&Options::oldest>('o', "oldest", "select the oldest"),
    Call<SetOlder>('O', "older", "SECONDS", "select those that run for so long"),
    Call<AddItems<&Options::parents>>('P', "parent", "PPID,...", "match children of these processes"),
    Call<AddItems<&Options::sessions>>('s', "session", "SID,...", "match sessions (0: the own one)"),
    Call<AddItems<&Options::terminals>>('t', "terminal", "TTY,...", "match controlling terminals"),
    Call<AddItems<&Options::euids>>('u', "euid", "ID,...", "match effective user ids"),
    Call<AddItems<&Options::uids>>('U', "uid", "ID,...", "match real user ids"),
    Flag<&Options::exact>('x', "exact", "match exactly"),
    Value<&Options::pid_file>('F', "pidfile", "FILE", "read the PID from FILE"),
    Flag<&Options::log_pid_file>('L', "logpidfile", "fail if the PID file is not locked"),
    Call<AddItems<&Options::states>>('r', "runstates", "STATE", "match states [D,S,Z,...]"),
    Flag<&Options::skips_ancestors>('A', "ignore-ancestors", "leave out ancestors of this process"),
    Call<AddItems<&Options::control_groups>>(0, "cgroup", "GRP,...", "match names of control groups"),
    Value<&Options::namespace_of>(0, "ns", "PID", "match processes of the same namespaces as PID"),
    Call<AddItems<&Options::namespaces>>(0, "nslist", "NS,...", "the namespaces that --ns looks at: ipc, mnt, net, pid, user, uts"),
    Flag<&Options::wants_help>('h', "help", "display this help and exit"),
    Flag<&Options::wants_version>('V', "version", "output version information and exit"),
};
constexpr auto kPgrepOptions = JoinTables(std::array{
    Call<SetDelimiter>('d', "delimiter", "STRING", "put STRING between the numbers"),
    Flag<&Options::lists_name>('l', "list-name", "list PID and process name"),
    Flag<&Options::lists_full>('a', "list-full", "list PID and full command line"),
    Flag<&Options::inverse>('v', "inverse", "negate the matching"),
    Flag<&Options::lists_threads>('w', "lightweight", "list threads (a process is one)"),
}, kMatchOptions);
constexpr auto kPkillOptions = JoinTables(std::array{
    Value<&Options::signal>(0, "signal", "SIG", "the signal to send (number or name)"),
    Value<&Options::queue>('q', "queue", "VALUE", "send VALUE with the signal"),
    Flag<&Options::echoes>('e', "echo", "display what is killed"),
    Flag<&Options::inverse>(0, "inverse", "negate the matching"),
}, kMatchOptions);
constexpr auto kPidwaitOptions = JoinTables(std::array{
    Flag<&Options::echoes>('e', "echo", "display what is waited for"),
}, kMatchOptions);

enum class Role { kGrep, kKill, kWait };

constexpr ExitStatus kWrongUse = 2;

std::span<const Option> TableOf(Role role) {
  switch (role) {
    case Role::kKill: return kPkillOptions;
    case Role::kWait: return kPidwaitOptions;
    case Role::kGrep: break;
  }
  return kPgrepOptions;
}

void PrintUsage(Invocation& in, Role role, Output& to) {
  to.Write("\nUsage:\n " + std::string(in.name()) + " [options] <pattern>\n\nOptions:\n" + OptionHelp(TableOf(role)) +
           "\nFor more details see pgrep(1).\n");
}

class Search {
 public:
  Search(Invocation& in, Options& o, Role role) : in_(in), o_(o), role_(role), names_(in.fs, in.budget) {}

  ExitStatus Run(const std::vector<std::string>& operands, int signal) {
    if (const auto failed = Prepare(operands)) return *failed;
    std::vector<ProcessFacts> found = Find();
    if (role_ == Role::kKill) return Kill(found, signal);
    if (role_ == Role::kWait) return Await(found);
    Print(found);
    return found.empty() ? 1 : 0;
  }

 private:
  ExitStatus Hint() {
    in_.err.Write("Try `" + std::string(in_.name()) + " --help' for more information.\n");
    return 2;
  }

  template <class Find>
  std::optional<ExitStatus> Resolve(const std::vector<std::string>& texts, std::vector<int64_t>& ids, const char* what, Find find) {
    for (const std::string& text : texts) {
      const auto id = find(text);
      if (!id) {
        in_.Fail(std::string(what) + ": " + text);
        return kWrongUse;
      }
      ids.push_back(*id);
    }
    return std::nullopt;
  }

  std::optional<ExitStatus> Prepare(const std::vector<std::string>& operands) {
    const auto user = [this](const std::string& text) { return FindUserId(names_, text); };
    const auto group = [this](const std::string& text) { return FindGroupId(names_, text); };
    const auto pid = [](const std::string& text) { return ParsePid(text); };
    const auto own_group = [this](const std::string& text) { return text == "0" ? std::optional(in_.process.group()) : ParsePid(text); };
    if (const auto failed = Resolve(o_.euids, euids_, "invalid user name", user)) return failed;
    if (const auto failed = Resolve(o_.uids, uids_, "invalid user name", user)) return failed;
    if (const auto failed = Resolve(o_.gids, gids_, "invalid group name", group)) return failed;
    if (const auto failed = Resolve(o_.parents, parents_, "not a number", pid)) {
      PrintUsage(in_, role_, in_.err);
      return failed;
    }
    if (const auto failed = Resolve(o_.groups, groups_, "invalid process group", own_group)) return failed;
    if (const auto failed = Resolve(o_.sessions, sessions_, "invalid session id", pid)) return failed;
    const bool has_criteria = !euids_.empty() || !uids_.empty() || !gids_.empty() || !parents_.empty() || !groups_.empty() ||
                              !sessions_.empty() || !o_.terminals.empty() || !o_.states.empty() || o_.pid_file || !o_.control_groups.empty() || o_.namespace_of || o_.older > 0;
    if (const auto failed = CheckNamespaces()) return failed;
    if (const auto failed = ReadPidFile()) return failed;
    if (operands.size() > 1) {
      in_.Fail("only one pattern can be provided");
      return Hint();
    }
    if (operands.empty() && !has_criteria) {
      in_.Fail("no matching criteria specified");
      return Hint();
    }
    if (o_.newest + o_.oldest + o_.inverse > 1) {
      in_.Fail("-v, -n and -o exclude each other");
      return Hint();
    }
    if (operands.empty()) return std::nullopt;
    if (operands[0].size() > 15 && !o_.full) {
      in_.Fail("pattern that searches for process name longer than 15 characters will result in zero matches");
      Hint2();
    }
    const std::string pattern = o_.exact ? "^(" + operands[0] + ")$" : operands[0];
    auto regex = Regex::Compile(pattern, {.dialect = RegexDialect::kExtended, .ignore_case = o_.ignores_case, .is_utf8 = in_.locale.is_utf8});
    if (!regex) {
      in_.Fail("regex error: " + std::string(regex.error().Text()));
      return 2;
    }
    regex_ = std::move(*regex);
    return std::nullopt;
  }
  // Those of one sandbox are the same for all.
  std::optional<ExitStatus> CheckNamespaces() {
    for (const std::string& name : o_.namespaces) {
      constexpr std::string_view kNames[] = {"ipc", "mnt", "net", "pid", "user", "uts"};
      if (std::find(std::begin(kNames), std::end(kNames), name) == std::end(kNames)) return kWrongUse;
    }
    if (!o_.namespace_of) return std::nullopt;
    if (o_.namespace_of->starts_with('-')) {
      in_.Fail("Error reading reference namespace information\n");
      return 3;
    }
    const auto pid = ParsePid(*o_.namespace_of);
    is_elsewhere_ = !pid || in_.kernel.Find(*pid) == nullptr;
    return std::nullopt;
  }
  void Hint2() { in_.err.Write("Try `" + std::string(in_.name()) + " -f' option to match against the complete command line.\n"); }

  std::optional<ExitStatus> ReadPidFile() {
    if (!o_.pid_file) {
      if (!o_.log_pid_file) return std::nullopt;
      in_.Fail("-L without -F makes no sense");
      return Hint();
    }
    auto file = InputFile::Open(in_, *o_.pid_file);
    std::string text;
    if (file) {
      if (const auto line = file->input().ReadLine()) text = line->text;
    }
    const auto pid = ParsePid(text);
    // Files of the sandbox carry no locks of a daemon.
    if (!pid || *pid == 0 || o_.log_pid_file) {
      in_.Fail("pidfile not valid");
      Hint();
      return 1;
    }
    wanted_pid_ = *pid;
    return std::nullopt;
  }

  static bool Holds(const std::vector<int64_t>& ids, int64_t id) { return ids.empty() || std::find(ids.begin(), ids.end(), id) != ids.end(); }

  bool Matches(const ProcessFacts& p) {
    if (wanted_pid_ && p.pid != *wanted_pid_) return false;
    if (!Holds(euids_, p.uid) || !Holds(uids_, p.uid) || !Holds(gids_, p.gid) || !Holds(parents_, p.parent)) return false;
    if (!Holds(groups_, p.group) || is_elsewhere_) return false;
    if (o_.older > 0 && std::chrono::floor<std::chrono::seconds>(p.age).count() < o_.older) return false;
    if (!o_.control_groups.empty() && std::find(o_.control_groups.begin(), o_.control_groups.end(), "/") == o_.control_groups.end()) return false;
    const bool own_session = std::find(sessions_.begin(), sessions_.end(), 0) != sessions_.end() && p.session == own_session_;
    if (!own_session && !Holds(sessions_, p.session)) return false;
    if (!o_.terminals.empty() && std::find(o_.terminals.begin(), o_.terminals.end(), p.has_terminal ? "pts/0" : "-") == o_.terminals.end()) return false;
    if (!o_.states.empty() && std::none_of(o_.states.begin(), o_.states.end(), [&](const std::string& s) { return s.find(p.state) != std::string::npos; })) return false;
    if (!regex_) return true;
    const auto matches = regex_->Search(o_.full ? p.CommandLine() : p.name, 0, nullptr, in_.budget);
    return matches && *matches;
  }

  std::vector<ProcessFacts> Find() {
    std::vector<ProcessFacts> all = ListProcesses(in_), found;
    std::vector<int> ancestors;
    for (const ProcessFacts& p : all) {
      if (p.pid == in_.process.pid()) own_session_ = p.session;
    }
    for (int pid = in_.process.parent_pid(); o_.skips_ancestors && pid > 0;) {
      ancestors.push_back(pid);
      const proc::Process* parent = in_.kernel.Find(pid);
      pid = parent == nullptr || ancestors.size() > all.size() ? 0 : parent->parent_pid();
    }
    for (ProcessFacts& p : all) {
      in_.budget.Step();
      if (p.pid == in_.process.pid() || p.state == 'Z') continue;
      if (std::find(ancestors.begin(), ancestors.end(), p.pid) != ancestors.end()) continue;
      if (Matches(p) != o_.inverse) found.push_back(std::move(p));
    }
    if (found.size() > 1 && o_.newest) found.erase(found.begin(), found.end() - 1);
    if (found.size() > 1 && o_.oldest) found.erase(found.begin() + 1, found.end());
    return found;
  }

  void Print(const std::vector<ProcessFacts>& found) {
    if (o_.counts) return in_.out.WriteLine(std::to_string(found.size()));
    for (size_t i = 0; i < found.size(); ++i) {
      const ProcessFacts& p = found[i];
      std::string text = std::to_string(p.pid);
      if (o_.lists_full) text += " " + p.CommandLine();
      else if (o_.lists_name) text += " " + p.name;
      in_.out.Write(text + (i + 1 < found.size() ? o_.delimiter : "\n"));
    }
  }

  ExitStatus Kill(const std::vector<ProcessFacts>& found, int signal) {
    size_t sent_count = 0;
    for (const ProcessFacts& p : found) {
      if (const Status sent = in_.kernel.Signal(in_.process, p.pid, signal); !sent) {
        if (sent.error().code != Code::kNoProcess) in_.Fail("killing pid " + std::to_string(p.pid) + " failed", sent.error());
        continue;
      }
      ++sent_count;
      if (o_.echoes) in_.out.WriteLine(p.name + " killed (pid " + std::to_string(p.pid) + ")");
    }
    if (o_.counts) in_.out.WriteLine(std::to_string(found.size()));
    return sent_count > 0 ? 0 : 1;
  }

  ExitStatus Await(const std::vector<ProcessFacts>& found) {
    if (o_.counts) in_.out.WriteLine(std::to_string(found.size()));
    for (const ProcessFacts& p : found) {
      if (o_.echoes) in_.out.WriteLine("waiting for " + p.name + " (pid " + std::to_string(p.pid) + ")");
    }
    in_.out.Flush();
    for (const ProcessFacts& p : found) {
      // Not only children are waited for, and the kernel tells nobody else of an end.
      constexpr Nanoseconds kPause = std::chrono::milliseconds(5);
      for (const proc::Process* one = in_.kernel.Find(p.pid); one != nullptr && one->state() != proc::Process::State::kExited; one = in_.kernel.Find(p.pid)) {
        in_.budget.Step();
        static_cast<void>(in_.kernel.Sleep(in_.process, in_.clock.MonotonicNow() + kPause).has_value());
      }
    }
    return found.empty() ? 1 : 0;
  }

  Invocation& in_;
  Options& o_;
  Role role_;
  UserNames names_;
  std::vector<int64_t> euids_, uids_, gids_, parents_, groups_, sessions_;
  std::optional<int> wanted_pid_;
  std::optional<Regex> regex_;
  int own_session_ = 0;
  bool is_elsewhere_ = false;   // --ns names a process that is not there
};

ExitStatus Run(Invocation& in) {
  const Role role = in.name() == "pkill" ? Role::kKill : in.name() == "pidwait" ? Role::kWait : Role::kGrep;
  std::vector<std::string> args(in.args.begin(), in.args.end());
  int signal = proc::kSigTerm;
  if (role == Role::kKill) {   // -9, -HUP: not options that getopt could know
    for (size_t i = 1; i < args.size() && args[i] != "--"; ++i) {
      if (args[i].size() < 2 || args[i][0] != '-') continue;
      const int number = proc::FindSignal(std::string_view(args[i]).substr(1));
      if (number < 0) continue;
      signal = number;
      args.erase(args.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
  }
  Options options;
  const auto parsed = ParseOptions(args, TableOf(role), &options, {});
  const auto usage = [&](Output& to) { PrintUsage(in, role, to); };
  if (!parsed) {
    in.Fail(parsed.error().Text());
    usage(in.err);
    return 2;
  }
  if (options.wants_help) return usage(in.out), 0;
  if (options.wants_version) return in.out.Write(VersionText(in.command, in.name())), 0;
  if (options.signal) {
    signal = proc::FindSignal(*options.signal);
    if (signal < 0) {
      in.Fail("Unknown signal \"" + *options.signal + "\".");
      usage(in.err);
      return 2;
    }
  }
  return Search(in, options, role).Run(parsed->operands, signal);
}

constexpr const char* kAliases[] = {"pkill", "pidwait"};

}  // namespace

extern const Command kCommand_pgrep;
const Command kCommand_pgrep = {
    .name = "pgrep",
    .aliases = kAliases,
    .summary = "look up, signal or wait for processes based on name and other attributes",
    .synopsis = "[options] <pattern>",
    .options = kPgrepOptions,
    .usage_status = 2,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
