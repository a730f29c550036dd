// ts - put a timestamp before each line of input
//
// usage: ts [-i | -s] [-m] [FORMAT] [FILE]...
// FORMAT is strftime's, and %.S, %.s and %.T are %S, %s and %T with microseconds behind them.
//
// Exit status: 0; 255 for a usage error.
// Source: moreutils 0.67.
// Differs: -r, which turns timestamps of the input into ages, is refused. Options may be joined (-is).

#include "commands/file_facts.h"
#include "commands/input_files.h"
#include "proc/command.h"
#include "proc/option_complaint.h"
#include "text/date/time_format.h"
#include "text/date/time_zone.h"

namespace paddock {
namespace {

constexpr ExitStatus kUsage = 255;

struct Options {
  bool relative = false, incremental = false, since_start = false, monotonic = false;
};
constexpr Option kOptions[] = {
    Flag<&Options::relative>('r', "r", "turn the input's timestamps into ages (not supported)"),
    Flag<&Options::incremental>('i', "i", "tell the time since the last line"),
    Flag<&Options::since_start>('s', "s", "tell the time since the start"),
    Flag<&Options::monotonic>('m', "m", "use the clock that is never set back"),
};

// "%.S" becomes "%S.123456".
std::string WithMicroseconds(std::string_view format, int64_t microseconds) {
  std::string digits = std::to_string(microseconds);
  digits.insert(0, 6 - std::min<size_t>(6, digits.size()), '0');
  std::string text;
  while (!format.empty()) {
    if (format.size() >= 3 && format.starts_with("%.") && (format[2] == 'S' || format[2] == 's' || format[2] == 'T')) {
      text.append({'%', format[2], '.'}).append(digits);
      format.remove_prefix(3);
      continue;
    }
    text += format[0];
    format.remove_prefix(1);
  }
  return text;
}

class Stamper {
 public:
  Stamper(Invocation& in, const Options& options, std::string_view format)
      : in_(in), o_(options), format_(format), zone_(is_difference() ? TimeZone() : LocalZone(in.env)), start_(Now()), last_(start_) {}

  void Copy(Input& input) {
    while (in_.out.status()) {
      const auto line = input.ReadLine();
      if (!line) return;
      in_.budget.Step();
      in_.out.Write(Stamp() + " ");
      in_.out.Write(line->text);
      if (line->is_terminated) in_.out.Put('\n');
      // A reader wants each line at its time.
      if (!input.has_buffered()) in_.out.Flush();
    }
  }

 private:
  bool is_difference() const { return o_.incremental || o_.since_start; }
  // Whole seconds unless fractions are asked for: differences are those of the seconds on the clock.
  Nanoseconds Now() const {
    const Nanoseconds now = o_.monotonic ? real_start_ + (in_.clock.MonotonicNow() - monotonic_start_) : in_.clock.RealNow();
    return has_fractions_ ? now : std::chrono::floor<std::chrono::seconds>(now);
  }

  std::string Stamp() {
    const Nanoseconds now = Now();
    Nanoseconds shown = now;
    if (o_.incremental) shown = now - last_;
    else if (o_.since_start) shown = now - start_;
    last_ = now;
    const TimePoint moment = ToTimePoint(shown);
    return FormatTime(WithMicroseconds(format_, moment.nanos / 1000), zone_.ToLocal(moment.seconds), moment, in_.budget, TimeDialect::kLibc);
  }

  Invocation& in_;
  const Options& o_;
  const std::string_view format_;
  const bool has_fractions_ = WithMicroseconds(format_, 0) != format_;
  const TimeZone zone_;
  const Nanoseconds real_start_ = in_.clock.RealNow(), monotonic_start_ = in_.clock.MonotonicNow();
  const Nanoseconds start_;
  Nanoseconds last_;
};

ExitStatus Run(Invocation& in) {
  Options options;
  const auto parsed = ParseOptions(in.args, kOptions, &options);
  if (!parsed || parsed->wants_help || parsed->wants_version) {
    if (!parsed) ComplainOfOption(in, parsed.error().Text());
    in.err.Write("usage: ts [-r] [-i | -s] [-m] [format]\n");
    return kUsage;
  }
  if (options.relative) return in.Fail("-r: not supported", kUsage);
  const std::vector<std::string>& operands = parsed->operands;
  const std::string format = !operands.empty() ? operands[0] : options.incremental || options.since_start ? "%H:%M:%S" : "%b %d %H:%M:%S";
  Stamper stamper(in, options, format);
  if (operands.size() < 2) {
    stamper.Copy(in.in);
    return 0;
  }
  for (size_t i = 1; i < operands.size(); ++i) {
    auto file = InputFile::Open(in, operands[i]);
    if (file) stamper.Copy(file->input());
    else in.err.Write("Can't open " + operands[i] + ": " + std::string(file.error().Text()) + "\n");
  }
  return 0;
}

}  // namespace

extern const Command kCommand_ts;
const Command kCommand_ts = {
    .name = "ts",
    .summary = "timestamp input",
    .synopsis = "[-i | -s] [-m] [FORMAT] [FILE]...",
    .options = kOptions,
    .usage_status = kUsage,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
