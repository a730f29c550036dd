// Which unix sockets with a path belong to this network namespace: what the kernel's sock_diag tells.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "base/descriptor.h"

namespace paddock::process_wall {

// A file as the kernel's tables number it: its file system (major << 20 | minor) and the low half of its inode's number.
struct SocketFile {
  uint32_t device = 0;
  uint32_t inode = 0;
  bool operator==(const SocketFile&) const = default;
};

// Made in the namespace it tells of. Safe from any thread; takes no memory.
class BoundSockets {
 public:
  BoundSockets();
  BoundSockets(const BoundSockets&) = delete;
  BoundSockets& operator=(const BoundSockets&) = delete;

  // False on a kernel without unix_diag.
  bool is_available() const { return is_available_; }
  // Whether a socket of the namespace that is bound, and not yet connected, lies at this file.
  bool Has(SocketFile file);
  // For who moves it to another table of descriptors.
  Descriptor& descriptor() { return socket_; }

 private:
  enum class Answer { kYes, kNo, kFailed };
  Answer Ask(SocketFile file);

  Descriptor socket_;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  bool is_available_ = false;
};

}  // namespace paddock::process_wall
