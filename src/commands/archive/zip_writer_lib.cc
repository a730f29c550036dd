#include "commands/archive/zip_writer.h"

#include <algorithm>

namespace paddock {
namespace {

using codec::ZipEntry;

constexpr size_t kSmall = 1 << 20;   // is compressed in memory, so that the better of two ways can be taken
constexpr uint64_t kMost = UINT32_MAX - 1;

bool IsText(std::string_view bytes) {
  bool has_text = false;
  for (const char c : bytes.substr(0, 32 << 10)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 6 || (byte >= 14 && byte <= 25) || (byte >= 28 && byte <= 31)) return false;
    has_text = has_text || byte == 9 || byte == 10 || byte == 13 || byte >= 32;
  }
  return has_text;
}

// Line ends one way or the other; bytes that are no text stay.
class LineEnds {
 public:
  explicit LineEnds(int way) : way_(way) {}
  std::string Convert(std::string_view bytes) {
    if (way_ == 0) return std::string(bytes);
    if (!is_decided_) {
      is_decided_ = true;
      if (!IsText(bytes)) way_ = 0;
      if (way_ == 0) return std::string(bytes);
    }
    std::string text;
    for (const char c : bytes) {
      if (way_ == 1) {
        if (c == '\n') text += '\r';
        text += c;
        continue;
      }
      if (has_return_ && c != '\n') text += '\r';
      has_return_ = c == '\r';
      if (!has_return_) text += c;
    }
    return text;
  }

 private:
  int way_;
  bool is_decided_ = false, has_return_ = false;
};

codec::CoderPtr EncoderFor(const ZipMemberOptions& options, Budget& budget) {
  if (options.method == codec::kZipBzip2) return codec::NewBzip2Encoder(&budget, options.level == 0 ? 9 : options.level);
  return codec::NewDeflater(&budget, options.level);
}

void SetMethod(ZipEntry& entry, uint16_t method, int level) {
  entry.method = method;
  entry.needed = method == codec::kZipStored ? 10 : method == codec::kZipBzip2 ? 46 : 20;
  entry.flags = static_cast<uint16_t>(entry.flags & ~6u);
  if (method == codec::kZipDeflated) entry.flags = static_cast<uint16_t>(entry.flags | (level <= 2 ? 4 : level >= 8 ? 2 : 0));
}

}  // namespace

Status ZipWriter::Write(std::string_view bytes) {
  at_ += bytes.size();
  return file_ ? file_->Write(bytes) : out_->Write(bytes);
}

Status ZipWriter::GoTo(uint64_t place) {
  PADDOCK_ASSIGN(const uint64_t reached, file_->Seek(static_cast<int64_t>(place), vfs::Whence::kStart));
  at_ = reached;
  return {};
}

std::string ZipWriter::CipherHead(const ZipEntry& entry, codec::ZipCipher& cipher) {
  // What is random there keeps equal files from looking equal; the last byte tells the password.
  std::string head(12, '\0');
  uint64_t seed = static_cast<uint64_t>(in_.clock.RealNow().count()) ^ at_ * 0x9e3779b97f4a7c15u;
  for (char& byte : head) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<char>(seed >> 56);
  }
  head[11] = static_cast<char>(entry.dos_time >> 8);
  cipher.Encrypt(head.data(), head.size());
  return head;
}

ZipWriter::Outcome ZipWriter::Add(ZipEntry& entry, ByteSource& source, const ZipMemberOptions& options) {
  LineEnds ends(options.line_ends);
  std::string head;
  while (head.size() <= kSmall) {
    const auto block = source.ReadBlock(128 << 10);
    if (!block) return {block.error(), {}};
    if (block->bytes.empty()) return AddSmall(entry, std::move(head), options);
    head += ends.Convert(block->bytes);
  }
  // The rest of a large one comes through the same conversion.
  class Converted final : public ByteSource {
   public:
    Converted(ByteSource& from, LineEnds& line_ends) : from_(from), ends_(line_ends) {}
    Result<Block> ReadBlock(size_t max) override {
      PADDOCK_ASSIGN(const Block block, from_.ReadBlock(max));
      text_ = ends_.Convert(block.bytes);
      if (text_.empty() && !block.bytes.empty()) return ReadBlock(max);
      return Block{nullptr, text_};
    }
    void GiveBack(size_t) override {}

   private:
    ByteSource& from_;
    LineEnds& ends_;
    std::string text_;
  } converted(source, ends);
  return AddStream(entry, head, options.line_ends == 0 ? source : converted, options);
}

ZipWriter::Outcome ZipWriter::AddSmall(ZipEntry& entry, std::string content, const ZipMemberOptions& options) {
  entry.size = content.size();
  entry.crc = codec::Crc32(0, content);
  const bool is_forced = options.method == codec::kZipStored || options.level == 0;
  if (!is_forced && IsText(content)) entry.internal = 1;
  SetMethod(entry, codec::kZipStored, options.level);
  if (options.method != codec::kZipStored && options.level > 0 && !content.empty()) {
    StringSink packed;
    codec::EncodingSink encoder(packed, EncoderFor(options, in_.budget), &in_.budget);
    Status done = encoder.Write(content);
    if (done) done = encoder.Finish();
    if (!done) return {{}, done};
    if (packed.text.size() < content.size()) {
      content = std::move(packed.text);
      SetMethod(entry, options.method, options.level);
    }
  }
  if (options.password && !entry.is_directory()) {
    entry.flags = static_cast<uint16_t>(entry.flags | codec::kZipEncrypted | codec::kZipHasDescriptor);
    codec::ZipCipher cipher(*options.password);
    const std::string head = CipherHead(entry, cipher);
    cipher.Encrypt(content.data(), content.size());
    content.insert(0, head);
  }
  entry.packed = content.size();
  entry.offset = at_;
  Status written = Write(codec::EncodeZipLocal(entry, options.local_extra));
  if (written) written = Write(content);
  if (written && (entry.flags & codec::kZipHasDescriptor) != 0) written = Write(codec::EncodeZipDescriptor(entry));
  entries_.push_back(entry);
  return {{}, written};
}

ZipWriter::Outcome ZipWriter::AddStream(ZipEntry& entry, const std::string& head, ByteSource& rest, const ZipMemberOptions& options) {
  const bool is_stored = options.method == codec::kZipStored || options.level == 0;
  SetMethod(entry, is_stored ? codec::kZipStored : options.method, options.level);
  if (!is_stored && IsText(head)) entry.internal = 1;
  if (options.password) entry.flags = static_cast<uint16_t>(entry.flags | codec::kZipEncrypted);
  if (options.password || !file_) entry.flags = static_cast<uint16_t>(entry.flags | codec::kZipHasDescriptor);
  entry.offset = at_;
  entry.crc = 0;
  entry.size = 0;
  if (const Status written = Write(codec::EncodeZipLocal(entry, options.local_extra)); !written) return {{}, written};
  const uint64_t data_at = at_;
  std::optional<codec::ZipCipher> cipher;
  if (options.password) {
    cipher.emplace(*options.password);
    if (const Status written = Write(CipherHead(entry, *cipher)); !written) return {{}, written};
  }
  struct Sink final : ByteSink {
    explicit Sink(ZipWriter& to) : writer(to) {}
    Status Write(std::string_view bytes) override {
      if (!cipher) return writer.Write(bytes);
      std::string hidden(bytes);
      cipher->Encrypt(hidden.data(), hidden.size());
      return writer.Write(hidden);
    }
    ZipWriter& writer;
    std::optional<codec::ZipCipher> cipher;
  } sink(*this);
  sink.cipher = std::move(cipher);
  std::optional<codec::EncodingSink> encoder;
  if (!is_stored) encoder.emplace(sink, EncoderFor(options, in_.budget), &in_.budget);
  const auto take = [&](std::string_view bytes) -> Status {
    entry.crc = codec::Crc32(entry.crc, bytes);
    entry.size += bytes.size();
    in_.budget.Step(static_cast<int64_t>(bytes.size() / 64 + 1));
    if (entry.size > kMost) return Code::kFileTooBig;
    return encoder ? encoder->Write(bytes) : sink.Write(bytes);
  };
  if (const Status taken = take(head); !taken) return {{}, taken};
  while (true) {
    const auto block = rest.ReadBlock(128 << 10);
    if (!block) return {block.error(), {}};
    if (block->bytes.empty()) break;
    if (const Status taken = take(block->bytes); !taken) return {{}, taken};
  }
  Status written = encoder ? encoder->Finish() : Status();
  if (!written) return {{}, written};
  entry.packed = at_ - data_at;
  if ((entry.flags & codec::kZipHasDescriptor) != 0) {
    written = Write(codec::EncodeZipDescriptor(entry));
  } else {
    // Now that the sizes are known, the header is written again.
    const uint64_t end = at_;
    written = GoTo(entry.offset);
    if (written) written = Write(codec::EncodeZipLocal(entry, options.local_extra));
    if (written) written = GoTo(end);
  }
  entries_.push_back(entry);
  return {{}, written};
}

Status ZipWriter::CopyBytes(ZipFile& from, uint64_t start, uint64_t size) {
  const std::unique_ptr<ByteSource> bytes = from.StoredBytes(start, size);
  while (true) {
    PADDOCK_ASSIGN(const Block block, bytes->ReadBlock(128 << 10));
    if (block.bytes.empty()) return {};
    in_.budget.Step(static_cast<int64_t>(block.bytes.size() / 64 + 1));
    PADDOCK_TRY(Write(block.bytes));
  }
}

Status ZipWriter::CopyLead(ZipFile& from) {
  const codec::ZipDirectory& directory = from.directory();
  uint64_t first = directory.start;
  for (const ZipEntry& entry : directory.entries) {
    in_.budget.Step();
    first = std::min(first, entry.offset + static_cast<uint64_t>(directory.displacement));
  }
  return CopyBytes(from, 0, first);
}

Status ZipWriter::Copy(ZipFile& from, ZipEntry entry) {
  PADDOCK_ASSIGN(const uint64_t data, from.DataOf(entry));
  const uint64_t start = entry.offset + static_cast<uint64_t>(from.directory().displacement);
  const bool has_descriptor = (entry.flags & codec::kZipHasDescriptor) != 0;
  entry.offset = at_;
  PADDOCK_TRY(CopyBytes(from, start, data - start + entry.packed));
  if (has_descriptor) PADDOCK_TRY(Write(codec::EncodeZipDescriptor(entry)));
  entries_.push_back(std::move(entry));
  return {};
}

Status ZipWriter::CopyRenamed(ZipFile& from, ZipEntry entry, const std::string& name) {
  if (name == entry.name) return Copy(from, std::move(entry));
  constexpr size_t kHead = 30, kNameSize = 26;
  PADDOCK_ASSIGN(const uint64_t data, from.DataOf(entry));
  const uint64_t start = entry.offset + static_cast<uint64_t>(from.directory().displacement);
  PADDOCK_ASSIGN(std::string head, from.ReadAt(start, kHead));
  if (head.size() < kHead) return Code::kCorrupt;
  const size_t old_size = static_cast<uint8_t>(head[kNameSize]) | static_cast<size_t>(static_cast<uint8_t>(head[kNameSize + 1])) << 8;
  head[kNameSize] = static_cast<char>(name.size() & 0xff);
  head[kNameSize + 1] = static_cast<char>(name.size() >> 8 & 0xff);
  entry.offset = at_;
  entry.name = name;
  PADDOCK_TRY(Write(head + name));
  const uint64_t behind = start + kHead + old_size;
  if (behind > data) return Code::kCorrupt;
  PADDOCK_TRY(CopyBytes(from, behind, data - behind + entry.packed));
  if ((entry.flags & codec::kZipHasDescriptor) != 0) PADDOCK_TRY(Write(codec::EncodeZipDescriptor(entry)));
  entries_.push_back(std::move(entry));
  return {};
}

Status ZipWriter::Finish(std::string_view comment) {
  const uint64_t start = at_;
  for (const ZipEntry& entry : entries_) {
    in_.budget.Step(4);
    PADDOCK_TRY(Write(codec::EncodeZipRecord(entry)));
  }
  return Write(codec::EncodeZipEnd(entries_.size(), start, at_ - start, comment));
}

}  // namespace paddock
