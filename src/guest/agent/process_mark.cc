#include "guest/agent/process_mark.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>

namespace paddock::guest {
namespace {

constexpr uint64_t kRange = 1ull << 60;
constexpr uint64_t kNumbers = 1ull << 32;
constexpr uint64_t kCeiling = 1ull << 62;

// RLIMIT_LOCKS has had no effect since Linux 2.4.25; RLIMIT_RTTIME counts microseconds of real-time scheduling, and
// 2^61 of them are for ever.
constexpr auto kFirst = RLIMIT_LOCKS;
constexpr auto kSecond = static_cast<__rlimit_resource>(15);   // RLIMIT_RTTIME; not named by all headers

struct Base {
  uint64_t first;
  uint64_t second;
};

// The agent's own limits are what the marks are counted down from.
const Base& AgentBase() {
  static const Base base = [] {
    rlimit first{}, second{};
    getrlimit(kFirst, &first);
    getrlimit(kSecond, &second);
    return Base{std::min<uint64_t>(first.rlim_max, kCeiling), std::min<uint64_t>(second.rlim_max, kCeiling)};
  }();
  return base;
}

// Tells this agent's marks from those of others on the same machine. Never 0.
uint64_t AgentNonce() {
  static const uint64_t nonce = [] {
    uint32_t random = 0;
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random) random = static_cast<uint32_t>(getpid());
    return uint64_t{random % ((1u << 27) - 1) + 1};
  }();
  return nonce;
}

bool Lower(__rlimit_resource resource, uint64_t hard) {
  rlimit value{};
  if (getrlimit(resource, &value) != 0) return false;
  value.rlim_max = hard;
  value.rlim_cur = std::min<rlim_t>(value.rlim_cur, hard);
  return setrlimit(resource, &value) == 0;
}

// The hard limit in the row of /proc/PID/limits that starts with `name`.
std::optional<uint64_t> HardLimit(std::string_view limits, std::string_view name) {
  size_t at = limits.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  limits.remove_prefix(at + name.size());
  limits = limits.substr(0, limits.find('\n'));
  for (int column = 0; column < 2; ++column) {
    at = limits.find_first_not_of(' ');
    if (at == std::string_view::npos) return std::nullopt;
    limits.remove_prefix(at);
    if (column == 0) limits.remove_prefix(std::min(limits.find(' '), limits.size()));
  }
  if (limits.starts_with("unlimited")) return RLIM_INFINITY;
  uint64_t value = 0;
  const auto parsed = std::from_chars(limits.data(), limits.data() + limits.size(), value);
  if (parsed.ec != std::errc()) return std::nullopt;
  return value;
}

}  // namespace

bool ProcessMark::IsPossible() {
  const Base& base = AgentBase();
  const bool is_marked = (kCeiling - base.first) + (kCeiling - base.second) == kRange;
  return base.first > kRange && base.second > kRange && !is_marked;
}

bool ProcessMark::Apply() const {
  if (number_ == 0 || number_ >= kNumbers || !IsPossible()) return false;
  const Base& base = AgentBase();
  const uint64_t mark = AgentNonce() * kNumbers + number_;
  return Lower(kFirst, base.first - mark) && Lower(kSecond, base.second - (kRange - mark));
}

ProcessMark::Owner ProcessMark::Of(pid_t pid) const {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/limits", static_cast<int>(pid));
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Owner::kNobody;
  char text[4096];
  const ssize_t size = read(fd, text, sizeof text);
  close(fd);
  if (size <= 0) return Owner::kNobody;
  const std::string_view limits(text, static_cast<size_t>(size));
  const auto first = HardLimit(limits, "Max file locks"), second = HardLimit(limits, "Max realtime timeout");
  const Base& base = AgentBase();
  if (!first || !second) return Owner::kNobody;
  if (*first > base.first || *second > base.second) return Owner::kNobody;
  const uint64_t sum = (base.first - *first) + (base.second - *second);
  // Less than any mark can come to: not started by an agent. (Nobody gets there by lowering.)
  if (sum < kRange) return Owner::kNobody;
  if (sum > kRange) return Owner::kUnknown;
  const uint64_t mark = base.first - *first;
  if (mark / kNumbers != AgentNonce()) return Owner::kNobody;
  return mark % kNumbers == number_ ? Owner::kThis : Owner::kOther;
}

}  // namespace paddock::guest
