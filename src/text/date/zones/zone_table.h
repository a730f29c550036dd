// The zones of the tz database, with all that is known of their past. The data is made by tools/compile_zones.cc when the program is built.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace paddock {

// How clocks stand for a while.
struct ZonePeriod {
  int32_t offset;          // seconds east of UTC
  bool is_summer;
  char name[8];            // "CEST", ended by NUL
};

struct ZoneHistory {
  std::string_view rule;                    // a POSIX TZ string: what holds from the last moment on
  std::span<const int64_t> moments;         // seconds since 1970, rising: when another period begins
  std::span<const uint8_t> kinds;           // for each moment the index of the period that begins there
  std::span<const ZonePeriod> periods;
  uint8_t first;                            // the period before the first moment
};

// Nothing for a name that is not in the database. Names are as in "Europe/Berlin"; case counts. What it points to is static.
std::optional<ZoneHistory> FindZone(std::string_view name);

}  // namespace paddock
