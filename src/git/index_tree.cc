#include "git/index_tree.h"

#include <algorithm>
#include <string>

#include "git/big_endian.h"

namespace paddock::git {
namespace {

constexpr size_t kHeader = 12, kChecksum = 20, kFixed = 62;   // bytes; kFixed: of an entry before its name

// Where the extensions begin; nothing for what is no index of version 2 or 3.
std::optional<size_t> EndOfEntries(std::string_view body, size_t count) {
  size_t at = kHeader;
  for (size_t i = 0; i < count; ++i) {
    if (at + kFixed + 2 > body.size()) return std::nullopt;
    const bool is_extended = (static_cast<uint8_t>(body[at + 60]) & 0x40) != 0;
    const size_t name = at + kFixed + (is_extended ? 2 : 0), end = body.find('\0', name);
    if (end == std::string_view::npos) return std::nullopt;
    at += (end - at + 8) & ~size_t{7};
  }
  return at;
}

}  // namespace

std::optional<Oid> TreeOfIndex(std::string_view bytes) {
  if (bytes.size() < kHeader + kChecksum) return std::nullopt;
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksum);
  const size_t count = Read32(body, 8);
  const auto entries_end = EndOfEntries(body, count);
  if (!entries_end) return std::nullopt;
  for (size_t at = *entries_end; at + 8 <= body.size();) {
    const size_t length = Read32(body, at + 4);
    if (length > body.size() - at - 8) return std::nullopt;
    const std::string_view content = body.substr(at + 8, length);
    at += 8 + length;
    if (body.substr(at - 8 - length, 4) != "TREE") continue;
    // The top comes first: an empty path, "ENTRIES DIRECTORIES\n" and the id.
    const std::string begin = '\0' + std::to_string(count) + ' ';
    const size_t end = content.find('\n');
    if (!content.starts_with(begin) || end == std::string_view::npos || content.size() - end - 1 < 20) return std::nullopt;
    return Oid::FromBytes(content.substr(end + 1));
  }
  return std::nullopt;
}

}  // namespace paddock::git
