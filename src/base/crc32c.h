// CRC-32C (Castagnoli), which finds what a disk or a torn write did to bytes. Not for what somebody does on purpose.
//
// Source: RFC 3720 appendix B.4.
#pragma once

#include <cstdint>
#include <string_view>

namespace paddock {

// Of `bytes`, or of all that came before (whose value is `before`) and `bytes`.
uint32_t Crc32c(std::string_view bytes, uint32_t before = 0);

}  // namespace paddock
