// NameTable: the addresses that stand for names. DNS inside answers 198.18.0.0/15 (set apart for benchmarks, never
// routed), one address a name for the engine's life, so that a connection to that address is a connection to that name.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "policy/ip_address.h"

namespace paddock::egress {

class NameTable {
 public:
  static constexpr size_t kMost = 65536;

  // The name's address, given now if it has none. Nothing when the table is full.
  std::optional<policy::IpAddress> AddressOf(const std::string& name);
  // The name behind a mapped address.
  std::optional<std::string> NameOf(const policy::IpAddress& address) const;
  // True for the whole block, given out or not.
  static bool IsMapped(const policy::IpAddress& address);

 private:
  std::vector<std::string> names_;   // by number
  std::unordered_map<std::string, size_t> numbers_;
};

}  // namespace paddock::egress
