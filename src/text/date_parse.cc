#include "text/date_parse.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <string>
#include <vector>

#include "base/budget.h"
#include "text/date_words.h"

namespace paddock {
namespace {

using date_internal::FindWord;
using date_internal::Token;
using date_internal::Word;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// One piece of the input. Numbers keep how many digits they were written with: "05" is a year 2005.
struct Lexeme {
  Token token = Token::kEnd;
  int64_t value = 0;
  int32_t nanos = 0;
  size_t digits = 0;
  bool is_negative = false;
  std::string_view word;   // of letters
  size_t end = 0;          // in the text
};

class Lexer {
 public:
  Lexer(std::string_view text, const TimeZone& zone, Budget& budget)
      : text_(text), zone_(zone), budget_(budget) {}

  std::vector<Lexeme> Run() {
    std::vector<Lexeme> lexemes;
    do {
      budget_.Step();
      lexemes.push_back(Next());
      lexemes.back().end = at_;
    } while (lexemes.back().token != Token::kEnd && lexemes.back().token != Token::kError);
    return lexemes;
  }

 private:
  char Peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  Lexeme Next() {
    while (true) {
      while (IsSpace(Peek())) ++at_;
      const char c = Peek();
      if (at_ >= text_.size()) return {};
      if (IsDigit(c)) return Number(0);
      if (c == '-' || c == '+') {
        ++at_;
        while (IsSpace(Peek())) ++at_;
        if (IsDigit(Peek())) return Number(c == '-' ? -1 : 1);
        continue;   // a sign before no number is skipped
      }
      if (IsAlpha(c)) return ReadWord();
      if (c != '(') {
        ++at_;
        return {.token = Token::kChar, .value = static_cast<unsigned char>(c)};
      }
      SkipComment();
    }
  }

  void SkipComment() {
    int depth = 0;
    do {
      if (at_ >= text_.size()) return;
      if (text_[at_] == '(') ++depth;
      if (text_[at_] == ')') --depth;
      ++at_;
    } while (depth > 0);
  }

  Lexeme ReadWord() {
    constexpr size_t kLongestWord = 20;
    const size_t start = at_;
    while (IsAlpha(Peek()) || Peek() == '.') ++at_;
    const Word word = FindWord(text_.substr(start, std::min(at_ - start, kLongestWord - 1)), zone_);
    return {.token = word.token, .value = word.value, .word = text_.substr(start, at_ - start)};
  }

  Lexeme Number(int sign) {
    Lexeme number{.token = sign == 0 ? Token::kUnsigned : Token::kSigned, .is_negative = sign < 0};
    const size_t start = at_;
    for (; IsDigit(Peek()); ++at_) {
      const int64_t digit = Peek() - '0';
      if (__builtin_mul_overflow(number.value, int64_t{10}, &number.value) ||
          __builtin_add_overflow(number.value, sign < 0 ? -digit : digit, &number.value)) {
        return {.token = Token::kError};
      }
    }
    number.digits = at_ - start;
    if ((Peek() == '.' || Peek() == ',') && IsDigit(Peek(1))) Fraction(number, sign);
    return number;
  }

  // Nanoseconds, rounded down.
  void Fraction(Lexeme& number, int sign) {
    number.token = sign == 0 ? Token::kUnsignedDecimal : Token::kSignedDecimal;
    ++at_;
    int32_t nanos = 0;
    int scale = 9;
    bool has_rest = false;
    for (; IsDigit(Peek()); ++at_) {
      if (scale > 0) {
        nanos = nanos * 10 + (Peek() - '0');
        --scale;
      } else if (Peek() != '0') {
        has_rest = true;
      }
    }
    for (; scale > 0; --scale) nanos *= 10;
    if (sign < 0 && has_rest) ++nanos;
    if (sign < 0 && nanos != 0) {
      if (number.value == INT64_MIN) {
        number.token = Token::kError;
        return;
      }
      --number.value;
      nanos = 1'000'000'000 - nanos;
    }
    number.nanos = nanos;
  }

  std::string_view text_;
  const TimeZone& zone_;
  Budget& budget_;
  size_t at_ = 0;
};

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
int64_t FullYear(const Parsed& p) {
  if (p.year < 0) return -p.year;
  if (p.year_digits != 2) return p.year;
  return p.year + (p.year < 69 ? 2000 : 1900);
}

// Writes the trace of --debug.
class Teller {
 public:
  Teller(DateTrace& trace, std::string_view text, std::string zone) : trace_(trace), text_(text), zone_(std::move(zone)) {}

  void Say(std::string line) { trace_.lines.push_back(std::move(line)); }

  static std::string Number(int64_t value, int width) {
    char text[32];
    std::snprintf(text, sizeof text, "%0*lld", width, static_cast<long long>(value));
    return text;
  }
  static std::string Signed(int64_t value) { return (value < 0 ? "" : "+") + std::to_string(value); }
  static std::string DateText(int64_t year, int64_t month, int64_t day) { return "(Y-M-D) " + Number(year, 4) + "-" + Number(month, 2) + "-" + Number(day, 2); }
  static std::string ClockText(int64_t hour, int64_t minute, int64_t second) { return Number(hour, 2) + ":" + Number(minute, 2) + ":" + Number(second, 2); }
  static std::string TimeText(const TimeZone::Fields& fields) { return ClockText(fields.hour, fields.minute, fields.second); }
  // "+05:30", "-05".
  static std::string OffsetText(int64_t seconds) {
    const int64_t all = seconds < 0 ? -seconds : seconds;
    std::string text = (seconds < 0 ? "-" : "+") + Number(all / 3600, 2);
    if (all % 3600 != 0) text += ":" + Number(all / 60 % 60, 2);
    return text;
  }
  static std::string MomentText(const CalendarTime& time, bool has_zone, int64_t offset) {
    return DateText(time.year, time.month, time.day) + " " + ClockText(time.hour, time.minute, time.second) + (has_zone ? " TZ=" + OffsetText(offset) : "");
  }
  // "next/first Mon".
  static std::string DayText(const Parsed& p) {
    static constexpr const char* kOrdinals[] = {"last", "this", "next/first", "(SECOND)", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"};
    static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    std::string text;
    if (p.day_ordinal == 0) text = "";
    else if (p.day_ordinal >= -1 && p.day_ordinal <= 12) text = std::string(kOrdinals[p.day_ordinal + 1]) + " ";
    else text = std::to_string(p.day_ordinal) + " ";
    return text + kDays[std::clamp(p.day_number, 0, 6)];
  }

  // What an item added.
  void SayItem(const Parsed& before, const Parsed& now, bool is_number) {
    const bool has_date = now.dates != before.dates, has_time = now.times != before.times, has_zone = now.zones != before.zones;
    std::string said;
    const auto add = [&](const std::string& text) { said += (said.empty() ? "" : " ") + text; };
    if (has_date && before.dates == 0) add(DateText(now.year < 0 ? -now.year : now.year, now.month, now.day));
    if (!has_date && now.year_digits != before.year_digits) add("year: " + Number(FullYear(now), 4));
    if (has_time && before.times == 0) {
      std::string clock = ClockText(now.hour, now.minute, now.seconds.seconds);
      if (now.seconds.nanos != 0) clock += "." + Number(now.seconds.nanos, 9);
      if (now.meridian == 1) clock += "pm";
      add(clock);
    }
    if (now.days != before.days && before.days == 0) add(DayText(now) + " (day ordinal=" + std::to_string(now.day_ordinal) + " number=" + std::to_string(now.day_number) + ")");
    if (now.local_zones != before.local_zones) add(std::string("isdst=") + (now.local_is_dst ? "1" : "0") + (now.dsts != before.dsts ? " DST" : ""));
    if (has_zone && before.zones == 0) add("UTC" + OffsetText(now.zone_offset));
    bool is_relative = now.has_relative && !SameRelative(before, now);
    if (is_relative && has_zone) {  // "UTC -8 days" says the number first
      Say("parsed relative part: " + RelativeText(now.relative));
      is_relative = false;
    }
    if (is_relative) add(RelativeText(now.relative));
    const char* const what = is_number && !is_relative              ? "number"
                             : has_date && has_time                 ? "datetime"
                             : has_date                             ? "date"
                             : has_time                             ? "time"
                             : now.days != before.days              ? "day"
                             : now.local_zones != before.local_zones ? "local_zone"
                             : has_zone                             ? "zone"
                                                                    : "relative";
    Say("parsed " + std::string(what) + " part: " + said);
  }

  // Where the parser stopped.
  void SayFailure(const Lexeme& at) {
    if (!at.word.empty() && at.token == Token::kError) {
      std::string upper(at.word);
      for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      Say("error: unknown word '" + upper + "'");
    }
    const std::string_view rest = text_.substr(std::min(at.end, text_.size()));
    Say("error: parsing failed" + (rest.empty() ? "" : ", stopped at '" + std::string(rest) + "'"));
  }

  void SayZone(const Parsed& p) {
    std::string text = "input timezone: ";
    if (p.is_timestamp) text += "'@timespec' - always UTC";
    else if (p.zones > 0) text += "parsed date/time string (" + OffsetText(p.zone_offset) + ")";
    else text += zone_;
    if (p.local_zones > 0 && p.local_is_dst) text += ", dst";
    Say(text);
  }

  void SayCounts(const Parsed& p) {
    for (const auto& [count, what] : {std::pair(p.times, "time"), {p.dates, "date"}, {p.days, "days"}, {p.dsts, "daylight-saving"}, {p.local_zones + p.zones, "time-zone"}}) {
      if (count > 1) Say(std::string("error: seen multiple ") + what + " parts");
    }
  }

  void SayInvalid(const TimeZone::Fields& asked, const CalendarTime& normal) {
    Say("error: invalid date/time value:");
    Say("    user provided time: '" + DateText(asked.year, asked.month, asked.day) + " " + TimeText(asked) + "'");
    Say("       normalized time: '" + MomentText(normal, false, 0) + "'");
    const bool same[] = {asked.year == normal.year, asked.month == normal.month, asked.day == normal.day, asked.hour == normal.hour, asked.minute == normal.minute, asked.second == normal.second};
    std::string marks = std::string(33, ' ') + (same[0] ? "    " : "----");
    for (size_t i = 1; i < std::size(same); ++i) marks += same[i] ? "   " : " --";
    marks.erase(marks.find_last_not_of(' ') + 1);
    Say(marks);
    Say("     possible reasons:");
    if (same[0] && same[1] && same[2] && !same[3]) Say("       non-existing due to daylight-saving time;");
    if (!same[2]) Say("       invalid day/month combination;");
    Say("       numeric values overflow;");
    Say("       missing timezone");
  }

  void SayMoved(const Parsed& p, const CalendarTime& before, const TimeZone::Fields& wanted, const CalendarTime& now, bool keeps_clock) {
    const Relative& r = p.relative;
    if ((r.year != 0 || r.month != 0) && before.day != 15) Say("warning: when adding relative months/years, it is recommended to specify the 15th of the months");
    if (r.day != 0 && before.hour != 12) Say("warning: when adding relative days, it is recommended to specify noon");
    Say("after date adjustment (" + Signed(r.year) + " years, " + Signed(r.month) + " months, " + Signed(r.day) + " days),");
    Say("    new date/time = '" + MomentText(now, p.zones > 0, p.zone_offset) + "'");
    if (keeps_clock && before.is_dst != now.is_dst) Say("warning: daylight saving time changed after date adjustment");
    const int64_t month = (wanted.month - 1) % 12;
    const int64_t shown = (month < 0 ? month + 12 : month) + 1;
    if (r.day == 0 && (wanted.day != now.day || shown != now.month)) {
      Say("warning: month/year adjustment resulted in shifted dates:");
      const int64_t year = wanted.year + (wanted.month - shown) / 12;
      Say("     adjusted Y M D: " + Number(year, 4) + " " + Number(shown, 2) + " " + Number(wanted.day, 2));
      Say("   normalized Y M D: " + Number(now.year, 4) + " " + Number(now.month, 2) + " " + Number(now.day, 2));
    }
  }

  void SayTimeMoved(const Relative& r, int64_t seconds) {
    Say("after time adjustment (" + Signed(r.hour) + " hours, " + Signed(r.minute) + " minutes, " + Signed(r.second) + " seconds, " + Signed(r.nanos) + " ns),");
    Say("    new time = " + std::to_string(seconds) + " epoch-seconds");
  }

  void SayEnd(const TimePoint& moment, const TimeZone& zone, const std::string& source) {
    Say("timezone: " + source);
    Say("final: " + std::to_string(moment.seconds) + "." + Number(moment.nanos, 9) + " (epoch-seconds)");
    Say("final: " + MomentText(ToUtc(moment.seconds), false, 0) + " (UTC)");
    const CalendarTime local = zone.ToLocal(moment.seconds);
    Say("final: " + MomentText(local, false, 0) + " (UTC" + OffsetText(local.offset) + ")");
  }

 private:
  static bool SameRelative(const Parsed& a, const Parsed& b) {
    const Relative &x = a.relative, &y = b.relative;
    return a.has_relative == b.has_relative && x.year == y.year && x.month == y.month && x.day == y.day && x.hour == y.hour && x.minute == y.minute &&
           x.second == y.second && x.nanos == y.nanos && a.has_relative;
  }
  static std::string RelativeText(const Relative& r) {
    std::string text;
    const auto add = [&](int64_t amount, const char* unit) {
      if (amount != 0) text += (text.empty() ? "" : " ") + Signed(amount) + " " + unit;
    };
    add(r.year, "year(s)");
    add(r.month, "month(s)");
    add(r.day, "day(s)");
    add(r.hour, "hour(s)");
    add(r.minute, "minutes");
    add(r.second, "seconds");
    add(r.nanos, "nanoseconds");
    return text.empty() ? "today/this/now" : text;
  }

  DateTrace& trace_;
  std::string_view text_;
  std::string zone_;
};

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
  const std::vector<Lexeme> lexemes = Lexer(text, in_zone, budget).Run();
  std::optional<Teller> teller;
  if (trace != nullptr) teller.emplace(*trace, text, own_zone ? "TZ=\"" + zone_name + "\" in date string" : trace->zone);
  if (!Parser(lexemes, parsed, teller ? &*teller : nullptr).Run()) return std::nullopt;
  if (teller) teller->SayZone(parsed);
  const auto moment = parsed.is_timestamp ? std::optional(parsed.seconds) : Resolver(parsed, in_zone, today.is_dst, teller ? &*teller : nullptr).Run();
  if (teller && moment) teller->SayEnd(*moment, in_zone, own_zone ? "TZ=\"" + zone_name + "\" environment value" : trace->final_zone);
  return moment;
}

}  // namespace paddock
