// Notes: texts that are added to objects.
#pragma once

#include <optional>
#include <string_view>

#include "git/object.h"

namespace paddock::git {

// What a file of a tree of notes is about: its path is the id, with slashes anywhere.
std::optional<Oid> NotedObject(std::string_view path);

}  // namespace paddock::git
