// Fields: the members of a struct as JSON, told once: name, words for a model, limits. From the one table come the JSON
// Schema (2020-12, closed), the check of what a model sent, the defaults, and the JSON of a result.
//
//   struct Arguments { std::string path; int64_t limit = 2000; std::optional<std::string> sandbox_id; };
//   constexpr Field kArguments[] = {
//       Required<&Arguments::path>("path", "Absolute path of the file.", kPathRules),
//       Optional<&Arguments::limit>("limit", "At most so many lines.", {.min = 1}),      // default: the member's initial value
//       Optional<&Arguments::sandbox_id>("sandbox_id", "…"),                              // std::optional: no default
//   };
//   std::span<const Field> FieldsOf(const Arguments*) { return kArguments; }
//
// Members may be bool, int64_t, uint64_t, double, std::string, ByteAmount, CoreAmount, an enum with NamesOf(), a struct with FieldsOf(),
// json::object (anything), std::map<string, string>, and std::vector or std::optional of these.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock::tools {

namespace json = boost::json;

// A pattern of text: an unanchored regular expression that ECMA 262 and RE2 read alike, and what it asks for in words. Text that has
// a pattern holds no NUL.
struct TextPattern {
  const char* expression = nullptr;
  const char* words = nullptr;   // "must be an absolute path"
};

// What a value may be, besides its type. Lengths of strings are bytes; as JSON Schema counts characters it says them as they are,
// which never refuses what is good.
struct Rules {
  int64_t min = std::numeric_limits<int64_t>::min();
  int64_t max = std::numeric_limits<int64_t>::max();
  size_t min_length = 0;
  size_t max_length = std::numeric_limits<size_t>::max();
  size_t max_items = std::numeric_limits<size_t>::max();
  size_t max_total = std::numeric_limits<size_t>::max();   // bytes of a map's keys and values together
  TextPattern pattern;                                     // of a string, or of each string of a list
  TextPattern key_pattern;                                 // of a map's keys
};

struct Field {
  const char* name;
  const char* description;
  bool is_required;
  bool has_default;   // what `write` gives for a fresh object
  Rules rules;
  json::object (*schema)(const Rules& rules);
  Status (*read)(const json::value& value, const Rules& rules, const std::string& where, void* object);
  json::value (*write)(const void* object);
};

// {"type": "object", "properties": …, "required": …, "additionalProperties": false}. `fresh` is a default object.
json::object ObjectSchema(std::span<const Field> fields, const void* fresh);
// Fills `object`, which holds the defaults. `where` is the value's place ("upload_files[2]"), empty for the whole. Errors: kInvalid,
// in words for a model: what is wrong, at which key, what is right.
Status ReadObject(const json::value& value, std::span<const Field> fields, const std::string& where, void* object);
json::object WriteObject(std::span<const Field> fields, const void* object);

// A number of bytes: 1073741824 or "1g". Powers of 1024.
struct ByteAmount {
  uint64_t bytes = 0;
  bool operator==(const ByteAmount&) const = default;
};
// Processor cores: 0.5, 2 or "1.5". Whole numbers from 1000000 on are billionths of a core, as container engines count.
struct CoreAmount {
  double cores = 0;
  bool operator==(const CoreAmount&) const = default;
};

// "path: must be …"; the place is left out when it is the whole.
Error BadValue(const std::string& where, std::string_view what);
// Errors: kInvalid in words.
Status CheckText(std::string_view text, const Rules& rules, const std::string& where);
const char* KindOf(const json::value& value);   // "a string", "an object" …

// How a type stands in JSON.
template <class T>
struct Json;

template <>
struct Json<bool> {
  static json::object Schema(const Rules&) { return {{"type", "boolean"}}; }
  static Status Read(const json::value& value, const Rules& rules, const std::string& where, bool& into);
  static json::value Write(bool value) { return value; }
};
template <>
struct Json<int64_t> {
  static json::object Schema(const Rules& rules);
  static Status Read(const json::value& value, const Rules& rules, const std::string& where, int64_t& into);
  static json::value Write(int64_t value) { return value; }
};
template <>
struct Json<uint64_t> {
  static json::object Schema(const Rules& rules);
  static Status Read(const json::value& value, const Rules& rules, const std::string& where, uint64_t& into);
  static json::value Write(uint64_t value) { return value; }
};
template <>
struct Json<double> {
  static json::object Schema(const Rules&) { return {{"type", "number"}}; }
  static Status Read(const json::value& value, const Rules& rules, const std::string& where, double& into);
  static json::value Write(double value) { return value; }
};
template <>
struct Json<std::string> {
  static json::object Schema(const Rules& rules);
  static Status Read(const json::value& value, const Rules& rules, const std::string& where, std::string& into);
  static json::value Write(const std::string& value);   // malformed UTF-8 as U+FFFD
};
template <>
struct Json<ByteAmount> {
  static json::object Schema(const Rules& rules);
  static Status Read(const json::value& value, const Rules& rules, const std::string& where, ByteAmount& into);
  static json::value Write(const ByteAmount& value) { return value.bytes; }
};
template <>
struct Json<CoreAmount> {
  static json::object Schema(const Rules& rules);
  static Status Read(const json::value& value, const Rules& rules, const std::string& where, CoreAmount& into);
  static json::value Write(const CoreAmount& value) { return value.cores; }
};
template <>
struct Json<json::object> {
  static json::object Schema(const Rules&) { return {{"type", "object"}}; }
  static Status Read(const json::value& value, const Rules& rules, const std::string& where, json::object& into);
  static json::value Write(const json::object& value) { return value; }
};
template <>
struct Json<std::map<std::string, std::string>> {
  using Map = std::map<std::string, std::string>;
  static json::object Schema(const Rules& rules);
  static Status Read(const json::value& value, const Rules& rules, const std::string& where, Map& into);
  static json::value Write(const Map& value);
};

// An enum: NamesOf(E) gives the names of its values, which count from 0.
json::object ChoiceSchema(std::span<const char* const> names);
Result<size_t> ReadChoice(const json::value& value, std::span<const char* const> names, const std::string& where);
template <class T>
  requires std::is_enum_v<T>
struct Json<T> {
  static json::object Schema(const Rules&) { return ChoiceSchema(NamesOf(T{})); }
  static Status Read(const json::value& value, const Rules&, const std::string& where, T& into) {
    PADDOCK_ASSIGN(const size_t index, ReadChoice(value, NamesOf(T{}), where));
    into = static_cast<T>(index);
    return {};
  }
  static json::value Write(T value) { return NamesOf(T{})[static_cast<size_t>(value)]; }
};

template <class T>
  requires requires(const T* object) { FieldsOf(object); }
struct Json<T> {
  static json::object Schema(const Rules&) {
    const T fresh{};
    return ObjectSchema(FieldsOf(&fresh), &fresh);
  }
  static Status Read(const json::value& value, const Rules&, const std::string& where, T& into) {
    return ReadObject(value, FieldsOf(&into), where, &into);
  }
  static json::value Write(const T& value) { return WriteObject(FieldsOf(&value), &value); }
};

// "must hold at most N items" and the like; the items are read with the rules of the list.
Status CheckList(const json::value& value, const Rules& rules, const std::string& where);
json::object ListSchema(json::object items, const Rules& rules);
template <class T>
struct Json<std::vector<T>> {
  static json::object Schema(const Rules& rules) { return ListSchema(Json<T>::Schema(rules), rules); }
  static Status Read(const json::value& value, const Rules& rules, const std::string& where, std::vector<T>& into) {
    PADDOCK_TRY(CheckList(value, rules, where));
    into.clear();
    for (const json::value& item : value.get_array()) {
      T read{};
      PADDOCK_TRY(Json<T>::Read(item, rules, where + "[" + std::to_string(into.size()) + "]", read));
      into.push_back(std::move(read));
    }
    return {};
  }
  static json::value Write(const std::vector<T>& value) {
    json::array list;
    for (const T& item : value) list.push_back(Json<T>::Write(item));
    return list;
  }
};

// As a member it may be left out. Without a value, WriteObject() leaves it out, or writes null when it is Shown(), the only
// schema that allows null.
template <class T>
struct Json<std::optional<T>> {
  static json::object Schema(const Rules& rules) { return Json<T>::Schema(rules); }
  static Status Read(const json::value& value, const Rules& rules, const std::string& where, std::optional<T>& into) {
    T read{};
    PADDOCK_TRY(Json<T>::Read(value, rules, where, read));
    into = std::move(read);
    return {};
  }
  static json::value Write(const std::optional<T>& value) { return value ? Json<T>::Write(*value) : json::value(nullptr); }
};

namespace field_internal {
template <class M>
struct MemberOf;
template <class C, class T>
struct MemberOf<T C::*> {
  using Class = C;
  using Type = T;
};
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

json::object OrNull(json::object schema);

// `Class` repeats what kMember says, for the linkage (see base/options.h).
template <class Class, auto kMember>
struct Access {
  using Type = typename MemberOf<decltype(kMember)>::Type;
  static json::object Schema(const Rules& rules) { return Json<Type>::Schema(rules); }
  static json::object ResultSchema(const Rules& rules) {
    return kIsOptional<Type> ? OrNull(Json<Type>::Schema(rules)) : Json<Type>::Schema(rules);
  }
  static Status Read(const json::value& value, const Rules& rules, const std::string& where, void* object) {
    return Json<Type>::Read(value, rules, where, static_cast<Class*>(object)->*kMember);
  }
  static json::value Write(const void* object) { return Json<Type>::Write(static_cast<const Class*>(object)->*kMember); }
};
template <auto kMember>
using AccessOf = Access<typename MemberOf<decltype(kMember)>::Class, kMember>;
}  // namespace field_internal

// A member that a caller must give.
template <auto kMember>
constexpr Field Required(const char* name, const char* description, const Rules& rules = {}) {
  using A = field_internal::AccessOf<kMember>;
  return {name, description, true, false, rules, A::Schema, A::Read, A::Write};
}
// A member that a caller may leave out.
template <auto kMember>
constexpr Field Optional(const char* name, const char* description, const Rules& rules = {}) {
  using A = field_internal::AccessOf<kMember>;
  return {name, description, false, !field_internal::kIsOptional<typename A::Type>, rules, A::Schema, A::Read, A::Write};
}
// A member of a result: always there; null when it is a std::optional without a value.
template <auto kMember>
constexpr Field Shown(const char* name, const char* description) {
  using A = field_internal::AccessOf<kMember>;
  return {name, description, true, false, {}, A::ResultSchema, A::Read, A::Write};
}

template <class T>
json::object SchemaOf() {
  return Json<T>::Schema({});
}
template <class T>
Result<T> ReadAs(const json::value& value) {
  T into{};
  PADDOCK_TRY(Json<T>::Read(value, {}, "", into));
  return into;
}

}  // namespace paddock::tools
