// strftime with GNU's flags, widths and extra conversions, in the C locale's words.
//
// Source: POSIX strftime(), GNU coreutils manual "date invocation".
#pragma once

#include <string>
#include <string_view>

#include "text/date/time_zone.h"

namespace paddock {

class Budget;

enum class TimeDialect {
  kGnuDate,   // date(1), ls, stat, find: also %N %q and %:z
  kLibc,      // strftime(3): awk, printf %()T
};

// Formats a moment whose broken-down form is `time`. What is no conversion is copied as it is.
std::string FormatTime(std::string_view format, const CalendarTime& time, const TimePoint& moment,
                       Budget& budget, TimeDialect dialect = TimeDialect::kGnuDate);

// "Monday" or "January" (month 1–12).
std::string_view WeekdayName(int weekday);
std::string_view MonthName(int month);

// The week of the year: ISO 8601 week and the year it belongs to.
struct IsoWeek {
  int64_t year;
  int week;
};
IsoWeek IsoWeekOf(const CalendarTime& time);

}  // namespace paddock
