#include "registry/entry/output_log.h"

#include <gtest/gtest.h>

#include <thread>

namespace paddock::registry {
namespace {

using sandbox::Stream;
constexpr OutputLog::Time kNow{};

struct Whole {
  std::string out, err;
  uint64_t lost = 0;
};

Whole ReadAll(OutputLog& log, size_t step) {
  Whole whole;
  for (uint64_t at = 0;;) {
    const OutputLog::Reading reading = log.Read(at, step, kNow);
    for (const auto& piece : reading.pieces) (piece.stream == Stream::kStdout ? whole.out : whole.err) += piece.bytes;
    whole.lost += reading.lost;
    if (reading.has_ended || reading.next == at) return whole;
    at = reading.next;
  }
}

TEST(OutputLog, KeepsTheOrderOfBothStreams) {
  OutputLog log("");
  log.Append(Stream::kStdout, "one");
  log.Append(Stream::kStdout, " two");
  log.Append(Stream::kStderr, "three");
  log.Append(Stream::kStdout, "four");
  const auto reading = log.Read(0, 1000, kNow);
  ASSERT_EQ(reading.pieces.size(), 3u);
  EXPECT_EQ(reading.pieces[0].bytes, "one two");
  EXPECT_EQ(reading.pieces[1].bytes, "three");
  EXPECT_EQ(reading.pieces[1].stream, Stream::kStderr);
  EXPECT_EQ(reading.pieces[2].offset, 12u);
  EXPECT_EQ(reading.next, 16u);
  EXPECT_FALSE(reading.has_ended);
  log.End();
  EXPECT_TRUE(log.Read(16, 1, kNow).has_ended);
}

TEST(OutputLog, IsReadFromAnyOffsetInAnySteps) {
  OutputLog log("/tmp");
  std::string out, err;
  uint32_t random = 1;
  while (out.size() + err.size() < 3 * OutputLog::kMemoryBytes) {
    random = random * 1664525 + 1013904223;
    const std::string bytes(1 + (random >> 8) % 40000, static_cast<char>('a' + random % 23));
    const bool is_error = (random >> 20) % 3 == 0;
    (is_error ? err : out) += bytes;
    log.Append(is_error ? Stream::kStderr : Stream::kStdout, bytes);
  }
  log.End();
  for (const size_t step : {1000u, 16384u, 16385u, 100000u, 100000000u}) {
    const Whole whole = ReadAll(log, step);
    EXPECT_TRUE(whole.out == out && whole.err == err && whole.lost == 0) << step;
  }
  const uint64_t middle = OutputLog::kMemoryBytes + 12345;
  const auto a = log.Read(middle, 10, kNow), b = log.Read(middle - 5, 15, kNow);
  std::string long_text;
  for (const auto& piece : b.pieces) long_text += piece.bytes;
  EXPECT_EQ(a.pieces.front().bytes.substr(0, 1), long_text.substr(5, 1));
  EXPECT_EQ(b.next, middle + 10);
}

TEST(OutputLog, TellsHowMuchIsLostWhereNoFileCanBeHad) {
  OutputLog log("/nonexistent");
  std::string written;
  for (int i = 0; i < 100; ++i) {
    const std::string bytes(20000, static_cast<char>('a' + i % 26));
    written += bytes;
    log.Append(i % 2 == 0 ? Stream::kStdout : Stream::kStderr, bytes);
  }
  log.End();
  std::string read;
  uint64_t lost = 0, at = 0;
  while (true) {
    const auto reading = log.Read(at, 7777, kNow);
    if (reading.lost > 0) {
      EXPECT_EQ(lost, 0u);   // told once
      EXPECT_EQ(read, written.substr(0, read.size()));
      EXPECT_GT(read.size(), OutputLog::kMemoryBytes - 2 * OutputLog::kPieceBytes);
      lost = reading.lost;
      read.resize(read.size() + lost, '?');
    }
    for (const auto& piece : reading.pieces) read += piece.bytes;
    if (reading.has_ended) break;
    ASSERT_GT(reading.next, at);
    at = reading.next;
  }
  EXPECT_GT(lost, 0u);
  ASSERT_EQ(read.size(), written.size());
  EXPECT_EQ(read.substr(read.rfind('?') + 1), written.substr(read.rfind('?') + 1));
}

TEST(OutputLog, HoldsLittleWhenStreamsAlternateByteByByte) {
  OutputLog log("/nonexistent");
  for (int i = 0; i < 1000000; ++i) log.Append(i % 2 == 0 ? Stream::kStdout : Stream::kStderr, "x");
  log.End();
  const auto reading = log.Read(900000, 1000, kNow);
  EXPECT_GT(reading.lost, 0u);
  EXPECT_GE(reading.next, 1000000u - 4097);
}

TEST(OutputLog, AReaderWaitsForMore) {
  OutputLog log("");
  std::thread writer([&] {
    log.Append(Stream::kStdout, "late");
    log.End();
  });
  const auto reading = log.Read(0, 100, std::chrono::steady_clock::now() + std::chrono::seconds(60));
  writer.join();
  ASSERT_EQ(reading.pieces.size(), 1u);
  EXPECT_EQ(reading.pieces[0].bytes, "late");
}

TEST(OutputLog, WatchersAreTold) {
  OutputLog log("");
  int told = 0;
  const uint64_t number = log.AddWatcher([&] { ++told; });
  log.Append(Stream::kStdout, "a");
  log.End();
  EXPECT_EQ(told, 2);
  log.RemoveWatcher(number);
  log.End();
  EXPECT_EQ(told, 2);
}

}  // namespace
}  // namespace paddock::registry
