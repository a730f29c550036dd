// strptime(3) in the C locale, for jq's function of that name.
#pragma once

#include <string_view>

#include "text/date/time_zone.h"

namespace paddock::jq {

// Reads all of `text` (blanks may be left) by the format into the fields that it has; the weekday and the day of the
// year follow from the date. Fields that the format lacks are those of 1900-01-00 00:00:00, as in a cleared struct tm.
bool ParseTime(std::string_view text, std::string_view format, CalendarTime& time);

}  // namespace paddock::jq
