// Sizes, durations and ports as people write them in a policy, and back.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"

namespace paddock::policy {

// "512MiB", "2G", "1.5k", "10MB", "4096": K, M, G, T and KiB… are powers of 1024; kB (KB), MB… of 1000. Errors: kInvalid.
Result<uint64_t> ParseSize(std::string_view text);
// "30s", "5m", "1.5h", "2d", "250ms", "10us": always with a unit, more than zero, less than 100 years. Errors: kInvalid.
Result<std::chrono::nanoseconds> ParseTimeSpan(std::string_view text);
// "443", "8000-8999": 1 … 65535, first not above last. Errors: kInvalid.
Result<PortRange> ParsePorts(std::string_view text);

// The shortest form that reads back as the same: "512MiB", "30s", "8000-8999".
std::string SizeText(uint64_t bytes);
std::string TimeSpanText(std::chrono::nanoseconds time);
std::string PortsText(PortRange ports);
// "443,8000-8999"; empty for none.
std::string PortsText(const std::vector<PortRange>& ports);

}  // namespace paddock::policy
