// Packs: many objects in one file, some of them as differences from others, with an index beside it.
//
// What a pack says is not believed: sizes are checked against what the data makes, chains of differences have a limit, and a cycle
// of them ends there. Source: gitformat-pack(5).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "git/object.h"

namespace paddock::git {

// The differences that one object is from another.
Result<std::string> ApplyDelta(std::string_view base, std::string_view delta, Budget& budget);

class Pack {
 public:
  // Where the base of a difference is when it is not in this pack.
  using FindBase = std::function<Result<Object>(const Oid&)>;

  // Reads the index (versions 1 and 2). The bytes are kept. Errors: kCorrupt.
  static Result<Pack> Open(std::string index, std::string pack, Budget& budget);

  std::optional<uint64_t> Find(const Oid& id) const;
  Result<Object> Read(uint64_t offset, const FindBase& find_base, Budget& budget) const;
  size_t count() const { return ids_.size(); }
  // Sorted.
  const std::vector<Oid>& ids() const { return ids_; }

 private:
  std::string pack_;
  std::vector<Oid> ids_;
  std::vector<uint64_t> offsets_;
};

struct PackedObject {
  Oid id;
  Object object;
};
// All objects of a pack without an index. Errors: kCorrupt.
Result<std::vector<PackedObject>> ReadPackStream(std::string_view pack, const Pack::FindBase& find_base, Budget& budget);

struct WrittenPack {
  std::string pack, index;
  std::string name;   // its checksum in hexadecimal
};
// A pack of whole objects; `read` is asked for each.
Result<WrittenPack> WritePack(const std::vector<Oid>& ids, const std::function<Result<Object>(const Oid&)>& read, Budget& budget);

}  // namespace paddock::git
