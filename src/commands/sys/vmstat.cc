// vmstat - report memory, processes and processor activity
//
// usage: vmstat [options] [DELAY [COUNT]]
//
// Exit status: 0, or 1 for a usage error.
// Source: procps-ng 4.0.2.
// Differs: the machine is the sandbox (/proc/meminfo, /proc/stat): it has no swap and no cache, and its processor counts as idle. -d, -D, -m
// and -p are refused: there are no disks and no slabs.

#include <charconv>
#include <cstdio>
#include <map>

#include "commands/file_facts.h"
#include "commands/sys/process_table.h"
#include "proc/kernel.h"
#include "proc/option_complaint.h"
#include "text/date/time_format.h"

namespace paddock {
namespace {

struct Options {
  bool active = false, forks = false, one_header = false, statistics = false, wide = false, timestamp = false, no_first = false;
  bool disks = false;
  std::string unit = "K", partition;
  bool wants_help = false, wants_version = false;
};
constexpr Option kOptions[] = {
    Flag<&Options::active>('a', "active", "active/inactive memory"),
    Flag<&Options::forks>('f', "forks", "number of forks since boot"),
    Flag<&Options::disks>('m', "slabs", "refused: there are no slabs"),
    Flag<&Options::one_header>('n', "one-header", "do not redisplay header"),
    Flag<&Options::statistics>('s', "stats", "event counter statistics"),
    Flag<&Options::disks>('d', "disk", "refused: there are no disks"),
    Flag<&Options::disks>('D', "disk-sum", "refused: there are no disks"),
    Value<&Options::partition>('p', "partition", "DEV", "refused: there are no disks"),
    Value<&Options::unit>('S', "unit", "CHAR", "define display unit"),
    Flag<&Options::wide>('w', "wide", "wide output"),
    Flag<&Options::timestamp>('t', "timestamp", "show timestamp"),
    Flag<&Options::no_first>('y', "no-first", "skips first line of output"),
    Flag<&Options::wants_help>('h', "help", "display this help and exit"),
    Flag<&Options::wants_version>('V', "version", "output version information and exit"),
};

void PrintUsage(Output& to) { to.Write("\nUsage:\n vmstat [options] [delay [count]]\n\nOptions:\n" + OptionHelp(kOptions) + "\nFor more details see vmstat(8).\n"); }

// The first number behind each name of a file of /proc.
std::map<std::string, uint64_t> ReadFigures(Invocation& in, const char* path) {
  std::map<std::string, uint64_t> figures;
  const auto text = vfs::ReadFile(in.fs, path, 1 << 20);
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty()) {
    in.budget.Step();
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    const size_t name_end = line.find_first_of(": ");
    const size_t digits = line.find_first_of("0123456789", name_end);
    if (name_end != std::string_view::npos && digits != std::string_view::npos) {
      std::from_chars(line.data() + digits, line.data() + line.size(), figures[std::string(line.substr(0, name_end))]);
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return figures;
}

class Report {
 public:
  Report(Invocation& in, const Options& options, uint64_t divisor) : in_(in), o_(options), divisor_(divisor), zone_(LocalZone(in.env)) {}

  void Header() {
    const char* memory = o_.active ? "inact active" : " buff  cache";
    if (o_.wide) {
      in_.out.Write("--procs-- -----------------------memory---------------------- ---swap-- -----io---- -system-- ----------cpu----------");
      if (o_.timestamp) in_.out.Write(" -----timestamp-----");
      in_.out.Write("\n   r    b         swpd         free " + std::string(o_.active ? "       inact       active" : "        buff        cache") +
                    "   si   so    bi    bo   in   cs  us  sy  id  wa  st  gu");
    } else {
      in_.out.Write("procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----");
      if (o_.timestamp) in_.out.Write(" -----timestamp-----");
      in_.out.Write("\n r  b   swpd   free  " + std::string(memory) + "   si   so    bi    bo   in   cs us sy id wa st");
    }
    if (o_.timestamp) {
      const std::string zone = zone_.ToLocal(Now(in_.clock).seconds).zone;
      in_.out.Write(" " + std::string(zone.size() < 19 ? 19 - zone.size() : 0, ' ') + zone);
    }
    in_.out.Put('\n');
  }

  void Line() {
    const auto memory = ReadFigures(in_, "/proc/meminfo");
    int running = 0;
    for (const ProcessFacts& process : ListProcesses(in_)) running += process.state == 'R' ? 1 : 0;
    const uint64_t free = Unit(memory, "MemFree"), used = Unit(memory, "MemTotal") - free;
    // What is used counts as active.
    const uint64_t third = o_.active ? Unit(memory, "Inactive") : Unit(memory, "Buffers"), fourth = o_.active ? used : Unit(memory, "Cached");
    char text[256];
    std::snprintf(text, sizeof text,
                  o_.wide ? "%4d %4d %12llu %12llu %12llu %12llu %4d %4d %5d %5d %4d %4d %3d %3d %3d %3d %3d %3d"
                          : "%2d %2d %6llu %6llu %6llu %6llu %4d %4d %5d %5d %4d %4d %2d %2d %2d %2d %2d",
                  running, 0, static_cast<unsigned long long>(Unit(memory, "SwapTotal") - Unit(memory, "SwapFree")), static_cast<unsigned long long>(free),
                  static_cast<unsigned long long>(third), static_cast<unsigned long long>(fourth), 0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0);
    in_.out.Write(text);
    if (o_.timestamp) {
      const TimePoint moment = Now(in_.clock);
      in_.out.Write(" " + FormatTime("%Y-%m-%d %H:%M:%S", zone_.ToLocal(moment.seconds), moment, in_.budget));
    }
    in_.out.Put('\n');
  }

  void Statistics() {
    const auto memory = ReadFigures(in_, "/proc/meminfo"), machine = ReadFigures(in_, "/proc/stat");
    const auto line = [&](uint64_t value, const std::string& name) {
      char text[32];
      std::snprintf(text, sizeof text, "%13llu ", static_cast<unsigned long long>(value));
      in_.out.Write(text + name + "\n");
    };
    const uint64_t total = Unit(memory, "MemTotal"), free = Unit(memory, "MemFree");
    const std::string unit = o_.unit + " ";
    line(total, unit + "total memory");
    line(total - Unit(memory, "MemAvailable"), unit + "used memory");
    line(total - free, unit + "active memory");
    line(Unit(memory, "Inactive"), unit + "inactive memory");
    line(free, unit + "free memory");
    line(Unit(memory, "Buffers"), unit + "buffer memory");
    line(Unit(memory, "Cached"), unit + "swap cache");
    line(Unit(memory, "SwapTotal"), unit + "total swap");
    line(Unit(memory, "SwapTotal") - Unit(memory, "SwapFree"), unit + "used swap");
    line(Unit(memory, "SwapFree"), unit + "free swap");
    // The processor's shares, as /proc/stat counts them: all of them idle.
    const auto text = vfs::ReadFile(in_.fs, "/proc/stat", 1 << 20);
    std::vector<uint64_t> ticks;
    for (const std::string& word : SplitList(text ? std::string_view(*text).substr(0, text->find('\n')) : std::string_view())) {
      uint64_t value = 0;
      if (std::from_chars(word.data(), word.data() + word.size(), value).ec == std::errc()) ticks.push_back(value);
    }
    ticks.resize(10);
    constexpr const char* kTicks[] = {"non-nice user cpu ticks", "nice user cpu ticks", "system cpu ticks", "idle cpu ticks", "IO-wait cpu ticks",
                                      "IRQ cpu ticks", "softirq cpu ticks", "stolen cpu ticks", "non-nice guest cpu ticks", "nice guest cpu ticks"};
    for (size_t i = 0; i < std::size(kTicks); ++i) line(ticks[i], kTicks[i]);
    line(0, "K paged in");
    line(0, "K paged out");
    line(0, "pages swapped in");
    line(0, "pages swapped out");
    line(Get(machine, "intr"), "interrupts");
    line(Get(machine, "ctxt"), "CPU context switches");
    line(Get(machine, "btime"), "boot time");
    line(Get(machine, "processes"), "forks");
  }

  static uint64_t Get(const std::map<std::string, uint64_t>& figures, const char* name) {
    const auto found = figures.find(name);
    return found == figures.end() ? 0 : found->second;
  }

 private:
  uint64_t Unit(const std::map<std::string, uint64_t>& figures, const char* name) const { return Get(figures, name) * 1024 / divisor_; }

  Invocation& in_;
  const Options& o_;
  uint64_t divisor_;
  TimeZone zone_;
};

std::optional<int64_t> ReadNumber(const std::string& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

ExitStatus Run(Invocation& in) {
  Options options;
  const auto parsed = ParseOptions(in.args, kOptions, &options);
  if (!parsed) ComplainOfOption(in, parsed.error().Text());
  if (!parsed || options.wants_help || parsed->operands.size() > 2) {
    const bool is_asked = parsed && options.wants_help;
    PrintUsage(is_asked ? in.out : in.err);
    return is_asked ? 0 : 1;
  }
  if (options.wants_version) return in.out.Write(VersionText(in.command, in.name())), 0;
  if (options.disks || !options.partition.empty()) return in.Fail("-d, -D, -m, -p: not supported: there are no disks and no slabs");
  constexpr std::pair<std::string_view, uint64_t> kUnits[] = {{"k", 1000}, {"K", 1024}, {"m", 1'000'000}, {"M", 1 << 20}};
  uint64_t divisor = 0;
  for (const auto& [name, size] : kUnits) {
    if (name == options.unit.substr(0, 1)) divisor = size;
  }
  if (divisor == 0) return in.Fail("-S requires k, K, m or M (default is KiB)");
  options.unit.resize(1);
  std::vector<int64_t> numbers;
  for (const std::string& word : parsed->operands) {
    const auto number = ReadNumber(word);
    if (!number) return in.Fail("failed to parse argument: '" + word + "'");
    if (numbers.empty() && *number < 1) return in.Fail("delay must be positive integer");
    numbers.push_back(*number);
  }
  Report report(in, options, divisor);
  if (options.forks) {
    char text[32];
    std::snprintf(text, sizeof text, "%13llu", static_cast<unsigned long long>(Report::Get(ReadFigures(in, "/proc/stat"), "processes")));
    in.out.Write(std::string(text) + " forks\n");
    return 0;
  }
  if (options.statistics) return report.Statistics(), 0;
  const int64_t count = numbers.size() > 1 ? std::max<int64_t>(numbers[1], 1) : numbers.empty() ? 1 : INT64_MAX;
  constexpr int64_t kHeaderEvery = 22;
  for (int64_t i = 0; i < count; ++i) {
    in.budget.Step();
    const bool waits = i > 0 || options.no_first;
    if (waits) {
      const double seconds = numbers.empty() ? 1 : static_cast<double>(numbers[0]);
      in.out.Flush();
      const auto pause = std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(std::min(seconds, 1e9)));
      if (!in.kernel.Sleep(in.process, in.clock.MonotonicNow() + pause)) return 1;
    }
    if (i == 0 || (!options.one_header && i % kHeaderEvery == 0)) report.Header();
    report.Line();
  }
  return 0;
}

}  // namespace

extern const Command kCommand_vmstat;
const Command kCommand_vmstat = {
    .name = "vmstat",
    .summary = "report virtual memory statistics",
    .synopsis = "[options] [DELAY [COUNT]]",
    .options = kOptions,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
