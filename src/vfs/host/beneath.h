// Opening host files strictly below one directory. Not an interface of the folder.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/result.h"

namespace paddock::vfs {

// The code of an errno value; kIo for what has none.
Code CodeOf(int error_number);

// Owns a descriptor of the host.
class HostDescriptor {
 public:
  HostDescriptor() = default;
  explicit HostDescriptor(int number) : number_(number) {}
  HostDescriptor(HostDescriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  HostDescriptor& operator=(HostDescriptor&& other) noexcept;
  ~HostDescriptor();
  int get() const { return number_; }
  int Release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

class BeneathOpener {
 public:
  // `uses_openat2` false walks component by component with O_NOFOLLOW, as on kernels before 5.6.
  BeneathOpener(HostDescriptor root, bool uses_openat2)
      : root_(std::move(root)), uses_openat2_(uses_openat2) {}

  // Opens `path`, relative and without "..", with open(2) flags; close-on-exec, no symlink
  // followed, not even as the last component. Empty is the root. A symlink on the way is kNoEntry:
  // the caller saw a directory there.
  Result<HostDescriptor> Open(const std::string& path, int flags, uint32_t mode = 0);
  int root() const { return root_.get(); }

  static bool HasOpenat2();

 private:
  int OpenAtOnce(const std::string& path, int flags, uint32_t mode) const;
  int OpenStepwise(const std::string& path, int flags, uint32_t mode) const;

  HostDescriptor root_;
  bool uses_openat2_;
};

}  // namespace paddock::vfs
