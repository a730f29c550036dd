// bzip2, by libbz2.

#include <bzlib.h>

#include <algorithm>

#include "base/check.h"
#include "codec/coder.h"
#include "codec/library_memory.h"

namespace paddock::codec {
namespace {

struct Stream {
  explicit Stream(Budget* budget) : memory(budget) {
    bz.bzalloc = [](void* owner, int items, int size) {
      return static_cast<LibraryMemory*>(owner)->Take(static_cast<size_t>(items) * static_cast<size_t>(size));
    };
    bz.bzfree = [](void*, void* block) { LibraryMemory::GiveBack(block); };
    bz.opaque = &memory;
  }
  void Set(std::string_view in, char* out, size_t room) {
    bz.next_in = const_cast<char*>(in.data());
    taken_from = bz.avail_in = static_cast<unsigned>(std::min<size_t>(in.size(), 1u << 30));
    bz.next_out = out;
    made_into = bz.avail_out = static_cast<unsigned>(std::min<size_t>(room, 1u << 30));
  }
  Coder::Step Done(bool is_between) const { return {taken_from - bz.avail_in, made_into - bz.avail_out, is_between}; }

  LibraryMemory memory;
  bz_stream bz{};
  unsigned taken_from = 0, made_into = 0;
};

class Decoder final : public Coder {
 public:
  explicit Decoder(Budget* budget) : stream_(budget) {}
  ~Decoder() override {
    if (is_open_) BZ2_bzDecompressEnd(&stream_.bz);
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  Result<Step> Run(std::string_view in, bool ends, char* out, size_t room) override {
    if (!is_open_) {
      if (in.empty()) {
        if (ends && streams_ == 0) return Error(Code::kCorrupt, "file ends unexpectedly");
        return Step{0, 0, true};
      }
      if (streams_ > 0 && in[0] != 'B') return Step{0, 0, true};
      if (BZ2_bzDecompressInit(&stream_.bz, 0, 0) != BZ_OK) return stream_.memory.Refusal();
      is_open_ = true;
    }
    stream_.Set(in, out, room);
    const int code = BZ2_bzDecompress(&stream_.bz);
    const Step step = stream_.Done(code == BZ_STREAM_END);
    if (code == BZ_STREAM_END) {
      BZ2_bzDecompressEnd(&stream_.bz);
      is_open_ = false;
      ++streams_;
      return step;
    }
    if (code == BZ_MEM_ERROR) return stream_.memory.Refusal();
    if (code == BZ_DATA_ERROR_MAGIC) {
      if (streams_ > 0) return Error(Code::kNotSupported, "trailing garbage after EOF ignored");
      return Error(Code::kSyntax, "bad magic number (file not created by bzip2)");
    }
    if (code != BZ_OK) return Error(Code::kCorrupt, "data integrity (CRC) error in data");
    if (ends && in.empty() && step.made == 0) return Error(Code::kCorrupt, "file ends unexpectedly");
    return step;
  }

 private:
  Stream stream_;
  bool is_open_ = false;
  uint64_t streams_ = 0;
};

class Encoder final : public Coder {
 public:
  Encoder(Budget* budget, int level) : stream_(budget) { is_ready_ = BZ2_bzCompressInit(&stream_.bz, level, 0, 30) == BZ_OK; }
  ~Encoder() override {
    if (is_ready_) BZ2_bzCompressEnd(&stream_.bz);
  }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  Result<Step> Run(std::string_view in, bool ends, char* out, size_t room) override {
    if (!is_ready_) return stream_.memory.Refusal();
    if (in.empty() && !ends) return Step{};
    stream_.Set(in, out, room);
    const int code = BZ2_bzCompress(&stream_.bz, ends ? BZ_FINISH : BZ_RUN);
    PADDOCK_CHECK(code == BZ_RUN_OK || code == BZ_FINISH_OK || code == BZ_STREAM_END);
    return stream_.Done(code == BZ_STREAM_END);
  }

 private:
  Stream stream_;
  bool is_ready_ = false;
};

}  // namespace

CoderPtr NewBzip2Decoder(Budget* budget) { return std::make_unique<Decoder>(budget); }
CoderPtr NewBzip2Encoder(Budget* budget, int level) { return std::make_unique<Encoder>(budget, level); }

}  // namespace paddock::codec
