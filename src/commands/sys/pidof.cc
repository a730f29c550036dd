// pidof - find the process ids of running programs
//
// usage: pidof [options] PROGRAM...
//
// Exit status: 0 if one was found, else 1.
// Source: sysvinit 3.06 (Debian 12's pidof).
// Differs: -c and -n change nothing that could be seen: all processes share one root, and no mount can hang.

#include <algorithm>

#include "commands/sys/process_table.h"
#include "proc/process.h"

namespace paddock {
namespace {

struct Options {
  bool checks_root = false, avoids_stat = false, quiet = false, single = false, scripts = false, zombies = false, wants_help = false;
  std::string separator = " ";
  std::vector<std::string> omitted;
};
constexpr Option kOptions[] = {
    Flag<&Options::checks_root>('c', nullptr, "only processes with the same root directory"),
    Value<&Options::separator>('d', nullptr, "SEP", "put SEP between the numbers"),
    Flag<&Options::wants_help>('h', nullptr, "display this help and exit"),
    Flag<&Options::avoids_stat>('n', nullptr, "do not look at files on network shares"),
    Value<&Options::omitted>('o', nullptr, "PID,...", "leave out these (%PPID: the caller of pidof)"),
    Flag<&Options::quiet>('q', nullptr, "only tell by the exit status"),
    Flag<&Options::single>('s', nullptr, "return one PID only"),
    Flag<&Options::scripts>('x', nullptr, "also find shells that run the named scripts"),
    Flag<&Options::zombies>('z', nullptr, "list zombies, too"),
};

bool IsNamed(const ProcessFacts& p, const std::string& program, const Options& o, int own_pid) {
  if (p.state == 'Z') return o.zombies && p.name == program.substr(0, 15);
  if (p.arguments.empty()) return false;
  std::string first = p.arguments[0];
  if (first.starts_with('-')) first.erase(0, 1);
  const bool has_slash = program.find('/') != std::string::npos;
  const auto matches = [&](const std::string& text) { return text == program || (!has_slash && vfs::BaseName(text) == program); };
  if (matches(first)) return true;
  if (!o.scripts || p.pid == own_pid) return false;  // its own operands are no scripts
  for (size_t i = 1; i < p.arguments.size(); ++i) {
    if (!p.arguments[i].starts_with('-')) return matches(p.arguments[i]);
  }
  return false;
}

ExitStatus Run(Invocation& in) {
  Options options;
  // Complaints go to the system's log, which a sandbox has not.
  const auto parsed = ParseOptions(in.args, kOptions, &options, {});
  if (!parsed) return 1;
  if (options.wants_help || parsed->wants_help) {
    in.out.Write("pidof usage: [options] <program-name>\n\n" + OptionHelp(kOptions) + "\n");
    return 0;
  }
  std::vector<int> omitted;
  for (const std::string& list : options.omitted) {
    for (const std::string& item : SplitList(list)) {
      if (item == "%PPID") omitted.push_back(in.process.parent_pid());
      else if (const auto pid = ParsePid(item)) omitted.push_back(*pid);
    }
  }
  const std::vector<ProcessFacts> table = ListProcesses(in);
  std::string line;
  for (const std::string& program : parsed->operands) {
    for (auto p = table.rbegin(); p != table.rend(); ++p) {
      in.budget.Step();
      if (std::find(omitted.begin(), omitted.end(), p->pid) != omitted.end()) continue;
      if (!IsNamed(*p, program, options, in.process.pid())) continue;
      line += (line.empty() ? "" : options.separator) + std::to_string(p->pid);
      if (options.single) break;
    }
    if (options.single && !line.empty()) break;
  }
  if (line.empty()) return 1;
  if (!options.quiet) in.out.WriteLine(line);
  return 0;
}

}  // namespace

extern const Command kCommand_pidof;
const Command kCommand_pidof = {
    .name = "pidof",
    .summary = "find the process ids of running programs",
    .synopsis = "[options] <program-name>...",
    .options = kOptions,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
