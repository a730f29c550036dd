#include "text/date/time_format.h"

#include <algorithm>
#include <climits>

#include "base/budget.h"

namespace paddock {
namespace {

constexpr std::string_view kWeekdays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                          "Thursday", "Friday", "Saturday"};
constexpr std::string_view kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                        "July",    "August",   "September", "October", "November", "December"};

char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
bool IsOneOf(char c, std::string_view set) { return c != '\0' && set.find(c) != std::string_view::npos; }

// One %-directive, taken apart.
struct Directive {
  char pad = 0;          // '_', '-', '0', '+' or none
  bool upper = false;
  bool swap_case = false;
  int width = -1;
  char modifier = 0;     // 'E', 'O'
  int colons = 0;
  char conversion = 0;
  std::string_view text;   // all of it, from the '%'
};

Directive ParseDirective(std::string_view format, TimeDialect dialect) {
  Directive d;
  size_t i = 1;
  const auto peek = [&] { return i < format.size() ? format[i] : '\0'; };
  for (; IsOneOf(peek(), "_-0+^#"); ++i) {
    if (peek() == '^') d.upper = true;
    else if (peek() == '#') d.swap_case = true;
    else d.pad = peek();
  }
  for (; peek() >= '0' && peek() <= '9'; ++i) {
    const int digit = peek() - '0';
    const int so_far = std::max(d.width, 0);
    d.width = so_far > (INT_MAX - digit) / 10 ? INT_MAX : so_far * 10 + digit;
  }
  if (IsOneOf(peek(), "EO")) d.modifier = format[i++];
  if (dialect == TimeDialect::kGnuDate && peek() == ':') {
    size_t end = i;
    while (end < format.size() && format[end] == ':') ++end;
    if (end < format.size() && format[end] == 'z' && end - i <= 3) {
      d.colons = static_cast<int>(end - i);
      i = end;
    }
  }
  if (i < format.size()) d.conversion = format[i++];
  d.text = format.substr(0, i);
  return d;
}

class Formatter {
 public:
  Formatter(const CalendarTime& time, const TimePoint& moment, Budget& budget, TimeDialect dialect)
      : time_(time), moment_(moment), budget_(budget), dialect_(dialect) {}

  void Format(std::string_view format) {
    while (!format.empty()) {
      const size_t percent = format.find('%');
      out_ += format.substr(0, percent);
      if (percent == std::string_view::npos) return;
      budget_.Step();
      const Directive directive = ParseDirective(format.substr(percent), dialect_);
      const bool is_cut_short = directive.conversion == '%' && directive.text.size() > 2;
      if (is_cut_short) {
        // Flags before '%' stand for themselves, and the '%' begins the next directive.
        Text(directive, directive.text.substr(0, directive.text.size() - 1));
      } else {
        Convert(directive);
      }
      format.remove_prefix(percent + directive.text.size() - (is_cut_short ? 1 : 0));
    }
  }

  std::string Take() { return std::move(out_); }

 private:
  static bool IsAllowed(const Directive& d) {
    if (d.modifier == 0) return true;
    if (d.modifier == 'O') return !IsOneOf(d.conversion, "aAcDFqxXY%");
    return !IsOneOf(d.conversion, "aAbBhDdeFgGHIkljmMNSUVwW%");
  }

  void Convert(const Directive& d) {
    if (!IsAllowed(d)) return Text(d, d.text);
    switch (d.conversion) {
      case 'a': return Name(d, WeekdayName(time_.weekday).substr(0, 3));
      case 'A': return Name(d, WeekdayName(time_.weekday));
      case 'b':
      case 'h': return Name(d, MonthName(time_.month).substr(0, 3));
      case 'B': return Name(d, MonthName(time_.month));
      case 'p': return HalfDay(d, d.swap_case);
      case 'P': return HalfDay(d, true);
      case 'Z': return Zone(d);
      case 'c': return CenturyTime(d);
      case 'D':
      case 'x': return Sub(d, "%m/%d/%y");
      case 'r': return Sub(d, "%I:%M:%S %p");
      case 'R': return Sub(d, "%H:%M");
      case 'T':
      case 'X': return Sub(d, "%H:%M:%S");
      case 'F': return FullDate(d);
      case 'n': return Text(d, "\n");
      case 't': return Text(d, "\t");
      case '%': return Text(d, "%");
      case 'z': return Offset(d);
      case 'N': return Nanos(d);
      default: return Numeric(d);
    }
  }

  void Numeric(const Directive& d) {
    switch (d.conversion) {
      case 'C': return Year(d, 2, time_.year / 100, time_.year < 0);
      case 'Y': return Year(d, 4, time_.year, time_.year < 0);
      case 'y': return Year(d, 2, time_.year % 100, false);
      case 'G': return Year(d, 4, IsoWeekOf(time_).year, IsoWeekOf(time_).year < 0);
      case 'g': return Year(d, 2, IsoWeekOf(time_).year % 100, false);
      case 'V': return Number(d, 2, IsoWeekOf(time_).week);
      case 'U': return Number(d, 2, (time_.year_day - time_.weekday + 7) / 7);
      case 'W': return Number(d, 2, (time_.year_day - (time_.weekday + 6) % 7 + 7) / 7);
      case 'm': return Number(d, 2, time_.month);
      case 'd': return Number(d, 2, time_.day);
      case 'e': return Spaced(d, time_.day);
      case 'H': return Number(d, 2, time_.hour);
      case 'I': return Number(d, 2, (time_.hour + 11) % 12 + 1);
      case 'k': return Spaced(d, time_.hour);
      case 'l': return Spaced(d, (time_.hour + 11) % 12 + 1);
      case 'j': return Number(d, 3, time_.year_day + 1);
      case 'M': return Number(d, 2, time_.minute);
      case 'S': return Number(d, 2, time_.second);
      case 's': return Number(d, 1, moment_.seconds);
      case 'u': return Number(d, 1, (time_.weekday + 6) % 7 + 1);
      case 'w': return Number(d, 1, time_.weekday);
      case 'q':
        if (dialect_ == TimeDialect::kGnuDate) return Number(d, 1, (time_.month - 1) / 3 + 1);
        break;
      default: break;
    }
    Text(d, d.text);
  }

  // Fills up to the width, then the text, with the case flags applied.
  void Text(const Directive& d, std::string_view text, bool lower = false) {
    const bool fills = d.pad != '-' && d.width > 0 && static_cast<size_t>(d.width) > text.size();
    if (fills) Fill(static_cast<size_t>(d.width) - text.size(), d.pad == '0' || d.pad == '+' ? '0' : ' ');
    for (const char c : text) out_ += lower ? Lower(c) : d.upper ? Upper(c) : c;
  }

  void Fill(size_t count, char c) {
    budget_.WillAllocate(count);
    budget_.Step(static_cast<int64_t>(count / 32));
    out_.append(count, c);
  }

  void Name(Directive d, std::string_view name) {
    d.upper = d.upper || d.swap_case;
    Text(d, name);
  }

  void HalfDay(const Directive& d, bool lower) { Text(d, time_.hour < 12 ? "AM" : "PM", lower); }

  void Zone(const Directive& d) {
    if (!d.swap_case) return Text(d, time_.zone);
    Text(d, time_.zone, true);
  }

  void Sub(const Directive& d, std::string_view format) {
    Formatter inner(time_, moment_, budget_, dialect_);
    inner.Format(format);
    Text(d, inner.out_);
  }

  // %c, whose year the C library writes without padding.
  void CenturyTime(const Directive& d) {
    Sub(d, dialect_ == TimeDialect::kGnuDate ? "%a %b %e %H:%M:%S %-Y" : "%a %b %e %H:%M:%S %Y");
  }

  void FullDate(const Directive& d) {
    Directive year;
    year.pad = d.pad == 0 && d.width < 0 ? '+' : d.pad;
    year.width = d.pad == 0 && d.width < 0 ? 4 : std::max(d.width - 6, 0);
    Formatter inner(time_, moment_, budget_, dialect_);
    inner.Year(year, 4, time_.year, time_.year < 0);
    inner.Format("-%m-%d");
    Directive plain = d;
    plain.width = -1;
    Text(plain, inner.out_);
  }

  void Number(const Directive& d, int digits, int64_t value) {
    const std::string text = std::to_string(value);
    Padded(d, digits, value < 0 ? "-" : "", value < 0 ? std::string_view(text).substr(1) : text);
  }

  void Spaced(Directive d, int value) {
    if (d.pad == 0) d.pad = '_';
    Number(d, 2, value);
  }

  void Year(const Directive& d, int digits, int64_t value, bool is_negative) {
    const int64_t magnitude = std::abs(value);
    const bool shows_plus = d.pad == '+' && (magnitude > (digits == 2 ? 99 : 9999) || digits < d.width);
    Padded(d, digits, is_negative ? "-" : shows_plus ? "+" : "", std::to_string(magnitude));
  }

  void Padded(const Directive& d, int digits, std::string_view sign, std::string_view number) {
    if (d.modifier != 0 && d.width > digits && d.pad == 0) {
      // The C library writes alternative digits; only its result is padded.
      Directive plain = d;
      plain.width = -1;
      plain.modifier = 0;
      Formatter inner(time_, moment_, budget_, dialect_);
      inner.Padded(plain, digits, sign, number);
      return Text(d, inner.out_);
    }
    const size_t width = static_cast<size_t>(d.width < 0 ? digits : d.width);
    const size_t size = sign.size() + number.size();
    const size_t missing = d.pad != '-' && width > size ? width - size : 0;
    if (d.pad == '_') Fill(missing, ' ');
    out_ += sign;
    if (d.pad != '_') Fill(missing, '0');
    out_ += number;
  }

  // The offset is written like one number, hhmm or hhmmss, with colons between.
  void Offset(const Directive& d) {
    const int64_t seconds = std::abs(static_cast<int64_t>(time_.offset));
    const int64_t hours = seconds / 3600, minutes = seconds / 60 % 60, rest = seconds % 60;
    int colons = d.colons;
    if (colons == 3) colons = rest != 0 ? 2 : minutes != 0 ? 1 : -1;
    const auto two = [](int64_t n) { return std::string{static_cast<char>('0' + n / 10), static_cast<char>('0' + n % 10)}; };
    std::string number;
    int digits = 5;
    if (colons == -1) {
      number = std::to_string(hours);
      digits = 3;
    } else if (colons == 0) {
      number = std::to_string(hours * 100 + minutes);
    } else {
      number = std::to_string(hours) + ":" + two(minutes);
      if (colons == 2) number += ":" + two(rest);
      digits = colons == 2 ? 9 : 6;
    }
    // date(1) writes -0000 where the local time is not known ("-00").
    const bool is_unknown = time_.offset == 0 && time_.zone.starts_with('-') && dialect_ == TimeDialect::kGnuDate;
    Padded(d, digits, time_.offset < 0 || is_unknown ? "-" : "+", number);
  }

  void Nanos(const Directive& d) {
    if (dialect_ != TimeDialect::kGnuDate) return Text(d, d.text);
    std::string digits = std::to_string(1'000'000'000 + static_cast<int64_t>(moment_.nanos)).substr(1);
    // date(1) takes %-N for "as many digits as the clock has".
    const bool strips = (d.pad == '_' || d.pad == '-') && d.text != "%-N";
    const size_t width = d.width <= 0 ? 9 : static_cast<size_t>(d.width);
    if (digits.size() > width) digits.resize(width);
    while (strips && digits.size() > 1 && digits.back() == '0') digits.pop_back();
    const size_t missing = width > digits.size() && d.pad != '-' ? width - digits.size() : 0;
    out_ += digits;
    Fill(missing, d.pad == '_' ? ' ' : '0');
  }

  const CalendarTime& time_;
  const TimePoint& moment_;
  Budget& budget_;
  TimeDialect dialect_;
  std::string out_;
};

}  // namespace

std::string_view WeekdayName(int weekday) { return kWeekdays[weekday]; }
std::string_view MonthName(int month) { return kMonths[month - 1]; }

IsoWeek IsoWeekOf(const CalendarTime& time) {
  const int monday_based = (time.weekday + 6) % 7;
  // The week belongs to the year that its Thursday is in.
  const int thursday = time.year_day - monday_based + 3;
  const int days = IsLeapYear(time.year) ? 366 : 365;
  if (thursday < 0) {
    const int before = IsLeapYear(time.year - 1) ? 366 : 365;
    return {time.year - 1, (thursday + before) / 7 + 1};
  }
  if (thursday >= days) return {time.year + 1, 1};
  return {time.year, thursday / 7 + 1};
}

std::string FormatTime(std::string_view format, const CalendarTime& time, const TimePoint& moment,
                       Budget& budget, TimeDialect dialect) {
  Formatter formatter(time, moment, budget, dialect);
  formatter.Format(format);
  return formatter.Take();
}

}  // namespace paddock
