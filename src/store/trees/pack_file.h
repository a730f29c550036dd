// PackFile: many objects in one append-only file, in blocks that are compressed together. Not an
// interface of the folder: Store is.
//
// A block is a header, a list of the objects in it and their bodies, each part under a checksum, so that
// a scan finds where a crash tore the end and which blocks decayed. docs/store-format.md has the layout.
// Reading is safe from any thread; appending is one thread's at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "store/trees/object_id.h"

namespace paddock::trees {

struct PackedObject {
  ObjectId id;
  ObjectKind kind = ObjectKind::kChunk;
  uint32_t length = 0;  // bytes of its body
};

class PackFile {
 public:
  static constexpr uint32_t kMaxObjects = 1 << 16;          // of a block
  static constexpr uint32_t kMaxBlockBytes = 80 << 20;      // of a block's bodies
  static constexpr uint64_t kMaxPackBytes = uint64_t{1} << 31;  // offsets of blocks are 32 bits

  // "%016x.pack" of the number.
  static std::string NameOf(uint64_t number);
  // A new empty pack in the directory. Errors: those of the host, with the name.
  static Result<std::shared_ptr<PackFile>> Create(int directory, uint64_t number);
  static Result<std::shared_ptr<PackFile>> Open(int directory, uint64_t number);

  uint64_t number() const { return number_; }
  uint64_t size() const { return size_; }

  // Writes one block behind the others and returns its offset. On an error (kNoSpace, kIo …) the file
  // is cut to what it was.
  Result<uint32_t> Append(const std::vector<PackedObject>& objects, std::string_view bodies, std::string_view stored,
                          bool is_compressed);
  Status Sync();
  // Forgets what lies behind `size`.
  Status Cut(uint64_t size);

  // The bodies of the block at `offset`. Errors: kIo (with the pack and offset) for what is damaged.
  Result<std::shared_ptr<const std::string>> ReadBlock(uint32_t offset) const;

  struct ScannedBlock {
    uint32_t offset = 0;
    std::vector<PackedObject> objects;
    bool is_whole = false;  // the checksum of the bodies holds
    uint64_t stored_bytes = 0;  // on disk, all parts
  };
  struct ScanEnd {
    uint64_t good = 0;         // behind the last block that could be read
    uint64_t damaged_bytes = 0;  // skipped between blocks
    bool is_torn = false;      // something incomplete follows `good`
  };
  // Visits the blocks from `offset` (0: all). Reads the bodies only if `checks_bodies`.
  Result<ScanEnd> Scan(uint64_t offset, bool checks_bodies, const std::function<void(ScannedBlock)>& visit) const;

 private:
  struct Header;
  PackFile(Descriptor file, uint64_t number, uint64_t size, uint64_t salt)
      : file_(std::move(file)), number_(number), salt_(salt), size_(size) {}
  Status Read(uint64_t offset, char* bytes, size_t count) const;
  Result<Header> ReadHeader(uint64_t offset) const;
  // Of a header at this place of this pack: what somebody stores in a file is never taken for a block.
  uint32_t HeaderChecksum(uint64_t offset, std::string_view head, std::string_view list) const;
  Error Damaged(uint64_t offset, std::string_view what) const;
  // The first place at or behind `offset` where a header checks out; size() if there is none.
  Result<uint64_t> FindHeader(uint64_t offset) const;

  Descriptor file_;
  uint64_t number_;
  uint64_t salt_;
  std::atomic<uint64_t> size_;
};

// Writes a file that is there whole or not at all, durably.
Status WriteWhole(int directory, const std::string& name, std::string_view text);
// An Error for errno, naming the thing.
Error HostError(int error_number, const std::string& what);

}  // namespace paddock::trees
