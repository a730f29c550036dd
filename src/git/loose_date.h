// Dates in the loose words that git takes for --since, reflogs and expiry: "2.weeks.ago", "last friday", "noon yesterday", "Nov 15".
//
// Not the dates of date(1): a number of days without "ago" lies in the past, too, a date without a time means the present time of that
// day, and what is not understood is passed over.
#pragma once

#include <cstdint>
#include <string_view>

#include "text/date/time_zone.h"

namespace paddock::git {

struct LooseDate {
  int64_t seconds = 0;        // since 1970; now, where nothing was understood
  bool is_understood = false;
  bool is_complete = false;   // year, month, day and time were all written: such may have a zone, which this does not read
};

// `now`: seconds since 1970.
LooseDate ReadLooseDate(std::string_view text, int64_t now, const TimeZone& zone);

}  // namespace paddock::git
