// uptime - tell how long the system has been running
//
// usage: uptime [OPTION]
//
// Exit status: 0, or 1 for a usage error.
// Source: procps-ng 4.0.2.
// Differs: times and loads are those of the sandbox's /proc, which start with the exec; nobody is logged in.

#include <cmath>

#include "commands/file_facts.h"
#include "proc/command.h"
#include "text/date/time_format.h"
#include "text/date/time_zone.h"

namespace paddock {
namespace {

enum class Form { kFull, kPretty, kSince };

struct Options {
  Form form = Form::kFull;
  bool wants_help = false;
  bool wants_version = false;
};

constexpr Option kOptions[] = {
    Set<&Options::form, Form::kPretty>('p', "pretty", "show uptime in pretty format"),
    Flag<&Options::wants_help>('h', "help", "display this help and exit"),
    Set<&Options::form, Form::kSince>('s', "since", "system up since"),
    Flag<&Options::wants_version>('V', "version", "output version information and exit"),
};

constexpr std::string_view kUsage =
    "\nUsage:\n uptime [options]\n\nOptions:\n -p, --pretty   show uptime in pretty format\n"
    " -h, --help     display this help and exit\n -s, --since    system up since\n"
    " -V, --version  output version information and exit\n\nFor more details see uptime(1).\n";

std::string Counted(int64_t count, std::string_view unit) {
  return std::to_string(count) + " " + std::string(unit) + (count == 1 ? "" : "s");
}

std::string TwoDigits(int64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); }

// "2 days, 3 hours, 4 minutes"
std::string PrettyText(int64_t seconds) {
  constexpr int64_t kMinute = 60, kHour = 3600, kDay = 86400, kWeek = 7 * kDay, kYear = 365 * kDay, kDecade = 10 * kYear;
  constexpr std::pair<int64_t, std::string_view> kUnits[] = {{kDecade, "decade"}, {kYear, "year"}, {kWeek, "week"},
                                                             {kDay, "day"},       {kHour, "hour"}, {kMinute, "minute"}};
  std::string text;
  for (const auto& [size, name] : kUnits) {
    const int64_t count = seconds / size;
    seconds %= size;
    if (count == 0) continue;
    if (!text.empty()) text += ", ";
    text += Counted(count, name);
  }
  return text.empty() ? "0 minutes" : text;
}

// "2 days,  3:04" or "2 min"
std::string ShortText(int64_t seconds) {
  const int64_t days = seconds / 86400;
  const int64_t hours = seconds / 3600 % 24;
  const int64_t minutes = seconds / 60 % 60;
  std::string text = days == 0 ? "" : Counted(days, "day") + ", ";
  if (hours == 0) return text + std::to_string(minutes) + " min";
  return text + (hours < 10 ? " " : "") + std::to_string(hours) + ":" + TwoDigits(minutes);
}

std::string LoadText(Invocation& in) {
  const auto loads = vfs::ReadFile(in.fs, "/proc/loadavg", 4096);
  std::string text;
  std::string_view rest = loads ? std::string_view(*loads) : std::string_view();
  for (int i = 0; i < 3; ++i) {
    const size_t end = std::min(rest.find(' '), rest.size());
    text += (i > 0 ? ", " : "") + (end > 0 ? std::string(rest.substr(0, end)) : "0.00");
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text;
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (options.wants_help) {
    in.out.Write(kUsage);
    return 0;
  }
  if (options.wants_version) {
    in.out.WriteLine("uptime from procps-ng 4.0.2");
    return 0;
  }
  if (!operands.empty()) {
    in.err.Write(kUsage);
    return 1;
  }
  const auto up_text = vfs::ReadFile(in.fs, "/proc/uptime", 4096);
  const double up = up_text ? std::strtod(up_text->c_str(), nullptr) : 0;
  const auto seconds = static_cast<int64_t>(up);
  const TimeZone zone = LocalZone(in.env);
  if (options.form == Form::kPretty) {
    in.out.WriteLine("up " + PrettyText(seconds));
    return 0;
  }
  TimePoint moment = Now(in.clock);
  if (options.form == Form::kSince) {
    moment = ToTimePoint(in.clock.RealNow() - std::chrono::seconds(seconds));
    in.out.WriteLine(FormatTime("%Y-%m-%d %H:%M:%S", zone.ToLocal(moment.seconds), moment, in.budget));
    return 0;
  }
  in.out.WriteLine(" " + FormatTime("%H:%M:%S", zone.ToLocal(moment.seconds), moment, in.budget) + " up " +
                   ShortText(seconds) + ",  0 user,  load average: " + LoadText(in));
  return 0;
}

}  // namespace

extern const Command kCommand_uptime;
const Command kCommand_uptime = Define<Options, Run>({
    .name = "uptime",
    .summary = "tell how long the system has been running",
    .synopsis = "[options]",
    .options = kOptions,
});

}  // namespace paddock
