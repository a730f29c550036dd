// touch - change file timestamps
//
// usage: touch [OPTION]... FILE...
// Sets the access and modification times of each FILE to now (or to what -d, -r or -t say), creating it
// empty if need be. "-" is the file that standard output is.
//
// Exit status: 0, or 1 when a file could not be touched.
// Source: POSIX touch, GNU coreutils 9.1.
// Differs: times are kept within the years 1677–2262.

#include <cstdio>
#include <cstdlib>

#include "commands/file_facts.h"
#include "proc/command.h"
#include "proc/process.h"
#include "text/choice.h"
#include "text/date/date_parse.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  bool access = false;
  bool modify = false;
  bool no_create = false;
  bool no_dereference = false;
  bool ignored = false;
  std::optional<std::string> date, reference, stamp;
  std::vector<std::string> time_words;
};

constexpr Option kOptions[] = {
    Flag<&Options::access>('a', nullptr, "change only the access time"),
    Flag<&Options::no_create>('c', "no-create", "do not create any files"),
    Value<&Options::date>('d', "date", "STRING", "parse STRING and use it instead of current time"),
    Flag<&Options::ignored>('f', nullptr, "(ignored)"),
    Flag<&Options::no_dereference>('h', "no-dereference",
                                   "affect each symbolic link instead of any referenced file"),
    Flag<&Options::modify>('m', nullptr, "change only the modification time"),
    Value<&Options::reference>('r', "reference", "FILE", "use this file's times instead of current time"),
    Value<&Options::stamp>('t', nullptr, "STAMP", "use [[CC]YY]MMDDhhmm[.ss] instead of current time"),
    Value<&Options::time_words>(0, "time", "WORD",
                                "change the specified time: access, atime, use (like -a) or modify, mtime "
                                "(like -m)"),
};

constexpr Choice kTimes[] = {{"atime", 0}, {"access", 0}, {"use", 0}, {"mtime", 1}, {"modify", 1}};

// The two times to set; kNow for the clock's.
struct Times {
  Nanoseconds access = vfs::kNow;
  Nanoseconds modify = vfs::kNow;
};

// [[CC]YY]MMDDhhmm[.ss] in local time.
std::optional<TimePoint> ParseStamp(std::string_view text, const TimeZone& zone, const TimePoint& now) {
  int second = 0;
  if (const size_t dot = text.find('.'); dot != std::string_view::npos) {
    if (text.size() - dot != 3) return std::nullopt;
    for (const char c : text.substr(dot + 1)) {
      if (c < '0' || c > '9') return std::nullopt;
      second = second * 10 + (c - '0');
    }
    text = text.substr(0, dot);
  }
  if (text.size() != 8 && text.size() != 10 && text.size() != 12) return std::nullopt;
  std::vector<int> pairs;
  for (size_t i = 0; i < text.size(); i += 2) {
    if (text[i] < '0' || text[i] > '9' || text[i + 1] < '0' || text[i + 1] > '9') return std::nullopt;
    pairs.push_back((text[i] - '0') * 10 + (text[i + 1] - '0'));
  }
  int64_t year = zone.ToLocal(now.seconds).year;
  size_t next = 0;
  if (text.size() == 12) {
    year = pairs[0] * 100 + pairs[1];
    next = 2;
  } else if (text.size() == 10) {
    year = pairs[0] + (pairs[0] < 69 ? 2000 : 1900);
    next = 1;
  }
  const TimeZone::Fields fields{year, pairs[next], pairs[next + 1], pairs[next + 2], pairs[next + 3], second};
  const auto seconds = zone.FromLocal(fields);
  if (!seconds) return std::nullopt;
  const CalendarTime shown = zone.ToLocal(*seconds);
  const bool is_leap_second = second == 60;
  if (shown.month != fields.month || shown.day != fields.day || shown.hour != fields.hour ||
      shown.minute != fields.minute || shown.second != second) {
    return is_leap_second ? std::optional(TimePoint{*seconds, 0}) : std::nullopt;
  }
  return TimePoint{*seconds, 0};
}

class Toucher {
 public:
  Toucher(Invocation& in, const Options& options) : in_(in), o_(options) {}

  // Finds out the times; the exit status when they are no times.
  std::optional<ExitStatus> Prepare(std::vector<std::string>& operands) {
    if (const auto stamp = ObsoleteStamp(operands)) {
      operands.erase(operands.begin());
      times_ = {*stamp, *stamp};
      is_now_ = false;
    }
    bool access = o_.access, modify = o_.modify;
    for (const std::string& word : o_.time_words) {
      const auto kind = FindChoice("--time", word, kTimes, in_.locale.is_utf8);
      if (!kind) return in_.Usage(kind.error().message);
      (*kind == 0 ? access : modify) = true;
    }
    sets_access_ = access || !modify;
    sets_modify_ = modify || !access;
    is_now_ = is_now_ && sets_access_ && sets_modify_ && !o_.stamp && !o_.reference && !o_.date;
    if (o_.stamp && (o_.reference || o_.date)) return in_.Usage("cannot specify times from more than one source");
    const TimeZone zone = LocalZone(in_.env);
    if (o_.stamp) {
      const auto moment = ParseStamp(*o_.stamp, zone, Now(in_.clock));
      if (!moment) return BadDate(*o_.stamp);
      return SetBoth(*moment, *moment, *o_.stamp);
    }
    TimePoint access_base = Now(in_.clock), modify_base = access_base;
    if (o_.reference) {
      const auto found = in_.fs.Stat(*o_.reference, Follow());
      if (!found) {
        return in_.Fail("failed to get attributes of " + QuoteFile(*o_.reference, in_.locale.is_utf8), found.error());
      }
      times_ = {found->access_time, found->modify_time};
      access_base = ToTimePoint(found->access_time);
      modify_base = ToTimePoint(found->modify_time);
    }
    if (!o_.date) return std::nullopt;  // with what ObsoleteStamp found, if anything
    const auto access_time = ParseDate(*o_.date, access_base, zone, in_.budget);
    const auto modify_time = ParseDate(*o_.date, modify_base, zone, in_.budget);
    if (!access_time || !modify_time) return BadDate(*o_.date);
    return SetBoth(*access_time, *modify_time, *o_.date);
  }

  bool Touch(const std::string& path) {
    if (path == "-") return TouchOutput();
    std::optional<Error> open_error;
    if (!o_.no_create && !o_.no_dereference) {
      const bool is_new = is_now_ && !in_.fs.Stat(path, vfs::Follow::kNo);
      const vfs::OpenFlags flags{.write = true, .create = true, .nonblocking = true};
      const auto file = in_.fs.Open(path, flags, 0666);
      if (!file && file.error().code != Code::kIsDirectory && file.error().code != Code::kInvalid &&
          file.error().code != Code::kNotPermitted && !path.ends_with('/')) {
        open_error = file.error();
      }
      if (is_new && file) return true;   // all its times are now, the very same one
    }
    const Status set = in_.fs.SetTimes(path, sets_access_ ? std::optional(times_.access) : std::nullopt,
                                       sets_modify_ ? std::optional(times_.modify) : std::nullopt, Follow());
    if (set) return true;
    const std::string shown = QuoteFile(path, in_.locale.is_utf8);
    if (open_error) {
      in_.Fail("cannot touch " + shown, *open_error);
      return false;
    }
    if (o_.no_create && set.error().code == Code::kNoEntry) return true;
    in_.Fail("setting times of " + shown, set.error());
    return false;
  }

 private:
  // POSIX before 2001: MMDDhhmm[YY], of a year before 2000, as the first of several operands.
  std::optional<Nanoseconds> ObsoleteStamp(const std::vector<std::string>& operands) const {
    if (o_.date || o_.stamp || o_.reference || operands.size() < 2) return std::nullopt;
    const std::string standard(in_.env.Get("_POSIX2_VERSION", ""));
    if (standard.empty() || std::strtol(standard.c_str(), nullptr, 10) >= 200112) return std::nullopt;
    std::string text = operands[0];
    if (text.size() != 8 && text.size() != 10) return std::nullopt;
    if (text.size() == 10) {
      const std::string year = text.substr(8);
      if (year < "69") return std::nullopt;
      text = "19" + year + text.substr(0, 8);
    }
    const TimeZone zone = LocalZone(in_.env);
    const auto moment = ParseStamp(text, zone, Now(in_.clock));
    if (!moment) return std::nullopt;
    if (!in_.env.Get("POSIXLY_CORRECT")) {
      const CalendarTime time = zone.ToLocal(moment->seconds);
      char modern[48];
      std::snprintf(modern, sizeof modern, "%04lld%02d%02d%02d%02d.%02d", static_cast<long long>(time.year), time.month,
                    time.day, time.hour, time.minute, time.second);
      in_.Fail("warning: 'touch " + operands[0] + "' is obsolete; use 'touch -t " + modern + "'");
    }
    return FromTimePoint(*moment);
  }

  vfs::Follow Follow() const { return o_.no_dereference ? vfs::Follow::kNo : vfs::Follow::kYes; }

  ExitStatus BadDate(const std::string& text) {
    return in_.Fail("invalid date format " + Quote(text, in_.locale.is_utf8));
  }

  std::optional<ExitStatus> SetBoth(const TimePoint& access, const TimePoint& modify, const std::string& text) {
    const auto access_time = FromTimePoint(access), modify_time = FromTimePoint(modify);
    if (!access_time || !modify_time) return BadDate(text);
    times_ = {*access_time, *modify_time};
    return std::nullopt;
  }

  // Standard output by the path it was opened by.
  bool TouchOutput() {
    const vfs::OpenFilePtr& out = in_.process.descriptors().Get(1);
    const std::string path = out != nullptr ? out->description() : "";
    if (out != nullptr && !path.starts_with('/')) return true;   // the times of a pipe, which nobody sees
    const Status set = out == nullptr ? Status(Error(Code::kBadDescriptor)) : in_.fs.SetTimes(path, sets_access_ ? std::optional(times_.access) : std::nullopt,
                                       sets_modify_ ? std::optional(times_.modify) : std::nullopt);
    if (set) return true;
    if (o_.no_create && set.error().code == Code::kBadDescriptor) return true;
    in_.Fail("setting times of " + QuoteFile("-", in_.locale.is_utf8), set.error());
    return false;
  }

  Invocation& in_;
  const Options& o_;
  Times times_;
  bool sets_access_ = true, sets_modify_ = true;
  bool is_now_ = true;   // both, to this moment
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& given) {
  std::vector<std::string> operands = given;
  Toucher toucher(in, options);
  if (const auto failed = toucher.Prepare(operands)) return *failed;
  if (operands.empty()) return in.Usage("missing file operand");
  ExitStatus status = 0;
  for (const std::string& path : operands) {
    in.budget.Step();
    if (!toucher.Touch(path)) status = 1;
  }
  return status;
}

}  // namespace

extern const Command kCommand_touch;
const Command kCommand_touch = Define<Options, Run>({
    .name = "touch",
    .summary = "update the access and modification times of each FILE to the current time",
    .synopsis = "[OPTION]... FILE...",
    .options = kOptions,
});

}  // namespace paddock
