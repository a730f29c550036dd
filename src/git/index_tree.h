// The tree that an index says all its entries make, which saves whoever compares it with a commit to read that commit's trees.
#pragma once

#include <optional>
#include <string_view>

#include "git/object.h"

namespace paddock::git {

// From the bytes of an index that Index::Parse() takes; nothing where whoever wrote it did not know, or not for all entries.
std::optional<Oid> TreeOfIndex(std::string_view bytes);

}  // namespace paddock::git
