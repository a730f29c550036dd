// What pv shows of a transfer: lines of numbers, or one line that is written again and again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "text/date/time_zone.h"

namespace paddock::pv {

// How far a transfer is. `total` is 0 where nobody knows it; both count lines in line mode.
struct Progress {
  uint64_t done = 0, total = 0;
  Nanoseconds elapsed{0};
  bool is_final = false;
};

struct Look {
  std::string format;       // of pv -F
  std::string name;
  size_t width = 80;
  bool counts_lines = false;
  bool is_numeric = false, has_bytes = false, has_timer = false;   // -n, -b, -t
  std::string_view tail;    // bytes written last
};

// The most bytes that %nA shows.
inline constexpr size_t kMostTail = 256;
// How many bytes the %nA of a format want.
size_t TailOf(std::string_view format);

class Display {
 public:
  Display(const TimeZone& zone, const Clock& clock) : zone_(zone), clock_(clock) {}
  // The next line, without what ends it.
  std::string Line(const Look& look, const Progress& progress);

 private:
  std::string Numbers(const Look& look, const Progress& progress) const;
  std::string Part(const Look& look, const Progress& progress, char letter, size_t count) const;
  std::string Bar(const Progress& progress, size_t room) const;
  std::string Arrival(const Progress& progress) const;

  const TimeZone& zone_;
  const Clock& clock_;
  uint64_t last_done_ = 0;
  Nanoseconds last_elapsed_{0};
  double rate_ = 0;
  int64_t percent_ = 0;     // of an unknown total: where the mark that moves to and fro is, up to 199
};

}  // namespace paddock::pv
