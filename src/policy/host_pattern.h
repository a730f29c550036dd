// Hosts as rules name them: the one place where such text is read. It refuses; it never cleans.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"

namespace paddock::policy {

// The canonical form of a rule's host: a name in lower case ("example.org", "*.example.org", "localhost"), "*", an
// address ("192.0.2.7", "2001:db8::1") or a CIDR with no bits set behind its prefix ("10.0.0.0/8").
// Errors (kInvalid): labels that are empty, longer than 63, or hold anything but letters, digits, `-` and `_`; a
// trailing dot; numbers that some resolvers take for addresses ("127.1", "0x7f.1"); names in Unicode (write them as
// xn--…); a `*` anywhere but as the first label of a name with a dot.
Result<std::string> ParseHostPattern(std::string_view text);

// "10.0.0.0/8" or a single address, canonical. Errors: kInvalid.
Result<std::string> ParseAddressRange(std::string_view text);

struct HostAndPorts {
  std::string host;
  std::vector<PortRange> ports;   // empty: none given
};

// "example.org", "example.org:443", "example.org:80,8000-8999", "[2001:db8::1]:443", "2001:db8::1", "10.0.0.0/8:22".
// Errors: kInvalid.
Result<HostAndPorts> ParseHostAndPorts(std::string_view text);

// The text that ParseHostAndPorts() reads as this.
std::string HostAndPortsText(std::string_view host, const std::vector<PortRange>& ports);

// Rules that let these hosts be reached and nothing else; without any there is no network. Errors: kInvalid with `key`, which is also the
// rules' origin.
Result<NetworkRules> AllowHosts(const std::vector<std::string>& texts, const std::string& key);

}  // namespace paddock::policy
