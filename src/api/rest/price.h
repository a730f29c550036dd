// Price: what usage costs by the rates of the configuration, in whole billionths of the currency.
#pragma once

#include <cstdint>
#include <string>

#include "api/config/config.h"
#include "registry/entry/usage.h"

namespace paddock::api {

// Each part is rounded once, half up, to a billionth; the total is their sum.
struct Price {
  uint64_t cpu = 0, memory = 0, disk = 0, transfer = 0;
  uint64_t total() const;
};
// By what was used: processor time, and memory held while something ran.
Price ActivePrice(const registry::UsageAmounts& used, const RateConfig& rates);
// By what stood ready: the limits on cores (none: one) and memory, all the time it was alive.
Price AlivePrice(const registry::UsageAmounts& used, const RateConfig& rates);

// "0.000000001", "12.5", "0".
std::string PriceText(uint64_t billionths);

}  // namespace paddock::api
