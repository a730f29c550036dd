// Pack: single objects of a pack that has an index.
#include <algorithm>

#include "git/big_endian.h"
#include "git/pack.h"
#include "git/unpack_state.h"
#include "git/zlib_data.h"

namespace paddock::git {
namespace {

constexpr size_t kMostDeltas = 4096;              // in a chain; git makes 50
constexpr size_t kChecksum = 20;
constexpr size_t kFanOut = 256 * 4;

Error Bad(std::string_view what) { return {Code::kCorrupt, std::string(what)}; }

}  // namespace

Result<Pack> Pack::Open(std::string index, PackBytes pack) {
  PADDOCK_ASSIGN(const std::string_view head, pack.From(0, 12));
  if (pack.size() < 12 + kChecksum || !head.starts_with("PACK") || Read32(head, 4) < 2 || Read32(head, 4) > 3) return Bad("not a pack");
  Pack result(std::move(index), std::move(pack));
  const std::string& text = result.index_;
  result.end_ = result.bytes_.size() - kChecksum;
  result.is_second_version_ = text.starts_with(std::string_view("\377tOc\0\0\0\2", 8));
  result.table_ = result.is_second_version_ ? 8 : 0;
  if (text.size() < result.table_ + kFanOut + 2 * kChecksum) return Bad("index file is too small");
  result.count_ = Read32(text, result.table_ + 255 * 4);
  const size_t entry = result.is_second_version_ ? 28 : 24;
  if (result.count_ > (text.size() - result.table_ - kFanOut - 2 * kChecksum) / entry) return Bad("index file is too small");
  return result;
}

Oid Pack::IdAt(size_t number) const {
  const size_t names = table_ + kFanOut;
  return Oid::FromBytes(std::string_view(index_).substr(is_second_version_ ? names + number * 20 : names + number * 24 + 4));
}

std::optional<uint64_t> Pack::OffsetAt(size_t number) const {
  const size_t names = table_ + kFanOut;
  if (!is_second_version_) return Read32(index_, names + number * 24);
  const size_t offsets = names + count_ * 24, large = offsets + count_ * 4;
  const uint64_t offset = Read32(index_, offsets + number * 4);
  if ((offset & 0x80000000u) == 0) return offset;
  const size_t at = large + (offset & 0x7fffffff) * 8;
  if (at + 8 > index_.size()) return std::nullopt;
  return uint64_t{Read32(index_, at)} << 32 | Read32(index_, at + 4);
}

size_t Pack::LowerBound(const Oid& id) const {
  // The table says how many ids begin with a byte up to this one; what it says wrongly finds nothing.
  const size_t first = id.bytes[0];
  size_t low = first == 0 ? 0 : std::min<size_t>(Read32(index_, table_ + (first - 1) * 4), count_);
  size_t high = std::min<size_t>(Read32(index_, table_ + first * 4), count_);
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (IdAt(middle) < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

std::optional<uint64_t> Pack::Find(const Oid& id) const {
  const size_t number = LowerBound(id);
  if (number >= count_ || IdAt(number) != id) return std::nullopt;
  return OffsetAt(number);
}

Result<EntryHead> Pack::ReadHead(uint64_t offset) {
  if (offset >= end_) return Bad("pack has bad object at its end");
  PADDOCK_ASSIGN(const std::string_view bytes, bytes_.From(offset, kMostEntryHead));
  return ReadEntryHead(bytes.substr(0, end_ - offset), offset);
}

Result<std::string> Pack::ReadData(uint64_t offset, const EntryHead& head, Budget& budget, uint64_t* end) {
  const uint64_t begin = offset + head.length;
  if (!MayInflateTo(head.size, end_ - begin)) return Bad("object in pack is larger than what is packed of it");
  budget.WillAllocate(head.size);
  const auto pieces = [this, begin](size_t taken) -> Result<std::string_view> {
    const uint64_t at = begin + taken;
    if (at >= end_) return std::string_view();
    PADDOCK_ASSIGN(const std::string_view bytes, bytes_.From(at, 4));
    return bytes.substr(0, end_ - at);
  };
  PADDOCK_ASSIGN(Inflated data, State(budget).streams.Read(pieces, head.size, true));
  if (end != nullptr) *end = begin + data.taken;
  return std::move(data.data);
}

void Pack::Join(std::shared_ptr<UnpackState> state) {
  state_ = std::move(state);
  number_ = state_->bases.AddPack();
}

UnpackState& Pack::State(Budget& budget) {
  if (state_ == nullptr) Join(std::make_shared<UnpackState>(budget));
  return *state_;
}

Result<Object> Pack::Read(uint64_t offset, const FindBase& find_base, Budget& budget) {
  PADDOCK_ASSIGN(ObjectPtr object, Share(offset, find_base, budget));
  return TakeObject(std::move(object));
}

Result<ObjectPtr> Pack::Share(uint64_t offset, const FindBase& find_base, Budget& budget) {
  struct Difference {
    uint64_t offset;   // of the object that it makes
    std::string data;
  };
  DeltaBases& bases = State(budget).bases;
  std::vector<Difference> differences;
  uint64_t held = 0;
  ObjectPtr object;
  uint64_t base_offset = offset;
  while (true) {
    budget.Step();
    object = bases.Find(number_, base_offset);
    if (object != nullptr) break;
    PADDOCK_ASSIGN(const EntryHead head, ReadHead(base_offset));
    PADDOCK_ASSIGN(std::string data, ReadData(base_offset, head, budget));
    if (!head.is_difference()) {
      object = std::make_shared<Object>(static_cast<ObjectType>(head.kind), std::move(data));
      bases.Put(number_, base_offset, object);
      break;
    }
    held += data.size();
    differences.push_back({base_offset, std::move(data)});
    if (differences.size() > kMostDeltas || held > kMostObject) return Bad("chain of deltas is too long");
    if (head.kind == 6) {
      base_offset = head.base_offset;
    } else if (const auto found = Find(head.base_id)) {
      base_offset = *found;
    } else {
      PADDOCK_ASSIGN(Object outside, find_base(head.base_id));
      object = std::make_shared<Object>(std::move(outside));
      break;
    }
  }
  for (; !differences.empty(); differences.pop_back()) {
    const Difference& last = differences.back();
    PADDOCK_ASSIGN(std::string data, ApplyDelta(object->data, last.data, budget));
    object = std::make_shared<Object>(object->type, std::move(data));
    bases.Put(number_, last.offset, object);
  }
  return object;
}

}  // namespace paddock::git
