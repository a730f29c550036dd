// How the objects of a repository are stored: as loose files, or in which pack, and how much room each takes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "git/object_store.h"

namespace paddock::git {

struct StoredObject {
  uint64_t bytes = 0;   // that it takes
  Oid base;             // of which it is kept as a difference; else null
};

class StoredObjects {
 public:
  // All outlive it.
  StoredObjects(vfs::FileSystem& fs, ObjectStore& objects, Budget& budget) : fs_(fs), objects_(objects), budget_(budget) {}
  // Errors: kNoEntry, also for what only an alternate has in a pack; kCorrupt.
  Result<StoredObject> Find(const Oid& id);
  // Each once: loose ones first, then pack by pack as they lie there.
  Result<std::vector<Oid>> InOrder();

 private:
  struct Place {
    uint64_t offset = 0;
    size_t number = 0;
    auto operator<=>(const Place&) const = default;
  };
  struct PackPlaces {
    std::string stem;
    Pack pack;
    uint64_t end = 0;              // of the objects
    std::vector<Place> places;     // in order
  };
  Status Open();
  Result<StoredObject> InPack(PackPlaces& pack, uint64_t offset);

  vfs::FileSystem& fs_;
  ObjectStore& objects_;
  Budget& budget_;
  bool is_open_ = false;
  std::vector<PackPlaces> packs_;
};

}  // namespace paddock::git
