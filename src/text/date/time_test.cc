// What the functions on time answer was compared with date(1) 9.1 and the C library on the same inputs.
#include <gtest/gtest.h>

#include "base/budget.h"
#include "text/date/date_parse.h"
#include "text/date/time_format.h"
#include "text/date/time_zone.h"

namespace paddock {
namespace {

class Time : public ::testing::Test {
 protected:
  std::string Format(const char* format, int64_t seconds, const char* tz = "UTC", int32_t nanos = 0) {
    return FormatTime(format, TimeZone::FromTz(tz).ToLocal(seconds), {seconds, nanos}, budget_);
  }
  // 2024-03-15 12:34:56 UTC, a Friday.
  std::string Parse(const char* text, const char* tz = "UTC") {
    const TimeZone zone = TimeZone::FromTz(tz);
    const auto moment = ParseDate(text, {1710506096, 0}, zone, budget_);
    if (!moment) return "invalid";
    return FormatTime("%F %T %Z", zone.ToLocal(moment->seconds), *moment, budget_);
  }

  Limits limits_;
  Budget budget_{limits_, SystemClock()};
};

TEST_F(Time, ZonesFollowTheirRules) {
  EXPECT_EQ(Format("%F %T %Z %z", 1720000000, "America/New_York"), "2024-07-03 05:46:40 EDT -0400");
  EXPECT_EQ(Format("%F %T %Z %z", 1700000000, "Australia/Sydney"), "2023-11-15 09:13:20 AEDT +1100");
  EXPECT_EQ(Format("%F %T %Z %z", 1111300000, "America/New_York"), "2005-03-20 01:26:40 EST -0500");
  EXPECT_EQ(Format("%F %T %Z %z", -3000000000, "Europe/Amsterdam"), "1874-12-07 18:59:32 AMT +0019");
  EXPECT_EQ(Format("%T %Z", 1720000000, "XYZ3ABC,J60/0,300/3:30"), "07:46:40 ABC");
  EXPECT_EQ(Format("%T %Z", 1720000000, "Foo/Bar"), "09:46:40 Foo");
  EXPECT_EQ(Format("%T [%Z]", 1720000000, "12"), "09:46:40 []");
}

TEST_F(Time, ClockSetBackShowsTwice) {
  const TimeZone zone = TimeZone::FromTz("America/New_York");
  const TimeZone::Fields fields{2024, 11, 3, 1, 30, 0};
  EXPECT_EQ(zone.FromLocal(fields), 1730611800);
  EXPECT_EQ(zone.FromLocal(fields, true), 1730611800);
  EXPECT_EQ(zone.FromLocal(fields, false), 1730615400);
}

TEST_F(Time, FlagsAndWidths) {
  EXPECT_EQ(Format("%-d|%_H|%^a|%#p|%010A|%-N", 1704445387, "UTC", 120000000),
            "5| 9|FRI|am|0000Friday|120000000");
  EXPECT_EQ(Format("%3N|%_N|%12N|%_5d|%+5Y|%12F", 1704445387, "UTC", 120000000),
            "120|12       |120000000000|    5|+2024|002024-01-05");
  EXPECT_EQ(Format("%z %:z %::z %:::z %_z", 0, "<+0530>-5:30"), "+0530 +05:30 +05:30:00 +05:30  +530");
  EXPECT_EQ(Format("%Q %Ed %5% %", 0), "%Q %Ed    %5% %");
  EXPECT_EQ(Format("%F %Y %C %y", -62167219201), "-001-12-31 -001 -0 01");
}

TEST_F(Time, WeeksOfTheYear) {
  EXPECT_EQ(Format("%G-W%V-%u %U %W %j", 1609459200), "2020-W53-5 00 00 001");
  EXPECT_EQ(Format("%G-W%V-%u %U %W %j", 1735603200), "2025-W01-2 52 53 366");
}

TEST_F(Time, DatesAreRead) {
  EXPECT_EQ(Parse("2024-01-05 10:00"), "2024-01-05 10:00:00 UTC");
  EXPECT_EQ(Parse("2024-01-05T10:00:00-05:00"), "2024-01-05 15:00:00 UTC");
  EXPECT_EQ(Parse("Jan 5 2024 10:00 UTC"), "2024-01-05 10:00:00 UTC");
  EXPECT_EQ(Parse("Fri, 05 Jan 2024 10:00:00 +0100"), "2024-01-05 09:00:00 UTC");
  EXPECT_EQ(Parse("@86400"), "1970-01-02 00:00:00 UTC");
  EXPECT_EQ(Parse("20240105 1430"), "2024-01-05 14:30:00 UTC");
  EXPECT_EQ(Parse("1/5/2024 3pm"), "2024-01-05 15:00:00 UTC");
  EXPECT_EQ(Parse(""), "2024-03-15 00:00:00 UTC");
}

TEST_F(Time, RelativeDates) {
  EXPECT_EQ(Parse("next monday"), "2024-03-18 00:00:00 UTC");
  EXPECT_EQ(Parse("last friday"), "2024-03-08 00:00:00 UTC");
  EXPECT_EQ(Parse("friday"), "2024-03-15 00:00:00 UTC");
  EXPECT_EQ(Parse("2 days ago"), "2024-03-13 12:34:56 UTC");
  EXPECT_EQ(Parse("yesterday 14:00"), "2024-03-14 14:00:00 UTC");
  EXPECT_EQ(Parse("2024-01-31 +1 month"), "2024-03-02 00:00:00 UTC");
  EXPECT_EQ(Parse("now - 90 minutes"), "2024-03-15 11:04:56 UTC");
  EXPECT_EQ(Parse("10:00 +1 day"), "2024-03-16 09:00:00 UTC");
}

TEST_F(Time, DatesInZones) {
  EXPECT_EQ(Parse("TZ=\"Asia/Tokyo\" 2024-01-05 09:00"), "2024-01-05 00:00:00 UTC");
  EXPECT_EQ(Parse("2024-07-05 09:00 UTC", "America/New_York"), "2024-07-05 05:00:00 EDT");
  EXPECT_EQ(Parse("2024-03-10 02:30", "America/New_York"), "invalid");
  EXPECT_EQ(Parse("2024-03-10 02:30 UTC", "America/New_York"), "2024-03-09 21:30:00 EST");
}

TEST_F(Time, NoDates) {
  for (const char* text : {"foo", "2024-13-01", "2024-02-30", "25:00", "10:60", "1 2 3 4", "@", "J", "5 Jan 10:00",
                           "13pm", "UTC+5 weeks ago", "99999999999999999999"}) {
    EXPECT_EQ(Parse(text), "invalid") << text;
  }
}

}  // namespace
}  // namespace paddock
