// The manual: a page for each command out of its own option table, and the search through names and summaries.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proc/command.h"

namespace paddock::manual {

inline constexpr ExitStatus kNothingFound = 16;

struct Entry {
  std::string name;          // of the command or one of its aliases
  const Command* command;
};
// All names, sorted.
std::vector<Entry> AllEntries(Invocation& in);

// The page, `width` columns wide.
std::string Page(const Entry& entry, size_t width, Budget& budget);

// "ls (1)               - list directory contents"; cut to `width` columns unless it is 0.
std::string SummaryLine(const Entry& entry, size_t width);

enum class Look { kName, kRegex, kWildcard, kExact };
struct Query {
  bool names_only = false;       // whatis
  Look look = Look::kRegex;
  bool all = false;              // every keyword has to match
  bool is_long = false;
  std::string sections;          // of -s; empty: any
};
// Whether a list like "1:8" or "3,1" has section 1, where all pages are; an empty list has.
bool HasSection(std::string_view sections);
// apropos and whatis: writes what is found; the exit status.
ExitStatus Find(Invocation& in, const Query& query, const std::vector<std::string>& keywords);

// Reads the options of man and its like; nothing when the command is answered. Complaints name --usage, too.
std::optional<std::vector<std::string>> Parse(Invocation& in, void* options, ExitStatus* status);
// Writes the help or the version.
ExitStatus Tell(Invocation& in, bool help);

// How many columns a page and a line get: of `variable`, COLUMNS, or 80.
size_t Columns(const Environment& environment, std::string_view variable);

}  // namespace paddock::manual
