#include "text/date/time_zone.h"

#include <algorithm>
#include <array>

namespace paddock {
namespace {

constexpr int64_t kDay = 86400;
constexpr int64_t kMaxYear = 2147485547;   // what fits the C library's int tm_year

// Floor division for a positive divisor.
int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
int64_t FloorMod(int64_t a, int64_t b) { return a - FloorDiv(a, b) * b; }

int DaysInMonth(int64_t year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && IsLeapYear(year) ? 29 : kDays[month - 1];
}

// The date of a day number. Years are counted from March here, so that the leap day is the last one.
void DateFromDays(int64_t days, CalendarTime& time) {
  const int64_t shifted = days + 719468;   // days since 0000-03-01
  const int64_t era = FloorDiv(shifted, 146097);
  const int64_t day_of_era = shifted - era * 146097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month = (5 * day_of_year + 2) / 153;   // 0 is March
  time.day = static_cast<int>(day_of_year - (153 * month + 2) / 5 + 1);
  time.month = static_cast<int>(month < 10 ? month + 3 : month - 9);
  time.year = year_of_era + era * 400 + (time.month <= 2 ? 1 : 0);
}

}  // namespace

bool IsLeapYear(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int64_t DaysFromDate(int64_t year, int64_t month, int64_t day) {
  year += FloorDiv(month - 1, 12);
  month = FloorMod(month - 1, 12) + 1;
  if (month <= 2) --year;
  const int64_t era = FloorDiv(year, 400);
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468 +
         day - 1;
}

CalendarTime ToUtc(int64_t seconds) {
  CalendarTime time;
  const int64_t days = FloorDiv(seconds, kDay);
  const int64_t rest = seconds - days * kDay;
  DateFromDays(days, time);
  time.hour = static_cast<int>(rest / 3600);
  time.minute = static_cast<int>(rest / 60 % 60);
  time.second = static_cast<int>(rest % 60);
  time.weekday = static_cast<int>(FloorMod(days + 4, 7));
  time.year_day = static_cast<int>(days - DaysFromDate(time.year, 1, 1));
  return time;
}

int64_t TimeZone::Rule::DayIn(int64_t year) const {
  const int64_t new_year = DaysFromDate(year, 1, 1);
  switch (kind) {
    case Kind::kJulian:   // 1–365, 29 February is never counted
      return new_year + day - 1 + (day >= 60 && IsLeapYear(year) ? 1 : 0);
    case Kind::kDayOfYear:
      return new_year + day;
    case Kind::kMonthWeekDay:
      break;
  }
  const int64_t first = DaysFromDate(year, month, 1);
  int64_t result = first + FloorMod(day - (first + 4), 7) + 7 * (week - 1);
  while (result >= first + DaysInMonth(year, month)) result -= 7;
  return result;
}

bool TimeZone::IsSummer(int64_t seconds) const {
  if (!has_summer_) return false;
  CalendarTime date;
  DateFromDays(FloorDiv(seconds + standard_.offset, kDay), date);
  const int64_t start = start_.DayIn(date.year) * kDay + start_.time - standard_.offset;
  const int64_t end = end_.DayIn(date.year) * kDay + end_.time - summer_.offset;
  return start < end ? seconds >= start && seconds < end : seconds >= start || seconds < end;
}

TimeZone::Reading TimeZone::At(int64_t seconds) const {
  if (history_ && !history_->moments.empty() && seconds < history_->moments.back()) {
    const auto after = std::upper_bound(history_->moments.begin(), history_->moments.end(), seconds) - history_->moments.begin();
    const ZonePeriod& period = history_->periods[after == 0 ? history_->first : history_->kinds[static_cast<size_t>(after) - 1]];
    return {period.offset, period.is_summer, period.name};
  }
  const bool is_summer = IsSummer(seconds);
  const Period& period = is_summer ? summer_ : standard_;
  return {period.offset, is_summer, period.name};
}

CalendarTime TimeZone::ToLocal(int64_t seconds) const {
  const Reading reading = At(seconds);
  CalendarTime time = ToUtc(seconds + reading.offset);
  time.offset = reading.offset;
  time.is_dst = reading.is_summer;
  time.zone = reading.name;
  return time;
}

std::optional<int64_t> TimeZone::FromLocal(const Fields& f, std::optional<bool> is_dst) const {
  if (f.year > kMaxYear || f.year < -kMaxYear) return std::nullopt;
  const int64_t local =
      DaysFromDate(f.year, f.month, f.day) * kDay + f.hour * 3600 + f.minute * 60 + f.second;
  // The offsets in force around the moment; offsets differ by less than two days.
  const std::array<Reading, 3> around = {At(local - 2 * kDay), At(local), At(local + 2 * kDay)};
  std::optional<int64_t> found;
  for (const Reading& reading : around) {
    const int64_t moment = local - reading.offset;
    const Reading there = At(moment);
    if (there.offset != reading.offset || (found && *found == moment)) continue;
    if (is_dst && there.is_summer != *is_dst) continue;
    // Of the two moments of a clock set back, without a wish: that of the period in force when UTC's clock shows the fields.
    if (!found || is_dst || there.offset == around[1].offset) found = moment;
  }
  if (found) return found;
  if (!is_dst) return local - around[0].offset;   // a clock set forward skips it
  // Clocks do not stand as was asked for: by the offset of the nearest time when they do, up to eight years away, as mktime(3).
  constexpr int64_t kStep = 601200, kFarthest = 536454000 / 2 + kStep;
  for (int64_t away = kStep; away < kFarthest; away += kStep) {
    for (const int64_t moment : {local - away, local + away}) {
      const Reading reading = At(moment);
      if (reading.is_summer == *is_dst) return local - reading.offset;
    }
  }
  return local - around[1].offset;
}

// Reads a POSIX TZ string.
class TimeZone::Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  // False when the text names no zone at all.
  bool Parse(TimeZone& zone) {
    if (!TakeName(zone.standard_.name)) return false;
    if (rest_.empty() || !(IsDigit(rest_.front()) || rest_.front() == '+' || rest_.front() == '-')) return true;
    if (!TakeOffset(zone.standard_.offset)) return false;
    if (rest_.empty()) return true;
    if (!TakeName(zone.summer_.name)) return false;
    zone.has_summer_ = true;
    zone.summer_.offset = zone.standard_.offset + 3600;
    if (!rest_.empty() && rest_.front() != ',' && !TakeOffset(zone.summer_.offset)) return false;
    if (Take(',') && TakeRule(zone.start_) && Take(',') && TakeRule(zone.end_) && rest_.empty()) return true;
    zone.start_ = {Rule::Kind::kMonthWeekDay, 3, 2, 0, 7200};
    zone.end_ = {Rule::Kind::kMonthWeekDay, 11, 1, 0, 7200};
    return true;
  }

 private:
  bool Take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  static bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }

  bool TakeName(std::string& name) {
    const bool is_quoted = Take('<');
    size_t length = 0;
    while (length < rest_.size()) {
      const char c = rest_[length];
      if (!IsAlpha(c) && !(is_quoted && (IsDigit(c) || c == '+' || c == '-'))) break;
      ++length;
    }
    if (length < 3) return false;
    name = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return !is_quoted || Take('>');
  }

  bool TakeNumber(int& value, int max) {
    if (rest_.empty() || !IsDigit(rest_.front())) return false;
    value = 0;
    while (!rest_.empty() && IsDigit(rest_.front())) {
      value = value * 10 + (rest_.front() - '0');
      if (value > max) return false;
      rest_.remove_prefix(1);
    }
    return true;
  }

  // [+-]hh[:mm[:ss]]
  bool TakeTime(int32_t& seconds, int max_hours) {
    const bool is_negative = Take('-');
    if (!is_negative) Take('+');
    int hours = 0, minutes = 0, rest = 0;
    if (!TakeNumber(hours, max_hours)) return false;
    if (Take(':')) {
      if (!TakeNumber(minutes, 59)) return false;
      if (Take(':') && !TakeNumber(rest, 59)) return false;
    }
    seconds = hours * 3600 + minutes * 60 + rest;
    if (is_negative) seconds = -seconds;
    return true;
  }

  bool TakeOffset(int32_t& east) {
    int32_t west = 0;
    if (!TakeTime(west, 167)) return false;
    east = -std::clamp(west, -24 * 3600, 24 * 3600);
    return true;
  }

  bool TakeRule(Rule& rule) {
    if (Take('J')) {
      rule.kind = Rule::Kind::kJulian;
      if (!TakeNumber(rule.day, 365) || rule.day == 0) return false;
    } else if (Take('M')) {
      rule.kind = Rule::Kind::kMonthWeekDay;
      if (!TakeNumber(rule.month, 12) || rule.month == 0 || !Take('.') || !TakeNumber(rule.week, 5) ||
          rule.week == 0 || !Take('.') || !TakeNumber(rule.day, 6)) {
        return false;
      }
    } else {
      rule.kind = Rule::Kind::kDayOfYear;
      if (!TakeNumber(rule.day, 365)) return false;
    }
    rule.time = 7200;
    return !Take('/') || TakeTime(rule.time, 167);
  }

  std::string_view rest_;
};

TimeZone TimeZone::FromTz(std::optional<std::string_view> tz) {
  if (!tz.has_value()) return {};
  std::string_view text = *tz;
  if (text.starts_with(':')) text.remove_prefix(1);
  if (text.empty()) return {};
  TimeZone zone;
  zone.history_ = FindZone(text);
  if (Parser(zone.history_ ? zone.history_->rule : text).Parse(zone)) return zone;
  TimeZone unknown;
  unknown.standard_.name.clear();
  return unknown;
}

}  // namespace paddock
