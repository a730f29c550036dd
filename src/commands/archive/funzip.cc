// funzip - write the first member of a ZIP archive (or a gzip file) that comes as a stream
//
// usage: funzip [FILE]
//
// Exit status: 0; 2 when FILE is not there; 3 when the input is neither ZIP nor gzip; 4 when it is damaged.
// Source: Info-ZIP UnZip 6.00.
// Differs: members under a password are refused. A stored member with sizes of 64 bits is written to its end; the real one never stops.

#include "codec/coder.h"
#include "commands/input_files.h"
#include "proc/command.h"

namespace paddock {
namespace {

constexpr ExitStatus kNoFile = 2, kNotPacked = 3, kDamaged = 4;
constexpr uint64_t kSeeExtra = 0xffffffff;
constexpr size_t kHeaderSize = 30, kRoom = 64 << 10;
constexpr std::string_view kMemberMagic = "PK\3\4", kDescriptorMagic = "PK\7\10";

uint32_t Number(std::string_view bytes, size_t at, size_t size) {
  uint32_t value = 0;
  for (size_t i = size; i > 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[at + i - 1]);
  return value;
}

class Extraction {
 public:
  Extraction(Invocation& in, Input& input) : in_(in), input_(input) {}

  ExitStatus Run() {
    const std::string head = Take(2);
    if (head == "\037\213") return Gzip(head);
    const std::string header = head + Take(kHeaderSize - 2);
    if (header.size() < kHeaderSize || !header.starts_with(kMemberMagic)) return Fail("input not a zip or gzip file", kNotPacked);
    const uint32_t flags = Number(header, 6, 2), method = Number(header, 8, 2);
    uint32_t checksum = Number(header, 14, 4);
    uint64_t packed = Number(header, 18, 4);
    if ((flags & 1) != 0) return Fail("cannot decrypt entry: not supported", kDamaged);
    const bool has_descriptor = (flags & 8) != 0;
    if ((method != 0 && method != 8) || (method == 0 && has_descriptor)) return Fail("first entry not deflated or stored--cannot unpack", kNotPacked);
    const size_t name_size = Number(header, 26, 2), extra_size = Number(header, 28, 2);
    const std::string names = Take(name_size + extra_size);
    if (names.size() < name_size + extra_size) return Fail("unexpected end of file", kDamaged);
    if (packed == kSeeExtra) packed = PackedSize(std::string_view(names).substr(name_size));
    const bool is_whole = method == 0 ? Copy(packed) : Inflate();
    if (!in_.out.status()) return 1;
    if (has_descriptor) {
      std::string descriptor = Take(4);
      if (descriptor == kDescriptorMagic) descriptor = Take(4);
      if (descriptor.size() == 4) checksum = Number(descriptor, 0, 4);
      Take(8);
    }
    if (!is_whole || checksum != checksum_) return Fail("invalid compressed data--crc error", kDamaged);
    if (Take(4) == kMemberMagic) {
      in_.out.Flush();
      in_.err.Write("funzip warning: zipfile has more than one entry--rest ignored\n");
    }
    return 0;
  }

 private:
  ExitStatus Fail(std::string_view message, ExitStatus status) {
    in_.out.Flush();
    in_.err.Write("funzip error: " + std::string(message) + "\n");
    return status;
  }
  std::string Take(size_t count) {
    std::string text(count, '\0');
    text.resize(input_.Read(text.data(), count));
    return text;
  }
  void Write(std::string_view bytes) {
    in_.budget.Step(static_cast<int64_t>(1 + bytes.size() / 32));
    checksum_ = codec::Crc32(checksum_, bytes);
    in_.out.Write(bytes);
  }

  // Of a member whose header has no room for it: the second number of the field 1.
  static uint64_t PackedSize(std::string_view extra) {
    constexpr size_t kHead = 4, kNeeded = 16;
    while (extra.size() >= kHead) {
      const size_t size = Number(extra, 2, 2);
      if (extra.size() - kHead < size) break;
      if (Number(extra, 0, 2) == 1 && size >= kNeeded) return uint64_t{Number(extra, kHead + 12, 4)} << 32 | Number(extra, kHead + 8, 4);
      extra.remove_prefix(kHead + size);
    }
    return kSeeExtra;
  }

  bool Copy(uint64_t count) {
    while (count > 0) {
      const std::string_view bytes = input_.Peek().substr(0, count);
      if (bytes.empty()) return false;
      Write(bytes);
      count -= bytes.size();
      input_.Consume(bytes.size());
    }
    return true;
  }
  bool Inflate() {
    const codec::CoderPtr coder = codec::NewInflater(&in_.budget);
    const auto room = std::make_unique<char[]>(kRoom);
    while (in_.out.status()) {
      in_.budget.Step();
      const std::string_view bytes = input_.Peek();
      const auto step = coder->Run(bytes, bytes.empty(), room.get(), kRoom);
      if (!step) return false;
      Write({room.get(), step->made});
      input_.Consume(step->taken);
      if (step->is_between) return true;
      if (bytes.empty() && step->made == 0) return false;
    }
    return false;
  }

  // The two bytes of the magic are gone already.
  class Rejoined final : public ByteSource {
   public:
    Rejoined(std::string head, Input& input) : head_(std::move(head)), input_(input) {}
    Result<Block> ReadBlock(size_t max) override {
      if (!head_.empty()) {
        taken_ = std::exchange(head_, {});
        return Block{nullptr, taken_};
      }
      input_.Consume(shown_);
      const std::string_view bytes = input_.Peek().substr(0, max);
      shown_ = bytes.size();
      return Block{nullptr, bytes};
    }
    void GiveBack(size_t) override {}

   private:
    std::string head_, taken_;
    Input& input_;
    size_t shown_ = 0;
  };
  ExitStatus Gzip(const std::string& head) {
    Rejoined source(head, input_);
    codec::DecodingSource plain(source, codec::NewGzipDecoder(&in_.budget), &in_.budget);
    while (in_.out.status()) {
      in_.budget.Step();
      const auto block = plain.ReadBlock(kRoom);
      if (!block) return Fail("invalid compressed data--" + std::string(block.error().Text()), kDamaged);
      if (block->bytes.empty()) return 0;
      Write(block->bytes);
    }
    return 1;
  }

  Invocation& in_;
  Input& input_;
  uint32_t checksum_ = 0;
};

ExitStatus Run(Invocation& in) {
  // Words like -password are taken along; there is nothing to decrypt.
  std::optional<std::string> name;
  for (const std::string& word : in.args.subspan(1)) {
    if (word.size() > 1 && word[0] == '-') continue;
    name = word;
    break;
  }
  if (!name || *name == "-") return Extraction(in, in.in).Run();
  auto file = InputFile::OpenPath(in, *name);
  if (!file) {
    in.err.Write("funzip error: cannot find input file\n");
    return kNoFile;
  }
  return Extraction(in, file->input()).Run();
}

}  // namespace

extern const Command kCommand_funzip;
const Command kCommand_funzip = {
    .name = "funzip",
    .summary = "filter for extracting from a ZIP archive in a pipe",
    .synopsis = "[FILE]",
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
