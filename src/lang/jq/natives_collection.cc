// Arrays and objects: keys, membership, sorting and grouping.
#include <algorithm>
#include <cmath>

#include "base/budget.h"
#include "lang/jq/native_tables.h"
#include "lang/jq/order.h"

namespace paddock::jq {
namespace {

Value KeysOf(NativeContext& context, const Value& value, bool is_sorted) {
  Value keys = Value::Array();
  if (value.is_array()) {
    context.budget.Step(static_cast<int64_t>(value.array_size()));
    for (size_t i = 0; i < value.array_size(); ++i) keys.Append(Value::Number(static_cast<double>(i)));
    return keys;
  }
  if (!value.is_object()) return context.Fail(Describe(value, context.budget) + " has no keys");
  context.budget.Step(static_cast<int64_t>(value.object_size()));
  const auto append = [&](Text* key) {
    ++key->refs;
    keys.Append(Value::FromText(key));
  };
  if (is_sorted) {
    for (Text* const key : value.SortedKeys()) append(key);
    return keys;
  }
  size_t cursor = 0;
  Text* key = nullptr;
  const Value* member = nullptr;
  while (value.Next(cursor, key, member)) append(key);
  return keys;
}

Value Keys(NativeContext& context, Value* a) { return KeysOf(context, a[0], true); }
Value KeysUnsorted(NativeContext& context, Value* a) { return KeysOf(context, a[0], false); }

Value Has(NativeContext& context, Value* a) {
  if (a[0].is_object() && a[1].is_string()) return Value::Bool(a[0].Find(a[1].text()) != nullptr);
  if (a[0].is_array() && a[1].is_number()) {
    return Value::Bool(a[1].number() >= 0 && a[1].number() < static_cast<double>(a[0].array_size()));
  }
  if (a[0].is_null() && (a[1].is_string() || a[1].is_number())) return Value::Bool(false);
  return context.Fail(std::string("Cannot check whether ") + a[0].type_name() + " has a " + a[1].type_name() + " key");
}

Value ContainsNative(NativeContext& context, Value* a) {
  const bool is_same = a[0].kind() == a[1].kind() || (a[0].is_number() && a[1].is_number()) ||
                       (a[0].is_bool() && a[1].is_bool());
  if (is_same) return Value::Bool(Contains(a[0], a[1], context.budget));
  return context.Fail(Describe(a[0], context.budget) + " and " + Describe(a[1], context.budget) +
                      " cannot have their containment checked");
}

Value CannotIterate(NativeContext& context, const Value& value) {
  return context.Fail("Cannot iterate over " + Describe(value, context.budget));
}

Value AddAll(NativeContext& context, Value* a) {
  const Value all = std::move(a[0]);
  Value sum = Value::Null();
  if (all.is_array()) {
    for (const Value& element : all) {
      context.budget.Step();
      sum = Add(std::move(sum), element, context);
      if (!sum.is_valid()) return sum;
    }
    return sum;
  }
  if (!all.is_object()) return CannotIterate(context, all);
  size_t cursor = 0;
  Text* key = nullptr;
  const Value* value = nullptr;
  while (all.Next(cursor, key, value)) {
    sum = Add(std::move(sum), *value, context);
    if (!sum.is_valid()) return sum;
  }
  return sum;
}

// An array with what to sort it by. Stable.
struct Keyed {
  Value key;
  Value value;
};

bool SortKeyed(NativeContext& context, const Value& values, const Value& keys, std::vector<Keyed>& sorted) {
  if (!values.is_array() || !keys.is_array() || keys.array_size() != values.array_size()) {
    const bool is_same = &values == &keys || (!values.is_array() && !keys.is_array());
    context.Fail(is_same ? Describe(values, context.budget) + " cannot be sorted, as it is not an array"
                         : Describe(values, context.budget) + " and " + Describe(keys, context.budget) +
                               " cannot be sorted, as they are not both arrays");
    return false;
  }
  context.budget.WillAllocate(values.array_size() * sizeof(Keyed) * 2);
  sorted.reserve(values.array_size());
  for (size_t i = 0; i < values.array_size(); ++i) {
    // The keys of the …_by functions are arrays, mostly of one.
    const Value& key = keys.At(i);
    sorted.push_back({key, values.At(i)});
  }
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Keyed& a, const Keyed& b) {
    return Compare(a.key, b.key, context.budget) < 0;
  });
  return true;
}

Value SortBy(NativeContext& context, Value* a) {
  std::vector<Keyed> sorted;
  if (!SortKeyed(context, a[0], a[1], sorted)) return Value();
  Value result = Value::Array(sorted.size());
  for (Keyed& keyed : sorted) result.Append(std::move(keyed.value));
  return result;
}

Value Sort(NativeContext& context, Value* a) {
  a[1] = a[0];
  return SortBy(context, a);
}

Value GroupBy(NativeContext& context, Value* a) {
  std::vector<Keyed> sorted;
  if (!SortKeyed(context, a[0], a[1], sorted)) return Value();
  Value groups = Value::Array();
  Value group = Value::Array();
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0 && !Equals(sorted[i - 1].key, sorted[i].key, context.budget)) {
      groups.Append(std::move(group));
      group = Value::Array();
    }
    group.Append(std::move(sorted[i].value));
  }
  if (!sorted.empty()) groups.Append(std::move(group));
  return groups;
}

Value UniqueBy(NativeContext& context, Value* a) {
  std::vector<Keyed> sorted;
  if (!SortKeyed(context, a[0], a[1], sorted)) return Value();
  Value result = Value::Array();
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0 && Equals(sorted[i - 1].key, sorted[i].key, context.budget)) continue;
    result.Append(sorted[i].value);
  }
  return result;
}

Value Unique(NativeContext& context, Value* a) {
  if (!a[0].is_array()) return CannotIterate(context, a[0]);
  a[1] = a[0];
  return UniqueBy(context, a);
}

// The first of the least, or the last of the greatest.
Value Extreme(NativeContext& context, const Value& values, const Value& keys, bool is_max) {
  if (!values.is_array() || !keys.is_array()) {
    return context.Fail(Describe(values, context.budget) + " and " + Describe(keys, context.budget) +
                        " cannot be iterated over");
  }
  if (values.array_size() == 0) return Value::Null();
  size_t best = 0;
  for (size_t i = 1; i < values.array_size(); ++i) {
    const int order = Compare(keys.At(i), keys.At(best), context.budget);
    if (is_max ? order >= 0 : order < 0) best = i;
  }
  return values.At(best);
}

Value Min(NativeContext& context, Value* a) { return Extreme(context, a[0], a[0], false); }
Value Max(NativeContext& context, Value* a) { return Extreme(context, a[0], a[0], true); }
Value MinBy(NativeContext& context, Value* a) { return Extreme(context, a[0], a[1], false); }
Value MaxBy(NativeContext& context, Value* a) { return Extreme(context, a[0], a[1], true); }

Value Reverse(NativeContext& context, Value* a) {
  if (a[0].is_null()) return Value::Array();
  if (!a[0].is_array()) {
    const bool is_empty = (a[0].is_string() && a[0].view().empty()) || (a[0].is_object() && a[0].object_size() == 0) ||
                          (a[0].is_number() && a[0].number() == 0);
    if (is_empty) return Value::Array();
    if (a[0].is_bool()) return context.Fail(Describe(a[0], context.budget) + " has no length");
    return context.Fail(std::string("Cannot index ") + a[0].type_name() + " with number");
  }
  const Value source = std::move(a[0]);
  context.budget.Step(static_cast<int64_t>(source.array_size() / 4));
  Value result = Value::Array(source.array_size());
  for (size_t i = source.array_size(); i-- > 0;) result.Append(source.At(i));
  return result;
}

void FlattenInto(const Value& value, double depth, Value& out, NativeContext& context) {
  context.budget.CheckStack();
  const auto take = [&](const Value& element) {
    context.budget.Step();
    if (element.is_array() && depth > 0) {
      FlattenInto(element, depth - 1, out, context);
    } else {
      out.Append(element);
    }
  };
  if (value.is_array()) {
    for (const Value& element : value) take(element);
    return;
  }
  size_t cursor = 0;
  Text* key = nullptr;
  const Value* member = nullptr;
  while (value.Next(cursor, key, member)) take(*member);
}

Value FlattenTo(NativeContext& context, const Value& value, double depth) {
  if (!value.is_array() && !value.is_object()) return CannotIterate(context, value);
  Value out = Value::Array();
  FlattenInto(value, depth, out, context);
  return out;
}

Value Flatten(NativeContext& context, Value* a) { return FlattenTo(context, a[0], 1e9); }
Value FlattenDepth(NativeContext& context, Value* a) {
  if (a[1].is_number() && a[1].number() < 0) return context.Fail("flatten depth must not be negative");
  return FlattenTo(context, a[0], a[1].is_number() ? a[1].number() : 1e9);
}

Value ToEntries(NativeContext& context, Value* a) {
  const Value keys = KeysOf(context, a[0], false);
  if (!keys.is_valid()) return keys;
  Value entries = Value::Array(keys.array_size());
  const Value key_name = Value::String("key"), value_name = Value::String("value");
  for (const Value& key : keys) {
    context.budget.Step();
    Value entry = Value::Object(2);
    entry.Set(key_name.text(), key);
    entry.Set(value_name.text(), Index(a[0], key, context));
    entries.Append(std::move(entry));
  }
  return entries;
}

// The first of these members that is neither null nor false; the last one as it is.
Value FirstOf(NativeContext& context, const Value& entry, std::initializer_list<std::string_view> names) {
  Value found = Value::Null();
  for (const std::string_view name : names) {
    found = Index(entry, Value::String(name), context);
    if (!found.is_valid() || found.is_truthy()) return found;
  }
  return found;
}

Value EntryValue(NativeContext& context, const Value& entry) {
  if (entry.is_object()) {
    for (const std::string_view name : {"value", "v"}) {
      const Value* const value = entry.Find(name);
      if (value != nullptr && (value->kind() != Kind::kFalse || name == "value")) return *value;
    }
  }
  return FirstOf(context, entry, {"Value"});
}

Value FromEntries(NativeContext& context, Value* a) {
  if (!a[0].is_array() && !a[0].is_object()) return CannotIterate(context, a[0]);
  Value object = Value::Object();
  const auto take = [&](const Value& entry) {
    context.budget.Step();
    const Value key = FirstOf(context, entry, {"key", "k", "name", "Name", "K", "Key"});
    if (!key.is_valid()) return false;
    if (!key.is_string()) {
      context.Fail("Cannot use " + Describe(key, context.budget) + " as object key");
      return false;
    }
    object.Set(key.text(), EntryValue(context, entry));
    return true;
  };
  if (a[0].is_array()) {
    for (const Value& entry : a[0]) {
      if (!take(entry)) return Value();
    }
    return object;
  }
  size_t cursor = 0;
  Text* name = nullptr;
  const Value* entry = nullptr;
  while (a[0].Next(cursor, name, entry)) {
    if (!take(*entry)) return Value();
  }
  return object;
}

// Of an array of arrays; the prelude has seen to that.
Value Transpose(NativeContext& context, Value* a) {
  size_t width = 0;
  for (const Value& row : a[0]) width = std::max(width, row.array_size());
  context.budget.WillAllocate(width * a[0].array_size() * sizeof(Value));
  Value result = Value::Array(width);
  for (size_t i = 0; i < width; ++i) {
    Value column = Value::Array(a[0].array_size());
    for (const Value& row : a[0]) {
      context.budget.Step();
      column.Append(i < row.array_size() ? row.At(i) : Value::Null());
    }
    result.Append(std::move(column));
  }
  return result;
}

// Of an array, as above.
Value BinarySearch(NativeContext& context, Value* a) {
  size_t low = 0, high = a[0].array_size();
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const int order = Compare(a[0].At(middle), a[1], context.budget);
    if (order == 0) return Value::Number(static_cast<double>(middle));
    (order < 0 ? low : high) = order < 0 ? middle + 1 : middle;
  }
  return Value::Number(-1 - static_cast<double>(low));
}

constexpr Native kNatives[] = {
    {"keys", 0, Keys},
    {"keys_unsorted", 0, KeysUnsorted},
    {"has", 1, Has},
    {"contains", 1, ContainsNative},
    {"add", 0, AddAll},
    {"sort", 0, Sort},
    {"_sort_by", 1, SortBy},
    {"_group_by", 1, GroupBy},
    {"unique", 0, Unique},
    {"_unique_by", 1, UniqueBy},
    {"min", 0, Min},
    {"max", 0, Max},
    {"_min_by", 1, MinBy},
    {"_max_by", 1, MaxBy},
    {"reverse", 0, Reverse},
    {"flatten", 0, Flatten},
    {"flatten", 1, FlattenDepth},
    {"to_entries", 0, ToEntries},
    {"from_entries", 0, FromEntries},
    {"_transpose", 0, Transpose},
    {"_bsearch", 1, BinarySearch},
};

}  // namespace

std::span<const Native> CollectionNatives() { return kNatives; }

}  // namespace paddock::jq
