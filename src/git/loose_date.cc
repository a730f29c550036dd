#include "git/loose_date.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace paddock::git {
namespace {

constexpr int64_t kMinute = 60, kHour = 60 * kMinute, kDay = 24 * kHour;
constexpr int64_t kLateness = 10 * kDay;   // a date of digits that could be read as later than that is read otherwise
constexpr int64_t kMost = 1'000'000'000;   // numbers beyond mean nothing
constexpr std::string_view kMonths[] = {"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"};
constexpr std::string_view kWeekdays[] = {"sundays", "mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays"};
constexpr std::string_view kNumbers[] = {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"};
struct Unit {
  std::string_view name;
  int64_t seconds;
};
constexpr Unit kUnits[] = {{"seconds", 1}, {"minutes", kMinute}, {"hours", kHour}, {"days", kDay}, {"weeks", 7 * kDay}};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool BeginsMonth(std::string_view word) {
  return std::any_of(std::begin(kMonths), std::end(kMonths), [word](std::string_view name) {
    return word.size() >= 3 && word.size() <= name.size() && std::equal(word.begin(), word.end(), name.begin(), [](char a, char b) { return Lower(a) == b; });
  });
}

// A date with its year and a time; other words do not count then.
bool IsComplete(std::string_view text) {
  size_t numbers = 0;
  bool has_month = false, has_date = false, has_time = false;
  for (size_t i = 0; i < text.size();) {
    const size_t begin = i;
    if (IsDigit(text[i])) {
      size_t parts = 1;
      const char separator = [&] {
        while (i < text.size() && IsDigit(text[i])) ++i;
        return i < text.size() ? text[i] : '\0';
      }();
      while (i + 1 < text.size() && text[i] == separator && std::string_view(":-/.").find(separator) != std::string_view::npos && IsDigit(text[i + 1])) {
        for (++i, ++parts; i < text.size() && IsDigit(text[i]);) ++i;
      }
      has_time |= parts > 1 && separator == ':';
      has_date |= parts == 3 && separator != ':';
      if (parts == 1 && (begin == 0 || (text[begin - 1] != '+' && text[begin - 1] != '-' && text[begin - 1] != '.'))) ++numbers;
    } else if (IsLetter(text[i])) {
      while (i < text.size() && IsLetter(text[i])) ++i;
      has_month |= BeginsMonth(text.substr(begin, i - begin));
    } else {
      ++i;
    }
  }
  return has_time && (has_date || (has_month && numbers >= 2));
}

class LooseDateReader {
 public:
  LooseDateReader(std::string_view text, int64_t now, const TimeZone& zone) : text_(text), zone_(zone), now_seconds_(now), now_(zone.ToLocal(now)) {
    hour_ = now_.hour;
    minute_ = now_.minute;
    second_ = now_.second;
    weekday_ = now_.weekday;
  }

  LooseDate Read() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (IsDigit(c)) {
        PlaceNumber();
        ReadDigits();
        is_understood_ = true;
      } else if (IsLetter(c)) {
        ReadWord();
      } else {
        ++at_;
      }
    }
    PlaceNumber();
    return {Settle(0), is_understood_, false};
  }

 private:
  // How many letters of the word here are the beginning of `name`; 0 when it goes on otherwise.
  size_t Match(std::string_view name) const {
    size_t i = 0;
    for (; at_ + i < text_.size(); ++i) {
      const char c = text_[at_ + i];
      if (i < name.size() && Lower(c) == name[i]) continue;
      return IsLetter(c) || IsDigit(c) ? 0 : i;
    }
    return i;
  }
  bool IsWord(std::string_view name) const { return Match(name) == name.size(); }

  // A number that stands alone is the day, then the month, then the year: whichever is not known yet.
  void PlaceNumber() {
    const int64_t number = std::exchange(number_, 0);
    if (number == 0) return;
    if (!day_ && number < 32) day_ = number;
    else if (!month_ && number < 13) month_ = number;
    else if (!year_) year_ = FullYear(number);
  }
  static std::optional<int64_t> FullYear(int64_t year) {
    if (year >= 1970 && year < 2100) return year;
    if (year > 69 && year < 100) return 1900 + year;
    if (year >= 0 && year < 38) return 2000 + year;
    return std::nullopt;
  }

  // Fills in what of the date is not known, goes back `seconds`, and takes over the date and time there.
  int64_t Settle(int64_t seconds) {
    if (!day_) day_ = now_.day;
    if (!month_) month_ = now_.month;
    if (!year_) year_ = now_.year - (*month_ > now_.month ? 1 : 0);
    const int64_t moment = zone_.FromLocal({*year_, *month_, *day_, hour_, minute_, second_}).value_or(now_seconds_) - seconds;
    const CalendarTime there = zone_.ToLocal(moment);
    year_ = there.year;
    month_ = there.month;
    day_ = there.day;
    hour_ = there.hour;
    minute_ = there.minute;
    second_ = there.second;
    weekday_ = there.weekday;
    return moment;
  }
  void GoBack(int64_t unit) {
    // Beyond what there are dates for it does not matter how far.
    Settle(unit * std::min(std::exchange(number_, 0), kMost / unit * 100));
  }

  void ReadDigits() {
    const size_t begin = at_;
    const int64_t number = TakeNumber();
    if (at_ + 1 < text_.size() && std::string_view(":./-").find(text_[at_]) != std::string_view::npos && IsDigit(text_[at_ + 1])) {
      const size_t end = at_;
      if (ReadSeveral(number, text_[at_])) return;
      at_ = end;
    }
    // "Dec 02", but not "Dec 0002".
    if (text_[begin] != '0' || at_ - begin <= 2) number_ = number;
  }
  int64_t TakeNumber() {
    int64_t number = 0;
    for (; at_ < text_.size() && IsDigit(text_[at_]); ++at_) number = std::min(number * 10 + (text_[at_] - '0'), kMost);
    return number;
  }
  // 10:30[:15], 2023-11-15, 11/15[/2023], 15.11.2023; `first` and its separator have been read. What is none moves nothing.
  bool ReadSeveral(int64_t first, char separator) {
    ++at_;
    const int64_t second = TakeNumber();
    int64_t third = -1;
    if (at_ + 1 < text_.size() && text_[at_] == separator && IsDigit(text_[at_ + 1])) {
      ++at_;
      third = TakeNumber();
    }
    if (separator != ':') return ReadDate(first, second, third, separator);
    third = std::max<int64_t>(third, 0);
    if (first > 24 || second > 59 || third > 60) return false;
    hour_ = first;
    minute_ = second;
    second_ = third;
    if (year_ && month_ && day_ && at_ + 1 < text_.size() && text_[at_] == '.' && IsDigit(text_[at_ + 1])) {
      ++at_;
      TakeNumber();   // parts of a second
    }
    return true;
  }
  bool ReadDate(int64_t first, int64_t second, int64_t third, char separator) {
    if (first > 70 && (SetDate(first, second, third, false) || SetDate(first, third, second, false))) return true;
    if (separator != '.' && SetDate(third, first, second, true)) return true;
    if (SetDate(third, second, first, true)) return true;
    return separator == '.' && SetDate(third, first, second, true);
  }
  bool SetDate(int64_t year, int64_t month, int64_t day, bool may_not_be_late) {
    if (month < 1 || month > 12 || day < 1 || day > 31) return false;
    const bool has_year = year != -1;
    std::optional<int64_t> full = year_;
    if (has_year) {
      full = FullYear(year);
      if (!full) return false;
    } else if (may_not_be_late) {
      full = now_.year;
    }
    if (may_not_be_late) {
      const auto moment = TimeZone().FromLocal({*full, month, day, hour_, minute_, second_});
      if (moment && now_seconds_ + kLateness < *moment) return false;
    }
    month_ = month;
    day_ = day;
    if (has_year) year_ = full;
    return true;
  }

  void SetHour(int64_t hour) {
    PlaceNumber();
    if (hour_ < hour) Settle(kDay);   // it has not come yet today
    hour_ = hour;
    minute_ = second_ = 0;
  }
  void SetHalf(int64_t add) {
    if (const int64_t hour = std::exchange(number_, 0); hour != 0) {
      hour_ = hour;
      minute_ = second_ = 0;
    }
    hour_ = hour_ % 12 + add;
  }
  bool ReadSpecial() {
    if (IsWord("midnight")) SetHour(0);
    else if (IsWord("noon")) SetHour(12);
    else if (IsWord("tea")) SetHour(17);
    else if (IsWord("pm")) SetHalf(12);
    else if (IsWord("am")) SetHalf(0);
    else if (IsWord("never")) Never();
    else if (IsWord("now") || IsWord("today")) Day(0);
    else if (IsWord("yesterday")) Day(kDay);
    else return false;
    return true;
  }
  void Never() {
    number_ = 0;
    const CalendarTime start = zone_.ToLocal(0);
    year_ = start.year;
    month_ = start.month;
    day_ = start.day;
    hour_ = start.hour;
    minute_ = start.minute;
    second_ = start.second;
  }
  void Day(int64_t back) {
    number_ = 0;
    Settle(back);
  }

  void ReadWord() {
    const bool is_known = ReadKnownWord();
    is_understood_ |= is_known;
    while (at_ < text_.size() && IsLetter(text_[at_])) ++at_;
  }
  bool ReadKnownWord() {
    for (size_t i = 0; i < std::size(kMonths); ++i) {
      if (Match(kMonths[i]) < 3) continue;
      month_ = static_cast<int64_t>(i) + 1;
      return true;
    }
    if (ReadSpecial()) return true;
    if (number_ == 0) {
      for (size_t i = 1; i < std::size(kNumbers); ++i) {
        if (!IsWord(kNumbers[i])) continue;
        number_ = static_cast<int64_t>(i);
        return true;
      }
      if (IsWord("last")) {
        number_ = 1;
        return true;
      }
    }
    for (const Unit& unit : kUnits) {
      if (Match(unit.name) + 1 < unit.name.size()) continue;
      GoBack(unit.seconds);
      return true;
    }
    for (size_t i = 0; i < std::size(kWeekdays); ++i) {
      if (Match(kWeekdays[i]) < 3) continue;
      int64_t weeks = std::exchange(number_, 0) - 1;
      const int64_t days = weekday_ - static_cast<int64_t>(i);
      if (days <= 0) ++weeks;
      Settle(std::max<int64_t>(days + 7 * std::min(weeks, kMost), 0) * kDay);   // without a number it says nothing
      return true;
    }
    if (Match("months") >= 5) {
      const int64_t back = std::exchange(number_, 0);
      Settle(0);
      const int64_t months = *year_ * 12 + *month_ - 1 - back;
      year_ = months >= 0 ? months / 12 : (months - 11) / 12;
      month_ = months - *year_ * 12 + 1;
      return true;
    }
    if (Match("years") >= 4) {
      const int64_t back = std::exchange(number_, 0);
      Settle(0);
      *year_ -= back;
      return true;
    }
    return false;
  }

  std::string_view text_;
  const TimeZone& zone_;
  int64_t now_seconds_;
  CalendarTime now_;
  size_t at_ = 0;
  int64_t number_ = 0;   // one that waits for its unit
  std::optional<int64_t> year_, month_, day_;
  int64_t hour_ = 0, minute_ = 0, second_ = 0, weekday_ = 0;
  bool is_understood_ = false;
};

}  // namespace

LooseDate ReadLooseDate(std::string_view text, int64_t now, const TimeZone& zone) {
  LooseDate date = LooseDateReader(text, now, zone).Read();
  date.is_complete = IsComplete(text);
  return date;
}

}  // namespace paddock::git
