// Differences of one object from another.
#include <algorithm>
#include <unordered_map>

#include "git/delta_pack.h"

namespace paddock::git {
namespace {

constexpr size_t kBlock = 16;
constexpr size_t kMostLiteral = 127, kMostCopy = 0xffff;
constexpr uint64_t kFactor = 0x9e3779b97f4a7c15ull;

void AppendSize(std::string& out, uint64_t size) {
  for (; size >= 0x80; size >>= 7) out.push_back(static_cast<char>((size & 0x7f) | 0x80));
  out.push_back(static_cast<char>(size));
}

void AppendLiteral(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const size_t taken = std::min(text.size(), kMostLiteral);
    out.push_back(static_cast<char>(taken));
    out += text.substr(0, taken);
    text.remove_prefix(taken);
  }
}

void AppendCopy(std::string& out, uint64_t from, uint64_t length) {
  while (length > 0) {
    const uint64_t taken = std::min<uint64_t>(length, kMostCopy);
    const size_t code = out.size();
    uint8_t bits = 0x80;
    out.push_back(0);
    for (int i = 0; i < 4; ++i) {
      const uint8_t byte = static_cast<uint8_t>(from >> (8 * i));
      if (byte == 0) continue;
      bits |= static_cast<uint8_t>(1 << i);
      out.push_back(static_cast<char>(byte));
    }
    for (int i = 0; i < 2; ++i) {
      const uint8_t byte = static_cast<uint8_t>(taken >> (8 * i));
      if (byte == 0) continue;
      bits |= static_cast<uint8_t>(1 << (4 + i));
      out.push_back(static_cast<char>(byte));
    }
    out[code] = static_cast<char>(bits);
    from += taken;
    length -= taken;
  }
}

// A hash of kBlock bytes that moves on byte by byte.
class Rolling {
 public:
  Rolling(std::string_view text, size_t at) : text_(text) {
    for (size_t i = 0; i + 1 < kBlock; ++i) top_ *= kFactor;
    for (size_t i = 0; i < kBlock; ++i) hash_ = hash_ * kFactor + Byte(at + i);
  }
  uint64_t hash() const { return hash_; }
  // To the block that begins one byte later, at `at`.
  void MoveTo(size_t at) { hash_ = (hash_ - Byte(at - 1) * top_) * kFactor + Byte(at + kBlock - 1); }

 private:
  uint64_t Byte(size_t at) const { return static_cast<uint8_t>(text_[at]) + 1u; }
  std::string_view text_;
  uint64_t hash_ = 0, top_ = 1;
};

}  // namespace

std::string MakeDelta(std::string_view base, std::string_view target, size_t most, Budget& budget) {
  if (base.size() < kBlock || target.size() < kBlock || base.size() > 0xffffffffu) return {};
  budget.Step(static_cast<int64_t>((base.size() + target.size()) / 16 + 1));
  std::unordered_map<uint64_t, uint32_t> places;
  budget.WillAllocate(base.size() / kBlock * 48);
  for (size_t at = 0; at + kBlock <= base.size(); at += kBlock) places.emplace(Rolling(base, at).hash(), static_cast<uint32_t>(at));
  std::string out;
  AppendSize(out, base.size());
  AppendSize(out, target.size());
  size_t literal = 0, at = 0, rolled = 0;
  Rolling rolling(target, 0);
  while (at + kBlock <= target.size()) {
    if (out.size() + (at - literal) >= most) return {};
    if (rolled + 1 == at) rolling.MoveTo(at);
    else if (rolled != at) rolling = Rolling(target, at);
    rolled = at;
    const auto found = places.find(rolling.hash());
    if (found == places.end() || base.substr(found->second, kBlock) != target.substr(at, kBlock)) {
      ++at;
      continue;
    }
    size_t from = found->second, begin = at, end = at + kBlock, until = from + kBlock;
    while (begin > literal && from > 0 && base[from - 1] == target[begin - 1]) {
      --begin;
      --from;
    }
    while (end < target.size() && until < base.size() && base[until] == target[end]) {
      ++end;
      ++until;
    }
    AppendLiteral(out, target.substr(literal, begin - literal));
    AppendCopy(out, from, end - begin);
    literal = at = end;
  }
  AppendLiteral(out, target.substr(literal));
  return out.size() < most ? out : std::string();
}

}  // namespace paddock::git
