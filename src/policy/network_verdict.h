// What the network rules say about a destination or a request. Pure: resolves nothing and opens nothing.
//
// A rule's host is compared with the name that the client asked for, never with a name found by looking an address up, and
// "*" and "*.example.org" mean names only: a literal address needs a rule that contains it. A denying rule wins over every
// allowing one; where it cannot be decided whether a denying rule holds (its methods or paths are not to be seen, or the
// path can be read in two ways), it holds.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/host_pattern.h"
#include "policy/policy.h"

namespace paddock::policy {

// No ports means any.
bool MatchesPort(const std::vector<PortRange>& ports, uint16_t port);

// A request's path, prepared for comparing with prefixes.
struct RequestPath {
  std::string plain;       // without the query; unreserved characters decoded (%41 is A), other escapes in upper case
  std::string collapsed;   // everything decoded, '\' as '/', no empty, '.' or '..' segments, lower case: for denying rules
  bool is_ambiguous = false;   // has '.' or '..' segments in some reading, a bad escape, a NUL: no prefix is allowed

  // `target`: the origin form ("/a/b?c") or "*".
  static RequestPath Parse(std::string_view target);
};

// True when `prefix` is the path or ends at one of its segment borders: "/a" has "/a" and "/a/b" but not "/ab". "/" has all.
bool HasPathPrefix(std::string_view path, std::string_view prefix);

struct NetworkVerdict {
  enum class Kind {
    kAllow,
    kDeny,
    kAskRequest,   // of Connection() only: each request decides; opaque streams are denied
  };
  Kind kind = Kind::kDeny;
  bool terminate_tls = false;        // TLS to here is to be opened
  bool is_never_opened = false;      // TLS to here must not be opened (mitm_hosts_excluded)
  bool allow_private = false;
  bool is_named_address = false;     // the deciding rule is exactly this one literal address
  bool is_any_name = false;          // allowed by a "*" rule and no denying rule depends on the name
  std::string origin;                // of the deciding rule; empty when none
  std::string reason;                // of a denial
};

// Rules, read once and immutable: share it between threads.
class NetworkRuleSet {
 public:
  // Errors: kInvalid for a host pattern, port range, method, path or CIDR that does not parse; names the rule.
  static Result<std::shared_ptr<const NetworkRuleSet>> Compile(NetworkRules rules);

  // May a stream to here be opened, knowing no more than that?
  NetworkVerdict Connection(const Host& host, uint16_t port) const;
  // May this request be sent there? `method` in upper case.
  NetworkVerdict Request(const Host& host, uint16_t port, std::string_view method, const RequestPath& path) const;
  // Could an address be needed for this name, on any port? (For DNS.)
  NetworkVerdict Name(const Host& host) const;
  // Does a denying rule without methods and paths name this host and port? (For a server name inside an allowed address.)
  const NetworkRule* DenyingRule(const Host& host, uint16_t port) const;

  const NetworkRules& rules() const { return rules_; }
  const std::vector<Cidr>& denied_addresses() const { return denied_addresses_; }
  bool HasHostPort(uint16_t port) const;
  // True when a connection to here goes through NetworkRules::upstream_proxy.
  bool UsesUpstream(const Host& host) const;

 private:
  struct Compiled {
    HostPattern host;
    size_t index;   // in rules_.rules
  };
  const NetworkRule& rule(const Compiled& compiled) const { return rules_.rules[compiled.index]; }
  bool IsNeverOpened(const Host& host) const;
  NetworkVerdict Denied(const Compiled* by, std::string reason) const;
  NetworkVerdict Allowed(const Compiled& by) const;

  NetworkRules rules_;
  std::vector<Compiled> allowing_, denying_;
  std::vector<Cidr> denied_addresses_;
  std::vector<HostPattern> no_upstream_, never_opened_;
};

}  // namespace paddock::policy
