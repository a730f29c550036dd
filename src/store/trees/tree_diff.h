// What differs between two trees. Costs what differs: directories and parts of directories that are the same object
// are not looked at.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "store/trees/nodes.h"
#include "store/trees/store.h"

namespace paddock::trees {

struct TreeChange {
  // What differs in an entry that both trees have.
  enum Part : uint32_t {
    kType = 1,
    kContent = 2,  // bytes or holes of a file, target of a symlink, number of a device
    kMode = 4,
    kOwner = 8,
    kTime = 16
  };
  std::string path;             // below the root, without a leading slash; empty for the root itself
  std::optional<Entry> before;  // nothing: added
  std::optional<Entry> after;   // nothing: removed
  uint32_t parts = 0;
};

struct DiffOptions {
  bool reports_times = true;   // false: an entry in which nothing but kTime differs is none
  bool lists_below = true;     // what is below added and removed directories, too
};

// Calls visit(change) for each difference, parents before what is below them, names in order; stops at the first error.
// That a file has become or ceased to be a hard link is no difference. Errors: those of Store::Get(), kSyntax, those of
// `visit`.
Status DiffTrees(Store& store, const ObjectId& before, const ObjectId& after, const DiffOptions& options,
                 const std::function<Status(const TreeChange&)>& visit);

}  // namespace paddock::trees
