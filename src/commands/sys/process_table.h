// The sandbox's processes as ps, pgrep, pidof and top show them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/user_names.h"
#include "proc/command.h"

namespace paddock {

struct ProcessFacts {
  int pid = 0, parent = 0, group = 0, session = 0, niceness = 0;
  uint32_t uid = 0, gid = 0;
  char state = 'S';            // R S T Z
  bool has_terminal = false, is_foreground = false;
  Nanoseconds age{0};          // since it was started
  std::string name;            // at most 15 bytes, as the kernel keeps it
  std::vector<std::string> arguments;

  bool is_leader() const { return pid == session; }
  // The arguments with blanks between, control characters as '?'; "[name] <defunct>" for a zombie.
  std::string CommandLine() const;
  // "Ss+", "SN" …
  std::string StateText() const;
  std::string_view TerminalName() const { return has_terminal ? "pts/0" : "?"; }
};

// Ascending by pid. The calling process is among them.
std::vector<ProcessFacts> ListProcesses(Invocation& in);

// The items of "1,2 3": split at commas and blanks.
std::vector<std::string> SplitList(std::string_view text);
std::optional<int> ParsePid(std::string_view text);
std::optional<uint32_t> FindUserId(UserNames& names, std::string_view text);
std::optional<uint32_t> FindGroupId(UserNames& names, std::string_view text);

}  // namespace paddock
