#include "text/date/date_words.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>

namespace paddock::date_internal {
namespace {

struct Entry {
  const char* name;
  Token token;
  int value;
};

constexpr int Hours(int hours, int minutes = 0) { return hours * 3600 + (hours < 0 ? -minutes : minutes) * 60; }

constexpr Entry kMeridians[] = {
    {"AM", Token::kMeridian, 0}, {"A.M.", Token::kMeridian, 0},
    {"PM", Token::kMeridian, 1}, {"P.M.", Token::kMeridian, 1},
};

constexpr Entry kCalendar[] = {
    {"JANUARY", Token::kMonth, 1},  {"FEBRUARY", Token::kMonth, 2},  {"MARCH", Token::kMonth, 3},
    {"APRIL", Token::kMonth, 4},    {"MAY", Token::kMonth, 5},       {"JUNE", Token::kMonth, 6},
    {"JULY", Token::kMonth, 7},     {"AUGUST", Token::kMonth, 8},    {"SEPTEMBER", Token::kMonth, 9},
    {"SEPT", Token::kMonth, 9},     {"OCTOBER", Token::kMonth, 10},  {"NOVEMBER", Token::kMonth, 11},
    {"DECEMBER", Token::kMonth, 12},
    {"SUNDAY", Token::kDay, 0},     {"MONDAY", Token::kDay, 1},      {"TUESDAY", Token::kDay, 2},
    {"TUES", Token::kDay, 2},       {"WEDNESDAY", Token::kDay, 3},   {"WEDNES", Token::kDay, 3},
    {"THURSDAY", Token::kDay, 4},   {"THUR", Token::kDay, 4},        {"THURS", Token::kDay, 4},
    {"FRIDAY", Token::kDay, 5},     {"SATURDAY", Token::kDay, 6},
};

constexpr Entry kUnits[] = {
    {"YEAR", Token::kYearUnit, 1},     {"MONTH", Token::kMonthUnit, 1}, {"FORTNIGHT", Token::kDayUnit, 14},
    {"WEEK", Token::kDayUnit, 7},      {"DAY", Token::kDayUnit, 1},     {"HOUR", Token::kHourUnit, 1},
    {"MINUTE", Token::kMinuteUnit, 1}, {"MIN", Token::kMinuteUnit, 1},  {"SECOND", Token::kSecondUnit, 1},
    {"SEC", Token::kSecondUnit, 1},
};

constexpr Entry kRelative[] = {
    {"TOMORROW", Token::kDayShift, 1}, {"YESTERDAY", Token::kDayShift, -1},
    {"TODAY", Token::kDayShift, 0},    {"NOW", Token::kDayShift, 0},
    {"LAST", Token::kOrdinal, -1},     {"THIS", Token::kOrdinal, 0},
    {"NEXT", Token::kOrdinal, 1},      {"FIRST", Token::kOrdinal, 1},
    {"THIRD", Token::kOrdinal, 3},     {"FOURTH", Token::kOrdinal, 4},
    {"FIFTH", Token::kOrdinal, 5},     {"SIXTH", Token::kOrdinal, 6},
    {"SEVENTH", Token::kOrdinal, 7},   {"EIGHTH", Token::kOrdinal, 8},
    {"NINTH", Token::kOrdinal, 9},     {"TENTH", Token::kOrdinal, 10},
    {"ELEVENTH", Token::kOrdinal, 11}, {"TWELFTH", Token::kOrdinal, 12},
    {"AGO", Token::kAgo, -1},          {"HENCE", Token::kAgo, 1},
};

constexpr Entry kUniversal[] = {
    {"GMT", Token::kZone, 0}, {"UT", Token::kZone, 0}, {"UTC", Token::kZone, 0},
};

constexpr Entry kZones[] = {
    {"WET", Token::kZone, 0},              {"WEST", Token::kDayZone, 0},
    {"BST", Token::kDayZone, 0},           {"ART", Token::kZone, Hours(-3)},
    {"BRT", Token::kZone, Hours(-3)},      {"BRST", Token::kDayZone, Hours(-3)},
    {"NST", Token::kZone, Hours(-3, 30)},  {"NDT", Token::kDayZone, Hours(-3, 30)},
    {"AST", Token::kZone, Hours(-4)},      {"ADT", Token::kDayZone, Hours(-4)},
    {"CLT", Token::kZone, Hours(-4)},      {"CLST", Token::kDayZone, Hours(-4)},
    {"EST", Token::kZone, Hours(-5)},      {"EDT", Token::kDayZone, Hours(-5)},
    {"CST", Token::kZone, Hours(-6)},      {"CDT", Token::kDayZone, Hours(-6)},
    {"MST", Token::kZone, Hours(-7)},      {"MDT", Token::kDayZone, Hours(-7)},
    {"PST", Token::kZone, Hours(-8)},      {"PDT", Token::kDayZone, Hours(-8)},
    {"AKST", Token::kZone, Hours(-9)},     {"AKDT", Token::kDayZone, Hours(-9)},
    {"HST", Token::kZone, Hours(-10)},     {"HAST", Token::kZone, Hours(-10)},
    {"HADT", Token::kDayZone, Hours(-10)}, {"SST", Token::kZone, Hours(-12)},
    {"WAT", Token::kZone, Hours(1)},       {"CET", Token::kZone, Hours(1)},
    {"CEST", Token::kDayZone, Hours(1)},   {"MET", Token::kZone, Hours(1)},
    {"MEZ", Token::kZone, Hours(1)},       {"MEST", Token::kDayZone, Hours(1)},
    {"MESZ", Token::kDayZone, Hours(1)},   {"EET", Token::kZone, Hours(2)},
    {"EEST", Token::kDayZone, Hours(2)},   {"CAT", Token::kZone, Hours(2)},
    {"SAST", Token::kZone, Hours(2)},      {"EAT", Token::kZone, Hours(3)},
    {"MSK", Token::kZone, Hours(3)},       {"MSD", Token::kDayZone, Hours(3)},
    {"IST", Token::kZone, Hours(5, 30)},   {"SGT", Token::kZone, Hours(8)},
    {"KST", Token::kZone, Hours(9)},       {"JST", Token::kZone, Hours(9)},
    {"GST", Token::kZone, Hours(10)},      {"NZST", Token::kZone, Hours(12)},
    {"NZDT", Token::kDayZone, Hours(12)},
};

std::optional<Word> Find(std::span<const Entry> table, std::string_view word) {
  for (const Entry& entry : table) {
    if (word == entry.name) return Word{entry.token, entry.value};
  }
  return std::nullopt;
}

std::optional<Word> FindZone(std::string_view word, const TimeZone& zone) {
  if (auto found = Find(kUniversal, word)) return found;
  if (!zone.standard_name().empty() && word == zone.standard_name()) return Word{Token::kLocalZone, 0};
  if (!zone.summer_name().empty() && word == zone.summer_name()) return Word{Token::kLocalZone, 1};
  return Find(kZones, word);
}

// One letter: a nautical zone. 'T' also separates date and time, so it stays a letter; 'J' is none.
Word FindMilitary(char letter) {
  if (letter == 'J') return {Token::kError, 0};
  if (letter == 'T') return {Token::kChar, letter};
  if (letter == 'Z') return {Token::kZone, 0};
  if (letter <= 'I') return {Token::kZone, Hours(letter - 'A' + 1)};
  if (letter <= 'M') return {Token::kZone, Hours(letter - 'A')};
  return {Token::kZone, Hours(-(letter - 'N' + 1))};
}

}  // namespace

Word FindWord(std::string_view text, const TimeZone& zone) {
  std::string word(text);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  if (auto found = Find(kMeridians, word)) return *found;
  const bool is_short = word.size() == 3 || (word.size() == 4 && word[3] == '.');
  for (const Entry& entry : kCalendar) {
    const std::string_view name = entry.name;
    if (is_short ? name.starts_with(std::string_view(word).substr(0, 3)) : name == word) {
      return {entry.token, entry.value};
    }
  }
  if (auto found = FindZone(word, zone)) return *found;
  if (word == "DST") return {Token::kDst, 0};
  if (auto found = Find(kUnits, word)) return *found;
  if (word.back() == 'S') {
    if (auto found = Find(kUnits, std::string_view(word).substr(0, word.size() - 1))) return *found;
  }
  if (auto found = Find(kRelative, word)) return *found;
  if (word.size() == 1 && word[0] != '.') return FindMilitary(word[0]);
  if (word.find('.') != std::string::npos) {
    std::erase(word, '.');
    if (auto found = FindZone(word, zone)) return *found;
  }
  return {Token::kError, 0};
}

}  // namespace paddock::date_internal
