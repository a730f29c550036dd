// The manual: a page for each command out of its own option table, and the search through names and summaries.
#pragma once

#include <array>
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
  bool is_elsewhere = false;     // in trees that have no pages
  std::string sections;          // of -s; empty: any
  std::string configuration;     // of -C
  bool debugs = false;
};
// The trees that a configuration of man-db names (MANDATORY_MANPATH), and what -d tells of it.
struct Trees {
  std::vector<std::string> paths;
  std::string told;
};
Trees ReadConfiguration(Invocation& in, const std::string& path);
// Whether a list like "1:8" or "3,1" has section 1, where all pages are; an empty list has.
bool HasSection(std::string_view sections);

// Writes what is found; the exit status.
ExitStatus Find(Invocation& in, const Query& query, const std::vector<std::string>& keywords);

// The options of apropos and whatis, and their table; `own` are those of one alone.
struct SearchOptions {
  Look look;
  bool all = false;
  bool is_long = false;
  bool is_elsewhere = false;     // -M names other trees, which have no pages
  std::string sections, configuration;
  bool debugs = false;
  bool wants_help = false, wants_version = false;
};
// Whether the colon list of -M is without the tree of all pages, /usr/share/man.
bool IsElsewhere(std::string_view trees);
inline Status SetTrees(SearchOptions& options, std::string_view trees) {
  options.is_elsewhere = IsElsewhere(trees);
  return {};
}
inline Status SearchAsItIs(SearchOptions&, std::string_view) { return {}; }

template <class... Own>
constexpr auto SearchTable(Own... own) {
  using Options = SearchOptions;
  return std::array{
      own...,
      Flag<&Options::is_long>('l', "long", "do not cut lines to the width of the terminal"),
      Value<&Options::sections>('s', "sections", "LIST", "only these sections, with colons between"),
      Value<&Options::sections>(0, "section", "LIST", nullptr),
      Call<SetTrees>('M', "manpath", "PATH", "only the trees of PATH; all pages are in /usr/share/man"),
      Call<SearchAsItIs>('m', "systems", "SYSTEM", "pages of other systems, of which there are none, too"),
      Call<SearchAsItIs>('L', "locale", "LOCALE", "in that language, when there is a page"),
      Call<SearchAsItIs>('v', "verbose", nullptr, "warn more; there is nothing to warn of"),
      Value<&Options::configuration>('C', "config-file", "FILE", "take the trees from FILE: its lines MANDATORY_MANPATH and MANDB_MAP"),
      Flag<&Options::debugs>('d', "debug", "tell which trees are searched"),
      Flag<&Options::wants_help>('?', "usage", "show this help"),
      Flag<&Options::wants_version>('V', nullptr, "show the version"),
  };
}
// Runs either, from its arguments on: `look` is what holds without an option.
ExitStatus Search(Invocation& in, Look look, bool names_only);

// Reads the options of man and its like; nothing when the command is answered. Complaints name --usage, too.
std::optional<std::vector<std::string>> Parse(Invocation& in, void* options, ExitStatus* status);
// Writes the help or the version.
ExitStatus Tell(Invocation& in, bool help);

// How many columns a page and a line get: of `variable`, COLUMNS, or 80.
size_t Columns(const Environment& environment, std::string_view variable);

}  // namespace paddock::manual
