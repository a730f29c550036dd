// What headers of tar are made of: fields of a fixed size and the records of pax. Shared by the readers, which differ in what they forgive.
//
// Source: POSIX pax, "ustar Interchange Format" and "pax Interchange Format"; GNU tar's manual, "Tar Internals".
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace paddock::codec {

// The bytes of a field up to its first NUL.
std::string_view TarText(const char* block, size_t at, size_t size);

struct TarNumber {
  uint64_t value = 0;   // two's complement when it is below zero
  bool is_negative = false;
};
// Octal digits between blanks, or base 256. Nothing for what is no number or has no room in 64 bits.
std::optional<TarNumber> FindTarNumber(const char* block, size_t at, size_t size);

// True if a block of 512 bytes has the sum that it states, of bytes with or (as old programs had it) without sign.
bool HasTarChecksum(const char* block);

struct PaxRecord {
  std::string_view key, value;
};
// Takes a record, "LENGTH KEY=VALUE\n", from the front of a text that is not empty. kCorrupt says what is missing.
Result<PaxRecord> TakePaxRecord(std::string_view& text);

// A decimal number without blanks or a plus sign.
template <class T>
std::optional<T> PaxNumber(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct PaxTime {
  int64_t seconds = 0;   // since 1970, rounded down
  int32_t nanos = 0;     // beyond them
};
// "1700000000.25", of either sign; what is finer than a nanosecond is dropped.
std::optional<PaxTime> ParsePaxTime(std::string_view text);
// The same; nothing either for what nanoseconds do not hold.
std::optional<Nanoseconds> ParsePaxNanoseconds(std::string_view text);

}  // namespace paddock::codec
