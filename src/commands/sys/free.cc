// free - display the memory of the sandbox
//
// usage: free [options]
//
// Exit status: 0, or 1 for a usage error.
// Source: procps-ng 4.0.2.
// Differs: the machine is the sandbox: its total is the memory limit of the exec (/proc/meminfo); there is no cache and no swap.

#include <charconv>
#include <cmath>
#include <cstdio>
#include <map>

#include "proc/command.h"
#include "proc/kernel.h"
#include "proc/option_complaint.h"
#include "text/date/duration.h"

namespace paddock {
namespace {

struct Options {
  bool human = false, si = false, low_high = false, total = false, committed = false, wide = false;
  bool wants_help = false, wants_version = false;
  bool has_unit = false;
  int power = 1;        // of 1024, or of 1000
  bool is_decimal = false;
  std::optional<std::string> seconds, count;
};
template <int kPower, bool kDecimal>
Status SetUnit(Options& o, std::string_view) {
  if (o.has_unit) return Error(Code::kInvalid, "Multiple unit options doesn't make sense.");
  o.has_unit = true;
  o.power = kPower;
  o.is_decimal = kDecimal;
  return {};
}
constexpr Option kOptions[] = {
    Call<SetUnit<0, false>>('b', "bytes", nullptr, "show output in bytes"),
    Call<SetUnit<1, true>>(0, "kilo", nullptr, "show output in kilobytes"),
    Call<SetUnit<2, true>>(0, "mega", nullptr, "show output in megabytes"),
    Call<SetUnit<3, true>>(0, "giga", nullptr, "show output in gigabytes"),
    Call<SetUnit<4, true>>(0, "tera", nullptr, "show output in terabytes"),
    Call<SetUnit<5, true>>(0, "peta", nullptr, "show output in petabytes"),
    Call<SetUnit<1, false>>('k', "kibi", nullptr, "show output in kibibytes"),
    Call<SetUnit<2, false>>('m', "mebi", nullptr, "show output in mebibytes"),
    Call<SetUnit<3, false>>('g', "gibi", nullptr, "show output in gibibytes"),
    Call<SetUnit<4, false>>(0, "tebi", nullptr, "show output in tebibytes"),
    Call<SetUnit<5, false>>(0, "pebi", nullptr, "show output in pebibytes"),
    Flag<&Options::human>('h', "human", "show human-readable output"),
    Flag<&Options::si>(0, "si", "use powers of 1000 not 1024"),
    Flag<&Options::low_high>('l', "lohi", "show detailed low and high memory statistics"),
    Flag<&Options::total>('t', "total", "show total for RAM + swap"),
    Flag<&Options::committed>('v', "committed", "show committed memory and commit limit"),
    Value<&Options::seconds>('s', "seconds", "N", "repeat printing every N seconds"),
    Value<&Options::count>('c', "count", "N", "repeat printing N times, then exit"),
    Flag<&Options::wide>('w', "wide", "show buffers and cache apart"),
    Flag<&Options::wants_help>(0, "help", "display this help and exit"),
    Flag<&Options::wants_version>('V', "version", "output version information and exit"),
};

void PrintUsage(Output& to) {
  to.Write("\nUsage:\n free [options]\n\nOptions:\n" + OptionHelp(kOptions) + "\nFor more details see free(1).\n");
}

// The lines of /proc/meminfo, in kB.
std::map<std::string, uint64_t> ReadFigures(Invocation& in) {
  std::map<std::string, uint64_t> figures;
  const auto text = vfs::ReadFile(in.fs, "/proc/meminfo", 1 << 20);
  if (!text) return figures;
  std::string_view rest = *text;
  while (!rest.empty()) {
    in.budget.Step();
    const size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    const size_t colon = line.find(':');
    const size_t digits = line.find_first_of("0123456789", colon);
    if (digits != std::string_view::npos) {
      uint64_t value = 0;
      std::from_chars(line.data() + digits, line.data() + line.size(), value);
      figures[std::string(line.substr(0, colon))] = value;
    }
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return figures;
}

class Table {
 public:
  Table(Invocation& in, const Options& options) : in_(in), o_(options) {}

  void Print() {
    auto figures = ReadFigures(in_);
    const auto get = [&](const char* name) { return static_cast<int64_t>(figures[name]); };
    const int64_t total = get("MemTotal"), free = get("MemFree"), buffers = get("Buffers");
    const int64_t cache = get("Cached") + get("SReclaimable"), available = get("MemAvailable");
    const int64_t used = std::max<int64_t>(total - available, 0);
    const int64_t swap = get("SwapTotal"), swap_free = get("SwapFree");
    in_.out.Write(o_.wide ? "               total        used        free      shared     buffers       cache   available\n"
                          : "               total        used        free      shared  buff/cache   available\n");
    if (o_.wide) Row("Mem:", {total, used, free, get("Shmem"), buffers, cache, available});
    else Row("Mem:", {total, used, free, get("Shmem"), buffers + cache, available});
    if (o_.low_high) {
      Row("Low:", {total, total - free, free});
      Row("High:", {0, 0, 0});
    }
    Row("Swap:", {swap, swap - swap_free, swap_free});
    if (o_.total) Row("Total:", {total + swap, used + swap - swap_free, free + swap_free});
    // What may be promised is what is there: nothing is overcommitted.
    if (o_.committed) Row("Comm:", {total + swap, total - free, free + swap_free});
  }

 private:
  void Row(const char* name, const std::vector<int64_t>& kilobytes) {
    char text[64];
    std::snprintf(text, sizeof text, "%-9s", name);
    std::string line = text;
    for (size_t i = 0; i < kilobytes.size(); ++i) {
      const std::string cell = Cell(kilobytes[i]);
      const size_t width = i == 0 ? 11 : 12;
      line.append(cell.size() < width ? width - cell.size() : 0, ' ').append(i > 0 && cell.size() >= width ? " " : "").append(cell);
    }
    in_.out.WriteLine(line);
  }

  std::string Cell(int64_t kilobytes) const {
    const auto bytes = static_cast<double>(kilobytes) * 1024;
    const double base = o_.is_decimal || o_.si ? 1000 : 1024;
    char text[64];
    if (!o_.human) {
      std::snprintf(text, sizeof text, "%.0f", std::trunc(bytes / std::pow(base, o_.power)));
      return text;
    }
    // At most four columns: "1.3Gi", "912Mi".
    static constexpr char kUnits[] = "BKMGTP";
    int power = 0;
    double value = bytes;
    while (power < 5 && (power == 0 ? value >= base : value >= 1000)) value /= base, ++power;
    if (power == 0) std::snprintf(text, sizeof text, "%.0fB", value);
    else std::snprintf(text, sizeof text, value < 9.95 ? "%.1f%c%s" : "%.0f%c%s", value < 9.95 ? value : std::trunc(value), kUnits[power], o_.si ? "" : "i");
    return text;
  }

  Invocation& in_;
  const Options& o_;
};

ExitStatus Run(Invocation& in) {
  Options options;
  const auto parsed = ParseOptions(in.args, kOptions, &options, {});
  if (!parsed) {
    if (parsed.error().code != Code::kSyntax) return in.Fail(parsed.error().Text());
    ComplainOfOption(in, parsed.error().Text());
    PrintUsage(in.err);
    return 1;
  }
  if (options.wants_help) return PrintUsage(in.out), 0;
  if (options.wants_version) return in.out.Write(VersionText(in.command, in.name())), 0;
  std::optional<double> pause;
  if (options.seconds) {
    const bool is_negative = options.seconds->starts_with('-');
    pause = ParseDuration(is_negative ? options.seconds->substr(1) : *options.seconds);
    if (pause && is_negative) pause = -*pause;
    if (!pause) return in.Fail("seconds argument failed: '" + *options.seconds + "': Invalid argument");
    if (*pause <= 0) return in.Fail("seconds argument `" + *options.seconds + "' is not positive number");
  }
  std::optional<int64_t> count;
  if (options.count) {
    int64_t value = 0;
    const char* end = options.count->data() + options.count->size();
    const auto [stop, error] = std::from_chars(options.count->data(), end, value);
    if (stop != end || error == std::errc::invalid_argument) return in.Fail("failed to parse count argument: '" + *options.count + "'");
    if (error != std::errc() || value < 1) {
      return in.Fail("failed to parse count argument: '" + *options.count + "'", Code::kRange);
    }
    count = value;
  }
  if (!parsed->operands.empty()) {
    PrintUsage(in.err);
    return 1;
  }
  Table table(in, options);
  if (!pause && count) pause = 1;
  while (true) {
    in.budget.Step();
    table.Print();
    if (!pause || (count && --*count == 0)) return 0;
    in.out.Put('\n');
    in.out.Flush();
    if (!in.kernel.Sleep(in.process, in.clock.MonotonicNow() + ToNanoseconds(*pause))) return 1;
  }
}

}  // namespace

extern const Command kCommand_free;
const Command kCommand_free = {
    .name = "free",
    .summary = "display amount of free and used memory in the system",
    .synopsis = "[options]",
    .options = kOptions,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
