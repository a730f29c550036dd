// Descriptions of sandboxes as the bodies of their records.
#pragma once

#include <string>
#include <string_view>

#include "registry/entry/description.h"

namespace paddock::registry {

// Everything but what the record itself says: id, owner, parent, name, labels, state.
std::string DescriptionText(const SandboxInfo& info);

// Into an info whose other members come from the record. Errors: kIo for what DescriptionText() does not write.
Status ReadDescription(std::string_view text, SandboxInfo& info);

}  // namespace paddock::registry
