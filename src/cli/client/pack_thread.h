// A directory of this machine as a tar archive, made while it is read.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "vfs/host/host_volume.h"
#include "vfs/view.h"

namespace paddock::cli {

// A directory of this machine, as a tree of files that nothing leads out of.
class HostTree {
 public:
  static Result<HostTree> Open(const std::string& path, vfs::HostAccess access);

  std::unique_ptr<vfs::Namespace> names;
  std::unique_ptr<vfs::View> view;

 private:
  explicit HostTree(vfs::VolumePtr volume);
};

// What its archive will have, about.
uint64_t SizeOfTree(const std::string& path);

// Packs in a thread of its own; the other end of its pipe is the request's body.
class PackThread {
 public:
  // `name`: what the archive calls the root, with a slash at its end. `tree` outlives it.
  PackThread(HostTree& tree, const std::string& name);
  ~PackThread() { Join(); }
  PackThread(const PackThread&) = delete;
  PackThread& operator=(const PackThread&) = delete;

  // 0 is the end of the whole archive.
  Result<size_t> Read(std::span<char> buffer);
  // After the end: the complaints, as paddock `subcommand`'s. True if something was left out that ought not to be.
  bool PrintLeftOut(const char* subcommand);

 private:
  void Join();
  void LeftOut(const std::string& path, const Error& why);

  HostTree& tree_;
  const std::string name_;
  Descriptor read_, write_;
  Status status_;   // of the packing; read after the thread has ended
  std::vector<std::string> lines_;
  size_t more_ = 0;
  bool has_unreadable_ = false;
  std::thread thread_;
};

}  // namespace paddock::cli
