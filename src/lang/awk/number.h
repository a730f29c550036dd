// Numbers in awk text: reading them the way input is read, and writing them the way print does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace paddock::awk {

struct NumberPrefix {
  double value;
  size_t length;  // bytes used, with leading blanks; 0 when there is no number
};

// The longest decimal number at the start of `text` after blanks: digits, a point, an exponent, and
// +inf, -inf, +nan, -nan when nothing but these follows. No hexadecimal, no locale.
NumberPrefix ParseNumber(std::string_view text);

// True when all of `text` but surrounding blanks is one number.
bool LooksNumeric(std::string_view text, double& value);

// Like ParseNumber but also reads 0x1f and 017, as strtonum() and source text do.
double ParseNonDecimal(std::string_view text);

// Writes an integral or special value; returns its length, or 0 when the value has a fraction or does
// not fit the 32 bytes.
size_t WriteIntegral(double value, char* out);

// Appends a number as conversion to text does: integral values in full, others by `format`.
void AppendNumber(std::string& out, double value, std::string_view format);

// base^exponent, for whole exponents by multiplying as gawk does: the last digits depend on it.
double Power(double base, double exponent);

// Appends "+inf", "-inf", "+nan" or "-nan".
std::string_view SpecialName(double value);

}  // namespace paddock::awk
