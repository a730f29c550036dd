// The words of GNU date input and what each stands for. Private to date_parse.
#pragma once

#include <string_view>

#include "text/date/time_zone.h"

namespace paddock::date_internal {

enum class Token {
  kEnd,
  kError,
  kChar,             // value is the character
  kUnsigned,         // 5
  kSigned,           // +5, -5
  kUnsignedDecimal,  // 5.5
  kSignedDecimal,
  kMeridian,         // value 0 am, 1 pm
  kMonth,            // value 1–12
  kDay,              // value 0–6, Sunday first
  kYearUnit,
  kMonthUnit,
  kDayUnit,          // value in days
  kHourUnit,
  kMinuteUnit,
  kSecondUnit,
  kAgo,              // value -1 or 1
  kDayShift,         // value in days
  kOrdinal,          // value
  kZone,             // value in seconds east
  kDayZone,          // the same; one hour more in effect
  kDst,
  kLocalZone,        // value 1 for the summer name
};

struct Word {
  Token token;
  int value;
};

// Finds a word (letters and periods, any case). `zone` gives the local zone's own names.
Word FindWord(std::string_view text, const TimeZone& zone);

}  // namespace paddock::date_internal
