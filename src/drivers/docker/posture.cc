#include "drivers/docker/posture.h"

#include <charconv>
#include <optional>

namespace paddock::docker {
namespace {

constexpr size_t kMostText = 64 << 10;
constexpr std::chrono::seconds kPatience{30};

// The value of "NAME:\tVALUE".
std::optional<uint64_t> LineValue(std::string_view status, const std::string& name, int base) {
  const std::string wanted = name + ":";
  for (size_t at = 0; at < status.size();) {
    const size_t end = std::min(status.find('\n', at), status.size());
    std::string_view line = status.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(wanted)) continue;
    line.remove_prefix(wanted.size());
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    uint64_t value = 0;
    const auto parsed = std::from_chars(line.data(), line.data() + line.size(), value, base);
    if (parsed.ec != std::errc() || parsed.ptr != line.data() + line.size()) return std::nullopt;
    return value;
  }
  return std::nullopt;
}

// Who 0 is, by the line of the map that holds it.
uint64_t RootOf(std::string_view user_map) {
  uint64_t numbers[3] = {};
  for (uint64_t& number : numbers) {
    user_map.remove_prefix(std::min(user_map.find_first_not_of(" \t"), user_map.size()));
    const auto parsed = std::from_chars(user_map.data(), user_map.data() + user_map.size(), number);
    if (parsed.ec != std::errc()) return 0;
    user_map.remove_prefix(static_cast<size_t>(parsed.ptr - user_map.data()));
  }
  return numbers[0] == 0 && numbers[2] > 0 ? numbers[1] : 0;
}

std::string Squeezed(std::string_view line) {
  std::string text;
  for (const char c : line.substr(0, std::min<size_t>(line.find('\n'), 200))) {
    const bool is_space = c == ' ' || c == '\t';
    if (is_space && (text.empty() || text.back() == ' ')) continue;
    text += is_space ? ' ' : c;
  }
  return text;
}

}  // namespace

Posture ParsePosture(std::string_view status, std::string_view user_map) {
  Posture posture;
  for (const char* name : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
    const bool may_be_missing = std::string_view(name) == "CapAmb" || std::string_view(name) == "CapInh";   // gVisor has none
    posture.capabilities |= LineValue(status, name, 16).value_or(may_be_missing ? 0 : ~uint64_t{0});
  }
  posture.has_no_new_privileges = LineValue(status, "NoNewPrivs", 10) == 1;
  posture.has_seccomp_filter = LineValue(status, "Seccomp", 10) == 2;
  posture.root_is = RootOf(user_map);
  posture.user_map = Squeezed(user_map);
  return posture;
}

Result<Posture> ReadPosture(guest::GuestFiles files) {
  auto status = files.ReadAll("/proc/self/status", kMostText, guest::In(kPatience));
  if (!status) return Error(Code::kUnavailable, "cannot see how the container is confined: " + std::string(status.error().Text()));
  const auto user_map = files.ReadAll("/proc/self/uid_map", kMostText, guest::In(kPatience));
  return ParsePosture(*status, user_map.value_or(""));
}

Status CheckPosture(const Posture& posture, bool has_own_kernel, bool needs_user_namespace) {
  std::string missing;
  const auto note = [&](const char* what) { missing += (missing.empty() ? "" : ", ") + std::string(what); };
  if (posture.capabilities != 0) note("its processes have capabilities");
  if (!has_own_kernel && !posture.has_no_new_privileges) note("no_new_privs is not set");
  if (!has_own_kernel && !posture.has_seccomp_filter) note("there is no seccomp filter");
  if (missing.empty() && needs_user_namespace && !posture.is_user_namespace_shifted()) {
    return Error(Code::kUnavailable, "user 0 of the container is user 0 of the engine's machine, and the operator wants another (containers.user_namespace); "
                                     "give Docker userns-remap, or use a rootless engine");
  }
  if (missing.empty()) return {};
  return Error(Code::kUnavailable, "the engine started the container otherwise than it was asked to: " + missing);
}

}  // namespace paddock::docker
