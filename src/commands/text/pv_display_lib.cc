#include "commands/text/pv_display.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "commands/file_facts.h"

namespace paddock::pv {
namespace {

constexpr double kLongestSeconds = 360'000'000;   // 100000 hours: more are not shown
constexpr size_t kBlankEta = 11;                  // as wide as "ETA 0:00:00"

double Seconds(Nanoseconds time) { return std::chrono::duration<double>(time).count(); }

// Four columns and a unit: "9.76KiB", " 292KiB", "10.0 B", "1.02k".
std::string Amount(double value, bool is_lines) {
  constexpr const char* kLines[] = {" ", "k", "M", "G", "T", "P", "E"};
  constexpr const char* kBytes[] = {" B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  const double base = is_lines ? 1000 : 1024;
  size_t unit = 0;
  for (; value >= base && unit + 1 < std::size(kBytes); ++unit) value /= base;
  char text[32];
  if (value > 99.9) std::snprintf(text, sizeof text, "%4ld", static_cast<long>(value));
  else std::snprintf(text, sizeof text, "%#4.3g", value);
  if (value <= 0) std::snprintf(text, sizeof text, "0.00");
  return std::string(text) + (is_lines ? kLines : kBytes)[unit];
}

// "0:00:07", with days in front where there are some.
std::string Hours(double seconds) {
  const auto whole = static_cast<long>(std::clamp(seconds, 0.0, kLongestSeconds));
  char text[48];
  if (whole >= 86400) std::snprintf(text, sizeof text, "%ld:%02ld:%02ld:%02ld", whole / 86400, whole / 3600 % 24, whole / 60 % 60, whole % 60);
  else std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
  return text;
}

double SecondsLeft(const Progress& progress) {
  if (progress.done == 0 || progress.done >= progress.total) return 0;
  const double left = Seconds(progress.elapsed) * static_cast<double>(progress.total - progress.done) / static_cast<double>(progress.done);
  return std::min(left, kLongestSeconds);
}

int64_t PercentOf(const Progress& progress) { return static_cast<int64_t>(std::min(100.0 * static_cast<double>(progress.done) / static_cast<double>(progress.total), 1e9)); }
// Where something is that goes to and fro.
int64_t ToAndFro(int64_t percent) { return percent > 100 ? 200 - percent : percent; }

// Calls `text(literal)` and `part(letter, count)` for the pieces of a format.
template <class Text, class Part>
void EachPiece(std::string_view format, Text text, Part part) {
  for (size_t at = 0; at < format.size(); ++at) {
    if (format[at] != '%') {
      text(format.substr(at, 1));
      continue;
    }
    size_t end = at + 1, count = 0;
    for (; end < format.size() && format[end] >= '0' && format[end] <= '9'; ++end) count = std::min(count * 10 + static_cast<size_t>(format[end] - '0'), kMostTail);
    const char letter = end < format.size() ? format[end] : '\0';
    const bool has_count = end > at + 1;
    if (letter != '\0' && std::string_view("pteIrabTNA").find(letter) != std::string_view::npos) {
      part(letter, has_count ? count : 1);
      at = end;
    } else {
      text("%");
      if (!has_count && letter == '%') at = end;
    }
  }
}

}  // namespace

size_t TailOf(std::string_view format) {
  size_t most = 0;
  EachPiece(format, [](std::string_view) {}, [&](char letter, size_t count) { if (letter == 'A') most = std::max(most, count); });
  return most;
}

std::string Display::Line(const Look& look, const Progress& progress) {
  const double step = Seconds(progress.elapsed - last_elapsed_);
  if (progress.is_final) rate_ = static_cast<double>(progress.done) / std::max(Seconds(progress.elapsed), 1e-6);
  else if (step > 0) rate_ = static_cast<double>(progress.done - last_done_) / step;
  if (progress.done > last_done_) percent_ = percent_ + 2 > 199 ? 0 : percent_ + 2;
  last_done_ = progress.done;
  last_elapsed_ = progress.elapsed;
  if (look.is_numeric) return Numbers(look, progress);

  // The bar takes what room the rest leaves.
  std::string before, after;
  bool has_bar = false;
  const auto add = [&](std::string_view text) { (has_bar ? after : before) += text; };
  EachPiece(look.format, add, [&](char letter, size_t count) {
    if (letter == 'p') has_bar = true;
    else add(Part(look, progress, letter, count));
  });
  const size_t taken = before.size() + after.size();
  if (taken > look.width) return "";
  return has_bar ? before + Bar(progress, look.width - taken) + after : before;
}

std::string Display::Numbers(const Look& look, const Progress& progress) const {
  std::string line;
  if (look.has_timer) {
    char text[48];
    std::snprintf(text, sizeof text, "%.4f ", Seconds(progress.elapsed));
    line = text;
  }
  if (look.has_bytes) return line + std::to_string(progress.done);
  return line + std::to_string(ToAndFro(progress.total > 0 ? PercentOf(progress) : percent_));
}

std::string Display::Part(const Look& look, const Progress& progress, char letter, size_t count) const {
  switch (letter) {
    case 't': return Hours(Seconds(progress.elapsed));
    case 'r': return "[" + Amount(rate_, look.counts_lines) + "/s]";
    case 'a': return "[" + Amount(static_cast<double>(progress.done) / std::max(Seconds(progress.elapsed), 1e-6), look.counts_lines) + "/s]";
    case 'b': return Amount(static_cast<double>(progress.done), look.counts_lines);
    case 'T': return "{  0%}";   // each piece is written before the next is read
    case 'e':
      if (progress.total == 0) return "";
      return progress.is_final ? std::string(kBlankEta, ' ') : "ETA " + Hours(SecondsLeft(progress));
    case 'I': return progress.total == 0 ? "" : Arrival(progress);
    case 'N': return look.name.size() < 9 ? std::string(9 - look.name.size(), ' ') + look.name + ":" : look.name + ":";
    default: {
      std::string text(count - std::min(count, look.tail.size()), '.');
      for (const char byte : look.tail.substr(look.tail.size() - std::min(count, look.tail.size()))) text += byte >= ' ' && byte <= '~' ? byte : '.';
      return text;
    }
  }
}

std::string Display::Bar(const Progress& progress, size_t room) const {
  if (progress.total == 0) {
    if (room < 2) return "";
    const size_t inside = room - 2;
    std::string bar(inside, ' ');
    constexpr std::string_view kMark = "<=>";
    const size_t place = inside < kMark.size() ? 0 : static_cast<size_t>(ToAndFro(percent_)) * (inside - kMark.size()) / 100;
    for (size_t i = 0; i < kMark.size() && place + i < inside; ++i) bar[place + i] = kMark[i];
    return "[" + bar + "]";
  }
  const int64_t percent = PercentOf(progress);
  char text[32];
  std::snprintf(text, sizeof text, " %2lld%%", static_cast<long long>(percent));
  const std::string_view number = text;
  if (room < 2 + number.size()) return "";
  const size_t inside = room - 2 - number.size();
  const size_t reached = static_cast<size_t>(percent) * inside / 100;
  std::string bar(std::min(reached > 0 ? reached - 1 : 0, inside), '=');
  if (bar.size() < inside) bar += '>';
  bar.resize(inside, ' ');
  return "[" + bar + "]" + text;
}

// The date, too, where it is more than six hours away.
std::string Display::Arrival(const Progress& progress) const {
  const double left = SecondsLeft(progress);
  const TimePoint then = ToTimePoint(clock_.RealNow() + std::chrono::seconds(static_cast<int64_t>(left)));
  const CalendarTime local = zone_.ToLocal(then.seconds);
  char text[96];
  if (left > 6 * 3600) {
    std::snprintf(text, sizeof text, "ETA %04lld-%02d-%02d %02d:%02d:%02d", static_cast<long long>(local.year), static_cast<int>(local.month), static_cast<int>(local.day), static_cast<int>(local.hour),
                  static_cast<int>(local.minute), static_cast<int>(local.second));
  } else {
    std::snprintf(text, sizeof text, "ETA %02d:%02d:%02d", static_cast<int>(local.hour), static_cast<int>(local.minute), static_cast<int>(local.second));
  }
  return text;
}

}  // namespace paddock::pv
