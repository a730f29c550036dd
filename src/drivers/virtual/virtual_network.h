// VirtualNetwork: proc::Network of a virtual sandbox: libcurl's multi interface on the fibers of the sandbox, through the door.
#pragma once

#include "drivers/virtual/network_door.h"
#include "io/poll_waiter.h"
#include "proc/kernel.h"
#include "proc/network.h"

namespace paddock::sandbox {

class VirtualNetwork final : public proc::Network {
 public:
  // All outlive it.
  VirtualNetwork(NetworkDoor& door, proc::Kernel& kernel, io::PollWaiter& waiter) : door_(door), kernel_(kernel), waiter_(waiter) {}
  Result<std::unique_ptr<proc::HttpClient>> NewHttpClient() override;
  Result<std::string> AskDns(std::string_view query) override;

 private:
  // Each takes descriptors of the host: a sandbox has so many at once, and further ones wait for their turn.
  static constexpr int kMostClients = 32;

  NetworkDoor& door_;
  proc::Kernel& kernel_;
  io::PollWaiter& waiter_;
  int clients_ = 0;
};

}  // namespace paddock::sandbox
