#include "git/stored_objects.h"

#include <algorithm>
#include <unordered_set>

#include "git/pack_entry.h"
#include "git/pack_files.h"

namespace paddock::git {
namespace {

constexpr uint64_t kChecksum = 20;

Error Bad(const std::string& stem) { return {Code::kCorrupt, stem + ".pack is corrupt"}; }

}  // namespace

Status StoredObjects::Open() {
  if (is_open_) return {};
  for (const std::string& stem : objects_.PackStems()) {
    auto pack = OpenPack(fs_, stem);
    const auto facts = fs_.Stat(stem + ".pack");
    if (!pack || !facts || facts->size < kChecksum) continue;   // a damaged pack is as good as none
    budget_.WillAllocate(pack->count() * sizeof(Place));
    std::vector<Place> places;
    for (size_t number = 0; number < pack->count(); ++number) {
      budget_.Step();
      if (const auto offset = pack->Find(pack->IdAt(number))) places.push_back({*offset, number});
    }
    std::sort(places.begin(), places.end());
    packs_.push_back({stem, std::move(*pack), facts->size - kChecksum, std::move(places)});
  }
  is_open_ = true;
  return {};
}

Result<StoredObject> StoredObjects::InPack(PackPlaces& pack, uint64_t offset) {
  const auto next = std::upper_bound(pack.places.begin(), pack.places.end(), offset, [](uint64_t at, const Place& place) { return at < place.offset; });
  const uint64_t end = next == pack.places.end() ? pack.end : next->offset;
  if (end <= offset) return Bad(pack.stem);
  PADDOCK_ASSIGN(const vfs::OpenFilePtr file, fs_.Open(pack.stem + ".pack", vfs::OpenFlags::Read()));
  PADDOCK_TRY(file->Seek(static_cast<int64_t>(offset), vfs::Whence::kStart));
  PADDOCK_ASSIGN(const Block block, file->ReadBlock(std::min<uint64_t>(kMostEntryHead, end - offset)));
  PADDOCK_ASSIGN(const EntryHead head, ReadEntryHead(block.bytes, offset));
  StoredObject stored{.bytes = end - offset, .base = {}};
  if (!head.is_difference()) return stored;
  stored.base = head.base_id;
  if (head.kind != 6) return stored;
  const auto base = std::lower_bound(pack.places.begin(), pack.places.end(), Place{head.base_offset, 0});
  if (base == pack.places.end() || base->offset != head.base_offset) return Bad(pack.stem);
  stored.base = pack.pack.IdAt(base->number);
  return stored;
}

Result<StoredObject> StoredObjects::Find(const Oid& id) {
  PADDOCK_TRY(Open());
  for (PackPlaces& pack : packs_) {
    if (const auto offset = pack.pack.Find(id)) return InPack(pack, *offset);
  }
  if (const auto facts = fs_.Stat(objects_.LoosePath(id))) return StoredObject{.bytes = facts->size, .base = {}};
  return Error(Code::kNoEntry, "unable to read " + id.Hex());
}

Result<std::vector<Oid>> StoredObjects::InOrder() {
  PADDOCK_TRY(Open());
  std::vector<Oid> all = objects_.All(false);
  std::unordered_set<Oid, OidHash> seen(all.begin(), all.end());
  for (const PackPlaces& pack : packs_) {
    for (const Place& place : pack.places) {
      budget_.Step();
      budget_.WillAllocate(3 * sizeof(Oid));
      const Oid id = pack.pack.IdAt(place.number);
      if (seen.insert(id).second) all.push_back(id);
    }
  }
  return all;
}

}  // namespace paddock::git
