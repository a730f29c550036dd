#include "lang/jq/containers.h"

#include <algorithm>
#include <bit>
#include <new>

namespace paddock::jq {

LiteralData* LiteralData::Make(double number, std::string_view text) {
  void* memory = ::operator new(sizeof(LiteralData) + text.size());
  auto* literal = ::new (memory) LiteralData{1, static_cast<uint32_t>(text.size()), number};
  std::memcpy(literal->data(), text.data(), text.size());
  return literal;
}

void LiteralData::Free(LiteralData* literal) { ::operator delete(literal); }

ArrayData* ArrayData::Make(size_t capacity) {
  static_assert(sizeof(ArrayData) % alignof(Value) == 0);
  void* memory = ::operator new(sizeof(ArrayData) + capacity * sizeof(Value));
  auto* array = ::new (memory) ArrayData;
  array->refs = 1;
  array->size = 0;
  array->capacity = capacity;
  return array;
}

void ArrayData::Free(ArrayData* array) { ::operator delete(array); }

ObjectData* ObjectData::Make(size_t capacity) {
  static_assert(sizeof(ObjectData) % alignof(Entry) == 0);
  const size_t slots = capacity > kFewEntries ? std::bit_ceil(capacity * 2) : 0;
  const size_t entry_bytes = capacity * sizeof(Entry);
  void* memory = ::operator new(sizeof(ObjectData) + entry_bytes + slots * sizeof(uint32_t));
  auto* object = ::new (memory) ObjectData{1, 0, 0, static_cast<uint32_t>(capacity), nullptr, nullptr};
  if (slots > 0) {
    object->index = reinterpret_cast<uint32_t*>(static_cast<char*>(memory) + sizeof(ObjectData) + entry_bytes);
    std::fill_n(object->index, slots, kNoEntry);
  }
  return object;
}

void ObjectData::Free(ObjectData* object) { ::operator delete(object); }

void ObjectData::Enter(uint32_t number) {
  const auto mask = static_cast<uint32_t>(std::bit_ceil(size_t{capacity} * 2) - 1);
  uint32_t slot = entries()[number].key->Hash() & mask;
  while (index[slot] != kNoEntry) slot = (slot + 1) & mask;
  index[slot] = number;
}

Entry* ObjectData::Find(std::string_view key, uint32_t hash) {
  if (!has_index()) {
    for (Entry& entry : *this) {
      if (entry.key != nullptr && entry.key->size == key.size() &&
          std::memcmp(entry.key->data(), key.data(), key.size()) == 0) {
        return &entry;
      }
    }
    return nullptr;
  }
  const auto mask = static_cast<uint32_t>(std::bit_ceil(size_t{capacity} * 2) - 1);
  for (uint32_t slot = hash & mask; index[slot] != kNoEntry; slot = (slot + 1) & mask) {
    Entry& entry = entries()[index[slot]];
    if (entry.key != nullptr && entry.key->hash == hash && entry.key->view() == key) return &entry;
  }
  return nullptr;
}

Value& ObjectData::Add(Text* key) {
  Entry* const entry = ::new (&entries()[size]) Entry{key, Value::Null()};
  if (has_index()) Enter(size);
  ++size;
  ++live;
  return entry->value;
}

void ObjectData::Remove(std::string_view key) {
  Entry* const entry = Find(key, has_index() ? HashOf(key) : 0);
  Text* const text = entry->key;
  entry->key = nullptr;   // its slot of the index stays taken
  entry->value = Value();
  --live;
  if (--text->refs == 0) Text::Free(text);
}

ObjectData* ObjectData::Copy(size_t new_capacity) {
  ObjectData* const copy = Make(std::max<size_t>(new_capacity, live));
  for (const Entry& entry : *this) {
    if (entry.key == nullptr) continue;
    ++entry.key->refs;
    copy->Add(entry.key) = entry.value;
  }
  return copy;
}

ObjectData* ObjectData::WithRoom(ObjectData* object) {
  if (object->size < object->capacity) return object;
  ObjectData* const larger = Make(std::max<size_t>(4, size_t{object->live} * 2));
  for (Entry& entry : *object) {
    if (entry.key == nullptr) continue;
    larger->Add(entry.key).Swap(entry.value);
  }
  Free(object);
  return larger;
}

}  // namespace paddock::jq
