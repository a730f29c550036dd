#include "egress/address_guard.h"

#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>

#include "base/check.h"
#include "egress/socket.h"

namespace paddock::egress {
namespace {

using policy::Cidr;
using policy::IpAddress;

struct Block {
  const char* text;
  AddressKind kind;
};

// The IANA special-purpose registries, and what clouds put where. The first that contains the address decides.
constexpr Block kBlocks[] = {
    {"169.254.169.254", AddressKind::kMetadata},   // AWS, Azure, Google, …
    {"169.254.169.253", AddressKind::kMetadata},   // AWS: resolver
    {"169.254.169.123", AddressKind::kMetadata},   // AWS: time
    {"169.254.170.2", AddressKind::kMetadata},     // AWS: container credentials
    {"169.254.170.23", AddressKind::kMetadata},    // AWS: EKS pod identity
    {"100.100.100.200", AddressKind::kMetadata},   // Alibaba
    {"192.0.0.192", AddressKind::kMetadata},       // Oracle
    {"168.63.129.16", AddressKind::kMetadata},     // Azure: wire server
    {"0.0.0.0/8", AddressKind::kUndialable},
    {"10.0.0.0/8", AddressKind::kPrivate},
    {"100.64.0.0/10", AddressKind::kPrivate},
    {"127.0.0.0/8", AddressKind::kPrivate},
    {"169.254.0.0/16", AddressKind::kPrivate},
    {"172.16.0.0/12", AddressKind::kPrivate},
    {"192.0.0.0/24", AddressKind::kPrivate},
    {"192.88.99.0/24", AddressKind::kUndialable},       // 6to4 relays
    {"192.168.0.0/16", AddressKind::kPrivate},
    {"198.18.0.0/15", AddressKind::kPrivate},      // benchmarks; the engine's own mapped addresses
    {"224.0.0.0/4", AddressKind::kUndialable},
    {"240.0.0.0/4", AddressKind::kUndialable},
    {"fd00:ec2::254", AddressKind::kMetadata},     // AWS
    {"fd00:ec2::253", AddressKind::kMetadata},
    {"fd00:ec2::123", AddressKind::kMetadata},
    {"fd00:ec2::23", AddressKind::kMetadata},
    {"fd20:ce::254", AddressKind::kMetadata},      // Google
    {"::1", AddressKind::kPrivate},
    {"::/8", AddressKind::kUndialable},                 // unspecified, v4-mapped, v4-compatible
    {"64:ff9b::/96", AddressKind::kUndialable},         // NAT64
    {"64:ff9b:1::/48", AddressKind::kUndialable},
    {"100::/64", AddressKind::kUndialable},             // discard
    {"2001::/32", AddressKind::kUndialable},            // Teredo
    {"2001:db8::/32", AddressKind::kPrivate},      // documentation
    {"2001::/23", AddressKind::kUndialable},            // protocol assignments
    {"2002::/16", AddressKind::kUndialable},            // 6to4
    {"3fff::/20", AddressKind::kPrivate},          // documentation
    {"5f00::/16", AddressKind::kUndialable},            // segment routing
    {"fc00::/7", AddressKind::kPrivate},
    {"fe80::/10", AddressKind::kPrivate},
    {"fec0::/10", AddressKind::kPrivate},          // site-local, deprecated
    {"ff00::/8", AddressKind::kUndialable},
};

struct ReadBlock {
  Cidr block;
  AddressKind kind;
};

const std::vector<ReadBlock>& Blocks() {
  static const std::vector<ReadBlock> blocks = [] {
    std::vector<ReadBlock> read;
    for (const Block& block : kBlocks) {
      const auto cidr = Cidr::Parse(block.text);
      PADDOCK_CHECK(cidr);
      read.push_back({*cidr, block.kind});
    }
    return read;
  }();
  return blocks;
}

}  // namespace

AddressKind KindOf(const IpAddress& address) {
  for (const ReadBlock& block : Blocks()) {
    if (block.block.Contains(address)) return block.kind;
  }
  // What is not global unicast space has no meaning yet.
  if (address.is_v6 && (address.bytes[0] & 0xe0) != 0x20) return AddressKind::kUndialable;
  // An interface identifier of ISATAP carries an IPv4 address.
  if (address.is_v6 && (address.bytes[8] & 0xfc) == 0 && address.bytes[9] == 0 && address.bytes[10] == 0x5e &&
      address.bytes[11] == 0xfe) {
    return AddressKind::kUndialable;
  }
  return AddressKind::kPublic;
}

bool AddressGuard::IsOwn(const IpAddress& address) {
  const std::lock_guard lock(mutex_);
  const Nanoseconds now = SystemClock().MonotonicNow();
  if (!is_read_ || now - read_at_ > std::chrono::seconds(5)) {
    ifaddrs* list = nullptr;
    if (getifaddrs(&list) == 0) {
      const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owned(list, &freeifaddrs);
      own_.clear();
      for (const ifaddrs* at = list; at != nullptr; at = at->ifa_next) {
        if (at->ifa_addr == nullptr || (at->ifa_addr->sa_family != AF_INET && at->ifa_addr->sa_family != AF_INET6)) continue;
        sockaddr_storage storage{};
        std::memcpy(&storage, at->ifa_addr, at->ifa_addr->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
        own_.push_back(EndpointOf(storage).address);
      }
      is_read_ = true;
      read_at_ = now;
    }
  }
  return std::find(own_.begin(), own_.end(), address) != own_.end();
}

std::string AddressGuard::Refusal(const IpAddress& address, const std::vector<Cidr>& denied, Permission permission) {
  for (const Cidr& block : denied) {
    if (block.Contains(address)) return "address " + address.Text() + " is denied by the policy";
  }
  switch (KindOf(address)) {
    case AddressKind::kUndialable: return "address " + address.Text() + " is never dialled";
    case AddressKind::kMetadata:
      if (permission.allow_private && permission.is_named_address) return {};
      return "address " + address.Text() +
             " is a cloud's metadata service; only a rule for that address with allow_private allows it";
    case AddressKind::kPrivate:
      if (permission.allow_private) return {};
      return "address " + address.Text() + " is private; the rule needs allow_private";
    case AddressKind::kPublic: break;
  }
  if (!permission.allow_private && IsOwn(address))
    return "address " + address.Text() + " is this machine's own; the rule needs allow_private";
  return {};
}

}  // namespace paddock::egress
