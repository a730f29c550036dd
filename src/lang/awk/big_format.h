// Text of a BigFloat: the conversions %e, %f, %g and %a of printf, rounded as ROUNDMODE says.
#pragma once

#include <string>

#include "lang/awk/big_float.h"

namespace paddock::awk {

struct FloatStyle {
  char letter = 'g';            // one of aAeEfFgG
  int64_t precision = 6;
  bool is_alternate = false;    // #
  Rounding rounding = Rounding::kNearest;
};

// Of a finite number, without its sign.
std::string FloatText(const BigFloat& number, const FloatStyle& style, Budget& budget);

}  // namespace paddock::awk
