// A tree as one file, to carry it to another store. docs/store-format.md describes it.
#pragma once

#include <cstdint>

#include "base/stream.h"
#include "store/trees/capture.h"
#include "store/trees/store.h"

namespace paddock::trees {

// Writes the tree and all it leads to, each object once, compressed. Errors: those of the store and of `out`.
Status ExportTree(Store& store, const ObjectId& tree, ByteSink& out);

struct ImportLimits {
  uint64_t max_bytes = 64ull << 30;     // of bodies, before compression
  uint64_t max_objects = 50'000'000;
  uint64_t max_entries = 10'000'000;    // of the tree
};

// Reads such a file and stores the tree. It is believed in nothing: every id is computed, everything that an object
// refers to must have come before it in the same file (what the store has from others does not count, so that nobody
// gets at an object by its id alone), and the whole tree is checked before its id is told. Errors: kSyntax, kLimit,
// those of `in` and of the store. What came before an error is garbage that a collection takes away.
Result<Captured> ImportTree(Session& session, ByteSource& in, const ImportLimits& limits = {});

}  // namespace paddock::trees
