#include "codec/tar_fields.h"

#include <algorithm>

#include "codec/tar.h"

namespace paddock::codec {

std::string_view TarText(const char* block, size_t at, size_t size) {
  const std::string_view field(block + at, size);
  return field.substr(0, field.find('\0'));
}

std::optional<TarNumber> FindTarNumber(const char* block, size_t at, size_t size) {
  const auto* field = reinterpret_cast<const unsigned char*>(block + at);
  if ((field[0] & 0x80) != 0) {
    const bool is_negative = (field[0] & 0x40) != 0;
    uint64_t value = is_negative ? UINT64_MAX << 6 | (field[0] & 0x3f) : field[0] & 0x3f;
    for (size_t i = 1; i < size; ++i) {
      const uint64_t top = value >> 55;
      if (top != 0 && top != 0x1ff) return std::nullopt;
      value = value << 8 | field[i];
    }
    if (is_negative != (value >> 63 != 0)) return std::nullopt;
    return TarNumber{value, is_negative};
  }
  size_t i = 0;
  while (i < size && (field[i] == ' ' || (i == 0 && field[i] == '\0'))) ++i;
  if (i == size || field[i] == '\0') return TarNumber();
  uint64_t value = 0;
  const size_t first = i;
  for (; i < size && field[i] >= '0' && field[i] <= '7'; ++i) value = value << 3 | (field[i] - '0');
  if (i == first || (i < size && field[i] != ' ' && field[i] != '\0')) return std::nullopt;
  return TarNumber{value, false};
}

bool HasTarChecksum(const char* block) {
  const auto stated = FindTarNumber(block, 148, 8);
  if (!stated) return false;
  uint64_t plain = 0;
  int64_t with_sign = 0;
  for (size_t i = 0; i < kTarBlock; ++i) {
    const char byte = i >= 148 && i < 156 ? ' ' : block[i];
    plain += static_cast<unsigned char>(byte);
    with_sign += static_cast<signed char>(byte);
  }
  return stated->value == plain || static_cast<int64_t>(stated->value) == with_sign;
}

Result<PaxRecord> TakePaxRecord(std::string_view& text) {
  const size_t blank = text.find(' ');
  if (blank == std::string_view::npos) return Error(Code::kCorrupt, "missing newline");
  const auto length = PaxNumber<uint64_t>(text.substr(0, blank));
  if (!length) return Error(Code::kCorrupt, "missing length");
  if (*length <= blank + 1 || *length > text.size() || text[*length - 1] != '\n') return Error(Code::kCorrupt, "missing newline");
  const std::string_view record = text.substr(blank + 1, *length - blank - 2);
  text.remove_prefix(*length);
  const size_t equals = record.find('=');
  if (equals == std::string_view::npos) return Error(Code::kCorrupt, "missing equal sign");
  return PaxRecord{record.substr(0, equals), record.substr(equals + 1)};
}

std::optional<PaxTime> ParsePaxTime(std::string_view text) {
  const size_t dot = std::min(text.find('.'), text.size());
  const auto whole = PaxNumber<int64_t>(text.substr(0, dot));
  if (!whole) return std::nullopt;
  PaxTime time{*whole, 0};
  for (size_t i = dot + 1, scale = 100'000'000; i < text.size(); ++i, scale /= 10) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    time.nanos += (text[i] - '0') * static_cast<int32_t>(scale);
  }
  if (text.starts_with('-') && time.nanos > 0) {
    if (time.seconds == INT64_MIN) return std::nullopt;
    --time.seconds;
    time.nanos = 1'000'000'000 - time.nanos;
  }
  return time;
}

std::optional<Nanoseconds> ParsePaxNanoseconds(std::string_view text) {
  constexpr int64_t kFar = 9'000'000'000;
  const auto time = ParsePaxTime(text);
  if (!time || time->seconds > kFar || time->seconds < -kFar) return std::nullopt;
  return std::chrono::seconds(time->seconds) + Nanoseconds(time->nanos);
}

}  // namespace paddock::codec
