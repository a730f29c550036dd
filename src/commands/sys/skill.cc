// skill, snice - send a signal or give another priority to processes
//
// usage: skill [SIGNAL] [options] EXPRESSION...
//        snice [PRIORITY] [options] EXPRESSION...
// An expression is a process id, a user, a terminal or a command's name; options say which.
//
// Exit status: 0, or 1 for a usage error.
// Source: procps-ng 4.0.2.
// Differs: -i is refused, as it asks at a terminal; so are --ns and --nslist: there are no namespaces.

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "commands/sys/process_table.h"
#include "commands/sys/signal_lists.h"
#include "proc/kernel.h"
#include "proc/option_complaint.h"
#include "proc/process.h"
#include "proc/signals.h"

namespace paddock {
namespace {

constexpr int kLeast = -20, kMost = 19, kDefaultPriority = 4;

struct Options {
  bool fast = false, interactive = false, list = false, table = false, only_shows = false, verbose = false, warnings = false;
  std::vector<std::string> commands, pids, terminals, users, namespaces;
  bool wants_help = false, wants_version = false;
  std::optional<std::string> signal;     // or the priority
};
constexpr Option kOptions[] = {
    Flag<&Options::fast>('f', "fast", "fast mode (not implemented)"),
    Flag<&Options::interactive>('i', "interactive", "refused"),
    Flag<&Options::list>('l', "list", "list all signal names"),
    Flag<&Options::table>('L', "table", "list all signal names in a nice table"),
    Flag<&Options::only_shows>('n', "no-action", "do not act: just print what would happen"),
    Flag<&Options::verbose>('v', "verbose", "explain what is being done"),
    Flag<&Options::warnings>('w', "warnings", "enable warnings (not implemented)"),
    Value<&Options::commands>('c', "command", "COMMAND", "expression is a command name"),
    Value<&Options::pids>('p', "pid", "PID", "expression is a process id number"),
    Value<&Options::terminals>('t', "tty", "TTY", "expression is a terminal"),
    Value<&Options::users>('u', "user", "USERNAME", "expression is a username"),
    Value<&Options::namespaces>(0, "ns", "PID", "refused"),
    Value<&Options::namespaces>(0, "nslist", "NS,...", "refused"),
    Flag<&Options::wants_help>('h', "help", "display this help and exit"),
    Flag<&Options::wants_version>('V', "version", "output version information and exit"),
};

std::optional<int> ReadInteger(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Selection {
 public:
  Selection(Invocation& in, const Options& options) : in_(in), users_(in.fs, in.budget), o_(options) {}

  // False when an expression is wrong, which was told then.
  bool Read(const std::vector<std::string>& words) {
    for (const std::string& word : o_.pids) {
      const auto pid = ReadInteger(word);
      if (!pid) return in_.Fail("failed to parse argument: '" + word + "'"), false;
      pids_.push_back(*pid);
    }
    for (const std::string& word : o_.users) {
      if (const auto uid = FindUserId(users_, word)) uids_.push_back(*uid);
    }
    for (const std::string& word : o_.terminals) {
      if (word == "pts/0" || word == "/dev/pts/0") chooses_terminal_ = true;
    }
    commands_ = o_.commands;
    // A word that says not what it is: the first of these that it can be.
    for (const std::string& word : words) {
      if (const auto pid = ReadInteger(word)) pids_.push_back(*pid);
      else if (users_.User(std::string_view(word)) != nullptr) uids_.push_back(*FindUserId(users_, word));
      else if (word == "pts/0") chooses_terminal_ = true;
      else commands_.push_back(word);
    }
    if (pids_.empty() && uids_.empty() && commands_.empty() && !chooses_terminal_) return in_.Fail("no process selection criteria"), false;
    return true;
  }
  bool Has(const ProcessFacts& process) const {
    const auto allows = [](const auto& list, const auto& value) { return list.empty() || std::ranges::find(list, value) != list.end(); };
    return process.pid != in_.process.pid() && allows(pids_, process.pid) && allows(uids_, process.uid) && allows(commands_, process.name) &&
           (!chooses_terminal_ || process.has_terminal);
  }
  std::string UserText(uint32_t uid) { return users_.UserText(uid); }

 private:
  Invocation& in_;
  UserNames users_;
  const Options& o_;
  std::vector<int> pids_;
  std::vector<uint32_t> uids_;
  std::vector<std::string> commands_;
  bool chooses_terminal_ = false;
};

// Takes -9, -KILL, +5 out of the words: what is sent or given. A word like -5 that is a letter of the table is none.
std::vector<std::string> WithoutSignal(const Invocation& in, bool is_nice, std::optional<std::string>& signal) {
  std::vector<std::string> words{in.args[0]};
  bool takes_next = false;
  for (const std::string& word : in.args.subspan(1)) {
    const bool is_dashed = !takes_next && word.size() > 1 && word[0] == '-' && word[1] != '-';
    const bool is_signal = !is_nice && is_dashed && proc::FindSignal(word.substr(1)) >= 0;
    const bool is_priority = is_nice && !takes_next && word.size() > 1 && (word[0] == '-' || word[0] == '+') && ReadInteger(word).has_value();
    if (!signal && (is_signal || is_priority)) {
      signal = is_signal ? word.substr(1) : word;
      continue;
    }
    takes_next = !takes_next && (word == "-c" || word == "-p" || word == "-t" || word == "-u");
    words.push_back(word);
  }
  return words;
}

ExitStatus Run(Invocation& in) {
  const bool is_nice = in.name() == "snice";
  Options options;
  const std::vector<std::string> words = WithoutSignal(in, is_nice, options.signal);
  const auto parsed = ParseOptions(words, kOptions, &options);
  if (!parsed) ComplainOfOption(in, parsed.error().Text());
  if (parsed && options.wants_version) return in.out.Write(VersionText(in.command, in.name())), 0;
  const bool has_criteria = parsed && (!parsed->operands.empty() || !options.commands.empty() || !options.pids.empty() || !options.users.empty() || !options.terminals.empty());
  if (parsed && !options.wants_help && (options.list || options.table)) return options.table ? WriteSignalTable(in.out) : WriteSignalList(in.out), 0;
  if (!parsed || options.wants_help || !has_criteria) {
    const bool is_asked = parsed && options.wants_help;
    (is_asked ? in.out : in.err)
        .Write("\nUsage:\n " + std::string(is_nice ? "snice [new priority] [options] <expression>" : "skill [signal] [options] <expression>") + "\n\nOptions:\n" +
               OptionHelp(kOptions) + "\nExpression can be: terminal, user, pid, command.\n");
    return is_asked ? 0 : 1;
  }
  if (options.interactive || !options.namespaces.empty()) return in.Fail("-i, --ns, --nslist: not supported");
  Selection selection(in, options);
  if (!selection.Read(parsed->operands)) return 1;
  const int signal = is_nice ? 0 : options.signal ? proc::FindSignal(*options.signal) : proc::kSigTerm;
  const int priority = std::clamp(is_nice && options.signal ? ReadInteger(*options.signal).value_or(kDefaultPriority) : kDefaultPriority, kLeast, kMost);
  for (const ProcessFacts& process : ListProcesses(in)) {
    in.budget.Step();
    if (!selection.Has(process)) continue;
    if (options.only_shows && !options.verbose) {
      in.out.WriteLine(std::to_string(process.pid));
      continue;
    }
    Status done;
    if (!options.only_shows && is_nice) {
      proc::Process* target = in.kernel.Find(process.pid);
      const bool is_allowed = in.fs.credentials().uid == 0 || priority >= process.niceness;
      if (target == nullptr) done = Code::kNoProcess;
      else if (!is_allowed) done = Code::kAccess;
      else target->set_niceness(priority);
    } else if (!options.only_shows) {
      done = in.kernel.Signal(in.process, process.pid, signal);
    }
    if (!options.verbose) {
      if (!done) in.Fail("kill(" + std::to_string(process.pid) + ")", done.error());
      continue;
    }
    char text[128];
    std::snprintf(text, sizeof text, "%-8s %-8s %5d %-16.16s   ", std::string(process.TerminalName()).c_str(), selection.UserText(process.uid).substr(0, 8).c_str(), process.pid,
                  process.name.c_str());
    in.err.Write(text + std::string(done ? "Success" : done.error().Text()) + "\n");
  }
  return 0;
}

constexpr const char* kAliases[] = {"snice"};

}  // namespace

extern const Command kCommand_skill;
const Command kCommand_skill = {
    .name = "skill",
    .aliases = kAliases,
    .summary = "send a signal or report process status",
    .synopsis = "[SIGNAL] [options] EXPRESSION...",
    .details = "\nExpression can be: terminal, user, pid, command.\nsnice takes a priority (+4) in place of the signal.\n",
    .options = kOptions,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
