// The pieces of GNU date input: words, numbers and single characters. Private to date_parse.
#pragma once

#include <string_view>
#include <vector>

#include "text/date/date_words.h"

namespace paddock {
class Budget;
}

namespace paddock::date_internal {

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

// All pieces of `text`, which outlives them; the last is kEnd or kError. Comments in parentheses are left out. `zone` as for FindWord().
std::vector<Lexeme> ReadLexemes(std::string_view text, const TimeZone& zone, Budget& budget);

}  // namespace paddock::date_internal
