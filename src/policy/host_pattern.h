// Hosts as rules name them: the one place where such text is read. It refuses; it never cleans.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/host_name.h"
#include "policy/policy.h"

namespace paddock::policy {

// The host of a rule or a binding: a name ("example.org", "localhost"), all names below one ("*.example.org"), any name ("*"), an address
// ("192.0.2.7", "2001:db8::1") or a block of them ("10.0.0.0/8").
class HostPattern {
 public:
  // Errors (kInvalid, naming the pattern): what ParseHost() refuses of a name or an address, and a trailing dot, brackets, bits set
  // behind a prefix, a `*` anywhere but alone or as the first label.
  static Result<HostPattern> Parse(std::string_view text);
  // The canonical form, which Parse() reads as this.
  std::string Text() const;
  bool Matches(const Host& host) const;
  bool IsAnyName() const { return kind_ == Kind::kAnyName; }
  // True for a pattern that is one literal address.
  bool IsSingleAddress() const { return kind_ == Kind::kBlock && block_.IsSingle(); }

 private:
  enum class Kind { kAnyName, kBelow, kName, kBlock };
  Kind kind_ = Kind::kName;
  std::string name_;   // of kBelow: with the dot in front
  Cidr block_;
};

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

// "3000": the same port outside; "8080:3000": 8080 outside; ":3000": any free one outside. Errors: kInvalid.
Result<PublishedPort> ParsePublishedPort(std::string_view text);
// The text that ParsePublishedPort() reads as this.
std::string PublishedPortText(const PublishedPort& port);

// Rules that let these hosts be reached and nothing else; without any there is no network. Errors: kInvalid with `key`, which is also the
// rules' origin.
Result<NetworkRules> AllowHosts(const std::vector<std::string>& texts, const std::string& key);

}  // namespace paddock::policy
