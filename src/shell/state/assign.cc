#include "shell/state/assign.h"

#include <algorithm>

#include "shell/exec/trace.h"
#include "shell/expand/arithmetic.h"
#include "shell/expand/arithmetic_lexer.h"
#include "shell/expand/expander.h"
#include "shell/parser/parser.h"
#include "shell/shell.h"
#include "shell/state/history.h"
#include "shell/state/index.h"
#include "text/utf8.h"

namespace paddock::shell {
namespace {

constexpr int kMaxNamerefs = 8;

void ComplainAbout(Shell& shell, const AssignMode& mode, const std::string& message) {
  if (mode.builtin != nullptr) {
    shell.Complain(mode.builtin, message);
  } else {
    shell.Complain(message);
  }
}

bool RefuseReadonly(Shell& shell, const std::string& name, const Variable* variable, const AssignMode& mode) {
  if (variable == nullptr || !variable->has(kReadonly) || mode.ignore_readonly) return false;
  ComplainAbout(shell, mode, name + ": readonly variable");
  return true;
}

const Variable* Lookup(Shell& shell, const Name& name, const AssignMode& mode) {
  if (mode.global) return shell.variables.FindGlobal(name);
  if (mode.local && shell.variables.in_function()) return shell.variables.FindLocal(name);
  return shell.variables.Find(name);
}

Variable& Obtain(Shell& shell, const Name& name, const AssignMode& mode) {
  if (mode.global) return shell.variables.ObtainGlobal(name);
  if (mode.local) return shell.variables.ObtainLocal(name);
  return shell.variables.Obtain(name);
}

// BASH_COMPAT: "42" or "4.2" turns on compat42, the current level and an empty value none.
void SetCompatibility(Shell& shell, std::string_view value) {
  constexpr std::string_view kCurrent = "52";
  std::string level(value);
  if (level.size() == 3 && level[1] == '.') level.erase(1, 1);
  bool is_known = level.empty() || level == kCurrent || level == "50" || level == "51";
  for (const ShoptOptionInfo& info : ShoptOptions()) {
    const std::string_view own = CompatibilityLevel(info.option);
    if (own.empty()) continue;
    shell.options.Put(info.option, own == level);
    is_known |= own == level;
  }
  if (!is_known) shell.Complain("BASH_COMPAT: " + std::string(value) + ": compatibility value out of range");
}

// What every successful assignment ends with.
void Finish(Shell& shell, const Name& name, Variable& variable) {
  variable.is_set = true;
  variable.attributes &= ~static_cast<uint32_t>(kHidden);
  if (shell.options.Get(SetOption::kAllexport) && !variable.has(kExported)) {
    variable.attributes |= kExported;
    shell.variables.NoteExport();
  }
  switch (name.text.front()) {
    case 'P':
      if (name.text == "PATH") shell.MutableHash().clear();
      if (name.text == "POSIXLY_CORRECT") shell.options.Put(SetOption::kPosix, true);
      break;
    case 'B':
      if (name.text == "BASH_COMPAT") SetCompatibility(shell, variable.text);
      break;
    case 'H':
      if (name.text == "HISTSIZE") LimitHistory(shell);
      break;
    case 'G':
      if (name.text == "GLOBIGNORE") {
        if (!variable.text.empty()) shell.options.Put(ShoptOption::kDotglob, true);
      }
      break;
    default:
      break;
  }
}

// old (+) value with the attributes of the variable applied.
bool Combine(Shell& shell, const Variable& variable, const std::string* old, std::string_view value,
             bool append, std::string* out) {
  if (!append || old == nullptr) return ApplyAttributes(shell, variable, value, out);
  if (variable.has(kInteger)) {
    const auto left = EvaluateText(shell, *old);
    if (!left) return false;
    const auto right = EvaluateText(shell, value);
    if (!right) return false;
    *out = std::to_string(static_cast<int64_t>(static_cast<uint64_t>(*left) + static_cast<uint64_t>(*right)));
    return true;
  }
  shell.budget().WillAllocate(old->size() + value.size());
  return ApplyAttributes(shell, variable, *old + std::string(value), out);
}

// Turns a scalar into an array; its value becomes element 0.
void MakeIndexed(Variable& variable) {
  if (variable.is_array()) return;
  const bool had_value = variable.is_set;
  const std::string text = std::move(variable.text);
  variable.text.clear();
  variable.attributes |= kIndexed;
  if (had_value) variable.MutableIndexed().Set(0, text);
}

bool StoreIndexed(Shell& shell, const Name& name, Variable& variable, int64_t index, std::string_view value,
                  bool append) {
  if (index < 0) {
    shell.Complain(name.text + "[" + std::to_string(index) + "]: bad array subscript");
    return false;
  }
  const std::string* old = variable.indexed ? variable.indexed->Get(index) : nullptr;
  std::string combined;
  if (!Combine(shell, variable, old, value, append, &combined)) return false;
  variable.MutableIndexed().Set(index, std::move(combined));
  Finish(shell, name, variable);
  return true;
}

// BASH_ALIASES and BASH_CMDS are views: an element that is set changes what they show (one unset does not).
void NoteElement(Shell& shell, const std::string& name, const std::string& key, const std::string& value) {
  if (name == "BASH_ALIASES") {
    shell.MutableAliases()[key] = Alias{value};
  } else if (name == "BASH_CMDS") {
    shell.MutableHash()[key] = {value, 0};
  }
}

bool StoreAssociative(Shell& shell, const Name& name, Variable& variable, std::string_view key,
                      std::string_view value, bool append) {
  const std::string* old = variable.associative ? variable.associative->Get(key) : nullptr;
  std::string combined;
  if (!Combine(shell, variable, old, value, append, &combined)) return false;
  if (variable.dynamic != nullptr) NoteElement(shell, name.text, std::string(key), combined);
  variable.MutableAssociative().Set(key, std::move(combined));
  Finish(shell, name, variable);
  return true;
}

// One element of name=( … ), expanded but not stored.
struct Element {
  std::optional<std::string> subscript;
  bool is_append = false;
  std::string value;
  const Word* subscript_word = nullptr;   // as it was written
};

bool ExpandElements(Shell& shell, const Assignment& assignment, std::vector<Element>* out) {
  for (const Assignment::Element& element : assignment.elements) {
    if (element.subscript == nullptr) {
      std::vector<std::string> fields;
      if (!ExpandWord(shell, element.value, &fields, /*may_be_assignment=*/false)) return false;
      for (std::string& field : fields) out->push_back({.subscript = {}, .value = std::move(field)});
      continue;
    }
    Element expanded;
    expanded.is_append = element.is_append;
    expanded.subscript.emplace();
    expanded.subscript_word = element.subscript.get();
    if (!ExpandToString(shell, *element.subscript, &*expanded.subscript)) return false;
    if (!ExpandToString(shell, element.value, &expanded.value, /*is_assignment=*/true)) return false;
    out->push_back(std::move(expanded));
  }
  return true;
}

// set -x of a declaration shows the values of its compound assignments.
void TraceElements(Shell& shell, const Assignment& assignment, const std::vector<Element>& elements) {
  std::string text = assignment.name.text + (assignment.is_append ? "+=(" : "=(");
  for (const Element& element : elements) {
    if (text.back() != '(') text += ' ';
    if (element.subscript) text += "[" + TraceSingleQuoted(*element.subscript) + (element.is_append ? "]+=" : "]=");
    text += TraceSingleQuoted(element.value);
  }
  TraceLine(shell, text + ")");
}

bool StoreAssociativeElements(Shell& shell, const Name& name, Variable& variable,
                              const std::vector<Element>& elements, const AssignMode& mode) {
  const bool is_pairs = !elements.empty() && !elements.front().subscript;
  for (size_t i = 0; i < elements.size(); ++i) {
    shell.budget().Step();
    const Element& element = elements[i];
    if (is_pairs) {
      const std::string value = i + 1 < elements.size() ? elements[i + 1].value : std::string();
      if (element.value.empty()) {
        ComplainAbout(shell, mode, element.value + ": bad array subscript");
        return false;
      }
      if (!StoreAssociative(shell, name, variable, element.value, value, false)) return false;
      ++i;
      continue;
    }
    if (!element.subscript) {
      ComplainAbout(shell, mode,
                    name.text + ": " + element.value + ": must use subscript when assigning associative array");
      continue;
    }
    if (element.subscript->empty()) {
      shell.Complain(mode.builtin != nullptr
                         ? "['']='" + element.value + "': bad array subscript"
                         : "[" + element.subscript_word->source + "]=" + element.value + ": bad array subscript");
      continue;
    }
    if (!StoreAssociative(shell, name, variable, *element.subscript, element.value, element.is_append)) {
      return false;
    }
  }
  return true;
}

// The element that an index means, counted from the end if it is negative; negative if there is none.
int64_t CountFromEnd(const Variable* variable, int64_t index) {
  if (index >= 0) return index;
  if (variable == nullptr || !variable->is_set) return index;
  if (!variable->has(kIndexed)) return index + 1;
  return variable->indexed ? IndexFromEnd(*variable->indexed, index) : index;
}

bool StoreIndexedElements(Shell& shell, const Name& name, Variable& variable,
                          const std::vector<Element>& elements, bool append) {
  int64_t next = append && variable.indexed ? IndexAfter(variable.indexed->max_index()) : 0;
  for (const Element& element : elements) {
    shell.budget().Step();
    if (element.subscript) {
      if (*element.subscript == "*" || *element.subscript == "@") {
        shell.Complain("[" + *element.subscript + "]=" + element.value + ": cannot assign to non-numeric index");
        continue;
      }
      const bool is_blank = element.subscript->find_first_not_of(" \t\n") == std::string::npos;
      const auto index = is_blank ? std::optional<int64_t>(0) : EvaluateText(shell, *element.subscript);
      if (!index) return false;
      const int64_t place = is_blank ? -1 : CountFromEnd(&variable, *index);
      if (place < 0) {
        shell.Complain("[" + *element.subscript + "]=" + element.value + ": bad array subscript");
        continue;
      }
      next = place;
    }
    if (!StoreIndexed(shell, name, variable, next, element.value, element.is_append)) return false;
    next = IndexAfter(next);
  }
  return true;
}

}  // namespace

bool ResolveName(Shell& shell, const Name& name, Target* target) {
  target->name = name;
  target->subscript.reset();
  target->is_global = false;
  for (int level = 0; level < kMaxNamerefs; ++level) {
    const Variable* variable = shell.variables.Find(target->name);
    if (variable == nullptr || !variable->has(kNameref) || !variable->is_set || variable->text.empty()) return true;
    const std::string& next = variable->text;
    const size_t bracket = next.find('[');
    if (bracket != std::string::npos && next.back() == ']') {
      target->subscript = next.substr(bracket + 1, next.size() - bracket - 2);
      target->name = Name(next.substr(0, bracket));
      return true;
    }
    if (next == target->name.text) {
      if (shell.variables.ScopeOf(target->name) == 0) break;
      shell.Complain("warning: " + name.text + ": circular name reference");
      target->is_global = true;
      return true;
    }
    target->name = Name(next);
  }
  shell.Complain("warning: " + name.text + ": circular name reference");
  return false;
}

bool ApplyAttributes(Shell& shell, const Variable& variable, std::string_view value, std::string* out) {
  constexpr uint32_t kTransforming = kInteger | kLowercase | kUppercase | kCapitalcase;
  if ((variable.attributes & kTransforming) == 0) [[likely]] {
    *out = value;
    return true;
  }
  if (variable.has(kInteger)) {
    const auto number = EvaluateText(shell, value);
    if (!number) {
      if (shell.flow == Flow::kNone) shell.DiscardAll();
      return false;
    }
    *out = std::to_string(*number);
    return true;
  }
  if (variable.has(kLowercase)) {
    *out = LowerUtf8(value);
  } else if (variable.has(kUppercase)) {
    *out = UpperUtf8(value);
  } else {
    const size_t first = value.empty() ? 0 : DecodeUtf8(value).length;
    *out = UpperUtf8(value.substr(0, first)) + LowerUtf8(value.substr(first));
  }
  return true;
}

bool AssignScalar(Shell& shell, const Name& name, std::string_view value, const AssignMode& mode) {
  const Variable* existing = Lookup(shell, name, mode);
  if (existing != nullptr && existing->has(kNameref) && !mode.local) {
    if (!existing->is_set || existing->text.empty()) {
      // A nameref without target takes the value as its target.
      if (!IsName(value.substr(0, value.find('[')))) {
        ComplainAbout(shell, mode, "`" + std::string(value) + "': not a valid identifier");
        return false;
      }
    } else {
      Target target;
      if (!ResolveName(shell, name, &target)) return false;
      if (target.is_global) {
        // Bash looks the name up twice, and warns each time.
        shell.Complain("warning: " + name.text + ": circular name reference");
        AssignMode global_mode = mode;
        global_mode.global = true;
        return AssignScalar(shell, target.name, value, global_mode);
      }
      if (target.subscript) return AssignElement(shell, target.name, *target.subscript, value, mode);
      if (target.name.text != name.text) return AssignScalar(shell, target.name, value, mode);
    }
  }
  if (RefuseReadonly(shell, name.text, existing, mode)) return false;
  if (existing != nullptr && existing->has(kNoAssign)) return true;
  if (existing != nullptr && existing->is_array()) {
    return existing->has(kAssociative) ? AssignElement(shell, name, "0", value, mode)
                                       : AssignIndex(shell, name, 0, value, mode);
  }
  constexpr uint32_t kTransforming = kInteger | kLowercase | kUppercase | kCapitalcase;
  if (mode.append && existing != nullptr && existing->is_set && existing->dynamic == nullptr &&
      (existing->attributes & kTransforming) == 0) {
    // In place: a string built piece by piece costs what its pieces cost.
    shell.budget().WillAllocate(value.size());
    const std::string piece(value);   // it may be part of the variable itself
    Variable& variable = Obtain(shell, name, mode);
    variable.text.append(piece);
    Finish(shell, name, variable);
    return true;
  }
  std::string combined;
  if (existing == nullptr) {
    combined = value;
  } else if (!Combine(shell, *existing, existing->is_set ? &existing->text : nullptr, value, mode.append,
                      &combined)) {
    return false;
  }
  Variable& variable = Obtain(shell, name, mode);
  if (variable.dynamic != nullptr && variable.dynamic->assign != nullptr) {
    variable.dynamic->assign(shell, variable, combined);
    return true;
  }
  variable.text = std::move(combined);
  Finish(shell, name, variable);
  return true;
}

std::optional<int64_t> EvaluateIndex(Shell& shell, const Name& name, const Variable* variable,
                                     std::string_view subscript, std::string_view written) {
  const auto bad = [&]() -> std::optional<int64_t> {
    const std::string shown(written.empty() ? subscript : written);
    shell.Complain(name.text + "[" + shown + "]: bad array subscript");
    return std::nullopt;
  };
  if (subscript.find_first_not_of(" \t\n") == std::string_view::npos) return bad();
  const auto value = EvaluateText(shell, subscript);
  if (!value) {
    if (shell.flow == Flow::kNone) shell.DiscardAll();
    return std::nullopt;
  }
  const int64_t index = CountFromEnd(variable, *value);
  return index < 0 ? bad() : index;
}

bool AssignIndex(Shell& shell, const Name& name, int64_t index, std::string_view value, const AssignMode& mode) {
  const Variable* existing = Lookup(shell, name, mode);
  if (RefuseReadonly(shell, name.text, existing, mode)) return false;
  if (existing != nullptr && existing->has(kNoAssign)) return true;
  Variable& variable = Obtain(shell, name, mode);
  if (variable.dynamic != nullptr) variable.dynamic = nullptr;
  MakeIndexed(variable);
  if (variable.has(kAssociative)) {
    return StoreAssociative(shell, name, variable, std::to_string(index), value, mode.append);
  }
  return StoreIndexed(shell, name, variable, index, value, mode.append);
}

bool AssignElement(Shell& shell, const Name& name, std::string_view subscript, std::string_view value,
                   const AssignMode& given_mode) {
  Target target;
  if (!given_mode.global && !ResolveName(shell, name, &target)) return false;
  if (given_mode.global) target.name = name;
  AssignMode mode = given_mode;
  mode.global |= target.is_global;
  const Variable* existing = Lookup(shell, target.name, mode);
  if (RefuseReadonly(shell, target.name.text, existing, mode)) return false;
  if (existing != nullptr && existing->has(kAssociative)) {
    if (subscript.empty()) {
      const std::string_view shown = mode.written_subscript;
      shell.Complain(target.name.text + "[" + std::string(shown) + "]: bad array subscript");
      return false;
    }
    return StoreAssociative(shell, target.name, Obtain(shell, target.name, mode), subscript, value, mode.append);
  }
  if (subscript == "@" || subscript == "*") {
    ComplainAbout(shell, mode, target.name.text + "[" + std::string(subscript) + "]: bad array subscript");
    return false;
  }
  const auto index = EvaluateIndex(shell, target.name, existing, subscript, mode.written_subscript);
  if (!index) return false;
  return AssignIndex(shell, target.name, *index, value, mode);
}

bool IsReference(std::string_view text) {
  const size_t bracket = text.find('[');
  if (bracket == std::string_view::npos) return IsName(text);
  return IsName(text.substr(0, bracket)) && text.size() > bracket + 2 &&
         FindSubscriptEnd(text, bracket) == text.size() - 1;
}

bool AssignReference(Shell& shell, std::string_view reference, std::string_view value, const AssignMode& mode) {
  const size_t bracket = reference.find('[');
  const Name name(std::string(reference.substr(0, bracket)));
  if (bracket == std::string_view::npos) return AssignScalar(shell, name, value, mode);
  const std::string_view written = reference.substr(bracket + 1, reference.size() - bracket - 2);
  AssignMode element_mode = mode;
  element_mode.written_subscript = written;
  std::string subscript(written);
  Target target;
  if (!ResolveName(shell, name, &target)) return false;
  const Variable* variable = shell.variables.Find(target.name);
  const bool is_expanded = variable != nullptr && variable->has(kAssociative) &&
                           subscript.find_first_of("$`\"'\\") != std::string::npos &&
                           !shell.options.Get(ShoptOption::kAssocExpandOnce);
  if (is_expanded && !ExpandSubscriptText(shell, written, &subscript)) return false;
  return AssignElement(shell, name, subscript, value, element_mode);
}

bool AssignElements(Shell& shell, const Name& name, const Assignment& assignment, const AssignMode& mode) {
  std::vector<Element> elements;
  if (!ExpandElements(shell, assignment, &elements)) return false;
  const bool is_traced = mode.builtin != nullptr && shell.options.Get(SetOption::kXtrace);
  if (is_traced) TraceElements(shell, assignment, elements);
  const Variable* existing = Lookup(shell, name, mode);
  if (RefuseReadonly(shell, name.text, existing, mode)) return false;
  if (existing != nullptr && existing->has(kNoAssign)) return true;
  Variable& variable = Obtain(shell, name, mode);
  variable.dynamic = nullptr;
  if (assignment.is_append) {
    MakeIndexed(variable);
  } else {
    variable.indexed.reset();
    variable.associative.reset();
    variable.text.clear();
    if (!variable.is_array()) variable.attributes |= kIndexed;
  }
  Finish(shell, name, variable);
  if (variable.has(kAssociative)) {
    variable.MutableAssociative();
    return StoreAssociativeElements(shell, name, variable, elements, mode);
  }
  variable.MutableIndexed();
  return StoreIndexedElements(shell, name, variable, elements, assignment.is_append);
}

bool PerformAssignment(Shell& shell, const Assignment& assignment, const AssignMode& base_mode) {
  AssignMode mode = base_mode;
  mode.append = assignment.is_append;
  if (assignment.is_array) {
    if (assignment.subscript != nullptr) {
      ComplainAbout(shell, mode, assignment.name.text + "[" + assignment.subscript->source +
                                     "]: cannot assign list to array member");
      return false;
    }
    Target target;
    if (!ResolveName(shell, assignment.name, &target)) return false;
    mode.global |= target.is_global;
    return AssignElements(shell, target.name, assignment, mode);
  }
  std::string value;
  if (assignment.subscript == nullptr) {
    if (!ExpandToString(shell, assignment.value, &value, /*is_assignment=*/true)) return false;
    return AssignScalar(shell, assignment.name, value, mode);
  }
  std::string subscript;
  if (!ExpandToString(shell, *assignment.subscript, &subscript)) return false;
  if (!ExpandToString(shell, assignment.value, &value, /*is_assignment=*/true)) return false;
  mode.written_subscript = assignment.subscript->source;
  return AssignElement(shell, assignment.name, subscript, value, mode);
}

bool UnsetVariable(Shell& shell, std::string_view reference, bool nameref_itself, const char* builtin) {
  const size_t bracket = reference.find('[');
  const bool has_subscript = bracket != std::string_view::npos && reference.back() == ']';
  Target target;
  target.name = Name(std::string(reference.substr(0, has_subscript ? bracket : reference.size())));
  if (has_subscript) target.subscript = std::string(reference.substr(bracket + 1, reference.size() - bracket - 2));
  if (!nameref_itself) {
    const std::optional<std::string> own_subscript = target.subscript;
    const Name name = target.name;
    if (!ResolveName(shell, name, &target)) return false;
    if (target.is_global) return true;
    if (own_subscript) target.subscript = own_subscript;
  }
  const Variable* variable = shell.variables.Find(target.name);
  if (variable == nullptr) return true;
  if (variable->has(kReadonly) || variable->has(kUnsettable)) {
    shell.Complain(builtin, target.name.text + ": cannot unset" + (variable->has(kReadonly) ? ": readonly variable" : ""));
    return false;
  }
  if (!target.subscript) {
    if (target.name.text == "BASH_COMPAT") SetCompatibility(shell, {});
    if (target.name.text == "GLOBIGNORE") shell.options.Put(ShoptOption::kDotglob, false);
    if (target.name.text == "PATH") shell.MutableHash().clear();
    shell.variables.Unset(target.name, shell.options.Get(ShoptOption::kLocalvarUnset));
    return true;
  }
  std::string subscript = *target.subscript;
  if (variable->has(kAssociative) && subscript.find_first_of("$`\"'\\") != std::string::npos &&
      !shell.options.Get(ShoptOption::kAssocExpandOnce)) {
    if (!ExpandSubscriptText(shell, *target.subscript, &subscript)) return false;
    variable = shell.variables.Find(target.name);
    if (variable == nullptr) return true;
  }
  if (variable->has(kAssociative)) {
    shell.variables.FindMutable(target.name)->MutableAssociative().Unset(subscript);
    return true;
  }
  if (!variable->has(kIndexed)) {
    if (subscript == "@" || subscript == "*") {
      shell.Complain(builtin, target.name.text + ": not an array variable");
      return false;
    }
    if (const auto index = EvaluateIndex(shell, target.name, variable, subscript); index && *index == 0) {
      shell.variables.Unset(target.name, shell.options.Get(ShoptOption::kLocalvarUnset));
      return true;
    }
    shell.Complain(builtin, target.name.text + ": not an array variable");
    return false;
  }
  if (subscript == "@" || subscript == "*") {
    shell.variables.FindMutable(target.name)->indexed.reset();   // it stays, empty
    return true;
  }
  auto index = EvaluateText(shell, subscript);
  if (!index) {
    if (shell.flow == Flow::kNone) shell.DiscardAll();
    return false;
  }
  if (*index < 0 && variable->indexed) *index = IndexFromEnd(*variable->indexed, *index);
  if (*index < 0) {
    shell.Complain(builtin, "[" + subscript + "]: bad array subscript");
    return false;
  }
  shell.variables.FindMutable(target.name)->MutableIndexed().Unset(*index);
  return true;
}

namespace {

std::string AttributeLetters(const Variable& variable) {
  std::string letters;
  const auto add = [&](Attribute attribute, char letter) {
    if (variable.has(attribute)) letters += letter;
  };
  add(kIndexed, 'a');
  add(kAssociative, 'A');
  add(kInteger, 'i');
  add(kNameref, 'n');
  add(kReadonly, 'r');
  add(kTraced, 't');
  add(kExported, 'x');
  add(kCapitalcase, 'c');
  add(kLowercase, 'l');
  add(kUppercase, 'u');
  return letters.empty() ? "-" : letters;
}

std::string DescribeKey(const std::string& key) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/%^{}";
  const bool is_plain = !key.empty() && key.find_first_not_of(kPlain) == std::string::npos && key[0] != '~';
  const bool has_high = std::any_of(key.begin(), key.end(), [](char c) { return static_cast<signed char>(c) < 0; });
  return is_plain || has_high ? key : QuoteDouble(key);
}

}  // namespace

std::string DescribeVariable(const std::string& name, const Variable& variable) {
  std::string text = "declare -" + AttributeLetters(variable) + " " + name;
  if (!variable.is_set) return text;
  if (variable.has(kIndexed)) {
    text += "=(";
    bool is_first = true;
    if (variable.indexed) {
      variable.indexed->ForEach([&](int64_t index, const std::string& value) {
        if (!is_first) text += ' ';
        is_first = false;
        text += "[" + std::to_string(index) + "]=" + QuoteDouble(value);
      });
    }
    return text + ")";
  }
  if (variable.has(kAssociative)) {
    text += "=(";
    if (variable.associative) {
      variable.associative->ForEach([&](const std::string& key, const std::string& value) {
        text += "[" + DescribeKey(key) + "]=" + QuoteDouble(value) + " ";
      });
    }
    return text + ")";
  }
  return text + "=" + QuoteDouble(variable.text);
}

}  // namespace paddock::shell
