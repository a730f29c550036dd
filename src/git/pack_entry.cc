#include "git/pack_entry.h"

#include <string>

namespace paddock::git {
namespace {

Error Bad(std::string_view what) { return {Code::kCorrupt, std::string(what)}; }

}  // namespace

Result<EntryHead> ReadEntryHead(std::string_view bytes, uint64_t offset) {
  EntryHead head;
  size_t at = 0;
  const auto next = [&]() -> int { return at < bytes.size() ? static_cast<uint8_t>(bytes[at++]) : -1; };
  int byte = next();
  if (byte < 0) return Bad("pack has bad object at its end");
  head.kind = byte >> 4 & 7;
  head.size = static_cast<uint64_t>(byte & 15);
  for (int shift = 4; (byte & 0x80) != 0; shift += 7) {
    byte = next();
    if (byte < 0 || shift > 56) return Bad("bad object header");
    head.size |= uint64_t(byte & 0x7f) << shift;
  }
  if (head.size > kMostObject) return Bad("object in pack is too large");
  if (head.kind == 6) {
    byte = next();
    uint64_t distance = static_cast<uint64_t>(byte & 0x7f);
    for (int i = 0; byte >= 0 && (byte & 0x80) != 0; ++i) {
      byte = next();
      if (byte < 0 || i > 7) return Bad("delta base offset is out of bound");
      distance = (distance + 1) << 7 | uint64_t(byte & 0x7f);
    }
    if (byte < 0 || distance == 0 || distance > offset) return Bad("delta base offset is out of bound");
    head.base_offset = offset - distance;
  } else if (head.kind == 7) {
    if (bytes.size() - at < 20) return Bad("truncated pack");
    head.base_id = Oid::FromBytes(bytes.substr(at));
    at += 20;
  } else if (head.kind == 0 || head.kind == 5) {
    return Bad("unknown object type " + std::to_string(head.kind));
  }
  head.length = at;
  return head;
}

}  // namespace paddock::git
