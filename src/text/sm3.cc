#include "text/sm3.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace paddock {
namespace {

constexpr size_t kBlock = 64;

uint32_t Permute0(uint32_t x) { return x ^ std::rotl(x, 9) ^ std::rotl(x, 17); }
uint32_t Permute1(uint32_t x) { return x ^ std::rotl(x, 15) ^ std::rotl(x, 23); }

std::array<uint32_t, 68> ExpandBlock(const char* block) {
  std::array<uint32_t, 68> words;
  for (size_t i = 0; i < 16; ++i) {
    uint32_t word;
    std::memcpy(&word, block + 4 * i, 4);
    words[i] = __builtin_bswap32(word);
  }
  for (size_t i = 16; i < words.size(); ++i) {
    words[i] = Permute1(words[i - 16] ^ words[i - 9] ^ std::rotl(words[i - 3], 15)) ^ std::rotl(words[i - 13], 7) ^
               words[i - 6];
  }
  return words;
}

}  // namespace

void Sm3::Compress(const char* block) {
  const std::array<uint32_t, 68> words = ExpandBlock(block);
  auto [a, b, c, d, e, f, g, h] = state_;
  for (size_t i = 0; i < 64; ++i) {
    const bool is_early = i < 16;
    const uint32_t constant = std::rotl(is_early ? 0x79cc4519u : 0x7a879d8au, static_cast<int>(i % 32));
    const uint32_t sum = std::rotl(std::rotl(a, 12) + e + constant, 7);
    const uint32_t majority = is_early ? a ^ b ^ c : (a & b) | (a & c) | (b & c);
    const uint32_t choice = is_early ? e ^ f ^ g : (e & f) | (~e & g);
    const uint32_t first = majority + d + (sum ^ std::rotl(a, 12)) + (words[i] ^ words[i + 4]);
    const uint32_t second = choice + h + sum + words[i];
    d = c;
    c = std::rotl(b, 9);
    b = a;
    a = first;
    h = g;
    g = std::rotl(f, 19);
    f = e;
    e = Permute0(second);
  }
  const std::array<uint32_t, 8> mixed = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < state_.size(); ++i) state_[i] ^= mixed[i];
}

void Sm3::Update(std::string_view bytes) {
  total_ += bytes.size();
  if (!pending_.empty()) {
    const size_t taken = std::min(bytes.size(), kBlock - pending_.size());
    pending_ += bytes.substr(0, taken);
    bytes.remove_prefix(taken);
    if (pending_.size() < kBlock) return;
    Compress(pending_.data());
    pending_.clear();
  }
  for (; bytes.size() >= kBlock; bytes.remove_prefix(kBlock)) Compress(bytes.data());
  pending_ = bytes;
}

std::string Sm3::Finish() {
  const uint64_t bits = total_ * 8;
  std::string padding(1, '\x80');
  padding.append((kBlock + 55 - total_ % kBlock) % kBlock, '\0');
  for (int shift = 56; shift >= 0; shift -= 8) padding += static_cast<char>(bits >> shift);
  Update(padding);
  std::string digest;
  for (const uint32_t word : state_) {
    for (int shift = 24; shift >= 0; shift -= 8) digest += static_cast<char>(word >> shift);
  }
  return digest;
}

}  // namespace paddock
