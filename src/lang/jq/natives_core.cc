// Types, text forms, errors, input and output, and what asks the host.
#include <cmath>
#include <limits>

#include "base/budget.h"
#include "lang/jq/json_reader.h"
#include "lang/jq/json_writer.h"
#include "lang/jq/modules.h"
#include "lang/jq/native_tables.h"
#include "lang/jq/order.h"
#include "lang/jq/prelude.h"
#include "text/utf8.h"

namespace paddock::jq {
namespace {

Value Type(NativeContext&, Value* a) { return Value::String(a[0].type_name()); }
Value Infinite(NativeContext&, Value*) { return Value::Number(std::numeric_limits<double>::infinity()); }
Value Nan(NativeContext&, Value*) { return Value::Number(std::numeric_limits<double>::quiet_NaN()); }

Value IsInfinite(NativeContext&, Value* a) {
  return Value::Bool(a[0].is_number() && std::isinf(a[0].number()));
}
Value IsNan(NativeContext&, Value* a) {
  return Value::Bool(a[0].is_number() && std::isnan(a[0].number()));
}
Value IsNormal(NativeContext&, Value* a) {
  return Value::Bool(a[0].is_number() && std::isnormal(a[0].number()));
}
Value IsFinite(NativeContext&, Value* a) {
  return Value::Bool(a[0].is_number() && !std::isinf(a[0].number()));
}

Value Length(NativeContext& context, Value* a) {
  switch (a[0].kind()) {
    case Kind::kNull: return Value::Number(0);
    case Kind::kNumber:
    case Kind::kLiteral: return Value::Number(std::abs(a[0].number()));
    case Kind::kString:
      context.budget.Step(static_cast<int64_t>(a[0].view().size() / 64));
      return Value::Number(static_cast<double>(CountUtf8(a[0].view())));
    case Kind::kArray: return Value::Number(static_cast<double>(a[0].array_size()));
    case Kind::kObject: return Value::Number(static_cast<double>(a[0].object_size()));
    default: return context.Fail(Describe(a[0], context.budget) + " has no length");
  }
}

Value Utf8ByteLength(NativeContext& context, Value* a) {
  if (!a[0].is_string()) return context.Fail(Describe(a[0], context.budget) + " only strings have UTF-8 byte length");
  return Value::Number(static_cast<double>(a[0].view().size()));
}

Value ToJson(NativeContext& context, Value* a) { return Value::String(JsonText(a[0], context.budget)); }
Value ToString(NativeContext& context, Value* a) { return a[0].is_string() ? a[0] : ToJson(context, a); }

Value Parse(NativeContext& context, std::string_view text) {
  Value value;
  std::string error;
  if (ParseJson(text, context.budget, value, error)) return value;
  if (error.empty()) error = "Expected JSON value";
  return context.Fail(error + " (while parsing '" + std::string(text) + "')");
}

Value FromJson(NativeContext& context, Value* a) {
  if (!a[0].is_string()) return context.Fail(Describe(a[0], context.budget) + " only strings can be parsed");
  return Parse(context, a[0].view());
}

Value ToNumber(NativeContext& context, Value* a) {
  if (a[0].is_number()) return a[0];
  if (!a[0].is_string()) return context.Fail(Describe(a[0], context.budget) + " cannot be parsed as a number");
  Value number = Parse(context, a[0].view());
  if (!number.is_valid() || number.is_number() || number.is_null()) return number;
  return context.Fail(Describe(a[0], context.budget) + " cannot be parsed as a number");
}

Value Error(NativeContext& context, Value* a) { return context.FailWith(a[1]); }

Value Debug(NativeContext& context, Value* a) {
  Value message = Value::Array();
  message.Append(Value::String("DEBUG:"));
  message.Append(a[0]);
  context.host.WriteError(JsonText(message, context.budget) + "\n");
  return a[0];
}

Value Stderr(NativeContext& context, Value* a) {
  context.host.WriteError(a[0].is_string() ? std::string(a[0].view()) : JsonText(a[0], context.budget));
  return a[0];
}

Value InputOrEnd(NativeContext& context, Value*) {
  Value value;
  std::string error;
  const Host::Got got = context.host.NextInput(value, error);
  if (got == Host::Got::kError) return context.Fail(error);
  if (got == Host::Got::kEnd) return Value::Null();
  Value wrapped = Value::Array(1);
  wrapped.Append(std::move(value));
  return wrapped;
}

Value InputFilename(NativeContext& context, Value*) { return context.host.InputName(); }
Value InputLineNumber(NativeContext& context, Value*) {
  return Value::Number(static_cast<double>(context.host.InputLine()));
}
Value Env(NativeContext& context, Value*) { return context.host.Environment(); }

Value Halt(NativeContext& context, Value*) {
  context.halts = true;
  return Value();
}

Value HaltError(NativeContext& context, Value* a) {
  if (!a[1].is_number()) return context.Fail(Describe(a[0], context.budget) + " halt_error/1: number required");
  context.halts = true;
  context.halt_status = static_cast<int>(static_cast<uint64_t>(ToOffset(a[1].number())) & 0xff);
  context.halt_message = a[0];
  return Value();
}

Value SearchList(NativeContext& context, Value*) {
  Value list = Value::Array();
  for (const std::string& path : context.host.library_paths()) list.Append(StringFromBytes(path));
  return list;
}

Value ProgramOrigin(NativeContext& context, Value*) { return StringFromBytes(context.host.program_origin()); }
Value JqOrigin(NativeContext&, Value*) { return Value::String("/usr/bin"); }

Value Builtins(NativeContext&, Value*) {
  Value names = Value::Array();
  const auto add = [&](std::string_view name, size_t arity) {
    if (name[0] != '_') names.Append(Value::String(std::string(name) + "/" + std::to_string(arity)));
  };
  for (const std::span<const Native> table : NativeTables()) {
    for (const Native& native : table) add(native.name, static_cast<size_t>(native.arity));
  }
  for (const PreludeFunction& function : Prelude()) add(function.name, static_cast<size_t>(function.arity));
  for (const std::string_view name : {"empty", "not", "error", "input"}) add(name, 0);
  for (const std::string_view name : {"select", "first", "path", "getpath", "range"}) add(name, 1);
  add("range", 2);
  return names;
}

Value ModuleMeta(NativeContext& context, Value* a) {
  if (!a[0].is_string()) return context.Fail("modulemeta input module name must be a string");
  return ModuleMetadata(context, a[0].view());
}

Value FormatAs(NativeContext& context, Value* a) {
  if (!a[1].is_string()) return context.Fail(Describe(a[1], context.budget) + " is not a valid format");
  return Format(a[1].view(), a[0], context);
}

Value SetPathNative(NativeContext& context, Value* a) {
  return SetPath(std::move(a[0]), a[1], 0, std::move(a[2]), context);
}
Value DeletePathsNative(NativeContext& context, Value* a) { return DeletePaths(std::move(a[0]), a[1], context); }

constexpr Native kNatives[] = {
    {"type", 0, Type},
    {"infinite", 0, Infinite},
    {"nan", 0, Nan},
    {"isinfinite", 0, IsInfinite},
    {"isnan", 0, IsNan},
    {"isnormal", 0, IsNormal},
    {"isfinite", 0, IsFinite},
    {"length", 0, Length},
    {"utf8bytelength", 0, Utf8ByteLength},
    {"tojson", 0, ToJson},
    {"tostring", 0, ToString},
    {"fromjson", 0, FromJson},
    {"tonumber", 0, ToNumber},
    {"error", 1, Error},
    {"debug", 0, Debug},
    {"stderr", 0, Stderr},
    {"_input_or_end", 0, InputOrEnd},
    {"input_filename", 0, InputFilename},
    {"input_line_number", 0, InputLineNumber},
    {"env", 0, Env},
    {"halt", 0, Halt},
    {"halt_error", 1, HaltError},
    {"get_search_list", 0, SearchList},
    {"get_prog_origin", 0, ProgramOrigin},
    {"get_jq_origin", 0, JqOrigin},
    {"builtins", 0, Builtins},
    {"modulemeta", 0, ModuleMeta},
    {"format", 1, FormatAs},
    {"setpath", 2, SetPathNative},
    {"delpaths", 1, DeletePathsNative},
};

}  // namespace

std::span<const Native> CoreNatives() { return kNatives; }

}  // namespace paddock::jq
