#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "commands/net/progress.h"

namespace paddock::curl {
namespace {

// At most five characters: 99999, 1234k, 12.3M, 1234M …
std::string Amount(int64_t bytes) {
  if (bytes < 100000) return std::to_string(bytes);
  constexpr char kUnits[] = "kMGTP";
  int64_t value = bytes / 1024;
  for (size_t i = 0; i < 5; ++i) {
    if (value < 10000) return std::to_string(value) + kUnits[i];
    const int64_t next = value / 1024;
    if (next < 100 && i < 4) return std::to_string(next) + "." + std::to_string(value % 1024 * 10 / 1024) + kUnits[i + 1];
    value = next;
  }
  return "-----";
}

std::string Time(int64_t seconds) {
  if (seconds <= 0) return "--:--:--";
  char text[32];
  std::snprintf(text, sizeof text, "%2lld:%02lld:%02lld", static_cast<long long>(std::min<int64_t>(seconds / 3600, 99)), static_cast<long long>(seconds / 60 % 60),
                static_cast<long long>(seconds % 60));
  return text;
}

int Percent(int64_t part, int64_t whole) { return whole <= 0 ? 0 : static_cast<int>(std::min<int64_t>(100, static_cast<int64_t>(100.0 * static_cast<double>(part) / static_cast<double>(whole)))); }

}  // namespace

void Meter::Begin(Nanoseconds now) {
  begun_ = now;
  if (!is_bar_ && !has_heading_) {
    out_.Write(
        "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n"
        "                                 Dload  Upload   Total   Spent    Left  Speed\n");
  }
  has_heading_ = true;
  Show({}, now);
}

void Meter::Show(const proc::HttpObserver::Progress& progress, Nanoseconds now) {
  const double seconds = std::max(std::chrono::duration<double>(now - begun_).count(), 1e-6);
  const int64_t total = std::max<int64_t>(progress.download_total, 0) + std::max<int64_t>(progress.upload_total, 0);
  const int64_t moved = progress.downloaded + progress.uploaded;
  if (is_bar_) {
    if (total <= 0) return;
    constexpr int kColumns = 72;
    const double part = std::min(1.0, static_cast<double>(moved) / static_cast<double>(total));
    const auto marks = static_cast<size_t>(part * kColumns);
    char percent[16];
    std::snprintf(percent, sizeof percent, "%5.1f%%", part * 100);
    return out_.Write("\r" + std::string(marks, '#') + std::string(kColumns - marks, ' ') + " " + percent);
  }
  const auto down = static_cast<int64_t>(static_cast<double>(progress.downloaded) / seconds), up = static_cast<int64_t>(static_cast<double>(progress.uploaded) / seconds);
  const int64_t speed = down + up;
  const int64_t whole_time = speed > 0 && total > 0 ? total / speed : 0;
  char line[128];
  std::snprintf(line, sizeof line, "\r%3d %5s  %3d %5s  %3d %5s  %5s  %5s %s %s %s %5s", Percent(moved, total), Amount(std::max(total, moved)).c_str(),
                Percent(progress.downloaded, progress.download_total), Amount(progress.downloaded).c_str(), Percent(progress.uploaded, progress.upload_total),
                Amount(progress.uploaded).c_str(), Amount(down).c_str(), Amount(up).c_str(), Time(whole_time).c_str(), Time(static_cast<int64_t>(seconds)).c_str(),
                Time(whole_time - static_cast<int64_t>(seconds)).c_str(), Amount(speed).c_str());
  out_.Write(line);
}

void Meter::Finish(const proc::HttpObserver::Progress& progress, Nanoseconds now) {
  Show(progress, now);
  out_.Write("\n");
}

}  // namespace paddock::curl
