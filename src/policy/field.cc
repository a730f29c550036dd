#include "policy/field.h"

#include <algorithm>

#include "text/nearest.h"

namespace paddock::policy {

std::string Field::Origin() const { return std::string(document) + ":" + std::to_string(value->line); }

Error Field::Fail(std::string_view message) const {
  return Error(Code::kInvalid, Origin() + ": " + (path.empty() ? "" : path + ": ") + std::string(message));
}

Field Field::Member(std::string_view key, const Value& child) const {
  std::string shown(key.substr(0, 64));
  std::replace_if(shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return {&child, path.empty() ? shown : path + "." + shown, document};
}

Status Field::CheckKind(Value::Kind kind) const {
  if (value->kind == kind) return {};
  return Fail(std::string("must be ") + KindName(kind) + ", not " + KindName(value->kind));
}

Result<std::string> Field::Text() const {
  PADDOCK_TRY(CheckKind(Value::Kind::kString));
  if (value->text.empty()) return Fail("must not be empty");
  const bool has_control = std::any_of(value->text.begin(), value->text.end(),
                                       [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (has_control) return Fail("holds a control character");
  return value->text;
}

Result<bool> Field::Flag() const {
  PADDOCK_TRY(CheckKind(Value::Kind::kBool));
  return value->boolean;
}

Result<std::vector<Field>> Field::Items() const {
  PADDOCK_TRY(CheckKind(Value::Kind::kList));
  if (value->items.size() > 10'000) return Fail("has more than 10000 items");
  std::vector<Field> fields;
  fields.reserve(value->items.size());
  for (size_t i = 0; i < value->items.size(); ++i) {
    fields.push_back({&value->items[i], path + "[" + std::to_string(i) + "]", document});
  }
  return fields;
}

Result<std::vector<std::string>> Field::Texts() const {
  PADDOCK_ASSIGN(const std::vector<Field> items, Items());
  std::vector<std::string> texts;
  for (const Field& item : items) {
    PADDOCK_ASSIGN(std::string text, item.Text());
    texts.push_back(std::move(text));
  }
  return texts;
}

Error UnknownKey(const Field& field, std::span<const std::string_view> known) {
  const size_t dot = field.path.rfind('.');
  const std::string_view name = dot == std::string::npos ? std::string_view(field.path) : std::string_view(field.path).substr(dot + 1);
  const std::string_view nearest = NearestWord(name, known);
  if (!nearest.empty()) return field.Fail("unknown key; did you mean '" + std::string(nearest) + "'?");
  std::string all;
  for (const std::string_view key : known) all += (all.empty() ? "" : ", ") + std::string(key);
  return field.Fail("unknown key; the keys here are " + all);
}

}  // namespace paddock::policy
