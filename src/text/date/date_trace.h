// The trace of date --debug. Private to date_parse.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "text/date/date_items.h"
#include "text/date/date_parse.h"

namespace paddock::date_internal {

// Adds lines to a trace. `text` and the trace outlive it; `zone` says where the zone comes from.
class Teller {
 public:
  Teller(DateTrace& trace, std::string_view text, std::string zone) : trace_(trace), text_(text), zone_(std::move(zone)) {}

  void Say(std::string line) { trace_.lines.push_back(std::move(line)); }

  static std::string Number(int64_t value, int width);
  static std::string Signed(int64_t value);
  static std::string DateText(int64_t year, int64_t month, int64_t day);
  static std::string ClockText(int64_t hour, int64_t minute, int64_t second);
  static std::string TimeText(const TimeZone::Fields& fields);
  // "+05:30", "-05".
  static std::string OffsetText(int64_t seconds);
  static std::string MomentText(const CalendarTime& time, bool has_zone, int64_t offset);
  // "next/first Mon".
  static std::string DayText(const Parsed& p);

  // What an item added.
  void SayItem(const Parsed& before, const Parsed& now, bool is_number);
  // Where the parser stopped.
  void SayFailure(const Lexeme& at);
  void SayZone(const Parsed& p);
  void SayCounts(const Parsed& p);
  void SayInvalid(const TimeZone::Fields& asked, const CalendarTime& normal);
  void SayMoved(const Parsed& p, const CalendarTime& before, const TimeZone::Fields& wanted, const CalendarTime& now, bool keeps_clock);
  void SayTimeMoved(const Relative& r, int64_t seconds);
  void SayEnd(const TimePoint& moment, const TimeZone& zone, const std::string& source);

 private:
  DateTrace& trace_;
  std::string_view text_;
  std::string zone_;
};

}  // namespace paddock::date_internal
