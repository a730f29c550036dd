// Functions that are written in C++: what they get, and the table of them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lang/jq/ast.h"
#include "lang/jq/host.h"
#include "lang/jq/value.h"

namespace paddock {
class Budget;
}

namespace paddock::jq {

class PatternCache;

// What a native function may use besides its arguments.
struct NativeContext {
  Host& host;
  Budget& budget;
  PatternCache& patterns;
  Value error;            // set by Fail()
  bool halts = false;     // set by halt and halt_error
  int halt_status = 0;
  Value halt_message;     // invalid for halt

  // Returns an invalid value, which makes the machine raise the error.
  Value Fail(std::string_view message);
  Value FailWith(Value value) {
    error = std::move(value);
    return Value();
  }
};

// arguments[0] is the input. An invalid result is an error.
using NativeFunction = Value (*)(NativeContext& context, Value* arguments);

struct Native {
  std::string_view name;
  int arity;
  NativeFunction function;
};

// All of them; those whose names begin with '_' are for the prelude.
std::span<const std::span<const Native>> NativeTables();
// The number of the native, or -1; and the native.
int FindNative(std::string_view name, size_t arity);
const Native& NativeAt(size_t number);

// Operators.
Value Binary(Operator op, Value left, const Value& right, NativeContext& context);
Value Add(Value left, const Value& right, NativeContext& context);
Value Negate(const Value& value, NativeContext& context);

// Access by key, index or slice, and by path.
Value Index(const Value& target, const Value& key, NativeContext& context);
Value SliceOf(const Value& target, const Value& from, const Value& to, NativeContext& context);
Value GetPath(Value target, const Value& path, NativeContext& context);
Value SetPath(Value target, const Value& path, size_t depth, Value value, NativeContext& context);
Value DeletePaths(Value target, const Value& paths, NativeContext& context);
// Takes the value at the path out of `root` (null stays behind where that is possible without a copy).
Value TakePath(Value& root, const Value& path, NativeContext& context);

// @name; fails for a name that is none.
Value Format(std::string_view name, const Value& value, NativeContext& context);

// "number (1)" for messages: the type and the value, shortened.
std::string Describe(const Value& value, Budget& budget);
// The value as text, shortened to fit messages.
std::string Shorten(const Value& value, size_t most, Budget& budget);

}  // namespace paddock::jq
