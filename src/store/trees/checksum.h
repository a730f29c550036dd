// CRC-32C (Castagnoli), which finds torn and decayed blocks before anything in them is believed.
#pragma once

#include <cstdint>
#include <string_view>

namespace paddock::trees {

// Continues from `before`, the checksum of the bytes in front (0 for none).
uint32_t Checksum(std::string_view bytes, uint32_t before = 0);

}  // namespace paddock::trees
