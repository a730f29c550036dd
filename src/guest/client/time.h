// Deadlines of the guest client: points on the monotonic clock.
#pragma once

#include <chrono>

namespace paddock::guest {

using Deadline = std::chrono::steady_clock::time_point;
inline constexpr Deadline kNoDeadline = Deadline::max();

inline Deadline In(std::chrono::nanoseconds delay) { return std::chrono::steady_clock::now() + delay; }

}  // namespace paddock::guest
