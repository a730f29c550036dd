// Extended attributes as a file of a tree: PATH NUL NAME NUL LENGTH NUL VALUE, one behind the other. Not an interface of the folder.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace paddock::registry {

inline constexpr const char* kAttributesName = "attributes";
inline constexpr std::string_view kAttributePrefix = "user.";

struct HostAttribute {
  std::string path, name, value;
};

void AppendAttribute(std::string& text, const HostAttribute& attribute);
// The first of them, taken off the text. Errors: kSyntax.
Result<HostAttribute> TakeAttribute(std::string_view& text);

// "/proc/self/fd/N".
inline std::string DescriptorPath(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

}  // namespace paddock::registry
