#include "guest/sandbox/guest_program.h"

#include <unistd.h>

#include <array>
#include <climits>

namespace paddock::guest {

Result<std::string> FindGuestProgram() {
  std::array<char, PATH_MAX> self{};
  const ssize_t length = readlink("/proc/self/exe", self.data(), self.size() - 1);
  if (length <= 0) return Error(Code::kUnavailable, "cannot find this program's own file in /proc");
  std::string path(self.data(), static_cast<size_t>(length));
  path.resize(path.rfind('/'));
  path += "/paddock-guest";
  if (access(path.c_str(), X_OK) != 0) return Error(Code::kUnavailable, path + " is missing: real walls need it beside the paddock program");
  return path;
}

}  // namespace paddock::guest
