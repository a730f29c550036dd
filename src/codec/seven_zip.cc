// The headers of a 7z archive.

#include "codec/seven_zip.h"

#include <algorithm>

#include "base/budget.h"
#include "codec/coder.h"

namespace paddock::codec {
namespace {

constexpr size_t kStartSize = 32;
constexpr uint64_t kMaxCoders = 32;
// Property ids.
constexpr uint64_t kEnd = 0, kHeader = 1, kArchiveProperties = 2, kAdditional = 3, kMainStreams = 4, kFiles = 5, kPackInfo = 6, kUnpackInfo = 7, kSubStreams = 8, kSize = 9, kCrc = 10,
                   kFolder = 11, kUnpackSizes = 12, kUnpackCounts = 13, kEmptyStream = 14, kEmptyFile = 15, kAnti = 16, kNames = 17, kModified = 20, kAttributes = 21, kEncodedHeader = 23;

uint64_t At(std::string_view bytes, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i > 0; --i) value = value << 8 | static_cast<uint8_t>(bytes[at + i - 1]);
  return value;
}

// Takes from the front; what is not there reads as zeros and makes it bad, for good.
class Cursor {
 public:
  Cursor(std::string_view rest, Budget& budget) : rest_(rest), budget_(budget) {}
  bool is_bad() const { return is_bad_; }
  void Fail() { is_bad_ = true; }
  size_t left() const { return rest_.size(); }

  std::string_view Take(uint64_t count) {
    budget_.Step();
    if (is_bad_ || count > rest_.size()) {
      is_bad_ = true;
      return {};
    }
    const std::string_view taken = rest_.substr(0, static_cast<size_t>(count));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  uint64_t Fixed(size_t size) {
    const std::string_view taken = Take(size);
    return taken.empty() ? 0 : At(taken, 0, size);
  }
  // The first byte's leading ones tell how many bytes follow.
  uint64_t Number() {
    const uint64_t first = Fixed(1);
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; ++i) {
      const uint64_t mask = 0x80u >> i;
      if ((first & mask) == 0) return value | (first & (mask - 1)) << (8 * i);
      value |= Fixed(1) << (8 * i);
    }
    return value;
  }
  // A number of things that each take at least a byte of all that is read: a bomb's is refused.
  uint64_t Count(uint64_t most) {
    const uint64_t count = Number();
    if (count > most) is_bad_ = true;
    return is_bad_ ? 0 : count;
  }
  std::vector<bool> Bits(size_t count) {
    std::vector<bool> bits(count);
    const std::string_view bytes = Take((count + 7) / 8);
    for (size_t i = 0; i < count && !is_bad_; ++i) bits[i] = (bytes[i / 8] >> (7 - i % 8) & 1) != 0;
    return bits;
  }
  std::vector<bool> OptionalBits(size_t count) { return Fixed(1) != 0 ? std::vector<bool>(count, true) : Bits(count); }
  std::vector<std::optional<uint32_t>> Digests(size_t count) {
    const std::vector<bool> defined = OptionalBits(count);
    std::vector<std::optional<uint32_t>> digests(count);
    for (size_t i = 0; i < count && !is_bad_; ++i) {
      if (defined[i]) digests[i] = static_cast<uint32_t>(Fixed(4));
    }
    return digests;
  }

 private:
  std::string_view rest_;
  Budget& budget_;
  bool is_bad_ = false;
};

// A file within a folder.
struct Part {
  uint64_t size = 0;
  std::optional<uint32_t> crc;
  size_t folder = 0;
};

class HeaderReader {
 public:
  HeaderReader(std::string_view header, uint64_t packed_end, Budget& budget) : in_(header, budget), limit_(header.size()), packed_end_(packed_end) {}

  // A header that holds where the true one is.
  Result<SevenZipArchive> ReadEncoded() {
    static_cast<void>(in_.Number());
    ReadStreams();
    if (in_.is_bad() || archive_.folders.empty()) return Bad();
    return std::move(archive_);
  }

  Result<SevenZipArchive> Read() {
    static_cast<void>(in_.Number());
    uint64_t id = in_.Number();
    if (id == kArchiveProperties) {
      while (!in_.is_bad() && in_.Number() != kEnd) static_cast<void>(in_.Take(in_.Number()));
      id = in_.Number();
    }
    if (id == kAdditional) return Error(Code::kNotSupported, "Unsupported feature");
    if (id == kMainStreams) {
      ReadStreams();
      id = in_.Number();
    }
    if (id == kFiles) ReadFiles();
    else if (id != kEnd) in_.Fail();
    if (in_.is_bad()) return Bad();
    return std::move(archive_);
  }

 private:
  static Error Bad() { return {Code::kCorrupt, "Headers Error"}; }
  // What is external is nothing that any writer makes.
  void RefuseExternal() {
    if (in_.Fixed(1) != 0) in_.Fail();
  }

  void ReadStreams() {
    bool has_parts = false;
    while (!in_.is_bad()) {
      const uint64_t id = in_.Number();
      if (id == kEnd) break;
      if (id == kPackInfo) ReadPacked();
      else if (id == kUnpackInfo) ReadFolders();
      else if (id == kSubStreams) {
        ReadParts();
        has_parts = true;
      } else in_.Fail();
    }
    if (has_parts) return;
    for (size_t i = 0; i < archive_.folders.size(); ++i) parts_.push_back({archive_.folders[i].size, archive_.folders[i].crc, i});
  }

  void ReadPacked() {
    uint64_t at = in_.Number();
    const size_t count = static_cast<size_t>(in_.Count(limit_));
    if (at > packed_end_ - kStartSize) return in_.Fail();
    at += kStartSize;
    archive_.streams.resize(count);
    while (!in_.is_bad()) {
      const uint64_t id = in_.Number();
      if (id == kEnd) return;
      if (id == kCrc) {
        static_cast<void>(in_.Digests(count));
      } else if (id == kSize) {
        for (SevenZipStream& stream : archive_.streams) {
          stream = {at, in_.Number()};
          if (stream.size > packed_end_ - at) return in_.Fail();
          at += stream.size;
        }
      } else {
        in_.Fail();
      }
    }
  }

  void ReadFolder(SevenZipFolder& folder) {
    uint64_t ins = 0, outs = 0;
    const uint64_t coders = in_.Count(kMaxCoders);
    if (coders == 0) return in_.Fail();
    for (uint64_t i = 0; i < coders && !in_.is_bad(); ++i) {
      SevenZipCoder coder;
      const uint64_t flags = in_.Fixed(1);
      if ((flags & 0xc0) != 0 || (flags & 15) > 8) return in_.Fail();
      for (const char byte : in_.Take(flags & 15)) coder.id = coder.id << 8 | static_cast<uint8_t>(byte);
      if ((flags & 0x10) != 0) {
        coder.ins = in_.Count(kMaxCoders);
        coder.outs = in_.Count(kMaxCoders);
      }
      if ((flags & 0x20) != 0) coder.properties = in_.Take(in_.Number());
      ins += coder.ins;
      outs += coder.outs;
      folder.coders.push_back(std::move(coder));
    }
    if (outs == 0 || ins + 1 < outs) return in_.Fail();
    for (uint64_t i = 0; i + 1 < outs; ++i) {
      const uint64_t input = in_.Number(), output = in_.Number();
      if (input >= ins || output >= outs) return in_.Fail();
      folder.binds.emplace_back(input, output);
    }
    const uint64_t packed = ins - (outs - 1);
    if (packed > 1) {
      for (uint64_t i = 0; i < packed; ++i) folder.packed.push_back(in_.Number());
    } else if (packed == 1) {
      for (uint64_t input = 0; input < ins; ++input) {
        if (std::none_of(folder.binds.begin(), folder.binds.end(), [input](const auto& bind) { return bind.first == input; })) folder.packed.push_back(input);
      }
    }
  }

  // The one output that feeds nothing is the folder's.
  void FindSize(SevenZipFolder& folder) {
    uint64_t output = 0;
    for (const SevenZipCoder& coder : folder.coders) {
      for (const uint64_t size : coder.sizes) {
        if (std::none_of(folder.binds.begin(), folder.binds.end(), [output](const auto& bind) { return bind.second == output; })) folder.size = size;
        ++output;
      }
    }
  }

  void ReadFolders() {
    if (in_.Number() != kFolder) return in_.Fail();
    archive_.folders.resize(static_cast<size_t>(in_.Count(limit_)));
    RefuseExternal();
    size_t packed = 0;
    for (SevenZipFolder& folder : archive_.folders) {
      ReadFolder(folder);
      if (in_.is_bad()) return;
      folder.first_packed = packed;
      packed += folder.packed.size();
    }
    if (packed > archive_.streams.size() || in_.Number() != kUnpackSizes) return in_.Fail();
    for (SevenZipFolder& folder : archive_.folders) {
      for (SevenZipCoder& coder : folder.coders) {
        for (uint64_t i = 0; i < coder.outs && !in_.is_bad(); ++i) coder.sizes.push_back(in_.Number());
      }
      FindSize(folder);
    }
    while (!in_.is_bad()) {
      const uint64_t id = in_.Number();
      if (id == kEnd) return;
      if (id != kCrc) return in_.Fail();
      const auto digests = in_.Digests(archive_.folders.size());
      for (size_t i = 0; i < digests.size(); ++i) archive_.folders[i].crc = digests[i];
    }
  }

  void ReadParts() {
    uint64_t id = in_.Number();
    if (id == kUnpackCounts) {
      uint64_t all = 0;
      for (SevenZipFolder& folder : archive_.folders) {
        folder.items = in_.Count(limit_);
        all += folder.items;
        if (all > limit_ || in_.is_bad()) return in_.Fail();
      }
      id = in_.Number();
    }
    const bool has_sizes = id == kSize;
    size_t unknown = 0;
    for (size_t i = 0; i < archive_.folders.size() && !in_.is_bad(); ++i) {
      const SevenZipFolder& folder = archive_.folders[i];
      if (folder.items > 1 && !has_sizes) return in_.Fail();
      uint64_t left = folder.size;
      for (uint64_t k = 0; k < folder.items; ++k) {
        const uint64_t size = k + 1 < folder.items ? in_.Number() : left;
        if (size > left || in_.is_bad()) return in_.Fail();
        left -= size;
        parts_.push_back({size, folder.items == 1 ? folder.crc : std::nullopt, i});
        if (!parts_.back().crc) ++unknown;
      }
    }
    if (has_sizes) id = in_.Number();
    while (!in_.is_bad() && id != kEnd) {
      if (id != kCrc) return in_.Fail();
      const auto digests = in_.Digests(unknown);
      size_t next = 0;
      for (Part& part : parts_) {
        if (!part.crc && next < digests.size()) part.crc = digests[next++];
      }
      unknown = 0;
      id = in_.Number();
    }
  }

  void ReadNames() {
    for (SevenZipItem& item : archive_.items) {
      char32_t high = 0;
      while (true) {
        const auto unit = static_cast<char32_t>(in_.Fixed(2));
        if (in_.is_bad()) return;
        if (high != 0 && (unit < 0xdc00 || unit > 0xdfff)) Append(item.name, 0xfffd);
        if (unit == 0) break;
        if (unit >= 0xd800 && unit < 0xdc00) {
          high = unit;
          continue;
        }
        if (unit >= 0xdc00 && unit <= 0xdfff) Append(item.name, high == 0 ? 0xfffd : 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00));
        else Append(item.name, unit);
        high = 0;
      }
    }
  }

  static void Append(std::string& name, char32_t code) {
    const auto tail = [&name](char32_t bits) { name += static_cast<char>(0x80 | (bits & 63)); };
    if (code < 0x80) {
      name += static_cast<char>(code);
    } else if (code < 0x800) {
      name += static_cast<char>(0xc0 | code >> 6);
      tail(code);
    } else {
      if (code < 0x10000) {
        name += static_cast<char>(0xe0 | code >> 12);
      } else {
        name += static_cast<char>(0xf0 | code >> 18);
        tail(code >> 12);
      }
      tail(code >> 6);
      tail(code);
    }
  }

  void ReadFiles() {
    const size_t count = static_cast<size_t>(in_.Count(limit_));
    archive_.items.resize(count);
    std::vector<bool> has_none(count), is_file, is_anti;
    size_t empty = 0;
    while (!in_.is_bad()) {
      const uint64_t id = in_.Number();
      if (id == kEnd) break;
      const uint64_t size = in_.Number();
      if (size > in_.left()) return in_.Fail();
      const size_t behind = in_.left() - static_cast<size_t>(size);
      if (id == kEmptyStream) {
        has_none = in_.Bits(count);
        empty = static_cast<size_t>(std::count(has_none.begin(), has_none.end(), true));
      } else if (id == kEmptyFile) {
        is_file = in_.Bits(empty);
      } else if (id == kAnti) {
        is_anti = in_.Bits(empty);
      } else if (id == kNames) {
        RefuseExternal();
        ReadNames();
      } else if (id == kModified || id == kAttributes) {
        const std::vector<bool> defined = in_.OptionalBits(count);
        RefuseExternal();
        for (size_t i = 0; i < count && !in_.is_bad(); ++i) {
          if (!defined[i]) continue;
          if (id == kModified) archive_.items[i].modified = in_.Fixed(8);
          else archive_.items[i].attributes = static_cast<uint32_t>(in_.Fixed(4));
        }
      }
      if (in_.left() < behind) return in_.Fail();
      static_cast<void>(in_.Take(in_.left() - behind));
    }
    if (in_.is_bad()) return;
    is_file.resize(empty);
    is_anti.resize(empty);
    size_t next_part = 0, next_empty = 0;
    for (size_t i = 0; i < count; ++i) {
      SevenZipItem& item = archive_.items[i];
      item.has_stream = !has_none[i];
      if (!item.has_stream) {
        item.is_directory = !is_file[next_empty];
        item.is_anti = is_anti[next_empty++];
        continue;
      }
      if (next_part == parts_.size()) return in_.Fail();
      const Part& part = parts_[next_part++];
      item.size = part.size;
      item.crc = part.crc;
      item.folder = part.folder;
    }
  }

  Cursor in_;
  uint64_t limit_;
  uint64_t packed_end_;
  SevenZipArchive archive_;
  std::vector<Part> parts_;
};

// The header that an encoded one points to.
Result<std::string> Decode(const SevenZipArchive& outer, const SevenZipReadAt& read, std::string_view password, Budget& budget) {
  const SevenZipFolder& folder = outer.folders.front();
  const Error wrong_password(Code::kAccess, "Cannot open encrypted archive. Wrong password?");
  PADDOCK_ASSIGN(const std::unique_ptr<ByteSource> source, OpenSevenZipFolder(outer, folder, read, budget, password));
  std::string plain;
  while (true) {
    const auto block = source->ReadBlock(128 << 10);
    if (!block) return folder.is_encrypted() && block.error().code == Code::kCorrupt ? wrong_password : block.error();
    if (block->bytes.empty()) break;
    budget.WillAllocate(plain.size() + block->bytes.size());   // doubling may hold both
    plain += block->bytes;
  }
  if (folder.crc && Crc32(0, plain) != *folder.crc) return folder.is_encrypted() ? wrong_password : Error(Code::kCorrupt, "Headers Error");
  return plain;
}

}  // namespace

bool SevenZipFolder::is_encrypted() const {
  return std::any_of(coders.begin(), coders.end(), [](const SevenZipCoder& coder) { return coder.id == 0x6f10701; });
}

std::optional<uint32_t> SevenZipItem::unix_mode() const {
  if (!attributes || (*attributes & 0x8000) == 0) return std::nullopt;
  return *attributes >> 16;
}

Result<SevenZipArchive> ReadSevenZip(uint64_t archive_size, const SevenZipReadAt& read, Budget& budget, std::string_view password) {
  PADDOCK_ASSIGN(const std::string start, read(0, kStartSize));
  if (!start.starts_with(std::string_view("7z\xbc\xaf\x27\x1c", 6))) return Error(Code::kSyntax, "Cannot open the file as archive");
  if (start.size() < kStartSize) return Error(Code::kCorrupt, "Is not archive");
  const uint64_t offset = At(start, 12, 8), size = At(start, 20, 8);
  if (Crc32(0, std::string_view(start).substr(12, 20)) != At(start, 8, 4)) return Error(Code::kCorrupt, "Is not archive");
  SevenZipArchive archive;
  archive.physical_size = archive.headers_size = kStartSize;
  if (size == 0) return archive;
  if (offset > archive_size - kStartSize || size > archive_size - kStartSize - offset) return Error(Code::kCorrupt, "Unexpected end of archive");
  const uint64_t end = kStartSize + offset;
  budget.WillAllocate(size);
  PADDOCK_ASSIGN(std::string header, read(end, static_cast<size_t>(size)));
  if (header.size() < size) return Error(Code::kCorrupt, "Unexpected end of archive");
  if (Crc32(0, header) != At(start, 28, 4)) return Error(Code::kCorrupt, "Headers Error");
  uint64_t headers_size = kStartSize + size;
  // One may be packed within another; each is behind what it describes, so that the number is bounded.
  for (int depth = 0; !header.empty() && static_cast<uint8_t>(header[0]) == kEncodedHeader; ++depth) {
    if (depth == 4) return Error(Code::kCorrupt, "Headers Error");
    PADDOCK_ASSIGN(const SevenZipArchive outer, HeaderReader(header, end, budget).ReadEncoded());
    for (const SevenZipStream& stream : outer.streams) headers_size += stream.size;
    PADDOCK_ASSIGN(header, Decode(outer, read, password, budget));
  }
  if (header.empty() || static_cast<uint8_t>(header[0]) != kHeader) return Error(Code::kCorrupt, "Headers Error");
  PADDOCK_ASSIGN(archive, HeaderReader(header, end, budget).Read());
  archive.physical_size = end + size;
  archive.headers_size = headers_size;
  return archive;
}

}  // namespace paddock::codec
