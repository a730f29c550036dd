// systime(), strftime() and mktime().
#include <cmath>

#include "lang/awk/interpreter.h"
#include "text/date/time_format.h"
#include "text/date/time_zone.h"

namespace paddock::awk {
namespace {

// "2024 01 31 12 00 00 [dst]": six or seven whole numbers, and nothing else.
bool ParseFields(std::string_view text, int64_t (&fields)[7], int& count) {
  count = 0;
  size_t at = 0;
  for (;;) {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
    if (at == text.size()) return count >= 6;
    if (count == 7) return true;
    const bool is_negative = text[at] == '-';
    if (text[at] == '-' || text[at] == '+') ++at;
    if (at == text.size() || text[at] < '0' || text[at] > '9') return count >= 6;
    int64_t value = 0;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
      value = std::min<int64_t>(value * 10 + (text[at++] - '0'), 3'000'000'000);
    }
    fields[count++] = is_negative ? -value : value;
  }
}

}  // namespace

bool Interpreter::CallTime(Builtin id, size_t count) {
  if (id == Builtin::kStrftime) return Strftime(count);
  if (id == Builtin::kMktime) return Mktime(count);
  using Seconds = std::chrono::duration<double>;
  return ReturnNumber(0, std::floor(Seconds(host_.clock().RealNow()).count()));
}

TimeZone Interpreter::LocalZone() {
  const Value* const zone = global(kSlotEnviron).array() == nullptr
                                ? nullptr
                                : global(kSlotEnviron).array()->Find(ArrayKey("TZ"));
  if (zone == nullptr) return TimeZone::FromTz(std::nullopt);
  return TimeZone::FromTz(TextOf(*zone, convfmt_).view());
}

bool Interpreter::Strftime(size_t count) {
  std::string format = "%a %b %e %H:%M:%S %Z %Y";
  if (count > 0) {
    format = TextOf(stack_.At(count - 1), convfmt_).view();
  } else if (Array* const procinfo = global(kSlotProcinfo).array(); procinfo != nullptr) {
    if (const Value* const own = procinfo->Find(ArrayKey("strftime")); own != nullptr) {
      format = TextOf(*own, convfmt_).view();
    }
  }
  using Seconds = std::chrono::duration<double>;
  double seconds = std::floor(Seconds(host_.clock().RealNow()).count());
  if (count > 1) seconds = std::trunc(stack_.At(count - 2).ToNumber());
  const bool is_utc = count > 2 && stack_.At(0).ToBool();
  // Beyond these years the C library has no broken-down time.
  if (!(std::abs(seconds) < 6.7e16)) return Return(count, Value::String(""));
  const TimePoint moment = {static_cast<int64_t>(seconds), 0};
  CalendarTime time = is_utc ? ToUtc(moment.seconds) : LocalZone().ToLocal(moment.seconds);
  if (is_utc) time.zone = "GMT";
  return Return(count, Value::String(FormatTime(format, time, moment, budget_, TimeDialect::kLibc)));
}

bool Interpreter::Mktime(size_t count) {
  int64_t fields[7] = {};
  int given = 0;
  const std::string text(TextOf(stack_.At(count - 1), convfmt_).view());
  if (!ParseFields(text, fields, given)) return ReturnNumber(count, -1);
  const bool is_utc = count > 1 && stack_.At(0).ToBool();
  const TimeZone zone = is_utc ? TimeZone() : LocalZone();
  std::optional<bool> is_dst;
  if (given == 7 && fields[6] >= 0) is_dst = fields[6] > 0;
  const auto moment =
      zone.FromLocal({fields[0], fields[1], fields[2], fields[3], fields[4], fields[5]}, is_dst);
  return ReturnNumber(count, moment ? static_cast<double>(*moment) : -1);
}

}  // namespace paddock::awk
