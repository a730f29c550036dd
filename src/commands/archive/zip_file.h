// An existing zip archive as zip and unzip open it.
#pragma once

#include <memory>
#include <string>

#include "base/budget.h"
#include "codec/coder.h"
#include "codec/zip.h"
#include "vfs/file_system.h"

namespace paddock {

class ZipFile {
 public:
  // Errors: those of the file, kSyntax (no zip archive), kCorrupt.
  static Result<std::unique_ptr<ZipFile>> Open(vfs::FileSystem& fs, const std::string& path, Budget& budget);
  static Result<std::unique_ptr<ZipFile>> Open(vfs::OpenFilePtr file, Budget& budget);

  // The parts of a split archive as one file; `starts` is where each begins. Errors: as Open().
  static Result<std::unique_ptr<ZipFile>> OpenJoined(vfs::OpenFilePtr file, const std::vector<uint64_t>& starts, Budget& budget);
  // How many parts come before this one. Errors: as Open().
  static Result<uint16_t> PartsBefore(vfs::OpenFilePtr file, Budget& budget);

  const codec::ZipDirectory& directory() const { return directory_; }
  uint64_t size() const { return size_; }
  // Bytes of the archive as they are.
  Result<std::string> ReadAt(uint64_t offset, size_t count);
  Result<uint64_t> DataOf(const codec::ZipEntry& entry);
  // The stored bytes of an entry as a source, decrypted if there is a cipher. One at a time.
  std::unique_ptr<ByteSource> StoredBytes(uint64_t offset, uint64_t size, std::optional<codec::ZipCipher> cipher = {});
  // True when members share bytes, which only a bomb's do.
  bool HasOverlaps();

 private:
  ZipFile(vfs::OpenFilePtr file, Budget& budget) : file_(std::move(file)), budget_(budget) {}
  vfs::OpenFilePtr file_;
  Budget& budget_;
  uint64_t size_ = 0;
  codec::ZipDirectory directory_;
};

// The decoder for a method; null when there is none.
codec::CoderPtr ZipDecoder(uint16_t method, Budget& budget);

}  // namespace paddock
