// paddock run --server, --template: a fresh sandbox of a daemon for one script or command, deleted behind it.
#pragma once

#include <string>
#include <vector>

#include "cli/client/link.h"

namespace paddock::cli {

struct RemoteRun {
  LinkOptions link;
  std::string isolation;                // empty: the daemon's own choice
  std::string template_name;            // that it begins from; empty: none
  std::vector<std::string> command;     // what runs; its stdin is ours when `has_input`. Empty: what the template's image names
  bool has_input = true;
  std::string cwd;
  std::vector<std::string> environment, limits, hosts;   // as behind --env, --limits and --allow-host
};

// The exit status, as paddock exec's. The sandbox is deleted also when Ctrl-C ends the command; where this program is killed, its lease
// does so, ten idle minutes later.
Result<int> RunInDaemon(const RemoteRun& run);

}  // namespace paddock::cli
