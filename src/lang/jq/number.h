// Numbers as text: what JSON and programs write, and how jq shows them.
//
// A number keeps the digits it was written with (more than a double holds, 1.10, 1E+1000) until something is
// computed with it; only then it becomes a double.
#pragma once

#include <string_view>

#include "lang/jq/value.h"

namespace paddock::jq {

inline constexpr size_t kNumberBytes = 40;

// The shortest text of a double that reads back as it, as jq writes it ("1e+17", "1e-05"). NaN has none: "null".
// Returns the length; `out` has room for kNumberBytes.
size_t FormatDouble(double number, char* out);

// A number as JSON text; `buffer` (kNumberBytes) may hold the result.
std::string_view NumberText(const Value& number, char* buffer);

// The whole text as a number; invalid when it is none.
Value ParseNumber(std::string_view text);

// Less, equal or greater by value: exactly when both have kept their digits, as doubles otherwise. NaN is below
// everything, itself included.
int CompareNumbers(const Value& a, const Value& b);

}  // namespace paddock::jq
