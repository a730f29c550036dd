// The way from one place of the tree to another: ln -r, realpath --relative-to.
#pragma once

#include <string>
#include <string_view>

namespace paddock {

// How `target` is named from inside `directory`; both absolute and canonical. "." when they are equal.
std::string RelativePath(std::string_view target, std::string_view directory);

// True when `path` is `directory` or below it; both absolute and canonical.
bool IsWithin(std::string_view path, std::string_view directory);

}  // namespace paddock
