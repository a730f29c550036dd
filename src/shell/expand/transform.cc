// ${x@Q} and its family.
//
// Source: Bash manual "Shell Parameter Expansion", the operators behind '@'.

#include "shell/expand/expander.h"
#include "shell/expand/expansion.h"
#include "shell/expand/parameter_value.h"
#include "shell/parser/parser.h"
#include "shell/shell.h"
#include "shell/state/assign.h"
#include "text/utf8.h"

namespace paddock::shell {
namespace {

// "ai" of `declare -ai x`; empty when there are none.
std::string AttributeLetters(const Variable& variable) {
  Variable bare;
  bare.attributes = variable.attributes;
  const std::string text = DescribeVariable("x", bare);   // "declare -ai x"
  const size_t begin = text.find('-') + 1;
  std::string letters = text.substr(begin, text.find(' ', begin) - begin);
  if (letters == "-") letters.clear();
  return letters;
}

std::string UpperFirst(std::string_view text, bool is_utf8) {
  if (text.empty()) return {};
  const size_t first = is_utf8 ? DecodeUtf8(text).length : 1;
  return UpperUtf8(text.substr(0, first)) + std::string(text.substr(first));
}

// The key of ${m[@]@K}: quoted only when it needs to be.
std::string DescribeKey(const std::string& key) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/%^{}";
  const bool is_plain = !key.empty() && key.find_first_not_of(kPlain) == std::string::npos;
  return is_plain ? key : QuoteDouble(key);
}

// ${a[@]@A}, ${@@A}, ${x@A}: a command that makes the variable again.
void DescribeAssignment(Shell& shell, const Reference& reference, ParameterValue* value) {
  std::string text;
  if (!reference.is_variable()) {
    if (value->is_list && value->is_set) {
      for (std::string& element : value->list) element = QuoteForReuse(element);
      value->list.front().insert(0, "set -- ");
      return;
    }
  } else if (const Variable* variable = FindVariable(shell, reference)) {
    const std::string letters = AttributeLetters(*variable);
    const std::string& name = reference.name.text;
    if (value->is_list && variable->is_array()) {
      text = DescribeVariable(name, *variable);
      if (!value->is_star && shell.ifs().find(' ') != std::string::npos) {
        // IFS makes three words of it, quoted or not: declare, its options and the assignment.
        const size_t options = text.find(' ') + 1;
        const size_t assignment = text.find(' ', options) + 1;
        value->list = {text.substr(0, options - 1), text.substr(options, assignment - options - 1),
                       text.substr(assignment)};
        return;
      }
    } else {
      const std::string* scalar = value->is_list ? variable->Scalar() : value->is_set ? &value->text : nullptr;
      if (!letters.empty()) text = "declare -" + letters + " ";
      if (scalar != nullptr) {
        text += name + "=" + QuoteForReuse(*scalar);
      } else if (!letters.empty()) {
        text += name;
      }
    }
  }
  *value = {};
  value->is_set = !text.empty();
  value->text = std::move(text);
}

void DescribeAttributes(Shell& shell, const Reference& reference, ParameterValue* value) {
  const Variable* variable = reference.is_variable() ? FindVariable(shell, reference) : nullptr;
  const std::string letters = variable == nullptr ? std::string() : AttributeLetters(*variable);
  if (value->is_list && !value->list.empty()) {
    for (std::string& element : value->list) element = letters;
    return;
  }
  if (value->is_list && variable != nullptr && variable->is_array() && variable->is_set) return;   // an empty list
  *value = {};
  value->is_set = true;
  value->text = letters;
}

// ${a[@]@K} and ${a[@]@k}: keys beside values, as one text or as words.
void DescribePairs(const Variable& variable, bool is_text, ParameterValue* value) {
  std::vector<std::string> words;
  std::string text;
  const auto add = [&](const std::string& key, const std::string& element) {
    if (is_text) {
      text += DescribeKey(key) + " " + QuoteDouble(element) + " ";
    } else {
      words.push_back(key);
      words.push_back(element);
    }
  };
  if (variable.has(kAssociative) && variable.associative) {
    variable.associative->ForEach(add);
  } else if (variable.has(kIndexed) && variable.indexed) {
    variable.indexed->ForEach(
        [&](int64_t index, const std::string& element) { add(std::to_string(index), element); });
    if (!text.empty()) text.pop_back();
  }
  if (is_text) {
    *value = {};
    value->is_set = true;
    value->text = std::move(text);
  } else {
    value->list = std::move(words);
  }
}

}  // namespace

bool TransformValue(Shell& shell, char letter, const Reference& reference, ParameterValue* value) {
  const bool is_utf8 = shell.locale().is_utf8;
  if (letter == 'A') {
    DescribeAssignment(shell, reference, value);
    return true;
  }
  if (letter == 'a') {
    DescribeAttributes(shell, reference, value);
    return true;
  }
  if ((letter == 'K' || letter == 'k') && value->is_list && reference.is_variable()) {
    const Variable* variable = FindVariable(shell, reference);
    if (variable != nullptr && variable->is_array()) {
      DescribePairs(*variable, letter == 'K', value);
      return true;
    }
  }
  if (!value->is_set) return true;
  if (std::string_view("QEPUuLKk").find(letter) == std::string_view::npos) return false;
  const auto apply = [&](const std::string& text) -> std::string {
    shell.budget().Step(1 + static_cast<int64_t>(text.size() / 32));
    switch (letter) {
      case 'E': return DecodeAnsiC(text);
      case 'P': return ExpandPrompt(shell, text);
      case 'U': return UpperUtf8(text);
      case 'u': return UpperFirst(text, is_utf8);
      case 'L': return LowerUtf8(text);
      default: return QuoteForReuse(text, is_utf8);
    }
  };
  if (!value->is_list) value->text = apply(value->text);
  for (std::string& element : value->list) element = apply(element);
  return true;
}

}  // namespace paddock::shell
