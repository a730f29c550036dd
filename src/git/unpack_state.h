// What unpacking keeps from one object to the next: the decoder of the streams, and the bases of differences, which walks through
// history come back to. One for all packs of a store. Not an interface of the folder.
#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>

#include "git/object.h"
#include "git/zlib_data.h"

namespace paddock::git {

// Whole objects, those that were used last, up to a number of bytes.
class DeltaBases {
 public:
  explicit DeltaBases(uint64_t most_bytes) : most_bytes_(most_bytes) {}
  DeltaBases(const DeltaBases&) = delete;
  DeltaBases& operator=(const DeltaBases&) = delete;

  // Null: it is not there (any more). `pack`: the number that AddPack() gave.
  ObjectPtr Find(uint64_t pack, uint64_t offset);
  void Put(uint64_t pack, uint64_t offset, ObjectPtr object);
  uint64_t AddPack() { return packs_++; }

 private:
  struct Key {
    uint64_t pack, offset;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const { return (key.offset ^ key.pack << 48) * 0x9e3779b97f4a7c15u; }
  };
  struct Base {
    Key key;
    ObjectPtr object;
  };

  uint64_t most_bytes_, bytes_ = 0, packs_ = 0;
  std::list<Base> bases_;   // the one that was used last comes first
  std::unordered_map<Key, std::list<Base>::iterator, KeyHash> places_;
};

struct UnpackState {
  explicit UnpackState(Budget& budget);

  ZlibReader streams;
  DeltaBases bases;
};

}  // namespace paddock::git
