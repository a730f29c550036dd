// Packs as files: written beside their indexes, and opened.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "git/delta_pack.h"
#include "git/object_store.h"

namespace paddock::git {

// Writes what `write` makes to START-NAME.pack, with its index beside it. `temporary`: where the pack is until its name is known.
using WritePackTo = std::function<Result<PackIndex>(const PackSink&)>;
Result<PackIndex> WritePackFiles(vfs::FileSystem& fs, const std::string& temporary, const std::string& start, const WritePackTo& write, bool first_version, Budget& budget);
// The same among the packs of a repository.
Result<PackIndex> WriteOwnPackFiles(vfs::FileSystem& fs, ObjectStore& objects, const WritePackTo& write, Budget& budget);

// A pack, and the objects in it, sorted. `stem`: its path without an ending. Errors: kNoEntry, kCorrupt.
Result<Pack> OpenPack(vfs::FileSystem& fs, const std::string& stem);
Result<std::vector<Oid>> PackedIds(vfs::FileSystem& fs, const std::string& stem, Budget& budget);

}  // namespace paddock::git
