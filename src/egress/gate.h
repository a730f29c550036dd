// Gate: where a destination becomes a connection or a denial. Rules, resolving, the address check, dialling and the events
// of all that; the protocols above only find out where a client wants to go.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>

#include "egress/address_guard.h"
#include "egress/egress.h"
#include "egress/event_queue.h"
#include "egress/name_table.h"
#include "egress/resolver.h"
#include "egress/socket.h"
#include "policy/network_verdict.h"

namespace paddock::egress {

// Where a client wants to go, and what is known about how it asked.
struct Destination {
  policy::Host host;
  uint16_t port = 0;
  std::string protocol;   // Event::protocol
  AddressFamily family = AddressFamily::kAny;
};

// What the protocol tells the client when nothing was opened.
struct Refusal {
  Event::Kind kind = Event::Kind::kDenied;   // or kFailed
  std::string reason;
  std::string rule;
};

// A stream to the outside and where it goes.
struct Upstream {
  std::unique_ptr<Socket> socket;
  std::string address;               // as dialled; of an upstream proxy: the proxy's
  policy::IpAddress checked;
  bool is_through_proxy = false;
};

template <class T>
struct Opened {
  T value;
  Refusal refusal;   // when value is empty
};

class Gate {
 public:
  Gate(Reactor& reactor, EventQueue& events, Resolver::Lookup lookup, Limits limits,
       std::shared_ptr<const policy::NetworkRuleSet> rules);

  std::shared_ptr<const policy::NetworkRuleSet> rules() const;   // any thread
  // Any thread. Running tunnels are looked at again on the reactor's.
  void SetRules(std::shared_ptr<const policy::NetworkRuleSet> rules);

  // Resolves, checks and dials. The verdict is one that allowed. Reports a refusal, not a success.
  Opened<std::unique_ptr<Upstream>> Open(const Destination& to, const policy::NetworkVerdict& verdict, Event draft);
  // Whether a connection that is open already may serve a request that `verdict` allowed; empty or why not.
  std::string AddressRefusal(const policy::IpAddress& address, const policy::NetworkVerdict& verdict);
  // The host's loopback, for NetworkRules::host_ports.
  Opened<std::unique_ptr<Upstream>> OpenHostPort(uint16_t port, Event draft);

  // Something under way that was allowed: an opaque tunnel, an exchange. Cut when new rules would not allow it.
  class Tunnel {
   public:
    using Judge = std::function<bool(const policy::NetworkRuleSet&)>;
    Tunnel(Gate& gate, Judge is_allowed, Stream& client, Stream& upstream);
    ~Tunnel();
    Tunnel(const Tunnel&) = delete;
    Tunnel& operator=(const Tunnel&) = delete;
    void CutIfDenied();

   private:
    Gate& gate_;
    const Judge is_allowed_;
    Stream& client_;
    Stream& upstream_;
    std::list<Tunnel*>::iterator place_;
  };

  // Allows what the rules allow to that destination whatever it carries.
  static Tunnel::Judge WholeStream(const Destination& to);

  // Events of a verdict. `draft` has protocol, host, port and what is known of the request.
  static Event Draft(const Destination& to);
  void Allowed(Event draft, const std::string& rule, const std::string& address);
  Refusal Denied(Event draft, const policy::NetworkVerdict& verdict);
  Refusal Denied(Event draft, std::string reason, std::string rule = {});
  Refusal Failed(Event draft, std::string reason);
  void Report(Event event) { events_.Push(std::move(event)); }

  NameTable& names() { return names_; }
  Reactor& reactor() { return reactor_; }
  const Limits& limits() const { return limits_; }
  const TrafficCount& traffic() const { return traffic_; }   // of all that was dialled; any thread

 private:
  Opened<std::unique_ptr<Upstream>> OpenThroughProxy(const Destination& to, const policy::NetworkRuleSet& rules, Event draft);
  Opened<std::unique_ptr<Upstream>> DialFirst(const std::vector<policy::IpAddress>& addresses, uint16_t port, Event draft);

  Reactor& reactor_;
  EventQueue& events_;
  Resolver resolver_;
  AddressGuard guard_;
  NameTable names_;
  const Limits limits_;
  TrafficCount traffic_;
  std::list<Tunnel*> tunnels_;
  mutable std::mutex mutex_;
  std::shared_ptr<const policy::NetworkRuleSet> rules_;   // guarded by mutex_
};

// "could not connect" and the like, from a failed call.
std::string FailureText(const Error& error);

}  // namespace paddock::egress
