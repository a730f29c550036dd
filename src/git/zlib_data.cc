#include "git/zlib_data.h"

#include <algorithm>
#include <memory>

namespace paddock::git {
namespace {

constexpr size_t kPiece = 64 << 10;

Error Damaged() { return {Code::kCorrupt, "inflate: data stream error"}; }

}  // namespace

std::string Deflate(std::string_view plain, Budget& budget, int level) {
  std::string packed = "\x78\x01";
  const codec::CoderPtr coder = codec::NewDeflater(&budget, level < 0 ? 1 : level);
  const auto piece = std::make_unique_for_overwrite<char[]>(kPiece);
  const uint32_t sum = codec::Adler32(1, plain);
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
  return InflatePieces([packed](size_t taken) -> Result<std::string_view> { return packed.substr(taken); }, most, exactly, budget);
}

Result<Inflated> InflatePieces(const StreamBytes& packed, uint64_t most, bool exactly, Budget& budget) { return ZlibReader(budget).Read(packed, most, exactly); }

Result<Inflated> ZlibReader::Read(const StreamBytes& packed, uint64_t most, bool exactly) {
  PADDOCK_ASSIGN(std::string_view bytes, packed(0));
  const auto byte = [&bytes](size_t at) { return uint32_t{static_cast<uint8_t>(bytes[at])}; };
  if (bytes.size() < 4) return Damaged();
  if ((byte(0) & 15) != 8 || (byte(0) << 8 | byte(1)) % 31 != 0 || (byte(1) & 32) != 0) return Damaged();
  Inflated result;
  result.taken = 2;
  bytes.remove_prefix(2);
  if (decoder_ == nullptr) decoder_ = codec::NewInflater(&budget_);
  else decoder_->Restart();
  // What a header promises is not believed: room grows with what is really made. One byte more shows a stream that makes too much.
  result.data.resize(std::min<uint64_t>(most + 1, kPiece));
  size_t made = 0;
  for (bool is_over = false; !is_over;) {
    if (bytes.empty()) {
      PADDOCK_ASSIGN(bytes, packed(result.taken));
    }
    auto step = decoder_->Run(bytes, true, result.data.data() + made, result.data.size() - made);
    if (!step) return step.error().code == Code::kLimit || step.error().code == Code::kNoMemory ? step.error() : Damaged();
    budget_.Step(1 + static_cast<int64_t>(step->made / 32));
    result.taken += step->taken;
    bytes.remove_prefix(step->taken);
    made += step->made;
    if (exactly ? made > most : made >= most) break;
    if (!step->is_between && step->taken == 0 && step->made == 0) return Damaged();
    is_over = step->is_between;
    if (!is_over && made == result.data.size()) result.data.resize(std::min<uint64_t>(most + 1, 2 * result.data.size()));
  }
  result.data.resize(std::min<uint64_t>(made, most));
  if (!exactly) return result;
  if (made != most) return Damaged();
  if (bytes.size() < 4) {
    PADDOCK_ASSIGN(bytes, packed(result.taken));
  }
  if (bytes.size() < 4) return Damaged();
  const uint32_t sum = byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
  result.taken += 4;
  if (sum != codec::Adler32(1, result.data)) return Damaged();
  return result;
}

}  // namespace paddock::git
