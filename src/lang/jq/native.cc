#include "lang/jq/native.h"

#include <array>

#include "base/budget.h"
#include "lang/jq/json_writer.h"
#include "lang/jq/native_tables.h"
#include "text/utf8.h"

namespace paddock::jq {
namespace {

const std::array<std::span<const Native>, 6>& Tables() {
  static const std::array<std::span<const Native>, 6> tables = {CoreNatives(),  CollectionNatives(), TextNatives(),
                                                                MathNatives(), TimeNatives(),       RegexNatives()};
  return tables;
}

}  // namespace

std::span<const std::span<const Native>> NativeTables() { return Tables(); }

int FindNative(std::string_view name, size_t arity) {
  int number = 0;
  for (const std::span<const Native> table : Tables()) {
    for (const Native& native : table) {
      if (native.name == name && static_cast<size_t>(native.arity) == arity) return number;
      ++number;
    }
  }
  return -1;
}

const Native& NativeAt(size_t number) {
  for (const std::span<const Native> table : Tables()) {
    if (number < table.size()) return table[number];
    number -= table.size();
  }
  return Tables()[0][0];
}

Value NativeContext::Fail(std::string_view message) { return FailWith(Value::String(message)); }

std::string Shorten(const Value& value, size_t most, Budget& budget) {
  std::string text = JsonText(value, budget);
  if (text.size() < most) return text;
  // Room for the dots, and no half character.
  size_t end = most - 4;
  while (end > 0 && (text[end] & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

std::string Describe(const Value& value, Budget& budget) {
  constexpr size_t kMost = 15;
  return std::string(value.type_name()) + " (" + Shorten(value, kMost, budget) + ")";
}

}  // namespace paddock::jq
