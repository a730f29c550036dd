// Packs: many objects in one file, some of them as differences from others, with an index beside it.
//
// What a pack says is not believed: sizes are checked against what the data makes, chains of differences have a limit, and a cycle
// of them ends there. Source: gitformat-pack(5).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "git/object.h"
#include "git/pack_bytes.h"
#include "git/pack_entry.h"

namespace paddock::git {

struct UnpackState;

// The differences that one object is from another.
Result<std::string> ApplyDelta(std::string_view base, std::string_view delta, Budget& budget);

struct PackIndex {
  std::string bytes;   // version 2
  std::string name;    // of the pack: its checksum in hexadecimal
  size_t count = 0;    // of objects
};

class Pack {
 public:
  // Where the base of a difference is when it is not in this pack.
  using FindBase = std::function<Result<Object>(const Oid&)>;

  // Takes the whole index (versions 1 and 2), and the pack, of which only what is asked for is read. Errors: kCorrupt, those of
  // reading.
  static Result<Pack> Open(std::string index, PackBytes pack);

  // Makes the index of a pack by reading all of it. Errors: kCorrupt, also when a base is in no object of the pack.
  static Result<PackIndex> MakeIndex(PackBytes pack, Budget& budget);

  std::optional<uint64_t> Find(const Oid& id) const;
  Result<Object> Read(uint64_t offset, const FindBase& find_base, Budget& budget);
  // The same without a copy of what is remembered.
  Result<ObjectPtr> Share(uint64_t offset, const FindBase& find_base, Budget& budget);
  // What is remembered is remembered together with that of other packs; called before anything is read.
  void Join(std::shared_ptr<UnpackState> state);
  size_t count() const { return count_; }
  // The objects by number, sorted by id.
  Oid IdAt(size_t number) const;
  // The number of the first id that is not below this one.
  size_t LowerBound(const Oid& id) const;

 private:
  Pack(std::string index, PackBytes pack) : index_(std::move(index)), bytes_(std::move(pack)) {}
  std::optional<uint64_t> OffsetAt(size_t number) const;
  Result<EntryHead> ReadHead(uint64_t offset);
  // `end`: gets where the next object begins.
  Result<std::string> ReadData(uint64_t offset, const EntryHead& head, Budget& budget, uint64_t* end = nullptr);
  UnpackState& State(Budget& budget);

  std::string index_;
  PackBytes bytes_;
  uint64_t end_ = 0;   // of the objects
  bool is_second_version_ = false;
  size_t table_ = 0, count_ = 0;   // where the index counts by first byte; how many there are
  std::shared_ptr<UnpackState> state_;   // once something was read
  uint64_t number_ = 0;                  // of the pack, there
};

// Writes a pack of whole objects to `sink`, in pieces; `read` is asked for each.
Result<PackIndex> WritePack(const std::vector<Oid>& ids, const std::function<Result<Object>(const Oid&)>& read, const std::function<Status(std::string_view)>& sink, Budget& budget);

}  // namespace paddock::git
