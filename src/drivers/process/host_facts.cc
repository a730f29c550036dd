#include "drivers/process/host_facts.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "drivers/process/host_traces.h"
#include "guest/sandbox/guest_program.h"

namespace paddock::process_wall {

namespace {

std::vector<std::string> FindKernelFiles() {
  std::vector<std::string> found;
  for (const char* path : TellingKernelFiles()) {
    struct stat status{};
    // What only root may read needs no mask: nobody inside is root to the host.
    if (lstat(path, &status) == 0 && (status.st_mode & (S_IROTH | S_IWOTH)) != 0) found.emplace_back(path);
  }
  return found;
}

}  // namespace

Result<HostFacts> ReadHostFacts() {
  HostFacts facts;
  facts.uid = geteuid();
  facts.gid = getegid();
  facts.is_root = facts.uid == 0;
  std::array<char, 16 << 10> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(facts.uid, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr) {
    facts.user = found->pw_name;
    facts.home = found->pw_dir;
  }
  // As root the code inside is another user, who wants a name of its own.
  if (facts.is_root || facts.user.empty()) facts.user = "agent";
  if (facts.home.empty() || facts.home.front() != '/' || facts.home == "/") facts.home = "/home/agent";
  PADDOCK_ASSIGN(facts.guest_program, guest::FindGuestProgram());
  facts.kernel_files = FindKernelFiles();
  return facts;
}

}  // namespace paddock::process_wall
