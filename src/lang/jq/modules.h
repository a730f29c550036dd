// Where modules are, and what they say about themselves.
#pragma once

#include <string>
#include <string_view>

#include "lang/jq/native.h"

namespace paddock::jq {

// The file that `import "path"` means: its name and its content. kNoEntry when none of the directories has it.
struct ModuleFile {
  std::string name;
  std::string text;
};
// `search` is the metadata's "search": a string or an array of directories, relative to `origin`.
Result<ModuleFile> FindModule(Host& host, std::string_view path, bool is_data, const Value* search,
                              const std::string& origin);

// modulemeta.
Value ModuleMetadata(NativeContext& context, std::string_view path);

}  // namespace paddock::jq
