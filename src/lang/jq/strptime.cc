#include "lang/jq/strptime.h"

#include <algorithm>

#include "text/date/time_format.h"

namespace paddock::jq {
namespace {

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

class TimeParser {
 public:
  TimeParser(std::string_view text, CalendarTime& time) : text_(text), time_(time) {}

  bool Parse(std::string_view format) {
    for (size_t i = 0; i < format.size(); ++i) {
      const char c = format[i];
      if (IsSpace(c)) {
        SkipSpace();
      } else if (c != '%' || i + 1 == format.size()) {
        if (!Literal(c)) return false;
      } else {
        ++i;
        while (i + 1 < format.size() && std::string_view("EO-_0").find(format[i]) != std::string_view::npos) ++i;
        if (!Conversion(format[i])) return false;
      }
    }
    return true;
  }
  // After the format: what follows from the fields.
  bool Finish() {
    if (at_ < text_.size() && !IsSpace(text_[at_])) return false;
    if (epoch_) {
      time_ = ToUtc(*epoch_);
      return true;
    }
    if (is_pm_ && time_.hour < 12) time_.hour += 12;
    if (is_am_ && time_.hour == 12) time_.hour = 0;
    if (century_) time_.year = *century_ * 100 + (has_short_year_ ? time_.year % 100 : 0);
    if (has_year_day_ && !has_month_) {
      const CalendarTime day = ToUtc((DaysFromDate(time_.year, 1, 1) + time_.year_day) * 86400);
      time_.month = day.month;
      time_.day = day.day;
      has_date_ = true;
    }
    if (has_date_) {
      const int64_t days = DaysFromDate(time_.year, time_.month, time_.day);
      if (!has_year_day_) time_.year_day = static_cast<int>(days - DaysFromDate(time_.year, 1, 1));
      if (!has_weekday_) time_.weekday = static_cast<int>(((days + 4) % 7 + 7) % 7);
    }
    return true;
  }

 private:
  void SkipSpace() {
    while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
  }
  bool Literal(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool Number(int64_t least, int64_t most, int digits, int64_t& value) {
    SkipSpace();
    if (at_ == text_.size() || !IsDigit(text_[at_])) return false;
    value = 0;
    for (; digits > 0 && at_ < text_.size() && IsDigit(text_[at_]); --digits) value = value * 10 + (text_[at_++] - '0');
    return value >= least && value <= most;
  }
  bool Field(int64_t least, int64_t most, int digits, int& field) {
    int64_t value = 0;
    if (!Number(least, most, digits, value)) return false;
    field = static_cast<int>(value);
    return true;
  }
  bool Matches(std::string_view word) {
    const std::string_view rest = text_.substr(at_, word.size());
    if (rest.size() != word.size()) return false;
    const auto same = [](char a, char b) { return Lower(a) == Lower(b); };
    if (!std::equal(rest.begin(), rest.end(), word.begin(), same)) return false;
    at_ += word.size();
    return true;
  }
  template <class Name>
  bool Named(int first, int count, Name name, int& field) {
    for (int i = first; i < first + count; ++i) {
      if (Matches(name(i)) || Matches(name(i).substr(0, 3))) {
        field = i;
        return true;
      }
    }
    return false;
  }
  bool Year(int digits) {
    int64_t value = 0;
    if (!Number(0, 9999, digits, value)) return false;
    time_.year = value;
    has_date_ = true;
    return true;
  }
  bool Zone() {
    SkipSpace();
    if (at_ < text_.size() && text_[at_] == 'Z') return ++at_, true;
    if (at_ == text_.size() || (text_[at_] != '+' && text_[at_] != '-')) return false;
    ++at_;
    int digits = 0;
    while (at_ < text_.size() && digits < 4 && (IsDigit(text_[at_]) || (text_[at_] == ':' && digits == 2))) {
      if (text_[at_] != ':') ++digits;
      ++at_;
    }
    return digits == 2 || digits == 4;
  }

  bool Conversion(char c) {
    switch (c) {
      case '%': return Literal('%');
      case 'Y': return Year(4);
      case 'C': {
        int64_t value = 0;
        if (!Number(0, 99, 2, value)) return false;
        century_ = value;
        return has_date_ = true;
      }
      case 'y': {
        int64_t value = 0;
        if (!Number(0, 99, 2, value)) return false;
        time_.year = value < 69 ? 2000 + value : 1900 + value;
        return has_date_ = has_short_year_ = true;
      }
      case 'm': return has_date_ = has_month_ = Field(1, 12, 2, time_.month);
      case 'd':
      case 'e': return has_date_ = Field(1, 31, 2, time_.day);
      case 'b':
      case 'B':
      case 'h': return has_date_ = has_month_ = Named(1, 12, MonthName, time_.month);
      case 'a':
      case 'A': return has_weekday_ = Named(0, 7, WeekdayName, time_.weekday);
      case 'H':
      case 'k': return Field(0, 23, 2, time_.hour);
      case 'I':
      case 'l': return Field(1, 12, 2, time_.hour);
      case 'M': return Field(0, 59, 2, time_.minute);
      case 'S': return Field(0, 61, 2, time_.second);
      case 'j': {
        if (!Field(1, 366, 3, time_.year_day)) return false;
        --time_.year_day;
        return has_year_day_ = true;
      }
      case 'u':
      case 'w': {
        if (!Field(c == 'u' ? 1 : 0, c == 'u' ? 7 : 6, 1, time_.weekday)) return false;
        time_.weekday %= 7;
        return has_weekday_ = true;
      }
      case 'p':
      case 'P':
        if (Matches("AM")) return is_am_ = true;
        return is_pm_ = Matches("PM");
      case 'n':
      case 't': SkipSpace(); return true;
      case 'D': return Parse("%m/%d/%y");
      case 'x': return Parse("%m/%d/%y");
      case 'F': return Parse("%Y-%m-%d");
      case 'T':
      case 'X': return Parse("%H:%M:%S");
      case 'R': return Parse("%H:%M");
      case 'r': return Parse("%I:%M:%S %p");
      case 'c': return Parse("%a %b %e %H:%M:%S %Y");
      case 's': {
        int64_t value = 0;
        if (!Number(0, INT64_MAX / 10, 18, value)) return false;
        epoch_ = value;
        return true;
      }
      case 'U':
      case 'W':
      case 'V': {
        int ignored = 0;
        return Field(0, 53, 2, ignored);
      }
      case 'z': return Zone();
      case 'Z':
        SkipSpace();
        while (at_ < text_.size() && !IsSpace(text_[at_])) ++at_;
        return true;
      default: return false;
    }
  }

  std::string_view text_;
  CalendarTime& time_;
  size_t at_ = 0;
  std::optional<int64_t> century_, epoch_;
  bool has_date_ = false, has_month_ = false, has_short_year_ = false, has_weekday_ = false, has_year_day_ = false;
  bool is_am_ = false, is_pm_ = false;
};

}  // namespace

bool ParseTime(std::string_view text, std::string_view format, CalendarTime& time) {
  time = CalendarTime();
  time.year = 1900;
  time.month = 1;
  time.day = 0;
  time.weekday = 0;
  time.year_day = 0;
  TimeParser parser(text, time);
  return parser.Parse(format) && parser.Finish();
}

}  // namespace paddock::jq
