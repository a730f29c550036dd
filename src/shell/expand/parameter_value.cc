// Resolving references and reading their values.

#include "shell/expand/parameter_value.h"

#include <charconv>

#include "shell/expand/arithmetic.h"
#include "shell/expand/arithmetic_lexer.h"
#include "shell/expand/expander.h"
#include "shell/expand/expansion.h"
#include "shell/shell.h"
#include "shell/state/assign.h"
#include "shell/state/index.h"

namespace paddock::shell {
namespace {

bool IsDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool IsSpecial(std::string_view name) {
  return name.size() == 1 && std::string_view("@*#?-$!0").find(name[0]) != std::string_view::npos;
}

// Gives `reference` the subscript of a nameref's target or of an indirect name, unexpanded.
bool SetSubscript(Shell& shell, std::string_view text, Reference* reference) {
  if (text == "@" || text == "*") {
    reference->is_at = text == "@";
    reference->is_star = text == "*";
    return true;
  }
  reference->has_subscript = true;
  return ExpandSubscriptText(shell, text, &reference->subscript);
}

bool FollowNameref(Shell& shell, Reference* reference) {
  const Variable* variable = shell.variables.Find(reference->name);
  if (variable == nullptr || !variable->has(kNameref)) return true;
  Target target;
  if (!ResolveName(shell, reference->name, &target)) {
    reference->is_void = true;
    return true;
  }
  reference->name = target.name;
  reference->is_global = target.is_global;
  if (!target.subscript || reference->has_subscript || reference->is_list()) return true;
  return SetSubscript(shell, *target.subscript, reference);
}

void LoadPositionals(Shell& shell, ParameterValue* value) {
  value->list = shell.positionals();
  value->is_set = !value->list.empty();
}

void LoadList(const Variable* variable, ParameterValue* value) {
  if (variable == nullptr) return;
  if (variable->has(kIndexed)) {
    if (variable->indexed) {
      value->list.reserve(variable->indexed->size());
      variable->indexed->ForEach([&](int64_t, const std::string& text) { value->list.push_back(text); });
    }
  } else if (variable->has(kAssociative)) {
    if (variable->associative) {
      value->list.reserve(variable->associative->size());
      variable->associative->ForEach(
          [&](const std::string&, const std::string& text) { value->list.push_back(text); });
    }
  } else if (const std::string* text = variable->Scalar()) {
    value->list.push_back(*text);
  }
  value->is_set = !value->list.empty();
}

// The index that a subscript means when it is read; nothing if it is out of range.
std::optional<int64_t> ReadIndex(int64_t index, const Variable& variable) {
  if (index >= 0) return index;
  // Only arrays count from their end.
  if (!variable.has(kIndexed) || !variable.indexed) return std::nullopt;
  index = IndexFromEnd(*variable.indexed, index);
  return index < 0 ? std::nullopt : std::optional(index);
}

bool LoadElement(Shell& shell, const Reference& reference, const Variable* variable,
                 ParameterValue* value) {
  const std::string* text = nullptr;
  if (variable != nullptr && variable->has(kAssociative)) {
    if (reference.subscript.empty()) {
      value->is_bad_subscript = true;
      return true;
    }
    text = variable->associative ? variable->associative->Get(reference.subscript) : nullptr;
  } else {
    const auto subscript = EvaluateText(shell, reference.subscript);
    if (!subscript) {
      if (shell.flow == Flow::kNone) shell.DiscardAll();
      return false;
    }
    variable = FindVariable(shell, reference);   // the subscript may have assigned
    if (variable == nullptr) {
      value->is_bad_subscript = *subscript < 0;
      return true;
    }
    const auto index = ReadIndex(*subscript, *variable);
    if (!index) {
      value->is_bad_subscript = true;
      return true;
    }
    if (variable->has(kIndexed)) {
      text = variable->indexed ? variable->indexed->Get(*index) : nullptr;
    } else if (*index == 0) {
      text = variable->Scalar();
    }
  }
  if (text == nullptr) return true;
  value->is_set = true;
  value->text = *text;
  return true;
}

}  // namespace

const Variable* FindVariable(Shell& shell, const Reference& reference) {
  return reference.is_global ? shell.variables.FindGlobal(reference.name) : shell.variables.Find(reference.name);
}

bool Reference::is_variable() const { return IsName(name.text); }

void FailUnset(Shell& shell, const Reference& reference) {
  std::string shown = reference.display;
  if (reference.is_indirect) {
    shown.insert(0, "!");
  } else if (!reference.is_variable() && !reference.is_braced) {
    shown.insert(0, "$");
  }
  shell.FailFatal(shown + ": unbound variable");
}

std::optional<std::string> LoadSpecial(Shell& shell, std::string_view name) {
  if (IsDigits(name) && name != "0") {
    size_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    const auto& positionals = shell.positionals();
    if (error != std::errc() || number == 0) return number == 0 ? std::optional(shell.name0) : std::nullopt;
    if (number > positionals.size()) return std::nullopt;
    return positionals[number - 1];
  }
  switch (name.empty() ? '\0' : name[0]) {
    case '?': return std::to_string(shell.last_status);
    case '#': return std::to_string(shell.positionals().size());
    case '0': return shell.name0;
    case '$': return std::to_string(shell.shell_pid);
    case '!':
      if (shell.last_background_pid == 0) return std::nullopt;
      return std::to_string(shell.last_background_pid);
    case '-': return shell.SpecialParameter('-');
    default: return std::nullopt;
  }
}

bool MakeReference(Shell& shell, const Parameter& parameter, Reference* reference) {
  reference->name = parameter.name;
  reference->display = parameter.name.text;
  reference->is_braced = parameter.source.starts_with("${");
  reference->is_at = parameter.is_subscript_at || parameter.name.text == "@";
  reference->is_star = parameter.is_subscript_star || parameter.name.text == "*";
  if (parameter.is_subscript_at) reference->display += "[@]";
  if (parameter.is_subscript_star) reference->display += "[*]";
  if (parameter.subscript && !reference->is_list()) {
    reference->has_subscript = true;
    if (!ExpandSubscript(shell, *parameter.subscript, &reference->subscript)) return false;
    reference->display += "[" + parameter.subscript->source + "]";
  }
  return FollowNameref(shell, reference);
}

bool FollowIndirect(Shell& shell, Reference* reference) {
  ParameterValue value;
  if (!LoadValue(shell, *reference, &value)) return false;
  if (!value.is_set && IsDigits(reference->name.text)) {
    reference->is_void = true;   // a parameter that is not there names nothing
    return true;
  }
  if (!value.is_set) {
    shell.FailExpansion(reference->display + ": invalid indirect expansion");
    return false;
  }
  if (value.is_list) {
    for (size_t i = 0; i < value.list.size(); ++i) value.text += (i > 0 ? " " : "") + value.list[i];
  }
  const std::string_view text = value.text;
  Reference target;
  target.is_indirect = true;
  target.display = reference->display;
  const size_t bracket = text.find('[');
  const std::string_view name = text.substr(0, bracket);
  const bool is_element = bracket != std::string_view::npos;
  const bool is_good = is_element ? IsName(name) && FindSubscriptEnd(text, bracket) == text.size() - 1 &&
                                        text.size() > bracket + 2
                                  : IsName(text) || IsSpecial(text) || IsDigits(text);
  if (!is_good) {
    shell.FailExpansion(value.text + ": invalid variable name");
    return false;
  }
  target.name = Name(std::string(name));
  target.is_at = text == "@";
  target.is_star = text == "*";
  if (is_element && !SetSubscript(shell, text.substr(bracket + 1, text.size() - bracket - 2), &target)) {
    return false;
  }
  *reference = std::move(target);
  return FollowNameref(shell, reference);
}

bool LoadValue(Shell& shell, const Reference& reference, ParameterValue* value) {
  value->is_list = reference.is_list();
  value->is_star = reference.is_star;
  if (reference.is_void) return true;
  if (!reference.is_variable()) {
    if (value->is_list) {
      LoadPositionals(shell, value);
    } else if (auto text = LoadSpecial(shell, reference.name.text)) {
      value->is_set = true;
      value->text = std::move(*text);
    }
    return true;
  }
  const Variable* variable = FindVariable(shell, reference);
  if (value->is_list) {
    LoadList(variable, value);
    return true;
  }
  if (reference.has_subscript) return LoadElement(shell, reference, variable, value);
  if (variable == nullptr) return true;
  if (const std::string* text = variable->Scalar()) {
    value->is_set = true;
    value->text = *text;
  }
  return true;
}

}  // namespace paddock::shell
