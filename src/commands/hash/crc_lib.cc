#include <array>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "commands/hash/crc.h"
#include "commands/input_files.h"

namespace paddock {
namespace {

// kTables[k][b]: what byte b does to the sum when k more bytes follow it.
using CrcTables = std::array<std::array<uint32_t, 256>, 8>;
constexpr CrcTables kTables = [] {
  constexpr uint32_t kPolynomial = 0x04c11db7;
  CrcTables tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i << 24;
    for (int bit = 0; bit < 8; ++bit) value = value << 1 ^ ((value >> 31) != 0 ? kPolynomial : 0);
    tables[0][i] = value;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t i = 0; i < 256; ++i) {
      const uint32_t before = tables[k - 1][i];
      tables[k][i] = before << 8 ^ tables[0][before >> 24];
    }
  }
  return tables;
}();

uint32_t AddCrcByTable(uint32_t crc, std::string_view bytes) {
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    crc ^= static_cast<uint32_t>(at[0]) << 24 | static_cast<uint32_t>(at[1]) << 16 |
           static_cast<uint32_t>(at[2]) << 8 | at[3];
    crc = kTables[7][crc >> 24] ^ kTables[6][(crc >> 16) & 0xff] ^ kTables[5][(crc >> 8) & 0xff] ^
          kTables[4][crc & 0xff] ^ kTables[3][at[4]] ^ kTables[2][at[5]] ^ kTables[1][at[6]] ^ kTables[0][at[7]];
  }
  for (; left > 0; --left, ++at) crc = crc << 8 ^ kTables[0][(crc >> 24) ^ *at];
  return crc;
}

#if defined(__x86_64__)

// x to the power of n, modulo the polynomial.
constexpr uint64_t PowerOfX(int n) {
  uint64_t value = 1;
  for (; n > 0; --n) value = value << 1 ^ ((value >> 31 & 1) != 0 ? 0x104c11db7 : 0);
  return value;
}

// Four blocks of 16 bytes side by side: each is multiplied by how far what follows moves it, so that it can be added there.
// Source: V. Gopal and others, "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ" (2009).
__attribute__((target("pclmul,ssse3"))) uint32_t AddCrcByProducts(uint32_t crc, std::string_view bytes) {
  constexpr size_t kBlock = 16, kLanes = 4, kStride = kBlock * kLanes;
  const __m128i reversed = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m128i by_stride = _mm_set_epi64x(PowerOfX(8 * kStride + 64), PowerOfX(8 * kStride));
  const __m128i by_block = _mm_set_epi64x(PowerOfX(8 * kBlock + 64), PowerOfX(8 * kBlock));
  __m128i lanes[kLanes];
  for (size_t i = 0; i < kLanes; ++i) {
    lanes[i] = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + i * kBlock)), reversed);
  }
  lanes[0] = _mm_xor_si128(lanes[0], _mm_set_epi32(static_cast<int>(crc), 0, 0, 0));
  for (bytes.remove_prefix(kStride); bytes.size() >= kStride; bytes.remove_prefix(kStride)) {
    for (size_t i = 0; i < kLanes; ++i) {
      const __m128i next = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + i * kBlock)), reversed);
      const __m128i high = _mm_clmulepi64_si128(lanes[i], by_stride, 0x11), low = _mm_clmulepi64_si128(lanes[i], by_stride, 0);
      lanes[i] = _mm_xor_si128(_mm_xor_si128(high, low), next);
    }
  }
  __m128i sum = lanes[0];
  for (size_t i = 1; i < kLanes; ++i) {
    const __m128i high = _mm_clmulepi64_si128(sum, by_block, 0x11), low = _mm_clmulepi64_si128(sum, by_block, 0);
    sum = _mm_xor_si128(_mm_xor_si128(high, low), lanes[i]);
  }
  char rest[kBlock];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(rest), _mm_shuffle_epi8(sum, reversed));
  return AddCrcByTable(AddCrcByTable(0, {rest, kBlock}), bytes);
}

#endif

uint32_t AddCrc(uint32_t crc, std::string_view bytes) {
#if defined(__x86_64__)
  static const bool has_products = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("ssse3");
  if (has_products && bytes.size() >= 64) return AddCrcByProducts(crc, bytes);
#endif
  return AddCrcByTable(crc, bytes);
}

uint32_t AddBsd(uint32_t sum, std::string_view bytes) {
  for (const char c : bytes) {
    sum = (sum >> 1) + ((sum & 1) << 15);
    sum = (sum + static_cast<unsigned char>(c)) & 0xffff;
  }
  return sum;
}

uint32_t AddSysv(uint32_t sum, std::string_view bytes) {
  for (const char c : bytes) sum += static_cast<unsigned char>(c);
  return sum;
}

uint64_t Finish(SumKind kind, uint32_t sum, uint64_t bytes) {
  if (kind == SumKind::kSysv) {
    const uint32_t folded = (sum & 0xffff) + (sum >> 16);
    return (folded & 0xffff) + (folded >> 16);
  }
  if (kind == SumKind::kBsd) return sum;
  for (uint64_t left = bytes; left != 0; left >>= 8) {
    const char low = static_cast<char>(left & 0xff);
    sum = AddCrc(sum, {&low, 1});
  }
  return static_cast<uint32_t>(~sum);
}

}  // namespace

Result<FileSum> SumFile(Invocation& in, SumKind kind, const std::string& name) {
  PADDOCK_ASSIGN(InputFile file, InputFile::Open(in, name));
  Input& input = file.input();
  uint32_t sum = 0;
  uint64_t total = 0;
  for (std::string_view bytes = input.Peek(); !bytes.empty(); bytes = input.Peek()) {
    sum = kind == SumKind::kCrc ? AddCrc(sum, bytes) : kind == SumKind::kBsd ? AddBsd(sum, bytes) : AddSysv(sum, bytes);
    total += bytes.size();
    in.budget.Step(static_cast<int64_t>(bytes.size() / 32));
    input.Consume(bytes.size());
  }
  if (!input.status()) return input.status().error();
  return FileSum{Finish(kind, sum, total), total};
}

void WriteSum(Output& out, SumKind kind, const FileSum& sum, std::string_view name, char line_end) {
  std::string text = std::to_string(sum.sum);
  if (kind == SumKind::kBsd) text.insert(0, text.size() < 5 ? 5 - text.size() : 0, '0');
  const uint64_t block = kind == SumKind::kCrc ? 1 : kind == SumKind::kBsd ? 1024 : 512;
  std::string blocks = std::to_string(sum.bytes / block + (sum.bytes % block != 0 ? 1 : 0));
  if (kind == SumKind::kBsd) blocks.insert(0, blocks.size() < 5 ? 5 - blocks.size() : 0, ' ');
  out.Write(text);
  out.Put(' ');
  out.Write(blocks);
  if (!name.empty()) {
    out.Put(' ');
    out.Write(name);
  }
  out.Put(line_end);
}

}  // namespace paddock
