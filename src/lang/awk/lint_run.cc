// --lint while the program runs: variables without a value, arguments of the wrong type.
#include "lang/awk/array.h"
#include "lang/awk/interpreter.h"
#include "lang/awk/lint.h"

namespace paddock::awk {
namespace {

bool HasNoValue(const Value& value) { return value.kind() == Kind::kUntyped || value.kind() == Kind::kUnassigned; }
bool IsString(const Value& value) { return value.is_text() && !value.IsNumeric(); }

}  // namespace

bool Interpreter::Lint(const std::string& message) {
  if (options_.lint == LintLevel::kFatal) return Fatal(message);
  Warn(message);
  return true;
}

bool Interpreter::CheckLint(LintCheck check, int operand) {
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
        return options_.lint == LintLevel::kNoExtensions || Lint("`length(array)' is a gawk extension");
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
