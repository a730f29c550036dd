// The date input of GNU tools: date -d, touch -d, find -newermt.
//
// Source: GNU coreutils manual "Date input formats"; behaviour learnt from date(1) 9.1.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/date/time_zone.h"

namespace paddock {

class Budget;

// What a date was taken for, step by step, as date --debug tells it.
struct DateTrace {
  std::string zone, final_zone;     // where `zone` comes from, of the text and of what is printed: "system default"
  std::vector<std::string> lines;
};

// The moment that `text` names ("next monday", "2024-01-05 10:00 -0500", "@1700000000.5",
// "TZ=\"Asia/Tokyo\" 9:00"), seen from `now` in `zone`. Nothing when it is no date.
std::optional<TimePoint> ParseDate(std::string_view text, const TimePoint& now, const TimeZone& zone,
                                   Budget& budget, DateTrace* trace = nullptr);

}  // namespace paddock
