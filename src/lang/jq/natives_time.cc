// Dates: seconds since 1970, and "broken down" arrays [year, month from 0, day, hour, minute, second, weekday, day of
// the year].
#include <chrono>
#include <cmath>

#include "base/budget.h"
#include "lang/jq/native_tables.h"
#include "lang/jq/strptime.h"
#include "text/date/time_format.h"
#include "text/date/time_zone.h"

namespace paddock::jq {
namespace {

// Beyond these years the C library has no broken-down time.
constexpr double kMostSeconds = 6.7e16;

Value BrokenDown(const CalendarTime& time, double second) {
  Value array = Value::Array(8);
  for (const double field : {static_cast<double>(time.year), time.month - 1.0, time.day + 0.0, time.hour + 0.0,
                             time.minute + 0.0, second, time.weekday + 0.0, time.year_day + 0.0}) {
    array.Append(Value::Number(field));
  }
  return array;
}

Value Break(NativeContext& context, const Value& value, bool is_local) {
  const char* const name = is_local ? "localtime" : "gmtime";
  if (!value.is_number()) return context.Fail(std::string(name) + "() requires numeric inputs");
  const double seconds = value.number();
  if (!(std::abs(seconds) < kMostSeconds)) {
    return context.Fail(std::string("error converting number of seconds since epoch to datetime"));
  }
  const auto whole = static_cast<int64_t>(std::floor(seconds));
  const CalendarTime time = is_local ? context.host.LocalZone().ToLocal(whole) : ToUtc(whole);
  return BrokenDown(time, time.second + (seconds - std::floor(seconds)));
}

Value GmTime(NativeContext& context, Value* a) { return Break(context, a[0], false); }
Value LocalTime(NativeContext& context, Value* a) { return Break(context, a[0], true); }

// The fields of a broken-down time as whole numbers.
bool ReadFields(const Value& value, int64_t (&fields)[8]) {
  if (!value.is_array() || value.array_size() < 8) return false;
  for (size_t i = 0; i < 8; ++i) {
    if (!value.At(i).is_number() || !(std::abs(value.At(i).number()) < 2e9)) return false;
    fields[i] = ToOffset(value.At(i).number());
  }
  return true;
}

Value MkTime(NativeContext& context, Value* a) {
  if (!a[0].is_array()) return context.Fail("mktime requires array inputs");
  int64_t fields[8];
  if (!ReadFields(a[0], fields)) return context.Fail("mktime requires parsed datetime inputs");
  const auto moment = TimeZone().FromLocal({fields[0], fields[1] + 1, fields[2], fields[3], fields[4], fields[5]});
  if (!moment) return context.Fail("invalid gmtime representation");
  return Value::Number(static_cast<double>(*moment));
}

Value FormatMoment(NativeContext& context, Value* a, bool is_local) {
  const std::string name = is_local ? "strflocaltime/1" : "strftime/1";
  if (a[0].is_number()) {
    a[0] = Break(context, a[0], is_local);
    if (!a[0].is_valid()) return Value();
  }
  int64_t fields[8];
  if (!a[0].is_array()) return context.Fail(name + " requires parsed datetime inputs");
  if (!a[1].is_string()) return context.Fail(name + " requires a string format");
  if (!ReadFields(a[0], fields)) return context.Fail(name + " requires parsed datetime inputs");
  const TimeZone zone = is_local ? context.host.LocalZone() : TimeZone();
  const TimeZone::Fields shown = {fields[0], fields[1] + 1, fields[2], fields[3], fields[4], fields[5]};
  const auto moment = zone.FromLocal(shown);
  CalendarTime time = moment ? zone.ToLocal(*moment) : CalendarTime();
  time.year = fields[0];
  time.month = static_cast<int>(((fields[1] % 12) + 12) % 12) + 1;
  time.day = static_cast<int>(fields[2]);
  time.hour = static_cast<int>(fields[3]);
  time.minute = static_cast<int>(fields[4]);
  time.second = static_cast<int>(fields[5]);
  time.weekday = static_cast<int>(((fields[6] % 7) + 7) % 7);
  time.year_day = static_cast<int>(fields[7]);
  const TimePoint point = {moment.value_or(0), 0};
  const std::string text = FormatTime(a[1].view(), time, point, context.budget, TimeDialect::kLibc);
  if (text.empty()) return context.Fail(name + ": unknown system failure");
  return StringFromBytes(text);
}

Value StrfTime(NativeContext& context, Value* a) { return FormatMoment(context, a, false); }
Value StrfLocalTime(NativeContext& context, Value* a) { return FormatMoment(context, a, true); }

Value StrpTime(NativeContext& context, Value* a) {
  if (!a[0].is_string() || !a[1].is_string()) return context.Fail("strptime/1 requires string inputs and arguments");
  context.budget.Step(static_cast<int64_t>(a[0].view().size() / 8 + a[1].view().size() / 8));
  CalendarTime time;
  if (!ParseTime(a[0].view(), a[1].view(), time)) {
    return context.Fail("date \"" + std::string(a[0].view()) + "\" does not match format \"" +
                        std::string(a[1].view()) + "\"");
  }
  return BrokenDown(time, time.second);
}

Value Now(NativeContext& context, Value*) {
  return Value::Number(std::chrono::duration<double>(context.host.clock().RealNow()).count());
}

constexpr Native kNatives[] = {
    {"gmtime", 0, GmTime},     {"localtime", 0, LocalTime},         {"mktime", 0, MkTime},
    {"strftime", 1, StrfTime}, {"strflocaltime", 1, StrfLocalTime}, {"strptime", 1, StrpTime},
    {"now", 0, Now},
};

}  // namespace

std::span<const Native> TimeNatives() { return kNatives; }

}  // namespace paddock::jq
