// The history list: what `set -o history` records and history and fc show.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace paddock::shell {

class Shell;

struct HistoryList {
  std::vector<std::string> lines;
  size_t dropped = 0;   // entries that HISTSIZE pushed out: the first one left has number dropped + 1
};

// The list for writing (a subshell shares its parent's until then).
HistoryList& MutableHistory(Shell& shell);
// Adds an entry as it is; HISTSIZE holds.
void AddHistory(Shell& shell, std::string line);
// Adds the lines of a file. False if it cannot be read.
bool ReadHistoryFile(Shell& shell, const std::string& path);
// Drops what HISTSIZE does not allow.
void LimitHistory(Shell& shell);
// Adds the source text of a complete command, with its lines joined to one as bash does, unless
// HISTCONTROL or HISTIGNORE keep it out.
void RecordCommand(Shell& shell, std::string_view source);

}  // namespace paddock::shell
