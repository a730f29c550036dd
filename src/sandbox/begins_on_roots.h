// Facets of walls whose sandboxes stand on a root file system that came as a tree of files: of a driver that makes them on one, and of a
// sandbox whose root goes out as one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/stream.h"
#include "sandbox/keeps_sandboxes.h"

namespace paddock::sandbox {

// A root file system. Equal names are equal files, whoever has them.
struct RootTree {
  std::string name;      // 64 hexadecimal digits
  std::string machine;   // that its programs are for, as uname says it ("x86_64"); empty: any, or it is not known
  // The files as a tar archive, from its beginning; each time that it is asked.
  std::function<Result<std::unique_ptr<ByteSource>>()> open;
};

// How the programs of a root want to be started, as far as the root's image says.
struct RootConfig {
  std::vector<std::string> environment;   // NAME=value
  std::vector<std::string> entrypoint, command;
  std::string working_directory, user;
};

using TarSink = std::function<Status(std::string_view)>;

// Facet of a Driver that is a KeepsSandboxes. Any thread. Archives that come out are as hostile as what runs inside.
class BeginsOnRoots {
 public:
  virtual ~BeginsOnRoots() = default;
  // As KeepsSandboxes::Make(), on that root instead of what the spec names. What the wall makes of the root is made once, whoever begins on
  // it, and kept until DropRoot() or SweepRoots(). Errors: also those of `open`, kNotSupported for another machine's root.
  virtual Result<std::unique_ptr<Sandbox>> MakeOn(const RootTree& root, const SandboxSpec& spec, const KeptOwner& owner,
                                                  const std::function<Status(const std::string& key)>& remember) = 0;
  // Whether what users of a sandbox change is its root: it has no workspace apart from that.
  virtual bool has_own_roots() const = 0;
  // The root that the sandbox of that key began on. Errors: kNoEntry.
  virtual Status PackBeginning(const SandboxSpec& spec, const std::string& key, const TarSink& sink) = 0;
  // Of a root that was packed: paths (relative) of what the wall put there; with a "/" behind it what lies below.
  virtual std::vector<std::string> WallsOwn() const = 0;
  // Takes away what was made of a root, unless a sandbox stands on it. Idempotent.
  virtual Status DropRoot(const SandboxSpec& spec, const std::string& name) = 0;
  // Takes away what was made of the roots that `is_needed` does not know and that no sandbox stands on. Of this deployment's; one line for each.
  virtual Result<std::vector<std::string>> SweepRoots(const std::function<bool(const std::string& name)>& is_needed) = 0;
};

// Facet of a Sandbox whose root goes out. Any thread.
class PacksRoot {
 public:
  virtual ~PacksRoot() = default;
  // All below "/" but what is mounted there: the workspace is in it where the driver has_own_roots(). What runs stands still meanwhile.
  virtual Status PackRoot(const TarSink& sink) = 0;
  // Of the root that it began on.
  virtual Result<RootConfig> ReadRootConfig() = 0;
  // Where the workspace lies: absolute.
  virtual std::string workspace() const = 0;
};

}  // namespace paddock::sandbox
