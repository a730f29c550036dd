#include "text/text_finder.h"

#include <string.h>   // memmem

#include <cstring>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace paddock {
namespace {

constexpr size_t kNone = std::string_view::npos;

// How common a byte is in text and programs: the higher, the rarer.
size_t Rarity(char byte) {
  constexpr std::string_view kCommonFirst = " etaoinsrlhdcumpfgybw\n\tvk";
  const size_t place = kCommonFirst.find(byte);
  return place == kNone ? kCommonFirst.size() : place;
}

size_t FindSlowly(std::string_view text, std::string_view wanted, size_t from) {
  const void* found = memmem(text.data() + from, text.size() - from, wanted.data(), wanted.size());
  return found == nullptr ? kNone : static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

#if defined(__x86_64__)

// Comparisons in vain, in units of 16 bytes, that a block is worth; text that asks for more is searched the other way.
constexpr size_t kVainPerBlock = 4;
constexpr size_t kVainAtFirst = 64;

struct Places {
  size_t first, second;
};

__attribute__((target("avx2"))) size_t FindPair(std::string_view text, std::string_view wanted, size_t from, const Places& places) {
  constexpr size_t kWidth = 32;
  const __m256i first = _mm256_set1_epi8(wanted[places.first]), second = _mm256_set1_epi8(wanted[places.second]);
  const char* const data = text.data();
  const size_t comparison = wanted.size() / 16 + 1;
  const size_t last = text.size() - wanted.size();   // where the last occurrence could begin
  size_t at = from, vain = 0, may_be_vain = kVainAtFirst;
  for (; at <= last && text.size() - at - places.second >= kWidth; at += kWidth, may_be_vain += kVainPerBlock) {
    const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data + at + places.first));
    const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data + at + places.second));
    const __m256i both = _mm256_and_si256(_mm256_cmpeq_epi8(a, first), _mm256_cmpeq_epi8(b, second));
    for (auto mask = static_cast<uint32_t>(_mm256_movemask_epi8(both)); mask != 0; mask &= mask - 1) {
      const size_t begin = at + static_cast<size_t>(__builtin_ctz(mask));
      if (begin > last) return kNone;
      if (std::memcmp(data + begin, wanted.data(), wanted.size()) == 0) return begin;
      vain += comparison;
      if (vain > may_be_vain) return FindSlowly(text, wanted, begin + 1);
    }
  }
  return at > last ? kNone : FindSlowly(text, wanted, at);
}

bool HasVectors() {
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
}

#endif

}  // namespace

TextFinder::TextFinder(std::string_view wanted) : wanted_(wanted) {
  const auto rarest_but = [this](size_t taken) {
    size_t rarest = taken == 0 ? 1 : 0;
    for (size_t i = rarest + 1; i < wanted_.size(); ++i) {
      if (i != taken && Rarity(wanted_[i]) > Rarity(wanted_[rarest])) rarest = i;
    }
    return rarest;
  };
  if (wanted_.size() < 2) return;
  first_ = rarest_but(kNone);
  second_ = rarest_but(first_);
  if (first_ > second_) std::swap(first_, second_);
}

size_t TextFinder::Find(std::string_view text, size_t from) const {
  if (from > text.size() || text.size() - from < wanted_.size()) return kNone;
  if (wanted_.size() < 2) return wanted_.empty() ? from : text.find(wanted_[0], from);
#if defined(__x86_64__)
  if (HasVectors()) return FindPair(text, wanted_, from, {first_, second_});
#endif
  return FindSlowly(text, wanted_, from);
}

}  // namespace paddock
