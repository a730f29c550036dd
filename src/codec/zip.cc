#include "codec/zip.h"

#include <algorithm>

#include "base/budget.h"
#include "codec/coder.h"

namespace paddock::codec {
namespace {

constexpr size_t kEndSize = 22, kRecordSize = 46, kLocalSize = 30;
constexpr uint32_t kMax32 = UINT32_MAX;

uint64_t At(std::string_view bytes, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i > 0; --i) value = value << 8 | static_cast<uint8_t>(bytes[at + i - 1]);
  return value;
}
uint16_t At16(std::string_view bytes, size_t at) { return static_cast<uint16_t>(At(bytes, at, 2)); }
uint32_t At32(std::string_view bytes, size_t at) { return static_cast<uint32_t>(At(bytes, at, 4)); }

void Put(std::string& bytes, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
}

// The data of an extra field, nothing if it is not there.
std::optional<std::string_view> FindExtra(std::string_view extra, uint16_t id) {
  while (extra.size() >= 4) {
    const size_t size = At16(extra, 2);
    if (size > extra.size() - 4) return std::nullopt;
    if (At16(extra, 0) == id) return extra.substr(4, size);
    extra.remove_prefix(4 + size);
  }
  return std::nullopt;
}

// The sizes that did not fit come in the order of the fields that say so.
void ApplyZip64(ZipEntry& entry) {
  const auto found = FindExtra(entry.extra, 1);
  if (!found) return;
  std::string_view rest = *found;
  for (uint64_t* field : {&entry.size, &entry.packed, &entry.offset}) {
    if (*field != kMax32 || rest.size() < 8) continue;
    *field = At(rest, 0, 8);
    rest.remove_prefix(8);
  }
}

struct End {
  uint64_t at = 0, entries = 0, size = 0, start = 0;
  uint16_t part = 0;
  std::string comment;
};

Result<End> FindEnd(uint64_t archive_size, const ZipReadAt& read) {
  const uint64_t tail_size = std::min<uint64_t>(archive_size, kEndSize + 0xffff);
  const uint64_t tail_at = archive_size - tail_size;
  PADDOCK_ASSIGN(const std::string tail, read(tail_at, static_cast<size_t>(tail_size)));
  const size_t at = tail.rfind(std::string_view("PK\5\6", 4));
  if (at == std::string::npos || tail.size() - at < kEndSize) return Error(Code::kSyntax, "End-of-central-directory signature not found");
  End end;
  end.at = tail_at + at;
  end.part = At16(tail, at + 4);
  end.entries = At16(tail, at + 10);
  end.size = At32(tail, at + 12);
  end.start = At32(tail, at + 16);
  end.comment = tail.substr(at + kEndSize, At16(tail, at + 20));
  if (end.at < 20) return end;
  PADDOCK_ASSIGN(const std::string locator, read(end.at - 20, 20));
  if (locator.size() < 20 || !locator.starts_with(std::string_view("PK\6\7", 4))) return end;
  const uint64_t record_at = At(locator, 8, 8);
  std::string record;
  if (record_at <= end.at - 20) {
    PADDOCK_ASSIGN(record, read(record_at, 56));
  }
  if (record.size() < 56 || !record.starts_with(std::string_view("PK\6\6", 4))) {
    // Where the plain record has room for all its numbers these bytes may as well be the end of the last entry.
    const bool is_needed = end.entries == 0xffff || end.size == kMax32 || end.start == kMax32;
    if (!is_needed) return end;
    return Error(Code::kCorrupt, "the end of the central directory is damaged");
  }
  end.at = record_at;
  end.entries = At(record, 32, 8);
  end.size = At(record, 40, 8);
  end.start = At(record, 48, 8);
  return end;
}

}  // namespace

std::optional<uint32_t> ZipEntry::unix_mode() const {
  if (host != 3 && host != 19) return std::nullopt;
  return external >> 16;
}

std::optional<int64_t> ZipEntry::modified() const {
  const auto found = FindExtra(extra, 0x5455);
  if (!found || found->size() < 5 || ((*found)[0] & 1) == 0) return std::nullopt;
  return static_cast<int32_t>(At32(*found, 1));
}

Result<ZipDirectory> ReadZipDirectory(uint64_t archive_size, const ZipReadAt& read, Budget& budget) {
  PADDOCK_ASSIGN(const End end, FindEnd(archive_size, read));
  ZipDirectory directory;
  directory.comment = end.comment;
  directory.end_record = end.at;
  if (end.size > end.at || end.start > archive_size) return Error(Code::kCorrupt, "the central directory lies outside of the archive");
  directory.size = end.size;
  directory.start = end.at - end.size;
  directory.displacement = static_cast<int64_t>(directory.start) - static_cast<int64_t>(end.start);
  constexpr size_t kPiece = 1 << 20;
  std::string window;
  uint64_t window_at = directory.start;
  size_t used = 0;
  // The stated number is not believed beyond what is there.
  for (uint64_t i = 0; i < end.entries; ++i) {
    budget.Step(4);
    const auto ensure = [&](size_t size) -> Result<bool> {
      if (window.size() - used >= size) return true;
      window_at += used;
      window.erase(0, used);
      used = 0;
      const uint64_t next = window_at + window.size();
      PADDOCK_ASSIGN(const std::string more, read(next, static_cast<size_t>(std::min<uint64_t>(kPiece, end.at - std::min(next, end.at)))));
      window += more;
      return window.size() >= size;
    };
    PADDOCK_ASSIGN(const bool has_head, ensure(kRecordSize));
    if (!has_head || window.compare(used, 4, std::string_view("PK\1\2", 4)) != 0) return Error(Code::kCorrupt, "expected central file header signature not found");
    const std::string head = window.substr(used, kRecordSize);
    const size_t name = At16(head, 28), extra = At16(head, 30), comment = At16(head, 32);
    PADDOCK_ASSIGN(const bool has_all, ensure(kRecordSize + name + extra + comment));
    if (!has_all) return Error(Code::kCorrupt, "the central directory ends too early");
    ZipEntry entry;
    entry.version = static_cast<uint8_t>(head[4]);
    entry.host = static_cast<uint8_t>(head[5]);
    entry.needed = At16(head, 6);
    entry.flags = At16(head, 8);
    entry.method = At16(head, 10);
    entry.dos_time = At16(head, 12);
    entry.dos_date = At16(head, 14);
    entry.crc = At32(head, 16);
    entry.packed = At32(head, 20);
    entry.size = At32(head, 24);
    entry.part = At16(head, 34);
    entry.internal = At16(head, 36);
    entry.external = At32(head, 38);
    entry.offset = At32(head, 42);
    entry.name = window.substr(used + kRecordSize, name);
    entry.extra = window.substr(used + kRecordSize + name, extra);
    entry.comment = window.substr(used + kRecordSize + name + extra, comment);
    entry.name.resize(std::min(entry.name.find('\0'), entry.name.size()));
    ApplyZip64(entry);
    used += kRecordSize + name + extra + comment;
    directory.entries.push_back(std::move(entry));
  }
  return directory;
}

Result<uint16_t> ReadZipPart(uint64_t archive_size, const ZipReadAt& read) {
  PADDOCK_ASSIGN(const End end, FindEnd(archive_size, read));
  return end.part;
}

Result<uint64_t> FindZipData(const ZipEntry& entry, const ZipDirectory& directory, const ZipReadAt& read) {
  const uint64_t at = entry.offset + static_cast<uint64_t>(directory.displacement);
  if (at > directory.start || directory.start - at < kLocalSize) return Error(Code::kCorrupt, "bad zipfile offset (local header sig)");
  PADDOCK_ASSIGN(const std::string head, read(at, kLocalSize));
  if (head.size() < kLocalSize || !head.starts_with(std::string_view("PK\3\4", 4))) return Error(Code::kCorrupt, "bad zipfile offset (local header sig)");
  const uint64_t data = at + kLocalSize + At16(head, 26) + At16(head, 28);
  if (data > directory.start || directory.start - data < entry.packed) return Error(Code::kCorrupt, "the data goes beyond the archive");
  return data;
}

std::string EncodeZipLocal(const ZipEntry& entry, std::string_view extra) {
  std::string bytes("PK\3\4", 4);
  Put(bytes, entry.needed, 2);
  Put(bytes, entry.flags, 2);
  Put(bytes, entry.method, 2);
  Put(bytes, entry.dos_time, 2);
  Put(bytes, entry.dos_date, 2);
  const bool is_later = (entry.flags & kZipHasDescriptor) != 0;
  Put(bytes, is_later ? 0 : entry.crc, 4);
  Put(bytes, is_later ? 0 : entry.packed, 4);
  Put(bytes, is_later ? 0 : entry.size, 4);
  Put(bytes, entry.name.size(), 2);
  Put(bytes, extra.size(), 2);
  return bytes.append(entry.name).append(extra);
}

std::string EncodeZipDescriptor(const ZipEntry& entry) {
  std::string bytes("PK\7\10", 4);
  Put(bytes, entry.crc, 4);
  Put(bytes, entry.packed, 4);
  Put(bytes, entry.size, 4);
  return bytes;
}

std::string EncodeZipRecord(const ZipEntry& entry) {
  std::string bytes("PK\1\2", 4);
  bytes += static_cast<char>(entry.version);
  bytes += static_cast<char>(entry.host);
  Put(bytes, entry.needed, 2);
  Put(bytes, entry.flags, 2);
  Put(bytes, entry.method, 2);
  Put(bytes, entry.dos_time, 2);
  Put(bytes, entry.dos_date, 2);
  Put(bytes, entry.crc, 4);
  Put(bytes, std::min<uint64_t>(entry.packed, kMax32), 4);
  Put(bytes, std::min<uint64_t>(entry.size, kMax32), 4);
  Put(bytes, entry.name.size(), 2);
  Put(bytes, entry.extra.size(), 2);
  Put(bytes, entry.comment.size(), 2);
  Put(bytes, 0, 2);
  Put(bytes, entry.internal, 2);
  Put(bytes, entry.external, 4);
  Put(bytes, std::min<uint64_t>(entry.offset, kMax32), 4);
  return bytes.append(entry.name).append(entry.extra).append(entry.comment);
}

std::string EncodeZipEnd(uint64_t entries, uint64_t start, uint64_t size, std::string_view comment) {
  std::string bytes;
  if (entries >= 0xffff || start >= kMax32 || size >= kMax32) {
    const uint64_t at = start + size;
    bytes.assign("PK\6\6", 4);
    Put(bytes, 44, 8);
    Put(bytes, 0x031e, 2);
    Put(bytes, 45, 2);
    Put(bytes, 0, 8);
    Put(bytes, entries, 8);
    Put(bytes, entries, 8);
    Put(bytes, size, 8);
    Put(bytes, start, 8);
    bytes.append("PK\6\7", 4);
    Put(bytes, 0, 4);
    Put(bytes, at, 8);
    Put(bytes, 1, 4);
  }
  bytes.append("PK\5\6", 4);
  Put(bytes, 0, 4);
  Put(bytes, std::min<uint64_t>(entries, 0xffff), 2);
  Put(bytes, std::min<uint64_t>(entries, 0xffff), 2);
  Put(bytes, std::min<uint64_t>(size, kMax32), 4);
  Put(bytes, std::min<uint64_t>(start, kMax32), 4);
  Put(bytes, comment.size(), 2);
  return bytes.append(comment);
}

namespace {
constexpr std::array<uint32_t, 256> MakeTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? 0xedb88320u : 0);
    table[i] = value;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kCrcTable = MakeTable();
uint32_t CrcStep(uint32_t crc, uint8_t byte) { return crc >> 8 ^ kCrcTable[(crc ^ byte) & 0xff]; }
}  // namespace

ZipCipher::ZipCipher(std::string_view password) {
  for (const char c : password) Update(static_cast<uint8_t>(c));
}
uint8_t ZipCipher::Next() const {
  const uint32_t value = (keys_[2] & 0xffff) | 2;
  return static_cast<uint8_t>(value * (value ^ 1) >> 8);
}
void ZipCipher::Update(uint8_t byte) {
  keys_[0] = CrcStep(keys_[0], byte);
  keys_[1] = (keys_[1] + (keys_[0] & 0xff)) * 134775813u + 1;
  keys_[2] = CrcStep(keys_[2], static_cast<uint8_t>(keys_[1] >> 24));
}
void ZipCipher::Decrypt(char* bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<char>(static_cast<uint8_t>(bytes[i]) ^ Next());
    Update(static_cast<uint8_t>(bytes[i]));
  }
}
void ZipCipher::Encrypt(char* bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    const auto plain = static_cast<uint8_t>(bytes[i]);
    bytes[i] = static_cast<char>(plain ^ Next());
    Update(plain);
  }
}

}  // namespace paddock::codec
