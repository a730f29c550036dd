// PublishedPorts: ports inside a sandbox that the host reaches on its own loopback. Connections go through the guest
// agent, so nothing of the sandbox's network touches the host's.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/descriptor.h"
#include "guest/client/client.h"
#include "policy/policy.h"

namespace paddock::process_wall {

class PublishedPorts {
 public:
  // Listens on 127.0.0.1 for each. Errors: the system's, naming the port.
  static Result<std::unique_ptr<PublishedPorts>> Open(std::shared_ptr<guest::Client> client, const std::vector<policy::PublishedPort>& ports);
  // Closes every connection.
  ~PublishedPorts();
  PublishedPorts(const PublishedPorts&) = delete;
  PublishedPorts& operator=(const PublishedPorts&) = delete;

  // With the numbers that were chosen where the host's was 0.
  const std::vector<policy::PublishedPort>& ports() const { return ports_; }

  static constexpr size_t kMostConnections = 256;   // at once; more are closed

 private:
  struct Bridge {
    Descriptor socket;
    uint16_t port = 0;
    std::thread outward, inward;
    std::unique_ptr<guest::GuestConnection> connection;
    std::atomic<bool> is_over{false};
  };
  PublishedPorts() = default;
  Status Listen(policy::PublishedPort port);
  void Accept();
  void Carry(Bridge& bridge);
  void CarryInward(Bridge& bridge);
  void ReapBridges(bool waits);

  std::shared_ptr<guest::Client> client_;
  std::vector<policy::PublishedPort> ports_;
  std::vector<Descriptor> listeners_;
  Descriptor stop_;
  std::atomic<bool> is_stopping_{false};
  std::list<std::unique_ptr<Bridge>> bridges_;   // of the acceptor's thread
  std::thread acceptor_;
};

}  // namespace paddock::process_wall
