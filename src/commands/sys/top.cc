// top - display processes
//
// usage: top -b [options]
// Shows a summary and the processes, again and again (-n times) with a delay (-d) in between.
//
// Exit status: 0, or 1 for a usage error or without -b: there is no screen to draw on.
// Source: procps-ng 4.0.2.
// Differs: -b is needed, and with it the fields cannot be chosen; the processes of a sandbox share one thread and one memory, so %CPU, %MEM, VIRT,
// RES, SHR and TIME+ of each are 0 and the processor's times are idle; memory is the limit of the exec.

#include <algorithm>
#include <cstdio>

#include "commands/file_facts.h"
#include "commands/sys/process_table.h"
#include "proc/kernel.h"
#include "proc/option_complaint.h"
#include "text/date/duration.h"
#include "text/date/time_format.h"

namespace paddock {
namespace {

struct Options {
  char summary_scale = 'm', task_scale = 'k';
  bool has_one_processor = false, is_secure = false, accumulates = false;
  bool is_batch = false, command_lines = false, hides_idle = false, threads = false, lists_fields = false, help = false, version = false;
  double delay = 3.0;
  std::optional<int64_t> count;
  std::vector<int> pids;
  std::string sort = "%CPU";
  bool ascending = false;
  std::optional<std::string> user;
  size_t width = 512;
};

Status Delay(Options& o, std::string_view text) {
  const bool is_negative = text.starts_with('-');
  const auto seconds = ParseDuration(std::string(text.substr(is_negative ? 1 : 0)));
  if (!seconds) return Error(Code::kInvalid, "bad delay interval '" + std::string(text) + "'");
  if (is_negative) return Error(Code::kInvalid, "-d requires positive argument");
  o.delay = *seconds;
  return {};
}
Status Count(Options& o, std::string_view text) {
  int64_t count = 0;
  if (!ParseOptionValue(text, count) || count < 1) return Error(Code::kInvalid, "bad iterations argument '" + std::string(text) + "'");
  o.count = count;
  return {};
}
Status Pids(Options& o, std::string_view text) {
  if (o.user) return Error(Code::kInvalid, "conflicting process selections (U/p/u)");
  for (const std::string& word : SplitList(text)) {
    const auto pid = ParsePid(word);
    if (!pid) return Error(Code::kInvalid, "bad pid '" + word + "'");
    o.pids.push_back(*pid);
  }
  return {};
}
Status User(Options& o, std::string_view text) {
  if (o.user || !o.pids.empty()) return Error(Code::kInvalid, "conflicting process selections (U/p/u)");
  o.user = std::string(text);
  return {};
}
constexpr std::string_view kFields[] = {"PID", "USER", "PR", "NI", "VIRT", "RES", "SHR", "S", "%CPU", "%MEM", "TIME+", "COMMAND"};
Status Sort(Options& o, std::string_view text) {
  const bool has_sign = text.starts_with('+') || text.starts_with('-');
  const std::string_view name = text.substr(has_sign ? 1 : 0);
  if (std::find(std::begin(kFields), std::end(kFields), name) == std::end(kFields)) return Error(Code::kInvalid, "unrecognized field name '" + std::string(name) + "'");
  o.sort = name;
  o.ascending = text.starts_with('-');
  return {};
}
Status Width(Options& o, std::string_view text) {
  if (text.data() == nullptr) {
    o.width = 80;
    return {};
  }
  int64_t width = 0;
  if (!ParseOptionValue(text, width) || width < 3 || width > 512) return Error(Code::kInvalid, "bad width arg '" + std::string(text) + "'");
  o.width = static_cast<size_t>(width);
  return {};
}

Status SummaryScale(Options& o, std::string_view text) {
  if (text.empty() || std::string_view("kmgtpe").find(text[0]) == std::string_view::npos) return Error(Code::kInvalid, "bad memory scaling arg '" + std::string(text) + "'");
  o.summary_scale = text[0];
  return {};
}
Status TaskScale(Options& o, std::string_view text) {
  if (text.empty() || std::string_view("kmgtp").find(text[0]) == std::string_view::npos) return Error(Code::kInvalid, "bad memory scaling arg '" + std::string(text) + "'");
  o.task_scale = text[0];
  return {};
}

constexpr Option kOptions[] = {
    Flag<&Options::is_batch>('b', "batch-mode", "write plain text"),
    Flag<&Options::command_lines>('c', "cmdline-toggle", "show command lines instead of names"),
    Call<SummaryScale>('E', "scale-summary-mem", "SCALE", "memory in k, m (MiB), g, t, p or e"),
    Call<TaskScale>('e', "scale-task-mem", "SCALE", "memory of processes in k, m, g, t or p"),
    Flag<&Options::accumulates>('S', "accum-time-toggle", "with the time of children that ended, of which none is kept"),
    Flag<&Options::is_secure>('s', "secure-mode", "without some keys, of which there are none"),
    Flag<&Options::has_one_processor>('1', "single-cpu-toggle", "a line for each processor"),
    Call<Delay>('d', "delay", "SECS", "wait SECS seconds between two pictures (3)"),
    Flag<&Options::threads>('H', "threads-show", "show threads; each process has one"),
    Flag<&Options::hides_idle>('i', "idle-toggle", "show only what has run"),
    Call<Count>('n', "iterations", "NUMBER", "end after NUMBER pictures"),
    Flag<&Options::lists_fields>('O', "list-fields", "list the fields that -o knows"),
    Call<Sort>('o', "sort-override", "FIELD", "sort by FIELD"),
    Call<Pids>('p', "pid", "PIDLIST", "show only these processes"),
    Call<User>('U', "filter-any-user", "USER", "show only processes of USER"),
    Call<User>('u', "filter-only-euser", "USER", "likewise"),
    CallOptional<Width>('w', "width", "COLUMNS", "cut lines at COLUMNS"),
    Flag<&Options::help>('h', "help", "show this help"),
    Flag<&Options::version>('V', "version", "show the version"),
};

class Screen {
 public:
  Screen(Invocation& in, const Options& options) : in_(in), o_(options), names_(in.fs, in.budget), zone_(LocalZone(in.env)) {}

  Status ResolveUser() {
    if (!o_.user) return {};
    user_ = FindUserId(names_, *o_.user);
    if (!user_) return Error(Code::kInvalid, "Invalid user");
    return {};
  }

  void Draw() {
    std::vector<ProcessFacts> all = ListProcesses(in_);
    std::erase_if(all, [&](const ProcessFacts& process) {
      if (!o_.pids.empty() && std::find(o_.pids.begin(), o_.pids.end(), process.pid) == o_.pids.end()) return true;
      return user_.has_value() && process.uid != *user_;
    });
    Summary(all);
    Memory();
    Line("");
    Columns("  PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND");
    if (o_.hides_idle) std::erase_if(all, [](const ProcessFacts& process) { return process.state != 'R'; });
    SortList(all);
    for (const ProcessFacts& process : all) {
      in_.budget.Step();
      Row(process);
    }
  }

 private:
  void Line(std::string text) {
    if (text.size() > o_.width) text.resize(o_.width);
    in_.out.WriteLine(text);
  }
  // A line of the list: columns that do not fit are left out whole.
  void Columns(std::string text) {
    constexpr size_t kEnds[] = {5, 14, 18, 22, 30, 37, 44, 46, 52, 58, 68};
    if (o_.width < 76) {
      size_t fits = 0;
      for (const size_t end : kEnds) fits = end < o_.width ? end : fits;
      text.resize(std::min(text.size(), fits));
    }
    Line(std::move(text));
  }
  template <class... T>
  static std::string Print(const char* format, T... values) {
    char buffer[256];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
    std::snprintf(buffer, sizeof buffer, format, values...);
#pragma GCC diagnostic pop
    return buffer;
  }
  std::string ReadProc(const char* path) {
    auto text = vfs::ReadFile(in_.fs, path, 1 << 16);
    return text ? *text : std::string();
  }
  void Summary(const std::vector<ProcessFacts>& all) {
    const auto seconds = static_cast<int64_t>(std::strtod(ReadProc("/proc/uptime").c_str(), nullptr));
    const TimePoint moment = Now(in_.clock);
    const int64_t days = seconds / 86400, hours = seconds / 3600 % 24, minutes = seconds / 60 % 60;
    std::string up = days > 0 ? Print("%lld day%s, ", static_cast<long long>(days), days == 1 ? "" : "s") : "";
    up += hours > 0 ? Print("%2lld:%02lld", static_cast<long long>(hours), static_cast<long long>(minutes)) : Print("%lld min", static_cast<long long>(minutes));
    double load[3] = {0, 0, 0};
    std::sscanf(ReadProc("/proc/loadavg").c_str(), "%lf %lf %lf", &load[0], &load[1], &load[2]);
    Line("top - " + FormatTime("%H:%M:%S", zone_.ToLocal(moment.seconds), moment, in_.budget) + " up " + up + ",  0 user,  load average: " + Print("%.2f, %.2f, %.2f", load[0], load[1], load[2]));
    const auto count = [&](std::string_view states) {
      return static_cast<int>(std::count_if(all.begin(), all.end(), [&](const ProcessFacts& process) { return states.find(process.state) != std::string_view::npos; }));
    };
    Line(Print("%s: %3d total, %3d running, %3d sleeping, %3d stopped, %3d zombie", o_.threads ? "Threads" : "Tasks", static_cast<int>(all.size()), count("R"), count("SDI"), count("Tt"), count("Z")));
    Line((o_.has_one_processor ? "%Cpu0  :" : "%Cpu(s):") + std::string("  0.0 us,  0.0 sy,  0.0 ni,100.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st "));
  }
  double Figure(const std::string& text, const std::string& name) {
    const size_t at = ("\n" + text).find("\n" + name + ":");
    return at == std::string::npos ? 0 : std::strtod(text.c_str() + at + name.size() + 1, nullptr) / 1024;
  }
  // Of MiB, in the scale of -E.
  std::string Scaled(double value) const {
    if (o_.summary_scale == 'k') return Print("%8.0f", value * 1024);
    for (const char scale : std::string_view("mgtpe")) {
      if (scale == o_.summary_scale) break;
      value /= 1024;
    }
    return Print(o_.summary_scale == 'm' ? "%8.1f" : "%8.3f", value);
  }
  void Memory() {
    const std::string text = ReadProc("/proc/meminfo");
    const double total = Figure(text, "MemTotal"), free = Figure(text, "MemFree"), available = Figure(text, "MemAvailable");
    const double cache = Figure(text, "Buffers") + Figure(text, "Cached") + Figure(text, "SReclaimable");
    const double swap = Figure(text, "SwapTotal"), swap_free = Figure(text, "SwapFree");
    const auto line = [&](const char* begin, const char* names, double a, double b, double c, double d) {
      std::string shown = Print("%ciB %s", o_.summary_scale == 'k' ? 'K' : static_cast<char>(o_.summary_scale - 32), begin);
      const double values[] = {a, b, c, d};
      for (const double value : values) {
        shown += ' ' + Scaled(value);
        const size_t end = std::string_view(names).find('|');
        shown += std::string(names, end);
        names += end + 1;
      }
      Line(shown);
    };
    line("Mem :", " total,| free,| used,| buff/cache     |", total, free, std::max(total - available, 0.0), cache);
    line("Swap:", " total,| free,| used.| avail Mem |", swap, swap_free, swap - swap_free, available);
  }
  void SortList(std::vector<ProcessFacts>& all) {
    const auto is_less = [&](const ProcessFacts& a, const ProcessFacts& b) {
      if (o_.sort == "PID") return a.pid < b.pid;
      if (o_.sort == "USER") return names_.UserText(a.uid) < names_.UserText(b.uid);
      if (o_.sort == "PR" || o_.sort == "NI") return a.niceness < b.niceness;
      if (o_.sort == "S") return a.state < b.state;
      if (o_.sort == "COMMAND") return Command(a) < Command(b);
      return false;   // the figures are all the same
    };
    std::stable_sort(all.begin(), all.end(), [&](const ProcessFacts& a, const ProcessFacts& b) { return o_.ascending ? is_less(a, b) : is_less(b, a); });
  }
  std::string Command(const ProcessFacts& process) const { return o_.command_lines ? process.CommandLine() : process.name; }
  void Row(const ProcessFacts& process) {
    std::string user = names_.UserText(process.uid);
    if (user.size() > 8) user = user.substr(0, 7) + "+";
    const std::string none = o_.task_scale == 'k' ? "0" : Print("0.0%c", o_.task_scale);
    std::string row = Print("%5d %-8s %3d %3d %7s %6s %6s %c %5.1f %5.1f %9s ", process.pid, user.c_str(), 20 + process.niceness, process.niceness, none.c_str(), none.c_str(), none.c_str(), process.state, 0.0, 0.0, "0:00.00");
    std::string command = Command(process);
    // In 80 columns what is left for the command ends with a plus sign.
    if (row.size() + command.size() > o_.width && o_.width > row.size()) command = command.substr(0, o_.width - row.size() - 1) + "+";
    Columns(row + command);
  }

  Invocation& in_;
  const Options& o_;
  UserNames names_;
  const TimeZone zone_;
  std::optional<uint32_t> user_;
};

// -w takes the next word when it is a number, unlike getopt's optional arguments.
std::vector<std::string> Joined(std::span<const std::string> args) {
  std::vector<std::string> out;
  for (size_t i = 0; i < args.size(); ++i) {
    out.push_back(args[i]);
    const bool is_width = args[i] == "--width" || (args[i].size() > 1 && args[i][0] == '-' && args[i][1] != '-' && args[i].ends_with('w'));
    if (!is_width || i + 1 >= args.size() || args[i + 1].empty() || args[i + 1].find_first_not_of("0123456789") != std::string::npos) continue;
    out.back() += (args[i] == "--width" ? "=" : "") + args[i + 1];
    ++i;
  }
  return out;
}

ExitStatus Run(Invocation& in) {
  Options options;
  const auto parsed = ParseOptions(Joined(in.args), kOptions, &options, {});
  if (!parsed) {
    // It ends as if nothing were wrong when getopt complains.
    if (parsed.error().code != Code::kSyntax) return in.Fail(parsed.error().Text());
    ComplainOfOption(in, parsed.error().Text());
    return 0;
  }
  if (options.help) return in.out.Write(HelpText(in.command, in.name())), 0;
  if (options.version) return in.out.Write(VersionText(in.command, in.name())), 0;
  if (!parsed->operands.empty()) return in.Fail("unknown option '" + parsed->operands[0] + "'");
  if (options.lists_fields) {
    for (const std::string_view field : kFields) in.out.WriteLine(field);
    return 0;
  }
  Screen screen(in, options);
  if (const Status found = screen.ResolveUser(); !found) return in.Fail(found.error().Text());
  if (!options.is_batch) return in.Fail("failed tty get");
  for (int64_t i = 0; !options.count || i < *options.count; ++i) {
    in.budget.Step();
    if (i > 0) {
      in.out.Put('\n');
      in.out.Flush();
      if (!in.kernel.Sleep(in.process, in.clock.MonotonicNow() + ToNanoseconds(options.delay))) return 1;
    }
    screen.Draw();
    if (!in.out.status()) return 1;
  }
  return 0;
}

}  // namespace

extern const Command kCommand_top;
const Command kCommand_top = {
    .name = "top",
    .summary = "display processes",
    .synopsis = "-b [options]",
    .options = kOptions,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
