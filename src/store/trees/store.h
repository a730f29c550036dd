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
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
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

struct CollectOptions {
  // What was stored or met again within this time stays, whether a root leads to it or not. Longer than it takes a
  // caller to note the root of what it captured; a Session that is still there keeps its own in any case.
  Nanoseconds grace = std::chrono::minutes(10);
  // A pack is written anew when at least this part of it is garbage; the others wait. 0: everything goes.
  double least_garbage = 0.25;
};

struct Collected {
  uint64_t objects = 0;     // that are gone
  uint64_t body_bytes = 0;  // of theirs
  uint64_t disk_bytes = 0;  // less than before
};

struct StoredObject {
  ObjectId id;
  ObjectKind kind;
  uint32_t length;
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
  // The bytes of its body, or nothing.
  std::optional<uint32_t> LengthOf(const ObjectId& id);
  std::vector<StoredObject> Objects();
  StoreUsage usage();
  // Takes away what no root leads to. Safe beside everything else; one at a time (kBusy). `roots` is asked once the
  // collection has begun: what a session stored is kept from then on, also if the session ends, so that a root that
  // was noted before the session ended is never missed. Errors: those of `roots`; kNoEntry and kIo when something that
  // a root leads to is missing or damaged: then nothing is taken away.
  using Roots = std::function<Result<std::vector<ObjectId>>()>;
  Result<Collected> Collect(const Roots& roots, const CollectOptions& options = {});

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
  Status LoadDoomed();
  // Collect(), step by step: store_collect.cc.
  Status Mark(std::vector<StoredObject> pending, bool stops_at_errors);
  uint32_t CutoffLocked(Nanoseconds grace) const;
  void ChooseGarbageLocked(const CollectOptions& options, std::set<uint64_t>& packs);
  std::vector<StoredObject> UnmarkedLocked(const std::function<bool(const ObjectRecord&)>& is_kept);
  Result<Collected> Sweep(uint32_t cutoff, const std::set<uint64_t>& garbage);
  Result<std::vector<std::shared_ptr<PackFile>>> CopyLiving(const std::set<uint64_t>& garbage);
  Status RemovePacks(const std::set<uint64_t>& garbage);
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
  uint64_t last_pack_ = 0;  // the highest number that was ever given
  std::mutex collecting_;
  uint8_t mark_ = 0;                   // of the collection that runs or ran last; 0 marks nothing
  std::set<uint64_t> unreadable_;      // packs that could not be copied and are let alone
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
