#include "text/repair_utf8.h"

#include "text/utf8.h"

namespace paddock {

std::string RepairUtf8(std::string_view text) {
  if (IsValidUtf8(text)) return std::string(text);
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const DecodedChar c = DecodeUtf8(text.substr(i));
    if (c.is_valid) out += text.substr(i, c.length);
    else AppendUtf8(out, 0xFFFD);
    i += c.length;
  }
  return out;
}

}  // namespace paddock
