// Associative arrays that are walked in the order in which gawk 5.2 walks them.
//
// Scripts print what `for (k in a)` gives, so the order is part of the behaviour. It follows from how the
// elements are kept, and was established by observing the real program:
//   - small or dense whole numbers ≥ 0 lie in leaves of a radix tree and come last, ascending;
//   - other whole numbers lie in a hash table of blocks of two and come before them;
//   - everything else lies in a chained hash table and comes first.
// The first key decides which of these an array has; a part that is emptied is gone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lang/awk/value.h"

namespace paddock {
class Budget;
}

namespace paddock::awk {

// A subscript in the form in which it is looked up. Points into the value it was made from.
class ArrayKey {
 public:
  explicit ArrayKey(std::string_view text);
  explicit ArrayKey(int32_t integer) : is_integer_(true), integer_(integer) {}
  // `format` is CONVFMT. The value outlives the key.
  ArrayKey(const Value& value, std::string_view format);
  ArrayKey(const ArrayKey&) = delete;
  ArrayKey& operator=(const ArrayKey&) = delete;

  bool is_integer() const { return is_integer_; }
  int32_t integer() const { return integer_; }
  // The text of the subscript, made when it is asked for.
  std::string_view text() const {
    if (text_.data() == nullptr) MakeText();
    return text_;
  }
  // A counted text to share, or null.
  Text* shared_text() const { return shared_text_; }

 private:
  void MakeText() const;
  void SetText(std::string_view text);

  bool is_integer_ = false;
  int32_t integer_ = 0;
  mutable std::string_view text_;
  Text* shared_text_ = nullptr;
  mutable char digits_[16];
  std::string long_text_;
};

// The elements with whole numbers ≥ 0 that lie close together.
class DenseElements {
 public:
  Value* Find(uint32_t key);
  // True when gawk would keep a new element with this key here rather than in a hash table.
  bool HasRoomFor(uint32_t key) const;
  Value* Insert(uint32_t key);
  bool Remove(uint32_t key);
  size_t size() const { return size_; }
  void Visit(const std::function<void(int32_t, Value&)>& visit);

 private:
  struct Leaf {
    uint32_t used = 0;
    std::vector<Value> slots;
  };
  struct Place {
    unsigned group;      // 0 for keys below 1024, else one per power of two
    uint32_t leaf;       // which leaf of the group
    uint32_t slot;       // which slot of the leaf
    unsigned leaf_bits;  // log2 of the leaf's size
  };
  using Leaves = std::vector<std::unique_ptr<Leaf>>;
  static Place Locate(uint32_t key);
  std::unique_ptr<Leaf>* LeafAt(const Place& place, uint32_t key, bool create);
  static void VisitLeaf(uint32_t base, Leaf& leaf,
                        const std::function<void(int32_t, Value&)>& visit);

  std::vector<Leaves> near_;                       // by group
  std::map<uint32_t, std::unique_ptr<Leaf>> far_;  // by first key, for the groups beyond
  size_t size_ = 0;
  size_t capacity_ = 0;
};

class SparseElements {
 public:
  SparseElements() = default;
  SparseElements(const SparseElements&) = delete;
  SparseElements& operator=(const SparseElements&) = delete;
  ~SparseElements();
  Value* Find(int32_t key);
  Value* Insert(int32_t key, Budget& budget);
  bool Remove(int32_t key);
  size_t size() const { return size_; }
  void Visit(const std::function<void(int32_t, Value&)>& visit);

 private:
  struct Block {
    std::unique_ptr<Block> next;
    unsigned count = 0;
    int32_t keys[2];
    Value values[2];
  };
  Value* Put(int32_t key, Value&& value);
  void Grow(Budget& budget);

  std::vector<std::unique_ptr<Block>> buckets_;
  unsigned prime_ = 0;
  size_t size_ = 0;
};

class StringElements {
 public:
  StringElements() = default;
  StringElements(const StringElements&) = delete;
  StringElements& operator=(const StringElements&) = delete;
  ~StringElements();
  Value* Find(std::string_view key);
  // `shared` may be null; the key must be absent.
  Value* Insert(std::string_view key, Text* shared, Budget& budget);
  bool Remove(std::string_view key);
  size_t size() const { return size_; }
  void Visit(const std::function<void(Text*, Value&)>& visit);

 private:
  struct Node {
    Node* next;
    uint32_t hash;
    Value key;
    Value value;
  };
  static uint32_t Hash(std::string_view key);
  void Grow(Budget& budget);

  std::vector<Node*> buckets_;
  uint32_t bucket_count_ = 0;
  unsigned prime_ = 0;
  size_t size_ = 0;
};

class Array {
 public:
  uint32_t refs = 1;  // must stay first: Value counts through it

  static Array* Make();
  // Frees it and all arrays that only it holds, however deeply nested, without recursion.
  static void Free(Array* array);

  size_t size() const { return size_; }
  // Which kind of keys it began with, as gawk names its arrays: "cint", "int", "str", or "null" when it is empty.
  std::string_view KindName() const;
  // Null when there is no such element. Valid until the next change of the array.
  Value* Find(const ArrayKey& key);
  Value* FindOrInsert(const ArrayKey& key, Budget& budget);
  bool Remove(const ArrayKey& key);
  void Clear();

  // The keys in order: text, or numbers where the key is a whole number.
  std::vector<Value> Keys(Budget& budget);
  struct Element {
    Value key;  // as in Keys()
    Value value;
  };
  std::vector<Element> Elements(Budget& budget);

  void Set(std::string_view key, Value value, Budget& budget) {
    *FindOrInsert(ArrayKey(key), budget) = std::move(value);
  }
  void Set(int32_t key, Value value, Budget& budget) {
    *FindOrInsert(ArrayKey(key), budget) = std::move(value);
  }

 private:
  Array() = default;
  ~Array() = default;
  void Visit(const std::function<void(Value, Value&)>& visit);
  void DropEmptyParts();

  size_t size_ = 0;
  std::unique_ptr<DenseElements> dense_;
  std::unique_ptr<SparseElements> sparse_;
  std::unique_ptr<StringElements> strings_;
};

// The key as a program sees it: always text.
Value KeyToText(const Value& key);

}  // namespace paddock::awk
