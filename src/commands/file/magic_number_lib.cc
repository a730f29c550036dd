#include "commands/file/magic_number.h"

#include "commands/file/file_kind.h"

namespace paddock::file {

MagicWidth WidthOf(MagicType type) {
  switch (type) {
    case MagicType::kByte: return {1};
    case MagicType::kShort:
    case MagicType::kLeShort: return {2, 'l'};
    case MagicType::kBeShort: return {2, 'b'};
    case MagicType::kLong:
    case MagicType::kDate:
    case MagicType::kLDate:
    case MagicType::kLeLong:
    case MagicType::kLeDate:
    case MagicType::kLeLDate: return {4, 'l'};
    case MagicType::kBeLong:
    case MagicType::kBeDate:
    case MagicType::kBeLDate: return {4, 'b'};
    case MagicType::kMeLong:
    case MagicType::kMeDate:
    case MagicType::kMeLDate: return {4, 'm'};
    case MagicType::kQuad:
    case MagicType::kQDate:
    case MagicType::kQLDate:
    case MagicType::kQWDate:
    case MagicType::kLeQuad:
    case MagicType::kLeQDate:
    case MagicType::kLeQLDate:
    case MagicType::kLeQWDate: return {8, 'l'};
    case MagicType::kBeQuad:
    case MagicType::kBeQDate:
    case MagicType::kBeQLDate:
    case MagicType::kBeQWDate: return {8, 'b'};
    case MagicType::kFloat:
    case MagicType::kLeFloat: return {4, 'l', true};
    case MagicType::kBeFloat: return {4, 'b', true};
    case MagicType::kDouble:
    case MagicType::kLeDouble: return {8, 'l', true};
    case MagicType::kBeDouble: return {8, 'b', true};
    default: return {};
  }
}

uint64_t NumberAt(std::string_view bytes, size_t at, const MagicWidth& width) {
  if (width.order == 'b') return Big(bytes, at, width.size);
  if (width.order == 'm') return Little(bytes, at, 2) << 16 | Little(bytes, at + 2, 2);
  return Little(bytes, at, width.size);
}

uint64_t SignExtended(uint64_t value, uint8_t size) {
  if (size == 1) return static_cast<uint64_t>(static_cast<int8_t>(value));
  if (size == 2) return static_cast<uint64_t>(static_cast<int16_t>(value));
  if (size == 4) return static_cast<uint64_t>(static_cast<int32_t>(value));
  return value;
}

uint64_t Operated(uint64_t value, uint8_t operation, uint64_t operand) {
  switch (kMagicOperations[operation & 7]) {
    case '&': value &= operand; break;
    case '|': value |= operand; break;
    case '^': value ^= operand; break;
    case '+': value += operand; break;
    case '-': value -= operand; break;
    case '*': value *= operand; break;
    case '/': value = operand == 0 ? 0 : value / operand; break;
    default: value = operand == 0 ? 0 : value % operand; break;
  }
  return (operation & kMagicInverse) != 0 ? ~value : value;
}

bool IsDate(MagicType type) {
  return type == MagicType::kDate || (type >= MagicType::kBeDate && type <= MagicType::kBeDate) || type == MagicType::kLeDate || (type >= MagicType::kLDate && type <= MagicType::kLeLDate) ||
         type == MagicType::kMeDate || type == MagicType::kMeLDate || (type >= MagicType::kQDate && type <= MagicType::kBeQLDate) ||
         (type >= MagicType::kQWDate && type <= MagicType::kBeQWDate);
}

}  // namespace paddock::file
