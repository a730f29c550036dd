// What a date says, item by item, before it is a moment. Private to date_parse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "text/date/date_lexer.h"

namespace paddock::date_internal {

class Teller;

struct Relative {
  int64_t year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  int64_t nanos = 0;
};

// Everything that the items of a date said.
struct Parsed {
  int64_t year = 0;
  size_t year_digits = 0;
  int64_t month = 0, day = 0, hour = 0, minute = 0;
  TimePoint seconds;           // of the minute, or since 1970 after '@'
  int meridian = -1;           // 0 am, 1 pm, -1 a 24-hour clock
  bool is_timestamp = false;
  int64_t day_ordinal = 0;
  int day_number = 0;
  int64_t zone_offset = 0;     // seconds east
  bool local_is_dst = false;
  Relative relative;
  int dates = 0, days = 0, times = 0, zones = 0, local_zones = 0, dsts = 0;
  bool has_relative = false;
};

// The year that was meant: two digits are 1969–2068, a sign is a hyphen.
int64_t FullYear(const Parsed& p);

// Reads the items into `parsed`, which holds the present time. False for what is no date. `teller` may be null.
bool ParseItems(const std::vector<Lexeme>& lexemes, Parsed& parsed, Teller* teller);

}  // namespace paddock::date_internal
