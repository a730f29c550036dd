// Directories between this machine and a sandbox of a daemon.
#pragma once

#include <string>

#include "cli/client/interrupts.h"
#include "cli/client/link.h"

namespace paddock::cli {

struct Place {
  std::string sandbox;   // empty: this machine
  std::string path;
};

struct TreeCopy {
  const LinkOptions& link;      // for what has to be put in order after a failure
  const Interrupts& interrupts;
  bool is_quiet = false;
};

// As paddock cp does: a file or a directory, with what a target means. "-" is stdin or stdout. In cp.cc.
Status CopyIn(Link& link, const std::string& from, Place to, const TreeCopy& copy);
Status CopyOut(Link& link, const Place& from, std::string to, const TreeCopy& copy);

// Both copy what is in the directory `from` into the directory `to`, which is made where it is missing: then it is there as a whole in the end, or
// not at all. In one that is there directories are merged, and files replace what is no directory. Symlinks are copied as such, and not followed on
// the way to anything; sockets, FIFOs and devices are left out, and named. What could not be read is named, and makes an error of the end.

// `to.path` is absolute.
Status CopyTreeIn(Link& link, const std::string& from, const Place& to, const TreeCopy& copy);
// The sandbox, and the daemon, may be hostile. Nothing is made but below `to`; modes are less the umask and without set-user-id and set-group-id bits; owners
// are ours (of root: the owner's of the directory).
Status CopyTreeOut(Link& link, const Place& from, const std::string& to, const TreeCopy& copy);
// Both in sandboxes; the archive goes from the one answer into the other request. `from` and `to` are absolute, links to the same daemon.
Status CopyTreeBetween(Link& source, const Place& from, Link& target, const Place& to, const TreeCopy& copy);
// As a tar archive, to stdout.
Status WriteArchive(Link& link, const Place& from);

}  // namespace paddock::cli
