#include "git/pack.h"

#include <algorithm>
#include <map>

#include "codec/coder.h"
#include "git/big_endian.h"
#include "git/zlib_data.h"
#include "text/digest.h"

namespace paddock::git {
namespace {

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

}  // namespace

Result<std::string> ApplyDelta(std::string_view base, std::string_view delta, Budget& budget) {
  const auto base_size = TakeSize(delta), size = TakeSize(delta);
  if (!base_size || !size || *base_size != base.size() || *size > kMostObject) return Bad("delta does not fit its base");
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
    if (offset > body.size()) return Bad("pack has bad object at its end");
    PADDOCK_ASSIGN(const EntryHead head, ReadEntryHead(body.substr(offset), offset));
    budget.WillAllocate(head.size);
    const uint64_t data_offset = offset + head.length;
    PADDOCK_ASSIGN(Inflated data, Inflate(body.substr(data_offset), head.size, true, budget));
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
    offset = data_offset + data.taken;
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
