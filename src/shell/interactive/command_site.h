// Where on an unfinished command line the cursor stands: the words of its command so far and the word that is
// being typed. A rough reading, made for completion: it must give something useful for any text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace paddock::shell {

struct CommandSite {
  std::vector<std::string> words;   // before the one at the cursor, without quotes; assignments left out
  bool is_command = false;          // the word at the cursor names a command
  bool is_target = false;           // of a redirection: a file
  size_t begin = 0;                 // of the word in the line
  std::string text;                 // of the word, without quotes
  char quote = 0;                   // that is open at the cursor: ' or " or 0
  size_t variable = std::string::npos;   // offset in the line behind an unquoted `$` or `${` that ends in a name
  bool has_brace = false;                // it is `${`
};

CommandSite FindSite(std::string_view line, size_t cursor);

}  // namespace paddock::shell
