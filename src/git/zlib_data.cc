#include "git/zlib_data.h"

#include <algorithm>
#include <memory>

#include "codec/coder.h"

namespace paddock::git {
namespace {

constexpr size_t kPiece = 64 << 10;

uint32_t Adler32(std::string_view bytes) {
  uint32_t a = 1, b = 0;
  while (!bytes.empty()) {
    // The most bytes whose sums cannot overflow.
    const std::string_view piece = bytes.substr(0, 5552);
    for (const char c : piece) {
      a += static_cast<unsigned char>(c);
      b += a;
    }
    a %= 65521;
    b %= 65521;
    bytes.remove_prefix(piece.size());
  }
  return b << 16 | a;
}

Error Damaged() { return {Code::kCorrupt, "inflate: data stream error"}; }

}  // namespace

std::string Deflate(std::string_view plain, Budget& budget) {
  std::string packed = "\x78\x01";
  const codec::CoderPtr coder = codec::NewDeflater(&budget, 1);
  const auto piece = std::make_unique<char[]>(kPiece);
  const uint32_t sum = Adler32(plain);
  while (true) {
    auto step = coder->Run(plain, true, piece.get(), kPiece);
    PADDOCK_CHECK(step.has_value());
    budget.Step(1 + static_cast<int64_t>(step->taken / 32));
    packed.append(piece.get(), step->made);
    plain.remove_prefix(step->taken);
    if (step->is_between) break;
  }
  for (int shift = 24; shift >= 0; shift -= 8) packed.push_back(static_cast<char>(sum >> shift & 0xff));
  return packed;
}

Result<Inflated> Inflate(std::string_view packed, uint64_t most, bool exactly, Budget& budget) {
  if (packed.size() < 6) return Damaged();
  const auto byte = [&packed](size_t at) { return uint32_t{static_cast<uint8_t>(packed[at])}; };
  if ((byte(0) & 15) != 8 || (byte(0) << 8 | byte(1)) % 31 != 0 || (byte(1) & 32) != 0) return Damaged();
  Inflated result;
  result.taken = 2;
  const codec::CoderPtr coder = codec::NewInflater(&budget);
  const auto piece = std::make_unique<char[]>(kPiece);
  while (true) {
    const std::string_view rest = packed.substr(result.taken);
    auto step = coder->Run(rest, true, piece.get(), kPiece);
    if (!step) return step.error().code == Code::kLimit || step.error().code == Code::kNoMemory ? step.error() : Damaged();
    budget.Step(1 + static_cast<int64_t>(step->made / 32));
    result.taken += step->taken;
    const size_t fits = std::min<uint64_t>(step->made, most - result.data.size());
    result.data.append(piece.get(), fits);
    if (!exactly && result.data.size() == most) return result;
    if (fits < step->made) return Damaged();
    if (step->is_between) break;
    if (step->taken == 0 && step->made == 0) return Damaged();
  }
  if (!exactly) return result;
  if (result.data.size() != most || packed.size() - result.taken < 4) return Damaged();
  uint32_t sum = 0;
  for (size_t i = 0; i < 4; ++i) sum = sum << 8 | byte(result.taken + i);
  result.taken += 4;
  if (sum != Adler32(result.data)) return Damaged();
  return result;
}

}  // namespace paddock::git
