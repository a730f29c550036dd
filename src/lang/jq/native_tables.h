// The files that bring native functions. For native.cc, and for the functions that they share.
#pragma once

#include <span>

#include "lang/jq/native.h"

namespace paddock::jq {

std::span<const Native> CoreNatives();
std::span<const Native> CollectionNatives();
std::span<const Native> TextNatives();
std::span<const Native> MathNatives();
std::span<const Native> TimeNatives();
std::span<const Native> RegexNatives();

// A number as the nearest offset into something; NaN is 0.
int64_t ToOffset(double number);

}  // namespace paddock::jq
