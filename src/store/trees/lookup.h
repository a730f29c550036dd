// Looking into a tree by path, as a process would that has the tree as its /: symlinks lead within the tree, ".." ends at its root.
#pragma once

#include <optional>
#include <string_view>

#include "store/trees/nodes.h"
#include "store/trees/store.h"

namespace paddock::trees {

// The entry that `path` leads to, the last symlink followed too; the root's has no name. Nothing: there is none (a name is absent, no directory
// on the way, more than 40 symlinks). Costs a bounded number of steps whatever the tree holds. Errors: those of Store::Get(), kSyntax.
Result<std::optional<Entry>> FindByPath(Store& store, const ObjectId& tree, std::string_view path);

}  // namespace paddock::trees
