// One value of a document with its place, and the checks that every key needs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/document.h"

namespace paddock::policy {

// Points into the document's tree, which outlives it.
struct Field {
  const Value* value = nullptr;
  std::string path;                        // "network.allow[2].ports"; empty for the whole document
  std::string_view document;               // its name

  int line() const { return value->line; }
  std::string Origin() const;              // "policy.toml:12"
  // "policy.toml:12: network.allow[2].ports: MESSAGE".
  Error Fail(std::string_view message) const;
  Error FailAs(const Error& error) const { return Error(error.code, Fail(error.Text()).message); }

  Field Member(std::string_view key, const Value& child) const;

  Result<std::string> Text() const;        // not empty, no control characters
  Result<bool> Flag() const;
  Result<std::vector<Field>> Items() const;
  // A list of strings.
  Result<std::vector<std::string>> Texts() const;
  Status CheckKind(Value::Kind kind) const;
};

// What reads the value of one key into a T.
template <class T>
struct Key {
  const char* name;
  Status (*read)(const Field& field, T& into);
};

// The error for a key that no table knows: with the nearest known one, if it is near, else with all.
Error UnknownKey(const Field& field, std::span<const std::string_view> known);

// Reads every member of a table with the key of its name, in the order of `keys`.
template <class T, size_t N>
Status ReadTable(const Field& field, const Key<T> (&keys)[N], T& into) {
  PADDOCK_TRY(field.CheckKind(Value::Kind::kTable));
  for (const auto& [name, child] : field.value->members) {
    bool is_known = false;
    for (const Key<T>& key : keys) is_known = is_known || name == key.name;
    if (is_known) continue;
    std::vector<std::string_view> known;
    for (const Key<T>& key : keys) known.emplace_back(key.name);
    return UnknownKey(field.Member(name, child), known);
  }
  for (const Key<T>& key : keys) {
    if (const Value* child = field.value->Find(key.name)) PADDOCK_TRY(key.read(field.Member(key.name, *child), into));
  }
  return {};
}

}  // namespace paddock::policy
