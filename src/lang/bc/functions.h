// The mathematical functions of bc -l: sine, cosine, arctangent, logarithm, exponential, Bessel.
//
// Computed in binary with digits to spare and cut to the scale.
#pragma once

#include "lang/bc/number.h"

namespace paddock::bc {

// `name` is one of s c a l e. Errors: those of Calculator.
Result<Number> MathFunction(Calculator& calculator, char name, const Number& x, uint64_t scale);
// The Bessel function of integer order.
Result<Number> Bessel(Calculator& calculator, int64_t order, const Number& x, uint64_t scale);

}  // namespace paddock::bc
