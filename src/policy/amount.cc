#include "policy/amount.h"

#include <charconv>
#include <iterator>
#include <span>

namespace paddock::policy {
namespace {

struct Unit {
  std::string_view name;
  uint64_t factor;
};

constexpr Unit kSizeUnits[] = {
    {"", 1},          {"B", 1},          {"K", 1ull << 10},   {"k", 1ull << 10},   {"KiB", 1ull << 10}, {"M", 1ull << 20},
    {"MiB", 1ull << 20}, {"G", 1ull << 30}, {"GiB", 1ull << 30}, {"T", 1ull << 40},   {"TiB", 1ull << 40}, {"kB", 1000},
    {"KB", 1000},     {"MB", 1000'000},  {"GB", 1000'000'000}, {"TB", 1000'000'000'000},
};
constexpr Unit kTimeUnits[] = {
    {"us", 1000},
    {"ms", 1000'000},
    {"s", 1000'000'000},
    {"m", 60'000'000'000},
    {"h", 3600'000'000'000},
    {"d", 86400'000'000'000},
};

// number × factor of the unit behind it; false if malformed or above `most`. A fraction has up to four digits.
bool ParseAmount(std::string_view text, std::span<const Unit> units, uint64_t most, uint64_t* amount) {
  size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  uint64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, whole);
  if (error != std::errc() || digits == 0) return false;
  text.remove_prefix(digits);
  std::string_view fraction;
  if (text.starts_with('.')) {
    size_t more = 1;
    while (more < text.size() && text[more] >= '0' && text[more] <= '9') ++more;
    fraction = text.substr(1, more - 1);
    if (fraction.empty() || fraction.size() > 4) return false;
    text.remove_prefix(more);
  }
  for (const Unit& unit : units) {
    if (unit.name != text) continue;
    if (whole > most / unit.factor) return false;
    uint64_t total = whole * unit.factor;
    uint64_t part = 0;
    uint64_t scale = 1;
    for (const char digit : fraction) {
      part = part * 10 + static_cast<uint64_t>(digit - '0');
      scale *= 10;
    }
    part *= unit.factor;                                       // at most 10^4 × 10^14
    if (part % scale != 0 && unit.factor == 1) return false;   // half a byte
    total += part / scale;
    if (total > most) return false;
    *amount = total;
    return true;
  }
  return false;
}

bool ParsePort(std::string_view text, uint16_t* port) {
  if (text.empty() || text[0] == '0') return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *port);
  return error == std::errc() && end == text.data() + text.size();
}

std::string Quoted(std::string_view text) { return "'" + std::string(text.substr(0, 100)) + "'"; }

}  // namespace

Result<uint64_t> ParseSize(std::string_view text) {
  constexpr uint64_t kMost = 1ull << 60;
  uint64_t bytes = 0;
  if (!ParseAmount(text, kSizeUnits, kMost, &bytes)) {
    return Error(Code::kInvalid, Quoted(text) + " is not a size; write 4096, \"512MiB\" or \"2G\"");
  }
  return bytes;
}

Result<std::chrono::nanoseconds> ParseTimeSpan(std::string_view text) {
  constexpr uint64_t kMost = 36525ull * 86400'000'000'000;
  uint64_t time = 0;
  if (!ParseAmount(text, kTimeUnits, kMost, &time) || time == 0) {
    return Error(Code::kInvalid, Quoted(text) + " is not a duration; write \"250ms\", \"30s\", \"5m\" or \"2h\"");
  }
  return std::chrono::nanoseconds(static_cast<int64_t>(time));
}

Result<PortRange> ParsePorts(std::string_view text) {
  const size_t dash = text.find('-');
  PortRange range;
  bool is_good = ParsePort(text.substr(0, dash), &range.first);
  range.last = range.first;
  if (dash != std::string_view::npos) is_good = is_good && ParsePort(text.substr(dash + 1), &range.last);
  if (!is_good || range.first > range.last) {
    return Error(Code::kInvalid, Quoted(text) + " is not a port; write 443 or \"8000-8999\", from 1 to 65535");
  }
  return range;
}

std::string SizeText(uint64_t bytes) {
  constexpr Unit kUnits[] = {{"TiB", 1ull << 40}, {"GiB", 1ull << 30}, {"MiB", 1ull << 20}, {"KiB", 1ull << 10}};
  for (const Unit& unit : kUnits) {
    if (bytes != 0 && bytes % unit.factor == 0) return std::to_string(bytes / unit.factor) + std::string(unit.name);
  }
  return std::to_string(bytes);
}

std::string TimeSpanText(std::chrono::nanoseconds time) {
  const auto count = static_cast<uint64_t>(time.count());
  for (size_t i = std::size(kTimeUnits); i-- > 1;) {
    if (count % kTimeUnits[i].factor == 0) return std::to_string(count / kTimeUnits[i].factor) + std::string(kTimeUnits[i].name);
  }
  return std::to_string(count / kTimeUnits[0].factor) + "us";
}

std::string PortsText(PortRange ports) {
  std::string text = std::to_string(ports.first);
  if (ports.last != ports.first) text += "-" + std::to_string(ports.last);
  return text;
}

std::string PortsText(const std::vector<PortRange>& ports) {
  std::string text;
  for (const PortRange& range : ports) {
    if (!text.empty()) text += ",";
    text += PortsText(range);
  }
  return text;
}

}  // namespace paddock::policy
