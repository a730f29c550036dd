// Collection of what no root leads to. The order of steps is what makes a crash at any moment harmless:
//
//   mark what the roots, the young objects and the packs that stay lead to
//   forget the others, in one step, unless somebody met them again meanwhile
//   copy what lives out of the packs that go into new ones, and sync these
//   note which packs go (file "doomed"), remove them, remove the note
//
// An object in the store always has everything that it refers to: captures rely on that when they meet one again.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <tuple>

#include "store/trees/compressor.h"
#include "store/trees/references.h"
#include "store/trees/store.h"
#include "store/trees/wire.h"

namespace paddock::trees {
namespace {

constexpr const char* kDoomed = "doomed";

}  // namespace

// What has been touched at or after this moment stays. Taken once, at the beginning: it holds what sessions stored that
// end meanwhile; what is stored from then on is known by ObjectRecord::is_met.
uint32_t Store::CutoffLocked(Nanoseconds grace) const {
  const uint32_t now = NowLocked();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(grace).count();
  uint32_t cutoff = seconds > now ? 0 : static_cast<uint32_t>(now - seconds + 1);
  for (const auto& [session, began] : sessions_) cutoff = std::min(cutoff, began);
  return cutoff;
}

Status Store::Mark(std::vector<StoredObject> pending, bool stops_at_errors) {
  while (!pending.empty()) {
    const StoredObject object = pending.back();
    pending.pop_back();
    {
      const std::lock_guard lock(mutex_);
      ObjectRecord* record = index_.Find(object.id);
      if (record != nullptr && record->mark == mark_) continue;
      if (record != nullptr) record->mark = mark_;
      if (record != nullptr && object.kind == ObjectKind::kChunk) continue;
    }
    const auto body = Get(object.kind, object.id);
    if (!body) {
      if (stops_at_errors) return body.error();
      continue;
    }
    const Status status = ForEachReference(object.kind, body->bytes, [&](ObjectKind kind, const ObjectId& id) {
      pending.push_back({id, kind, 0});
      return Status();
    });
    if (!status && stops_at_errors) return Error(Code::kSyntax, "object " + object.id.ToString() + ": " + status.error().message);
  }
  return {};
}

std::vector<StoredObject> Store::UnmarkedLocked(const std::function<bool(const ObjectRecord&)>& is_kept) {
  std::vector<StoredObject> objects;
  index_.ForEach([&](const ObjectRecord& record) {
    if (record.mark != mark_ && is_kept(record)) objects.push_back({record.id, record.kind, record.length});
  });
  return objects;
}

void Store::ChooseGarbageLocked(const CollectOptions& options, std::set<uint64_t>& packs) {
  struct Shares {
    uint64_t dead = 0;
    uint64_t all = 0;
  };
  std::map<uint64_t, Shares> shares;
  for (const auto& [number, pack] : packs_) shares[number];
  index_.ForEach([&](const ObjectRecord& record) {
    Shares& share = shares[record.pack];
    const uint64_t bytes = record.length + ObjectId::kSize;
    share.all += bytes;
    if (record.mark != mark_) share.dead += bytes;
  });
  for (const auto& [number, share] : shares) {
    const bool has_enough = share.dead > 0 && static_cast<double>(share.dead) >= options.least_garbage * static_cast<double>(share.all);
    const bool is_empty = share.all == 0 && (active_ == nullptr || number != active_->number());
    if ((has_enough || is_empty) && packs_.count(number) != 0 && unreadable_.count(number) == 0) packs.insert(number);
  }
}

Result<Collected> Store::Collect(const Roots& roots, const CollectOptions& options) {
  const std::unique_lock only(collecting_, std::try_to_lock);
  if (!only) return Error(Code::kBusy, "a collection is running already");
  PADDOCK_TRY(LoadDoomed());  // of a collection that could not end
  uint32_t cutoff = 0;
  {
    const std::lock_guard lock(mutex_);
    cutoff = CutoffLocked(options.grace);
    mark_ = mark_ == 255 ? uint8_t{1} : static_cast<uint8_t>(mark_ + 1);
    // Marks of a former round with this number would be taken for ours.
    index_.ForEach([](ObjectRecord& record) {
      record.mark = 0;
      record.is_met = false;
    });
  }
  std::vector<StoredObject> pending;
  PADDOCK_ASSIGN(const std::vector<ObjectId> named, roots());
  for (const ObjectId& root : named) pending.push_back({root, ObjectKind::kTree, 0});
  PADDOCK_TRY(Mark(std::move(pending), true));
  {
    const std::lock_guard lock(mutex_);
    pending = UnmarkedLocked([cutoff](const ObjectRecord& record) { return record.touched >= cutoff || record.is_met; });
  }
  PADDOCK_TRY(Mark(std::move(pending), false));
  std::set<uint64_t> garbage;
  {
    const std::lock_guard lock(mutex_);
    ChooseGarbageLocked(options, garbage);
    pending = UnmarkedLocked([&](const ObjectRecord& record) { return garbage.count(record.pack) == 0; });
  }
  PADDOCK_TRY(Mark(std::move(pending), false));
  return Sweep(cutoff, garbage);
}

Result<Collected> Store::Sweep(uint32_t cutoff, const std::set<uint64_t>& garbage) {
  Collected collected;
  uint64_t before = 0;
  while (true) {
    std::vector<StoredObject> young;
    {
      const std::lock_guard lock(mutex_);
      young = UnmarkedLocked([&](const ObjectRecord& record) {
        return record.touched >= cutoff || record.is_met || garbage.count(record.pack) == 0;
      });
      if (young.empty()) {
        if (active_ != nullptr && garbage.count(active_->number()) != 0) {
          PADDOCK_TRY(FlushLocked());
          if (auto synced = active_->Sync(); !synced) return synced.error();
          active_ = nullptr;  // the next block begins a new pack
        }
        index_.EraseIf([&](const ObjectRecord& record) {
          if (record.mark == mark_ || garbage.count(record.pack) == 0) return false;
          ++collected.objects;
          collected.body_bytes += record.length;
          return true;
        });
        for (const auto& [number, pack] : packs_) before += pack->size();
        break;
      }
    }
    PADDOCK_TRY(Mark(std::move(young), false));
  }
  if (garbage.empty()) return collected;
  PADDOCK_ASSIGN(const auto copies, CopyLiving(garbage));
  PADDOCK_TRY(RemovePacks(garbage));
  const std::lock_guard lock(mutex_);
  uint64_t after = 0;
  for (const auto& [number, pack] : packs_) after += pack->size();
  collected.disk_bytes = before > after ? before - after : 0;
  return collected;
}

Result<std::vector<std::shared_ptr<PackFile>>> Store::CopyLiving(const std::set<uint64_t>& garbage) {
  std::vector<ObjectRecord> living;
  {
    const std::lock_guard lock(mutex_);
    index_.ForEach([&](const ObjectRecord& record) {
      if (garbage.count(record.pack) != 0) living.push_back(record);
    });
  }
  std::sort(living.begin(), living.end(), [](const ObjectRecord& a, const ObjectRecord& b) {
    return std::tie(a.pack, a.block, a.start) < std::tie(b.pack, b.block, b.start);
  });
  std::vector<std::shared_ptr<PackFile>> copies;
  const auto abandon = [&](Error error) {
    for (const auto& copy : copies) unlinkat(packs_directory_.get(), PackFile::NameOf(copy->number()).c_str(), 0);
    return error;
  };
  Compressor compressor(options_.compression_level);
  Pending block;
  std::vector<ObjectRecord> moved;  // where each will be
  size_t settled = 0;               // of `moved`: those whose block is written
  const auto flush = [&]() -> Status {
    if (block.objects.empty()) return {};
    if (copies.empty() || copies.back()->size() >= options_.pack_bytes) {
      uint64_t number = 0;
      {
        const std::lock_guard lock(mutex_);
        number = ++last_pack_;
      }
      PADDOCK_ASSIGN(auto pack, PackFile::Create(packs_directory_.get(), number));
      copies.push_back(std::move(pack));
    }
    const std::string_view compressed = compressor.Compress(block.bodies);
    const bool pays = !compressed.empty();
    PADDOCK_ASSIGN(const uint32_t offset, copies.back()->Append(block.objects, block.bodies, pays ? compressed : block.bodies, pays));
    for (; settled < moved.size(); ++settled) {
      moved[settled].pack = copies.back()->number();
      moved[settled].block = offset;
    }
    block = {};
    return {};
  };
  for (const ObjectRecord& record : living) {
    const auto body = Get(record.kind, record.id);
    if (!body) {
      // Nothing is removed, and this pack is let alone from now on.
      const std::lock_guard lock(mutex_);
      unreadable_.insert(record.pack);
      return abandon(body.error());
    }
    moved.push_back(record);
    moved.back().start = static_cast<uint32_t>(block.bodies.size());
    block.objects.push_back({record.id, record.kind, record.length});
    block.bodies += body->bytes;
    if (block.bodies.size() >= options_.block_bytes) {
      if (auto flushed = flush(); !flushed) return abandon(flushed.error());
    }
  }
  Status status = flush();
  for (size_t i = 0; status && i < copies.size(); ++i) status = copies[i]->Sync();
  if (status && fsync(packs_directory_.get()) != 0) status = HostError(errno, "packs");
  if (!status) return abandon(status.error());

  const std::lock_guard lock(mutex_);
  for (const auto& copy : copies) packs_[copy->number()] = copy;
  for (const ObjectRecord& record : moved) {
    ObjectRecord* now = index_.Find(record.id);
    if (now == nullptr || garbage.count(now->pack) == 0) continue;
    now->pack = record.pack;
    now->block = record.block;
    now->start = record.start;
  }
  return copies;
}

Status Store::RemovePacks(const std::set<uint64_t>& garbage) {
  WireWriter list;
  for (const uint64_t number : garbage) list.Raw(PackFile::NameOf(number) + "\n");
  PADDOCK_TRY(WriteWhole(directory_.get(), kDoomed, list.text()));
  {
    const std::lock_guard lock(mutex_);
    for (const uint64_t number : garbage) packs_.erase(number);
  }
  return LoadDoomed();
}

// Removes the packs that a collection noted to be removed, also one that did not live to do it.
Status Store::LoadDoomed() {
  Descriptor file(openat(directory_.get(), kDoomed, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return errno == ENOENT ? Status() : HostError(errno, kDoomed);
  std::string text;
  char bytes[4096];
  while (true) {
    const ssize_t got = read(file.get(), bytes, sizeof(bytes));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return HostError(errno, kDoomed);
    if (got == 0) break;
    text.append(bytes, static_cast<size_t>(got));
  }
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    const std::string name = text.substr(start, end - start);
    start = end + 1;
    if (name.size() != PackFile::NameOf(0).size() || name.find('/') != std::string::npos) {
      return Error(Code::kSyntax, "the store's file 'doomed' does not name packs; a collection did not write it");
    }
    if (unlinkat(packs_directory_.get(), name.c_str(), 0) != 0 && errno != ENOENT) return HostError(errno, name);
  }
  if (fsync(packs_directory_.get()) != 0) return HostError(errno, "packs");
  if (unlinkat(directory_.get(), kDoomed, 0) != 0 || fsync(directory_.get()) != 0) return HostError(errno, kDoomed);
  return {};
}

}  // namespace paddock::trees
