#include "cli/client/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace paddock::cli {
namespace {

constexpr auto kFirst = std::chrono::milliseconds(500), kBetween = std::chrono::milliseconds(100);
constexpr size_t kBar = 30;

std::string AmountText(double bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
  return text;
}

}  // namespace

Progress::Progress(bool is_quiet, std::optional<uint64_t> total) : is_shown_(!is_quiet && isatty(STDERR_FILENO) == 1), total_(total), next_(began_ + kFirst) {}

Progress::~Progress() {
  if (has_line_) std::fputs("\r\x1b[K", stderr);
}

void Progress::Add(uint64_t bytes) {
  done_ += bytes;
  const auto now = std::chrono::steady_clock::now();
  if (!is_shown_ || now < next_) return;
  next_ = now + kBetween;
  has_line_ = true;
  const double rate = static_cast<double>(done_) / std::chrono::duration<double>(now - began_).count();
  std::string line = AmountText(static_cast<double>(done_));
  if (total_ && *total_ > 0) {
    const double share = std::min(1.0, static_cast<double>(done_) / static_cast<double>(*total_));
    const size_t full = static_cast<size_t>(share * kBar);
    line = "[" + std::string(full, '#') + std::string(kBar - full, ' ') + "] " + line + " of " + AmountText(static_cast<double>(*total_));
  }
  std::fprintf(stderr, "\r%s, %s/s\x1b[K", line.c_str(), AmountText(rate).c_str());
}

}  // namespace paddock::cli
