// A directory of a tree as a tree of its own.
#pragma once

#include <optional>
#include <string_view>

#include "store/trees/store.h"

namespace paddock::trees {

// Held by the session, and durable after Finish(). `path` is relative, without symlinks on the way; hard links to what lies elsewhere become
// files. Nothing: there is no directory of that path, or it is empty. Errors: those of the store.
Result<std::optional<ObjectId>> Subtree(Session& session, const ObjectId& tree, std::string_view path);

}  // namespace paddock::trees
