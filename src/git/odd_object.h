// Loose objects of types that git does not know, as hash-object --literally makes them and cat-file --allow-unknown-type shows them.
#pragma once

#include <string>
#include <string_view>

#include "git/object.h"
#include "git/object_store.h"

namespace paddock::git {

struct ObjectHead {
  std::string type;
  uint64_t size = 0;
};

// The id of an object of any type.
Oid HashOddObject(std::string_view type, std::string_view data);
// Writes it as a loose file.
Status WriteOddObject(vfs::FileSystem& fs, ObjectStore& objects, std::string_view type, std::string_view data, Budget& budget);
// What a loose object says of itself; its content is not looked at. Errors: kNoEntry, kCorrupt.
Result<ObjectHead> ReadObjectHead(vfs::FileSystem& fs, const ObjectStore& objects, const Oid& id, Budget& budget);

}  // namespace paddock::git
