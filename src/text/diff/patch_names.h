// The file line of a patch header ("--- a/x.c<TAB>2024-01-05 10:00:00 +0000"): its name and its time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "text/date/time_zone.h"

namespace paddock {

class Budget;

struct PatchFileLine {
  std::optional<std::string> name;   // nothing when there is none
  std::optional<TimePoint> time;
  bool is_null_device = false;
};

// Reads what stands behind "--- ". A name ends at a blank, or at a tab if there is one; one in double quotes has C's escapes.
PatchFileLine ReadPatchFileLine(std::string_view text, const TimeZone& zone, Budget& budget);

// Takes a name in double quotes with C's escapes off the front of `text`; nothing when it is not well formed.
std::optional<std::string> TakeQuotedName(std::string_view& text);

// The name without its first `count` components, nothing when it has no more; below 0: without any directory.
std::optional<std::string> StripComponents(std::string_view name, int64_t count);

}  // namespace paddock
