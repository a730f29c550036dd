// Fuzz target of the decoders, byte by byte and at once, and of the way there and back. The first byte chooses.
#include "base/check.h"
#include "bounded_run.h"
#include "codec/coder.h"

using namespace paddock;

namespace {

codec::CoderPtr Decoder(int kind, Budget* budget) {
  switch (kind) {
    case 0: return codec::NewGzipDecoder(budget);
    case 1: return codec::NewInflater(budget);
    case 2: return codec::NewBzip2Decoder(budget);
    case 3: return codec::NewXzDecoder(budget, {.format = codec::XzDecoderOptions::Format::kAuto});
    default: return codec::NewZstdDecoder(budget);
  }
}
codec::CoderPtr Encoder(int kind, Budget* budget) {
  switch (kind) {
    case 0: return codec::NewGzipEncoder(budget, 1, {.name = "name", .modify_time = 1}, true);
    case 1: return codec::NewDeflater(budget, 1);
    case 2: return codec::NewBzip2Encoder(budget, 1);
    case 3: return codec::NewXzEncoder(budget, {.level = 0});
    default: return codec::NewZstdEncoder(budget, {.level = 1});
  }
}

// Hands out so many bytes at a time.
class Drip final : public ByteSource {
 public:
  Drip(std::string_view text, size_t most) : text_(text), most_(most) {}
  Result<Block> ReadBlock(size_t max) override {
    const std::string_view part = text_.substr(0, std::min(max, most_));
    text_.remove_prefix(part.size());
    return Block{nullptr, part};
  }
  void GiveBack(size_t) override {}

 private:
  std::string_view text_;
  size_t most_;
};

constexpr size_t kMost = 4 << 20;

// All that comes out, and whether it ended well.
std::pair<std::string, bool> Decode(int kind, std::string_view bytes, size_t piece, Budget& budget) {
  Drip source(bytes, piece);
  codec::DecodingSource plain(source, Decoder(kind, &budget), &budget);
  std::string all;
  while (all.size() < kMost) {
    const auto block = plain.ReadBlock(64 << 10);
    if (!block) return {all, false};
    if (block->bytes.empty()) return {all, true};
    all += block->bytes;
  }
  return {all, false};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const int kind = data[0] % 5;
  const bool encodes = (data[0] & 0x80) != 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  fuzz::RunBounded([&](Budget& budget) {
    if (!encodes && kind == 4) {
      const auto read = [&](uint64_t offset, size_t count) -> Result<std::string> { return std::string(bytes.substr(std::min<uint64_t>(offset, bytes.size()), count)); };
      static_cast<void>(codec::ReadZstdInfo(bytes.size(), read, &budget));
      static_cast<void>(codec::ZstdWindow(bytes));
    }
    if (!encodes) {
      const auto [whole, is_good] = Decode(kind, bytes, 1 << 20, budget);
      const auto [dripped, is_good_too] = Decode(kind, bytes, 7, budget);
      PADDOCK_CHECK(is_good == is_good_too);
      if (is_good) PADDOCK_CHECK(whole == dripped);
      return;
    }
    StringSink packed;
    codec::EncodingSink encoder(packed, Encoder(kind, &budget), &budget);
    PADDOCK_CHECK(encoder.Write(bytes).has_value() && encoder.Finish().has_value());
    const auto [plain, is_good] = Decode(kind, packed.text, 1000, budget);
    PADDOCK_CHECK(is_good && plain == bytes);
  });
  return 0;
}
