#include "commands/archive/zstd_files.h"

#include <algorithm>
#include <cstdio>
#include <functional>

namespace paddock::zstd {
namespace {

// Writes through an encoder; with --rsyncable through one for each piece, whose end is where the last bytes have a certain hash.
class PieceSink final : public ByteSink {
 public:
  static constexpr uint64_t kShortest = 1 << 20;   // bytes of a piece
  PieceSink(ByteSink& out, std::function<codec::CoderPtr()> maker, Budget& budget, bool splits)
      : out_(out), maker_(std::move(maker)), budget_(budget), splits_(splits) {
    encoder_.emplace(out_, maker_(), &budget_);
  }
  Status Write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const size_t piece = splits_ ? PieceOf(bytes) : bytes.size();
      PADDOCK_TRY(encoder_->Write(bytes.substr(0, piece)));
      bytes.remove_prefix(piece);
      if (!ends_) continue;
      ends_ = false;
      length_ = 0;
      PADDOCK_TRY(Finish());
      done_in_ = bytes_in();
      done_out_ = bytes_out();
      encoder_.emplace(out_, maker_(), &budget_);
    }
    return {};
  }
  Status Finish() { return encoder_->Finish(); }
  uint64_t bytes_in() const { return done_in_ + encoder_->bytes_in(); }
  uint64_t bytes_out() const { return done_out_ + encoder_->bytes_out(); }

 private:
  // Up to where a piece ends, or all of it. Old bytes are shifted out of the hash.
  size_t PieceOf(std::string_view bytes) {
    constexpr uint64_t kMask = ((uint64_t{1} << 23) - 1) << 41;
    budget_.Step(static_cast<int64_t>(bytes.size() / 64 + 1));
    for (size_t i = 0; i < bytes.size(); ++i) {
      hash_ = (hash_ << 1) + (static_cast<unsigned char>(bytes[i]) + 1u) * 0x9e3779b97f4a7c15u;
      if (++length_ < kShortest || (hash_ & kMask) != 0) continue;
      ends_ = true;
      return i + 1;
    }
    return bytes.size();
  }

  ByteSink& out_;
  std::function<codec::CoderPtr()> maker_;
  Budget& budget_;
  bool splits_, ends_ = false;
  uint64_t hash_ = 0, length_ = 0, done_in_ = 0, done_out_ = 0;
  std::optional<codec::EncodingSink> encoder_;
};

}  // namespace

bool FileWork::Convert(const std::string& name, const std::string& target, InputSource& source, ByteSink& out, const Opened& opened, Sizes& sizes) {
  const bool packs = o_.way == Way::kPack;
  const Nanoseconds start = in_.clock.MonotonicNow();
  if (!(packs ? Pack(name, source, out, opened, sizes) : Unpack(name, source, out, sizes))) return false;
  if (!o_.trace.empty()) Trace(sizes, in_.clock.MonotonicNow() - start);
  ++done_;
  total_.in += sizes.in;
  total_.out += sizes.out;
  if (is_many_ && o_.shown < 3) return true;
  char text[64];
  if (!packs) {
    std::snprintf(text, sizeof text, "%llu bytes \n", static_cast<unsigned long long>(sizes.out));
    Say(2, Padded(name) + ": " + text);
    return true;
  }
  if (sizes.in == 0) text[0] = '\0';
  else std::snprintf(text, sizeof text, "%6.2f%% ", static_cast<double>(sizes.out) / static_cast<double>(sizes.in) * 100);
  Say(2, Padded(name) + " :" + text + "  (" + HumanText(sizes.in) + " => " + HumanText(sizes.out) + ", " + target + ") \n");
  return true;
}

void FileWork::Trace(const Sizes& sizes, Nanoseconds took) {
  const bool packs = o_.way == Way::kPack;
  const uint64_t plain = packs ? sizes.in : sizes.out, packed = packs ? sizes.out : sizes.in;
  char tail[128];
  std::snprintf(tail, sizeof tail, ", %llu, %.2f, %.2f\n", static_cast<unsigned long long>(took.count()), packed == 0 ? 0 : static_cast<double>(plain) / static_cast<double>(packed),
                took.count() == 0 ? 0 : static_cast<double>(plain) * 1000 / static_cast<double>(took.count()));
  std::string line = "zstd, 10504, " + std::string(packs ? "compress" : "decompress") + ", streaming, " +
                     std::to_string(packs ? o_.level : 0) + ", " + std::to_string(packs && !o_.is_single_thread && plain > 512 << 10 ? 1 : 0) + ", " + std::to_string(dictionary_.size()) + ", " +
                     std::to_string(plain) + ", " + std::to_string(packed) + tail;
  auto file = in_.fs.Open(o_.trace, vfs::OpenFlags::Append());
  if (!file) return;   // as the real one, which says nothing
  if (const auto found = in_.fs.Stat(o_.trace); found && found->size == 0) {
    line.insert(0, "Algorithm, Version, Method, Mode, Level, Workers, Dictionary Size, Uncompressed Size, Compressed Size, Duration Nanos, Compression Ratio, Speed MB/s\n");
  }
  static_cast<void>((*file)->Write(line));
}

codec::CoderPtr FileWork::NewEncoder(const Opened& opened, const std::string& name) {
  switch (o_.form) {
    case Form::kGzip: return codec::NewGzipEncoder(&in_.budget, std::clamp(o_.level, 1, 9));
    case Form::kXz:
    case Form::kLzma: {
      codec::XzEncoderOptions options;
      options.is_lzma = o_.form == Form::kLzma;
      options.level = std::clamp(o_.level, 0, 9);
      in_.budget.WillAllocate(codec::XzEncoderMemory(options));
      return codec::NewXzEncoder(&in_.budget, options);
    }
    default: break;
  }
  codec::ZstdEncoderOptions options;
  options.level = o_.level;
  options.has_checksum = o_.checks;
  options.long_window_log = o_.long_log;
  if (opened.attributes && opened.attributes->is_file()) options.size = opened.attributes->size;
  else if (name == kStdin) options.size = o_.stream_size;
  if (o_.is_rsyncable && options.size.value_or(0) >= PieceSink::kShortest) options.size.reset();   // of one piece, which is not known
  if (!options.size) options.size_hint = o_.size_hint;
  options.dictionary = dictionary_;
  options.is_prefix = o_.has_patch;
  options.window_log = patch_log_;
  options.has_dictionary_id = o_.has_dictionary_id;
  options.has_size = o_.has_size;
  options.target_block = o_.target_block;
  options.compresses_literals = o_.compresses_literals;
  options.finds_by_rows = o_.finds_by_rows;
  return codec::NewZstdEncoder(&in_.budget, options);
}

bool FileWork::Pack(const std::string& name, InputSource& source, ByteSink& out, const Opened& opened, Sizes& sizes) {
  PieceSink encoder(out, [&] { return NewEncoder(opened, name); }, in_.budget, o_.is_rsyncable && o_.form == Form::kZstd);
  CopyResult copied = CopyStream(in_.budget, source, encoder);
  if (copied.status) {
    copied.status = encoder.Finish();
    copied.is_output = true;
  }
  sizes = {encoder.bytes_in(), encoder.bytes_out()};
  if (copied.status) return true;
  in_.out.ClearStatus();
  const std::string text(copied.status.error().Text());
  Fail(copied.is_output ? "zstd: error 11 : " + name + " : " + text + " " : "zstd: error 37 : Read error : " + text + " ");
  return false;
}

bool FileWork::Unpack(const std::string& name, InputSource& source, ByteSink& out, Sizes& sizes) {
  const auto looked = source.Look(18);
  if (!looked) {
    Fail("zstd: error 37 : Read error : " + std::string(looked.error().Text()) + " ");
    return false;
  }
  const std::string head(*looked);
  if (head.empty()) {
    Fail("zstd: " + name + ": unexpected end of file ");
    return false;
  }
  using codec::Format;
  const Format format = codec::Recognize(head);
  const bool is_skippable = head.size() >= 4 && head.substr(1, 3) == "\x2a\x4d\x18" && (head[0] & 0xf0) == 0x50;
  const bool is_known = is_skippable || format == Format::kZstd || format == Format::kGzip || format == Format::kXz || format == Format::kLzma;
  if (head.starts_with("\x04\x22\x4d\x18")) {
    Fail("zstd: " + name + ": .lz4 file cannot be uncompressed (zstd compiled without HAVE_LZ4) -- ignored ");
    return false;
  }
  if (!is_known) {
    if (o_.passes_through.value_or(o_.force && o_.output == kStdout)) {
      const CopyResult copied = CopyStream(in_.budget, source, out);
      sizes = {copied.bytes, copied.bytes};
      return copied.status ? true : Broken(name, head, copied);
    }
    Fail("zstd: " + name + (head.size() < 4 ? ": unknown header " : ": unsupported format "));
    return false;
  }
  codec::DecodingSource decoder(source, NewDecoder(format), &in_.budget);
  const CopyResult copied = CopyStream(in_.budget, decoder, out);
  sizes = {decoder.bytes_in(), decoder.bytes_out()};
  if (!copied.status) return Broken(name, head, copied);
  if (!decoder.has_garbage()) return true;
  Fail("zstd: " + name + ": unsupported format ");
  return false;
}

codec::CoderPtr FileWork::NewDecoder(codec::Format format) {
  if (format == codec::Format::kGzip) return codec::NewGzipDecoder(&in_.budget);
  if (format == codec::Format::kXz || format == codec::Format::kLzma) {
    codec::XzDecoderOptions options;
    options.format = codec::XzDecoderOptions::Format::kAuto;
    return codec::NewXzDecoder(&in_.budget, options);
  }
  codec::ZstdDecoderOptions options;
  options.window_max = WindowMax();
  options.dictionary = dictionary_;
  options.is_prefix = o_.has_patch;
  options.ignores_check = !o_.checks;
  return codec::NewZstdDecoder(&in_.budget, options);
}

uint64_t FileWork::WindowMax() const {
  if (o_.memory > 0) return o_.memory;
  return uint64_t{1} << (o_.long_log > 0 ? std::min(o_.long_log, 31) : 27);
}

bool FileWork::Broken(const std::string& name, const std::string& head, const CopyResult& copied) {
  in_.out.ClearStatus();
  const Code code = copied.status.error().code;
  const std::string text(copied.status.error().Text());
  if (copied.is_output) Fail("zstd: error 70 : Write error : cannot write block : " + text + " ");
  else if (code == Code::kSyntax || code == Code::kNotSupported) Fail("zstd: " + name + ": " + text + " ");
  else if (text == "premature end") Fail(name + " : Read error (39) : premature end ");
  else if (code == Code::kCorrupt || code == Code::kLimit) Fail(name + " : Decoding error (36) : " + text + " ");
  else Fail("zstd: error 37 : Read error : " + text + " ");
  if (code == Code::kLimit) HelpWithWindow(name, head);
  return false;
}

void FileWork::HelpWithWindow(const std::string& name, const std::string& head) {
  const auto window = codec::ZstdWindow(head);
  if (!window) return;
  Say(1, name + " : Window size larger than maximum : " + std::to_string(*window) + " > " + std::to_string(WindowMax()) + " \n");
  const int log = static_cast<int>(std::bit_width(*window)) - (std::has_single_bit(*window) ? 1 : 0);
  if (log <= 31) Say(1, name + " : Use --long=" + std::to_string(log) + " or --memory=" + std::to_string((*window >> 20) + ((*window & 0xfffff) != 0 ? 1 : 0)) + "MB \n");
}

}  // namespace paddock::zstd
