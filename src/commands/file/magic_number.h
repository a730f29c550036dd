// Numbers in a file as tests of magic see them.
#pragma once

#include <cstdint>
#include <string_view>

#include "commands/file/magic.h"

namespace paddock::file {

// How a number stands in a file.
struct MagicWidth {
  uint8_t size = 0;
  char order = 'n';   // n: the machine's, which is little; l, b; m: a PDP-11's
  bool is_float = false;
};

// No size for a type that is no number.
MagicWidth WidthOf(MagicType type);
uint64_t NumberAt(std::string_view bytes, size_t at, const MagicWidth& width);
uint64_t SignExtended(uint64_t value, uint8_t size);
// What the test does with the number before it compares it: one of kMagicOperations, perhaps inverted.
uint64_t Operated(uint64_t value, uint8_t operation, uint64_t operand);
bool IsDate(MagicType type);

}  // namespace paddock::file
