#include "commands/text/char_input.h"

#include "text/utf8.h"

namespace paddock {

std::optional<char32_t> ReadChar(Input& input, bool is_utf8, std::string& bytes) {
  const int first = input.Get();
  if (first < 0 || (first >= 0x80 && !is_utf8)) return std::nullopt;
  bytes.assign(1, static_cast<char>(first));
  const size_t length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  while (bytes.size() < length) {
    const int next = input.Get();
    if (next < 0) return std::nullopt;
    bytes += static_cast<char>(next);
  }
  const DecodedChar decoded = DecodeUtf8(bytes);
  if (!decoded.is_valid || decoded.length != length) return std::nullopt;
  return decoded.code;
}

}  // namespace paddock
