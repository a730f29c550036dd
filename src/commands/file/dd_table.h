// The character sets of dd: one table a conversion, 256 bytes each.
//
// Source: POSIX.1-2017 dd, "Required Conversions" (ASCII to EBCDIC, ASCII to IBM EBCDIC).
#pragma once

#include <array>
#include <cstdint>

namespace paddock {

using ByteTable = std::array<unsigned char, 256>;

extern const ByteTable kAsciiToEbcdic;
extern const ByteTable kAsciiToIbm;
extern const ByteTable kEbcdicToAscii;

}  // namespace paddock
