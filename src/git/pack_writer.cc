// Making packs and indexes of them.
#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "codec/coder.h"
#include "git/big_endian.h"
#include "git/delta_pack.h"
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

namespace {

// A pack as it is written: what every object adds to the checksum and to the index.
class PackStream {
 public:
  PackStream(const PackSink& sink, Budget& budget) : sink_(sink), budget_(budget) {}

  Status Begin(size_t count) {
    std::string head = "PACK";
    Append32(head, 2);
    Append32(head, static_cast<uint32_t>(count));
    return Put(head);
  }
  // `base`: where the base of a difference is, as the pack tells it; `data`: of the object or the difference, whole.
  Status Add(const Oid& id, unsigned kind, std::string_view base, std::string_view data, int level) {
    std::string piece;
    AppendEntryHead(piece, kind, data.size());
    piece += base;
    piece += Deflate(data, budget_, level);
    entries_.push_back({id, offset_, codec::Crc32(0, piece)});
    return Put(piece);
  }
  uint64_t offset() const { return offset_; }
  Result<PackIndex> Finish() {
    const std::string sum = digester_->Finish();
    PADDOCK_TRY(sink_(sum));
    PackIndex index{.bytes = {}, .name = HexOf(sum), .count = entries_.size()};
    index.bytes = IndexText(std::move(entries_), sum, budget_);
    return index;
  }

 private:
  Status Put(std::string_view bytes) {
    digester_->Update(bytes);
    offset_ += bytes.size();
    return sink_(bytes);
  }

  const PackSink& sink_;
  Budget& budget_;
  const std::unique_ptr<Digester> digester_ = MakeDigester(DigestAlgorithm::kSha1);
  std::vector<IndexEntry> entries_;
  uint64_t offset_ = 0;
};

}  // namespace

void AppendEntryHead(std::string& bytes, unsigned kind, uint64_t size) {
  uint8_t byte = static_cast<uint8_t>(kind << 4 | (size & 15));
  for (size >>= 4; size > 0; size >>= 7) {
    bytes.push_back(static_cast<char>(byte | 0x80));
    byte = static_cast<uint8_t>(size & 0x7f);
  }
  bytes.push_back(static_cast<char>(byte));
}

Result<PackIndex> WritePack(const std::vector<Oid>& ids, const ReadObject& read, const PackSink& sink, Budget& budget) {
  PackStream pack(sink, budget);
  PADDOCK_TRY(pack.Begin(ids.size()));
  for (const Oid& id : ids) {
    budget.Step();
    PADDOCK_ASSIGN(const Object object, read(id));
    PADDOCK_TRY(pack.Add(id, static_cast<unsigned>(object.type), "", object.data, -1));
  }
  return pack.Finish();
}

namespace {

// Chooses what each object is a difference from.
class BaseSearch {
 public:
  BaseSearch(const std::vector<Oid>& ids, const ReadObject& read, const PackPlan& plan, Budget& budget) : ids_(ids), read_(read), plan_(plan), budget_(budget) {}

  // The base of each that has one.
  Result<std::map<Oid, Oid>> Run() {
    struct Candidate {
      ObjectType type;
      std::string_view name;
      size_t size, order;
    };
    std::vector<Candidate> candidates;
    if (plan_.window == 0 || plan_.depth == 0) return std::move(bases_);
    budget_.WillAllocate(ids_.size() * 96);
    for (size_t i = 0; i < ids_.size(); ++i) {
      budget_.Step();
      PADDOCK_ASSIGN(const Object object, read_(ids_[i]));
      if (object.data.size() < kLeast || object.data.size() > kMost) continue;
      std::string_view name;
      if (plan_.names != nullptr) {
        if (const auto found = plan_.names->find(ids_[i]); found != plan_.names->end()) name = std::string_view(found->second).substr(found->second.rfind('/') + 1);
      }
      candidates.push_back({object.type, name, object.data.size(), i});
    }
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) { return std::tie(a.type, a.name, b.size, a.order) < std::tie(b.type, b.name, a.size, b.order); });
    for (const Candidate& candidate : candidates) PADDOCK_TRY(Try(ids_[candidate.order]));
    return std::move(bases_);
  }

 private:
  static constexpr size_t kLeast = 50, kMost = 16 << 20;
  struct Held {
    Oid id;
    Object object;
    size_t depth = 0;
  };

  Status Try(const Oid& id) {
    PADDOCK_ASSIGN(Object object, read_(id));
    budget_.WillAllocate(object.data.size());
    Held held{id, std::move(object), 0};
    size_t best = held.object.data.size() / 2;
    best = best > 20 ? best - 20 : 0;
    const Held* base = nullptr;
    for (auto other = window_.rbegin(); other != window_.rend() && best > 0; ++other) {
      if (other->object.type != held.object.type || other->depth >= plan_.depth) continue;
      const std::string delta = MakeDelta(other->object.data, held.object.data, best, budget_);
      if (delta.empty()) continue;
      best = delta.size();
      base = &*other;
    }
    if (base != nullptr) {
      bases_[id] = base->id;
      held.depth = base->depth + 1;
    }
    held_bytes_ += held.object.data.size();
    window_.push_back(std::move(held));
    while (window_.size() > plan_.window || (held_bytes_ > plan_.window_bytes && window_.size() > 1)) {
      held_bytes_ -= window_.front().object.data.size();
      window_.pop_front();
    }
    return {};
  }

  const std::vector<Oid>& ids_;
  const ReadObject& read_;
  const PackPlan& plan_;
  Budget& budget_;
  std::map<Oid, Oid> bases_;
  std::deque<Held> window_;
  uint64_t held_bytes_ = 0;
};

void AppendDistance(std::string& piece, uint64_t distance) {
  std::string bytes(1, static_cast<char>(distance & 0x7f));
  while ((distance >>= 7) > 0) bytes.insert(bytes.begin(), static_cast<char>(0x80 | (--distance & 0x7f)));
  piece += bytes;
}

}  // namespace

Result<PackIndex> WriteDeltaPack(const std::vector<Oid>& ids, const ReadObject& read, const PackSink& sink, const PackPlan& plan, Budget& budget, PackStatistics* statistics) {
  PADDOCK_ASSIGN(const auto bases, (BaseSearch(ids, read, plan, budget).Run()));
  std::map<Oid, uint64_t> offsets;
  PackStream pack(sink, budget);
  PADDOCK_TRY(pack.Begin(ids.size()));
  std::vector<Oid> chain;
  for (const Oid& wanted : ids) {
    // A base comes before what is made of it.
    chain.assign(1, wanted);
    for (auto base = bases.find(wanted); base != bases.end() && !offsets.contains(base->second); base = bases.find(base->second)) chain.push_back(base->second);
    for (; !chain.empty(); chain.pop_back()) {
      const Oid id = chain.back();
      if (offsets.contains(id)) continue;
      budget.Step();
      budget.WillAllocate(160);
      PADDOCK_ASSIGN(const Object object, read(id));
      const uint64_t offset = offsets[id] = pack.offset();
      const auto base = bases.find(id);
      if (base == bases.end()) {
        PADDOCK_TRY(pack.Add(id, static_cast<unsigned>(object.type), "", object.data, plan.level));
        continue;
      }
      PADDOCK_ASSIGN(const Object from, read(base->second));
      std::string place;
      if (plan.by_offset) AppendDistance(place, offset - offsets[base->second]);
      else place = base->second.View();
      PADDOCK_TRY(pack.Add(id, plan.by_offset ? 6 : 7, place, MakeDelta(from.data, object.data, object.data.size(), budget), plan.level));
      if (statistics != nullptr) ++statistics->differences;
    }
  }
  return pack.Finish();
}

std::optional<std::string> FirstVersionIndex(std::string_view index, Budget& budget) {
  constexpr size_t kTable = 8, kNames = kTable + 256 * 4;
  const size_t count = Read32(index, kTable + 255 * 4);
  std::string text(index.substr(kTable, 256 * 4));
  for (size_t i = 0; i < count; ++i) {
    budget.Step();
    const uint32_t offset = Read32(index, kNames + count * 24 + i * 4);
    if ((offset & 0x80000000u) != 0) return std::nullopt;
    Append32(text, offset);
    text += index.substr(kNames + i * 20, 20);
  }
  text += index.substr(index.size() - 40, 20);
  text += DigestOf(DigestAlgorithm::kSha1, text);
  return text;
}

std::string ReverseIndex(std::string_view index, Budget& budget) {
  constexpr size_t kTable = 8, kNames = kTable + 256 * 4;
  const size_t count = Read32(index, kTable + 255 * 4);
  std::vector<std::pair<uint64_t, uint32_t>> places;
  budget.WillAllocate(count * 16);
  for (size_t i = 0; i < count; ++i) {
    budget.Step();
    uint64_t offset = Read32(index, kNames + count * 24 + i * 4);
    if ((offset & 0x80000000u) != 0) {
      const size_t at = kNames + count * 28 + (offset & 0x7fffffff) * 8;
      offset = uint64_t{Read32(index, at)} << 32 | Read32(index, at + 4);
    }
    places.emplace_back(offset, static_cast<uint32_t>(i));
  }
  std::sort(places.begin(), places.end());
  std::string text = "RIDX";
  Append32(text, 1);
  Append32(text, 1);
  for (const auto& [offset, number] : places) Append32(text, number);
  text += index.substr(index.size() - 40, 20);
  text += DigestOf(DigestAlgorithm::kSha1, text);
  return text;
}

}  // namespace paddock::git
