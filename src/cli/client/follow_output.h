// The output of a daemon's process on our own streams.
#pragma once

#include <string>

#include "cli/client/link.h"

namespace paddock::cli {

// Writes what the process at `path` (/v1/sandboxes/…/processes/…) wrote and will write, until it ends; the process then. A connection
// that breaks is made anew and goes on where it was, for as long as half a minute. kIo when nobody reads our output.
Result<json::object> FollowOutput(Link& link, const std::string& path);
// Writes what it wrote so far.
Status CopyOutput(Link& link, const std::string& path);
struct LogView {
  bool follows = false;     // until the sandbox is deleted; goes on where it was, as above
  bool has_times = false;   // "TIME PROCESS " in front of each line
};
// Writes the log of a sandbox at `path` (/v1/sandboxes/…/logs); `query` begins with '&' or is empty.
Status CopyLog(Link& link, const std::string& path, const std::string& query, const LogView& view);
// What this program says for a process that ended so: its exit code; 128 + N for a signal, 124 for a timeout, 130 for what was cancelled, else 125.
int StatusOfProcess(const json::object& process);

}  // namespace paddock::cli
