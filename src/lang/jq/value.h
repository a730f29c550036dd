// Values of a jq program: 16 bytes each, small ones in place, the others a counted reference.
//
// A value never changes for whoever else holds it: the functions that change one (Append, Set, Remove …) copy
// first what is shared. Values belong to one thread. Destruction needs no stack, however deep a value nests.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace paddock::jq {

// In the order that sorting has, invalid first.
enum class Kind : uint8_t {
  kInvalid,   // no value: nothing there, or the error is elsewhere
  kNull,
  kFalse,
  kTrue,
  kNumber,
  kLiteral,   // a number whose text says more than a double holds
  kString,
  kArray,
  kObject,
};

// Immutable UTF-8 with a reference count.
struct Text {
  uint32_t refs;
  uint32_t hash;       // 0 until asked for
  uint64_t size;
  uint64_t capacity;

  char* data() { return reinterpret_cast<char*>(this + 1); }
  const char* data() const { return reinterpret_cast<const char*>(this + 1); }
  std::string_view view() const { return {data(), size}; }
  uint32_t Hash();

  // Uninitialised bytes with one reference.
  static Text* Make(size_t size, size_t capacity = 0);
  static Text* Make(std::string_view bytes);
  static void Free(Text* text);
};

struct ArrayData;
struct ObjectData;
struct LiteralData;

class Value {
 public:
  Value() : kind_(Kind::kInvalid), bits_(0) {}
  Value(const Value& other) : kind_(other.kind_), bits_(other.bits_) {
    if (kind_ >= Kind::kLiteral) ++*refs_;
  }
  Value(Value&& other) noexcept : kind_(other.kind_), bits_(other.bits_) { other.kind_ = Kind::kInvalid; }
  Value& operator=(const Value& other) {
    Value copy(other);
    Swap(copy);
    return *this;
  }
  Value& operator=(Value&& other) noexcept {
    Value taken(std::move(other));
    Swap(taken);
    return *this;
  }
  ~Value() {
    if (kind_ >= Kind::kLiteral && --*refs_ == 0) Destroy();
  }

  static Value Null() { return Value(Kind::kNull); }
  static Value Bool(bool is_true) { return Value(is_true ? Kind::kTrue : Kind::kFalse); }
  static Value Number(double number) {
    Value value(Kind::kNumber);
    value.number_ = number;
    return value;
  }
  // A number with the canonical text that it shows as.
  static Value Literal(double number, std::string_view text);
  static Value String(std::string_view bytes) { return FromText(Text::Make(bytes)); }
  // Takes over one reference.
  static Value FromText(Text* text) {
    Value value(Kind::kString);
    value.text_ = text;
    return value;
  }
  static Value Array(size_t capacity = 0);
  static Value Array(std::vector<Value> elements);
  // Moves `count` values out of `elements`.
  static Value Array(Value* elements, size_t count);
  static Value Object(size_t capacity = 0);

  Kind kind() const { return kind_; }
  bool is_valid() const { return kind_ != Kind::kInvalid; }
  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_bool() const { return kind_ == Kind::kFalse || kind_ == Kind::kTrue; }
  bool is_number() const { return kind_ == Kind::kNumber || kind_ == Kind::kLiteral; }
  bool is_string() const { return kind_ == Kind::kString; }
  bool is_array() const { return kind_ == Kind::kArray; }
  bool is_object() const { return kind_ == Kind::kObject; }
  // Neither false nor null.
  bool is_truthy() const { return kind_ > Kind::kFalse; }
  // The same value without looking inside: what was handed on and not built anew.
  bool IsIdenticalTo(const Value& other) const {
    return kind_ == other.kind_ && (kind_ < Kind::kNumber || bits_ == other.bits_);
  }
  bool is_shared() const { return kind_ >= Kind::kLiteral && *refs_ > 1; }

  double number() const { return kind_ == Kind::kNumber ? number_ : LiteralNumber(); }
  std::string_view literal_text() const;
  std::string_view view() const { return text_->view(); }
  Text* text() const { return text_; }
  // Appends to a string. Takes no copy when this is the only reference.
  void AppendText(std::string_view bytes);

  // Arrays.
  size_t array_size() const;
  const Value& At(size_t index) const;
  const Value* begin() const;
  const Value* end() const;
  void Append(Value value);
  // The element to be changed; the array is made this value's own and long enough, filled with null.
  Value& Slot(size_t index);
  // Elements [from, to).
  Value Slice(size_t from, size_t to) const;
  void Truncate(size_t size);

  // Objects. Entries keep the order in which keys came; `cursor` walks over them and over gaps.
  size_t object_size() const;
  const Value* Find(std::string_view key) const;
  const Value* Find(Text* key) const;
  // The member to be changed, null if it is new.
  Value& Member(Text* key);
  void Set(Text* key, Value value) { Member(key) = std::move(value); }
  void Set(std::string_view key, Value value);
  void Remove(std::string_view key);
  // The entry at or after `cursor`, which moves behind it; false at the end. The references last as the object does.
  bool Next(size_t& cursor, Text*& key, const Value*& value) const;
  // Sorted by code points.
  std::vector<Text*> SortedKeys() const;

  // "null", "boolean", "number" …
  const char* type_name() const;

  void Swap(Value& other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(bits_, other.bits_);
  }

 private:
  friend struct Graveyard;
  explicit Value(Kind kind) : kind_(kind), bits_(0) {}
  double LiteralNumber() const;
  void Destroy();
  void MakeOwnArray(size_t capacity);
  void MakeOwnObject();

  Kind kind_;
  union {
    double number_;
    Text* text_;
    ArrayData* array_;
    ObjectData* object_;
    LiteralData* literal_;
    uint32_t* refs_;  // every counted thing starts with its count
    uint64_t bits_;
  };
};

static_assert(sizeof(Value) == 16);

// Bytes as valid UTF-8: what is malformed becomes U+FFFD.
Value StringFromBytes(std::string_view bytes);

}  // namespace paddock::jq
