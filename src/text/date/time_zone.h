// Calendar and time zones: seconds since 1970 to broken-down local time and back.
//
// Zones are POSIX TZ strings ("EST5EDT,M3.2.0,M11.1.0") or names of the tz database, with all changes that it knows of
// (text/zones). No leap seconds. No global state: nothing here looks at the environment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "text/date/zones/zone_table.h"

namespace paddock {

// A moment: seconds since 1970-01-01 UTC and 0–999,999,999 nanoseconds after.
struct TimePoint {
  int64_t seconds = 0;
  int32_t nanos = 0;
  auto operator<=>(const TimePoint&) const = default;
};

// Broken-down time.
struct CalendarTime {
  int64_t year = 1970;
  int month = 1;         // 1–12
  int day = 1;           // 1–31
  int hour = 0;
  int minute = 0;
  int second = 0;
  int weekday = 4;       // 0 is Sunday
  int year_day = 0;      // 0–365
  int32_t offset = 0;    // seconds east of UTC
  bool is_dst = false;
  std::string zone = "UTC";
};

// Days since 1970-01-01 of a proleptic Gregorian date; months outside 1–12 and days outside the month
// carry over. Years are within ±3e9.
int64_t DaysFromDate(int64_t year, int64_t month, int64_t day);
bool IsLeapYear(int64_t year);
// Fills the date, the time of day and the derived fields of the moment, in UTC.
CalendarTime ToUtc(int64_t seconds);

class TimeZone {
 public:
  TimeZone() = default;   // UTC
  // As the C library reads TZ: unset and "" are UTC; a leading ':' is dropped; "Foo/Bar" that is no known
  // zone is UTC called "Foo", and what has no such letters is UTC without a name.
  static TimeZone FromTz(std::optional<std::string_view> tz);

  CalendarTime ToLocal(int64_t seconds) const;

  // The moment at which the fields (which may be out of range) show on the clock, as mktime(3). `is_dst`
  // decides between the two moments of a clock set back (without it, as glibc starts its search: the period in force
  // when UTC's clock shows the fields). Nothing for years beyond
  // ±2^31. A time that a clock set forward skips gives a moment whose ToLocal() differs.
  struct Fields {
    int64_t year, month, day, hour, minute, second;
  };
  std::optional<int64_t> FromLocal(const Fields& fields, std::optional<bool> is_dst = {}) const;

  const std::string& standard_name() const { return standard_.name; }
  // Empty when the zone has no summer time.
  std::string_view summer_name() const { return has_summer_ ? summer_.name : std::string_view(); }

 private:
  struct Period {
    std::string name = "UTC";
    int32_t offset = 0;   // seconds east
  };
  // When a period starts within a year.
  struct Rule {
    enum class Kind : uint8_t { kJulian, kDayOfYear, kMonthWeekDay } kind = Kind::kMonthWeekDay;
    int month = 0, week = 0, day = 0;
    int32_t time = 7200;   // seconds after midnight, may be negative
    int64_t DayIn(int64_t year) const;
  };
  class Parser;
  // What clocks show at a moment.
  struct Reading {
    int32_t offset;
    bool is_summer;
    std::string_view name;
  };
  Reading At(int64_t seconds) const;
  bool IsSummer(int64_t seconds) const;   // by the rule

  std::optional<ZoneHistory> history_;   // what was before the rule
  Period standard_, summer_;
  bool has_summer_ = false;
  Rule start_, end_;
};

}  // namespace paddock
