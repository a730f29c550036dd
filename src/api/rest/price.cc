#include "api/rest/price.h"

#include <limits>

namespace paddock::api {
namespace {

__extension__ using Wide = unsigned __int128;
constexpr uint64_t kBillion = 1'000'000'000;
constexpr uint64_t kHourNs = 3600 * kBillion;
constexpr uint64_t kGibHourKibMs = (uint64_t{1} << 20) * 3'600'000;
constexpr uint64_t kGib = uint64_t{1} << 30;

uint64_t Cost(const std::optional<uint64_t>& amount, int64_t rate, uint64_t unit) {
  if (!amount || rate <= 0) return 0;
  const Wide cost = (Wide{*amount} * static_cast<uint64_t>(rate) + unit / 2) / unit;
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max() / 8;   // four of them have a sum
  return cost > kMost ? kMost : static_cast<uint64_t>(cost);
}

Price Shared(const registry::UsageAmounts& used, const RateConfig& rates) {
  std::optional<uint64_t> bytes;
  for (const auto& part : {used.output_bytes, used.upload_bytes, used.download_bytes, used.network_in_bytes, used.network_out_bytes}) {
    if (part) registry::AddTo(bytes, *part);
  }
  return {.disk = Cost(used.disk_kib_ms, rates.disk_gib_hour, kGibHourKibMs), .transfer = Cost(bytes, rates.transfer_gib, kGib)};
}

}  // namespace

uint64_t Price::total() const { return cpu + memory + disk + transfer; }

Price ActivePrice(const registry::UsageAmounts& used, const RateConfig& rates) {
  Price price = Shared(used, rates);
  price.cpu = Cost(used.cpu_ns, rates.cpu_hour, kHourNs);
  price.memory = Cost(used.memory_kib_ms, rates.memory_gib_hour, kGibHourKibMs);
  return price;
}

Price AlivePrice(const registry::UsageAmounts& used, const RateConfig& rates) {
  Price price = Shared(used, rates);
  price.cpu = Cost(used.reserved_cpu_ns, rates.cpu_hour, kHourNs);
  price.memory = Cost(used.reserved_memory_kib_ms, rates.memory_gib_hour, kGibHourKibMs);
  return price;
}

std::string PriceText(uint64_t billionths) {
  std::string text = std::to_string(billionths / kBillion);
  if (uint64_t rest = billionths % kBillion; rest != 0) {
    std::string digits = std::to_string(kBillion + rest).substr(1);
    while (digits.back() == '0') digits.pop_back();
    text += "." + digits;
  }
  return text;
}

}  // namespace paddock::api
