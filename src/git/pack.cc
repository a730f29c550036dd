#include "git/pack.h"

#include <algorithm>

namespace paddock::git {
namespace {

constexpr uint64_t kMostRoom = 1 << 20;   // that is taken because a delta says so

Error Bad(std::string_view what) { return {Code::kCorrupt, std::string(what)}; }

std::optional<uint64_t> TakeSize(std::string_view& text) {
  uint64_t size = 0;
  for (int shift = 0; shift < 63 && !text.empty(); shift += 7) {
    const uint8_t byte = static_cast<uint8_t>(text[0]);
    text.remove_prefix(1);
    size |= uint64_t{byte & 0x7fu} << shift;
    if ((byte & 0x80) == 0) return size;
  }
  return std::nullopt;
}

}  // namespace

Result<std::string> ApplyDelta(std::string_view base, std::string_view delta, Budget& budget) {
  const auto base_size = TakeSize(delta), size = TakeSize(delta);
  if (!base_size || !size || *base_size != base.size() || *size > kMostObject) return Bad("delta does not fit its base");
  if (*size / std::max<uint64_t>(base.size(), 127) > delta.size()) return Bad("delta makes another size than it says");
  budget.WillAllocate(*size);
  std::string out;
  out.reserve(std::min<uint64_t>(*size, kMostRoom));
  while (!delta.empty()) {
    budget.Step();
    const uint8_t code = static_cast<uint8_t>(delta[0]);
    delta.remove_prefix(1);
    if (code == 0) return Bad("delta has a reserved instruction");
    if ((code & 0x80) == 0) {
      if (delta.size() < code || out.size() + code > *size) return Bad("delta is truncated");
      out += delta.substr(0, code);
      delta.remove_prefix(code);
      continue;
    }
    uint64_t from = 0, length = 0;
    for (int bit = 0; bit < 7; ++bit) {
      if ((code >> bit & 1) == 0) continue;
      if (delta.empty()) return Bad("delta is truncated");
      const uint64_t byte = static_cast<uint8_t>(delta[0]);
      delta.remove_prefix(1);
      if (bit < 4) from |= byte << (8 * bit);
      else length |= byte << (8 * (bit - 4));
    }
    if (length == 0) length = 0x10000;
    if (from > base.size() || length > base.size() - from || length > *size - out.size()) return Bad("delta copies from outside its base");
    budget.Step(static_cast<int64_t>(length / 32));
    out += base.substr(from, length);
  }
  if (out.size() != *size) return Bad("delta makes another size than it says");
  return out;
}

}  // namespace paddock::git
