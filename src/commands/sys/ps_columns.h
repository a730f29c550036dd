// The columns that ps can show.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "commands/file_facts.h"
#include "commands/sys/process_table.h"
#include "text/date/time_zone.h"

namespace paddock {

// What cells are written with.
struct PsContext {
  UserNames& names;
  TimeZone zone;
  TimePoint now;
  Budget& budget;
};

struct PsColumn {
  const char* name;
  const char* header;
  size_t width;
  bool is_right;
  std::string (*cell)(const ProcessFacts&, PsContext&);
};

// In the order of the table; some stand under several names.
std::span<const PsColumn> PsColumns();
// Null for none of that name.
const PsColumn* FindPsColumn(std::string_view name);

}  // namespace paddock
