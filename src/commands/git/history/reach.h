// What leads to what: the objects that commits, trees and tags need.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "commands/git/git.h"

namespace paddock::git {

// The objects that `roots` lead to, themselves included, without those of `known`; commits before trees and blobs, each once. What
// is not there is handed to `missing` (who asked for it, what it is), or is an error when that is empty.
using OnMissing = std::function<void(const Oid& from, const Oid& id, ObjectType type)>;
struct Reached {
  std::vector<Oid> order;
  std::set<Oid> all;
  std::map<Oid, std::string> names;   // of trees and blobs: the path under which they were met first
};
Result<Reached> ReachObjects(Git& git, const std::vector<Oid>& roots, const std::set<Oid>& known = {}, const OnMissing& missing = {});
// What the repository holds on to: references, HEAD, the index and, if asked for, what the logs name.
Result<std::vector<Oid>> KeptRoots(Git& git, bool with_logs);

}  // namespace paddock::git
