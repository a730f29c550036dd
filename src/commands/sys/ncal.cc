// ncal - display a calendar
//
// usage: cal [general options] [-jy] [[month] year]
//        ncal [general options] [-bhJjpwySM] [-H yyyy-mm-dd] [-s country_code] [-W number of days] [[month] year]
//        ncal [general options] [-Jeo] [year]
// ncal writes weeks as columns, cal and ncal -b as lines.
//
// Exit status: 0, or 64 for a usage error.
// Source: BSD ncal 12.1 as Debian has it; the Julian calendar ends when the country of -s (United States) ended it.
// Differs: -s counts for -b, too; -w together with -j numbers the weeks, which the original leaves out.

#include <algorithm>
#include <array>

#include "commands/file_facts.h"
#include "proc/option_complaint.h"
#include "text/date/time_format.h"

namespace paddock {
namespace {

constexpr ExitStatus kUsageStatus = 64;
constexpr const char* kUsage =
    "Usage: cal [general options] [-jy] [[month] year]\n"
    "       cal [general options] [-j] [-m month] [year]\n"
    "       ncal -C [general options] [-jy] [[month] year]\n"
    "       ncal -C [general options] [-j] [-m month] [year]\n"
    "       ncal [general options] [-bhJjpwySM] [-H yyyy-mm-dd] [-s country_code] [-W number of days] [[month] year]\n"
    "       ncal [general options] [-Jeo] [year]\n"
    "General options: [-31] [-A months] [-B months] [-d yyyy-mm]\n";

struct Country {
  const char* code;
  const char* name;
  int year, month, day;   // the last one of the Julian calendar
};
constexpr std::array<Country, 34> kCountries = {{
    {"AL", "Albania", 1912, 11, 30},       {"AT", "Austria", 1583, 10, 5},     {"AU", "Australia", 1752, 9, 2},   {"BE", "Belgium", 1582, 12, 14},
    {"BG", "Bulgaria", 1916, 3, 31},       {"CA", "Canada", 1752, 9, 2},       {"CH", "Switzerland", 1655, 2, 28}, {"CN", "China", 1911, 12, 18},
    {"CZ", "Czech Republic", 1584, 1, 6},  {"DE", "Germany", 1700, 2, 18},     {"DK", "Denmark", 1700, 2, 18},    {"ES", "Spain", 1582, 10, 4},
    {"FI", "Finland", 1753, 2, 17},        {"FR", "France", 1582, 12, 9},      {"GB", "United Kingdom", 1752, 9, 2}, {"GR", "Greece", 1924, 3, 9},
    {"HU", "Hungary", 1587, 10, 21},       {"IS", "Iceland", 1700, 11, 16},    {"IT", "Italy", 1582, 10, 4},      {"JP", "Japan", 1918, 12, 18},
    {"LI", "Lithuania", 1918, 2, 1},       {"LU", "Luxembourg", 1582, 12, 14}, {"LV", "Latvia", 1918, 2, 1},      {"NL", "Netherlands", 1582, 12, 14},
    {"NO", "Norway", 1700, 2, 18},         {"PL", "Poland", 1582, 10, 4},      {"PT", "Portugal", 1582, 10, 4},   {"RO", "Romania", 1919, 3, 31},
    {"RU", "Russia", 1918, 1, 31},         {"SI", "Slovenia", 1919, 3, 4},     {"SE", "Sweden", 1753, 2, 17},     {"TR", "Turkey", 1926, 12, 18},
    {"US", "United States", 1752, 9, 2},   {"YU", "Yugoslavia", 1919, 3, 4},
}};

struct Options {
  bool horizontal = false;      // lines of weeks: cal, -b, -C
  bool as_cal = false;          // -C: no more than cal can do
  bool has_new_only = false;    // an option that cal does not have
  bool julian_days = false, week_numbers = false, year = false, julian_only = false, countries = false, easter = false, orthodox = false;
  bool monday = false, plain = false;
  char span = 0;                // '1' or '3': the last of -1, -3 and -y
  int64_t after = 0, before = 0;
  int64_t first_week_days = 4;
  std::optional<std::string> month, base, highlight, country;
};

int64_t LeadingNumber(std::string_view text) {
  int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || value > 100'000'000) break;
    value = value * 10 + (c - '0');
  }
  return value;
}
template <auto kMember>
Status Count(Options& options, std::string_view text) {
  options.*kMember = LeadingNumber(text);
  return {};
}
template <auto kMember, auto kValue>
Status NewOnly(Options& options, std::string_view) {
  options.*kMember = kValue;
  options.has_new_only = true;
  return {};
}
template <auto kMember>
Status NewText(Options& options, std::string_view text) {
  options.*kMember = std::string(text);
  options.has_new_only = true;
  return {};
}
Status FirstWeekDays(Options& options, std::string_view text) {
  options.first_week_days = LeadingNumber(text);
  options.has_new_only = true;
  return {};
}
template <char kSpan>
Status Span(Options& options, std::string_view) {
  options.span = kSpan;
  options.year = false;
  return {};
}
Status Year(Options& options, std::string_view) {
  options.year = true;
  options.span = 0;
  return {};
}

constexpr Option kOptions[] = {
    Call<Span<'1'>>('1', nullptr, nullptr, "one month (the default)"),
    Call<Span<'3'>>('3', nullptr, nullptr, "the month before and the one after, too"),
    Call<Count<&Options::after>>('A', nullptr, "months", "that many months after, too"),
    Call<Count<&Options::before>>('B', nullptr, "months", "that many months before, too"),
    Flag<&Options::as_cal>('C', nullptr, "as cal writes it"),
    Call<NewOnly<&Options::horizontal, true>>('b', nullptr, nullptr, "weeks as lines"),
    Value<&Options::base>('d', nullptr, "yyyy-mm", "as if that were the current month"),
    Call<NewOnly<&Options::easter, true>>('e', nullptr, nullptr, "the date of Easter"),
    Call<NewText<&Options::highlight>>('H', nullptr, "yyyy-mm-dd", "highlight that day"),
    Call<NewOnly<&Options::plain, true>>('h', nullptr, nullptr, "highlight nothing"),
    Call<NewOnly<&Options::julian_only, true>>('J', nullptr, nullptr, "the Julian calendar"),
    Flag<&Options::julian_days>('j', nullptr, "days of the year"),
    Call<NewOnly<&Options::monday, true>>('M', nullptr, nullptr, "weeks begin on Monday"),
    Value<&Options::month>('m', nullptr, "month", "that month; with f or p behind it the next or last one"),
    Call<NewOnly<&Options::orthodox, true>>('o', nullptr, nullptr, "the date of the orthodox Easter"),
    Call<NewOnly<&Options::countries, true>>('p', nullptr, nullptr, "when countries changed the calendar"),
    Call<NewOnly<&Options::monday, false>>('S', nullptr, nullptr, "weeks begin on Sunday"),
    Call<NewText<&Options::country>>('s', nullptr, "country_code", "change the calendar when that country did"),
    Call<FirstWeekDays>('W', nullptr, "number of days", "the first week of a year has at least that many days"),
    Call<NewOnly<&Options::week_numbers, true>>('w', nullptr, nullptr, "number the weeks"),
    Call<Year>('y', nullptr, nullptr, "the whole year"),
};

struct Date {
  int64_t year;
  int64_t month;   // 1–12
  int64_t day;
};

// Days count from 1970-01-01 of the Gregorian calendar in both.
int64_t JulianDay(int64_t year, int64_t month, int64_t day) {
  const int64_t y = month <= 2 ? year - 1 : year;
  const int64_t m = month <= 2 ? month + 9 : month - 3;   // from March
  const int64_t leaps = y >= 0 ? y / 4 : (y - 3) / 4;
  return y * 365 + leaps + (153 * m + 2) / 5 + day - 1 - 719470;
}
Date FromJulian(int64_t days) {
  const int64_t shifted = days + 719470;
  const int64_t cycle = shifted >= 0 ? shifted / 1461 : (shifted - 1460) / 1461;
  const int64_t rest = shifted - cycle * 1461;
  const int64_t year_of_cycle = std::min<int64_t>(rest / 365, 3);
  const int64_t day = rest - year_of_cycle * 365;
  const int64_t m = (5 * day + 2) / 153;
  return {cycle * 4 + year_of_cycle + (m >= 10 ? 1 : 0), m < 10 ? m + 3 : m - 9, day - (153 * m + 2) / 5 + 1};
}
Date FromGregorian(int64_t days) {
  const CalendarTime time = ToUtc(days * 86400);
  return {time.year, time.month, time.day};
}

// The calendar of a country: Julian up to a day, Gregorian after it.
class Reckoning {
 public:
  explicit Reckoning(int64_t last_julian) : last_julian_(last_julian) {}
  int64_t DayOf(int64_t year, int64_t month, int64_t day) const {
    const int64_t julian = JulianDay(year, month, day);
    return julian <= last_julian_ ? julian : std::max(DaysFromDate(year, month, day), last_julian_ + 1);
  }
  Date DateOf(int64_t day) const { return day <= last_julian_ ? FromJulian(day) : FromGregorian(day); }
  // 0 is Sunday.
  static int64_t Weekday(int64_t day) { return ((day + 4) % 7 + 7) % 7; }

 private:
  int64_t last_julian_;
};

Date GregorianEaster(int64_t year) {
  const int64_t a = year % 19, b = year / 100, c = year % 100;
  const int64_t h = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
  const int64_t l = (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7;
  const int64_t m = (a + 11 * h + 22 * l) / 451;
  const int64_t sum = h + l - 7 * m + 114;
  return {year, sum / 31, sum % 31 + 1};
}
Date JulianEaster(int64_t year) {
  const int64_t d = (19 * (year % 19) + 15) % 30;
  const int64_t e = (2 * (year % 4) + 4 * (year % 7) - d + 34) % 7;
  const int64_t sum = d + e + 114;
  return {year, sum / 31, sum % 31 + 1};
}

std::string Padded(int64_t number, size_t width) {
  std::string text = std::to_string(number);
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

// Writes months side by side.
class Writer {
 public:
  Writer(Invocation& in, const Options& options, const Reckoning& reckoning, std::optional<int64_t> marked)
      : in_(in), options_(options), reckoning_(reckoning), marked_(marked) {
    cell_ = options.julian_days ? 4 : 3;
    per_row_ = options.horizontal ? (options.julian_days ? 2 : 3) : (options.julian_days ? 3 : 4);
    text_width_ = options.horizontal ? 7 * cell_ - 1 : 6 * cell_;
    if (options.horizontal && options.week_numbers) text_width_ += 5;
  }

  // `first` counts months from the year 0.
  void Write(int64_t first, int64_t count) {
    const auto rows_of = static_cast<int64_t>(per_row_);
    const bool has_header = count >= rows_of && first % rows_of == 0;
    for (int64_t at = 0; at < count; at += rows_of) {
      in_.budget.Step();
      if (!in_.out.status()) return;
      if (at > 0) in_.out.Put('\n');
      const int64_t month = first + at;
      if (has_header && (at == 0 || month % 12 == 0)) {
        const std::string year = std::to_string(month / 12);
        in_.out.WriteLine(std::string((text_width_ * per_row_ - year.size()) / 2, ' ') + year);
      }
      WriteRow(month, std::min(rows_of, count - at), !has_header);
    }
  }

 private:
  struct Month {
    std::string title;
    int64_t begin, end;   // days
    int64_t lead;         // days of the first week that are not of the month
    int64_t year_begin;
  };

  Month Load(int64_t month, bool has_year) const {
    const int64_t year = month / 12, number = month % 12 + 1;
    Month loaded{std::string(MonthName(static_cast<int>(number))), reckoning_.DayOf(year, number, 1), 0, 0, 0};
    if (has_year) loaded.title += " " + std::to_string(year);
    loaded.end = number == 12 ? reckoning_.DayOf(year + 1, 1, 1) : reckoning_.DayOf(year, number + 1, 1);
    loaded.lead = (Reckoning::Weekday(loaded.begin) + (options_.monday ? 6 : 0)) % 7;
    loaded.year_begin = reckoning_.DayOf(year, 1, 1);
    return loaded;
  }

  void WriteRow(int64_t first, int64_t count, bool has_year) {
    std::vector<Month> months;
    for (int64_t i = 0; i < count; ++i) months.push_back(Load(first + i, has_year));
    if (options_.horizontal) WriteHorizontal(months);
    else WriteVertical(months);
  }

  std::string_view DayName(int64_t row) const { return WeekdayName(static_cast<int>((row + (options_.monday ? 1 : 0)) % 7)).substr(0, 2); }

  // The day in a week of the month, right aligned; blank outside of it.
  std::string Cell(const Month& month, int64_t week, int64_t row, size_t width) const {
    const int64_t day = month.begin - month.lead + week * 7 + row;
    if (day < month.begin || day >= month.end) return std::string(width, ' ');
    const std::string text = Padded(options_.julian_days ? day - month.year_begin + 1 : reckoning_.DateOf(day).day, options_.julian_days ? 3 : 2);
    const std::string shown = marked_ == day ? "\x1b[7m" + text + "\x1b[27m" : text;
    return std::string(width - text.size(), ' ') + shown;
  }

  std::string WeekCell(const Month& month, int64_t week, size_t width) const {
    const int64_t begin = month.begin - month.lead + week * 7;
    return begin >= month.end ? std::string(width, ' ') : Padded(WeekNumber(begin), width);
  }
  // Of the week that begins on `day`.
  int64_t WeekNumber(int64_t day) const {
    const auto first_week = [&](int64_t year) {
      const int64_t begin = reckoning_.DayOf(year, 1, 1);
      const int64_t lead = (Reckoning::Weekday(begin) + (options_.monday ? 6 : 0)) % 7;
      return 7 - lead >= options_.first_week_days ? begin - lead : begin - lead + 7;
    };
    int64_t year = reckoning_.DateOf(day + 6).year;
    while (first_week(year) > day) --year;
    return (day - first_week(year)) / 7 + 1;
  }

  void WriteVertical(const std::vector<Month>& months) {
    std::string line = "    ";
    for (const Month& month : months) line += month.title + std::string(text_width_ - std::min(text_width_, month.title.size()), ' ');
    in_.out.WriteLine(line);
    for (int64_t row = 0; row < 7; ++row) {
      line = DayName(row);
      for (const Month& month : months) {
        for (int64_t week = 0; week < 6; ++week) line += Cell(month, week, row, cell_);
      }
      in_.out.WriteLine(line);
    }
    if (!options_.week_numbers) return;
    line = "  ";
    for (const Month& month : months) {
      for (int64_t week = 0; week < 6; ++week) line += WeekCell(month, week, cell_);
    }
    in_.out.WriteLine(line);
  }

  void WriteHorizontal(const std::vector<Month>& months) {
    std::string line;
    for (const Month& month : months) {
      const size_t room = text_width_ - month.title.size();
      line.append(room / 2, ' ').append(month.title).append(room - room / 2 + 2, ' ');
    }
    in_.out.WriteLine(line);
    for (int64_t week = -1; week < 6; ++week) {
      line.clear();
      for (const Month& month : months) {
        std::string part;
        if (options_.week_numbers) part = week < 0 ? " w| " : WeekCell(month, week, 2) + (WeekCell(month, week, 2) == "  " ? "  " : "| ");
        for (int64_t row = 0; row < 7; ++row) {
          if (row > 0) part += ' ';
          if (week >= 0) part += Cell(month, week, row, cell_ - 1);
          else part.append(cell_ - 3, ' ').append(DayName(row));
        }
        line += part + (options_.week_numbers ? "   " : "  ");
      }
      in_.out.WriteLine(line);
    }
  }

  Invocation& in_;
  const Options& options_;
  const Reckoning& reckoning_;
  std::optional<int64_t> marked_;
  size_t cell_, per_row_, text_width_;
};

ExitStatus Fail(Invocation& in, std::string_view message) { return in.Fail(message, kUsageStatus); }

std::optional<int64_t> ParseYear(Invocation& in, const std::string& text) {
  const bool is_number = !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number) {
    Fail(in, "not a valid year " + text);
    return std::nullopt;
  }
  const int64_t year = LeadingNumber(text);
  if (year >= 1 && year <= 9999) return year;
  Fail(in, "year `" + text + "' not in range 1..9999");
  return std::nullopt;
}

// From a number or the beginning of a name; 'f' or 'p' behind a number takes the one to come or the last one, seen from `now`.
std::optional<int64_t> ParseMonth(Invocation& in, const std::string& text, const Date& now, int64_t& year) {
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string rest = text.substr(digits);
  int64_t month = digits > 0 ? LeadingNumber(text) : 0;
  if (digits == 0 && text.size() >= 3) {
    const auto lower = [](std::string_view word) {
      std::string folded(word.substr(0, 3));
      for (char& c : folded) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      return folded;
    };
    for (int i = 1; i <= 12; ++i) {
      if (lower(text) == lower(MonthName(i))) month = i;
    }
  }
  const bool has_letter = digits > 0 && (rest == "f" || rest == "p");
  if (month < 1 || month > 12 || (digits > 0 && !rest.empty() && !has_letter)) {
    Fail(in, text + " is neither a month number (1..12) nor a name");
    return std::nullopt;
  }
  if (rest == "f" && has_letter && month <= now.month) ++year;
  if (rest == "p" && has_letter && month >= now.month) --year;
  return month;
}

ExitStatus WriteEaster(Invocation& in, const Options& options, int64_t year) {
  Date date = GregorianEaster(year);
  if (options.orthodox) {
    date = JulianEaster(year);
    if (!options.julian_only && year > 1582) date = FromGregorian(JulianDay(date.year, date.month, date.day));
  }
  const auto two = [](int64_t number) { return std::string(number < 10 ? "0" : "") + std::to_string(number); };
  in.out.WriteLine(two(date.month) + "/" + two(date.day) + "/" + two(date.year % 100));
  return 0;
}

ExitStatus ListCountries(Invocation& in, const Country& own) {
  const auto two = [](int number) { return std::string(number < 10 ? "0" : "") + std::to_string(number); };
  const auto entry = [&](const Country& country) {
    std::string name = country.name;
    name.resize(14, ' ');
    return (&country == &own ? "*" : " ") + std::string(country.code) + " " + name + " " + std::to_string(country.year) + "-" + two(country.month) + "-" + two(country.day);
  };
  const size_t half = kCountries.size() / 2;
  for (size_t i = 0; i < half; ++i) in.out.WriteLine(entry(kCountries[i]) + "     " + entry(kCountries[half + i]));
  return 0;
}

struct Wish {
  Date now;
  std::optional<int64_t> month, year;
};

// The operands; false when the command is answered.
bool ReadOperands(Invocation& in, const Options& options, const std::vector<std::string>& operands, Wish& wish) {
  int64_t year = wish.now.year;
  if (options.month) {
    wish.month = ParseMonth(in, *options.month, wish.now, year);
    if (!wish.month) return false;
    wish.year = year;
  }
  if (operands.size() == 2) {
    wish.month = ParseMonth(in, operands[0], wish.now, year);
    if (!wish.month) return false;
  }
  if (operands.empty()) return true;
  wish.year = ParseYear(in, operands.back());
  return wish.year.has_value();
}

ExitStatus Show(Invocation& in, const Options& options, const Reckoning& reckoning, const Wish& wish, std::optional<int64_t> marked) {
  Writer writer(in, options, reckoning, marked);
  const int64_t year = wish.year.value_or(wish.now.year);
  const bool is_whole = options.year || (wish.year && !wish.month);
  const int64_t first = year * 12 + (is_whole ? 0 : wish.month.value_or(wish.now.month) - 1);
  const int64_t extra = options.span == '3' ? 1 : 0;
  const int64_t before = options.before + extra, after = options.after + extra;
  const int64_t begin = std::max<int64_t>(first - before, 0);
  writer.Write(begin, first - begin + (is_whole ? 12 : 1) + after);
  return 0;
}

ExitStatus Calendar(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  const Country* own = std::find_if(kCountries.begin(), kCountries.end(), [&](const Country& one) { return options.country.value_or("US") == one.code; });
  if (own == kCountries.end()) return Fail(in, *options.country + ": invalid country code");
  if (options.countries) return ListCountries(in, *own);
  const Reckoning reckoning(options.julian_only ? INT64_MAX / 2 : JulianDay(own->year, own->month, own->day));
  const CalendarTime local = LocalZone(in.env).ToLocal(Now(in.clock).seconds);
  Wish wish{{local.year, local.month, local.day}, {}, {}};
  std::optional<int64_t> marked;
  if (IsTerminal(in, 1) && !options.plain) marked = DaysFromDate(local.year, local.month, local.day);
  if (options.highlight && marked) {
    const std::string& text = *options.highlight;
    if (text.size() == 10) marked = reckoning.DayOf(LeadingNumber(text), LeadingNumber(text.substr(5)), LeadingNumber(text.substr(8)));
  }
  if (options.base) {
    const size_t dash = options.base->find('-');
    const int64_t months = LeadingNumber(*options.base) * 12 + (dash == std::string::npos ? 0 : LeadingNumber(options.base->substr(dash + 1))) - 1;
    const int64_t year = months < 0 ? 0 : months / 12;
    if (year < 1 || year > 9999) return Fail(in, "year `" + std::to_string(year) + "' not in range 1..9999");
    wish.now = {year, months % 12 + 1, 1};
  }
  if (!ReadOperands(in, options, operands, wish)) return kUsageStatus;
  if (options.easter || options.orthodox) return WriteEaster(in, options, wish.year.value_or(wish.now.year));
  if (options.span != 0 && wish.year && !wish.month) {
    return Fail(in, std::string("-") + options.span + " together with a given year but no given month is not supported.");
  }
  return Show(in, options, reckoning, wish, marked);
}

ExitStatus Run(Invocation& in) {
  Options options;
  const auto complain = [&] {
    in.err.Write(kUsage);
    return kUsageStatus;
  };
  // There are no long options: "--" begins one, as it would for getopt(3).
  for (const std::string& word : in.args.subspan(1)) {
    if (word == "--" || !word.starts_with('-')) break;
    if (word.starts_with("--")) {
      ComplainOfOption(in, "invalid option -- '-'");
      return complain();
    }
  }
  const auto parsed = ParseOptions(in.args, in.command.options, &options, in.command.rules);
  if (!parsed) {
    if (parsed.error().code == Code::kSyntax) ComplainOfOption(in, parsed.error().Text());
    else in.Fail(parsed.error().Text());
    return complain();
  }
  const bool is_cal = options.as_cal;
  const bool is_named_cal = in.name() == "cal";
  if ((is_named_cal || is_cal) && options.has_new_only) return complain();
  if (is_named_cal || is_cal) options.horizontal = true;
  if (parsed->operands.size() > 2) return complain();
  return Calendar(in, options, parsed->operands);
}

constexpr const char* kAliases[] = {"cal"};

}  // namespace

extern const Command kCommand_ncal;
const Command kCommand_ncal = {
    .name = "ncal",
    .aliases = kAliases,
    .summary = "display a calendar and the date of Easter",
    .synopsis = "[general options] [-bhJjpwySM] [-H yyyy-mm-dd] [-s country_code] [-W number of days] [[month] year]\n[general options] [-Jeo] [year]",
    .options = kOptions,
    .usage_status = kUsageStatus,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
