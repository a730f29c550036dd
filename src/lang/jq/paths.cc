// Access to what is inside values: by key, index or slice, and along paths.
#include <algorithm>
#include <cmath>
#include <span>

#include "base/budget.h"
#include "lang/jq/native.h"
#include "lang/jq/native_tables.h"
#include "lang/jq/order.h"
#include "text/utf8.h"

namespace paddock::jq {
namespace {

constexpr double kMaxIndex = 536870911;

struct Range {
  size_t from = 0, to = 0;
};

// The elements that a slice means among `size`. False when its bounds are no numbers.
bool SliceRange(const Value& from, const Value& to, size_t size, Range& range) {
  if (!(from.is_number() || from.is_null()) || !(to.is_number() || to.is_null())) return false;
  const auto length = static_cast<double>(size);
  double start = from.is_null() ? 0 : from.number();
  double end = to.is_null() ? length : to.number();
  if (std::isnan(start)) start = 0;
  if (std::isnan(end)) end = length;
  if (start < 0) start += length;
  if (end < 0) end += length;
  start = std::clamp(start, 0.0, length);
  end = std::clamp(end, start, length);
  range.from = static_cast<size_t>(std::floor(start));
  range.to = std::min(size, static_cast<size_t>(std::ceil(end)));
  return true;
}

Value BoundOf(const Value& slice, std::string_view name) {
  const Value* const bound = slice.Find(name);
  return bound == nullptr ? Value::Bool(false) : *bound;
}

Value IndicesIn(const Value& array, const Value& wanted, NativeContext& context) {
  Value places = Value::Array();
  const size_t length = wanted.array_size();
  if (length == 0) return places;
  for (size_t i = 0; i + length <= array.array_size(); ++i) {
    bool is_match = true;
    for (size_t j = 0; is_match && j < length; ++j) is_match = Equals(array.At(i + j), wanted.At(j), context.budget);
    if (is_match) places.Append(Value::Number(static_cast<double>(i)));
  }
  return places;
}

Value CannotIndex(const Value& target, const Value& key, NativeContext& context) {
  std::string message = std::string("Cannot index ") + target.type_name() + " with " + key.type_name();
  if (key.is_string()) message += " \"" + std::string(key.view()) + "\"";
  return context.Fail(message);
}

Value SetIndex(Value target, const Value& key, Value value, NativeContext& context) {
  double index = std::isnan(key.number()) ? 0 : std::trunc(key.number());
  const size_t size = target.is_null() ? 0 : target.array_size();
  if (index < 0) index += static_cast<double>(size);
  if (index < 0) return context.Fail("Out of bounds negative array index");
  if (index > kMaxIndex) return context.Fail("Array index too large");
  const auto place = static_cast<size_t>(index);
  if (target.is_null()) target = Value::Array();
  if (place >= size) {
    context.budget.WillAllocate((place - size) * sizeof(Value));
    context.budget.Step(static_cast<int64_t>((place - size) / 16));
  }
  target.Slot(place) = std::move(value);
  return target;
}

Value SetSlice(Value target, const Value& key, const Value& value, NativeContext& context) {
  if (!value.is_array()) return context.Fail("A slice of an array can only be assigned another array");
  if (target.is_null()) target = Value::Array();
  Range range;
  if (!SliceRange(BoundOf(key, "start"), BoundOf(key, "end"), target.array_size(), range)) {
    return context.Fail("Array/string slice indices must be integers");
  }
  context.budget.Step(static_cast<int64_t>(target.array_size() / 8 + value.array_size() / 8));
  Value result = Value::Array(target.array_size() - (range.to - range.from) + value.array_size());
  for (size_t i = 0; i < range.from; ++i) result.Append(target.At(i));
  for (const Value& element : value) result.Append(element);
  for (size_t i = range.to; i < target.array_size(); ++i) result.Append(target.At(i));
  return result;
}

Value SetMember(Value target, const Value& key, Value value, NativeContext& context) {
  if (key.is_string() && (target.is_object() || target.is_null())) {
    if (target.is_null()) target = Value::Object();
    target.Set(key.text(), std::move(value));
    return target;
  }
  if (key.is_number() && (target.is_array() || target.is_null())) {
    return SetIndex(std::move(target), key, std::move(value), context);
  }
  if (key.is_object() && (target.is_array() || target.is_null())) {
    return SetSlice(std::move(target), key, value, context);
  }
  if (key.is_array() && target.is_array()) return context.Fail("Cannot update field at array index of array");
  if (key.is_object() && target.is_string()) return context.Fail("Cannot update string slices");
  if (key.is_object() && !target.is_array()) {
    return context.Fail(std::string("Cannot update field at object index of ") + target.type_name());
  }
  return CannotIndex(target, key, context);
}

// Deletes keys of one value; all of an array's are meant as it was before.
Value DeleteKeys(Value target, std::span<const Value> keys, NativeContext& context) {
  if (target.is_null() || keys.empty()) return target;
  const auto refuse = [&](const Value& key, const char* what) { return context.Fail(std::string("Cannot delete ") + key.type_name() + " " + what); };
  if (target.is_object()) {
    for (const Value& key : keys) {
      if (!key.is_string()) return refuse(key, "field of object");
      target.Remove(key.view());
    }
    return target;
  }
  if (!target.is_array()) return context.Fail(std::string("Cannot delete fields from ") + target.type_name());
  const size_t size = target.array_size();
  std::vector<Range> gone;
  for (const Value& key : keys) {
    Range range;
    if (key.is_number()) {
      double index = std::trunc(key.number());
      if (index < 0) index += static_cast<double>(size);
      if (!(index >= 0 && index < static_cast<double>(size))) continue;
      range = {static_cast<size_t>(index), static_cast<size_t>(index) + 1};
    } else if (key.is_object()) {
      if (!SliceRange(BoundOf(key, "start"), BoundOf(key, "end"), size, range)) {
        return context.Fail("Start and end indices of an array slice must be numbers");
      }
    } else {
      return refuse(key, "element of array");
    }
    if (range.from < range.to) gone.push_back(range);
  }
  if (gone.empty()) return target;
  std::sort(gone.begin(), gone.end(), [](const Range& a, const Range& b) { return a.from < b.from; });
  context.budget.Step(static_cast<int64_t>((size - gone[0].from) / 16 + gone.size()));
  size_t kept = gone[0].from;
  auto next = gone.begin();
  for (size_t i = kept, skip_to = kept; i < size; ++i) {
    for (; next != gone.end() && next->from <= i; ++next) skip_to = std::max(skip_to, next->to);
    if (i >= skip_to) target.Slot(kept++).Swap(target.Slot(i));
  }
  target.Truncate(kept);
  return target;
}

// Deletes sorted paths, of which the first `depth` keys lead to `target`: deeper ones first, so that keys mean what they did.
Value DeleteSorted(Value target, std::span<const Value> paths, size_t depth, NativeContext& context) {
  context.budget.CheckStack();
  if (!paths.empty() && paths[0].array_size() == depth) return Value::Null();   // the shortest comes first
  std::vector<Value> keys;
  for (size_t i = 0; i < paths.size();) {
    context.budget.Step();
    const Value& key = paths[i].At(depth);
    size_t end = i + 1;
    while (end < paths.size() && Compare(paths[end].At(depth), key, context.budget) == 0) ++end;
    const std::span<const Value> same = paths.subspan(i, end - i);
    i = end;
    if (same[0].array_size() == depth + 1) {
      keys.push_back(key);
      continue;
    }
    Value child = Index(target, key, context);
    if (!child.is_valid()) return child;
    if (child.is_null()) continue;
    // Not shared while it is changed.
    if (target.is_object() || (target.is_array() && key.is_number())) {
      target = SetMember(std::move(target), key, Value::Null(), context);
      if (!target.is_valid()) return target;
    }
    child = DeleteSorted(std::move(child), same, depth + 1, context);
    if (!child.is_valid()) return child;
    target = SetMember(std::move(target), key, std::move(child), context);
    if (!target.is_valid()) return target;
  }
  return DeleteKeys(std::move(target), keys, context);
}

}  // namespace

Value Index(const Value& target, const Value& key, NativeContext& context) {
  if (target.is_object() && key.is_string()) {
    const Value* const member = target.Find(key.text());
    return member == nullptr ? Value::Null() : *member;
  }
  if (target.is_array() && key.is_number()) {
    double index = key.number();
    if (std::isnan(index)) return Value::Null();
    index = std::trunc(index);
    if (index < 0) index += static_cast<double>(target.array_size());
    if (!(index >= 0 && index < static_cast<double>(target.array_size()))) return Value::Null();
    return target.At(static_cast<size_t>(index));
  }
  if (key.is_object() && (target.is_array() || target.is_string() || target.is_null())) {
    return SliceOf(target, BoundOf(key, "start"), BoundOf(key, "end"), context);
  }
  if (target.is_array() && key.is_array()) return IndicesIn(target, key, context);
  if (target.is_null() && (key.is_string() || key.is_number() || key.is_null())) {
    if (!key.is_null()) return Value::Null();
  }
  return CannotIndex(target, key, context);
}

Value SliceOf(const Value& target, const Value& from, const Value& to, NativeContext& context) {
  if (target.is_null()) return target;
  if (!target.is_array() && !target.is_string()) {
    return context.Fail(std::string("Cannot index ") + target.type_name() + " with object");
  }
  const size_t size = target.is_array() ? target.array_size() : CountUtf8(target.view());
  Range range;
  if (!SliceRange(from, to, size, range)) return context.Fail("Array/string slice indices must be integers");
  if (target.is_array()) {
    context.budget.Step(static_cast<int64_t>((range.to - range.from) / 16));
    return target.Slice(range.from, range.to);
  }
  const std::string_view text = target.view();
  context.budget.Step(static_cast<int64_t>(text.size() / 32));
  const size_t begin = OffsetOfChar(text, range.from);
  const std::string_view rest = text.substr(begin);
  return Value::String(rest.substr(0, OffsetOfChar(rest, range.to - range.from)));
}

Value GetPath(Value target, const Value& path, NativeContext& context) {
  if (!path.is_array()) return context.Fail("Path must be specified as an array");
  for (const Value& key : path) {
    context.budget.Step();
    if (target.is_null()) return target;
    target = Index(target, key, context);
    if (!target.is_valid()) return target;
  }
  return target;
}

Value SetPath(Value target, const Value& path, size_t depth, Value value, NativeContext& context) {
  if (!path.is_array()) return context.Fail("Path must be specified as an array");
  if (depth == path.array_size()) return value;
  context.budget.Step();
  context.budget.CheckStack();
  const Value& key = path.At(depth);
  if (depth + 1 == path.array_size() && !key.is_array()) {
    // What cannot be read there cannot be written either.
    const bool is_place = key.is_number() || key.is_object();
    const bool fits = (target.is_object() && key.is_string()) || (target.is_array() && is_place) ||
                      (target.is_null() && (key.is_string() || is_place));
    if (fits) return SetMember(std::move(target), key, std::move(value), context);
  }
  Value child = Index(target, key, context);
  if (!child.is_valid()) return child;
  // The old value is not kept in place while the child changes, so that nothing is copied that nobody else has.
  if (!child.is_null() && (target.is_object() || (target.is_array() && key.is_number()))) {
    target = SetMember(std::move(target), key, Value::Null(), context);
    if (!target.is_valid()) return target;
  }
  child = SetPath(std::move(child), path, depth + 1, std::move(value), context);
  if (!child.is_valid()) return child;
  return SetMember(std::move(target), key, std::move(child), context);
}

Value DeletePaths(Value target, const Value& paths, NativeContext& context) {
  if (!paths.is_array()) return context.Fail("Paths must be specified as an array");
  std::vector<Value> sorted(paths.begin(), paths.end());
  std::sort(sorted.begin(), sorted.end(),
            [&](const Value& a, const Value& b) { return Compare(a, b, context.budget) < 0; });
  for (const Value& path : sorted) {
    if (!path.is_array()) {
      return context.Fail(std::string("Path must be specified as array, not ") + path.type_name());
    }
  }
  return DeleteSorted(std::move(target), sorted, 0, context);
}

Value TakePath(Value& root, const Value& path, NativeContext& context) {
  Value* at = &root;
  for (const Value& key : path) {
    context.budget.Step();
    if (at->is_object() && !at->is_shared() && key.is_string() && at->Find(key.text()) != nullptr) {
      at = &at->Member(key.text());
    } else if (at->is_array() && !at->is_shared() && key.is_number() && key.number() >= 0 &&
               key.number() < static_cast<double>(at->array_size())) {
      at = &at->Slot(static_cast<size_t>(key.number()));
    } else {
      return GetPath(root, path, context);
    }
  }
  Value taken = std::move(*at);
  *at = Value::Null();
  return taken;
}

}  // namespace paddock::jq
