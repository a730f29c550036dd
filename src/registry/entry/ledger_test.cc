#include "registry/entry/ledger.h"

#include <gtest/gtest.h>

namespace paddock::registry {
namespace {

using namespace std::chrono_literals;

constexpr Time kNoon = Time(Duration(1'800'000'000'000));   // at a full hour

SandboxInfo Info() {
  SandboxInfo info;
  info.id = "sbx_a";
  info.owner = "ann";
  info.created = kNoon;
  info.request.limits.memory_bytes = 1 << 20;
  info.request.limits.cpus = 2;
  return info;
}

UsageAmounts SumOf(const std::vector<UsageStretch>& stretches) {
  UsageAmounts sum;
  for (const UsageStretch& stretch : stretches) sum.Add(stretch.amounts);
  return sum;
}

sandbox::Measured Cpu(std::chrono::nanoseconds cpu) { return {.cpu = cpu, .memory_bytes = 4096}; }

TEST(Ledger, CountsWhatRunsAndWhatStandsReady) {
  Ledger ledger(Info());
  ledger.BeginLive(Cpu(1s));
  ledger.ExecBegan(kNoon + 10s);
  ledger.Sample(Cpu(3s), kNoon + 12s);
  sandbox::ExecResult result;
  result.usage.output_bytes = 5;
  ledger.ExecEnded(result, Cpu(4s), kNoon + 20s);
  const UsageAmounts sum = SumOf(ledger.Newest(kNoon + 30s));
  EXPECT_EQ(sum.alive_ms, 30'000u);
  EXPECT_EQ(sum.active_ms, 10'000u);
  EXPECT_EQ(sum.cpu_ns, 3'000'000'000u);
  EXPECT_EQ(sum.memory_kib_ms, 4u * 10'000);
  EXPECT_EQ(sum.reserved_memory_kib_ms, 1024u * 30'000);
  EXPECT_EQ(sum.reserved_cpu_ns, 60'000'000'000u);
  EXPECT_EQ(sum.execs, 1u);
  EXPECT_EQ(sum.output_bytes, 5u);
  EXPECT_FALSE(sum.disk_kib_ms) << "nobody measured it";
}

TEST(Ledger, WhatIsActiveIsCutAtTheHourAndWhatIsIdleIsNot) {
  Ledger ledger(Info());
  ledger.ExecBegan(kNoon + 1min);
  ledger.ExecEnded({}, {}, kNoon + 2h + 1min);
  const auto stretches = ledger.Newest(kNoon + 10h);
  ASSERT_EQ(stretches.size(), 5u);
  EXPECT_TRUE(stretches[0].is_even);
  for (size_t i : {1u, 2u, 3u}) {
    EXPECT_FALSE(stretches[i].is_even);
    EXPECT_EQ(HourOf(stretches[i].from), HourOf(stretches[i].until - 1ms));
  }
  EXPECT_EQ(stretches[3].until, kNoon + 3h);
  EXPECT_TRUE(stretches[4].is_even);
  EXPECT_EQ(stretches[4].until, kNoon + 10h);
  EXPECT_EQ(SumOf(stretches).active_ms, 7'200'000u);
  EXPECT_EQ(SumOf(stretches).alive_ms, 36'000'000u);
}

TEST(Ledger, BytesOfALivingSandboxCountFromWhereItBeganAndNeverBackwards) {
  Ledger ledger(Info());
  ledger.BeginLive({.disk_written_bytes = 100, .network_in_bytes = 0});
  ledger.ExecBegan(kNoon + 10s);
  ledger.Sample({.disk_written_bytes = 150, .network_in_bytes = 7}, kNoon + 12s);
  ledger.Sample({.disk_written_bytes = 120, .network_in_bytes = 7}, kNoon + 13s);   // a process between its end and its parent's count
  ledger.ExecEnded({}, {.disk_written_bytes = 160, .network_in_bytes = 9}, kNoon + 20s);
  UsageAmounts sum = SumOf(ledger.Newest(kNoon + 30s));
  EXPECT_EQ(sum.disk_written_bytes, 60u);
  EXPECT_EQ(sum.network_in_bytes, 9u);
  EXPECT_FALSE(sum.network_out_bytes) << "nobody measured it";
  ledger.BeginLive({.disk_written_bytes = 0, .network_in_bytes = 0});   // stood up anew
  ledger.ExecBegan(kNoon + 40s);
  ledger.ExecEnded({}, {.disk_written_bytes = 0, .network_in_bytes = 1}, kNoon + 41s);
  sum = SumOf(ledger.Newest(kNoon + 50s));
  EXPECT_EQ(sum.disk_written_bytes, 60u);
  EXPECT_EQ(sum.network_in_bytes, 10u);
}

TEST(Ledger, AnIdleSandboxHasNothingToWrite) {
  Ledger ledger(Info());
  EXPECT_TRUE(ledger.Unwritten(false, kNoon + 100h).empty());
  EXPECT_FALSE(ledger.is_dirty());
  ledger.SetAlive(false, kNoon + 100h);
  EXPECT_TRUE(ledger.is_dirty());
  const auto stretches = ledger.Unwritten(false, kNoon + 200h);
  ASSERT_EQ(stretches.size(), 1u);
  EXPECT_EQ(stretches[0].amounts.alive_ms, 360'000'000u);
  ledger.Written(stretches);
  EXPECT_TRUE(ledger.Unwritten(false, kNoon + 200h).empty());
}

TEST(Ledger, WhatCouldNotBeWrittenIsWrittenLater) {
  Ledger ledger(Info());
  ledger.ExecBegan(kNoon);
  ledger.ExecEnded({}, {}, kNoon + 1s);
  EXPECT_EQ(ledger.Unwritten(true, kNoon + 2s).size(), 1u);
  ledger.Retry();
  EXPECT_TRUE(ledger.is_dirty());
  EXPECT_EQ(SumOf(ledger.Unwritten(true, kNoon + 2s)).execs, 1u);
}

TEST(Ledger, AfterACrashTheTimeUntilTheDaemonWasLastSeenCounts) {
  SandboxInfo info = Info();
  UsageStretch newest{.sandbox = "sbx_a", .owner = "ann", .from = kNoon, .until = kNoon + 10s};
  newest.disk_bytes = 2048;
  newest.amounts.disk_kib_ms = 1;
  Ledger ledger(info, Ledger::Past{.newest = [&] { return newest; }, .last_seen = kNoon + 60s, .began = kNoon + 100s});
  const UsageAmounts sum = SumOf(ledger.Newest(kNoon + 110s));
  EXPECT_EQ(sum.alive_ms, 60'000u) << "50 s before the crash, 10 s since";
  EXPECT_EQ(sum.disk_kib_ms, 2u * 100'000) << "files were there all the time";
}

TEST(Usage, TextReadsBackAndDamageIsTold) {
  UsageStretch stretch{.sandbox = "s", .owner = "o", .name = "n", .isolation = "virtual", .labels = {{"a", "b"}}, .from = kNoon, .until = kNoon + 1s, .is_even = false, .disk_bytes = 7};
  stretch.amounts.cpu_ns = UINT64_MAX;
  stretch.amounts.execs = 0;
  const std::string text = UsageText(stretch);
  UsageStretch read;
  ASSERT_TRUE(ReadUsage(text, read));
  EXPECT_EQ(read.amounts, stretch.amounts);
  EXPECT_EQ(read.labels, stretch.labels);
  EXPECT_EQ(read.until, stretch.until);
  EXPECT_FALSE(read.is_even);
  for (size_t cut = 0; cut < text.size(); ++cut) {
    UsageStretch other;
    EXPECT_FALSE(ReadUsage(text.substr(0, cut), other)) << cut;
  }
}

TEST(Usage, SumsStayAtTheLargestNumberAndPartsAreExact) {
  UsageAmounts sum;
  sum.cpu_ns = UINT64_MAX - 1;
  UsageAmounts more;
  more.cpu_ns = 5;
  sum.Add(more);
  EXPECT_EQ(sum.cpu_ns, UINT64_MAX);
  EXPECT_EQ(sum.Part(1ms, 2ms).cpu_ns, UINT64_MAX / 2);
  EXPECT_FALSE(sum.execs);
}

}  // namespace
}  // namespace paddock::registry
