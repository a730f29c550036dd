// AddressGuard: which addresses the engine never dials, whatever name they were found under.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "policy/ip_address.h"

namespace paddock::egress {

// What kind of address it is, for the verdict and its text.
enum class AddressKind {
  kPublic,
  kPrivate,    // private, shared (CGNAT), loopback, link-local, unique local: a rule may allow it
  kMetadata,   // the clouds' metadata services: only a rule that is exactly this address allows it
  kUndialable,      // no host: unspecified, multicast, broadcast, reserved, and IPv6 forms that carry an IPv4 address
};
AddressKind KindOf(const policy::IpAddress& address);

class AddressGuard {
 public:
  struct Permission {
    bool allow_private = false;
    bool is_named_address = false;   // the rule is this one address
  };
  // Empty when the address may be dialled, else why not. `denied` holds in any case. Any thread.
  std::string Refusal(const policy::IpAddress& address, const std::vector<policy::Cidr>& denied, Permission permission);

 private:
  // The host's own addresses count as private: what listens there may trust the machine. Read again every few seconds.
  bool IsOwn(const policy::IpAddress& address);

  std::mutex mutex_;
  std::vector<policy::IpAddress> own_;
  Nanoseconds read_at_{};
  bool is_read_ = false;
};

}  // namespace paddock::egress
