// The memory of arrays, objects and long numbers. Only value.cc and containers.cc look at it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lang/jq/value.h"

namespace paddock::jq {

inline uint32_t HashOf(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325ull ^ bytes.size();
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  const auto folded = static_cast<uint32_t>(hash ^ (hash >> 29));
  return folded == 0 ? 1 : folded;
}

// The number that a text of any precision stands for, and that text.
struct LiteralData {
  uint32_t refs;
  uint32_t size;
  double number;

  char* data() { return reinterpret_cast<char*>(this + 1); }
  std::string_view view() { return {data(), size}; }
  static LiteralData* Make(double number, std::string_view text);
  static void Free(LiteralData* literal);
};

struct ArrayData {
  uint32_t refs;
  size_t size;
  union {
    size_t capacity;        // while it lives
    ArrayData* next_dead;
  };

  Value* data() { return reinterpret_cast<Value*>(this + 1); }
  Value* begin() { return data(); }
  Value* end() { return data() + size; }
  static ArrayData* Make(size_t capacity);
  static void Free(ArrayData* array);   // the memory alone
};

// One member; the key is null where one was removed.
struct Entry {
  Text* key;
  Value value;
};

// Entries in the order they came, and beyond a few of them a hash index behind the entries.
struct ObjectData {
  uint32_t refs;
  uint32_t size;       // entries, gaps included
  uint32_t live;       // without gaps
  uint32_t capacity;
  uint32_t* index;     // slots of entry numbers, kNoEntry for an empty one; twice the capacity
  ObjectData* next_dead;

  static constexpr uint32_t kFewEntries = 8;
  static constexpr uint32_t kNoEntry = UINT32_MAX;

  bool has_index() const { return index != nullptr; }
  Entry* entries() { return reinterpret_cast<Entry*>(this + 1); }
  Entry* begin() { return entries(); }
  Entry* end() { return entries() + size; }

  Entry* Find(std::string_view key, uint32_t hash);
  // Adds a key that is not there; takes over its reference. There is room.
  Value& Add(Text* key);
  void Remove(std::string_view key);
  ObjectData* Copy(size_t new_capacity);

  static ObjectData* Make(size_t capacity);
  // The object, or its larger successor, with room for one more entry.
  static ObjectData* WithRoom(ObjectData* object);
  static void Free(ObjectData* object);

 private:
  void Enter(uint32_t number);
};

}  // namespace paddock::jq
