// SocketDenials: reads what a wall's socket guard (wall/socket_guard.h) has refused, for results. What comes may be forged by code inside that
// has taken over its process 1, so it is bounded and made printable.
#pragma once

#include <mutex>
#include <string>

#include "base/descriptor.h"
#include "sandbox/denial_log.h"

namespace paddock::process_wall {

class SocketDenials {
 public:
  // `pipe` does not block; it holds paths, each with a NUL behind it.
  explicit SocketDenials(Descriptor pipe) : pipe_(std::move(pipe)) {}
  // Adds what has come since the last call. Safe from any thread.
  void MoveTo(sandbox::DenialLog& log);

 private:
  std::mutex mutex_;
  const Descriptor pipe_;
  std::string rest_;   // of a path whose end has not come
};

}  // namespace paddock::process_wall
