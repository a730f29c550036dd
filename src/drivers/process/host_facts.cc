#include "drivers/process/host_facts.h"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <climits>

namespace paddock::process_wall {

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
  std::array<char, PATH_MAX> self{};
  const ssize_t length = readlink("/proc/self/exe", self.data(), self.size() - 1);
  if (length <= 0) return Error(Code::kUnavailable, "cannot find this program's own file in /proc");
  std::string path(self.data(), static_cast<size_t>(length));
  path.resize(path.rfind('/'));
  facts.guest_program = path + "/paddock-guest";
  if (access(facts.guest_program.c_str(), X_OK) != 0) {
    return Error(Code::kUnavailable, facts.guest_program + " is missing: the process wall needs it beside the paddock program");
  }
  return facts;
}

}  // namespace paddock::process_wall
