#include "text/date/date_items.h"

#include <algorithm>
#include <string>

#include "text/date/date_trace.h"

namespace paddock::date_internal {
namespace {

// The grammar. It never looks back: a rule that has begun must end, as in the LALR original.
class Parser {
 public:
  // `teller` may be null.
  Parser(const std::vector<Lexeme>& lexemes, Parsed& parsed, Teller* teller) : lexemes_(lexemes), p_(parsed), teller_(teller) {}

  bool Run() {
    if (IsChar('@')) {
      ++at_;
      const Lexeme number = Take();
      if (!IsNumber(number.token) || At() != Token::kEnd) return false;
      p_.seconds = {number.value, number.nanos};
      p_.is_timestamp = true;
      if (teller_ != nullptr) teller_->Say("parsed number of seconds part: number of seconds: " + std::to_string(number.value));
      return true;
    }
    while (At() != Token::kEnd) {
      const Parsed before = p_;
      is_plain_number_ = false;
      if (!Item()) {
        if (teller_ != nullptr) teller_->SayFailure(Look());
        return false;
      }
      if (teller_ != nullptr) teller_->SayItem(before, p_, is_plain_number_);
    }
    return true;
  }

 private:
  const Lexeme& Look(size_t ahead = 0) const { return lexemes_[std::min(at_ + ahead, lexemes_.size() - 1)]; }
  Token At(size_t ahead = 0) const { return Look(ahead).token; }
  bool IsChar(char c, size_t ahead = 0) const { return At(ahead) == Token::kChar && Look(ahead).value == c; }
  Lexeme Take() {
    const Lexeme lexeme = Look();
    if (lexeme.token != Token::kEnd) ++at_;
    return lexeme;
  }
  bool TakeChar(char c) {
    if (!IsChar(c)) return false;
    ++at_;
    return true;
  }
  static bool IsNumber(Token token) {
    return token == Token::kUnsigned || token == Token::kSigned || token == Token::kUnsignedDecimal ||
           token == Token::kSignedDecimal;
  }
  static bool IsUnit(Token token) {
    return token == Token::kYearUnit || token == Token::kMonthUnit || token == Token::kDayUnit ||
           token == Token::kHourUnit || token == Token::kMinuteUnit || token == Token::kSecondUnit;
  }

  bool Item() {
    switch (At()) {
      case Token::kUnsigned: return NumberItem();
      case Token::kSigned:
      case Token::kSignedDecimal:
      case Token::kUnsignedDecimal: return RelativeItem();
      case Token::kMonth: return MonthItem();
      case Token::kDay: {
        SetDay(0, Take().value);
        TakeChar(',');
        return true;
      }
      case Token::kOrdinal: {
        if (At(1) != Token::kDay) return RelativeItem();
        const int64_t ordinal = Take().value;
        SetDay(ordinal, Take().value);
        return true;
      }
      case Token::kDayShift: {
        Relative shift;
        shift.day = Take().value;
        return Apply(shift, 1);
      }
      case Token::kLocalZone: {
        p_.local_is_dst = Take().value != 0;
        ++p_.local_zones;
        if (At() == Token::kDst) {
          Take();
          p_.local_is_dst = true;
          ++p_.dsts;
        }
        return true;
      }
      case Token::kZone: return ZoneItem(Take().value);
      case Token::kDayZone: {
        p_.zone_offset = Take().value + 3600;
        ++p_.zones;
        return true;
      }
      case Token::kChar:
        return TakeChar('T') && NauticalT();
      default: return IsUnit(At()) && RelativeItem();
    }
  }

  void SetDay(int64_t ordinal, int64_t number) {
    p_.day_ordinal = ordinal;
    p_.day_number = static_cast<int>(number);
    ++p_.days;
  }

  // The letter T as a zone.
  bool NauticalT() {
    ++p_.zones;
    p_.zone_offset = -7 * 3600;
    return At() != Token::kSigned || RelativeItem(false);
  }

  bool ZoneItem(int64_t offset) {
    ++p_.zones;
    p_.zone_offset = offset;
    if (At() == Token::kDst) {
      Take();
      p_.zone_offset += 3600;
      return true;
    }
    if (At() != Token::kSigned) return true;
    if (IsUnit(At(1))) return RelativeItem(false);
    --p_.zones;
    if (!ZoneOffset()) return false;
    p_.zone_offset += offset;
    return true;
  }

  // [+-]hh, [+-]hhmm or [+-]hh:mm
  bool ZoneOffset() {
    const Lexeme number = Take();
    ++p_.zones;
    int64_t hours = number.value;
    int64_t minutes = 0;
    if (TakeChar(':')) {
      if (At() != Token::kUnsigned) return false;
      const int64_t mm = Take().value;
      if (__builtin_mul_overflow(hours, int64_t{60}, &minutes) ||
          __builtin_add_overflow(minutes, number.is_negative ? -mm : mm, &minutes)) {
        return false;
      }
    } else {
      if (number.digits <= 2 && __builtin_mul_overflow(hours, int64_t{100}, &hours)) return false;
      minutes = hours / 100 * 60 + hours % 100;
    }
    constexpr int64_t kMostMinutes = 24 * 60;
    if (minutes < -kMostMinutes || minutes > kMostMinutes) return false;
    p_.zone_offset = minutes * 60;
    return true;
  }

  bool MonthItem() {
    ++p_.dates;
    p_.month = Take().value;
    if (At() == Token::kSigned) {   // JUN-17-1992
      p_.day = -Take().value;
      if (At() != Token::kSigned) return false;
      return SetNegatedYear(Take());
    }
    if (At() != Token::kUnsigned) return false;
    p_.day = Take().value;
    if (!TakeChar(',')) return true;
    if (At() != Token::kUnsigned) return false;
    SetYear(Take());
    return true;
  }

  void SetYear(const Lexeme& number) {
    p_.year = number.value;
    p_.year_digits = number.digits;
  }

  // The year of "17-JUN-1992", whose hyphen looked like a sign.
  bool SetNegatedYear(const Lexeme& number) {
    if (__builtin_sub_overflow(int64_t{0}, number.value, &p_.year)) return false;
    p_.year_digits = number.digits;
    return true;
  }

  bool NumberItem() {
    const Lexeme number = Take();
    switch (At()) {
      case Token::kMeridian:
        ++p_.times;
        SetTime(number.value, 0, {});
        p_.meridian = static_cast<int>(Take().value);
        return true;
      case Token::kDay:
        SetDay(number.value, Take().value);
        return true;
      case Token::kMonth: return DayMonth(number);
      case Token::kSigned: return NumberThenSigned(number);
      case Token::kChar:
        if (IsChar(':')) return Clock(number, true);
        if (IsChar('/')) return SlashDate(number);
        break;
      default:
        if (IsUnit(At())) {
          --at_;
          return RelativeItem();
        }
        break;
    }
    return DigitsToDateOrTime(number);
  }

  bool DayMonth(const Lexeme& day) {
    ++p_.dates;
    p_.day = day.value;
    p_.month = Take().value;
    if (At() == Token::kSigned) return SetNegatedYear(Take());
    if (At() == Token::kUnsigned) SetYear(Take());
    return true;
  }

  bool SlashDate(const Lexeme& first) {
    ++p_.dates;
    Take();
    if (At() != Token::kUnsigned) return false;
    const Lexeme second = Take();
    if (!TakeChar('/')) {
      p_.month = first.value;
      p_.day = second.value;
      return true;
    }
    if (At() != Token::kUnsigned) return false;
    const Lexeme third = Take();
    const bool year_first = first.digits >= 4;
    if (teller_ != nullptr) {
      teller_->Say("warning: value " + std::to_string(first.value) + " has " + (year_first ? std::to_string(first.digits) + " digits. Assuming YYYY/MM/DD" : "less than 4 digits. Assuming MM/DD/YY[YY]"));
    }
    SetYear(year_first ? first : third);
    p_.month = year_first ? second.value : first.value;
    p_.day = year_first ? third.value : second.value;
    return true;
  }

  // After an unsigned number comes a signed one: 2024-01-05, a clock with a zone, or "20240105 +1 day".
  bool NumberThenSigned(const Lexeme& number) {
    if (At(1) == Token::kSigned) {
      ++p_.dates;
      SetYear(number);
      p_.month = -Take().value;
      p_.day = -Take().value;
      if (!TakeChar('T')) return true;
      return At() == Token::kUnsigned && IsoTime();   // here the letter is never a zone
    }
    if (IsUnit(At(1))) return DigitsToDateOrTime(number) && RelativeItem(false);
    ++p_.times;
    SetTime(number.value, 0, {});
    return ZoneOffset();
  }

  bool IsoTime() {
    const Lexeme hour = Take();
    if (IsChar(':')) return Clock(hour, false);
    if (At() != Token::kSigned) return false;
    ++p_.times;
    SetTime(hour.value, 0, {});
    return ZoneOffset();
  }

  void SetTime(int64_t hour, int64_t minute, const TimePoint& seconds) {
    p_.hour = hour;
    p_.minute = minute;
    p_.seconds = seconds;
    p_.meridian = -1;
  }

  bool Clock(const Lexeme& hour, bool may_have_meridian) {
    ++p_.times;
    Take();
    if (At() != Token::kUnsigned) return false;
    const int64_t minute = Take().value;
    TimePoint seconds;
    if (TakeChar(':')) {
      if (At() != Token::kUnsigned && At() != Token::kUnsignedDecimal) return false;
      const Lexeme number = Take();
      seconds = {number.value, number.nanos};
    }
    SetTime(hour.value, minute, seconds);
    if (may_have_meridian && At() == Token::kMeridian) {
      p_.meridian = static_cast<int>(Take().value);
      return true;
    }
    return At() != Token::kSigned || ZoneOffset();
  }

  bool DigitsToDateOrTime(const Lexeme& number) {
    is_plain_number_ = true;
    if (p_.dates > 0 && p_.year_digits == 0 && !p_.has_relative && (p_.times > 0 || number.digits > 2)) {
      SetYear(number);
      return true;
    }
    if (number.digits > 4) {
      ++p_.dates;
      p_.day = number.value % 100;
      p_.month = number.value / 100 % 100;
      p_.year = number.value / 10000;
      p_.year_digits = number.digits - 4;
      return true;
    }
    ++p_.times;
    if (number.digits <= 2) SetTime(number.value, 0, {});
    else SetTime(number.value / 100, number.value % 100, {});
    return true;
  }

  // [NUMBER|ORDINAL] UNIT [ago]; after a zone or a plain number there is no "ago".
  bool RelativeItem(bool may_be_ago = true) {
    Lexeme count{.value = 1};
    if (IsNumber(At()) || At() == Token::kOrdinal) count = Take();
    const bool is_decimal = count.token == Token::kSignedDecimal || count.token == Token::kUnsignedDecimal;
    if (!IsUnit(At()) || (is_decimal && At() != Token::kSecondUnit)) return false;
    const Lexeme unit = Take();
    Relative relative;
    switch (unit.token) {
      case Token::kYearUnit: relative.year = count.value; break;
      case Token::kMonthUnit: relative.month = count.value; break;
      case Token::kDayUnit:
        if (__builtin_mul_overflow(count.value, unit.value, &relative.day)) return false;
        break;
      case Token::kHourUnit: relative.hour = count.value; break;
      case Token::kMinuteUnit: relative.minute = count.value; break;
      default:
        relative.second = count.value;
        relative.nanos = count.nanos;
        break;
    }
    if (At() != Token::kAgo) return Apply(relative, 1);
    return may_be_ago && Apply(relative, static_cast<int>(Take().value));
  }

  bool Apply(const Relative& relative, int factor) {
    const auto add = [factor](int64_t& sum, int64_t amount) {
      return factor < 0 ? !__builtin_sub_overflow(sum, amount, &sum) : !__builtin_add_overflow(sum, amount, &sum);
    };
    p_.has_relative = true;
    return add(p_.relative.year, relative.year) && add(p_.relative.month, relative.month) &&
           add(p_.relative.day, relative.day) && add(p_.relative.hour, relative.hour) &&
           add(p_.relative.minute, relative.minute) && add(p_.relative.second, relative.second) &&
           add(p_.relative.nanos, relative.nanos);
  }

  const std::vector<Lexeme>& lexemes_;
  Parsed& p_;
  Teller* const teller_;
  bool is_plain_number_ = false;   // the item is a number alone
  size_t at_ = 0;
};

}  // namespace

int64_t FullYear(const Parsed& p) {
  if (p.year < 0) return -p.year;
  if (p.year_digits != 2) return p.year;
  return p.year + (p.year < 69 ? 2000 : 1900);
}

bool ParseItems(const std::vector<Lexeme>& lexemes, Parsed& parsed, Teller* teller) { return Parser(lexemes, parsed, teller).Run(); }

}  // namespace paddock::date_internal
