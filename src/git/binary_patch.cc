#include "git/binary_patch.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "git/delta_pack.h"
#include "git/zlib_data.h"

namespace paddock::git {
namespace {

constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
constexpr size_t kLineBytes = 52;
constexpr uint64_t kMostBytes = uint64_t{1} << 30;

std::array<int8_t, 256> MakeValues() {
  std::array<int8_t, 256> values{};
  values.fill(-1);
  for (size_t i = 0; i < kDigits.size(); ++i) values[static_cast<uint8_t>(kDigits[i])] = static_cast<int8_t>(i);
  return values;
}

std::string EncodeLine(std::string_view bytes) {
  std::string line(1, static_cast<char>(bytes.size() <= 26 ? 'A' + bytes.size() - 1 : 'a' + bytes.size() - 27));
  for (size_t at = 0; at < bytes.size(); at += 4) {
    uint32_t word = 0;
    for (size_t i = 0; i < 4; ++i) word = word << 8 | (at + i < bytes.size() ? static_cast<uint8_t>(bytes[at + i]) : 0);
    char group[5];
    for (size_t i = 5; i-- > 0; word /= 85) group[i] = kDigits[word % 85];
    line.append(group, 5);
  }
  return line + "\n";
}

// Appends what a line holds; false when it is malformed.
bool DecodeLine(std::string_view line, std::string& out) {
  static const std::array<int8_t, 256> values = MakeValues();
  size_t length = 0;
  if (line[0] >= 'A' && line[0] <= 'Z') length = static_cast<size_t>(line[0] - 'A') + 1;
  else if (line[0] >= 'a' && line[0] <= 'z') length = static_cast<size_t>(line[0] - 'a') + 27;
  line.remove_prefix(1);
  if (length == 0 || line.size() != (length + 3) / 4 * 5) return false;
  for (size_t at = 0; at < line.size(); at += 5) {
    uint64_t word = 0;
    for (size_t i = 0; i < 5; ++i) {
      const int8_t value = values[static_cast<uint8_t>(line[at + i])];
      if (value < 0) return false;
      word = word * 85 + static_cast<uint64_t>(value);
    }
    if (word > UINT32_MAX) return false;
    for (int shift = 24; shift >= 0 && length > 0; shift -= 8, --length) out += static_cast<char>(word >> shift & 0xff);
  }
  return true;
}

std::string_view Chomp(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  return line;
}

Error Corrupt(size_t line, std::string_view text) { return {Code::kSyntax, "corrupt binary patch at line " + std::to_string(line) + ": " + std::string(text)}; }

}  // namespace

std::string BinaryBlockText(std::string_view before, std::string_view content, Budget& budget) {
  std::string packed = Deflate(content, budget);
  std::string text = "literal " + std::to_string(content.size()) + "\n";
  if (!before.empty() && !content.empty()) {
    const std::string delta = MakeDelta(before, content, packed.size(), budget);
    std::string packed_delta = delta.empty() ? delta : Deflate(delta, budget);
    if (!delta.empty() && packed_delta.size() < packed.size()) {
      text = "delta " + std::to_string(delta.size()) + "\n";
      packed = std::move(packed_delta);
    }
  }
  for (size_t at = 0; at < packed.size(); at += kLineBytes) {
    budget.Step();
    text += EncodeLine(std::string_view(packed).substr(at, kLineBytes));
  }
  return text + "\n";
}

Result<std::optional<BinaryBlock>> ReadBinaryBlock(const std::vector<std::string_view>& lines, size_t& at, Budget& budget) {
  if (at >= lines.size()) return std::optional<BinaryBlock>();
  BinaryBlock block;
  std::string_view head = Chomp(lines[at]);
  if (head.starts_with("delta ")) {
    block.is_delta = true;
    head.remove_prefix(6);
  } else if (head.starts_with("literal ")) {
    head.remove_prefix(8);
  } else {
    return std::optional<BinaryBlock>();
  }
  uint64_t size = 0;
  const auto read = std::from_chars(head.data(), head.data() + head.size(), size);
  if (read.ec != std::errc{} || size > kMostBytes) return Corrupt(at + 1, Chomp(lines[at]));
  std::string packed;
  for (++at; at < lines.size(); ++at) {
    budget.Step();
    const std::string_view line = Chomp(lines[at]);
    if (line.empty()) break;
    if (!DecodeLine(line, packed)) return Corrupt(at + 1, line);
  }
  if (at >= lines.size()) return Corrupt(at, "");
  ++at;
  if (!MayInflateTo(size, packed.size())) return Corrupt(at, "");
  budget.WillAllocate(size);
  auto data = Inflate(packed, size, true, budget);
  if (!data) return data.error().code == Code::kCorrupt ? Corrupt(at, "") : data.error();
  block.data = std::move(data->data);
  return std::optional<BinaryBlock>(std::move(block));
}

}  // namespace paddock::git
