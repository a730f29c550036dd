// zip archives: the directory at their end, the headers in front of the members, and the old encryption. Takes hostile bytes.
//
// Source: PKWARE's APPNOTE.TXT 6.3; the extra fields of Info-ZIP.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock {
class Budget;
}

namespace paddock::codec {

inline constexpr uint16_t kZipStored = 0, kZipDeflated = 8, kZipBzip2 = 12;
inline constexpr uint16_t kZipEncrypted = 1, kZipHasDescriptor = 8, kZipIsUtf8 = 0x800;

struct ZipEntry {
  std::string name;
  uint8_t version = 30, host = 3;   // made by; 3 is Unix
  uint16_t needed = 10, flags = 0, method = kZipStored;
  uint16_t dos_time = 0, dos_date = 0x21;
  uint32_t crc = 0;
  uint64_t packed = 0, size = 0;
  uint16_t internal = 0;            // bit 0: text
  uint32_t external = 0;            // Unix mode << 16 | DOS attributes
  uint64_t offset = 0;              // of the local header
  uint16_t part = 0;                // as it was read: which file of a split archive that is in, from 0
  std::string extra, comment;       // of the directory

  bool is_directory() const { return name.ends_with('/'); }
  bool is_encrypted() const { return (flags & kZipEncrypted) != 0; }
  // st_mode, or nothing when it was not made on Unix.
  std::optional<uint32_t> unix_mode() const;
  // From the extra field; seconds since 1970.
  std::optional<int64_t> modified() const;
};

struct ZipDirectory {
  std::vector<ZipEntry> entries;
  std::string comment;
  uint64_t end_record = 0;       // where it begins
  uint64_t start = 0;            // of the directory, really
  uint64_t size = 0;             // of the directory
  int64_t displacement = 0;      // bytes in front of the archive; negative: bytes that are missing
};

// Reads `size` bytes at a place of the archive; fewer at its end.
using ZipReadAt = std::function<Result<std::string>(uint64_t offset, size_t size)>;

// Errors: kSyntax (no zip archive), kCorrupt (a damaged directory), those of `read`.
Result<ZipDirectory> ReadZipDirectory(uint64_t archive_size, const ZipReadAt& read, Budget& budget);
// How many files of a split archive come before this one, by its end. Errors: as ReadZipDirectory().
Result<uint16_t> ReadZipPart(uint64_t archive_size, const ZipReadAt& read);
// Where the data of an entry begins. Errors: kCorrupt, those of `read`.
Result<uint64_t> FindZipData(const ZipEntry& entry, const ZipDirectory& directory, const ZipReadAt& read);

// The local header, the directory's record and the end of the archive.
std::string EncodeZipLocal(const ZipEntry& entry, std::string_view extra);
std::string EncodeZipDescriptor(const ZipEntry& entry);
std::string EncodeZipRecord(const ZipEntry& entry);
std::string EncodeZipEnd(uint64_t entries, uint64_t start, uint64_t size, std::string_view comment);

// PKWARE's stream cipher, which protects against nobody who tries.
class ZipCipher {
 public:
  explicit ZipCipher(std::string_view password);
  void Decrypt(char* bytes, size_t size);
  void Encrypt(char* bytes, size_t size);

 private:
  uint8_t Next() const;
  void Update(uint8_t byte);
  std::array<uint32_t, 3> keys_{0x12345678, 0x23456789, 0x34567890};
};

}  // namespace paddock::codec
