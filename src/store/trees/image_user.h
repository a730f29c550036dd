// Whom an image's "User" means, by the /etc/passwd and /etc/group of its own files.
//
// Source: OCI image format specification, config.User; what runtimes make of it: a name or a number, ":" and a group; a number that no line
// names is taken as it is, with group 0.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "store/trees/store.h"

namespace paddock::trees {

struct ImageUser {
  std::string name;   // as /etc/passwd has it; empty: no line is of that number
  uint32_t uid = 0;
  uint32_t gid = 0;
};

// The two files may be hostile, at most 1 MiB of each is looked at. `user` empty means root. Errors: kNoEntry (names the user or group that is not
// there, and the file), kInvalid (a number that is none of a user's); those of the store.
Result<ImageUser> FindImageUser(Store& store, const ObjectId& tree, std::string_view user);

}  // namespace paddock::trees
