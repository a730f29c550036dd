// What is wrong with an object, as git fsck names it: checked on the bytes, without reading any other object.
//
// Source: git-fsck(1) "FSCK MESSAGES".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "git/object.h"

namespace paddock::git {

struct ObjectProblem {
  bool is_error = false;   // else a warning
  std::string id;          // "treeNotSorted"
  std::string text;        // "not properly sorted"
};
// `is_strict`: what is only a warning otherwise is an error, but for a few that are none of the object's own doing.
std::vector<ObjectProblem> CheckObject(ObjectType type, std::string_view data, bool is_strict, Budget& budget);

}  // namespace paddock::git
