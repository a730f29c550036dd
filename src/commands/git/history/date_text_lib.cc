// Dates of commits in the forms of --date.
#include <algorithm>
#include <iterator>

#include "commands/file_facts.h"
#include "commands/git/history/pretty.h"
#include "text/date/time_format.h"

namespace paddock::git {
namespace {

std::string Plural(int64_t count, const char* unit) { return std::to_string(count) + " " + unit + (count == 1 ? "" : "s"); }

std::string RelativeDate(const Git& git, int64_t time) {
  const int64_t now = Now(git.in.clock).seconds;
  if (now < time) return "in the future";
  int64_t diff = now - time;
  if (diff < 90) return Plural(diff, "second") + " ago";
  diff = (diff + 30) / 60;
  if (diff < 90) return Plural(diff, "minute") + " ago";
  diff = (diff + 30) / 60;
  if (diff < 36) return Plural(diff, "hour") + " ago";
  diff = (diff + 12) / 24;
  if (diff < 14) return Plural(diff, "day") + " ago";
  if (diff < 70) return Plural((diff + 3) / 7, "week") + " ago";
  if (diff < 365) return Plural((diff + 15) / 30, "month") + " ago";
  if (diff < 1825) {
    const int64_t months = (diff * 12 * 2 + 365) / (365 * 2);
    const int64_t years = months / 12, rest = months % 12;
    return rest != 0 ? Plural(years, "year") + ", " + Plural(rest, "month") + " ago" : Plural(years, "year") + " ago";
  }
  return Plural((diff + 183) / 365, "year") + " ago";
}

// As little as tells a date apart from today: the day and the time of the last days, else a date.
std::string HumanDate(const Git& git, const Signature& signature, const CalendarTime& time, bool is_local) {
  const int64_t now = Now(git.in.clock).seconds;
  const int here = LocalZone(git.in.env).ToLocal(now).offset;
  const CalendarTime today = ToUtc(now + here);
  const TimePoint moment{signature.time, 0};
  const auto format = [&](std::string_view pattern) { return FormatTime(pattern, time, moment, git.in.budget, TimeDialect::kLibc); };
  const bool is_this_year = time.year == today.year;
  if (!is_this_year) return format("%b %-d %Y");
  bool hides_date = false;
  if (time.month == today.month) {
    if (time.day == today.day) return RelativeDate(git, signature.time);
    hides_date = time.day < today.day && time.day + 5 > today.day;
  }
  const std::string zone = is_local || signature.offset * 60 == here || !hides_date ? "" : " " + OffsetText(signature.offset);
  return format(hides_date ? "%a %H:%M" : "%a %b %-d %H:%M") + zone;
}

}  // namespace

bool IsDateMode(std::string_view mode) {
  static constexpr std::string_view kModes[] = {"default", "iso", "iso8601", "iso-strict", "iso8601-strict", "short", "rfc", "rfc2822", "raw", "unix", "relative", "human", "human-local", "local", "relative-local", "unix-local", "rfc2822-local", "iso8601-local", "iso8601-strict-local", "default-local", "iso-local", "short-local", "rfc-local", "raw-local", "iso-strict-local"};
  return mode.starts_with("format:") || mode.starts_with("format-local:") || std::find(std::begin(kModes), std::end(kModes), mode) != std::end(kModes);
}

std::string DateText(const Git& git, const Signature& signature, std::string_view mode) {
  const bool is_local = mode == "local" || mode.ends_with("-local") || mode.starts_with("format-local:");
  int offset = signature.offset;
  if (is_local) offset = LocalZone(git.in.env).ToLocal(signature.time).offset / 60;
  std::string zone = OffsetText(offset);
  CalendarTime time = ToUtc(signature.time + int64_t{offset} * 60);
  time.offset = offset * 60;
  const TimePoint moment{signature.time, 0};
  const auto format = [&](std::string_view pattern) { return FormatTime(pattern, time, moment, git.in.budget, TimeDialect::kLibc); };
  if (mode.starts_with("format:")) return format(mode.substr(7));
  if (mode.starts_with("format-local:")) return format(mode.substr(13));
  if (mode.starts_with("human")) return HumanDate(git, signature, time, is_local);
  if (mode.starts_with("unix")) return std::to_string(signature.time);
  if (mode.starts_with("raw")) return std::to_string(signature.time) + " " + zone;
  if (mode.starts_with("relative")) return RelativeDate(git, signature.time);
  if (mode.starts_with("iso-strict") || mode.starts_with("iso8601-strict")) return format("%Y-%m-%dT%H:%M:%S") + zone.substr(0, 3) + ":" + zone.substr(3);
  if (mode.starts_with("iso")) return format("%Y-%m-%d %H:%M:%S ") + zone;
  if (mode.starts_with("short")) return format("%Y-%m-%d");
  if (mode.starts_with("rfc")) return format("%a, %-d %b %Y %H:%M:%S ") + zone;
  return format("%a %b %-d %H:%M:%S %Y") + (is_local ? "" : " " + zone);
}

}  // namespace paddock::git
