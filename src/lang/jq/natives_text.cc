// Strings: code points, case, trimming, searching, splitting.
#include <cmath>

#include "base/budget.h"
#include "lang/jq/json_writer.h"
#include "lang/jq/native_tables.h"
#include "lang/jq/order.h"
#include "text/utf8.h"

namespace paddock::jq {
namespace {

Value Explode(NativeContext& context, Value* a) {
  if (!a[0].is_string()) return context.Fail("explode input must be a string");
  const std::string_view text = a[0].view();
  context.budget.Step(static_cast<int64_t>(text.size() / 8));
  context.budget.WillAllocate(text.size() * sizeof(Value));
  Value codes = Value::Array(CountUtf8(text));
  for (size_t i = 0; i < text.size();) {
    const DecodedChar decoded = DecodeUtf8(text.substr(i));
    codes.Append(Value::Number(static_cast<double>(decoded.code)));
    i += decoded.length;
  }
  return codes;
}

Value Implode(NativeContext& context, Value* a) {
  if (!a[0].is_array()) return context.Fail("implode input must be an array");
  std::string text;
  context.budget.Step(static_cast<int64_t>(a[0].array_size() / 4));
  for (const Value& code : a[0]) {
    if (!code.is_number() || std::isnan(code.number())) {
      return context.Fail(Describe(code, context.budget) + " can't be imploded, unicode codepoint needs to be numeric");
    }
    const double number = std::trunc(code.number());
    const bool is_character = number >= 0 && number <= 0x10ffff && !(number >= 0xd800 && number < 0xe000);
    AppendUtf8(text, is_character ? static_cast<char32_t>(number) : char32_t{0xfffd});
  }
  return Value::String(text);
}

Value ChangeCase(NativeContext& context, const Value& value, char first, char last) {
  if (!value.is_string()) return context.Fail("explode input must be a string");
  context.budget.Step(static_cast<int64_t>(value.view().size() / 16));
  std::string text(value.view());
  for (char& c : text) {
    if (c >= first && c <= last) c = static_cast<char>(c ^ 0x20);
  }
  return Value::String(text);
}

Value Downcase(NativeContext& context, Value* a) { return ChangeCase(context, a[0], 'A', 'Z'); }
Value Upcase(NativeContext& context, Value* a) { return ChangeCase(context, a[0], 'a', 'z'); }

Value StartsWith(NativeContext& context, Value* a) {
  if (!a[0].is_string() || !a[1].is_string()) return context.Fail("startswith() requires string inputs");
  return Value::Bool(a[0].view().starts_with(a[1].view()));
}
Value EndsWith(NativeContext& context, Value* a) {
  if (!a[0].is_string() || !a[1].is_string()) return context.Fail("endswith() requires string inputs");
  return Value::Bool(a[0].view().ends_with(a[1].view()));
}
Value TrimLeft(NativeContext&, Value* a) {
  if (!a[0].is_string() || !a[1].is_string() || !a[0].view().starts_with(a[1].view())) return a[0];
  return Value::String(a[0].view().substr(a[1].view().size()));
}
Value TrimRight(NativeContext&, Value* a) {
  if (!a[0].is_string() || !a[1].is_string() || !a[0].view().ends_with(a[1].view())) return a[0];
  return Value::String(a[0].view().substr(0, a[0].view().size() - a[1].view().size()));
}

Value SplitText(NativeContext& context, Value* a) {
  if (!a[0].is_string() || !a[1].is_string()) return context.Fail("split input and separator must be strings");
  return Binary(Operator::kDivide, a[0], a[1], context);
}

Value Join(NativeContext& context, Value* a) {
  if (!a[0].is_array() && !a[0].is_object()) {
    return context.Fail("Cannot iterate over " + Describe(a[0], context.budget));
  }
  Value text = Value::String("");
  bool is_first = true, is_ok = true;
  const auto take = [&](const Value& part) {
    context.budget.Step();
    if (!is_first) text = Add(std::move(text), a[1], context);
    is_first = false;
    if (!text.is_valid()) return false;
    if (part.is_number() || part.is_bool()) {
      text = Add(std::move(text), Value::String(JsonText(part, context.budget)), context);
    } else {
      text = Add(std::move(text), part, context);
    }
    return text.is_valid();
  };
  if (a[0].is_array()) {
    for (const Value& part : a[0]) {
      if (!(is_ok = take(part))) break;
    }
  } else {
    size_t cursor = 0;
    Text* key = nullptr;
    const Value* part = nullptr;
    while (is_ok && a[0].Next(cursor, key, part)) is_ok = take(*part);
  }
  return is_ok ? text : Value();
}

Value TextIndices(NativeContext& context, std::string_view text, std::string_view wanted) {
  Value places = Value::Array();
  if (wanted.empty()) return places;
  context.budget.Step(static_cast<int64_t>(text.size() / 16));
  size_t counted = 0, characters = 0;
  for (size_t at = text.find(wanted); at != std::string_view::npos; at = text.find(wanted, at + 1)) {
    context.budget.Step();
    characters += CountUtf8(text.substr(counted, at - counted));
    counted = at;
    places.Append(Value::Number(static_cast<double>(characters)));
  }
  return places;
}

Value Indices(NativeContext& context, Value* a) {
  if (a[0].is_string() && a[1].is_string()) return TextIndices(context, a[0].view(), a[1].view());
  if (a[0].is_array() && !a[1].is_array()) {
    Value wanted = Value::Array(1);
    wanted.Append(a[1]);
    return Index(a[0], wanted, context);
  }
  return Index(a[0], a[1], context);
}

constexpr Native kNatives[] = {
    {"explode", 0, Explode},       {"implode", 0, Implode},        {"ascii_downcase", 0, Downcase},
    {"ascii_upcase", 0, Upcase},   {"startswith", 1, StartsWith},  {"endswith", 1, EndsWith},
    {"ltrimstr", 1, TrimLeft},     {"rtrimstr", 1, TrimRight},     {"split", 1, SplitText},
    {"join", 1, Join},             {"indices", 1, Indices},
};

}  // namespace

std::span<const Native> TextNatives() { return kNatives; }

}  // namespace paddock::jq
