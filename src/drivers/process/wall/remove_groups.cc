#include "drivers/process/wall/remove_groups.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "base/descriptor.h"

namespace paddock::process_wall {

void RemoveGroups(const std::vector<std::string>& directories) {
  constexpr int kMostTries = 400;
  constexpr timespec kBetween{.tv_sec = 0, .tv_nsec = 500'000};
  int tries = 0;
  for (const std::string& directory : directories) {
    while (rmdir(directory.c_str()) != 0 && errno == EBUSY && ++tries < kMostTries) nanosleep(&kBetween, nullptr);
  }
}

void RemoveOrphanGroups(std::string_view directory, const WipedPages& buffer) {
  constexpr time_t kNew = 60;
  const std::string_view parent = directory.substr(0, directory.rfind('/'));
  if (parent.size() >= buffer.size()) return;
  parent.copy(buffer.data(), parent.size());
  buffer.data()[parent.size()] = '\0';
  const Descriptor list(open(buffer.data(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  long got = 0;
  // As the kernel writes them, since readdir(3) would keep them where copies of this process had them.
  while (list.is_open() && (got = syscall(SYS_getdents64, list.get(), buffer.data(), buffer.size())) > 0) {
    for (long at = 0; at < got;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(buffer.data() + at);
      at += entry->d_reclen;
      if (!std::string_view(entry->d_name).starts_with("paddock-")) continue;
      struct stat status{};
      if (fstatat(list.get(), entry->d_name, &status, 0) == 0 && status.st_mtime + kNew < time(nullptr)) {
        unlinkat(list.get(), entry->d_name, AT_REMOVEDIR);
      }
    }
  }
}

}  // namespace paddock::process_wall
