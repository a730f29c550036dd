// The launcher's descriptors own themselves as everybody's do.
#pragma once

#include "base/descriptor.h"

namespace paddock::process_wall {

using paddock::Descriptor;

}  // namespace paddock::process_wall
