#include "commands/file/disk_unit.h"

#include "proc/kernel.h"
#include "text/numbers.h"

namespace paddock {

BlockSize UnitFromEnvironment(const Environment& environment, const char* own_variable) {
  for (const char* variable : {own_variable, "BLOCK_SIZE", "BLOCKSIZE"}) {
    const auto text = environment.Get(variable);
    if (!text) continue;
    if (auto size = ParseBlockSize(*text)) return std::move(*size);
    // The number counts even when what follows it makes no sense; without one it is the smallest unit.
    const SizeNumber number = ParseSize(*text, "");
    if (number.state == NumberState::kOk && number.value == 0) break;
    return BlockSize::Of(number.state == NumberState::kBadSuffix && number.value > 0 ? number.value : 1);
  }
  return BlockSize::Of(environment.Get("POSIXLY_CORRECT") ? 512 : 1024);
}

std::string MountPointOf(Invocation& in, const std::string& path, vfs::Follow follow) {
  const auto canonical = in.fs.Canonical(follow == vfs::Follow::kYes ? path : vfs::DirectoryName(path));
  if (!canonical) return "?";
  std::string best = "/";
  for (const auto& mount : in.kernel.names().mounts()) {
    const std::string& point = mount.path;
    const bool is_inside = canonical->starts_with(point) &&
                           (canonical->size() == point.size() || (*canonical)[point.size()] == '/');
    if (point.size() > best.size() && is_inside) best = point;
  }
  return best;
}

}  // namespace paddock
