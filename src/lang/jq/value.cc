#include "lang/jq/value.h"

#include <algorithm>
#include <new>

#include "lang/jq/containers.h"
#include "text/utf8.h"

namespace paddock::jq {

Text* Text::Make(size_t size, size_t capacity) {
  capacity = std::max(size, capacity);
  void* memory = ::operator new(sizeof(Text) + capacity);
  return ::new (memory) Text{1, 0, size, capacity};
}

Text* Text::Make(std::string_view bytes) {
  Text* text = Make(bytes.size());
  if (!bytes.empty()) std::memcpy(text->data(), bytes.data(), bytes.size());
  return text;
}

void Text::Free(Text* text) { ::operator delete(text); }

uint32_t Text::Hash() {
  if (hash == 0) hash = HashOf(view());
  return hash;
}

// The dead wait in a list that runs through their own memory, so that a value of any depth dies in constant space.
struct Graveyard {
  void Bury(Value& value) {
    if (value.kind_ < Kind::kLiteral) return;
    if (--*value.refs_ == 0) {
      switch (value.kind_) {
        case Kind::kString: Text::Free(value.text_); break;
        case Kind::kArray:
          value.array_->next_dead = arrays;
          arrays = value.array_;
          break;
        case Kind::kObject:
          value.object_->next_dead = objects;
          objects = value.object_;
          break;
        default: LiteralData::Free(value.literal_); break;
      }
    }
    value.kind_ = Kind::kInvalid;
  }
  void Empty() {
    while (arrays != nullptr || objects != nullptr) {
      if (arrays != nullptr) {
        ArrayData* const array = arrays;
        arrays = array->next_dead;
        for (Value& value : *array) Bury(value);
        ArrayData::Free(array);
      } else {
        ObjectData* const object = objects;
        objects = object->next_dead;
        for (Entry& entry : *object) {
          if (entry.key == nullptr) continue;
          if (--entry.key->refs == 0) Text::Free(entry.key);
          entry.key = nullptr;
          Bury(entry.value);
        }
        ObjectData::Free(object);
      }
    }
  }
  ArrayData* arrays = nullptr;
  ObjectData* objects = nullptr;
};

void Value::Destroy() {
  if (kind_ == Kind::kString) return Text::Free(text_);
  if (kind_ == Kind::kLiteral) return LiteralData::Free(literal_);
  ++*refs_;  // Bury() takes it away again
  Graveyard graveyard;
  graveyard.Bury(*this);
  graveyard.Empty();
}

// --- numbers and strings

Value Value::Literal(double number, std::string_view text) {
  Value value(Kind::kLiteral);
  value.literal_ = LiteralData::Make(number, text);
  return value;
}

double Value::LiteralNumber() const { return literal_->number; }
std::string_view Value::literal_text() const { return literal_->view(); }

void Value::AppendText(std::string_view bytes) {
  const size_t old_size = text_->size;
  if (text_->refs == 1 && text_->capacity - old_size >= bytes.size()) {
    std::memcpy(text_->data() + old_size, bytes.data(), bytes.size());
    text_->size += bytes.size();
    text_->hash = 0;
    return;
  }
  const size_t size = old_size + bytes.size();
  Text* const text = Text::Make(size, size + size / 2);
  std::memcpy(text->data(), text_->data(), old_size);
  if (!bytes.empty()) std::memcpy(text->data() + old_size, bytes.data(), bytes.size());
  *this = FromText(text);
}

Value StringFromBytes(std::string_view bytes) {
  if (IsValidUtf8(bytes)) return Value::String(bytes);
  // One U+FFFD for what its first byte begins, as far as bytes go on: jq counts so.
  std::string text;
  for (size_t i = 0; i < bytes.size();) {
    const DecodedChar c = DecodeUtf8(bytes.substr(i));
    size_t length = c.length;
    if (c.is_valid) {
      text += bytes.substr(i, length);
    } else {
      const auto first = static_cast<unsigned char>(bytes[i]);
      const size_t wanted = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xc2 && first < 0xe0 ? 2 : 1;
      for (length = 1; length < wanted && i + length < bytes.size() && (static_cast<unsigned char>(bytes[i + length]) & 0xc0) == 0x80;) ++length;
      AppendUtf8(text, 0xFFFD);
    }
    i += length;
  }
  return Value::String(text);
}

const char* Value::type_name() const {
  switch (kind_) {
    case Kind::kInvalid: return "<invalid>";
    case Kind::kNull: return "null";
    case Kind::kFalse:
    case Kind::kTrue: return "boolean";
    case Kind::kNumber:
    case Kind::kLiteral: return "number";
    case Kind::kString: return "string";
    case Kind::kArray: return "array";
    case Kind::kObject: return "object";
  }
  return "";
}

// --- arrays

Value Value::Array(size_t capacity) {
  Value value(Kind::kArray);
  value.array_ = ArrayData::Make(capacity);
  return value;
}

Value Value::Array(Value* elements, size_t count) {
  Value value = Array(count);
  for (size_t i = 0; i < count; ++i) ::new (&value.array_->data()[i]) Value(std::move(elements[i]));
  value.array_->size = count;
  return value;
}

Value Value::Array(std::vector<Value> elements) { return Array(elements.data(), elements.size()); }

size_t Value::array_size() const { return array_->size; }
const Value& Value::At(size_t index) const { return array_->data()[index]; }
const Value* Value::begin() const { return array_->data(); }
const Value* Value::end() const { return array_->data() + array_->size; }

void Value::MakeOwnArray(size_t capacity) {
  if (array_->refs == 1 && array_->capacity >= capacity) return;
  const size_t size = array_->size;
  ArrayData* const own = ArrayData::Make(capacity > size ? std::max(capacity, size + size / 2) : size);
  if (array_->refs == 1) {  // Moves as bytes: nobody counts twice.
    if (size > 0) std::memcpy(static_cast<void*>(own->data()), array_->data(), size * sizeof(Value));
    own->size = size;
    ArrayData::Free(array_);
  } else {
    for (size_t i = 0; i < size; ++i) ::new (&own->data()[i]) Value(array_->data()[i]);
    own->size = size;
    --array_->refs;
  }
  array_ = own;
}

void Value::Append(Value value) {
  const size_t size = array_->size;
  if (array_->refs != 1 || array_->capacity == size) MakeOwnArray(std::max<size_t>(4, size + 1));
  ::new (&array_->data()[size]) Value(std::move(value));
  ++array_->size;
}

Value& Value::Slot(size_t index) {
  MakeOwnArray(index < array_->size ? 0 : index + 1);
  while (array_->size <= index) {
    ::new (&array_->data()[array_->size]) Value(Null());
    ++array_->size;
  }
  return array_->data()[index];
}

Value Value::Slice(size_t from, size_t to) const {
  if (from == 0 && to == array_->size) return *this;
  Value slice = Array(to - from);
  for (size_t i = from; i < to; ++i) ::new (&slice.array_->data()[i - from]) Value(array_->data()[i]);
  slice.array_->size = to - from;
  return slice;
}

void Value::Truncate(size_t size) {
  MakeOwnArray(0);
  while (array_->size > size) array_->data()[--array_->size].~Value();
}

// --- objects

Value Value::Object(size_t capacity) {
  Value value(Kind::kObject);
  value.object_ = ObjectData::Make(capacity);
  return value;
}

size_t Value::object_size() const { return object_->live; }

const Value* Value::Find(Text* key) const {
  const Entry* const entry = object_->Find(key->view(), object_->has_index() ? key->Hash() : 0);
  return entry == nullptr ? nullptr : &entry->value;
}

const Value* Value::Find(std::string_view key) const {
  const Entry* const entry = object_->Find(key, object_->has_index() ? HashOf(key) : 0);
  return entry == nullptr ? nullptr : &entry->value;
}

void Value::MakeOwnObject() {
  if (object_->refs == 1) return;
  ObjectData* const own = object_->Copy(object_->capacity);
  --object_->refs;
  object_ = own;
}

Value& Value::Member(Text* key) {
  MakeOwnObject();
  if (Entry* const entry = object_->Find(key->view(), object_->has_index() ? key->Hash() : 0)) return entry->value;
  object_ = ObjectData::WithRoom(object_);
  ++key->refs;
  return object_->Add(key);
}

void Value::Set(std::string_view key, Value value) {
  Value name = String(key);
  Set(name.text(), std::move(value));
}

void Value::Remove(std::string_view key) {
  if (Find(key) == nullptr) return;
  MakeOwnObject();
  object_->Remove(key);
}

bool Value::Next(size_t& cursor, Text*& key, const Value*& value) const {
  while (cursor < object_->size) {
    const Entry& entry = object_->entries()[cursor++];
    if (entry.key == nullptr) continue;
    key = entry.key;
    value = &entry.value;
    return true;
  }
  return false;
}

std::vector<Text*> Value::SortedKeys() const {
  std::vector<Text*> keys;
  keys.reserve(object_->live);
  for (const Entry& entry : *object_) {
    if (entry.key != nullptr) keys.push_back(entry.key);
  }
  std::sort(keys.begin(), keys.end(), [](const Text* a, const Text* b) { return a->view() < b->view(); });
  return keys;
}

}  // namespace paddock::jq
