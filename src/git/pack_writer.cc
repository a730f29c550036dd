// Making packs and indexes of them.
#include <algorithm>
#include <map>

#include "codec/coder.h"
#include "git/big_endian.h"
#include "git/pack.h"
#include "git/zlib_data.h"
#include "text/digest.h"

namespace paddock::git {
namespace {

constexpr size_t kChecksum = 20;
constexpr size_t kEntryBytes = 64;   // that one more object takes while an index is made

Error Bad(std::string_view what) { return {Code::kCorrupt, std::string(what)}; }

struct IndexEntry {
  Oid id;
  uint64_t offset = 0;
  uint32_t crc = 0;   // of the object as it lies in the pack
};

// `sum`: of the pack.
std::string IndexText(std::vector<IndexEntry> entries, std::string_view sum, Budget& budget) {
  constexpr uint32_t kLarge = 0x80000000u;
  budget.WillAllocate(entries.size() * 28);
  std::sort(entries.begin(), entries.end(), [](const IndexEntry& a, const IndexEntry& b) { return a.id < b.id; });
  std::string index("\377tOc\0\0\0\2", 8);
  size_t at = 0;
  for (unsigned first = 0; first < 256; ++first) {
    while (at < entries.size() && entries[at].id.bytes[0] <= first) ++at;
    Append32(index, static_cast<uint32_t>(at));
  }
  for (const IndexEntry& entry : entries) index += entry.id.View();
  for (const IndexEntry& entry : entries) Append32(index, entry.crc);
  std::string large;
  for (const IndexEntry& entry : entries) {
    budget.Step();
    if (entry.offset < kLarge) {
      Append32(index, static_cast<uint32_t>(entry.offset));
      continue;
    }
    Append32(index, kLarge | static_cast<uint32_t>(large.size() / 8));
    Append32(large, static_cast<uint32_t>(entry.offset >> 32));
    Append32(large, static_cast<uint32_t>(entry.offset));
  }
  index += large;
  index += sum;
  index += DigestOf(DigestAlgorithm::kSha1, index);
  return index;
}

// Hands [begin, end) on in pieces.
Status ForPieces(PackBytes& bytes, uint64_t begin, uint64_t end, Budget& budget, const std::function<void(std::string_view)>& take) {
  while (begin < end) {
    PADDOCK_ASSIGN(const std::string_view all, bytes.From(begin));
    const std::string_view piece = all.substr(0, end - begin);
    budget.Step(static_cast<int64_t>(1 + piece.size() / 32));
    take(piece);
    begin += piece.size();
  }
  return {};
}

}  // namespace

Result<PackIndex> Pack::MakeIndex(PackBytes bytes, Budget& budget) {
  if (bytes.size() < 12 + kChecksum) return Bad("pack is too short");
  PADDOCK_ASSIGN(const std::string_view start, bytes.From(0, 12));
  if (!start.starts_with("PACK") || Read32(start, 4) < 2 || Read32(start, 4) > 3) return Bad("pack signature mismatch");
  const size_t count = Read32(start, 8);
  // What the pack has no index for yet is in none.
  Pack pack(std::string(256 * 4, '\0'), std::move(bytes));
  pack.end_ = pack.bytes_.size() - kChecksum;
  const std::unique_ptr<Digester> digester = MakeDigester(DigestAlgorithm::kSha1);
  PADDOCK_TRY(ForPieces(pack.bytes_, 0, pack.end_, budget, [&digester](std::string_view piece) { digester->Update(piece); }));
  const std::string sum = digester->Finish();
  PADDOCK_ASSIGN(const std::string_view told, pack.bytes_.From(pack.end_, kChecksum));
  if (told.substr(0, kChecksum) != sum) return Bad("pack is corrupted (SHA1 mismatch)");

  std::vector<IndexEntry> entries;
  std::vector<size_t> differences;
  std::map<Oid, uint64_t> offsets;   // of what is known, when a difference asks for a base by name
  bool has_names = false;
  uint64_t offset = 12;
  for (size_t i = 0; i < count; ++i) {
    budget.Step();
    if (i % 1024 == 0) budget.WillAllocate(1024 * kEntryBytes);
    PADDOCK_ASSIGN(const EntryHead head, pack.ReadHead(offset));
    IndexEntry entry{.offset = offset};
    uint64_t end = 0;
    PADDOCK_ASSIGN(const std::string data, pack.ReadData(offset, head, budget, &end));
    PADDOCK_TRY(ForPieces(pack.bytes_, offset, end, budget, [&entry](std::string_view piece) { entry.crc = codec::Crc32(entry.crc, piece); }));
    has_names = has_names || head.kind == 7;
    if (head.is_difference()) {
      differences.push_back(i);
    } else {
      budget.Step(static_cast<int64_t>(data.size() / 32));
      entry.id = HashObject(static_cast<ObjectType>(head.kind), data);
    }
    entries.push_back(entry);
    offset = end;
  }
  if (offset != pack.end_) return Bad("pack has junk at the end");

  const auto know = [&](const IndexEntry& entry) {
    if (has_names) offsets.emplace(entry.id, entry.offset);
  };
  if (has_names) {
    for (const IndexEntry& entry : entries) {
      if (!entry.id.is_null()) know(entry);
    }
  }
  const FindBase find_base = [&](const Oid& id) -> Result<Object> {
    budget.CheckStack();
    const auto known = offsets.find(id);
    if (known == offsets.end()) return Error(Code::kNoEntry);
    return pack.Read(known->second, find_base, budget);
  };
  // A base by name may be made by a later difference: then it is another round's.
  while (!differences.empty()) {
    std::vector<size_t> left;
    for (const size_t number : differences) {
      budget.Step();
      IndexEntry& entry = entries[number];
      auto object = pack.Read(entry.offset, find_base, budget);
      if (!object && object.error().code == Code::kNoEntry) {
        left.push_back(number);
        continue;
      }
      if (!object) return object.error();
      budget.Step(static_cast<int64_t>(object->data.size() / 32));
      entry.id = HashObject(object->type, object->data);
      know(entry);
    }
    if (left.size() == differences.size()) return Bad("pack has " + std::to_string(left.size()) + " unresolved deltas");
    differences = std::move(left);
  }
  PackIndex index{.bytes = {}, .name = HexOf(sum), .count = count};
  index.bytes = IndexText(std::move(entries), sum, budget);
  return index;
}

Result<PackIndex> WritePack(const std::vector<Oid>& ids, const std::function<Result<Object>(const Oid&)>& read, const std::function<Status(std::string_view)>& sink, Budget& budget) {
  std::vector<IndexEntry> entries;
  const std::unique_ptr<Digester> digester = MakeDigester(DigestAlgorithm::kSha1);
  uint64_t offset = 0;
  const auto put = [&](std::string_view bytes) -> Status {
    digester->Update(bytes);
    offset += bytes.size();
    return sink(bytes);
  };
  std::string piece = "PACK";
  Append32(piece, 2);
  Append32(piece, static_cast<uint32_t>(ids.size()));
  PADDOCK_TRY(put(piece));
  for (const Oid& id : ids) {
    budget.Step();
    PADDOCK_ASSIGN(const Object object, read(id));
    uint64_t size = object.data.size();
    uint8_t byte = static_cast<uint8_t>(static_cast<unsigned>(object.type) << 4 | (size & 15));
    piece.clear();
    for (size >>= 4; size > 0; size >>= 7) {
      piece.push_back(static_cast<char>(byte | 0x80));
      byte = static_cast<uint8_t>(size & 0x7f);
    }
    piece.push_back(static_cast<char>(byte));
    piece += Deflate(object.data, budget);
    entries.push_back({id, offset, codec::Crc32(0, piece)});
    PADDOCK_TRY(put(piece));
  }
  const std::string sum = digester->Finish();
  PADDOCK_TRY(sink(sum));
  PackIndex index{.bytes = {}, .name = HexOf(sum), .count = ids.size()};
  index.bytes = IndexText(std::move(entries), sum, budget);
  return index;
}

}  // namespace paddock::git
