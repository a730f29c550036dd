#include "lang/awk/value.h"

#include <algorithm>
#include <new>

#include "lang/awk/array.h"
#include "lang/awk/big_number.h"
#include "lang/awk/number.h"

namespace paddock::awk {

Text* Text::Make(size_t size, size_t capacity) {
  if (capacity < size) capacity = size;
  void* memory = ::operator new(sizeof(Text) + capacity);
  auto* text = static_cast<Text*>(memory);
  text->refs = 1;
  text->size = static_cast<uint32_t>(size);
  text->capacity = static_cast<uint32_t>(capacity);
  text->look = Look::kUnknown;
  text->number = 0;
  return text;
}

Text* Text::Make(std::string_view bytes) {
  Text* text = Make(bytes.size());
  if (!bytes.empty()) std::memcpy(text->data(), bytes.data(), bytes.size());
  return text;
}

void Text::Free(Text* text) { ::operator delete(text); }

void Text::Look_() {
  look = awk::LooksNumeric(view(), number) ? Look::kNumeric : Look::kPlain;
}

void Text::LookNonDecimal() {
  Look_();
  std::string_view rest = view();
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t\n\r\v\f"), rest.size()));
  const bool has_sign = !rest.empty() && (rest[0] == '-' || rest[0] == '+');
  if (has_sign) rest.remove_prefix(1);
  if (rest.size() < 2 || rest[0] != '0') return;
  const bool is_hex = rest[1] == 'x' || rest[1] == 'X';
  if (!is_hex && (has_sign || rest[1] < '0' || rest[1] > '9')) return;
  number = ParseNonDecimal(view());
  if (is_hex) rest.remove_prefix(2);
  rest.remove_prefix(std::min(rest.find_first_not_of(is_hex ? "0123456789abcdefABCDEF" : "0123456789.eE"), rest.size()));
  look = rest.find_first_not_of(" \t\n\r\v\f") == rest.npos ? Look::kNumeric : Look::kPlain;
}

Cell* Cell::Make() {
  void* memory = ::operator new(sizeof(Cell));
  return ::new (memory) Cell{1, false, nullptr};
}

Value Value::FromBig(BigNumber* number) {
  Value value;
  value.kind_ = Kind::kBig;
  value.big_ = number;
  return value;
}

Value Value::FromArray(Array* array) {
  Value value;
  value.kind_ = Kind::kArray;
  value.array_ = array;
  return value;
}

Value Value::FromCell(Cell* cell) {
  Value value;
  value.kind_ = Kind::kCell;
  value.cell_ = cell;
  return value;
}

double Value::ToNumberSlow() const {
  if (kind_ == Kind::kBool) return number_;
  if (kind_ == Kind::kBig) return big_->ToDouble();
  if (!is_text()) return 0;
  if (text_->look == Text::Look::kUnknown) text_->Look_();
  return text_->number;
}

bool Value::ToBool() const {
  switch (kind_) {
    case Kind::kNumber:
    case Kind::kBool:
      return number_ != 0;
    case Kind::kString:
    case Kind::kRegex:
      return text_->size != 0;
    case Kind::kInput:
      return LooksNumeric() ? text_->number != 0 : text_->size != 0;
    case Kind::kBig:
      return !big_->is_zero();
    default:
      return false;
  }
}

void Value::Destroy() {
  switch (kind_) {
    case Kind::kBig:
      BigNumber::Free(big_);
      break;
    case Kind::kArray:
      Array::Free(array_);
      break;
    case Kind::kCell:
      if (cell_->array != nullptr && --cell_->array->refs == 0) Array::Free(cell_->array);
      ::operator delete(cell_);
      break;
    default:
      Text::Free(text_);
      break;
  }
}

void TextOf::Convert(const Value& value, std::string_view format) {
  if (value.kind() == Kind::kBig) {
    AppendBig(long_text_, value.big(), format);
    view_ = long_text_;
    return;
  }
  if (value.kind() != Kind::kNumber && value.kind() != Kind::kBool) return;
  if (const size_t length = WriteIntegral(value.number(), digits_); length > 0) {
    view_ = {digits_, length};
    return;
  }
  AppendNumber(long_text_, value.number(), format);
  view_ = long_text_;
}

Value ToText(const Value& value, std::string_view format) {
  if (value.kind() == Kind::kString) return value;
  if (value.is_text()) {
    Value copy(value);
    copy.SetKind(Kind::kString);
    return copy;
  }
  const TextOf text(value, format);
  return Value::String(text.view());
}

}  // namespace paddock::awk
