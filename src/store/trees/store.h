// Store: content-addressed objects in a directory of the host, the bottom of snapshots and templates.
//
// Objects are immutable and named by the SHA-256 of what they hold; the same content is kept once,
// whoever stored it. They lie in packs (pack_file.h). What a Session has finished survives a crash at any
// moment; what it has not may or may not be there afterwards and does no harm.
//
// Whoever may read an object is not the store's business: an id is a name, not a permission. Callers keep
// which tree belongs to whom, and never accept an id from an owner who does not have it already.
//
// One process has a store open at a time. All functions are safe from any thread, except that a Session
// is used by one at a time.
//
// Errors everywhere: kIo for what is damaged (with the object's id and the pack), kNoEntry for an object
// that is not there, kSyntax for one that does not decode, kNoSpace, kReadOnly and so on from the host.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/stream.h"
#include "store/trees/block_cache.h"
#include "store/trees/object_index.h"
#include "store/trees/pack_file.h"

namespace paddock::trees {

class Compressor;

struct StoreOptions {
  const Clock* clock = &SystemClock();
  int compression_level = 1;             // zstd's
  uint32_t block_bytes = 128 << 10;      // bodies that are compressed together
  uint64_t pack_bytes = 256ull << 20;    // when a new pack begins
  size_t cache_bytes = 32 << 20;         // of decompressed blocks
};

struct StoreUsage {
  uint64_t objects = 0;
  uint64_t body_bytes = 0;  // of the objects, before compression
  uint64_t disk_bytes = 0;  // of the packs
  uint64_t packs = 0;
  uint64_t damaged_objects = 0;  // known so far; CheckStore() looks for them
};

class Session;

class Store : public std::enable_shared_from_this<Store> {
 public:
  // Opens or makes the store in `directory` (made if only its last component is missing). Finds what a
  // crash tore and cuts it off. Errors: kBusy when another process has it open; kSyntax for a directory
  // of another format or version; those of the host.
  static Result<std::shared_ptr<Store>> Open(const std::string& directory, const StoreOptions& options = {});
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Starts to store objects. Until the session ends, nothing that it stored or touched is collected.
  Session Begin();
  // The body of an object, checked against its id. Shared with the store's cache: no copy.
  Result<Block> Get(ObjectKind kind, const ObjectId& id);
  bool Has(const ObjectId& id);
  StoreUsage usage();

 private:
  friend class Session;
  struct Pending {
    std::vector<PackedObject> objects;
    std::string bodies;
  };

  explicit Store(const StoreOptions& options);
  Status Load(const std::string& directory);
  Status LoadFormat();
  Status LoadPacks();
  Status LoadPack(const std::shared_ptr<PackFile>& pack, bool is_last);
  // The functions below that end in Locked want mutex_ held.
  Status StartPackLocked();
  Status FlushLocked();
  void DropUnsyncedLocked();
  uint32_t NowLocked() const;

  Result<ObjectId> Put(uint64_t generation, ObjectKind kind, std::string_view body);
  bool Touch(const ObjectId& id);
  Status Finish(uint64_t generation);
  void End(uint64_t session);

  const StoreOptions options_;
  const Nanoseconds opened_;
  Descriptor directory_;
  Descriptor packs_directory_;
  Descriptor lock_;
  BlockCache cache_;

  std::mutex mutex_;
  ObjectIndex index_;
  std::map<uint64_t, std::shared_ptr<PackFile>> packs_;
  std::shared_ptr<PackFile> active_;  // where blocks go; null until the first
  uint64_t synced_size_ = 0;          // of the active pack
  bool is_directory_synced_ = true;
  Pending pending_;
  // Counts the times that stored objects were lost to a failure; a session from before one is over.
  uint64_t generation_ = 0;
  Error loss_;
  uint64_t next_session_ = 1;
  std::map<uint64_t, uint32_t> sessions_;  // when each began
  std::unique_ptr<Compressor> compressor_;
};

// Some objects on their way into a store. Objects must be put before those that refer to them.
class Session {
 public:
  Session(std::shared_ptr<Store> store, uint64_t number, uint64_t generation)
      : store_(std::move(store)), number_(number), generation_(generation) {}
  Session(Session&& other) noexcept = default;
  Session& operator=(Session&&) = delete;
  ~Session() {
    if (store_ != nullptr) store_->End(number_);
  }

  // Stores an object, unless it is there. Errors: those of the host; then the session cannot go on.
  Result<ObjectId> Put(ObjectKind kind, std::string_view body) { return store_->Put(generation_, kind, body); }
  // True if the object (and so what it refers to) is there; keeps it.
  bool Touch(const ObjectId& id) { return store_->Touch(id); }
  // Makes all that was put durable. The session may go on afterwards.
  Status Finish() { return store_->Finish(generation_); }
  Store& store() const { return *store_; }

 private:
  std::shared_ptr<Store> store_;
  uint64_t number_;
  uint64_t generation_;
};

}  // namespace paddock::trees
