// The machine that the programs of a root file system are for.
#pragma once

#include <string>

#include "store/trees/store.h"

namespace paddock::trees {

// As uname says it ("x86_64", "aarch64"), by the shell or another program that every root has; empty when there is none of them, or it is for
// a machine without a name here. Errors: those of FindByPath().
Result<std::string> MachineOf(Store& store, const ObjectId& tree);

}  // namespace paddock::trees
