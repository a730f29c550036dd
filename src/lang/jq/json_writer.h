// Values as JSON text.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "lang/jq/value.h"

namespace paddock {
class Budget;
}

namespace paddock::jq {

// Terminal colours, as the numbers of SGR sequences.
struct Colors {
  enum Of { kNull, kFalse, kTrue, kNumber, kString, kArray, kObject, kKey, kCount };
  std::array<std::string, kCount> codes = {"1;30", "0;39", "0;39", "0;39", "0;32", "1;39", "1;39", "34;1"};

  // Reads JQ_COLORS: codes between colons, in the order above. False when it is malformed; those before count.
  bool Set(std::string_view spec);
};

struct WriteStyle {
  int indent = 0;                   // spaces a level, 0 for one line
  bool uses_tabs = false;
  bool sorts_keys = false;
  bool is_ascii = false;
  const Colors* colors = nullptr;   // null for none

  bool is_pretty() const { return indent > 0 || uses_tabs; }
};

// Appends the text of `value`. What lies deeper than the parser would take is written as "<skipped: too deep>".
void WriteJson(const Value& value, const WriteStyle& style, std::string& out, Budget& budget);

// The text in one line: tojson, tostring of what is no string.
std::string JsonText(const Value& value, Budget& budget);

// Appends a string in quotes.
void WriteJsonString(std::string_view text, bool is_ascii, std::string& out);

}  // namespace paddock::jq
