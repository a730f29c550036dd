// The order of all values, equality and containment.
#pragma once

#include "lang/jq/value.h"

namespace paddock {
class Budget;
}

namespace paddock::jq {

// Below zero, zero or above: null, false, true, numbers, strings, arrays, objects (by sorted keys, then members).
int Compare(const Value& a, const Value& b, Budget& budget);
bool Equals(const Value& a, const Value& b, Budget& budget);
// As `a | contains(b)` for two values of one kind.
bool Contains(const Value& a, const Value& b, Budget& budget);

}  // namespace paddock::jq
