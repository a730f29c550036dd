#include "guest/agent/tree_walk.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace paddock::guest {
namespace {

constexpr size_t kMaxPath = 4095, kMaxName = 255;
// Enough to name a directory; works also where it cannot be read.
constexpr int kPlace = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

Descriptor Enter(int folder, const std::string& name, bool makes) {
  int fd = openat(folder, name.c_str(), kPlace);
  if (fd < 0 && errno == ENOENT && makes) {
    if (mkdirat(folder, name.c_str(), 0755) != 0 && errno != EEXIST) return {};
    fd = openat(folder, name.c_str(), kPlace);
  }
  return Descriptor(fd);
}

}  // namespace

bool SplitName(std::string_view name, std::vector<std::string>& components, int& error) {
  components.clear();
  error = name.size() > kMaxPath ? ENAMETOOLONG : name.find('\0') != std::string_view::npos ? EINVAL : 0;
  for (size_t begin = 0; error == 0 && begin <= name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    const std::string_view component = name.substr(begin, end - begin);
    begin = end + 1;
    if (component.empty() || component == ".") continue;
    if (component == "..") error = EPERM;
    if (component.size() > kMaxName) error = ENAMETOOLONG;
    components.emplace_back(component);
  }
  return error == 0;
}

int TreeWalk::Parent(const std::vector<std::string>& components, bool makes) {
  if (components.size() <= 1) return root_.get();
  const std::vector<std::string> parents(components.begin(), components.end() - 1);
  if (parent_ && parents == parents_) return parent_.get();
  parent_.Reset();
  Descriptor here = Enter(root_.get(), parents[0], makes);
  for (size_t i = 1; here && i < parents.size(); ++i) here = Enter(here.get(), parents[i], makes);
  if (!here) return -1;
  parents_ = parents;
  parent_ = std::move(here);
  return parent_.get();
}

}  // namespace paddock::guest
