// date - print the date and time
//
// usage: date [OPTION]... [+FORMAT]
//
// Exit status: 0, or 1 for a bad date or an attempt to set the clock.
// Source: GNU coreutils 9.1.
// Differs: the clock cannot be set: --set fails as for an ordinary user.

#include "commands/input_files.h"
#include "proc/command.h"
#include "text/choice.h"
#include "text/date/date_parse.h"
#include "text/date/time_format.h"
#include "text/date/time_zone.h"
#include "text/quote.h"
#include "vfs/file_system.h"

namespace paddock {
namespace {

struct Options {
  bool resolution = false, debug = false;
  std::vector<std::string> dates;
  std::optional<std::string> file;
  std::optional<std::string> reference;
  std::optional<std::string> set;
  std::string format;
  bool has_format = false;
  bool is_utc = false;
  bool is_utf8 = true;

  Status SetFormat(std::string_view text) {
    if (has_format) return Error(Code::kInvalid, "multiple output formats specified");
    has_format = true;
    format = text;
    return {};
  }
};

Status ChooseIso(Options& options, std::string_view precision) {
  static constexpr Choice kChoices[] = {{"hours", 0}, {"minutes", 1}, {"date", 2}, {"seconds", 3}, {"ns", 4}};
  static constexpr const char* kFormats[] = {"%Y-%m-%dT%H%:z", "%Y-%m-%dT%H:%M%:z", "%Y-%m-%d",
                                             "%Y-%m-%dT%H:%M:%S%:z", "%Y-%m-%dT%H:%M:%S,%N%:z"};
  if (precision.data() == nullptr) return options.SetFormat("%Y-%m-%d");
  PADDOCK_ASSIGN(const int choice, FindChoice("--iso-8601", precision, kChoices, options.is_utf8));
  return options.SetFormat(kFormats[choice]);
}
Status ChooseRfc3339(Options& options, std::string_view precision) {
  static constexpr Choice kChoices[] = {{"date", 0}, {"seconds", 1}, {"ns", 2}};
  static constexpr const char* kFormats[] = {"%Y-%m-%d", "%Y-%m-%d %H:%M:%S%:z", "%Y-%m-%d %H:%M:%S.%N%:z"};
  PADDOCK_ASSIGN(const int choice, FindChoice("--rfc-3339", precision, kChoices, options.is_utf8));
  return options.SetFormat(kFormats[choice]);
}
Status ChooseEmail(Options& options, std::string_view) { return options.SetFormat("%a, %d %b %Y %H:%M:%S %z"); }

constexpr Option kOptions[] = {
    Flag<&Options::debug>(0, "debug", "tell what a date is taken for, and the format, on standard error"),
    Value<&Options::dates>('d', "date", "STRING", "display time described by STRING, not 'now'"),
    Value<&Options::file>('f', "file", "DATEFILE", "like --date; once for each line of DATEFILE"),
    Flag<&Options::resolution>(0, "resolution", "output the available resolution of timestamps"),
    CallOptional<ChooseIso>('I', "iso-8601", "FMT", "output date/time in ISO 8601 format"),
    Call<ChooseEmail>('R', "rfc-email", nullptr, "output date and time in RFC 5322 format"),
    Call<ChooseEmail>(0, "rfc-2822", nullptr, nullptr),
    Call<ChooseRfc3339>(0, "rfc-3339", "FMT", "output date/time in RFC 3339 format"),
    Value<&Options::reference>('r', "reference", "FILE", "display the last modification time of FILE"),
    Value<&Options::set>('s', "set", "STRING", "set time described by STRING"),
    Flag<&Options::is_utc>('u', "utc", "print or set Coordinated Universal Time (UTC)"),
    Flag<&Options::is_utc>(0, "universal", nullptr),
    Flag<&Options::is_utc>(0, "uct", nullptr),
};

TimePoint ToPoint(Nanoseconds time) {
  int64_t seconds = time.count() / 1'000'000'000;
  int64_t nanos = time.count() % 1'000'000'000;
  if (nanos < 0) {
    nanos += 1'000'000'000;
    --seconds;
  }
  return TimePoint{seconds, static_cast<int32_t>(nanos)};
}

class Dater {
 public:
  Dater(Invocation& in, const Options& options)
      : in_(in), zone_(TimeZone::FromTz(options.is_utc ? std::optional<std::string_view>("UTC0") : in.env.Get("TZ"))),
        format_(options.has_format ? options.format : options.resolution ? "%s.%N" : in.locale.is_utf8 ? "%a %b %e %H:%M:%S %Z %Y" : "%a %b %e %H:%M:%S %Z %Y"),
        now_(ToPoint(in.clock.RealNow())), debugs_(options.debug) {
    if (const auto tz = in.env.Get("TZ"); options.is_utc) {
      zone_text_ = "TZ=\"UTC0\" environment value or -u";
      final_zone_text_ = "Universal Time";
    } else {
      zone_text_ = final_zone_text_ = tz ? "TZ=\"" + std::string(*tz) + "\" environment value" : "system default";
    }
  }

  void Print(const TimePoint& moment) {
    if (debugs_) in_.Fail("output format: " + Quote(format_, in_.locale.is_utf8));
    in_.out.WriteLine(FormatTime(format_, zone_.ToLocal(moment.seconds), moment, in_.budget));
  }
  bool PrintText(std::string_view text) {
    DateTrace trace{.zone = zone_text_, .final_zone = final_zone_text_, .lines = {}};
    const auto moment = ParseDate(text, now_, zone_, in_.budget, debugs_ ? &trace : nullptr);
    for (const std::string& line : trace.lines) in_.Fail(line);
    if (!moment) {
      in_.Fail("invalid date " + Quote(text, in_.locale.is_utf8));
      return false;
    }
    Print(*moment);
    return true;
  }
  const TimePoint& now() const { return now_; }

 private:
  Invocation& in_;
  TimeZone zone_;
  std::string format_;
  TimePoint now_;
  bool debugs_;
  std::string zone_text_, final_zone_text_;   // where the zone comes from
};

bool HasDates(const Options& options) { return !options.dates.empty() || options.file || options.reference || options.resolution; }

ExitStatus TakeOperand(Invocation& in, Options& options, const std::string& operand) {
  if (operand.starts_with('+')) {
    if (const Status set = options.SetFormat(operand.substr(1)); !set) return in.Fail(set.error().Text());
    return 0;
  }
  if (options.set || HasDates(options)) {
    return in.Usage("the argument " + Quote(operand, in.locale.is_utf8) +
                    " lacks a leading '+';\nwhen using an option to specify date(s), any non-option\n"
                    "argument must be a format string beginning with '+'");
  }
  if (operand.find_first_not_of("0123456789.") == std::string::npos) {
    return in.Fail("cannot set date: Operation not permitted");
  }
  return in.Fail("invalid date " + Quote(operand, in.locale.is_utf8));
}

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  const int sources = static_cast<int>(!options.dates.empty()) + static_cast<int>(options.file.has_value()) +
                      static_cast<int>(options.reference.has_value()) + static_cast<int>(options.resolution);
  if (sources > 1) return in.Usage("the options to specify dates for printing are mutually exclusive");
  if (operands.size() > 1) return in.Usage("extra operand " + Quote(operands[1], in.locale.is_utf8));
  if (!operands.empty()) {
    if (const ExitStatus status = TakeOperand(in, options, operands[0]); status != 0) return status;
  }
  if (options.set) return in.Fail("cannot set date: Operation not permitted");
  Dater dater(in, options);
  if (options.resolution) {
    dater.Print({0, 1});   // the step between two times, as a time
    return 0;
  }
  if (!options.dates.empty()) return dater.PrintText(options.dates.back()) ? 0 : 1;
  if (options.reference) {
    auto stat = in.fs.Stat(*options.reference);
    if (!stat) return in.Fail(QuoteSubject(*options.reference, in.locale.is_utf8), stat.error());
    dater.Print(ToPoint(stat->modify_time));
    return 0;
  }
  if (options.file) {
    bool is_good = true;
    std::string text;
    if (*options.file == "-") {
      text = in.in.ReadAll();
    } else {
      auto content = vfs::ReadFile(in.fs, *options.file);
      if (!content) return in.Fail(QuoteSubject(*options.file, in.locale.is_utf8), content.error());
      text = std::move(*content);
    }
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      if (!dater.PrintText(std::string_view(text).substr(begin, end - begin))) is_good = false;
      begin = end + 1;
    }
    return is_good ? 0 : 1;
  }
  dater.Print(dater.now());
  return 0;
}

// The options' complaints quote by the locale.
ExitStatus ParseAndRun(Invocation& in) {
  Options options;
  options.is_utf8 = in.locale.is_utf8;
  ExitStatus status = 0;
  const auto operands = command_internal::Prepare(in, &options, &status);
  return operands ? Run(in, options, *operands) : status;
}

}  // namespace

extern const Command kCommand_date;
const Command kCommand_date = {
    .name = "date",
    .summary = "display date and time in the given FORMAT",
    .synopsis = "[OPTION]... [+FORMAT]",
    .options = kOptions,
    .run = ParseAndRun,
};

}  // namespace paddock
