// The date input of GNU tools: date -d, touch -d, find -newermt.
//
// Source: GNU coreutils manual "Date input formats"; behaviour learnt from date(1) 9.1.
#pragma once

#include <optional>
#include <string_view>

#include "text/time_zone.h"

namespace paddock {

class Budget;

// The moment that `text` names ("next monday", "2024-01-05 10:00 -0500", "@1700000000.5",
// "TZ=\"Asia/Tokyo\" 9:00"), seen from `now` in `zone`. Nothing when it is no date.
std::optional<TimePoint> ParseDate(std::string_view text, const TimePoint& now, const TimeZone& zone,
                                   Budget& budget);

}  // namespace paddock
