#include "store/trees/store.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "store/trees/compressor.h"
#include "store/trees/nodes.h"

namespace paddock::trees {
namespace {

constexpr std::string_view kFormat = "paddock trees 1\n";

Error DamagedObject(const ObjectId& id, std::string_view why) {
  return {Code::kIo, "object " + id.ToString() + " is damaged: " + std::string(why)};
}

}  // namespace

Status WriteWhole(int directory, const std::string& name, std::string_view text) {
  const std::string draft = name + ".new";
  Descriptor file(openat(directory, draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return HostError(errno, draft);
  for (size_t done = 0; done < text.size();) {
    const ssize_t wrote = write(file.get(), text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return HostError(wrote == 0 ? ENOSPC : errno, draft);
    done += static_cast<size_t>(wrote);
  }
  if (fsync(file.get()) != 0 || renameat(directory, draft.c_str(), directory, name.c_str()) != 0 || fsync(directory) != 0) {
    return HostError(errno, name);
  }
  return {};
}

Store::Store(const StoreOptions& options)
    : options_(options),
      opened_(options.clock->MonotonicNow()),
      cache_(options.cache_bytes),
      compressor_(std::make_unique<Compressor>(options.compression_level)) {}

Store::~Store() {
  const std::lock_guard lock(mutex_);
  static_cast<void>(FlushLocked());  // nobody waits for these objects
}

Result<std::shared_ptr<Store>> Store::Open(const std::string& directory, const StoreOptions& options) {
  std::shared_ptr<Store> store(new Store(options));  // allow(raw-new): private constructor
  PADDOCK_TRY(store->Load(directory));
  return store;
}

Status Store::Load(const std::string& directory) {
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) return HostError(errno, "store " + directory);
  directory_.Reset(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory_) return HostError(errno, "store " + directory);
  lock_.Reset(openat(directory_.get(), "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock_) return HostError(errno, "store " + directory + ": lock");
  if (flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return HostError(errno, "store " + directory + ": lock");
    return Error(Code::kBusy, "store " + directory + " is open in another process; stop that one first");
  }
  PADDOCK_TRY(LoadFormat());
  if (mkdirat(directory_.get(), "packs", 0700) != 0 && errno != EEXIST) return HostError(errno, "store " + directory + ": packs");
  packs_directory_.Reset(openat(directory_.get(), "packs", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!packs_directory_) return HostError(errno, "store " + directory + ": packs");
  PADDOCK_TRY(LoadDoomed());
  return LoadPacks();
}

Status Store::LoadFormat() {
  Descriptor file(openat(directory_.get(), "format", O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) {
    if (errno != ENOENT) return HostError(errno, "format of the store");
    if (faccessat(directory_.get(), "packs", F_OK, 0) == 0) {
      return Error(Code::kSyntax, "this directory has packs and no file 'format'; it is not a store of this program");
    }
    return WriteWhole(directory_.get(), "format", kFormat);
  }
  char text[64];
  const ssize_t got = read(file.get(), text, sizeof(text));
  if (got < 0) return HostError(errno, "format of the store");
  if (std::string_view(text, static_cast<size_t>(got)) == kFormat) return {};
  return Error(Code::kSyntax, "the store's format is not '" + std::string(kFormat.substr(0, kFormat.size() - 1)) +
                                  "'; use the program that wrote it");
}

Status Store::LoadPacks() {
  std::vector<uint64_t> numbers;
  Descriptor again(openat(packs_directory_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!again) return HostError(errno, "packs");
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(fdopendir(again.get()), closedir);
  if (listing == nullptr) return HostError(errno, "packs");
  static_cast<void>(again.Release());
  while (const dirent* entry = readdir(listing.get())) {
    const std::string name = entry->d_name;
    uint64_t number = 0;
    for (const char c : name.substr(0, 16)) number = number << 4 | static_cast<uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    if (name == PackFile::NameOf(number)) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  for (const uint64_t number : numbers) {
    last_pack_ = number;
    auto pack = PackFile::Open(packs_directory_.get(), number);
    // A crash right after the file was made leaves it without a header, and without objects. What decayed so far
    // that nothing can be read is let alone.
    if (!pack) continue;
    PADDOCK_TRY(LoadPack(*pack, number == numbers.back()));
    packs_[number] = *pack;
    if (number == numbers.back()) active_ = *pack;
  }
  if (active_ != nullptr) synced_size_ = active_->size();
  return {};
}

Status Store::LoadPack(const std::shared_ptr<PackFile>& pack, bool is_last) {
  auto end = pack->Scan(0, is_last, [&](PackFile::ScannedBlock block) {
    ObjectRecord record;
    record.pack = pack->number();
    record.block = block.offset;
    for (const PackedObject& object : block.objects) {
      record.id = object.id;
      record.kind = object.kind;
      record.length = object.length;
      record.is_damaged = !block.is_whole;
      const ObjectRecord* known = index_.Find(object.id);
      if (known == nullptr || known->is_damaged) index_.Set(record);
      record.start += object.length;
    }
  });
  if (!end) return end.error();
  if (is_last && end->is_torn) PADDOCK_TRY(pack->Cut(end->good));
  return {};
}

uint32_t Store::NowLocked() const {
  return static_cast<uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(options_.clock->MonotonicNow() - opened_).count());
}

Session Store::Begin() {
  const std::lock_guard lock(mutex_);
  const uint64_t number = next_session_++;
  sessions_[number] = NowLocked();
  return Session(shared_from_this(), number, generation_);
}

void Store::End(uint64_t session) {
  const std::lock_guard lock(mutex_);
  sessions_.erase(session);
}

Result<ObjectId> Store::Put(uint64_t generation, ObjectKind kind, std::string_view body) {
  if (body.size() > kMaxObjectBytes) return Error(Code::kLimit, "an object of the store is at most 64 MiB");
  const ObjectId id = IdOf(kind, body);
  const std::lock_guard lock(mutex_);
  if (generation != generation_) return loss_;
  ObjectRecord* known = index_.Find(id);
  if (known != nullptr && !known->is_damaged) {
    known->touched = NowLocked();
    known->is_met = true;
    return id;
  }
  if (pending_.bodies.size() + body.size() > PackFile::kMaxBlockBytes) PADDOCK_TRY(FlushLocked());
  ObjectRecord record;
  record.id = id;
  record.block = ObjectRecord::kPending;
  record.start = static_cast<uint32_t>(pending_.bodies.size());
  record.length = static_cast<uint32_t>(body.size());
  record.touched = NowLocked();
  record.is_met = true;
  record.kind = kind;
  index_.Set(record);
  pending_.objects.push_back({id, kind, record.length});
  pending_.bodies += body;
  if (pending_.bodies.size() >= options_.block_bytes || pending_.objects.size() >= PackFile::kMaxObjects / 16) {
    PADDOCK_TRY(FlushLocked());
  }
  return id;
}

Status Store::StartPackLocked() {
  if (active_ != nullptr) {
    if (auto synced = active_->Sync(); !synced) {
      loss_ = synced.error();
      DropUnsyncedLocked();
      return loss_;
    }
    synced_size_ = active_->size();
  }
  const uint64_t number = ++last_pack_;
  PADDOCK_ASSIGN(active_, PackFile::Create(packs_directory_.get(), number));
  packs_[number] = active_;
  synced_size_ = active_->size();
  is_directory_synced_ = false;
  return {};
}

Status Store::FlushLocked() {
  if (pending_.objects.empty()) return {};
  Status status;
  if (active_ == nullptr || active_->size() >= options_.pack_bytes) status = StartPackLocked();
  Result<uint32_t> offset = Code::kInternal;
  if (status) {
    const std::string_view compressed = compressor_->Compress(pending_.bodies);
    const bool pays = !compressed.empty();
    offset = active_->Append(pending_.objects, pending_.bodies, pays ? compressed : pending_.bodies, pays);
    if (!offset) status = offset.error();
  }
  if (!status) {
    loss_ = status.error();
    DropUnsyncedLocked();
    return status;
  }
  for (const PackedObject& object : pending_.objects) {
    ObjectRecord* record = index_.Find(object.id);
    record->pack = active_->number();
    record->block = *offset;
  }
  pending_.objects.clear();
  pending_.bodies.clear();
  return {};
}

// After a failed write or sync: what the disk may not have is forgotten, for other objects would soon
// refer to it.
void Store::DropUnsyncedLocked() {
  ++generation_;
  pending_.objects.clear();
  pending_.bodies.clear();
  const uint64_t pack = active_ == nullptr ? 0 : active_->number();
  index_.EraseIf([&](const ObjectRecord& record) {
    return record.block == ObjectRecord::kPending || (record.pack == pack && record.block >= synced_size_);
  });
  if (active_ != nullptr) static_cast<void>(active_->Cut(synced_size_));
}

bool Store::Touch(const ObjectId& id) {
  const std::lock_guard lock(mutex_);
  ObjectRecord* record = index_.Find(id);
  if (record == nullptr || record->is_damaged) return false;
  record->touched = NowLocked();
  record->is_met = true;
  return true;
}

Status Store::Finish(uint64_t generation) {
  std::shared_ptr<PackFile> pack;
  uint64_t size = 0;
  bool syncs_directory = false;
  {
    const std::lock_guard lock(mutex_);
    if (generation != generation_) return loss_;
    PADDOCK_TRY(FlushLocked());
    pack = active_;
    if (pack == nullptr) return {};
    size = pack->size();
    syncs_directory = !is_directory_synced_;
    if (size <= synced_size_ && !syncs_directory) return {};
  }
  Status status = pack->Sync();
  if (status && syncs_directory && fsync(packs_directory_.get()) != 0) status = HostError(errno, "packs");
  const std::lock_guard lock(mutex_);
  if (generation != generation_) return loss_;
  if (!status) {
    loss_ = status.error();
    DropUnsyncedLocked();
    return status;
  }
  if (pack == active_) {
    synced_size_ = std::max(synced_size_, size);
    if (syncs_directory) is_directory_synced_ = true;
  }
  return {};
}

Result<Block> Store::Get(ObjectKind kind, const ObjectId& id) {
  ObjectRecord record;
  std::shared_ptr<PackFile> pack;
  Block block;
  {
    const std::lock_guard lock(mutex_);
    const ObjectRecord* found = index_.Find(id);
    if (found == nullptr) return Error(Code::kNoEntry, "object " + id.ToString() + " is not in the store");
    record = *found;
    if (record.kind != kind) return Error(Code::kSyntax, "object " + id.ToString() + " is of another kind");
    if (record.is_damaged) return DamagedObject(id, "its block in " + PackFile::NameOf(record.pack) + " does not match its checksum");
    if (record.block == ObjectRecord::kPending) {
      auto copy = std::make_shared<std::string>(pending_.bodies, record.start, record.length);
      block.bytes = *copy;
      block.keep = std::move(copy);
      return block;
    }
    pack = packs_.find(record.pack)->second;
  }
  BlockCache::Bytes bytes = cache_.Find(record.pack, record.block);
  const bool is_cached = bytes != nullptr;
  Error damage;
  if (bytes == nullptr) {
    auto read = pack->ReadBlock(record.block);
    if (read) {
      bytes = std::move(*read);
    } else {
      damage = read.error();
    }
  }
  if (bytes != nullptr && uint64_t{record.start} + record.length <= bytes->size()) {
    block.bytes = std::string_view(*bytes).substr(record.start, record.length);
    if (IdOf(kind, block.bytes) == id) {
      if (!is_cached) cache_.Add(record.pack, record.block, bytes);
      block.keep = std::move(bytes);
      return block;
    }
  }
  const std::lock_guard lock(mutex_);
  ObjectRecord* found = index_.Find(id);
  // The next Put() of this content mends it.
  if (found != nullptr && found->pack == record.pack && found->block == record.block) found->is_damaged = true;
  return DamagedObject(id, damage.message.empty() ? "its content in " + PackFile::NameOf(record.pack) + " does not match its id"
                                                  : damage.message);
}

bool Store::Has(const ObjectId& id) {
  const std::lock_guard lock(mutex_);
  const ObjectRecord* record = index_.Find(id);
  return record != nullptr && !record->is_damaged;
}

std::optional<uint32_t> Store::LengthOf(const ObjectId& id) {
  const std::lock_guard lock(mutex_);
  const ObjectRecord* record = index_.Find(id);
  if (record == nullptr || record->is_damaged) return std::nullopt;
  return record->length;
}

std::vector<StoredObject> Store::Objects() {
  const std::lock_guard lock(mutex_);
  std::vector<StoredObject> objects;
  objects.reserve(index_.size());
  index_.ForEach([&](const ObjectRecord& record) { objects.push_back({record.id, record.kind, record.length}); });
  return objects;
}

StoreUsage Store::usage() {
  const std::lock_guard lock(mutex_);
  StoreUsage usage;
  usage.objects = index_.size();
  usage.packs = packs_.size();
  index_.ForEach([&](const ObjectRecord& record) {
    usage.body_bytes += record.length;
    usage.damaged_objects += record.is_damaged ? 1 : 0;
  });
  for (const auto& [number, pack] : packs_) usage.disk_bytes += pack->size();
  return usage;
}

}  // namespace paddock::trees
