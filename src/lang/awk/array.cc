#include "lang/awk/array.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "base/budget.h"
#include "base/memory_meter.h"
#include "lang/awk/big_number.h"
#include "lang/awk/number.h"

namespace paddock::awk {
namespace {

constexpr uint32_t kPrimes[] = {13,       127,      1021,      8191,      131071,
                                1048573,  8388593,  16777213,  33554393,  67108859,
                                134217689, 268435399, 536870909, 1073741789, 2147483647};
constexpr unsigned kPrimeCount = sizeof kPrimes / sizeof kPrimes[0];
constexpr size_t kMaxChain = 2;

// Leaves of the dense part have at most 2^kLeafBits slots; that many slots may stay unused in an array.
constexpr unsigned kLeafBits = 10;
constexpr size_t kMaxUnused = size_t{1} << (kLeafBits + 1);

// Groups of leaves up to here are indexed directly (at most 1024 leaves each), the others looked up.
constexpr unsigned kFirstFarGroup = 12;

bool NeedsGrowth(size_t new_size, unsigned prime) {
  return new_size / kPrimes[prime] > kMaxChain && prime + 1 < kPrimeCount;
}

uint32_t MixInteger(int32_t key) {
  auto k = static_cast<uint32_t>(key);
  k ^= k << 3;
  k += k >> 5;
  k ^= k << 4;
  k += k >> 17;
  k ^= k << 25;
  k += k >> 6;
  return k;
}

// Reads a whole number of 32 bits that is written as print would write it.
bool ParseCanonical(std::string_view text, int32_t& value) {
  if (text.empty() || text.size() > 11) return false;
  const bool is_negative = text[0] == '-';
  const std::string_view digits = text.substr(is_negative ? 1 : 0);
  if (digits.empty() || digits.size() > 10) return false;
  if (digits[0] == '0') {
    value = 0;
    return digits.size() == 1 && !is_negative;
  }
  int64_t number = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return false;
    number = number * 10 + (c - '0');
  }
  if (number > int64_t{INT32_MAX} + (is_negative ? 1 : 0)) return false;
  value = static_cast<int32_t>(is_negative ? -number : number);
  return true;
}

}  // namespace

ArrayKey::ArrayKey(std::string_view text) { SetText(text); }

ArrayKey::ArrayKey(const Value& value, std::string_view format) {
  if (value.is_text()) {
    shared_text_ = value.text();
    SetText(value.view());
    return;
  }
  if (value.kind() == Kind::kBig) {
    AppendBig(long_text_, value.big(), format);
    SetText(long_text_);
    return;
  }
  if (value.kind() != Kind::kNumber && value.kind() != Kind::kBool) {
    SetText("");
    return;
  }
  const double number = value.number();
  if (number >= INT32_MIN && number <= INT32_MAX) {
    const auto integer = static_cast<int32_t>(number);
    if (static_cast<double>(integer) == number) {
      is_integer_ = true;
      integer_ = integer;
      return;
    }
  }
  AppendNumber(long_text_, number, format);
  SetText(long_text_);
}

void ArrayKey::SetText(std::string_view text) {
  constexpr size_t kLong = 4096, kBytesOfStep = 16;
  if (text.size() >= kLong) ChargeExec(static_cast<int64_t>(text.size() / kBytesOfStep));   // for its hash
  text_ = text.data() == nullptr ? std::string_view("") : text;
  is_integer_ = ParseCanonical(text, integer_);
}

void ArrayKey::MakeText() const {
  const auto end = std::to_chars(digits_, digits_ + sizeof digits_, integer_).ptr;
  text_ = {digits_, static_cast<size_t>(end - digits_)};
}

// --- whole numbers that lie close together

DenseElements::Place DenseElements::Locate(uint32_t key) {
  if (key < (1u << kLeafBits)) return {0, key >> 5, key & 31, 5};
  const auto power = static_cast<unsigned>(std::bit_width(key)) - 1;
  unsigned bits = (power + 1) / 2;
  if (bits > kLeafBits) bits = (bits + 1) / 2;
  const uint32_t offset = key - (1u << power);
  return {power - kLeafBits + 1, offset >> bits, offset & ((1u << bits) - 1), bits};
}

std::unique_ptr<DenseElements::Leaf>* DenseElements::LeafAt(const Place& place, uint32_t key,
                                                            bool create) {
  if (place.group < kFirstFarGroup) {
    if (place.group >= near_.size()) {
      if (!create) return nullptr;
      near_.resize(place.group + 1);
    }
    Leaves& leaves = near_[place.group];
    if (place.leaf >= leaves.size()) {
      if (!create) return nullptr;
      leaves.resize(place.leaf + 1);
    }
    return &leaves[place.leaf];
  }
  if (create) return &far_[key - place.slot];
  const auto found = far_.find(key - place.slot);
  return found == far_.end() ? nullptr : &found->second;
}

Value* DenseElements::Find(uint32_t key) {
  const Place place = Locate(key);
  const auto* leaf = LeafAt(place, key, false);
  if (leaf == nullptr || *leaf == nullptr) return nullptr;
  Value& slot = (*leaf)->slots[place.slot];
  return slot.is_absent() ? nullptr : &slot;
}

bool DenseElements::HasRoomFor(uint32_t key) const {
  unsigned bits = std::max(static_cast<unsigned>(std::bit_width(key)) - 1, kLeafBits);
  if (key < (1u << kLeafBits)) bits = kLeafBits;
  while (bits >= kLeafBits) bits = (bits + 1) / 2;
  return capacity_ + (size_t{1} << bits) - size_ <= kMaxUnused;
}

Value* DenseElements::Insert(uint32_t key) {
  const Place place = Locate(key);
  auto& leaf = *LeafAt(place, key, true);
  if (leaf == nullptr) {
    const size_t slots = size_t{1} << place.leaf_bits;
    leaf = std::make_unique<Leaf>();
    leaf->slots.assign(slots, Value::Absent());
    capacity_ += slots;
  }
  ++leaf->used;
  ++size_;
  Value& slot = leaf->slots[place.slot];
  slot = Value();
  return &slot;
}

bool DenseElements::Remove(uint32_t key) {
  const Place place = Locate(key);
  auto* leaf = LeafAt(place, key, false);
  if (leaf == nullptr || *leaf == nullptr || (*leaf)->slots[place.slot].is_absent()) return false;
  (*leaf)->slots[place.slot] = Value::Absent();
  --size_;
  if (--(*leaf)->used > 0) return true;
  capacity_ -= (*leaf)->slots.size();
  leaf->reset();
  if (place.group >= kFirstFarGroup) far_.erase(key - place.slot);
  return true;
}

void DenseElements::VisitLeaf(uint32_t base, Leaf& leaf,
                              const std::function<void(int32_t, Value&)>& visit) {
  for (uint32_t slot = 0; slot < leaf.slots.size(); ++slot) {
    if (!leaf.slots[slot].is_absent()) visit(static_cast<int32_t>(base + slot), leaf.slots[slot]);
  }
}

void DenseElements::Visit(const std::function<void(int32_t, Value&)>& visit) {
  for (unsigned group = 0; group < near_.size(); ++group) {
    const uint32_t base = group == 0 ? 0 : 1u << (group + kLeafBits - 1);
    for (uint32_t i = 0; i < near_[group].size(); ++i) {
      Leaf* const leaf = near_[group][i].get();
      if (leaf == nullptr) continue;
      VisitLeaf(base + i * static_cast<uint32_t>(leaf->slots.size()), *leaf, visit);
    }
  }
  for (const auto& [base, leaf] : far_) VisitLeaf(base, *leaf, visit);
}

// --- other whole numbers

SparseElements::~SparseElements() {
  for (auto& bucket : buckets_) {
    while (bucket != nullptr) bucket = std::move(bucket->next);
  }
}

Value* SparseElements::Find(int32_t key) {
  if (buckets_.empty()) return nullptr;
  for (Block* block = buckets_[MixInteger(key) % kPrimes[prime_]].get(); block != nullptr;
       block = block->next.get()) {
    for (unsigned i = 0; i < block->count; ++i) {
      if (block->keys[i] == key) return &block->values[i];
    }
  }
  return nullptr;
}

Value* SparseElements::Put(int32_t key, Value&& value) {
  auto& head = buckets_[MixInteger(key) % kPrimes[prime_]];
  if (head == nullptr || head->count == 2) {
    auto block = std::make_unique<Block>();
    block->next = std::move(head);
    head = std::move(block);
  }
  head->keys[head->count] = key;
  head->values[head->count] = std::move(value);
  return &head->values[head->count++];
}

void SparseElements::Grow(Budget& budget) {
  ++prime_;
  budget.WillAllocate(kPrimes[prime_] * sizeof(buckets_[0]));
  std::vector<std::unique_ptr<Block>> old(kPrimes[prime_]);
  old.swap(buckets_);
  for (auto& bucket : old) {
    budget.Step();
    while (bucket != nullptr) {
      for (unsigned i = 0; i < bucket->count; ++i) {
        Put(bucket->keys[i], std::move(bucket->values[i]));
      }
      bucket = std::move(bucket->next);
    }
  }
}

Value* SparseElements::Insert(int32_t key, Budget& budget) {
  if (buckets_.empty()) buckets_.resize(kPrimes[prime_]);
  ++size_;
  if (NeedsGrowth(size_, prime_)) Grow(budget);
  return Put(key, Value());
}

bool SparseElements::Remove(int32_t key) {
  if (buckets_.empty()) return false;
  auto& head = buckets_[MixInteger(key) % kPrimes[prime_]];
  for (auto* link = &head; *link != nullptr; link = &(*link)->next) {
    Block& block = **link;
    for (unsigned i = 0; i < block.count; ++i) {
      if (block.keys[i] != key) continue;
      if (i == 0 && block.count == 2) {
        block.keys[0] = block.keys[1];
        block.values[0] = std::move(block.values[1]);
      }
      --size_;
      block.values[--block.count] = Value();
      if (block.count == 0) {
        *link = std::move(block.next);
      } else if (link != &head) {
        // A block that is not the first is always full: the first one gives up its last element.
        Block& first = *head;
        --first.count;
        block.keys[1] = first.keys[first.count];
        block.values[1] = std::move(first.values[first.count]);
        ++block.count;
        if (first.count == 0) head = std::move(first.next);
      }
      return true;
    }
  }
  return false;
}

void SparseElements::Visit(const std::function<void(int32_t, Value&)>& visit) {
  for (auto& bucket : buckets_) {
    for (Block* block = bucket.get(); block != nullptr; block = block->next.get()) {
      for (unsigned i = 0; i < block->count; ++i) visit(block->keys[i], block->values[i]);
    }
  }
}

// --- everything else

StringElements::~StringElements() {
  for (Node* node : buckets_) {
    while (node != nullptr) {
      Node* const next = node->next;
      delete node;  // allow(raw-new): chain owned by the buckets
      node = next;
    }
  }
}

uint32_t StringElements::Hash(std::string_view key) {
  uint32_t hash = 0;
  for (const char c : key) {
    hash = hash * 65599 + static_cast<uint32_t>(static_cast<signed char>(c));
  }
  return hash;
}

Value* StringElements::Find(std::string_view key) {
  if (bucket_count_ == 0) return nullptr;
  const uint32_t hash = Hash(key);
  for (Node* node = buckets_[hash % bucket_count_]; node != nullptr; node = node->next) {
    if (node->hash == hash && node->key.view() == key) return &node->value;
  }
  return nullptr;
}

Value* StringElements::Insert(std::string_view key, Text* shared, Budget& budget) {
  if (bucket_count_ == 0) {
    buckets_.resize(kPrimes[0]);
    bucket_count_ = kPrimes[0];
  }
  ++size_;
  if (NeedsGrowth(size_, prime_)) Grow(budget);
  if (shared != nullptr) ++shared->refs;
  const uint32_t hash = Hash(key);
  Node*& head = buckets_[hash % bucket_count_];
  head = new Node{head, hash,  // allow(raw-new): chain owned by the buckets
                  Value::FromText(shared != nullptr ? shared : Text::Make(key)), Value()};
  return &head->value;
}

void StringElements::Grow(Budget& budget) {
  ++prime_;
  bucket_count_ = kPrimes[prime_];
  budget.WillAllocate(bucket_count_ * sizeof(Node*));
  std::vector<Node*> old(bucket_count_);
  old.swap(buckets_);
  for (Node* node : old) {
    budget.Step();
    while (node != nullptr) {
      Node* const next = node->next;
      Node*& head = buckets_[node->hash % bucket_count_];
      node->next = head;
      head = node;
      node = next;
    }
  }
}

bool StringElements::Remove(std::string_view key) {
  if (bucket_count_ == 0) return false;
  const uint32_t hash = Hash(key);
  for (Node** link = &buckets_[hash % bucket_count_]; *link != nullptr; link = &(*link)->next) {
    Node* const node = *link;
    if (node->hash != hash || node->key.view() != key) continue;
    *link = node->next;
    delete node;  // allow(raw-new): chain owned by the buckets
    --size_;
    return true;
  }
  return false;
}

void StringElements::Visit(const std::function<void(Text*, Value&)>& visit) {
  for (Node* node : buckets_) {
    for (; node != nullptr; node = node->next) visit(node->key.text(), node->value);
  }
}

// --- the whole

Array* Array::Make() { return new Array; }  // allow(raw-new): counted by Value

void Array::Free(Array* array) {
  std::vector<Array*> doomed = {array};
  while (!doomed.empty()) {
    Array* const next = doomed.back();
    doomed.pop_back();
    next->Visit([&](const Value&, Value& value) {
      Array* const inner = value.array();
      if (inner == nullptr || inner->refs > 1) return;
      if (value.kind() == Kind::kArray) {
        value.SetKind(Kind::kUntyped);
      } else if (value.cell()->refs == 1) {
        value.cell()->array = nullptr;
      } else {
        return;
      }
      doomed.push_back(inner);
    });
    delete next;  // allow(raw-new): counted by Value
  }
}

Value* Array::Find(const ArrayKey& key) {
  if (key.is_integer()) {
    if (dense_ != nullptr && key.integer() >= 0) {
      Value* const value = dense_->Find(static_cast<uint32_t>(key.integer()));
      if (value != nullptr) return value;
    }
    if (sparse_ != nullptr) return sparse_->Find(key.integer());
  }
  return strings_ != nullptr ? strings_->Find(key.text()) : nullptr;
}

Value* Array::FindOrInsert(const ArrayKey& key, Budget& budget) {
  if (Value* const found = Find(key)) return found;
  if (size_++ == 0) {
    if (!key.is_integer()) {
      strings_ = std::make_unique<StringElements>();
    } else if (key.integer() >= 0) {
      dense_ = std::make_unique<DenseElements>();
    } else {
      sparse_ = std::make_unique<SparseElements>();
    }
  }
  if (dense_ != nullptr && key.is_integer() && key.integer() >= 0) {
    const auto number = static_cast<uint32_t>(key.integer());
    if (dense_->HasRoomFor(number)) return dense_->Insert(number);
  }
  if (sparse_ == nullptr && strings_ == nullptr && key.is_integer()) {
    sparse_ = std::make_unique<SparseElements>();
  }
  if (sparse_ != nullptr && key.is_integer()) return sparse_->Insert(key.integer(), budget);
  if (strings_ == nullptr) strings_ = std::make_unique<StringElements>();
  return strings_->Insert(key.text(), key.shared_text(), budget);
}

bool Array::Remove(const ArrayKey& key) {
  bool is_removed = false;
  if (key.is_integer()) {
    if (dense_ != nullptr && key.integer() >= 0) {
      is_removed = dense_->Remove(static_cast<uint32_t>(key.integer()));
    }
    if (!is_removed && sparse_ != nullptr) is_removed = sparse_->Remove(key.integer());
  }
  const bool may_be_string = !key.is_integer() || sparse_ == nullptr;
  if (!is_removed && may_be_string && strings_ != nullptr) is_removed = strings_->Remove(key.text());
  if (!is_removed) return false;
  --size_;
  DropEmptyParts();
  return true;
}

void Array::DropEmptyParts() {
  if (size_ == 0) {
    Clear();
    return;
  }
  if (strings_ != nullptr && strings_->size() == 0) strings_.reset();
  if (sparse_ != nullptr && sparse_->size() == 0) sparse_.reset();
  if (dense_ != nullptr && dense_->size() == 0) dense_.reset();
}

void Array::Clear() {
  // Out of this array first: freeing a value must not find it half emptied.
  const auto dense = std::move(dense_);
  const auto sparse = std::move(sparse_);
  const auto strings = std::move(strings_);
  size_ = 0;
}

void Array::Visit(const std::function<void(Value, Value&)>& visit) {
  if (strings_ != nullptr) {
    strings_->Visit([&](Text* key, Value& value) {
      ++key->refs;
      visit(Value::FromText(key), value);
    });
  }
  const auto visit_integer = [&](int32_t key, Value& value) { visit(Value::Number(key), value); };
  if (sparse_ != nullptr) sparse_->Visit(visit_integer);
  if (dense_ != nullptr) dense_->Visit(visit_integer);
}

std::vector<Value> Array::Keys(Budget& budget) {
  budget.Step(static_cast<int64_t>(size_));
  budget.WillAllocate(size_ * sizeof(Value));
  std::vector<Value> keys;
  keys.reserve(size_);
  Visit([&](Value key, Value&) { keys.push_back(std::move(key)); });
  return keys;
}

std::vector<Array::Element> Array::Elements(Budget& budget) {
  budget.Step(static_cast<int64_t>(size_));
  budget.WillAllocate(size_ * sizeof(Element));
  std::vector<Element> elements;
  elements.reserve(size_);
  Visit([&](Value key, Value& value) { elements.push_back({std::move(key), value}); });
  return elements;
}

std::string_view Array::KindName() const {
  if (size_ == 0) return "null";
  return dense_ != nullptr ? "cint" : sparse_ != nullptr ? "int" : "str";
}

Value KeyToText(const Value& key) {
  if (key.is_text()) return key;
  const TextOf text(key, "%.6g");
  return Value::String(text.view());
}

}  // namespace paddock::awk
