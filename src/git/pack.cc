#include "git/pack.h"

#include <algorithm>

#include "codec/coder.h"
#include "git/big_endian.h"
#include "git/zlib_data.h"
#include "text/digest.h"

namespace paddock::git {
namespace {

constexpr int kMostDeltas = 4096;   // in a chain; git makes 50
constexpr uint64_t kMostBytes = 1ull << 30;

Error Bad(std::string_view what) { return {Code::kCorrupt, std::string(what)}; }

std::optional<uint64_t> TakeSize(std::string_view& text) {
  uint64_t size = 0;
  for (int shift = 0; shift < 63 && !text.empty(); shift += 7) {
    const uint8_t byte = static_cast<uint8_t>(text[0]);
    text.remove_prefix(1);
    size |= uint64_t{byte & 0x7fu} << shift;
    if ((byte & 0x80) == 0) return size;
  }
  return std::nullopt;
}

struct EntryHead {
  int kind = 0;
  uint64_t size = 0;
  size_t data = 0;           // where the compressed bytes are
  uint64_t base_offset = 0;  // kind 6
  Oid base_id;               // kind 7
};

// The start of an object in a pack.
Result<EntryHead> ReadHead(std::string_view pack, uint64_t offset) {
  EntryHead head;
  size_t at = offset;
  const auto next = [&]() -> int { return at < pack.size() ? static_cast<uint8_t>(pack[at++]) : -1; };
  int byte = next();
  if (byte < 0) return Bad("pack has bad object at its end");
  head.kind = byte >> 4 & 7;
  head.size = static_cast<uint64_t>(byte & 15);
  for (int shift = 4; (byte & 0x80) != 0; shift += 7) {
    byte = next();
    if (byte < 0 || shift > 56) return Bad("bad object header");
    head.size |= uint64_t(byte & 0x7f) << shift;
  }
  if (head.size > kMostBytes) return Bad("object in pack is too large");
  if (head.kind == 6) {
    byte = next();
    uint64_t distance = static_cast<uint64_t>(byte & 0x7f);
    for (int i = 0; byte >= 0 && (byte & 0x80) != 0; ++i) {
      byte = next();
      if (byte < 0 || i > 7) return Bad("delta base offset is out of bound");
      distance = (distance + 1) << 7 | uint64_t(byte & 0x7f);
    }
    if (byte < 0 || distance == 0 || distance > offset) return Bad("delta base offset is out of bound");
    head.base_offset = offset - distance;
  } else if (head.kind == 7) {
    if (pack.size() - at < 20) return Bad("truncated pack");
    head.base_id = Oid::FromBytes(pack.substr(at));
    at += 20;
  } else if (head.kind == 0 || head.kind == 5) {
    return Bad("unknown object type " + std::to_string(head.kind));
  }
  head.data = at;
  return head;
}

}  // namespace

Result<std::string> ApplyDelta(std::string_view base, std::string_view delta, Budget& budget) {
  const auto base_size = TakeSize(delta), size = TakeSize(delta);
  if (!base_size || !size || *base_size != base.size() || *size > kMostBytes) return Bad("delta does not fit its base");
  budget.WillAllocate(*size);
  std::string out;
  while (!delta.empty()) {
    budget.Step();
    const uint8_t code = static_cast<uint8_t>(delta[0]);
    delta.remove_prefix(1);
    if (code == 0) return Bad("delta has a reserved instruction");
    if ((code & 0x80) == 0) {
      if (delta.size() < code || out.size() + code > *size) return Bad("delta is truncated");
      out += delta.substr(0, code);
      delta.remove_prefix(code);
      continue;
    }
    uint64_t from = 0, length = 0;
    for (int bit = 0; bit < 7; ++bit) {
      if ((code >> bit & 1) == 0) continue;
      if (delta.empty()) return Bad("delta is truncated");
      const uint64_t byte = static_cast<uint8_t>(delta[0]);
      delta.remove_prefix(1);
      if (bit < 4) from |= byte << (8 * bit);
      else length |= byte << (8 * (bit - 4));
    }
    if (length == 0) length = 0x10000;
    if (from > base.size() || length > base.size() - from || length > *size - out.size()) return Bad("delta copies from outside its base");
    budget.Step(static_cast<int64_t>(length / 32));
    out += base.substr(from, length);
  }
  if (out.size() != *size) return Bad("delta makes another size than it says");
  return out;
}

Result<Pack> Pack::Open(std::string index, std::string pack, Budget& budget) {
  if (pack.size() < 32 || !pack.starts_with("PACK") || Read32(pack, 4) < 2 || Read32(pack, 4) > 3) return Bad("not a pack");
  const bool is_second = index.starts_with(std::string_view("\377tOc\0\0\0\2", 8));
  const size_t table = is_second ? 8 : 0;
  if (index.size() < table + 1024 + 40) return Bad("index file is too small");
  const size_t count = Read32(index, table + 255 * 4);
  const size_t entry = is_second ? 28 : 24;
  if (count > (index.size() - table - 1024 - 40) / entry) return Bad("index file is too small");
  budget.WillAllocate(count * 28);
  Pack result;
  result.ids_.reserve(count);
  result.offsets_.reserve(count);
  const size_t names = table + 1024, offsets = names + count * 24, large = offsets + count * 4;
  for (size_t i = 0; i < count; ++i) {
    budget.Step();
    if (!is_second) {
      result.offsets_.push_back(Read32(index, names + i * 24));
      result.ids_.push_back(Oid::FromBytes(std::string_view(index).substr(names + i * 24 + 4)));
    } else {
      result.ids_.push_back(Oid::FromBytes(std::string_view(index).substr(names + i * 20)));
      uint64_t offset = Read32(index, offsets + i * 4);
      if ((offset & 0x80000000u) != 0) {
        const size_t at = large + (offset & 0x7fffffff) * 8;
        if (at + 8 > index.size()) return Bad("index file has a wrong offset");
        offset = uint64_t{Read32(index, at)} << 32 | Read32(index, at + 4);
      }
      result.offsets_.push_back(offset);
    }
    if (i > 0 && result.ids_[i] < result.ids_[i - 1]) return Bad("index file is not in order");
  }
  result.pack_ = std::move(pack);
  return result;
}

std::optional<uint64_t> Pack::Find(const Oid& id) const {
  const auto found = std::lower_bound(ids_.begin(), ids_.end(), id);
  if (found == ids_.end() || *found != id) return std::nullopt;
  return offsets_[static_cast<size_t>(found - ids_.begin())];
}

Result<Object> Pack::Read(uint64_t offset, const FindBase& find_base, Budget& budget) const {
  const std::string_view body = std::string_view(pack_).substr(0, pack_.size() - 20);
  std::vector<std::string> deltas;
  Object object;
  uint64_t held = 0;
  while (true) {
    budget.Step();
    PADDOCK_ASSIGN(const EntryHead head, ReadHead(body, offset));
    budget.WillAllocate(head.size);
    PADDOCK_ASSIGN(Inflated data, Inflate(body.substr(head.data), head.size, true, budget));
    if (head.kind < 5) {
      object = {static_cast<ObjectType>(head.kind), std::move(data.data)};
      break;
    }
    deltas.push_back(std::move(data.data));
    held += deltas.back().size();
    if (deltas.size() > kMostDeltas || held > kMostBytes) return Bad("chain of deltas is too long");
    if (head.kind == 6) {
      offset = head.base_offset;
    } else if (const auto found = Find(head.base_id)) {
      offset = *found;
    } else {
      PADDOCK_ASSIGN(object, find_base(head.base_id));
      break;
    }
  }
  for (; !deltas.empty(); deltas.pop_back()) {
    PADDOCK_ASSIGN(object.data, ApplyDelta(object.data, deltas.back(), budget));
  }
  return object;
}

Result<std::vector<PackedObject>> ReadPackStream(std::string_view pack, const Pack::FindBase& find_base, Budget& budget) {
  if (pack.size() < 32 || !pack.starts_with("PACK") || Read32(pack, 4) < 2 || Read32(pack, 4) > 3) return Bad("pack signature mismatch");
  const std::string_view body = pack.substr(0, pack.size() - 20);
  if (DigestOf(DigestAlgorithm::kSha1, body) != pack.substr(body.size())) return Bad("pack is corrupted (SHA1 mismatch)");
  const size_t count = Read32(pack, 8);
  std::vector<PackedObject> objects;
  std::map<uint64_t, size_t> by_offset;
  std::map<Oid, size_t> by_id;
  uint64_t offset = 12;
  for (size_t i = 0; i < count; ++i) {
    budget.Step();
    PADDOCK_ASSIGN(const EntryHead head, ReadHead(body, offset));
    budget.WillAllocate(head.size);
    PADDOCK_ASSIGN(Inflated data, Inflate(body.substr(head.data), head.size, true, budget));
    Object object{static_cast<ObjectType>(head.kind), {}};
    if (head.kind < 5) {
      object.data = std::move(data.data);
    } else {
      const auto near = by_offset.find(head.base_offset);
      const auto named = by_id.find(head.base_id);
      Object base;
      if (head.kind == 6) {
        if (near == by_offset.end()) return Bad("delta base offset is out of bound");
        base = objects[near->second].object;
      } else if (named != by_id.end()) {
        base = objects[named->second].object;
      } else {
        PADDOCK_ASSIGN(base, find_base(head.base_id));
      }
      object.type = base.type;
      PADDOCK_ASSIGN(object.data, ApplyDelta(base.data, data.data, budget));
    }
    const Oid id = HashObject(object.type, object.data);
    by_offset.emplace(offset, i);
    by_id.emplace(id, i);
    objects.push_back({id, std::move(object)});
    offset = head.data + data.taken;
  }
  return objects;
}

Result<WrittenPack> WritePack(const std::vector<Oid>& ids, const std::function<Result<Object>(const Oid&)>& read, Budget& budget) {
  struct Entry {
    Oid id;
    uint32_t offset, crc;
  };
  std::vector<Entry> entries;
  WrittenPack written;
  written.pack = "PACK";
  Append32(written.pack, 2);
  Append32(written.pack, static_cast<uint32_t>(ids.size()));
  for (const Oid& id : ids) {
    budget.Step();
    PADDOCK_ASSIGN(const Object object, read(id));
    const size_t begin = written.pack.size();
    if (begin > 0x7fffffff) return Error(Code::kFileTooBig);
    uint64_t size = object.data.size();
    uint8_t byte = static_cast<uint8_t>(static_cast<unsigned>(object.type) << 4 | (size & 15));
    for (size >>= 4; size > 0; size >>= 7) {
      written.pack.push_back(static_cast<char>(byte | 0x80));
      byte = static_cast<uint8_t>(size & 0x7f);
    }
    written.pack.push_back(static_cast<char>(byte));
    written.pack += Deflate(object.data, budget);
    entries.push_back({id, static_cast<uint32_t>(begin), codec::Crc32(0, std::string_view(written.pack).substr(begin))});
  }
  const std::string sum = DigestOf(DigestAlgorithm::kSha1, written.pack);
  written.pack += sum;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.id < b.id; });
  std::string& index = written.index;
  index.assign("\377tOc\0\0\0\2", 8);
  size_t at = 0;
  for (unsigned first = 0; first < 256; ++first) {
    while (at < entries.size() && entries[at].id.bytes[0] <= first) ++at;
    Append32(index, static_cast<uint32_t>(at));
  }
  for (const Entry& entry : entries) index += entry.id.View();
  for (const Entry& entry : entries) Append32(index, entry.crc);
  for (const Entry& entry : entries) Append32(index, entry.offset);
  index += sum;
  index += DigestOf(DigestAlgorithm::kSha1, index);
  written.name = HexOf(sum);
  return written;
}

}  // namespace paddock::git
