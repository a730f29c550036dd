// Packs in which objects are differences from others of their kind.
//
// Source: gitformat-pack(5); the order in which bases are looked for is git's: by type, name and size.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "git/pack.h"

namespace paddock::git {

using ReadObject = std::function<Result<Object>(const Oid&)>;
using PackSink = std::function<Status(std::string_view)>;

// The head of an entry: its kind and size; where the base of a difference is comes behind it.
void AppendEntryHead(std::string& bytes, unsigned kind, uint64_t size);
// The differences of `target` from `base`; empty when they take `most` bytes or more.
std::string MakeDelta(std::string_view base, std::string_view target, size_t most, Budget& budget);

struct PackPlan {
  size_t window = 10;            // bases that are tried; 0: whole objects alone
  size_t depth = 50;             // of a chain of differences
  uint64_t window_bytes = 64 << 20;
  bool by_offset = true;         // bases are told by offset, else by name
  int level = -1;                // of compression; -1: the usual one
  const std::map<Oid, std::string>* names = nullptr;   // paths of trees and blobs: alike ones are tried first
};
struct PackStatistics {
  size_t differences = 0;
};
// As WritePack(), with differences. `read` is called more than once for an object.
Result<PackIndex> WriteDeltaPack(const std::vector<Oid>& ids, const ReadObject& read, const PackSink& sink, const PackPlan& plan, Budget& budget, PackStatistics* statistics = nullptr);
// An index of version 1 of one of version 2. Nothing when an offset does not fit in it.
std::optional<std::string> FirstVersionIndex(std::string_view index, Budget& budget);
// The file .rev beside an index: its objects in order of their offsets.
std::string ReverseIndex(std::string_view index, Budget& budget);

}  // namespace paddock::git
