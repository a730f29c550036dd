// Variables: what they may become, the special ones and what setting them does.
#include <algorithm>
#include <cmath>

#include "lang/awk/format.h"
#include "lang/awk/interpreter.h"
#include "lang/awk/lexer.h"
#include "lang/awk/number.h"

namespace paddock::awk {
std::string Interpreter::LocalName(int slot) const {
  std::string name = program_.functions[static_cast<size_t>(frames_.back().function)]
                         .parameters[static_cast<size_t>(slot)];
  std::string origin;
  for (size_t depth = frames_.size(); depth-- > 0 && slot >= 0;) {
    budget_.Step();
    const std::string argument = ArgumentName(frames_[depth], depth, slot);
    if (argument.empty()) break;
    origin += (origin.empty() ? "from " : ", from ") + argument;
  }
  return origin.empty() ? name : name + " (" + origin + ")";
}

// The variable that a caller passed for the parameter `slot`, which becomes the slot of the caller's own parameter that
// this is, or -1 for a global one. Empty where the argument is no plain variable.
std::string Interpreter::ArgumentName(const Frame& frame, size_t depth, int& slot) const {
  const std::string name;
  if (frame.return_to <= 0) return name;
  // The argument's name, where every argument was pushed by one instruction.
  const auto call = static_cast<size_t>(frame.return_to) - 1;
  const size_t count = program_.code[call].a;
  if (program_.code[call].op != Op::kCall || static_cast<size_t>(slot) >= count || count > call) return name;
  for (size_t i = call - count; i < call; ++i) {
    const Op op = program_.code[i].op;
    if (op != Op::kPushGlobalRef && op != Op::kPushLocalRef && op != Op::kPushConstant && op != Op::kPushFieldAt) {
      return name;
    }
  }
  const Instruction& push = program_.code[call - count + static_cast<size_t>(slot)];
  if (push.op == Op::kPushLocalRef && depth > 0) {
    slot = push.b;
    return program_.functions[static_cast<size_t>(frames_[depth - 1].function)].parameters[static_cast<size_t>(slot)];
  }
  slot = -1;
  return push.op == Op::kPushGlobalRef ? program_.globals[static_cast<size_t>(push.b)] : name;
}

std::string Interpreter::ElementName(const Value& key) const {
  std::string name;
  for (auto at = static_cast<size_t>(pc_) + 1; at-- > 0 && name.empty();) {
    const Instruction& push = program_.code[at];
    if (push.op == Op::kPushArray) name = program_.globals[static_cast<size_t>(push.b)];
    if (push.op == Op::kPushLocalArray && !frames_.empty()) {
      name = program_.functions[static_cast<size_t>(frames_.back().function)]
                 .parameters[static_cast<size_t>(push.b)];
      int slot = push.b;
      for (size_t depth = frames_.size(); depth-- > 0 && slot >= 0;) {
        const std::string argument = ArgumentName(frames_[depth], depth, slot);
        if (argument.empty()) break;
        name = argument;
      }
    }
  }
  return name + "[\"" + std::string(TextOf(key, convfmt_).view()) + "\"]";
}

void Interpreter::RefreshSymtab() {
  constexpr int kHiddenSymbols = 6;
  // In the order in which gawk makes them, on which depends in which one a walk comes by them.
  std::vector<int> slots = {kSlotArgind, kSlotBinmode, kSlotConvfmt,  kSlotErrno,     kSlotFieldwidths, kSlotFilename, kSlotFnr,
                            kSlotFs,     kSlotFpat,    kSlotIgnorecase, kSlotLint,    kSlotPrec,        kSlotNf,       kSlotNr,
                            kSlotOfmt,   kSlotOfs,     kSlotOrs,      kSlotRlength,   kSlotRoundmode,   kSlotRs,       kSlotRstart,
                            kSlotRt,     kSlotSubsep,  kSlotTextdomain, kSlotProcinfo, kSlotEnviron,    kSlotArgv,     kSlotArgc};
  if (symtab_->size() == 0) {   // gawk's table grew when it was filled, and has more than what it shows
    for (int i = 0; i < kHiddenSymbols; ++i) symtab_->Set(std::to_string(i) + "?", Value::Unassigned(), budget_);
  }
  for (int slot = kSpecialCount; slot < static_cast<int>(globals_.size()); ++slot) slots.push_back(slot);
  for (const int slot : slots) {
    budget_.Step();
    Value value = global(slot);
    if (slot <= kSlotFnr) {
      PushCounter(slot);
      value = stack_.Take();
    }
    if (value.kind() == Kind::kCell) value = Value::Unassigned();
    symtab_->Set(program_.globals[static_cast<size_t>(slot)], std::move(value), budget_);
  }
  for (int i = 0; i < kHiddenSymbols; ++i) symtab_->Remove(ArrayKey(std::to_string(i) + "?"));
}

bool Interpreter::CheckSymbol(Array& array, const Value& key) {
  if ((&array != symtab_ && &array != functab_) || array.Find(Key(key)) != nullptr) return true;
  return Fatal("reference to uninitialized element `" + ElementName(key) + " is not allowed'");
}

bool Interpreter::CheckNewOperand(const Array& array, const Value& value) {
  if (!options_.is_sandboxed || &array != global(kSlotArgv).array()) return true;
  const TextOf operand(value, convfmt_);
  const auto& given = options_.operands;
  const size_t equals = operand.view().find('=');
  const bool is_assignment = equals != operand.view().npos && equals > 0 && IsVariableName(operand.view().substr(0, equals));
  if (operand.view().empty() || is_assignment || std::find(given.begin(), given.end(), operand.view()) != given.end()) return true;
  return Fatal("cannot add a new file (" + std::string(operand.view()) + ") to ARGV in sandbox mode");
}

bool Interpreter::StoreSymbol(Array& array, const Value& key) {
  if (functab_ != nullptr && &array == functab_) return Fatal("cannot assign to elements of FUNCTAB");
  if (&array != symtab_) return CheckNewOperand(array, *array.Find(Key(key)));
  const TextOf name(key, convfmt_);
  const auto found = std::find(program_.globals.begin(), program_.globals.end(), name.view());
  if (found == program_.globals.end()) return Fatal("cannot assign to arbitrary elements of SYMTAB");
  const auto slot = static_cast<int>(found - program_.globals.begin());
  const Value value = *array.Find(Key(key));
  if (slot <= kLastHooked) return StoreHooked(slot, value);
  if (!CheckAssignable(global(slot), [&] { return std::string(name.view()); })) return false;
  global(slot) = value;
  return true;
}

void Interpreter::SetUpTables() {
  if (program_.uses_symtab) {
    symtab_ = Array::Make();
    global(kSlotSymtab) = Value::FromArray(symtab_);
  }
  guards_tables_ = program_.uses_symtab || program_.uses_functab || options_.is_sandboxed;
  if (!program_.uses_functab) return;
  Array* const functab = functab_ = Array::Make();
  global(kSlotFunctab) = Value::FromArray(functab);
  for (int id = 0; id <= static_cast<int>(Builtin::kDcngettext); ++id) {
    const std::string_view name = InfoOf(static_cast<Builtin>(id)).name;
    functab->Set(name, Value::String(name), budget_);
  }
  for (int id = 0; id < kExtensionCount; ++id) {
    const ExtensionInfo& info = InfoOf(static_cast<Extension>(id));
    if (HasLibrary(info.library)) functab->Set(info.name, Value::String(info.name), budget_);
  }
  for (const Function& function : program_.functions) {
    functab->Set(function.name, Value::String(function.name), budget_);
  }
}

bool Interpreter::PushScalar(Value& variable, const std::function<std::string()>& name) {
  if (variable.array() != nullptr) {
    return Fatal("attempt to use array `" + name() + "' in a scalar context");
  }
  if (variable.kind() == Kind::kCell) variable.cell()->is_scalar = true;
  variable = Value::Unassigned();
  stack_.Push(Value::Unassigned());
  return true;
}

void Interpreter::PushRef(Value& variable) {
  if (variable.kind() == Kind::kUntyped) {
    variable = Value::FromCell(Cell::Make());
  } else if (variable.kind() == Kind::kCell) {
    if (Array* const array = variable.array(); array != nullptr) {
      ++array->refs;
      variable = Value::FromArray(array);
    } else if (variable.cell()->is_scalar) {
      variable = Value::Unassigned();
    }
  }
  stack_.Push(variable);
}

Array* Interpreter::ArrayIn(Value& variable, const std::function<std::string()>& name) {
  Array* array = variable.array();
  if (variable.kind() == Kind::kArray) return array;
  const bool is_free_cell = variable.kind() == Kind::kCell && !variable.cell()->is_scalar;
  if (array == nullptr && !is_free_cell && variable.kind() != Kind::kUntyped) {
    const bool is_parameter =
        !frames_.empty() && &variable >= stack_.data() && &variable < stack_.data() + stack_.size();
    std::string shown = name();
    if (is_parameter) shown.resize(std::min(shown.find(" ("), shown.size()));
    Fatal(std::string("attempt to use scalar ") + (is_parameter ? "parameter `" : "`") + shown + "' as an array");
    return nullptr;
  }
  if (array == nullptr) {
    array = Array::Make();
    if (is_free_cell) {
      variable.cell()->array = array;
      ++array->refs;
    }
  } else {
    ++array->refs;
  }
  variable = Value::FromArray(array);
  return array;
}

bool Interpreter::CheckAssignable(Value& variable, const std::function<std::string()>& name) {
  if (variable.array() != nullptr) {
    return Fatal("attempt to use array `" + name() + "' in a scalar context");
  }
  if (variable.kind() == Kind::kCell) variable.cell()->is_scalar = true;
  return true;
}

void Interpreter::PushCounter(int slot) {
  switch (slot) {
    case kSlotNf: stack_.PushNumber(static_cast<double>(record_.field_count())); return;
    case kSlotNr:
    case kSlotFnr: {
      const double count = slot == kSlotNr ? nr_ : fnr_;
      if (math_ == nullptr) {
        stack_.PushNumber(count);
      } else {
        stack_.Push(math_->Calculate(BigMath::Operation::kAdd, slot == kSlotNr ? nr_base_ : fnr_base_, Value::Number(count)));
      }
      return;
    }
    default: stack_.Push(global(slot)); return;
  }
}

bool Interpreter::FieldIndex(const Value& value, size_t& index) {
  const double number = std::trunc(value.ToNumber());
  if (number < 0 || std::isnan(number)) {
    return Fatal("attempt to access field " +
                 std::to_string(std::isnan(number) ? 0 : static_cast<int64_t>(std::max(number, -9e18))));
  }
  if (number > 2147483647) return Fatal("attempt to access field " + std::to_string(INT32_MAX));
  index = static_cast<size_t>(number);
  return true;
}

bool Interpreter::StoreField(size_t index, Value value) {
  if (index == 0) {
    record_.Assign(value);
  } else {
    record_.SetField(index, std::move(value));
  }
  return true;
}

// With -M the counter starts from a number of any size.
void Interpreter::SetCounter(const Value& value, double& count, Value& base) {
  count = math_ == nullptr ? value.ToNumber() : 0;
  if (math_ != nullptr) base = math_->Plus(value);
}

bool Interpreter::StoreHooked(int slot, const Value& value) {
  Value copy = value;
  if (copy.kind() == Kind::kUntyped) copy.SetKind(Kind::kUnassigned);
  global(slot) = std::move(copy);
  return AfterChange(slot);
}

bool Interpreter::AfterChange(int slot) {
  const Value& value = global(slot);
  const auto text = [&] { return std::string(TextOf(value, convfmt_).view()); };
  switch (slot) {
    case kSlotNf: {
      const double count = std::trunc(value.ToNumber());
      if (!(count >= 0)) return Fatal("NF set to negative value");
      if (count > 2147483647) budget_.Stop(LimitKind::kMemory);
      record_.SetFieldCount(static_cast<size_t>(count));
      return true;
    }
    case kSlotNr: SetCounter(value, nr_, nr_base_); return true;
    case kSlotFnr: SetCounter(value, fnr_, fnr_base_); return true;
    case kSlotLint: SetLint(value); return true;
    case kSlotPrec: return math_ == nullptr || SetPrecision();
    case kSlotRoundmode: return math_ == nullptr || SetRounding();
    case kSlotFs:
    case kSlotFieldwidths:
    case kSlotFpat: return UpdateFieldRule(slot);
    case kSlotOfs:
      record_.text();  // a record that waits to be put together gets the separator it was changed under
      ofs_ = text();
      return true;
    case kSlotOrs: ors_ = text(); return true;
    case kSlotRs: return UpdateRecordRule() && UpdateFieldRule(field_slot_);
    case kSlotSubsep: subsep_ = text(); return true;
    case kSlotConvfmt:
    case kSlotOfmt: {
      std::string format = text();
      if (!IsReasonableNumberFormat(format)) {
        return Fatal(std::string(kSpecialNames[slot]) + ": bad value `" + format + "'");
      }
      (slot == kSlotOfmt ? ofmt_ : convfmt_) = std::move(format);
      return true;
    }
    case kSlotIgnorecase:
      patterns_.set_ignore_case(value.ToBool());
      return UpdateRecordRule() && UpdateFieldRule(field_slot_);
    default: return true;
  }
}

bool Interpreter::UpdateFieldRule(int slot) {
  field_slot_ = slot;
  const TextOf text(global(slot), convfmt_);
  if (options_.lints_for_old_awk && slot == kSlotFs && text.view().size() > 1) Warn("old awk does not support regexps as value of `FS'");
  FieldRule rule;
  if (slot == kSlotFieldwidths) {
    auto widths = FieldRule::FromWidths(text.view());
    if (!widths) return FatalError(widths.error());
    rule = std::move(*widths);
  } else if (slot == kSlotFpat) {
    rule = FieldRule::FromContent(text.view());
  } else if (global(slot).kind() == Kind::kRegex && !text.view().empty()) {
    rule = FieldRule::FromPattern(text.view());
  } else {
    rule = FieldRule::FromSeparator(text.view(), options_.is_utf8);
  }
  if (!rule.pattern().empty()) {
    if (auto pattern = patterns_.FindText(rule.pattern()); !pattern) {
      return BadPattern(pattern.error(), rule.pattern());
    }
  }
  if (record_rule_.kind == RecordRule::Kind::kParagraph) rule = rule.WithNewlines();
  record_.set_rule(std::move(rule));
  if (Array* const procinfo = global(kSlotProcinfo).array(); procinfo != nullptr) {
    procinfo->Set("FS", Value::String(kSpecialNames[slot]), budget_);
  }
  return true;
}

bool Interpreter::UpdateRecordRule() {
  const TextOf text(global(kSlotRs), convfmt_);
  const std::string_view separator = text.view();
  record_rule_ = {};
  if (separator.empty()) {
    record_rule_.kind = RecordRule::Kind::kParagraph;
    return true;
  }
  const bool is_byte = separator.size() == 1 && global(kSlotRs).kind() != Kind::kRegex;
  if (is_byte || options_.strictness != Strictness::kGnu) {
    record_rule_.byte = separator[0];
    return true;
  }
  patterns_.ReportEscapes(separator);
  auto pattern = AwkPattern::Compile(separator, patterns_.ignore_case(), options_.is_utf8);
  if (!pattern) return BadPattern(pattern.error(), separator);
  record_pattern_ = std::move(*pattern);
  record_rule_.kind = RecordRule::Kind::kPattern;
  record_rule_.pattern = &*record_pattern_;
  return true;
}

bool Interpreter::AssignOperand(std::string_view text, bool is_option) {
  const size_t equals = text.find('=');
  std::string_view name = text.substr(0, equals);
  if (is_option && equals == std::string_view::npos) {
    return Fatal("`" + std::string(text) + "' argument to `-v' not in `var=value' form");
  }
  if (name.find(':') != name.npos && !IsVariableName(name)) {
    const bool is_single = name.find("::") == name.npos;
    const std::string shown(name);
    streams_.standard_error().Write(options_.name + ": error: " +
                                    (is_single ? "identifier " + shown + ": namespace separator is two colons, not one\n"
                                               : "qualified identifier `" + shown + "' is badly formed\n"));
    fatal_status_ = 1;
    flow_ = Flow::kFatal;
    return is_option;   // the other options are looked at, too
  }
  if (name.starts_with("awk::")) name.remove_prefix(5);
  if (!IsVariableName(name)) return Fatal("`" + std::string(name) + "' is not a legal variable name");
  for (const Function& function : program_.functions) {
    if (function.name == name) {
      return Fatal("cannot use function `" + std::string(name) + "' as variable name");
    }
  }
  std::vector<std::string> warnings;
  const std::string_view given = text.substr(equals + 1);
  const bool is_regex = options_.strictness == Strictness::kGnu && given.size() > 2 && given.starts_with("@/") &&
                        given.ends_with('/');
  Value value = is_regex ? Value::String(given.substr(2, given.size() - 3))
                         : Value::Input(ProcessEscapes(given, warnings));
  if (options_.reads_non_decimal) value.text()->LookNonDecimal();
  if (is_regex) value.SetKind(Kind::kRegex);
  for (const std::string& warning : warnings) Warn(warning);
  const auto found = std::find(program_.globals.begin(), program_.globals.end(), name);
  if (found == program_.globals.end()) return true;
  const auto slot = static_cast<int>(found - program_.globals.begin());
  if (slot <= kLastHooked) return StoreHooked(slot, value);
  if (!CheckAssignable(global(slot), [&] { return std::string(name); })) return false;
  global(slot) = value;
  return true;
}

void Interpreter::SetUpProcinfo() {
  Array* const procinfo = Array::Make();
  global(kSlotProcinfo) = Value::FromArray(procinfo);
  const auto set = [&](std::string_view key, Value value) { procinfo->Set(key, std::move(value), budget_); };
  const ProcessIds ids = host_.Ids();
  const auto number = [](int64_t id) { return Value::Number(static_cast<double>(id)); };
  set("api_major", Value::Number(3));
  set("api_minor", Value::Number(2));
  set("version", Value::String("5.2.1"));
  set("strftime", Value::String("%a %b %e %H:%M:%S %Z %Y"));
  set("platform", Value::String("posix"));
  set("FS", Value::String("FS"));
  set("gmp_version", Value::String("GNU MP 6.2.1"));
  set("mpfr_version", Value::String("GNU MPFR 4.2.0"));
  set("prec_max", Value::Number(static_cast<double>(kMostPrecision)));
  set("prec_min", Value::Number(1));
  set("pgrpid", number(ids.pgrp));
  set("pid", number(ids.pid));
  set("ppid", number(ids.ppid));
  set("uid", number(ids.uid));
  set("euid", number(ids.euid));
  set("gid", number(ids.gid));
  set("egid", number(ids.egid));
  Array* const arguments = Array::Make();
  for (size_t i = 0; i < options_.arguments.size(); ++i) {
    arguments->Set(static_cast<int32_t>(i), Value::Input(options_.arguments[i]), budget_);
  }
  set("argv", Value::FromArray(arguments));
  Array* const identifiers = Array::Make();
  for (const Function& function : program_.functions) {
    identifiers->Set(function.name, Value::String("user"), budget_);
  }
  for (int id = 0; id < kExtensionCount; ++id) {
    const ExtensionInfo& info = InfoOf(static_cast<Extension>(id));
    if (HasLibrary(info.library)) identifiers->Set(info.name, Value::String("extension"), budget_);
  }
  for (size_t slot = 0; slot < program_.globals.size(); ++slot) {
    static constexpr size_t kArrays[] = {kSlotArgv, kSlotEnviron, kSlotProcinfo, kSlotSymtab, kSlotFunctab};
    const bool is_array = std::find(std::begin(kArrays), std::end(kArrays), slot) != std::end(kArrays);
    const char* const type = is_array ? "array" : slot < kSpecialCount ? "scalar" : "untyped";
    identifiers->Set(program_.globals[slot], Value::String(type), budget_);
  }
  for (int id = 0; id <= static_cast<int>(Builtin::kDcngettext); ++id) {
    identifiers->Set(InfoOf(static_cast<Builtin>(id)).name, Value::String("builtin"), budget_);
  }
  set("identifiers", Value::FromArray(identifiers));
}

void Interpreter::SetUpVariables() {
  for (const int slot : {kSlotNf, kSlotNr, kSlotFnr, kSlotRstart, kSlotArgind, kSlotIgnorecase,
                         kSlotBinmode, kSlotLint}) {
    global(slot) = Value::Number(0);
  }
  lint_ = options_.lint;
  global(kSlotRlength) = Value::Number(0);
  for (const int slot : {kSlotRt, kSlotFilename, kSlotErrno, kSlotFieldwidths}) {
    global(slot) = Value::String("");
  }
  global(kSlotFs) = Value::String(" ");
  global(kSlotOfs) = Value::String(ofs_);
  global(kSlotOrs) = Value::String(ors_);
  global(kSlotRs) = Value::String("\n");
  global(kSlotSubsep) = Value::String(subsep_);
  global(kSlotConvfmt) = Value::String(convfmt_);
  global(kSlotOfmt) = Value::String(ofmt_);
  global(kSlotFpat) = Value::String("[^[:space:]]+");
  global(kSlotTextdomain) = Value::String("messages");
  global(kSlotPrec) = Value::Number(53);
  global(kSlotRoundmode) = Value::String("N");
  record_.set_formats(&ofs_, &convfmt_);

  Array* const environment = Array::Make();
  global(kSlotEnviron) = Value::FromArray(environment);
  for (const auto& [name, value] : host_.Environment()) {
    environment->Set(name, Value::Input(value), budget_);
  }
  Array* const arguments = Array::Make();
  global(kSlotArgv) = Value::FromArray(arguments);
  arguments->Set(0, Value::Input(options_.name), budget_);
  for (size_t i = 0; i < options_.operands.size(); ++i) {
    arguments->Set(static_cast<int32_t>(i + 1), Value::Input(options_.operands[i]), budget_);
  }
  global(kSlotArgc) = Value::Number(static_cast<double>(options_.operands.size() + 1));
  if (options_.strictness == Strictness::kGnu) SetUpProcinfo();
  SetUpTables();
  SetUpLibraries();
}

}  // namespace paddock::awk
