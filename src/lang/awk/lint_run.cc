// --lint while the program runs: variables without a value, arguments of the wrong type.
#include <algorithm>

#include "lang/awk/array.h"
#include "lang/awk/interpreter.h"
#include "lang/awk/lint.h"

namespace paddock::awk {
namespace {

bool HasNoValue(const Value& value) {
  return value.kind() == Kind::kUntyped || value.kind() == Kind::kUnassigned || (value.kind() == Kind::kCell && value.array() == nullptr);
}
bool IsString(const Value& value) { return value.is_text() && !value.IsNumeric(); }

}  // namespace

bool Interpreter::Lint(const std::string& message) {
  if (lint_ == LintLevel::kFatal) return Fatal(message);
  Warn(message);
  return true;
}

void Interpreter::SetLint(const Value& value) {
  const bool was_on = lint_ != LintLevel::kOff;
  if (value.is_text() && !value.IsNumeric()) {
    const std::string_view kind = value.view();
    lint_ = kind.empty()        ? LintLevel::kOff
            : kind == "fatal"  ? LintLevel::kFatal
            : kind == "no-ext" ? LintLevel::kNoExtensions
                               : LintLevel::kWarn;
  } else {
    lint_ = value.ToBool() ? LintLevel::kWarn : LintLevel::kOff;
  }
  if (was_on && lint_ == LintLevel::kOff) Warn("turning off `--lint' due to assignment to `LINT'");
}

bool Interpreter::CheckLint(LintCheck check, int operand) {
  if (lint_ == LintLevel::kOff) return true;
  switch (check) {
    case LintCheck::kGlobal: {
      const Value& value = global(operand);
      if (!HasNoValue(value)) return true;
      return Lint("reference to uninitialized variable `" + program_.globals[static_cast<size_t>(operand)] + "'");
    }
    case LintCheck::kLocal: {
      const Value& value = stack_.data()[frames_.back().base + static_cast<size_t>(operand)];
      if (!HasNoValue(value)) return true;
      const Function& function = program_.functions[static_cast<size_t>(frames_.back().function)];
      return Lint("reference to uninitialized argument `" + function.parameters[static_cast<size_t>(operand)] + "'");
    }
    case LintCheck::kField:
      if (stack_.At(0).kind() != Kind::kMissing) return true;
      return Lint("reference to uninitialized field `$" + std::to_string(operand) + "'");
    case LintCheck::kComputedField: {
      size_t index = 0;
      if (!FieldIndex(stack_.At(0), index)) return false;
      if (record_.Field(index).kind() != Kind::kMissing) return true;
      return Lint("reference to uninitialized field `$" + std::to_string(index) + "'");
    }
    case LintCheck::kElement: {
      Array* const array = stack_.At(1).array();
      if (!TextOf(stack_.At(0), convfmt_).view().empty() || stack_.At(0).is_number()) {
        if (array == symtab_ || array->Find(Key(stack_.At(0))) != nullptr) return true;
      } else {
        const std::string element = ElementName(stack_.At(0));
        if (!Lint("subscript of array `" + element.substr(0, element.find('[')) + "' is null string")) return false;
      }
      if (array->Find(Key(stack_.At(0))) != nullptr) return true;
      return Lint("reference to uninitialized element `" + ElementName(stack_.At(0)) + "'");
    }
    case LintCheck::kDelete: {
      if (stack_.At(1).array()->Find(Key(stack_.At(0))) != nullptr) return true;
      const std::string name = ElementName(stack_.At(0));
      return Lint("delete: index `" + std::string(TextOf(stack_.At(0), convfmt_).view()) + "' not in array `" +
                  name.substr(0, name.find('[')) + "'");
    }
    case LintCheck::kAdd:
      if (!IsString(stack_.At(0)) || !IsString(stack_.At(1))) return true;
      return Lint("operator `+' used on two string values");
    case LintCheck::kCondition: return Lint("assignment used in conditional context");
    case LintCheck::kArguments: return LintArguments(static_cast<Builtin>(operand & 0xff), static_cast<size_t>(operand) >> 8);
  }
  return true;
}

bool Interpreter::LintStream(Redirect how, bool is_output, std::string_view name) {
  // Of two uses the one that comes first here is named first.
  enum Use { kInputFile, kInputPipe, kOutputFile, kOutputPipe, kTwoWay };
  static constexpr std::string_view kNames[] = {"input file", "input pipe", "output file", "output pipe", "two-way pipe"};
  const auto use_of = [](Redirect redirect, bool writes) {
    if (redirect == Redirect::kCoprocess) return kTwoWay;
    if (redirect == Redirect::kPipe) return writes ? kOutputPipe : kInputPipe;
    return writes ? kOutputFile : kInputFile;
  };
  const Use use = use_of(how, is_output);
  for (const StreamUse& other : streams_.UsesOf(name)) {
    const Use before = use_of(other.how, other.is_output);
    const std::string shown = "`" + std::string(name) + "'";
    std::string text;
    if (use == before) {
      if (use != kOutputFile || how == other.how) continue;
      text = "unnecessary mixing of `>' and `>>' for file " + shown;
    } else {
      const Use first = std::min(use, before), second = std::max(use, before);
      const bool is_both_ways = first == kInputFile && second == kOutputFile;
      text = shown + " used for " + std::string(kNames[first]) + " and " + (is_both_ways ? "for " : "") + std::string(kNames[second]);
    }
    if (!Lint(text)) return false;
  }
  return true;
}

bool Interpreter::LintArguments(Builtin id, size_t count) {
  const std::string name(InfoOf(id).name);
  const auto argument = [&](size_t index) -> const Value& { return stack_.At(count - 1 - index); };
  const auto is_number = [&](size_t index) { return argument(index).is_number(); };
  switch (id) {
    case Builtin::kExp: case Builtin::kInt: case Builtin::kCos: case Builtin::kSin: case Builtin::kLog:
    case Builtin::kSqrt: case Builtin::kSrand:
      if (count == 0 || !IsString(argument(0))) return true;
      return Lint(name + ": received non-numeric argument");
    case Builtin::kLength:
      if (argument(0).kind() == Kind::kArray) {
        return lint_ == LintLevel::kNoExtensions || Lint("`length(array)' is a gawk extension");
      }
      return !is_number(0) || Lint(name + ": received non-string argument");
    case Builtin::kTolower: case Builtin::kToupper: case Builtin::kSystem:
      return !is_number(0) || Lint(name + ": received non-string argument");
    case Builtin::kIndex:
      if (is_number(0) && !Lint("index: received non-string first argument")) return false;
      return !is_number(1) || Lint("index: received non-string second argument");
    default: return true;
  }
}

}  // namespace paddock::awk
