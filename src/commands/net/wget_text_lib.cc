#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>

#include "commands/net/wget.h"

namespace paddock::wget {
namespace {

// 76.3M, 2.81K: three digits.
std::string Rate(double speed) {
  constexpr char kUnits[] = {'\0', 'K', 'M', 'G', 'T'};
  size_t unit = 0;
  while (speed >= 1024 && unit < 4) speed /= 1024, ++unit;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", speed >= 99.95 ? 0 : speed >= 9.995 ? 1 : 2, speed);
  return text + (kUnits[unit] == '\0' ? std::string("B") : std::string(1, kUnits[unit]));
}

double Seconds(Nanoseconds time) { return std::max(std::chrono::duration<double>(time).count(), 1e-6); }

std::string ShortTime(double seconds) {
  char text[32];
  if (seconds < 0.001) return "0s";
  std::snprintf(text, sizeof text, "%.*fs", seconds < 0.1 ? 2 : seconds < 10 ? 1 : 0, seconds);
  return text;
}

}  // namespace

std::string TimeText(Nanoseconds time) {
  const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  return text;
}

std::string Human(int64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes);
  constexpr char kUnits[] = "KMGTPE";
  auto value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (value >= 1024 && unit < 5) value /= 1024, ++unit;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f%c", value < 10 ? 1 : 0, value, kUnits[unit]);
  return text;
}

std::string Speed(int64_t bytes, Nanoseconds time, bool in_bits) {
  double speed = static_cast<double>(bytes) / Seconds(time) * (in_bits ? 8 : 1);
  const double step = in_bits ? 1000 : 1024;
  constexpr const char* kBytes[] = {"B/s", "KB/s", "MB/s", "GB/s"};
  constexpr const char* kBits[] = {"b/s", "Kb/s", "Mb/s", "Gb/s"};
  const auto& units = in_bits ? kBits : kBytes;
  size_t unit = 0;
  while (speed >= step && unit < 3) speed /= step, ++unit;
  char text[48];
  std::snprintf(text, sizeof text, "%.*f %s", speed >= 99.95 ? 0 : speed >= 9.995 ? 1 : 2, speed, units[unit]);
  return text;
}

void Dots::Row(Nanoseconds now) {
  const bool is_first = dots_ == 0;
  if (is_first) begun_ = now;
  char text[32];
  std::snprintf(text, sizeof text, "%6lldK", static_cast<long long>(dots_ * style_.bytes / 1024));
  out_.Write((is_first ? "\n" : "") + std::string(text));
  row_begun_ = now;
}

void Dots::Add(int64_t bytes, Nanoseconds now) {
  if (bytes_ == 0) Row(now);
  bytes_ += bytes;
  for (; (dots_ + 1) * style_.bytes <= bytes_; ++dots_) {
    if (dots_ > 0 && dots_ % style_.row == 0) {
      const double part = total_ > 0 ? 100.0 * static_cast<double>(dots_ * style_.bytes) / static_cast<double>(total_) : 0;
      char text[64] = "";
      if (total_ > 0) std::snprintf(text, sizeof text, "%3d%%", static_cast<int>(part));
      const double speed = static_cast<double>(style_.row * style_.bytes) / Seconds(now - row_begun_);
      out_.Write(std::string(text) + " " + Rate(speed) + (total_ > 0 ? " " + ShortTime(static_cast<double>(total_ - bytes_) / speed) : "") + "\n");
      Row(now);
    }
    if (dots_ % style_.cluster == 0) out_.Write(" ");
    out_.Write(".");
  }
}

void Dots::Finish(Nanoseconds now) {
  if (bytes_ == 0) Row(now);
  const int64_t in_row = dots_ == 0 ? 0 : (dots_ - 1) % style_.row + 1;
  for (int64_t i = in_row; i < style_.row; ++i) out_.Write(i % style_.cluster == 0 ? "  " : " ");
  const double time = Seconds(now - begun_);
  char text[32] = "";
  if (total_ > 0) std::snprintf(text, sizeof text, "%3d%%", static_cast<int>(std::min<int64_t>(100, 100 * bytes_ / total_)));
  out_.Write(std::string(text) + " " + Rate(static_cast<double>(bytes_) / time) + "=" + ShortTime(time) + "\n\n");
}

}  // namespace paddock::wget
