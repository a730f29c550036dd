// Checks: whether a tree is whole, and whether everything in a store is what it says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/trees/capture.h"
#include "store/trees/store.h"

namespace paddock::trees {

struct CheckLimits {
  uint64_t max_entries = 10'000'000;  // that a restore would make; shared directories count each time
  bool reads_contents = false;        // also the bytes of the files, not only whether they are there
};

// Goes over a tree: every object is there and decodes, names are in order, contents have the lengths that their files
// say, the hard links are names of files. Each object once, however often it is used. Errors: those of Store::Get(),
// kSyntax naming the object, kLimit.
Result<TreeTotals> CheckTree(Store& store, const ObjectId& tree, const CheckLimits& limits = {});

struct Problem {
  ObjectId object;
  std::string text;  // names the object
};

struct CheckReport {
  uint64_t objects = 0;
  uint64_t problem_count = 0;
  std::vector<Problem> problems;  // the first hundred
};

// Reads every object of the store, and checks every tree of `roots`.
CheckReport CheckStore(Store& store, const std::vector<ObjectId>& roots);

}  // namespace paddock::trees
