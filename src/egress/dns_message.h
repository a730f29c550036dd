// DNS questions and answers (RFC 1035), as much as a server needs that knows addresses of names and nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/ip_address.h"

namespace paddock::egress {

enum class DnsType : uint16_t { kA = 1, kPtr = 12, kAaaa = 28 };
enum class DnsStatus : uint8_t {
  kNoError = 0,
  kFormatError = 1,
  kServerFailure = 2,
  kNoName = 3,
  kNotImplemented = 4,
  kRefused = 5
};

struct DnsQuestion {
  uint16_t id = 0;
  bool is_recursion_desired = false;
  std::string name;            // labels joined by '.', lower case; without the root's dot; "" is the root
  uint16_t type = 0;
  uint16_t klass = 0;
  std::string encoded;         // the question section as it came, to be repeated
  // Set when the header is a query's but the rest is not as it must be: answer with that and nothing else.
  DnsStatus problem = DnsStatus::kNoError;
};

// Nothing when the message deserves no answer (too short, or itself an answer). Labels with bytes other than
// letters, digits, '-' and '_' are a format error, as are compressed names, several questions and bytes behind the message.
std::optional<DnsQuestion> ParseDnsQuestion(std::string_view message);

// An answer with at most one address record.
std::string BuildDnsAnswer(const DnsQuestion& question, DnsStatus status, const std::optional<policy::IpAddress>& address);

}  // namespace paddock::egress
