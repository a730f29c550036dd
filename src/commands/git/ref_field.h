// What %(FIELD) is of a reference: for those who list references in a form or an order of one's own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands/git/git.h"

namespace paddock::git {

struct NamedRef {
  std::string name;   // full
  Oid id;
};
// "%(refname:short) %(objectname)" and so on. Errors: an unknown field.
Result<std::string> ExpandRefFormat(Git& git, const NamedRef& ref, std::string_view format);
// In order of these fields, the last one first; "-FIELD" turns it round, "version:refname" takes numbers for numbers.
Status SortRefs(Git& git, std::vector<NamedRef>& refs, const std::vector<std::string>& fields);

}  // namespace paddock::git
