#include "shell/builtins/declare.h"

#include <algorithm>

#include "shell/ast/printer.h"
#include "shell/exec/trace.h"
#include "shell/expand/expander.h"
#include "shell/parser/parser.h"
#include "shell/state/assign.h"

namespace paddock::shell {
namespace {

uint32_t AttributeOf(char letter) {
  switch (letter) {
    case 'a': return kIndexed;
    case 'A': return kAssociative;
    case 'i': return kInteger;
    case 'l': return kLowercase;
    case 'u': return kUppercase;
    case 'c': return kCapitalcase;
    case 'n': return kNameref;
    case 'r': return kReadonly;
    case 't': return kTraced;
    case 'x': return kExported;
    default: return 0;
  }
}

// The flag letters of `declare -f name` lines (-F output).
std::string FunctionFlags(const Function& function) {
  std::string flags = "-f";
  if (function.is_readonly) flags += 'r';
  if (function.is_traced) flags += 't';
  if (function.is_exported) flags += 'x';
  return flags;
}

class Declarer {
 public:
  Declarer(Shell& shell, const BuiltinCall& call, const Builtin& builtin, DeclareKind kind)
      : shell_(shell), call_(call), builtin_(builtin), kind_(kind), name_(call.args[0].c_str()) {}

  int Run() {
    if (kind_ == DeclareKind::kLocal && !shell_.variables.in_function()) {
      shell_.Complain("local", "can only be used in a function");
      return 1;
    }
    if (const int status = ParseOptions(); status != 0) return status;
    if (kind_ == DeclareKind::kExport && !removes_) on_ |= kExported;
    if (kind_ == DeclareKind::kExport && removes_) off_ |= kExported;
    if (kind_ == DeclareKind::kReadonly) on_ |= kReadonly;
    if (functions_) return DeclareFunctions();
    if (operands_.empty()) return ListVariables();
    if (prints_ && kind_ != DeclareKind::kExport && kind_ != DeclareKind::kReadonly) return PrintNamed();   // those two mark what is named
    int status = 0;
    for (size_t i = 0; i < operands_.size(); ++i) {
      if (!DeclareOne(operands_[i], first_operand_ + i)) status = 1;
      if (shell_.flow != Flow::kNone) return status;
    }
    return status;
  }

 private:
  int ParseOptions() {
    const char* spec = kind_ == DeclareKind::kExport     ? "aAfnp"
                       : kind_ == DeclareKind::kReadonly ? "aAfp"
                       : kind_ == DeclareKind::kLocal    ? "aAcilnprtuxI"
                                                         : "aAcfFgiIlnprtux";
    BuiltinOptions options(shell_, call_, builtin_, spec, kind_ == DeclareKind::kDeclare || kind_ == DeclareKind::kLocal);
    while (const char letter = options.Next()) {
      if (letter == '?') return 2;
      if (letter == 'n' && kind_ == DeclareKind::kExport) {
        removes_ = true;
      } else if (letter == 'p') {
        prints_ = true;
      } else if (letter == 'f') {
        functions_ = true;
      } else if (letter == 'F') {
        functions_ = true;
        names_only_ = true;
      } else if (letter == 'g') {
        global_ = true;
      } else if (letter == 'I') {
        inherits_ = true;
      } else if (options.is_plus()) {
        off_ |= AttributeOf(letter);
      } else {
        on_ |= AttributeOf(letter);
      }
    }
    // The last of -l, -u and -c would win in bash; two of them together cancel each other.
    if ((on_ & kLowercase) != 0 && (on_ & kUppercase) != 0) on_ &= ~static_cast<uint32_t>(kLowercase | kUppercase);
    if ((on_ & kIndexed) != 0 && (on_ & kAssociative) != 0) {
      shell_.Complain(name_, "cannot set both -a and -A");   // as one of them must win
      return 1;
    }
    const auto rest = options.operands();
    operands_.assign(rest.begin(), rest.end());
    first_operand_ = options.operand_index();
    return 0;
  }

  bool IsLocal() const {
    if (global_) return false;
    return (kind_ == DeclareKind::kLocal || kind_ == DeclareKind::kDeclare) && shell_.variables.in_function();
  }

  int DeclareFunctions() {
    if (operands_.empty()) {
      for (const std::string& name : shell_.FunctionNames()) {
        const Function& function = *shell_.FindFunction(name);
        if ((on_ & kExported) != 0 && !function.is_exported) continue;
        if ((on_ & kReadonly) != 0 && !function.is_readonly) continue;
        PrintOneFunction(name, function);
      }
      return 0;
    }
    int status = 0;
    for (const std::string& name : operands_) {
      if (kind_ == DeclareKind::kDeclare && name.find('=') != std::string::npos && shell_.FindFunction(name) == nullptr) {
        shell_.Complain(name_, "cannot use `-f' to make functions");
        return 1;
      }
      if (kind_ == DeclareKind::kDeclare && (on_ & (kIndexed | kAssociative | kInteger)) != 0) {
        shell_.Complain(name_, std::string((on_ & kInteger) != 0 ? "-i" : (on_ & kAssociative) != 0 ? "-A" : "-a") + ": invalid option");
        status = 1;
        continue;
      }
      const Function* function = shell_.FindFunction(name);
      if (function == nullptr) {
        if (kind_ != DeclareKind::kDeclare) shell_.Complain(name_, name + ": not a function");
        status = 1;
        continue;
      }
      if (on_ == 0 && off_ == 0) {
        PrintOneFunction(name, *function);
        continue;
      }
      // A child would take the name for an assignment or a program.
      if (kind_ == DeclareKind::kExport && !removes_ && name.find_first_of("=/") != std::string::npos) {
        shell_.Complain(name_, name + ": cannot export");
        status = 1;
        continue;
      }
      Function changed = *function;
      if ((off_ & kReadonly) != 0 && changed.is_readonly) {
        shell_.Complain(name_, name + ": readonly function");
        status = 1;
        continue;
      }
      const auto apply = [&](uint32_t attribute, bool* flag) {
        if ((on_ & attribute) != 0) *flag = true;
        if ((off_ & attribute) != 0) *flag = false;
      };
      apply(kExported, &changed.is_exported);
      apply(kReadonly, &changed.is_readonly);
      apply(kTraced, &changed.is_traced);
      shell_.DefineFunction(name, std::move(changed));
    }
    return status;
  }

  void PrintOneFunction(const std::string& name, const Function& function) {
    if (names_only_) {
      if (operands_.empty()) {
        shell_.out().WriteLine("declare " + FunctionFlags(function) + " " + name);
      } else if (shell_.options.Get(ShoptOption::kExtdebug)) {
        shell_.out().WriteLine(name + " " + std::to_string(function.line) + " " +
                               (function.source.empty() ? "environment" : function.source));
      } else {
        shell_.out().WriteLine(name);
      }
      return;
    }
    shell_.out().WriteLine(PrintFunction(name, *function.definition));
    if (FunctionFlags(function) != "-f") shell_.out().WriteLine("declare " + FunctionFlags(function) + " " + name);
  }

  // `declare`, `export -p`, `readonly`, `local` without names.
  int ListVariables() {
    const bool plain = kind_ == DeclareKind::kDeclare && on_ == 0 && !prints_;
    for (const std::string& name : shell_.variables.Names()) {
      const Variable* variable = shell_.variables.Find(Name(name));
      if (variable == nullptr || variable->has(kHidden)) continue;
      if (kind_ == DeclareKind::kLocal && shell_.variables.FindLocal(Name(name)) == nullptr) continue;
      if ((variable->attributes & on_) != on_) continue;
      if (plain) {
        if (variable->is_set) shell_.out().WriteLine(AssignmentText(shell_, name, *variable));
      } else {
        PrintVariable(name, *variable);
      }
    }
    if (plain) {
      for (const std::string& name : shell_.FunctionNames()) {
        shell_.out().WriteLine(PrintFunction(name, *shell_.FindFunction(name)->definition));
      }
    }
    return 0;
  }

  void PrintVariable(const std::string& name, const Variable& variable) {
    std::string text = DescribeVariable(name, variable);
    if (shell_.options.Get(SetOption::kPosix) && (kind_ == DeclareKind::kExport || kind_ == DeclareKind::kReadonly)) {
      const size_t flags_end = text.find(' ', std::string_view("declare ").size());
      text = (kind_ == DeclareKind::kExport ? "export" : "readonly") + text.substr(flags_end);
    }
    shell_.out().WriteLine(text);
  }

  int PrintNamed() {
    int status = 0;
    for (const std::string& name : operands_) {
      const Variable* variable = kind_ == DeclareKind::kLocal ? shell_.variables.FindLocal(Name(name))
                                                              : shell_.variables.Find(Name(name));
      if (variable == nullptr || (variable->has(kHidden) && !variable->is_set && variable->attributes == kHidden &&
                                  kind_ != DeclareKind::kLocal && shell_.variables.FindLocal(Name(name)) == nullptr)) {
        shell_.Complain(name_, name + ": not found");
        status = 1;
        continue;
      }
      PrintVariable(name, *variable);
    }
    return status;
  }

  // A compound assignment's value in one word, where -a or -A says that one is meant.
  bool IsListText(const std::string& value) const {
    return value.size() > 1 && value.front() == '(' && value.back() == ')' && (on_ & (kIndexed | kAssociative)) != 0;
  }

  bool Refuse(const std::string& text) {
    shell_.Complain(name_, text);
    return false;
  }

  // One operand: name, name=value, name[sub]=value, name+=value or a compound assignment.
  bool DeclareOne(const std::string& operand, size_t argument) {
    const Assignment* compound = argument < call_.assignments.size() ? call_.assignments[argument] : nullptr;
    size_t equals = operand.find('=');
    // A '=' inside a subscript does not end the name.
    if (const size_t bracket = operand.find('['); bracket != std::string::npos && bracket < equals) {
      const size_t close = operand.find("]=", bracket);
      const size_t close_append = operand.find("]+=", bracket);
      equals = close != std::string::npos && close < close_append ? close + 1
               : close_append != std::string::npos               ? close_append + 2
                                                                 : std::string::npos;
    }
    const bool has_value = equals != std::string::npos;
    const bool is_append = has_value && equals > 0 && operand[equals - 1] == '+';
    std::string reference = operand.substr(0, has_value ? equals - (is_append ? 1 : 0) : operand.size());
    const std::string value = has_value ? operand.substr(equals + 1) : std::string();
    std::optional<std::string> subscript;
    if (const size_t bracket = reference.find('['); bracket != std::string::npos && reference.back() == ']') {
      subscript = reference.substr(bracket + 1, reference.size() - bracket - 2);
      reference.resize(bracket);
    }
    if (kind_ == DeclareKind::kLocal && reference == "-" && !has_value) {
      for (auto frame = shell_.frames.rbegin(); frame != shell_.frames.rend(); ++frame) {
        if (!frame->is_function) continue;
        if (!frame->saved_options) frame->saved_options = std::make_shared<const Options>(shell_.options);
        break;
      }
      return true;
    }
    if (!IsName(reference)) {
      return Refuse("`" + (compound != nullptr ? compound->source : operand) + "': not a valid identifier");
    }
    if (subscript && (kind_ == DeclareKind::kExport || kind_ == DeclareKind::kReadonly)) {
      return Refuse("`" + reference + "[" + *subscript + "]': not a valid identifier");
    }
    return Apply(reference, subscript, has_value, is_append, value, compound);
  }

  bool Apply(std::string reference, const std::optional<std::string>& subscript, bool has_value, bool is_append,
             const std::string& value, const Assignment* compound) {
    const bool is_local = IsLocal();
    const bool sets_nameref = (on_ & kNameref) != 0;
    if (sets_nameref) {
      if (subscript) return Refuse(reference + "[" + *subscript + "]: reference variable cannot be an array");
      if (has_value && value == reference && !is_local) {
        return Refuse(reference + ": nameref variable self references not allowed");
      }
      if (has_value && value == reference) {
        shell_.Complain(name_, "warning: " + reference + ": circular name reference");
      }
      if (has_value && value.empty()) return Refuse("`': not a valid identifier");
      if (has_value && !IsName(value.substr(0, value.find('[')))) {
        return Refuse("`" + value + "': invalid variable name for name reference");
      }
    } else if (!is_local && (off_ & kNameref) == 0) {
      // export, readonly and a global declare go through a nameref to its target.
      Target target;
      if (!ResolveName(shell_, Name(reference), &target)) return false;
      if (!target.subscript) reference = target.name.text;
    }
    const Name name(reference);
    const Variable* existing = is_local  ? shell_.variables.FindLocal(name)
                               : global_ ? shell_.variables.FindGlobal(name)
                                         : shell_.variables.Find(name);
    if (is_local && existing == nullptr) {
      const Variable* outer = shell_.variables.Find(name);
      if (outer != nullptr && outer->has(kReadonly)) {
        // A local may not hide a readonly global one.
        if (shell_.variables.ScopeOf(name) == 0) return Refuse(reference + ": readonly variable");
      }
    }
    if (existing != nullptr && existing->has(kReadonly)) {
      const bool changes = has_value || compound != nullptr || (off_ & kReadonly) != 0 ||
                           (on_ & ~existing->attributes & kNameref) != 0;
      if (changes && (kind_ == DeclareKind::kExport || kind_ == DeclareKind::kReadonly)) {
        shell_.Complain(reference + ": readonly variable");
        shell_.was_misused = true;
        return false;
      }
      if (changes) return Refuse(reference + ": readonly variable");
    }
    if (existing != nullptr && existing->has(kIndexed) && (on_ & kAssociative) != 0) {
      return Refuse(reference + ": cannot convert indexed to associative array");
    }
    if (existing != nullptr && existing->has(kAssociative) && (on_ & kIndexed) != 0) {
      return Refuse(reference + ": cannot convert associative to indexed array");
    }
    if (existing != nullptr && (off_ & (kIndexed | kAssociative) & existing->attributes) != 0) {
      return Refuse(reference + ": cannot destroy array variables in this way");
    }
    Variable inherited;
    bool has_inherited = false;
    const bool is_temporary = is_local && shell_.variables.IsTemporary(name);
    const Variable* const outer_before = is_local && existing == nullptr ? shell_.variables.Find(name) : nullptr;
    if (is_local && existing == nullptr && (inherits_ || shell_.options.Get(ShoptOption::kLocalvarInherit))) {
      if (const Variable* outer = shell_.variables.Find(name); outer != nullptr) {
        inherited = *outer;
        inherited.dynamic = nullptr;
        has_inherited = true;
      }
    }
    // What is exported or made readonly by the command that it stands before (`v=1 export v`) stays.
    const bool is_kept = !is_local && !global_ && (on_ & (kExported | kReadonly)) != 0 && shell_.variables.IsTemporary(name);
    Variable& variable = is_local  ? shell_.variables.ObtainLocal(name)
                         : global_ ? shell_.variables.ObtainGlobal(name)
                                   : shell_.variables.Obtain(name);
    if (is_local && existing == nullptr && !has_inherited) {
      // A local of an exported name is exported too; one before the call (`x=1 f`) gives its value.
      if (outer_before != nullptr && outer_before->has(kExported)) variable.attributes |= kExported;
      if (outer_before != nullptr && is_temporary) {
        variable.text = outer_before->text;
        variable.is_set = outer_before->is_set;
      }
    }
    if (has_inherited) {
      variable = inherited;
      variable.attributes &= ~static_cast<uint32_t>(kReadonly | kNameref);
    }
    variable.attributes &= ~static_cast<uint32_t>(kHidden);
    const bool becomes_array = ((on_ & (kIndexed | kAssociative)) != 0 || subscript || compound != nullptr) && !variable.is_array();
    if (becomes_array) {
      const bool had_value = variable.is_set;
      const std::string old = std::move(variable.text);
      variable.text.clear();
      variable.attributes |= (on_ & kAssociative) != 0 ? kAssociative : kIndexed;
      if (had_value && (on_ & kAssociative) == 0) {
        variable.MutableIndexed().Set(0, old);
      } else if (had_value) {
        variable.MutableAssociative().Set("0", old);
      }
    }
    if ((on_ & (kLowercase | kUppercase | kCapitalcase)) != 0) {
      variable.attributes &= ~static_cast<uint32_t>(kLowercase | kUppercase | kCapitalcase);
    }
    // Readonly takes effect after the value; a nameref's value is its target, not what it points to.
    variable.attributes |= on_ & ~static_cast<uint32_t>(kReadonly | kNameref | kIndexed | kAssociative);
    variable.attributes &= ~(off_ & ~static_cast<uint32_t>(kIndexed | kAssociative));
    bool is_assigned = true;
    const AssignMode mode{.append = is_append, .local = is_local, .global = global_, .builtin = name_};
    if (compound != nullptr) {
      is_assigned = AssignElements(shell_, name, *compound, mode);
    } else if (subscript && has_value && !IsListText(value)) {
      is_assigned = AssignElement(shell_, name, *subscript, value, mode);
    } else if (has_value && variable.is_array() && IsListText(value)) {
      is_assigned = AssignText(name, value, mode);
    } else if (has_value && sets_nameref) {
      variable.text = value;
      variable.is_set = true;
    } else if (has_value) {
      const bool is_traced = kind_ == DeclareKind::kExport || kind_ == DeclareKind::kReadonly;
      if (is_traced && shell_.options.Get(SetOption::kXtrace)) TraceValue(shell_, reference, is_append, value);
      is_assigned = AssignScalar(shell_, name, value, mode);
    }
    Variable* after = is_local  ? &shell_.variables.ObtainLocal(name)
                      : global_ ? &shell_.variables.ObtainGlobal(name)
                                : &shell_.variables.Obtain(name);
    after->attributes |= on_ & (kReadonly | kNameref);
    if (shell_.options.Get(SetOption::kAllexport) && has_value) after->attributes |= kExported;
    if (is_kept) {
      const Variable kept = *after;
      (shell_.variables.FindLocal(name) != nullptr ? shell_.variables.ObtainLocal(name) : shell_.variables.ObtainGlobal(name)) = kept;
    }
    shell_.variables.NoteExport();
    return is_assigned;
  }

  // declare -a "x=(1 2)" with the value in one word: parsed again, as bash does.
  bool AssignText(const Name& name, const std::string& value, const AssignMode& mode) {
    auto parsed = ParseAssignment(name.text + "=" + value, shell_.parser_options(), shell_.budget());
    if (!parsed) return Refuse(name.text + ": " + std::string(parsed.error().Text()));
    parsed->is_append = mode.append;
    return AssignElements(shell_, name, *parsed, mode);
  }

  Shell& shell_;
  const BuiltinCall& call_;
  const Builtin& builtin_;
  DeclareKind kind_;
  const char* name_;
  uint32_t on_ = 0;
  uint32_t off_ = 0;
  bool prints_ = false;
  bool functions_ = false;
  bool names_only_ = false;
  bool global_ = false;
  bool inherits_ = false;
  bool removes_ = false;
  std::vector<std::string> operands_;
  size_t first_operand_ = 0;
};

// Whether a word means something else to the shell without quotes.
bool HasSpecialCharacters(std::string_view text) {
  if (text.find_first_of(" \t\n'\"\\|&;()<>!{}*[]?^$`") != std::string_view::npos || text.starts_with('#')) return true;
  for (size_t i = text.find('~'); i != std::string_view::npos; i = text.find('~', i + 1)) {
    if (i == 0 || text[i - 1] == '=' || text[i - 1] == ':') return true;
  }
  return false;
}

}  // namespace

int RunDeclare(Shell& shell, const BuiltinCall& call, const Builtin& builtin, DeclareKind kind) {
  return Declarer(shell, call, builtin, kind).Run();
}

std::string AssignmentText(const Shell& shell, const std::string& name, const Variable& variable) {
  if (variable.is_array()) {
    const std::string described = DescribeVariable(name, variable);
    return described.substr(described.find(' ', 8) + 1);
  }
  if (variable.text.empty()) return name + "=";
  const bool is_posix = shell.options.Get(SetOption::kPosix);
  const std::string quoted = is_posix ? QuoteSingle(variable.text) : QuoteForReuse(variable.text);
  const bool has_escapes = !is_posix && quoted.starts_with("$'");   // of what cannot be printed
  return name + "=" + (has_escapes || HasSpecialCharacters(variable.text) ? quoted : variable.text);
}

}  // namespace paddock::shell
