#include "text/date/duration.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

namespace paddock {

std::optional<double> ParseDuration(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double number = std::strtod(copy.c_str(), &end);
  if (end == copy.c_str() || std::isnan(number) || number < 0) return std::nullopt;
  const std::string_view suffix(end);
  if (suffix.empty() || suffix == "s") return number;
  if (suffix == "m") return number * 60;
  if (suffix == "h") return number * 3600;
  if (suffix == "d") return number * 86400;
  return std::nullopt;
}

Nanoseconds ToNanoseconds(double seconds) {
  constexpr double kMost = 4e9;
  return Nanoseconds(static_cast<int64_t>(std::min(seconds, kMost) * 1e9));
}

}  // namespace paddock
