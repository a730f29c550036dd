// Compiled magic files: a head, and an entry of 376 bytes for each line.
#include <algorithm>
#include <bit>

#include "commands/file/file_kind.h"
#include "commands/file/magic.h"

namespace paddock::file {
namespace {

constexpr uint32_t kMark = 0xF11E041C, kVersion = 18;
constexpr size_t kEntrySize = 376, kValueAt = 32, kDescriptionAt = 160, kMimeAt = 224, kAppleAt = 304, kExtensionsAt = 312;

void PutNumber(std::string& bytes, size_t at, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
}
void PutText(std::string& bytes, size_t at, std::string_view text, size_t most) { std::copy_n(text.begin(), std::min(text.size(), most), bytes.begin() + static_cast<std::ptrdiff_t>(at)); }
std::string TextAt(std::string_view bytes, size_t at, size_t most) {
  const std::string_view field = bytes.substr(at, most);
  return std::string(field.substr(0, field.find('\0')));
}

bool HoldsText(const MagicEntry& entry) { return entry.is_string() || entry.type == MagicType::kName || entry.type == MagicType::kUse; }

std::string Packed(const MagicEntry& entry) {
  std::string bytes(kEntrySize, '\0');
  PutNumber(bytes, 0, entry.level, 2);
  PutNumber(bytes, 2, entry.flags, 1);
  PutNumber(bytes, 3, entry.factor, 1);
  bytes[4] = entry.relation;
  PutNumber(bytes, 5, HoldsText(entry) ? entry.text.size() : 0, 1);
  PutNumber(bytes, 6, static_cast<uint8_t>(entry.type), 1);
  PutNumber(bytes, 7, static_cast<uint8_t>(entry.indirect_type), 1);
  PutNumber(bytes, 8, entry.indirect_operation, 1);
  PutNumber(bytes, 9, entry.mask_operation, 1);
  bytes[11] = entry.factor_operation;
  PutNumber(bytes, 12, static_cast<uint32_t>(entry.offset), 4);
  PutNumber(bytes, 16, static_cast<uint32_t>(entry.indirect_offset), 4);
  PutNumber(bytes, 20, entry.line, 4);
  if (entry.is_string()) {
    PutNumber(bytes, 24, entry.range, 4);
    PutNumber(bytes, 28, entry.string_flags, 4);
  } else {
    PutNumber(bytes, 24, entry.mask, 8);
  }
  const bool is_single = entry.type >= MagicType::kFloat && entry.type <= MagicType::kLeFloat;
  if (HoldsText(entry)) PutText(bytes, kValueAt, entry.text, 127);
  else if (is_single) PutNumber(bytes, kValueAt, std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(entry.number))), 4);
  else if (entry.type != MagicType::kGuid) PutNumber(bytes, kValueAt, entry.number, 8);
  PutText(bytes, kDescriptionAt, entry.description, 63);
  PutText(bytes, kMimeAt, entry.mime, 79);
  PutText(bytes, kAppleAt, entry.apple, 8);
  PutText(bytes, kExtensionsAt, entry.extensions, 63);
  return bytes;
}

MagicEntry Unpacked(std::string_view bytes) {
  MagicEntry entry;
  entry.level = static_cast<uint16_t>(Little(bytes, 0, 2));
  entry.flags = static_cast<uint8_t>(bytes[2]);
  entry.factor = static_cast<uint8_t>(bytes[3]);
  entry.relation = bytes[4];
  entry.type = static_cast<MagicType>(bytes[6]);
  entry.indirect_type = static_cast<MagicType>(bytes[7]);
  entry.indirect_operation = static_cast<uint8_t>(bytes[8]);
  entry.mask_operation = static_cast<uint8_t>(bytes[9]);
  entry.factor_operation = bytes[11];
  entry.offset = static_cast<int32_t>(Little(bytes, 12, 4));
  entry.indirect_offset = static_cast<int32_t>(Little(bytes, 16, 4));
  entry.line = static_cast<uint32_t>(Little(bytes, 20, 4));
  if (entry.is_string()) {
    entry.range = static_cast<uint32_t>(Little(bytes, 24, 4));
    entry.string_flags = static_cast<uint32_t>(Little(bytes, 28, 4));
  } else {
    entry.mask = Little(bytes, 24, 8);
  }
  const bool is_single = entry.type >= MagicType::kFloat && entry.type <= MagicType::kLeFloat;
  if (HoldsText(entry)) entry.text = bytes.substr(kValueAt, std::min<size_t>(static_cast<uint8_t>(bytes[5]), 127));
  else if (is_single) entry.number = std::bit_cast<uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(Little(bytes, kValueAt, 4)))));
  else entry.number = Little(bytes, kValueAt, 8);
  entry.description = TextAt(bytes, kDescriptionAt, 64);
  entry.mime = TextAt(bytes, kMimeAt, 80);
  entry.apple = TextAt(bytes, kAppleAt, 8);
  entry.extensions = TextAt(bytes, kExtensionsAt, 64);
  return entry;
}

}  // namespace

bool MagicSet::IsCompiled(std::string_view bytes) { return bytes.size() >= 4 && (Little(bytes, 0, 4) == kMark || Big(bytes, 0, 4) == kMark); }

Status MagicSet::Load(std::string_view bytes, Budget& budget) {
  if (bytes.size() < kEntrySize || Little(bytes, 0, 4) != kMark || Little(bytes, 4, 4) != kVersion || bytes.size() % kEntrySize != 0) {
    return Error(Code::kCorrupt, "is no compiled magic file of version " + std::to_string(kVersion));
  }
  const uint64_t count = Little(bytes, 8, 4), named = Little(bytes, 12, 4);
  if (count + named + 1 != bytes.size() / kEntrySize) return Error(Code::kCorrupt, "size is not a multiple of entries");
  for (uint64_t i = 0; i < count + named; ++i) {
    budget.Step();
    budget.WillAllocate(sizeof(MagicEntry));
    MagicEntry entry = Unpacked(bytes.substr((i + 1) * kEntrySize, kEntrySize));
    std::vector<Group>& into = i < count ? tests_ : names_;
    if (entry.level == 0) into.emplace_back();
    if (into.empty()) return Error(Code::kCorrupt, "begins with a continuation");
    into.back().push_back(std::move(entry));
  }
  return {};
}

std::string MagicSet::Compiled() const {
  std::string head(kEntrySize, '\0'), body;
  size_t counts[2] = {};
  for (const auto& [groups, count] : {std::pair(&tests_, &counts[0]), std::pair(&names_, &counts[1])}) {
    for (const Group& group : *groups) {
      for (const MagicEntry& entry : group) body += Packed(entry);
      *count += group.size();
    }
  }
  PutNumber(head, 0, kMark, 4);
  PutNumber(head, 4, kVersion, 4);
  PutNumber(head, 8, counts[0], 4);
  PutNumber(head, 12, counts[1], 4);
  return head + body;
}

}  // namespace paddock::file
