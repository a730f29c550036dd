#include "text/date/date_parse.h"

#include <climits>
#include <string>
#include <vector>

#include "text/date/date_items.h"
#include "text/date/date_trace.h"

namespace paddock {
namespace {

using date_internal::FullYear;
using date_internal::Lexeme;
using date_internal::Parsed;
using date_internal::Relative;
using date_internal::Teller;

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool FitsInt(int64_t value) { return value >= INT_MIN && value <= INT_MAX; }

std::optional<int64_t> FullHour(const Parsed& p) {
  if (p.meridian < 0) return p.hour >= 0 && p.hour < 24 ? std::optional(p.hour) : std::nullopt;
  if (p.hour <= 0 || p.hour > 12) return std::nullopt;
  return p.hour % 12 + (p.meridian == 1 ? 12 : 0);
}

// Adds `amount` units of `scale`; false on overflow.
bool Accumulate(int64_t& sum, int64_t amount, int64_t scale) {
  int64_t product = 0;
  return !__builtin_mul_overflow(amount, scale, &product) && !__builtin_add_overflow(sum, product, &sum);
}

// Turns what was said into a moment.
class Resolver {
 public:
  Resolver(const Parsed& parsed, const TimeZone& zone, bool is_dst_now, Teller* teller)
      : p_(parsed), zone_(zone), is_dst_now_(is_dst_now), teller_(teller) {}

  std::optional<TimePoint> Run() {
    if (teller_ != nullptr) teller_->SayCounts(p_);
    if (p_.times > 1 || p_.dates > 1 || p_.days > 1 || p_.dsts > 1 ||
        p_.local_zones + p_.zones > 1) {
      return std::nullopt;
    }
    if (!SetFields() || !Start() || !MoveToDay() || !MoveDate() || !MoveZone()) return std::nullopt;
    return MoveTime();
  }

 private:
  bool SetFields() {
    fields_ = {FullYear(p_), p_.month, p_.day, 0, 0, 0};
    if (teller_ != nullptr && p_.year_digits == 2) {
      teller_->Say("warning: adjusting year value " + std::to_string(p_.year) + " to " + std::to_string(fields_.year));
    }
    if (!FitsInt(fields_.year) || !FitsInt(p_.month) || !FitsInt(p_.day)) return false;
    if (p_.times > 0 || (p_.has_relative && p_.dates == 0 && p_.days == 0)) {
      const auto hour = FullHour(p_);
      if (!hour && teller_ != nullptr) {
        teller_->Say("error: invalid hour " + std::to_string(p_.hour) + (p_.meridian < 0 ? "" : p_.meridian == 1 ? "pm" : "am"));
      }
      if (!hour || !FitsInt(p_.minute) || !FitsInt(p_.seconds.seconds)) return false;
      fields_.hour = *hour;
      fields_.minute = p_.minute;
      fields_.second = p_.seconds.seconds;
      nanos_ = p_.seconds.nanos;
      if (teller_ != nullptr) teller_->Say((p_.times > 0 ? "using specified time as starting value: '" : "using current time as starting value: '") + Teller::TimeText(fields_) + "'");
    } else if (teller_ != nullptr) {
      teller_->Say("warning: using midnight as starting time: 00:00:00");
    }
    // A date that only moves the present one keeps its kind of clock, even into the other season.
    if (p_.dates == 0 && p_.days == 0 && p_.times == 0) is_dst_ = is_dst_now_;
    if (p_.local_zones > 0) is_dst_ = p_.local_is_dst;
    return true;
  }

  bool Start() {
    const auto start = zone_.FromLocal(fields_, is_dst_);
    if (!start) return false;
    seconds_ = *start;
    time_ = zone_.ToLocal(seconds_);
    if (ShowsFields(time_)) return true;
    if (p_.zones == 0) {
      if (teller_ != nullptr) teller_->SayInvalid(fields_, time_);
      return false;
    }
    // The clock of another zone is not bound by the gaps of this one.
    const auto as_utc = TimeZone().FromLocal(fields_);
    if (!as_utc || !ShowsFields(ToUtc(*as_utc))) return false;
    seconds_ = *as_utc;
    time_ = ToUtc(seconds_);
    return true;
  }

  bool ShowsFields(const CalendarTime& time) const {
    return time.year == fields_.year && time.month == fields_.month && time.day == fields_.day &&
           time.hour == fields_.hour && time.minute == fields_.minute && time.second == fields_.second;
  }

  // "next monday": only without a date.
  bool MoveToDay() {
    if (teller_ != nullptr && p_.days > 0 && p_.dates > 0) teller_->Say("warning: day (" + Teller::DayText(p_) + ") ignored when explicit dates are given");
    if (p_.days == 0 || p_.dates > 0) return SayStart();
    const bool skips_one = p_.day_ordinal > 0 && time_.weekday != p_.day_number;
    int64_t day = time_.day + (p_.day_number - time_.weekday + 7) % 7;
    if (!Accumulate(day, p_.day_ordinal - (skips_one ? 1 : 0), 7) || !FitsInt(day)) return false;
    if (!MoveTo({time_.year, time_.month, day, fields_.hour, fields_.minute, fields_.second}, {})) return false;
    if (teller_ != nullptr) teller_->Say("new start date: '" + Teller::DayText(p_) + "' is '" + Teller::MomentText(time_, p_.zones > 0, p_.zone_offset) + "'");
    return SayStart();
  }

  bool SayStart() {
    if (teller_ == nullptr) return true;
    if (p_.dates == 0 && p_.days == 0) {
      teller_->Say("using current date as starting value: '" + Teller::DateText(time_.year, time_.month, time_.day) + "'");
    }
    teller_->Say("starting date/time: '" + Teller::MomentText(time_, p_.zones > 0, p_.zone_offset) + "'");
    return true;
  }

  bool MoveDate() {
    const Relative& r = p_.relative;
    if (r.year == 0 && r.month == 0 && r.day == 0) return true;
    TimeZone::Fields moved{time_.year, time_.month, time_.day, fields_.hour, fields_.minute, fields_.second};
    if (!Accumulate(moved.year, r.year, 1) || !Accumulate(moved.month, r.month, 1) ||
        !Accumulate(moved.day, r.day, 1)) {
      return false;
    }
    if (!FitsInt(moved.year) || !FitsInt(moved.month) || !FitsInt(moved.day)) return false;
    const CalendarTime before = time_;
    if (!MoveTo(moved, is_dst_)) return false;
    if (teller_ != nullptr) teller_->SayMoved(p_, before, moved, time_, is_dst_.has_value());
    return true;
  }

  bool MoveTo(const TimeZone::Fields& fields, std::optional<bool> is_dst) {
    const auto moved = zone_.FromLocal(fields, is_dst);
    if (!moved) return false;
    seconds_ = *moved;
    time_ = zone_.ToLocal(seconds_);
    return true;
  }

  bool MoveZone() {
    if (p_.zones > 0 && !Accumulate(seconds_, int64_t{time_.offset} - p_.zone_offset, 1)) return false;
    if (teller_ != nullptr) teller_->Say("'" + Teller::MomentText(time_, p_.zones > 0, p_.zone_offset) + "' = " + std::to_string(seconds_) + " epoch-seconds");
    return true;
  }

  std::optional<TimePoint> MoveTime() {
    const Relative& r = p_.relative;
    int64_t nanos = 0;
    if (__builtin_add_overflow(int64_t{nanos_}, r.nanos, &nanos)) return std::nullopt;
    constexpr int64_t kSecond = 1'000'000'000;
    int64_t carry = nanos / kSecond;
    nanos %= kSecond;
    if (nanos < 0) {
      nanos += kSecond;
      --carry;
    }
    if (!Accumulate(seconds_, r.hour, 3600) || !Accumulate(seconds_, r.minute, 60) ||
        !Accumulate(seconds_, r.second, 1) || !Accumulate(seconds_, carry, 1)) {
      return std::nullopt;
    }
    if (teller_ != nullptr && (r.hour != 0 || r.minute != 0 || r.second != 0 || r.nanos != 0)) teller_->SayTimeMoved(r, seconds_);
    return TimePoint{seconds_, static_cast<int32_t>(nanos)};
  }

  const Parsed& p_;
  const TimeZone& zone_;
  bool is_dst_now_;
  Teller* const teller_;
  TimeZone::Fields fields_{};
  std::optional<bool> is_dst_;
  int32_t nanos_ = 0;
  int64_t seconds_ = 0;
  CalendarTime time_;
};

// Takes a leading TZ="…" off, if there is a whole one.
std::optional<TimeZone> TakeZonePrefix(std::string_view& text, std::string* found) {
  std::string_view rest = text;
  while (!rest.empty() && IsSpace(rest.front())) rest.remove_prefix(1);
  if (!rest.starts_with("TZ=\"")) return std::nullopt;
  std::string name;
  for (size_t i = 4; i < rest.size(); ++i) {
    if (rest[i] == '"') {
      text = rest.substr(i + 1);
      *found = name;
      return TimeZone::FromTz(name);
    }
    if (rest[i] == '\\') {
      ++i;
      if (i >= rest.size() || (rest[i] != '\\' && rest[i] != '"')) return std::nullopt;
    }
    name += rest[i];
  }
  return std::nullopt;
}

}  // namespace

std::optional<TimePoint> ParseDate(std::string_view text, const TimePoint& now, const TimeZone& zone,
                                   Budget& budget, DateTrace* trace) {
  std::string zone_name;
  std::optional<TimeZone> own_zone = TakeZonePrefix(text, &zone_name);
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  if (text.empty()) text = "0";
  const TimeZone& in_zone = own_zone ? *own_zone : zone;
  const CalendarTime today = in_zone.ToLocal(now.seconds);
  Parsed parsed;
  parsed.year = today.year;
  parsed.month = today.month;
  parsed.day = today.day;
  parsed.hour = today.hour;
  parsed.minute = today.minute;
  parsed.seconds = {today.second, now.nanos};
  const std::vector<Lexeme> lexemes = date_internal::ReadLexemes(text, in_zone, budget);
  std::optional<Teller> teller;
  if (trace != nullptr) teller.emplace(*trace, text, own_zone ? "TZ=\"" + zone_name + "\" in date string" : trace->zone);
  if (!date_internal::ParseItems(lexemes, parsed, teller ? &*teller : nullptr)) return std::nullopt;
  if (teller) teller->SayZone(parsed);
  const auto moment = parsed.is_timestamp ? std::optional(parsed.seconds) : Resolver(parsed, in_zone, today.is_dst, teller ? &*teller : nullptr).Run();
  if (teller && moment) teller->SayEnd(*moment, in_zone, own_zone ? "TZ=\"" + zone_name + "\" environment value" : trace->final_zone);
  return moment;
}

}  // namespace paddock
