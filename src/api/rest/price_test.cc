#include "api/rest/price.h"

#include <gtest/gtest.h>

namespace paddock::api {
namespace {

constexpr uint64_t kHour = 3'600'000'000'000;

TEST(Price, AnHourCostsTheRateExactly) {
  registry::UsageAmounts used;
  used.cpu_ns = kHour;
  used.memory_kib_ms = uint64_t{1 << 20} * 3'600'000;
  used.output_bytes = uint64_t{1} << 29;
  used.upload_bytes = uint64_t{1} << 29;
  const RateConfig rates{.currency = "USD", .cpu_hour = 50'400'000, .memory_gib_hour = 1, .disk_gib_hour = 5, .transfer_gib = 100'000'000};
  const Price price = ActivePrice(used, rates);
  EXPECT_EQ(PriceText(price.cpu), "0.0504");
  EXPECT_EQ(PriceText(price.memory), "0.000000001");
  EXPECT_EQ(PriceText(price.disk), "0");
  EXPECT_EQ(PriceText(price.transfer), "0.1");
  EXPECT_EQ(PriceText(price.total()), "0.150400001");
}

TEST(Price, AliveIsByWhatWasReserved) {
  registry::UsageAmounts used;
  used.cpu_ns = 1;
  used.reserved_cpu_ns = 3 * kHour;
  const RateConfig rates{.currency = "USD", .cpu_hour = 100'000'000};
  EXPECT_EQ(PriceText(AlivePrice(used, rates).total()), "0.3") << "three times 0.1, as no binary fraction would say";
  EXPECT_EQ(PriceText(ActivePrice(used, rates).total()), "0");
}

TEST(Price, HalvesAreRoundedUpOnce) {
  registry::UsageAmounts used;
  used.cpu_ns = kHour / 2;
  EXPECT_EQ(ActivePrice(used, {.currency = "USD", .cpu_hour = 1}).cpu, 1u);
  used.cpu_ns = kHour / 2 - 1;
  EXPECT_EQ(ActivePrice(used, {.currency = "USD", .cpu_hour = 1}).cpu, 0u);
}

TEST(Price, TheLargestAmountsDoNotWrap) {
  registry::UsageAmounts used;
  used.cpu_ns = used.memory_kib_ms = used.disk_kib_ms = used.output_bytes = UINT64_MAX;
  const Price price = ActivePrice(used, {.currency = "USD", .cpu_hour = 1'000'000'000'000'000'000, .memory_gib_hour = 1'000'000'000'000'000'000,
                                         .disk_gib_hour = 1'000'000'000'000'000'000, .transfer_gib = 1'000'000'000'000'000'000});
  EXPECT_GE(price.total(), price.cpu);
  EXPECT_GE(price.total(), price.transfer);
}

}  // namespace
}  // namespace paddock::api
