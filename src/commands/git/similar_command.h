// What was meant by a subcommand of git that there is not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace paddock {
class Budget;
}

namespace paddock::git {

// The known words that `word` is most likely a slip of, in order; none if it is like no one of them.
std::vector<std::string> SimilarCommands(std::string_view word, const std::vector<std::string>& known, Budget& budget);

}  // namespace paddock::git
