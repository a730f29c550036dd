// Fuzz target of dates: whatever the text and the time zone, it is a moment that can be shown, or no date. The input is TZ, a newline, and
// the date.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "bounded_run.h"
#include "text/date/date_parse.h"
#include "text/date/time_format.h"

namespace paddock {
namespace {

void RunOne(std::string_view data, Budget& budget) {
  const size_t line = data.find('\n');
  const TimeZone zone = TimeZone::FromTz(data.substr(0, line));
  const TimePoint now{1'700'000'000, 5};
  const auto moment = ParseDate(line == std::string_view::npos ? data : data.substr(line + 1), now, zone, budget);
  DateTrace trace;   // of texts that are no dates, too
  (void)ParseDate(line == std::string_view::npos ? data : data.substr(line + 1), now, zone, budget, &trace);
  if (!moment) return;
  PADDOCK_CHECK(moment->nanos >= 0 && moment->nanos < 1'000'000'000);
  const CalendarTime shown = zone.ToLocal(moment->seconds);
  PADDOCK_CHECK(shown.month >= 1 && shown.month <= 12 && shown.day >= 1 && shown.day <= 31);
  PADDOCK_CHECK(shown.hour >= 0 && shown.hour < 24 && shown.minute >= 0 && shown.minute < 60);
  FormatTime("%a %b %e %H:%M:%S.%N %Z %Y %G-%V %j %s %:::z", shown, *moment, budget);
}

}  // namespace
}  // namespace paddock

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  paddock::fuzz::RunBounded([&](paddock::Budget& budget) {
    paddock::RunOne({reinterpret_cast<const char*>(data), size}, budget);
  });
  return 0;
}
