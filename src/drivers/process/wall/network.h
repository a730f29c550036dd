// The network of a wall, seen from inside its namespace: loopback, and the sockets on which the egress engine outside
// waits.
#pragma once

#include <pthread.h>

#include "base/result.h"
#include "base/descriptor.h"
#include "drivers/process/wall/plan.h"

namespace paddock::process_wall {

// Of the calling thread's network namespace.
Status BringUpLoopback();
// Connections to any address arrive at loopback.
Status CaptureNetwork();
Result<Descriptor> MakeListener(const ListenerSpec& spec);

// Makes a network namespace on a thread of its own, since the kernel takes its time for one, and bounds the user namespace.
// Nothing but Join() gives the caller anything of it.
class NetworkBuilder {
 public:
  NetworkBuilder() = default;
  ~NetworkBuilder();
  NetworkBuilder(const NetworkBuilder&) = delete;
  NetworkBuilder& operator=(const NetworkBuilder&) = delete;

  Status Start(bool forbids_namespaces);
  // Waits until it is there, with loopback up, and takes the calling thread into it. The other thread has ended then.
  Status Join();

 private:
  void Make();

  pthread_t thread_{};
  bool is_running_ = false;
  bool forbids_namespaces_ = false;
  Status result_;
  Descriptor space_;
};

}  // namespace paddock::process_wall
