// date - print the date and time
//
// usage: date [OPTION]... [+FORMAT]
//
// Exit status: 0, or 1 for a bad date or an attempt to set the clock.
// Source: GNU coreutils 9.1.
// Differs: the clock cannot be set: --set fails as for an ordinary user. --debug is refused.

#include "commands/input_files.h"
#include "proc/command.h"
#include "text/date_parse.h"
#include "text/quote.h"
#include "text/time_format.h"
#include "text/time_zone.h"
#include "vfs/file_system.h"

namespace paddock {
namespace {

struct Options {
  std::vector<std::string> dates;
  std::optional<std::string> file;
  std::optional<std::string> reference;
  std::optional<std::string> set;
  std::string format;
  bool has_format = false;
  bool is_utc = false;
};

Status ChooseIso(Options& options, std::string_view precision) {
  const auto is = [&](std::string_view name) { return !precision.empty() && name.starts_with(precision); };
  options.has_format = true;
  if (precision.empty() || is("date")) options.format = "%Y-%m-%d";
  else if (is("hours")) options.format = "%Y-%m-%dT%H%:z";
  else if (is("minutes")) options.format = "%Y-%m-%dT%H:%M%:z";
  else if (is("seconds")) options.format = "%Y-%m-%dT%H:%M:%S%:z";
  else if (is("ns")) options.format = "%Y-%m-%dT%H:%M:%S,%N%:z";
  else return Error(Code::kInvalid, "invalid argument '" + std::string(precision) + "' for '--iso-8601'");
  return {};
}
Status ChooseRfc3339(Options& options, std::string_view precision) {
  const auto is = [&](std::string_view name) { return !precision.empty() && name.starts_with(precision); };
  options.has_format = true;
  if (is("date")) options.format = "%Y-%m-%d";
  else if (is("seconds")) options.format = "%Y-%m-%d %H:%M:%S%:z";
  else if (is("ns")) options.format = "%Y-%m-%d %H:%M:%S.%N%:z";
  else return Error(Code::kInvalid, "invalid argument '" + std::string(precision) + "' for '--rfc-3339'");
  return {};
}
Status ChooseEmail(Options& options, std::string_view) {
  options.has_format = true;
  options.format = "%a, %d %b %Y %H:%M:%S %z";
  return {};
}

constexpr Option kOptions[] = {
    Value<&Options::dates>('d', "date", "STRING", "display time described by STRING, not 'now'"),
    Value<&Options::file>('f', "file", "DATEFILE", "like --date; once for each line of DATEFILE"),
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
        format_(options.has_format ? options.format : in.locale.is_utf8 ? "%a %b %e %H:%M:%S %Z %Y" : "%a %b %e %H:%M:%S %Z %Y"),
        now_(ToPoint(in.clock.RealNow())) {}

  void Print(const TimePoint& moment) {
    in_.out.WriteLine(FormatTime(format_, zone_.ToLocal(moment.seconds), moment, in_.budget));
  }
  bool PrintText(std::string_view text) {
    const auto moment = ParseDate(text, now_, zone_, in_.budget);
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
};

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  for (const std::string& operand : operands) {
    if (operand.starts_with('+')) {
      if (options.has_format) return in.Fail("multiple output formats specified");
      options.has_format = true;
      options.format = operand.substr(1);
    } else if (operands.size() > 1 || !options.dates.empty()) {
      return in.Usage(operands.size() > 1 ? "extra operand " + Quote(operand, in.locale.is_utf8)
                                          : "the argument " + Quote(operand, in.locale.is_utf8) +
                                                " lacks a leading '+';\nwhen using an option to specify date(s), any "
                                                "non-option\nargument must be a format string beginning with '+'");
    } else if (operand.find_first_not_of("0123456789.") == std::string::npos) {
      return in.Fail("cannot set date: Operation not permitted");
    } else {
      return in.Fail("invalid date " + Quote(operand, in.locale.is_utf8));
    }
  }
  const int sources = static_cast<int>(!options.dates.empty()) + static_cast<int>(options.file.has_value()) +
                      static_cast<int>(options.reference.has_value());
  if (sources > 1) return in.Usage("the options to specify dates for printing are mutually exclusive");
  if (options.set) return in.Fail("cannot set date: Operation not permitted");
  Dater dater(in, options);
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

}  // namespace

extern const Command kCommand_date;
const Command kCommand_date = Define<Options, Run>({
    .name = "date",
    .summary = "display date and time in the given FORMAT",
    .synopsis = "[OPTION]... [+FORMAT]",
    .options = kOptions,
});

}  // namespace paddock
