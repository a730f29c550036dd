// Words of a command line that is being typed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace paddock::cli {

// The words of `line` as a shell reads them, without expansions; the last one is the one that is typed, empty behind a blank. What is
// behind the last ';', '|' or '&' counts.
std::vector<std::string> WordsOfLine(std::string_view line);
// Whether a shell takes it as it is, whatever it was named by: nothing in it is quoted, expanded or hidden.
bool IsPlainWord(std::string_view word);

}  // namespace paddock::cli
