// Copying one file's content and attributes by descriptor.
#pragma once

#include "base/result.h"

namespace paddock::overlay {

// Copies all of `source` to the empty `target`, holes as holes. Errors: what reading and writing say.
Status CopyContent(int source, int target);

// Copies access lists and user attributes as far as the file systems and the caller's rights allow; never capabilities or
// what overlay mounts keep for themselves. `source` may be O_PATH.
void CopyAttributes(int source, int target);

}  // namespace paddock::overlay
