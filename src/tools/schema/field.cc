#include "tools/schema/field.h"

#include <charconv>
#include <cmath>

#include "base/budget.h"
#include "policy/amount.h"
#include "text/nearest.h"
#include "text/regex.h"
#include "text/repair_utf8.h"
#include "text/utf8.h"

namespace paddock::tools {
namespace {

constexpr int64_t kLeastInteger = std::numeric_limits<int64_t>::min();
constexpr int64_t kMostInteger = std::numeric_limits<int64_t>::max();
constexpr size_t kMostBytes = std::numeric_limits<size_t>::max();
constexpr int64_t kNanocoresFrom = 1'000'000;

// A key or a value of somebody's making, short and harmless enough to stand in a message.
std::string Quoted(std::string_view text) {
  std::string shown = HarmlessLine(text.substr(0, 60));
  return "'" + shown + (text.size() > 60 ? "…'" : "'");
}

std::string Plural(size_t count, const char* noun) { return std::to_string(count) + " " + noun + (count == 1 ? "" : "s"); }

Status CheckKind(const json::value& value, bool is_right, const char* wanted, const std::string& where) {
  if (is_right) return {};
  if (value.is_null()) return BadValue(where, std::string("must be ") + wanted + ", not null; leave the argument out instead");
  return BadValue(where, std::string("must be ") + wanted + ", not " + KindOf(value));
}

Status CheckRange(int64_t number, const Rules& rules, const std::string& where) {
  if (number >= rules.min && number <= rules.max) return {};
  if (rules.min == kLeastInteger) return BadValue(where, "must be at most " + std::to_string(rules.max) + ", not " + std::to_string(number));
  if (rules.max == kMostInteger) return BadValue(where, "must be at least " + std::to_string(rules.min) + ", not " + std::to_string(number));
  return BadValue(where, "must be from " + std::to_string(rules.min) + " to " + std::to_string(rules.max) + ", not " + std::to_string(number));
}

Result<bool> Matches(std::string_view text, const TextPattern& pattern) {
  if (text.find('\0') != std::string_view::npos) return false;
  PADDOCK_ASSIGN(const Regex regex, Regex::Compile(pattern.expression, {.dialect = RegexDialect::kPerl}));
  Budget budget(Limits{.memory_bytes = kUnlimited}, SystemClock());
  return regex.Search(text, 0, nullptr, budget);
}

Status CheckPattern(std::string_view text, const TextPattern& pattern, const std::string& where) {
  if (pattern.expression == nullptr) return {};
  PADDOCK_ASSIGN(const bool matches, Matches(text, pattern));
  if (matches) return {};
  return BadValue(where, std::string(pattern.words) + ", not " + Quoted(text));
}

void AddNumberRules(const Rules& rules, json::object& schema) {
  if (rules.min != kLeastInteger) schema["minimum"] = rules.min;
  if (rules.max != kMostInteger) schema["maximum"] = rules.max;
}

}  // namespace

Error BadValue(const std::string& where, std::string_view what) {
  return Error(Code::kInvalid, (where.empty() ? "" : where + ": ") + std::string(what));
}

const char* KindOf(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: return "null";
    case json::kind::bool_: return "a boolean";
    case json::kind::int64:
    case json::kind::uint64: return "an integer";
    case json::kind::double_: return "a number";
    case json::kind::string: return "a string";
    case json::kind::array: return "a list";
    case json::kind::object: return "an object";
  }
  return "something else";
}

Status CheckText(std::string_view text, const Rules& rules, const std::string& where) {
  if (text.size() < rules.min_length) {
    return BadValue(where, rules.min_length == 1 ? "must not be empty" : "must have at least " + Plural(rules.min_length, "byte"));
  }
  if (text.size() > rules.max_length) {
    return BadValue(where, "must have at most " + Plural(rules.max_length, "byte") + ", not " + std::to_string(text.size()));
  }
  return CheckPattern(text, rules.pattern, where);
}

json::object ObjectSchema(std::span<const Field> fields, const void* fresh) {
  json::object properties;
  json::array required;
  for (const Field& field : fields) {
    json::object schema = field.schema(field.rules);
    schema["description"] = field.description;
    if (field.has_default) schema["default"] = field.write(fresh);
    if (field.is_required) required.push_back(field.name);
    properties[field.name] = std::move(schema);
  }
  json::object schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  return schema;
}

Status ReadObject(const json::value& value, std::span<const Field> fields, const std::string& where, void* object) {
  PADDOCK_TRY(CheckKind(value, value.is_object(), "an object", where));
  const json::object& members = value.get_object();
  std::vector<std::string_view> known;
  for (const Field& field : fields) known.emplace_back(field.name);
  for (const auto& member : members) {
    const std::string_view key(member.key().data(), member.key().size());
    bool is_known = false;
    for (const std::string_view name : known) is_known = is_known || name == key;
    if (is_known) continue;
    std::string text = "unknown argument " + Quoted(key);
    if (const std::string_view nearest = NearestWord(key, known); !nearest.empty()) {
      text += "; did you mean '" + std::string(nearest) + "'?";
    } else if (known.empty()) {
      text += "; there are none";
    } else {
      text += "; the arguments are ";
      for (size_t i = 0; i < known.size(); ++i) text += (i == 0 ? "" : ", ") + std::string(known[i]);
    }
    return BadValue(where, text);
  }
  for (const Field& field : fields) {
    const std::string place = where.empty() ? field.name : where + "." + field.name;
    const json::value* const member = members.if_contains(field.name);
    if (member == nullptr) {
      if (field.is_required) return BadValue(where, std::string("missing argument '") + field.name + "': " + field.description);
      continue;
    }
    PADDOCK_TRY(field.read(*member, field.rules, place, object));
  }
  return {};
}

json::object WriteObject(std::span<const Field> fields, const void* object) {
  json::object written;
  for (const Field& field : fields) {
    json::value value = field.write(object);
    if (value.is_null() && !field.is_required) continue;
    written[field.name] = std::move(value);
  }
  return written;
}

Status Json<bool>::Read(const json::value& value, const Rules&, const std::string& where, bool& into) {
  PADDOCK_TRY(CheckKind(value, value.is_bool(), "true or false", where));
  into = value.get_bool();
  return {};
}

json::object Json<int64_t>::Schema(const Rules& rules) {
  json::object schema{{"type", "integer"}};
  AddNumberRules(rules, schema);
  return schema;
}

Status Json<int64_t>::Read(const json::value& value, const Rules& rules, const std::string& where, int64_t& into) {
  if (value.is_uint64() && value.get_uint64() > static_cast<uint64_t>(kMostInteger)) return BadValue(where, "is too large");
  // 5.0 is an integer to JSON Schema, and some models write it so.
  const bool is_whole = value.is_double() && std::trunc(value.get_double()) == value.get_double() && std::abs(value.get_double()) <= 9e15;
  if (value.is_double() && !is_whole) return BadValue(where, "must be a whole number");
  PADDOCK_TRY(CheckKind(value, value.is_int64() || value.is_uint64() || is_whole, "an integer", where));
  const int64_t number = is_whole ? static_cast<int64_t>(value.get_double()) : value.to_number<int64_t>();
  PADDOCK_TRY(CheckRange(number, rules, where));
  into = number;
  return {};
}

json::object Json<uint64_t>::Schema(const Rules& rules) {
  json::object schema{{"type", "integer"}};
  AddNumberRules(rules, schema);
  if (rules.min == kLeastInteger) schema["minimum"] = 0;
  return schema;
}

Status Json<uint64_t>::Read(const json::value& value, const Rules& rules, const std::string& where, uint64_t& into) {
  Rules bounded = rules;
  if (bounded.min < 0) bounded.min = 0;
  int64_t number = 0;
  PADDOCK_TRY(Json<int64_t>::Read(value, bounded, where, number));
  into = static_cast<uint64_t>(number);
  return {};
}

Status Json<double>::Read(const json::value& value, const Rules&, const std::string& where, double& into) {
  PADDOCK_TRY(CheckKind(value, value.is_number(), "a number", where));
  into = value.to_number<double>();
  return {};
}

json::object Json<std::string>::Schema(const Rules& rules) {
  json::object schema{{"type", "string"}};
  if (rules.min_length > 0) schema["minLength"] = rules.min_length;
  if (rules.max_length != kMostBytes) schema["maxLength"] = rules.max_length;
  if (rules.pattern.expression != nullptr) schema["pattern"] = rules.pattern.expression;
  return schema;
}

Status Json<std::string>::Read(const json::value& value, const Rules& rules, const std::string& where, std::string& into) {
  PADDOCK_TRY(CheckKind(value, value.is_string(), "a string", where));
  const std::string_view text(value.get_string().data(), value.get_string().size());
  PADDOCK_TRY(CheckText(text, rules, where));
  into = text;
  return {};
}

json::value Json<std::string>::Write(const std::string& value) { return json::value(json::string(RepairUtf8(value))); }

json::object Json<ByteAmount>::Schema(const Rules& rules) {
  json::object number{{"type", "integer"}};
  AddNumberRules(rules, number);
  return {{"anyOf", json::array{std::move(number), json::object{{"type", "string"}, {"pattern", "^[0-9]+(\\.[0-9]{1,4})?([kmgtKMGT]|[KMGT]iB|[kKMGT]B|B)?$"}}}}};
}

Status Json<ByteAmount>::Read(const json::value& value, const Rules& rules, const std::string& where, ByteAmount& into) {
  if (value.is_string()) {
    std::string text(value.get_string().data(), std::min<size_t>(value.get_string().size(), 64));
    // Container engines write 512m and 2g.
    if (!text.empty() && std::string_view("mgt").find(text.back()) != std::string_view::npos) text.back() = static_cast<char>(text.back() - 'a' + 'A');
    const auto size = policy::ParseSize(text);
    if (!size) return BadValue(where, "must be a number of bytes or text such as \"512m\" or \"2g\"");
    into.bytes = *size;
  } else {
    PADDOCK_TRY(CheckKind(value, value.is_int64() || value.is_uint64(), "a number of bytes or text such as \"2g\"", where));
    if (value.is_int64() && value.get_int64() < 0) return BadValue(where, "must not be negative");
    into.bytes = value.to_number<uint64_t>();
  }
  const uint64_t most = static_cast<uint64_t>(kMostInteger);
  return CheckRange(static_cast<int64_t>(std::min(into.bytes, most)), rules, where);
}

json::object Json<CoreAmount>::Schema(const Rules&) {
  return {{"anyOf", json::array{json::object{{"type", "number"}, {"exclusiveMinimum", 0}},
                                json::object{{"type", "string"}, {"pattern", "^[0-9]+(\\.[0-9]+)?$"}}}}};
}

Status Json<CoreAmount>::Read(const json::value& value, const Rules&, const std::string& where, CoreAmount& into) {
  double cores = 0;
  if (value.is_string()) {
    const std::string_view text(value.get_string().data(), value.get_string().size());
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cores, std::chars_format::fixed);
    if (error != std::errc() || end != text.data() + text.size()) return BadValue(where, "must be a number of cores, such as 0.5 or \"2\"");
  } else {
    PADDOCK_TRY(CheckKind(value, value.is_number(), "a number of cores, such as 0.5 or 2", where));
    cores = value.to_number<double>();
    if (value.is_int64() && value.get_int64() >= kNanocoresFrom) cores /= 1e9;
  }
  if (!(cores > 0 && cores <= 1024)) return BadValue(where, "must be more than 0 and at most 1024 cores");
  into.cores = cores;
  return {};
}

Status Json<json::object>::Read(const json::value& value, const Rules&, const std::string& where, json::object& into) {
  PADDOCK_TRY(CheckKind(value, value.is_object(), "an object", where));
  into = value.get_object();
  return {};
}

json::object Json<std::map<std::string, std::string>>::Schema(const Rules& rules) {
  json::object schema{{"type", "object"}, {"additionalProperties", json::object{{"type", "string"}}}};
  if (rules.key_pattern.expression != nullptr) schema["propertyNames"] = json::object{{"pattern", rules.key_pattern.expression}};
  if (rules.max_items != kMostBytes) schema["maxProperties"] = rules.max_items;
  return schema;
}

Status Json<std::map<std::string, std::string>>::Read(const json::value& value, const Rules& rules, const std::string& where, Map& into) {
  PADDOCK_TRY(CheckKind(value, value.is_object(), "an object of strings", where));
  const json::object& members = value.get_object();
  if (members.size() > rules.max_items) {
    return BadValue(where, "must have at most " + Plural(rules.max_items, "variable") + ", not " + std::to_string(members.size()));
  }
  size_t total = 0;
  into.clear();
  for (const auto& member : members) {
    const std::string key(member.key().data(), member.key().size());
    PADDOCK_TRY(CheckPattern(key, rules.key_pattern, where));
    const std::string place = where + "." + key.substr(0, 60);
    PADDOCK_TRY(CheckKind(member.value(), member.value().is_string(), "a string", place));
    std::string text(member.value().get_string().data(), member.value().get_string().size());
    if (text.find('\0') != std::string::npos) return BadValue(place, "must not hold a NUL character");
    total += key.size() + text.size();
    if (total > rules.max_total) return BadValue(where, "must have at most " + std::to_string(rules.max_total) + " bytes in all names and values together");
    into.emplace(key, std::move(text));
  }
  return {};
}

json::value Json<std::map<std::string, std::string>>::Write(const Map& value) {
  json::object members;
  for (const auto& [name, text] : value) members[RepairUtf8(name)] = RepairUtf8(text);
  return members;
}

json::object ChoiceSchema(std::span<const char* const> names) {
  json::array choices;
  for (const char* const name : names) choices.push_back(name);
  return {{"type", "string"}, {"enum", std::move(choices)}};
}

Result<size_t> ReadChoice(const json::value& value, std::span<const char* const> names, const std::string& where) {
  PADDOCK_TRY(CheckKind(value, value.is_string(), "a string", where));
  const std::string_view text(value.get_string().data(), value.get_string().size());
  std::string all;
  for (size_t i = 0; i < names.size(); ++i) {
    if (text == names[i]) return i;
    all += (i == 0 ? "" : ", ") + std::string(names[i]);
  }
  return BadValue(where, "must be one of " + all + ", not " + Quoted(text));
}

Status CheckList(const json::value& value, const Rules& rules, const std::string& where) {
  PADDOCK_TRY(CheckKind(value, value.is_array(), "a list", where));
  const size_t count = value.get_array().size();
  if (count > rules.max_items) return BadValue(where, "must hold at most " + Plural(rules.max_items, "item") + ", not " + std::to_string(count));
  return {};
}

json::object ListSchema(json::object items, const Rules& rules) {
  json::object schema{{"type", "array"}, {"items", std::move(items)}};
  if (rules.max_items != kMostBytes) schema["maxItems"] = rules.max_items;
  return schema;
}

json::object field_internal::OrNull(json::object schema) {
  if (const json::value* type = schema.if_contains("type"); type != nullptr && !schema.contains("enum")) {
    schema["type"] = json::array{*type, "null"};
    return schema;
  }
  return {{"anyOf", json::array{std::move(schema), json::object{{"type", "null"}}}}};
}

}  // namespace paddock::tools
