// gzip and raw deflate, by zlib.
//
// Source: RFC 1951, RFC 1952; the messages are gzip 1.12's.

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/check.h"
#include "codec/coder.h"
#include "codec/library_memory.h"

namespace paddock::codec {
namespace {

constexpr size_t kMostOfAName = 4096;

voidpf TakeMemory(voidpf memory, uInt items, uInt size) {
  return static_cast<LibraryMemory*>(memory)->Take(size_t{items} * size);
}
void GiveMemoryBack(voidpf, voidpf block) { LibraryMemory::GiveBack(block); }

struct Stream {
  explicit Stream(Budget* budget) : memory(budget) {
    z.zalloc = TakeMemory;
    z.zfree = GiveMemoryBack;
    z.opaque = &memory;
  }
  void Set(std::string_view in, char* out, size_t room) {
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    z.avail_in = static_cast<uInt>(std::min<size_t>(in.size(), 1u << 30));
    taken_from = z.avail_in;
    z.next_out = reinterpret_cast<Bytef*>(out);
    z.avail_out = static_cast<uInt>(std::min<size_t>(room, 1u << 30));
    made_into = z.avail_out;
  }
  Coder::Step Done(bool is_between) const { return {taken_from - z.avail_in, made_into - z.avail_out, is_between}; }

  LibraryMemory memory;
  z_stream z{};
  uInt taken_from = 0, made_into = 0;
};

Error Violated() { return {Code::kCorrupt, "invalid compressed data--format violated"}; }
Error EarlyEnd() { return {Code::kCorrupt, "unexpected end of file"}; }

class Inflater final : public StreamDecoder {
 public:
  explicit Inflater(Budget* budget) : stream_(budget) { is_ready_ = inflateInit2(&stream_.z, -15) == Z_OK; }
  ~Inflater() override { inflateEnd(&stream_.z); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  Result<Step> Run(std::string_view in, bool ends, char* out, size_t room) override {
    if (!is_ready_) return stream_.memory.Refusal();
    if (is_done_) return Step{0, 0, true};
    stream_.Set(in, out, room);
    // All of the rest at once needs no window, which a small object's end would otherwise make and fill.
    const int code = inflate(&stream_.z, ends ? Z_FINISH : Z_NO_FLUSH);
    if (code == Z_MEM_ERROR) return stream_.memory.Refusal();
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return Violated();
    is_done_ = code == Z_STREAM_END;
    const Step step = stream_.Done(is_done_);
    if (ends && in.empty() && step.made == 0 && !is_done_) return EarlyEnd();
    return step;
  }
  bool is_done() const { return is_done_; }
  void Restart() override {
    if (is_ready_) inflateReset(&stream_.z);
    is_done_ = false;
  }

 private:
  Stream stream_;
  bool is_ready_ = false;
  bool is_done_ = false;
};

class Gunzipper final : public GzipDecoder {
 public:
  explicit Gunzipper(Budget* budget) : inflater_(budget) {}
  const GzipHeader& header() const override { return header_; }
  uint32_t checksum() const override { return last_crc_; }
  bool has_padding() const override { return has_padding_; }

  Result<Step> Run(std::string_view in, bool ends, char* out, size_t room) override {
    Step total;
    while (true) {
      const std::string_view rest = in.substr(total.taken);
      if (part_ == Part::kData) {
        PADDOCK_ASSIGN(const Step step, inflater_.Run(rest, ends, out + total.made, room - total.made));
        crc_ = Crc32(crc_, std::string_view(out + total.made, step.made));
        size_ += static_cast<uint32_t>(step.made);
        total.taken += step.taken;
        total.made += step.made;
        if (!inflater_.is_done()) return total;
        Enter(Part::kTrailer);
        continue;
      }
      if (part_ == Part::kBetween && !MayBegin(rest)) {
        total.is_between = true;
        if (rest.empty() || members_ == 0 || has_garbage_) return CheckEnd(total, rest, ends);
        // Zeros fill a block up; anything else is not ours.
        const size_t zeros = std::min(rest.find_first_not_of('\0'), rest.size());
        has_garbage_ = zeros == 0;
        has_padding_ |= zeros > 0;
        total.taken += zeros;
        if (zeros == 0) return total;
        continue;
      }
      if (rest.empty()) {
        if (ends) return EarlyEnd();
        return total;
      }
      const bool is_summed = part_ < Part::kHeaderCrc;
      if (part_ == Part::kBetween) header_crc_ = 0;
      PADDOCK_ASSIGN(const size_t taken, TakeHeader(rest));
      if (is_summed) header_crc_ = Crc32(header_crc_, rest.substr(0, taken));
      total.taken += taken;
    }
  }

 private:
  enum class Part { kBetween, kFixed, kExtraSize, kExtra, kName, kComment, kHeaderCrc, kData, kTrailer };

  // Whether a member begins here.
  static bool MayBegin(std::string_view rest) { return !rest.empty() && rest[0] == '\x1f' && (rest.size() < 2 || rest[1] == '\x8b'); }

  Result<Step> CheckEnd(const Step& total, std::string_view rest, bool ends) const {
    if (members_ > 0 || (rest.empty() && !ends)) return total;
    if (rest.empty()) return EarlyEnd();
    return Error(Code::kSyntax, "not in gzip format");
  }

  void Enter(Part part) {
    part_ = part;
    have_ = 0;
  }
  // Collects `wanted` bytes; true when they are all there.
  bool Collect(std::string_view rest, size_t wanted, size_t& taken) {
    while (taken < rest.size() && have_ < wanted) field_[have_++] = static_cast<uint8_t>(rest[taken++]);
    return have_ == wanted;
  }
  uint32_t FieldAt(size_t at) const {
    return field_[at] | uint32_t{field_[at + 1]} << 8 | uint32_t{field_[at + 2]} << 16 | uint32_t{field_[at + 3]} << 24;
  }
  Part After(Part part) const {
    if (part < Part::kExtraSize && (flags_ & 4) != 0) return Part::kExtraSize;
    if (part < Part::kName && (flags_ & 8) != 0) return Part::kName;
    if (part < Part::kComment && (flags_ & 16) != 0) return Part::kComment;
    if (part < Part::kHeaderCrc && (flags_ & 2) != 0) return Part::kHeaderCrc;
    return Part::kData;
  }

  Result<size_t> TakeHeader(std::string_view rest) {
    size_t taken = 0;
    bool is_whole = false;
    switch (part_) {
      case Part::kBetween: Enter(Part::kFixed); break;
      case Part::kFixed:
        is_whole = Collect(rest, 10, taken);
        if (have_ >= 2 && (field_[0] != 0x1f || field_[1] != 0x8b)) {
          if (members_ == 0) return Error(Code::kSyntax, "not in gzip format");
          return Violated();
        }
        if (have_ >= 3 && field_[2] != 8) return Error(Code::kNotSupported, "unknown method " + std::to_string(field_[2]) + " -- not supported");
        if (!is_whole) break;
        flags_ = field_[3];
        if (members_ == 0) header_.modify_time = FieldAt(4);
        Enter(After(Part::kFixed));
        break;
      case Part::kExtraSize:
        if (!Collect(rest, 2, taken)) break;
        extra_left_ = field_[0] | size_t{field_[1]} << 8;
        Enter(Part::kExtra);
        break;
      case Part::kExtra:
        taken = std::min(extra_left_, rest.size());
        extra_left_ -= taken;
        if (extra_left_ == 0) Enter(After(Part::kExtra));
        break;
      case Part::kName:
      case Part::kComment: {
        const size_t end = rest.find('\0');
        const std::string_view text = rest.substr(0, end);
        if (part_ == Part::kName && members_ == 0) header_.name.append(text.substr(0, kMostOfAName - header_.name.size()));
        taken = text.size();
        if (end == std::string_view::npos) break;
        ++taken;
        Enter(After(part_));
        break;
      }
      case Part::kHeaderCrc: {
        const uint32_t computed = header_crc_ & 0xffff;
        if (!Collect(rest, 2, taken)) break;
        if (const uint32_t stated = field_[0] | uint32_t{field_[1]} << 8; stated != computed) {
          char text[80];
          std::snprintf(text, sizeof text, "header checksum 0x%04x != computed checksum 0x%04x", stated, computed);
          return Error(Code::kCorrupt, text);
        }
        Enter(Part::kData);
        break;
      }
      case Part::kTrailer:
        if (!Collect(rest, 8, taken)) break;
        if (FieldAt(0) != crc_) return Error(Code::kCorrupt, "invalid compressed data--crc error");
        if (FieldAt(4) != size_) return Error(Code::kCorrupt, "invalid compressed data--length error");
        last_crc_ = crc_;
        ++members_;
        crc_ = size_ = 0;
        inflater_.Restart();
        Enter(Part::kBetween);
        break;
      case Part::kData: break;
    }
    return taken;
  }

  Inflater inflater_;
  GzipHeader header_;
  Part part_ = Part::kBetween;
  std::array<uint8_t, 10> field_{};
  size_t have_ = 0;
  size_t extra_left_ = 0;
  uint8_t flags_ = 0;
  uint32_t crc_ = 0, size_ = 0, last_crc_ = 0, header_crc_ = 0;
  uint64_t members_ = 0;
  bool has_garbage_ = false, has_padding_ = false;
};

class Deflater final : public Coder {
 public:
  Deflater(Budget* budget, int level) : stream_(budget) {
    is_ready_ = deflateInit2(&stream_.z, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~Deflater() override { deflateEnd(&stream_.z); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  Result<Step> Run(std::string_view in, bool ends, char* out, size_t room) override { return RunWith(in, ends ? Z_FINISH : Z_NO_FLUSH, out, room); }
  Result<Step> RunWith(std::string_view in, int flush, char* out, size_t room) {
    if (!is_ready_) return stream_.memory.Refusal();
    stream_.Set(in, out, room);
    const int code = deflate(&stream_.z, flush);
    PADDOCK_CHECK(code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR);
    return stream_.Done(code == Z_STREAM_END);
  }

 private:
  Stream stream_;
  bool is_ready_ = false;
};

class Gzipper final : public Coder {
 public:
  Gzipper(Budget* budget, int level, const GzipHeader& header, bool is_rsyncable) : deflater_(budget, level), is_rsyncable_(is_rsyncable) {
    pending_ = {'\x1f', '\x8b', 8, static_cast<char>(header.name.empty() ? 0 : 8)};
    Append(header.modify_time);
    pending_ += static_cast<char>(level == 9 ? 2 : level == 1 ? 4 : 0);
    pending_ += '\3';   // Unix
    if (!header.name.empty()) pending_.append(header.name).push_back('\0');
  }

  Result<Step> Run(std::string_view in, bool ends, char* out, size_t room) override {
    Step total;
    total.made = Drain(out, room);
    if (is_ending_ || !pending_.empty()) {
      total.is_between = is_ending_ && pending_.empty();
      return total;
    }
    // A full flush now and then lets a later change of the input change only what is near it.
    bool is_cut = false;
    const std::string_view piece = is_rsyncable_ ? in.substr(0, CutIn(in, is_cut)) : in;
    const bool ends_here = ends && piece.size() == in.size();
    PADDOCK_ASSIGN(const Step step, deflater_.RunWith(piece, ends_here ? Z_FINISH : is_cut ? Z_FULL_FLUSH : Z_NO_FLUSH, out + total.made, room - total.made));
    crc_ = Crc32(crc_, piece.substr(0, step.taken));
    size_ += static_cast<uint32_t>(step.taken);
    total.taken = step.taken;
    total.made += step.made;
    if (step.is_between) {
      is_ending_ = true;
      Append(crc_);
      Append(size_);
      total.made += Drain(out + total.made, room - total.made);
      total.is_between = pending_.empty();
    }
    return total;
  }

 private:
  // How much of `in` comes before the next cut: where the sum of the last 4096 bytes says so.
  size_t CutIn(std::string_view in, bool& is_cut) {
    constexpr size_t kWindow = 4096;
    for (size_t i = 0; i < in.size(); ++i) {
      const auto byte = static_cast<uint8_t>(in[i]);
      sum_ += byte;
      if (window_.size() < kWindow) window_.push_back(in[i]);
      else {
        sum_ -= static_cast<uint8_t>(window_[window_at_]);
        window_[window_at_] = in[i];
        window_at_ = (window_at_ + 1) % kWindow;
      }
      if (window_.size() == kWindow && sum_ % kWindow == 0) {
        is_cut = true;
        return i + 1;
      }
    }
    return in.size();
  }
  size_t Drain(char* out, size_t room) {
    const size_t count = std::min(room, pending_.size());
    pending_.copy(out, count);
    pending_.erase(0, count);
    return count;
  }
  void Append(uint32_t value) {
    for (int i = 0; i < 4; ++i) pending_ += static_cast<char>(value >> (8 * i) & 0xff);
  }

  Deflater deflater_;
  bool is_rsyncable_;
  std::string pending_, window_;
  size_t window_at_ = 0;
  uint64_t sum_ = 0;
  uint32_t crc_ = 0, size_ = 0;
  bool is_ending_ = false;
};

}  // namespace

std::unique_ptr<GzipDecoder> NewGzipDecoder(Budget* budget) { return std::make_unique<Gunzipper>(budget); }
std::unique_ptr<StreamDecoder> NewInflater(Budget* budget) { return std::make_unique<Inflater>(budget); }
CoderPtr NewDeflater(Budget* budget, int level) { return std::make_unique<Deflater>(budget, level); }
CoderPtr NewGzipEncoder(Budget* budget, int level, const GzipHeader& header, bool is_rsyncable) {
  return std::make_unique<Gzipper>(budget, level, header, is_rsyncable);
}

uint32_t Crc32(uint32_t before, std::string_view bytes) {
  if (bytes.empty()) return before;   // zlib takes no data for a wish to begin anew
  return static_cast<uint32_t>(crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

uint32_t Adler32(uint32_t before, std::string_view bytes) {
  if (bytes.empty()) return before;   // likewise
  return static_cast<uint32_t>(adler32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace paddock::codec
