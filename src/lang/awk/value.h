// Values of an awk program: 16 bytes each, a number in place or a counted reference to text or an array.
//
// Text that came from input keeps the kind kInput: whether it looks like a number is found out when a
// comparison asks, once per text. Numbers get no text until something needs it. Values belong to one
// interpreter and one thread.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace paddock::awk {

class Array;
struct BigNumber;

// Immutable bytes with a reference count; the number they denote is worked out at most once.
struct Text {
  enum class Look : uint8_t { kUnknown, kPlain, kNumeric };

  uint32_t refs;
  uint32_t size;
  uint32_t capacity;
  Look look;
  double number;  // value of the numeric prefix, valid unless look is kUnknown

  char* data() { return reinterpret_cast<char*>(this + 1); }
  const char* data() const { return reinterpret_cast<const char*>(this + 1); }
  std::string_view view() const { return {data(), size}; }

  // Uninitialised bytes with one reference. `capacity` of at most kMaxSize.
  static Text* Make(size_t size, size_t capacity = 0);
  static Text* Make(std::string_view bytes);
  static void Free(Text* text);
  // Fills in `look` and `number`.
  void Look_();
  // The same where hexadecimal and octal numbers are read, too (-n).
  void LookNonDecimal();

  static constexpr size_t kMaxSize = 0xfffffff0;
};

enum class Kind : uint8_t {
  kAbsent,      // no element (inside arrays only)
  kUntyped,     // never used: may still become an array
  kUnassigned,  // used as a scalar without a value
  kNumber,
  kBool,        // mkbool(): a number that remembers where it came from
  kMissing,     // a field beyond the last: not set, but empty text in comparisons
  kString,
  kInput,       // text from outside, a number if it looks like one
  kRegex,       // @/…/
  kBig,         // a number of any size (big_number.h)
  kArray,
  kCell,        // shared by a caller's untyped variable and the parameter it was passed to
};

// What an untyped variable and the parameters that it was passed to have in common. Whoever is used as
// an array first fills it in.
struct Cell {
  uint32_t refs;
  bool is_scalar;  // used as a scalar: can't become an array any more
  Array* array;    // null until used as an array; one reference

  static Cell* Make();
};

class Value {
 public:
  Value() : kind_(Kind::kUntyped), number_(0) {}
  Value(const Value& other) : kind_(other.kind_), bits_(other.bits_) {
    if (kind_ >= Kind::kString) ++*refs_;
  }
  Value(Value&& other) noexcept : kind_(other.kind_), bits_(other.bits_) {
    other.kind_ = Kind::kUntyped;
  }
  Value& operator=(const Value& other) {
    Value copy(other);
    Swap(copy);
    return *this;
  }
  Value& operator=(Value&& other) noexcept {
    Swap(other);
    return *this;
  }
  ~Value() { Release(); }

  static Value Number(double number) {
    Value value;
    value.kind_ = Kind::kNumber;
    value.number_ = number;
    return value;
  }
  static Value Unassigned() {
    Value value;
    value.kind_ = Kind::kUnassigned;
    return value;
  }
  static Value Missing() {
    Value value;
    value.kind_ = Kind::kMissing;
    return value;
  }
  static Value Absent() {
    Value value;
    value.kind_ = Kind::kAbsent;
    return value;
  }
  static Value Bool(bool is_true) {
    Value value = Number(is_true ? 1 : 0);
    value.kind_ = Kind::kBool;
    return value;
  }
  // Takes over one reference.
  static Value FromText(Text* text, Kind kind = Kind::kString) {
    Value value;
    value.kind_ = kind;
    value.text_ = text;
    return value;
  }
  static Value String(std::string_view bytes) { return FromText(Text::Make(bytes)); }
  static Value Input(std::string_view bytes) { return FromText(Text::Make(bytes), Kind::kInput); }
  // Takes over one reference.
  static Value FromBig(BigNumber* number);
  // Takes over one reference.
  static Value FromArray(Array* array);
  // Takes over one reference.
  static Value FromCell(Cell* cell);

  Kind kind() const { return kind_; }
  bool is_scalar() const { return kind_ >= Kind::kUnassigned && kind_ <= Kind::kBig; }
  bool is_number() const { return kind_ == Kind::kNumber; }
  bool is_text() const { return kind_ >= Kind::kString && kind_ <= Kind::kRegex; }
  bool is_unset() const {
    return kind_ == Kind::kUntyped || kind_ == Kind::kUnassigned || kind_ == Kind::kMissing;
  }
  bool is_absent() const { return kind_ == Kind::kAbsent; }
  double number() const { return number_; }
  Text* text() const { return text_; }
  std::string_view view() const { return text_->view(); }
  const BigNumber& big() const { return *big_; }
  Cell* cell() const { return cell_; }
  // The array, also through a filled cell; null for anything else.
  Array* array() const {
    if (kind_ == Kind::kArray) return array_;
    return kind_ == Kind::kCell ? cell_->array : nullptr;
  }

  // The number of a scalar: that of its longest numeric prefix for text.
  double ToNumber() const {
    if (kind_ == Kind::kNumber) [[likely]] return number_;
    return ToNumberSlow();
  }
  bool ToBool() const;
  // True when comparisons treat it as a number: numbers, unset values, input that looks numeric.
  bool IsNumeric() const {
    if (kind_ <= Kind::kBool || kind_ == Kind::kBig) return true;
    return kind_ == Kind::kInput && LooksNumeric();
  }
  bool LooksNumeric() const {
    if (text_->look == Text::Look::kUnknown) text_->Look_();
    return text_->look == Text::Look::kNumeric;
  }

  void SetNumber(double number) {
    if (kind_ >= Kind::kString) [[unlikely]] Release();
    kind_ = Kind::kNumber;
    number_ = number;
  }
  void SetKind(Kind kind) { kind_ = kind; }
  void Swap(Value& other) {
    std::swap(kind_, other.kind_);
    std::swap(bits_, other.bits_);
  }

 private:
  double ToNumberSlow() const;
  void Release() {
    if (kind_ >= Kind::kString && --*refs_ == 0) Destroy();
  }
  void Destroy();

  Kind kind_;
  union {
    double number_;
    Text* text_;
    BigNumber* big_;
    Array* array_;
    Cell* cell_;
    uint32_t* refs_;  // every counted thing starts with its count
    uint64_t bits_;
  };
};

static_assert(sizeof(Value) == 16);

// The text of a value without allocating where that is possible. Lives no longer than the value.
class TextOf {
 public:
  // `format` is CONVFMT or OFMT.
  TextOf(const Value& value, std::string_view format) {
    if (value.is_text()) [[likely]] {
      view_ = value.view();
    } else {
      Convert(value, format);
    }
  }
  TextOf(const TextOf&) = delete;
  TextOf& operator=(const TextOf&) = delete;
  std::string_view view() const { return view_; }

 private:
  void Convert(const Value& value, std::string_view format);
  std::string_view view_ = "";  // never null
  std::string long_text_;
  char digits_[32];
};

// The value as text, shared when it is text already.
Value ToText(const Value& value, std::string_view format);

}  // namespace paddock::awk
