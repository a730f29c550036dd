// What the driver must know of the host to plan a wall: who runs it, and what the kernel and its administrator allow.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"

namespace paddock::process_wall {

struct HostFacts {
  uid_t uid = 0;
  gid_t gid = 0;
  bool is_root = false;
  std::string user;            // name of uid, "agent" if it has none or is root
  std::string home;            // of uid; absolute
  std::string guest_program;   // the paddock-guest beside this program
  std::vector<std::string> kernel_files;   // in /proc: what tells everybody of the host or lets it be steered
};

// Errors: kUnavailable if paddock-guest is not found.
Result<HostFacts> ReadHostFacts();

}  // namespace paddock::process_wall
