// Counting one byte in a block of text, many bytes at a time.
#pragma once

#include <cstdint>
#include <string_view>

namespace paddock {

uint64_t CountByte(std::string_view bytes, char wanted);

}  // namespace paddock
