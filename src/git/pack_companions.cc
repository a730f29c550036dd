#include "git/pack_companions.h"

#include <bit>

#include "git/big_endian.h"
#include "text/digest.h"

namespace paddock::git {
namespace {

constexpr size_t kHeader = 12, kTableEntry = 12, kChecksum = 20;
constexpr uint32_t kLarge = 0x80000000u;

void Append64(std::string& text, uint64_t value) {
  Append32(text, static_cast<uint32_t>(value >> 32));
  Append32(text, static_cast<uint32_t>(value));
}

// Words in the compressed form (EWAH): each marker tells how many words of equal bits come, and how many words as they are.
void AppendCompressed(std::string& text, const BitWords& bits) {
  size_t count = bits.size();
  while (count > 0 && bits[count - 1] == 0) --count;
  std::vector<uint64_t> words;
  size_t marker = 0, at = 0;
  do {
    uint64_t run = 0, literals = 0;
    const bool bit = at < count && bits[at] == ~uint64_t{0};
    while (at < count && bits[at] == (bit ? ~uint64_t{0} : 0) && run < 0xffffffff) ++at, ++run;
    const size_t first = at;
    while (at < count && bits[at] != 0 && bits[at] != ~uint64_t{0} && literals < 0x7fffffff) ++at, ++literals;
    marker = words.size();
    words.push_back(static_cast<uint64_t>(bit) | run << 1 | literals << 33);
    words.insert(words.end(), bits.begin() + static_cast<std::ptrdiff_t>(first), bits.begin() + static_cast<std::ptrdiff_t>(at));
  } while (at < count);
  const size_t size = count == 0 ? 0 : count * 64 - static_cast<size_t>(std::countl_zero(bits[count - 1]));
  Append32(text, static_cast<uint32_t>(size));
  Append32(text, static_cast<uint32_t>(words.size()));
  for (const uint64_t word : words) Append64(text, word);
  Append32(text, static_cast<uint32_t>(marker));
}

}  // namespace

std::string BitmapIndexText(std::string_view pack_sum, const std::array<BitWords, 4>& types, const std::vector<ReachBits>& commits) {
  std::string text("BITM\0\1\0\1", 8);   // version 1; everything that objects lead to is there
  Append32(text, static_cast<uint32_t>(commits.size()));
  text += pack_sum;
  for (const BitWords& words : types) AppendCompressed(text, words);
  for (const ReachBits& commit : commits) {
    Append32(text, commit.index_number);
    text += std::string(2, '\0');   // no difference from another one; no flags
    AppendCompressed(text, commit.words);
  }
  return text + DigestOf(DigestAlgorithm::kSha1, text);
}

std::string MtimesText(const std::vector<uint32_t>& times, std::string_view pack_sum) {
  std::string text = "MTME";
  Append32(text, 1);
  Append32(text, 1);
  for (const uint32_t time : times) Append32(text, time);
  text += pack_sum;
  return text + DigestOf(DigestAlgorithm::kSha1, text);
}

std::vector<uint32_t> ParseMtimes(std::string_view bytes, size_t count) {
  std::vector<uint32_t> times;
  if (!bytes.starts_with("MTME") || bytes.size() != kHeader + count * 4 + 2 * kChecksum) return times;
  for (size_t i = 0; i < count; ++i) times.push_back(Read32(bytes, kHeader + i * 4));
  return times;
}

std::string MultiPackIndexText(const std::vector<std::string>& names, const std::vector<MultiPackEntry>& entries, Budget& budget) {
  budget.WillAllocate(entries.size() * 36);
  std::string packs, table, ids, offsets, large;
  for (const std::string& name : names) packs += name + std::string(1, '\0');
  packs.resize((packs.size() + 3) / 4 * 4, '\0');
  bool needs_large = false;
  for (const MultiPackEntry& entry : entries) needs_large = needs_large || entry.offset > 0xffffffff;
  size_t at = 0;
  for (unsigned first = 0; first < 256; ++first) {
    while (at < entries.size() && entries[at].id.bytes[0] <= first) ++at;
    Append32(table, static_cast<uint32_t>(at));
  }
  for (const MultiPackEntry& entry : entries) {
    budget.Step();
    ids += entry.id.View();
    Append32(offsets, entry.pack);
    if (!needs_large || entry.offset < kLarge) {
      Append32(offsets, static_cast<uint32_t>(entry.offset));
      continue;
    }
    Append32(offsets, kLarge | static_cast<uint32_t>(large.size() / 8));
    Append64(large, entry.offset);
  }
  std::vector<std::pair<std::string_view, const std::string*>> chunks = {{"PNAM", &packs}, {"OIDF", &table}, {"OIDL", &ids}, {"OOFF", &offsets}};
  if (needs_large) chunks.emplace_back("LOFF", &large);
  std::string text("MIDX\1\1", 6);
  text.push_back(static_cast<char>(chunks.size()));
  text.push_back('\0');
  Append32(text, static_cast<uint32_t>(names.size()));
  uint64_t place = kHeader + (chunks.size() + 1) * kTableEntry;
  for (const auto& [id, bytes] : chunks) {
    text += id;
    Append64(text, place);
    place += bytes->size();
  }
  Append32(text, 0);
  Append64(text, place);
  for (const auto& [id, bytes] : chunks) text += *bytes;
  return text + DigestOf(DigestAlgorithm::kSha1, text);
}

Result<MultiPackIndex> ParseMultiPackIndex(std::string_view bytes, Budget& budget) {
  const auto bad = [](std::string_view why) { return Error(Code::kCorrupt, std::string(why)); };
  if (bytes.size() < kHeader + kTableEntry + kChecksum) return bad("multi-pack-index file is too small");
  if (!bytes.starts_with("MIDX")) return bad("multi-pack-index signature does not match signature 4d494458");
  if (bytes[4] != 1 || bytes[5] != 1) return bad("multi-pack-index version or hash is not known");
  const size_t chunks = static_cast<uint8_t>(bytes[6]), packs = Read32(bytes, 8);
  if (bytes.size() < kHeader + (chunks + 1) * kTableEntry + kChecksum) return bad("multi-pack-index is too small for its chunks");
  std::array<std::string_view, 5> parts;
  static constexpr std::string_view kIds[] = {"PNAM", "OIDF", "OIDL", "OOFF", "LOFF"};
  for (size_t i = 0; i < chunks; ++i) {
    const size_t at = kHeader + i * kTableEntry;
    const uint64_t begin = uint64_t{Read32(bytes, at + 4)} << 32 | Read32(bytes, at + 8), end = uint64_t{Read32(bytes, at + 16)} << 32 | Read32(bytes, at + 20);
    if (begin > end || end > bytes.size() - kChecksum) return bad("improper chunk offset(s)");
    for (size_t kind = 0; kind < parts.size(); ++kind) {
      if (bytes.substr(at, 4) == kIds[kind]) parts[kind] = bytes.substr(begin, end - begin);
    }
  }
  const auto& [names, table, ids, offsets, large] = parts;
  if (table.size() != 256 * 4) return bad("multi-pack-index required OID fanout chunk missing or corrupted");
  const size_t count = Read32(table, 255 * 4);
  if (ids.size() != count * 20 || offsets.size() != count * 8) return bad("multi-pack-index OID lookup chunk is the wrong size");
  MultiPackIndex index;
  size_t at = 0;
  for (size_t i = 0; i < packs; ++i) {
    budget.Step();
    const size_t end = names.find('\0', at);
    if (end == std::string_view::npos) return bad("multi-pack-index pack-name chunk is too short");
    index.names.emplace_back(names.substr(at, end - at));
    at = end + 1;
  }
  budget.WillAllocate(count * sizeof(MultiPackEntry));
  for (size_t i = 0; i < count; ++i) {
    budget.Step();
    MultiPackEntry entry{Oid::FromBytes(ids.substr(i * 20)), Read32(offsets, i * 8), Read32(offsets, i * 8 + 4)};
    if (entry.pack >= packs) return bad("bad pack-int-id: " + std::to_string(entry.pack) + " (" + std::to_string(packs) + " total packs)");
    if ((entry.offset & kLarge) != 0 && !large.empty()) {
      const size_t place = (entry.offset & ~kLarge) * 8;
      if (place + 8 > large.size()) return bad("multi-pack-index large offset out of bounds");
      entry.offset = uint64_t{Read32(large, place)} << 32 | Read32(large, place + 4);
    }
    index.entries.push_back(entry);
  }
  return index;
}

}  // namespace paddock::git
