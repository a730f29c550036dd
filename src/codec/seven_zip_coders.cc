// The streams of a 7z archive: the coders of a folder, one behind the other.

#include <lzma.h>

#include <algorithm>
#include <cstdlib>

#include "base/budget.h"
#include "codec/coder.h"
#include "codec/library_memory.h"
#include "codec/seven_zip.h"

namespace paddock::codec {
namespace {

constexpr uint64_t kCopy = 0, kDelta = 3, kArm64 = 10, kLzma2 = 0x21, kLzma = 0x30101, kDeflate = 0x40108, kBzip2 = 0x40202;

struct Filter {
  uint64_t id;
  lzma_vli filter;
};
// Each under its old id and its new one.
constexpr Filter kFilters[] = {{kDelta, LZMA_FILTER_DELTA},       {4, LZMA_FILTER_X86},    {0x3030103, LZMA_FILTER_X86},      {5, LZMA_FILTER_POWERPC}, {0x3030205, LZMA_FILTER_POWERPC},
                               {6, LZMA_FILTER_IA64},             {0x3030401, LZMA_FILTER_IA64}, {7, LZMA_FILTER_ARM},  {0x3030501, LZMA_FILTER_ARM},   {8, LZMA_FILTER_ARMTHUMB},
                               {0x3030701, LZMA_FILTER_ARMTHUMB}, {9, LZMA_FILTER_SPARC},  {0x3030805, LZMA_FILTER_SPARC},    {kArm64, LZMA_FILTER_ARM64}};

const Filter* FindFilter(uint64_t id) {
  const auto* found = std::find_if(std::begin(kFilters), std::end(kFilters), [id](const Filter& filter) { return filter.id == id; });
  return found == std::end(kFilters) ? nullptr : found;
}

// liblzma's decoder of one method, without any container around it.
class RawDecoder final : public Coder {
 public:
  explicit RawDecoder(Budget* budget) : memory_(budget) {
    allocator_.alloc = [](void* owner, size_t items, size_t size) { return static_cast<LibraryMemory*>(owner)->Take(items * size); };
    allocator_.free = [](void*, void* block) { LibraryMemory::GiveBack(block); };
    allocator_.opaque = &memory_;
    lzma_.allocator = &allocator_;
  }
  ~RawDecoder() override { lzma_end(&lzma_); }

  // `size`: what it will make; no window needs to be larger, whatever the header asks for.
  Status Begin(lzma_vli method, const std::string& properties, uint64_t size) {
    lzma_filter filters[3] = {{method, nullptr}, {LZMA_VLI_UNKNOWN, nullptr}, {LZMA_VLI_UNKNOWN, nullptr}};
    const lzma_ret read = lzma_properties_decode(&filters[0], &allocator_, reinterpret_cast<const uint8_t*>(properties.data()), properties.size());
    if (read == LZMA_MEM_ERROR) return memory_.Refusal();
    if (read != LZMA_OK) return Error(Code::kNotSupported, "Unsupported Method");
    lzma_options_lzma plain{};
    const bool is_filter = method != LZMA_FILTER_LZMA1 && method != LZMA_FILTER_LZMA2;
    if (is_filter) {
      plain.dict_size = 4096;
      filters[1] = {LZMA_FILTER_LZMA2, &plain};
    } else {
      auto* options = static_cast<lzma_options_lzma*>(filters[0].options);
      options->dict_size = static_cast<uint32_t>(std::min<uint64_t>(options->dict_size, std::max<uint64_t>(size, 4096)));
    }
    const lzma_ret begun = lzma_raw_decoder(&lzma_, filters);
    if (filters[0].options != nullptr) LibraryMemory::GiveBack(filters[0].options);
    if (begun == LZMA_MEM_ERROR) return memory_.Refusal();
    if (begun != LZMA_OK) return Error(Code::kNotSupported, "Unsupported Method");
    return {};
  }

  Result<Step> Run(std::string_view in, bool ends, char* out, size_t room) override {
    if (state_ == LZMA_STREAM_END) return Step{0, 0, true};
    if (state_ != LZMA_OK && state_ != LZMA_BUF_ERROR) return Error(Code::kCorrupt, "Data Error");
    lzma_.next_in = reinterpret_cast<const uint8_t*>(in.data());
    lzma_.avail_in = in.size();
    lzma_.next_out = reinterpret_cast<uint8_t*>(out);
    lzma_.avail_out = room;
    state_ = lzma_code(&lzma_, ends ? LZMA_FINISH : LZMA_RUN);
    if (state_ == LZMA_MEM_ERROR) return memory_.Refusal();
    // What was made in front of the damage is handed out first.
    const bool is_damaged = state_ != LZMA_OK && state_ != LZMA_STREAM_END && state_ != LZMA_BUF_ERROR;
    if (is_damaged && lzma_.avail_out == room) return Error(Code::kCorrupt, "Data Error");
    return Step{in.size() - lzma_.avail_in, room - lzma_.avail_out, state_ == LZMA_STREAM_END};
  }

 private:
  LibraryMemory memory_;
  lzma_allocator allocator_{};
  lzma_stream lzma_ = LZMA_STREAM_INIT;
  lzma_ret state_ = LZMA_OK;
};

// A stored stream of the archive.
class PackedSource final : public ByteSource {
 public:
  PackedSource(const SevenZipReadAt& read, const SevenZipStream& stream) : read_(read), at_(stream.at), left_(stream.size) {}
  Result<Block> ReadBlock(size_t max) override {
    const auto count = static_cast<size_t>(std::min<uint64_t>({left_, max, 64 << 10}));
    if (count == 0) return Block{};
    PADDOCK_ASSIGN(piece_, read_(at_, count));
    at_ += piece_.size();
    left_ -= piece_.size();
    return Block{nullptr, piece_};
  }
  void GiveBack(size_t) override {}

 private:
  const SevenZipReadAt& read_;
  uint64_t at_, left_;
  std::string piece_;
};

// Bytes as stored chunks of LZMA2, because liblzma has no filter without a compressor behind it.
class ChunkedSource final : public ByteSource {
 public:
  explicit ChunkedSource(ByteSource& in) : in_(in) {}
  Result<Block> ReadBlock(size_t) override {
    if (is_over_) return Block{};
    PADDOCK_ASSIGN(const Block block, in_.ReadBlock(32 << 10));
    is_over_ = block.bytes.empty();
    piece_.assign(1, is_over_ ? '\0' : is_first_ ? '\1' : '\2');
    is_first_ = false;
    if (!is_over_) {
      const size_t size = block.bytes.size() - 1;
      piece_ += static_cast<char>(size >> 8);
      piece_ += static_cast<char>(size & 0xff);
      piece_ += block.bytes;
    }
    return Block{nullptr, piece_};
  }
  void GiveBack(size_t) override {}

 private:
  ByteSource& in_;
  std::string piece_;
  bool is_first_ = true, is_over_ = false;
};

// The first `size` bytes of another source, all of which must be there.
class ExactSource final : public ByteSource {
 public:
  ExactSource(ByteSource& in, uint64_t size) : in_(in), left_(size) {}
  Result<Block> ReadBlock(size_t max) override {
    if (left_ == 0) return Block{};
    PADDOCK_ASSIGN(Block block, in_.ReadBlock(static_cast<size_t>(std::min<uint64_t>(max, left_))));
    if (block.bytes.empty()) return Error(Code::kCorrupt, "Unexpected end of data");
    left_ -= block.bytes.size();
    return block;
  }
  void GiveBack(size_t count) override {
    in_.GiveBack(count);
    left_ += count;
  }

 private:
  ByteSource& in_;
  uint64_t left_;
};

// A chain of sources, each of which reads the one before.
class ChainSource final : public ByteSource {
 public:
  void Add(std::unique_ptr<ByteSource> source) { sources_.push_back(std::move(source)); }
  ByteSource& last() { return *sources_.back(); }
  Result<Block> ReadBlock(size_t max) override { return last().ReadBlock(max); }
  void GiveBack(size_t count) override { last().GiveBack(count); }

 private:
  std::vector<std::unique_ptr<ByteSource>> sources_;
};

Status AddCoder(ChainSource& chain, const SevenZipCoder& coder, std::string_view password, Budget& budget) {
  const uint64_t size = coder.sizes.empty() ? 0 : coder.sizes[0];
  const Filter* const filter = FindFilter(coder.id);
  CoderPtr decoder;
  if (coder.id == kDeflate) {
    decoder = NewInflater(&budget);
  } else if (coder.id == kBzip2) {
    decoder = NewBzip2Decoder(&budget);
  } else if (coder.id == kLzma || coder.id == kLzma2 || filter != nullptr) {
    auto raw = std::make_unique<RawDecoder>(&budget);
    PADDOCK_TRY(raw->Begin(filter != nullptr ? filter->filter : coder.id == kLzma ? LZMA_FILTER_LZMA1 : LZMA_FILTER_LZMA2, coder.properties, size));
    decoder = std::move(raw);
  } else if (coder.id == kSevenZipAes) {
    PADDOCK_ASSIGN(decoder, NewSevenZipDecipherer(coder, password, budget));
  } else if (coder.id != kCopy) {
    return Error(Code::kNotSupported, "Unsupported Method");
  }
  if (filter != nullptr) chain.Add(std::make_unique<ChunkedSource>(chain.last()));
  if (decoder != nullptr) chain.Add(std::make_unique<DecodingSource>(chain.last(), std::move(decoder), &budget));
  chain.Add(std::make_unique<ExactSource>(chain.last(), size));
  return {};
}

}  // namespace

Result<std::unique_ptr<ByteSource>> OpenSevenZipFolder(const SevenZipArchive& archive, const SevenZipFolder& folder, const SevenZipReadAt& read, Budget& budget, std::string_view password) {
  const bool is_line = std::all_of(folder.coders.begin(), folder.coders.end(), [](const SevenZipCoder& coder) { return coder.ins == 1 && coder.outs == 1; });
  if (!is_line) return Error(Code::kNotSupported, "Unsupported Method");
  if (folder.packed.size() != 1 || folder.first_packed >= archive.streams.size() || folder.packed[0] >= folder.coders.size()) return Error(Code::kCorrupt, "Headers Error");
  auto chain = std::make_unique<ChainSource>();
  chain->Add(std::make_unique<PackedSource>(read, archive.streams[folder.first_packed]));
  // From the stored stream on, each coder once: a circle does not close, and what is left over is damage.
  std::vector<bool> is_used(folder.coders.size());
  std::optional<uint64_t> at = folder.packed[0];
  size_t used = 0;
  while (at) {
    const auto index = static_cast<size_t>(*at);
    if (is_used[index]) return Error(Code::kCorrupt, "Headers Error");
    is_used[index] = true;
    ++used;
    PADDOCK_TRY(AddCoder(*chain, folder.coders[index], password, budget));
    at.reset();
    for (const auto& [input, output] : folder.binds) {
      if (output == index) at = input;
    }
  }
  if (used != folder.coders.size()) return Error(Code::kCorrupt, "Headers Error");
  return std::unique_ptr<ByteSource>(std::move(chain));
}

namespace {
// "24" for a power of two, else "48k".
std::string DictionaryText(uint64_t size) {
  for (int log = 0; log < 64; ++log) {
    if (size == uint64_t{1} << log) return std::to_string(log);
  }
  if (size % (1 << 20) == 0) return std::to_string(size >> 20) + "m";
  if (size % (1 << 10) == 0) return std::to_string(size >> 10) + "k";
  return std::to_string(size) + "b";
}
}  // namespace

std::string SevenZipMethodName(const SevenZipCoder& coder, bool is_long) {
  const std::string& bytes = coder.properties;
  const auto byte = [&bytes](size_t at) { return static_cast<uint64_t>(static_cast<uint8_t>(bytes[at])); };
  switch (coder.id) {
    case kCopy: return "Copy";
    case kDelta: return is_long && bytes.size() == 1 ? "Delta:" + std::to_string(byte(0) + 1) : "Delta";
    case kArm64: return "ARM64";
    case 4: case 0x3030103: return "BCJ";
    case 5: case 0x3030205: return "PPC";
    case 6: case 0x3030401: return "IA64";
    case 7: case 0x3030501: return "ARM";
    case 8: case 0x3030701: return "ARMT";
    case 9: case 0x3030805: return "SPARC";
    case 0x303011b: return "BCJ2";
    case 0x30401: return "PPMD";
    case kDeflate: return "Deflate";
    case 0x40109: return "Deflate64";
    case kBzip2: return "BZip2";
    case 0x6f10701: return is_long && !bytes.empty() ? "7zAES:" + std::to_string(byte(0) & 63) : "7zAES";
    case kLzma2: {
      if (bytes.size() != 1 || byte(0) > 40) return "LZMA2";
      const uint64_t size = byte(0) == 40 ? 0xffffffff : (2 | (byte(0) & 1)) << (byte(0) / 2 + 11);
      return "LZMA2:" + DictionaryText(size);
    }
    case kLzma: {
      if (bytes.size() != 5) return "LZMA";
      std::string name = "LZMA:" + DictionaryText(byte(1) | byte(2) << 8 | byte(3) << 16 | byte(4) << 24);
      if (!is_long || byte(0) == 0x5d) return name;
      const uint64_t lc = byte(0) % 9, lp = byte(0) / 9 % 5, pb = byte(0) / 45;
      if (lc != 3) name += ":lc" + std::to_string(lc);
      if (lp != 0) name += ":lp" + std::to_string(lp);
      if (pb != 2) name += ":pb" + std::to_string(pb);
      return name;
    }
    default: break;
  }
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string name;
  for (uint64_t id = coder.id; id != 0; id >>= 4) name.insert(name.begin(), kDigits[id & 15]);
  if (name.size() % 2 != 0) name.insert(name.begin(), '0');
  return name;
}

}  // namespace paddock::codec
