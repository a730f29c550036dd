#include "api/rest/times.h"

#include <charconv>

namespace paddock::api {
namespace {

// "2026-11-22T06:10:47.123Z", with an offset in place of Z, or the day alone.
std::optional<registry::Time> ParseTime(std::string_view text) {
  const auto number = [&](size_t at, size_t digits) -> int {
    int value = 0;
    const auto [end, failure] = std::from_chars(text.data() + at, text.data() + at + digits, value);
    return failure == std::errc() && end == text.data() + at + digits && value >= 0 ? value : -1;
  };
  if (text.size() < 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const std::chrono::year_month_day day(std::chrono::year(number(0, 4)), std::chrono::month(static_cast<unsigned>(std::max(number(5, 2), 0))),
                                        std::chrono::day(static_cast<unsigned>(std::max(number(8, 2), 0))));
  if (!day.ok() || number(0, 4) < 1970) return std::nullopt;
  registry::Time time = std::chrono::sys_days(day);
  if (text.size() == 10) return time;
  if (text.size() < 20 || (text[10] != 'T' && text[10] != 't') || text[13] != ':' || text[16] != ':') return std::nullopt;
  const int hour = number(11, 2), minute = number(14, 2), second = number(17, 2);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return std::nullopt;
  time += std::chrono::hours(hour) + std::chrono::minutes(minute) + std::chrono::seconds(second);
  size_t at = 19;
  if (text[at] == '.') {
    int scale = 100;
    size_t digits = 0;
    for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, ++digits, scale /= 10) time += registry::Duration((text[at] - '0') * scale);
    if (digits == 0 || digits > 9) return std::nullopt;
  }
  if (text.size() == at + 1 && (text[at] == 'Z' || text[at] == 'z')) return time;
  if (text.size() != at + 6 || (text[at] != '+' && text[at] != '-') || text[at + 3] != ':') return std::nullopt;
  const int hours = number(at + 1, 2), minutes = number(at + 4, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
  const auto offset = std::chrono::hours(hours) + std::chrono::minutes(minutes);
  return text[at] == '+' ? time - offset : time + offset;
}

}  // namespace

Result<std::optional<registry::Time>> TimeOf(const char* field, const std::string& text) {
  if (text.empty()) return std::optional<registry::Time>();
  const auto time = ParseTime(text);
  if (!time) return Error(Code::kInvalid, std::string(field) + " must be a time of RFC 3339: \"2026-11-22T06:00:00Z\", or a day");
  return time;
}

}  // namespace paddock::api
