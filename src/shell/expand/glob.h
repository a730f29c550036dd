// Path name expansion over the virtual file tree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace paddock::shell {

class Shell;

// Appends the path names that match `pattern`, sorted. Without a match: `literal`, or nothing with
// nullglob; false (with the complaint printed) with failglob.
bool ExpandGlob(Shell& shell, std::string_view pattern, std::string& literal,
                std::vector<std::string>* fields);

}  // namespace paddock::shell
