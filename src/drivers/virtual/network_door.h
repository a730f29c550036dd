// NetworkDoor: the way out of virtual sandboxes: an egress engine, and streams to it instead of sockets to the world.
//
// Each connection that libcurl believes to open is one to a Unix socket in this process, whose other end the engine serves as it serves a
// SOCKS client behind the process wall: rules, resolving, the check of addresses, secrets and events are all there, once.
// docs/virtual-network.md tells the whole way.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "egress/egress.h"
#include "policy/policy.h"
#include "sandbox/denial_log.h"

namespace paddock::sandbox {

class NetworkDoor {
 public:
  // True when the policy lets anything out.
  static bool IsOpen(const policy::Policy& policy);
  // Starts the engine. Errors: kInvalid and kNoEntry for a rule or a secret's source, the engine's.
  static Result<std::unique_ptr<NetworkDoor>> Open(const policy::Policy& policy);

  // What has passed so far. Any thread.
  egress::Traffic traffic() const { return engine_->traffic(); }

  // A stream on which the engine waits for DNS messages over TCP. Never blocks.
  Result<Descriptor> ConnectDns();
  // The same for a SOCKS client that insists on calling connect(2) itself: it does so at once, then Serve() hands the other end on.
  struct Way {
    Descriptor listener;   // lives until Serve()
    Descriptor client;
    sockaddr_un address{};
    socklen_t length = 0;
  };
  Result<Way> MakeWay();
  void Serve(Descriptor listener, egress::AddressFamily family);

  // The last event about a destination since a Mark(), of one kind.
  uint64_t Mark();
  std::optional<egress::Event> LastEvent(uint64_t since, egress::Event::Kind kind, const std::string& host, uint16_t port);

  // What was refused since the last call, one line each.
  std::vector<std::string> TakeDenials();
  DenialLog& denials() { return *record_->denials; }
  // NAME, value: placeholders of secrets.
  std::vector<std::pair<std::string, std::string>> Placeholders() const { return engine_->Placeholders(); }
  // The authorities to trust, the engine's own among them; empty: the system's alone.
  Result<std::string> TrustedPem();

 private:
  NetworkDoor() = default;
  static constexpr size_t kMostEvents = 256;
  struct Record {
    std::shared_ptr<DenialLog> denials = std::make_shared<DenialLog>();
    std::mutex mutex;
    uint64_t count = 0;
    std::deque<std::pair<uint64_t, egress::Event>> events;   // the last ones
  };

  std::shared_ptr<Record> record_ = std::make_shared<Record>();
  bool shows_certificates_ = false;
  std::unique_ptr<egress::Egress> engine_;
};

}  // namespace paddock::sandbox
