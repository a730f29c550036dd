#include "text/date/date_trace.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace paddock::date_internal {
namespace {

bool SameRelative(const Parsed& a, const Parsed& b) {
  const Relative &x = a.relative, &y = b.relative;
  return a.has_relative == b.has_relative && x.year == y.year && x.month == y.month && x.day == y.day && x.hour == y.hour && x.minute == y.minute &&
         x.second == y.second && x.nanos == y.nanos && a.has_relative;
}

std::string RelativeText(const Relative& r) {
  std::string text;
  const auto add = [&](int64_t amount, const char* unit) {
    if (amount != 0) text += (text.empty() ? "" : " ") + Teller::Signed(amount) + " " + unit;
  };
  add(r.year, "year(s)");
  add(r.month, "month(s)");
  add(r.day, "day(s)");
  add(r.hour, "hour(s)");
  add(r.minute, "minutes");
  add(r.second, "seconds");
  add(r.nanos, "nanoseconds");
  return text.empty() ? "today/this/now" : text;
}
}  // namespace

std::string Teller::Number(int64_t value, int width) {
  char text[32];
  std::snprintf(text, sizeof text, "%0*lld", width, static_cast<long long>(value));
  return text;
}

std::string Teller::Signed(int64_t value) { return (value < 0 ? "" : "+") + std::to_string(value); }

std::string Teller::DateText(int64_t year, int64_t month, int64_t day) { return "(Y-M-D) " + Number(year, 4) + "-" + Number(month, 2) + "-" + Number(day, 2); }

std::string Teller::ClockText(int64_t hour, int64_t minute, int64_t second) { return Number(hour, 2) + ":" + Number(minute, 2) + ":" + Number(second, 2); }

std::string Teller::TimeText(const TimeZone::Fields& fields) { return ClockText(fields.hour, fields.minute, fields.second); }

std::string Teller::OffsetText(int64_t seconds) {
  const int64_t all = seconds < 0 ? -seconds : seconds;
  std::string text = (seconds < 0 ? "-" : "+") + Number(all / 3600, 2);
  if (all % 3600 != 0) text += ":" + Number(all / 60 % 60, 2);
  return text;
}

std::string Teller::MomentText(const CalendarTime& time, bool has_zone, int64_t offset) {
  return DateText(time.year, time.month, time.day) + " " + ClockText(time.hour, time.minute, time.second) + (has_zone ? " TZ=" + OffsetText(offset) : "");
}

std::string Teller::DayText(const Parsed& p) {
  static constexpr const char* kOrdinals[] = {"last", "this", "next/first", "(SECOND)", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"};
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  std::string text;
  if (p.day_ordinal == 0) text = "";
  else if (p.day_ordinal >= -1 && p.day_ordinal <= 12) text = std::string(kOrdinals[p.day_ordinal + 1]) + " ";
  else text = std::to_string(p.day_ordinal) + " ";
  return text + kDays[std::clamp(p.day_number, 0, 6)];
}

void Teller::SayItem(const Parsed& before, const Parsed& now, bool is_number) {
  const bool has_date = now.dates != before.dates, has_time = now.times != before.times, has_zone = now.zones != before.zones;
  std::string said;
  const auto add = [&](const std::string& text) { said += (said.empty() ? "" : " ") + text; };
  if (has_date && before.dates == 0) add(DateText(now.year < 0 ? -now.year : now.year, now.month, now.day));
  if (!has_date && now.year_digits != before.year_digits) add("year: " + Number(FullYear(now), 4));
  if (has_time && before.times == 0) {
    std::string clock = ClockText(now.hour, now.minute, now.seconds.seconds);
    if (now.seconds.nanos != 0) clock += "." + Number(now.seconds.nanos, 9);
    if (now.meridian == 1) clock += "pm";
    add(clock);
  }
  if (now.days != before.days && before.days == 0) add(DayText(now) + " (day ordinal=" + std::to_string(now.day_ordinal) + " number=" + std::to_string(now.day_number) + ")");
  if (now.local_zones != before.local_zones) add(std::string("isdst=") + (now.local_is_dst ? "1" : "0") + (now.dsts != before.dsts ? " DST" : ""));
  if (has_zone && before.zones == 0) add("UTC" + OffsetText(now.zone_offset));
  bool is_relative = now.has_relative && !SameRelative(before, now);
  if (is_relative && has_zone) {  // "UTC -8 days" says the number first
    Say("parsed relative part: " + RelativeText(now.relative));
    is_relative = false;
  }
  if (is_relative) add(RelativeText(now.relative));
  const char* const what = is_number && !is_relative              ? "number"
                           : has_date && has_time                 ? "datetime"
                           : has_date                             ? "date"
                           : has_time                             ? "time"
                           : now.days != before.days              ? "day"
                           : now.local_zones != before.local_zones ? "local_zone"
                           : has_zone                             ? "zone"
                                                                  : "relative";
  Say("parsed " + std::string(what) + " part: " + said);
}

void Teller::SayFailure(const Lexeme& at) {
  if (!at.word.empty() && at.token == Token::kError) {
    std::string upper(at.word);
    for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    Say("error: unknown word '" + upper + "'");
  }
  const std::string_view rest = text_.substr(std::min(at.end, text_.size()));
  Say("error: parsing failed" + (rest.empty() ? "" : ", stopped at '" + std::string(rest) + "'"));
}

void Teller::SayZone(const Parsed& p) {
  std::string text = "input timezone: ";
  if (p.is_timestamp) text += "'@timespec' - always UTC";
  else if (p.zones > 0) text += "parsed date/time string (" + OffsetText(p.zone_offset) + ")";
  else text += zone_;
  if (p.local_zones > 0 && p.local_is_dst) text += ", dst";
  Say(text);
}

void Teller::SayCounts(const Parsed& p) {
  for (const auto& [count, what] : {std::pair(p.times, "time"), {p.dates, "date"}, {p.days, "days"}, {p.dsts, "daylight-saving"}, {p.local_zones + p.zones, "time-zone"}}) {
    if (count > 1) Say(std::string("error: seen multiple ") + what + " parts");
  }
}

void Teller::SayInvalid(const TimeZone::Fields& asked, const CalendarTime& normal) {
  Say("error: invalid date/time value:");
  Say("    user provided time: '" + DateText(asked.year, asked.month, asked.day) + " " + TimeText(asked) + "'");
  Say("       normalized time: '" + MomentText(normal, false, 0) + "'");
  const bool same[] = {asked.year == normal.year, asked.month == normal.month, asked.day == normal.day, asked.hour == normal.hour, asked.minute == normal.minute, asked.second == normal.second};
  std::string marks = std::string(33, ' ') + (same[0] ? "    " : "----");
  for (size_t i = 1; i < std::size(same); ++i) marks += same[i] ? "   " : " --";
  marks.erase(marks.find_last_not_of(' ') + 1);
  Say(marks);
  Say("     possible reasons:");
  if (same[0] && same[1] && same[2] && !same[3]) Say("       non-existing due to daylight-saving time;");
  if (!same[2]) Say("       invalid day/month combination;");
  Say("       numeric values overflow;");
  Say("       missing timezone");
}

void Teller::SayMoved(const Parsed& p, const CalendarTime& before, const TimeZone::Fields& wanted, const CalendarTime& now, bool keeps_clock) {
  const Relative& r = p.relative;
  if ((r.year != 0 || r.month != 0) && before.day != 15) Say("warning: when adding relative months/years, it is recommended to specify the 15th of the months");
  if (r.day != 0 && before.hour != 12) Say("warning: when adding relative days, it is recommended to specify noon");
  Say("after date adjustment (" + Signed(r.year) + " years, " + Signed(r.month) + " months, " + Signed(r.day) + " days),");
  Say("    new date/time = '" + MomentText(now, p.zones > 0, p.zone_offset) + "'");
  if (keeps_clock && before.is_dst != now.is_dst) Say("warning: daylight saving time changed after date adjustment");
  const int64_t month = (wanted.month - 1) % 12;
  const int64_t shown = (month < 0 ? month + 12 : month) + 1;
  if (r.day == 0 && (wanted.day != now.day || shown != now.month)) {
    Say("warning: month/year adjustment resulted in shifted dates:");
    const int64_t year = wanted.year + (wanted.month - shown) / 12;
    Say("     adjusted Y M D: " + Number(year, 4) + " " + Number(shown, 2) + " " + Number(wanted.day, 2));
    Say("   normalized Y M D: " + Number(now.year, 4) + " " + Number(now.month, 2) + " " + Number(now.day, 2));
  }
}

void Teller::SayTimeMoved(const Relative& r, int64_t seconds) {
  Say("after time adjustment (" + Signed(r.hour) + " hours, " + Signed(r.minute) + " minutes, " + Signed(r.second) + " seconds, " + Signed(r.nanos) + " ns),");
  Say("    new time = " + std::to_string(seconds) + " epoch-seconds");
}

void Teller::SayEnd(const TimePoint& moment, const TimeZone& zone, const std::string& source) {
  Say("timezone: " + source);
  Say("final: " + std::to_string(moment.seconds) + "." + Number(moment.nanos, 9) + " (epoch-seconds)");
  Say("final: " + MomentText(ToUtc(moment.seconds), false, 0) + " (UTC)");
  const CalendarTime local = zone.ToLocal(moment.seconds);
  Say("final: " + MomentText(local, false, 0) + " (UTC" + OffsetText(local.offset) + ")");
}
}  // namespace paddock::date_internal
