// ${…}: the operators.

#include <algorithm>

#include "shell/expand/arithmetic.h"
#include "shell/expand/expander.h"
#include "shell/expand/expansion.h"
#include "shell/expand/parameter_value.h"
#include "shell/shell.h"
#include "shell/state/assign.h"
#include "shell/state/index.h"
#include "text/pattern.h"
#include "text/utf8.h"

namespace paddock::shell {
namespace {

using Context = Expansion::Context;
using Op = ParameterOp;

// The quality of an operand such as the word of ${x:-word}.
Context OperandContext(const Context& outer) {
  return {.is_quoted = outer.is_quoted, .splits_literals = !outer.is_quoted, .has_tilde = !outer.is_quoted};
}

PatternFlags FlagsFor(Shell& shell) {
  return {.extglob = shell.options.Get(ShoptOption::kExtglob), .is_utf8 = shell.locale().is_utf8};
}

// Calls f(text) for the value or each element, replacing it by the result.
template <class F>
void Map(Shell& shell, ParameterValue* value, F&& f) {
  if (!value->is_list) {
    value->text = f(value->text);
    return;
  }
  for (std::string& text : value->list) {
    shell.budget().Step(1 + static_cast<int64_t>(text.size() / 32));
    text = f(text);
  }
}

// --- ${x/pattern/replacement} ---------------------------------------------------------------------------

// A replacement: pieces of text, with the match between them (an unquoted &).
std::vector<std::string> SplitReplacement(std::string_view text, bool has_ampersands) {
  std::vector<std::string> pieces(1);
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '\\' && i + 1 < text.size() &&
                           (text[i + 1] == '&' || text[i + 1] == '\\');
    if (!has_ampersands || (text[i] != '&' && !is_escape)) {
      pieces.back() += text[i];
    } else if (is_escape) {
      pieces.back() += text[++i];
    } else {
      pieces.emplace_back();
    }
  }
  return pieces;
}

void AppendReplacement(Shell& shell, const std::vector<std::string>& pieces, std::string_view match,
                       std::string* out) {
  shell.budget().Step(1 + static_cast<int64_t>(pieces[0].size() / 32));
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0) *out += match;
    *out += pieces[i];
  }
}

std::string Replace(Shell& shell, const Pattern& pattern, std::string_view pattern_text, Op op,
                    const std::vector<std::string>& pieces, std::string_view text) {
  Budget& budget = shell.budget();
  std::string out;
  // Where nothing is left of the text, bash tries only patterns that begin with a star.
  const bool matches_at_end = pattern_text.empty() || pattern_text[0] == '*';
  if (text.empty() && !matches_at_end && op != Op::kReplaceSuffix) return {};
  if (op == Op::kReplacePrefix) {
    const size_t length = pattern.MatchPrefix(text, true, budget);
    if (length == std::string_view::npos) return std::string(text);
    AppendReplacement(shell, pieces, text.substr(0, length), &out);
    return out.append(text.substr(length));
  }
  if (op == Op::kReplaceSuffix) {
    const size_t begin = pattern.MatchSuffix(text, true, budget);
    if (begin == std::string_view::npos) return std::string(text);
    out = text.substr(0, begin);
    AppendReplacement(shell, pieces, text.substr(begin), &out);
    return out;
  }
  size_t at = 0;
  do {
    const auto found = pattern.Find(text, at, budget);
    if (found.begin == std::string_view::npos || (found.begin == text.size() && !matches_at_end)) break;
    out += text.substr(at, found.begin - at);
    AppendReplacement(shell, pieces, text.substr(found.begin, found.length), &out);
    at = found.begin + found.length;
    if (found.length == 0 && at < text.size()) out += text[at++];
  } while (op == Op::kReplaceAll && at < text.size());
  return out.append(text.substr(at));
}

bool ApplyReplace(Shell& shell, const Parameter& parameter, ParameterValue* value) {
  const bool is_anchored = parameter.op == Op::kReplacePrefix || parameter.op == Op::kReplaceSuffix;
  Expansion pattern_out(shell, Expansion::Target::kPattern);
  if (parameter.word && !pattern_out.AddWord(*parameter.word, {.has_tilde = !is_anchored})) return false;
  const std::string& pattern_text = pattern_out.text();
  const bool has_ampersands = shell.options.Get(ShoptOption::kPatsubReplacement);
  std::string replacement;
  if (parameter.word2) {
    Expansion out(shell, has_ampersands ? Expansion::Target::kReplacement : Expansion::Target::kString);
    if (!out.AddWord(*parameter.word2, {})) return false;
    replacement = std::move(out.text());
  }
  if (pattern_text.empty() && !is_anchored) return true;
  PatternFlags flags = FlagsFor(shell);
  flags.ignore_case = shell.options.Get(ShoptOption::kNocasematch);
  const Pattern pattern(pattern_text, flags);
  const auto pieces = SplitReplacement(replacement, has_ampersands);
  Map(shell, value,
      [&](const std::string& text) { return Replace(shell, pattern, pattern_text, parameter.op, pieces, text); });
  return true;
}

// --- ${x#pattern} ---------------------------------------------------------------------------------------

bool ApplyRemove(Shell& shell, const Parameter& parameter, ParameterValue* value) {
  std::string pattern_text;
  if (parameter.word && !ExpandPattern(shell, *parameter.word, &pattern_text)) return false;
  if (pattern_text.empty()) return true;
  const Pattern pattern(pattern_text, FlagsFor(shell));
  const bool is_long = parameter.op == Op::kRemoveLongPrefix || parameter.op == Op::kRemoveLongSuffix;
  const bool is_prefix = parameter.op == Op::kRemovePrefix || parameter.op == Op::kRemoveLongPrefix;
  Map(shell, value, [&](const std::string& text) {
    if (is_prefix) {
      const size_t length = pattern.MatchPrefix(text, is_long, shell.budget());
      return length == std::string::npos ? text : text.substr(length);
    }
    const size_t begin = pattern.MatchSuffix(text, is_long, shell.budget());
    return begin == std::string::npos ? text : text.substr(0, begin);
  });
  return true;
}

// --- ${x^pattern} ---------------------------------------------------------------------------------------

char32_t ChangeCase(char32_t code, Op op) {
  switch (op) {
    case Op::kUpperFirst:
    case Op::kUpperAll: return ToUpper(code);
    case Op::kLowerFirst:
    case Op::kLowerAll: return ToLower(code);
    default: return ToUpper(code) == code ? ToLower(code) : ToUpper(code);
  }
}

std::string ChangeCases(Shell& shell, std::string_view text, Op op, const Pattern* pattern, bool is_utf8) {
  const bool is_first_only = op == Op::kUpperFirst || op == Op::kLowerFirst || op == Op::kToggleFirst;
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const DecodedChar decoded =
        is_utf8 ? DecodeUtf8(text.substr(i)) : DecodedChar{static_cast<unsigned char>(text[i]), 1, true};
    const std::string_view bytes = text.substr(i, decoded.length);
    const bool can_change = decoded.is_valid && (is_utf8 || decoded.code < 0x80);
    if (can_change && (pattern == nullptr || pattern->Matches(bytes, shell.budget()))) {
      AppendUtf8(out, ChangeCase(decoded.code, op));
    } else {
      out += bytes;
    }
    i += decoded.length;
    if (is_first_only) return out.append(text.substr(i));
  }
  return out;
}

bool ApplyCase(Shell& shell, const Parameter& parameter, ParameterValue* value) {
  std::string pattern_text;
  if (parameter.word && !ExpandPattern(shell, *parameter.word, &pattern_text)) return false;
  std::optional<Pattern> pattern;
  if (!pattern_text.empty()) pattern.emplace(pattern_text, FlagsFor(shell));
  const bool is_utf8 = shell.locale().is_utf8;
  Map(shell, value, [&](const std::string& text) {
    return ChangeCases(shell, text, parameter.op, pattern ? &*pattern : nullptr, is_utf8);
  });
  return true;
}

// --- ${x:offset:length} ---------------------------------------------------------------------------------

bool EvaluateBound(Shell& shell, const Word& word, const Reference& reference, int64_t* value) {
  const auto result = EvaluateWord(shell, word, reference.display);
  if (!result) {
    if (shell.flow == Flow::kNone) shell.Discard();
    return false;
  }
  *value = *result;
  return true;
}

bool FailLength(Shell& shell, const Parameter& parameter) {
  shell.Complain(parameter.word2->source + ": substring expression < 0");
  shell.Discard();
  return false;
}

// Which element an offset means, as a position in value->list (for $@ with $0 put in front when the
// offset is 0); nothing when it is out of range.
std::optional<int64_t> FindFirstElement(Shell& shell, const Reference& reference, int64_t offset,
                                        ParameterValue* value) {
  const auto size = static_cast<int64_t>(value->list.size());
  const Variable* variable = reference.is_variable() ? FindVariable(shell, reference) : nullptr;
  if (variable != nullptr && variable->has(kIndexed)) {
    if (!variable->indexed) return offset == 0 ? std::optional<int64_t>(0) : std::nullopt;
    if (offset < 0) offset = IndexFromEnd(*variable->indexed, offset);
    if (offset < 0 || offset - 1 > variable->indexed->max_index()) return std::nullopt;
    int64_t first = 0;
    variable->indexed->ForEach([&](int64_t index, const std::string&) { first += index < offset; });
    return first;
  }
  if (offset < 0) offset += size + 1;
  if (offset < 0 || offset > size + 1) return std::nullopt;
  if (offset == 0 && !reference.is_variable()) {
    value->list.insert(value->list.begin(), shell.name0);
    return 0;
  }
  return std::clamp<int64_t>(offset - 1, 0, size);
}

bool SelectElements(Shell& shell, const Parameter& parameter, const Reference& reference, int64_t offset,
                    ParameterValue* value) {
  const auto first = FindFirstElement(shell, reference, offset, value);
  std::vector<std::string>& list = value->list;
  if (!first) {
    list.clear();
    return true;
  }
  const int64_t left = static_cast<int64_t>(list.size()) - *first;
  int64_t count = left;
  if (parameter.word2) {
    if (!EvaluateBound(shell, *parameter.word2, reference, &count)) return false;
    if (count < 0) return FailLength(shell, parameter);
    count = std::min(count, left);
  }
  list.erase(list.begin() + *first + count, list.end());
  list.erase(list.begin(), list.begin() + *first);
  return true;
}

bool SelectCharacters(Shell& shell, const Parameter& parameter, const Reference& reference, int64_t offset,
                      ParameterValue* value) {
  const std::string& text = value->text;
  const bool is_wide = shell.locale().is_utf8 && !IsAscii(text);
  const auto size = static_cast<int64_t>(is_wide ? CountUtf8(text) : text.size());
  const int64_t begin = offset < 0 ? offset + size : offset;
  if (begin < 0 || begin > size) {
    value->text.clear();
    return true;
  }
  int64_t end = size;
  if (parameter.word2) {
    int64_t length = 0;
    if (!EvaluateBound(shell, *parameter.word2, reference, &length)) return false;
    end = length < 0 ? size + length : begin + std::min(length, size - begin);
    if (end < begin) return FailLength(shell, parameter);
  }
  if (is_wide) {
    const size_t from = OffsetOfChar(text, static_cast<size_t>(begin));
    const size_t rest = OffsetOfChar(std::string_view(text).substr(from), static_cast<size_t>(end - begin));
    value->text = text.substr(from, rest);
  } else {
    value->text = text.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  }
  return true;
}

bool ApplySubstring(Shell& shell, const Parameter& parameter, const Reference& reference,
                    ParameterValue* value) {
  // Nothing is evaluated for a variable without a value.
  if (!value->is_set && (reference.is_variable() || !value->is_list)) return true;
  int64_t offset = 0;
  if (parameter.word && !EvaluateBound(shell, *parameter.word, reference, &offset)) return false;
  if (!value->is_list) return SelectCharacters(shell, parameter, reference, offset, value);
  const Variable* variable = reference.is_variable() ? FindVariable(shell, reference) : nullptr;
  if (variable != nullptr && !variable->is_array()) {
    // A plain variable as ${x[@]:1} is text all the same.
    value->text = std::move(value->list[0]);
    value->list.clear();
    const auto size = static_cast<int64_t>(value->text.size());
    if (offset > size || offset < -size) return true;
    value->is_list = false;
    return SelectCharacters(shell, parameter, reference, offset, value);
  }
  return SelectElements(shell, parameter, reference, offset, value);
}

// --- the whole substitution -----------------------------------------------------------------------------

class Substitution {
 public:
  Substitution(Expansion& out, const Parameter& parameter, const Context& context)
      : out_(out), shell_(out.shell()), parameter_(parameter), context_(context) {}

  bool Run();

 private:
  bool RunLength();
  bool RunKeys();
  bool RunConditional();
  bool RunTransforming();
  bool Assign();
  bool IsNull() const;
  bool AddOperand();
  bool OperandText(std::string* text);
  void AddResult();
  bool AddStickyRemoval();
  void AddPrefixNames();
  bool JoinsInAssignment() const;
  // The name that a nameref stands for, as ${!ref} shows it.
  std::optional<std::string> NamerefTarget() const;

  Expansion& out_;
  Shell& shell_;
  const Parameter& parameter_;
  const Context& context_;
  Reference reference_;
  ParameterValue value_;
};

void Substitution::AddResult() {
  if (value_.is_list) {
    if (AddStickyRemoval()) return;
    const bool is_plain_array = parameter_.op == Op::kNone && reference_.is_variable();
    const bool is_edit = (parameter_.op >= Op::kReplace && parameter_.op <= Op::kReplaceSuffix) ||
                         (parameter_.op >= Op::kUpperFirst && parameter_.op <= Op::kToggleAll);
    const bool is_star = value_.is_star && (is_plain_array || is_edit || !out_.is_here_document());
    out_.AddList(value_.list, is_star || JoinsInAssignment(), context_);
  } else {
    out_.AddValue(value_.text, context_);
  }
}

// With a null IFS, what `#` and `%` leave of an array's elements is one text, even without quotes.
bool Substitution::AddStickyRemoval() {
  const bool is_removal = parameter_.op >= Op::kRemovePrefix && parameter_.op <= Op::kRemoveLongSuffix;
  if (!is_removal || !reference_.is_variable() || context_.is_quoted) return false;
  if (out_.target() != Expansion::Target::kFields || !out_.ifs().is_null()) return false;
  std::string joined;
  for (size_t i = 0; i < value_.list.size(); ++i) joined += (i > 0 ? " " : "") + value_.list[i];
  out_.AddValue(joined, context_);
  return true;
}

// In the value of an assignment, what operators make of "$@" is joined as "$*" is.
bool Substitution::JoinsInAssignment() const {
  switch (parameter_.op) {
    case Op::kNone:
    case Op::kIndirect:
    case Op::kDefault:
    case Op::kAssign:
    case Op::kError:
    case Op::kAlternate: return false;
    default: break;
  }
  const bool is_removal = parameter_.op >= Op::kRemovePrefix && parameter_.op <= Op::kRemoveLongSuffix;
  const bool is_joined =
      parameter_.op == Op::kTransform ? parameter_.transform != 'A' : context_.is_quoted || is_removal;
  return out_.is_assignment() && is_joined && !out_.ifs().is_null();
}

std::optional<std::string> Substitution::NamerefTarget() const {
  if (parameter_.subscript || parameter_.is_subscript_at || parameter_.is_subscript_star) return {};
  const Variable* variable = shell_.variables.Find(parameter_.name);
  if (variable == nullptr || !variable->has(kNameref)) return {};
  return variable->text;
}

void Substitution::AddPrefixNames() {
  const std::vector<std::string> names = shell_.variables.Names(parameter_.name.text);
  if (parameter_.is_at || context_.is_quoted || !out_.ifs().is_null()) {
    return out_.AddList(names, !parameter_.is_at, context_);
  }
  // Unlike $*, these are joined even without quotes when IFS is null.
  std::string joined;
  for (const std::string& name : names) joined += name;
  if (!joined.empty()) out_.AddValue(joined, context_);
}

bool Substitution::Run() {
  switch (parameter_.op) {
    case Op::kBad:
      shell_.FailExpansion(out_.ComplainedText(parameter_.source, context_) + ": bad substitution");
      return false;
    case Op::kPrefixNames:
      AddPrefixNames();
      return true;
    default:
      break;
  }
  if (parameter_.op == Op::kIndirect) {
    if (const auto target = NamerefTarget()) {
      out_.AddValue(*target, context_);
      return true;
    }
  }
  if (parameter_.subscript && parameter_.subscript->parts.empty()) {
    shell_.FailExpansion(out_.ComplainedText(parameter_.source, context_) + ": bad substitution");
    return false;
  }
  if (!MakeReference(shell_, parameter_, &reference_)) return false;
  if (parameter_.op == Op::kKeys) return RunKeys();
  if (parameter_.op == Op::kIndirect || parameter_.is_indirect) {
    if (!FollowIndirect(shell_, &reference_)) return false;
  }
  if (!LoadValue(shell_, reference_, &value_)) return false;
  if (value_.is_bad_subscript && parameter_.op != Op::kLength) {
    shell_.Complain(reference_.name.text + ": bad array subscript");
  }
  switch (parameter_.op) {
    case Op::kLength: return RunLength();
    case Op::kDefault:
    case Op::kAssign:
    case Op::kError:
    case Op::kAlternate: return RunConditional();
    default: return RunTransforming();
  }
}

bool Substitution::RunLength() {
  if (value_.is_bad_subscript && FindVariable(shell_, reference_) != nullptr) {
    // Bash's wording names what is left of the text, too.
    shell_.FailExpansion(reference_.subscript + "]: bad array subscript");
    return false;
  }
  size_t length = 0;
  if (value_.is_list) {
    length = value_.list.size();
  } else {
    length = shell_.locale().is_utf8 ? CountUtf8(value_.text) : value_.text.size();
  }
  if (!value_.is_set && shell_.options.Get(SetOption::kNounset)) {
    const bool is_array = reference_.has_subscript || (value_.is_list && reference_.is_variable());
    if (!is_array && !value_.is_list) {
      FailUnset(shell_, reference_);
      return false;
    }
    const Variable* variable = FindVariable(shell_, reference_);
    if (is_array && (variable == nullptr || !variable->is_set)) {
      shell_.FailExpansion(reference_.name.text + ": unbound variable");
      return false;
    }
  }
  out_.AddValue(std::to_string(length), context_);
  return true;
}

bool Substitution::RunKeys() {
  std::vector<std::string> keys;
  const Variable* variable = FindVariable(shell_, reference_);
  if (variable != nullptr && variable->has(kAssociative)) {
    if (variable->associative) keys = variable->associative->Keys();
  } else if (variable != nullptr && variable->has(kIndexed)) {
    if (variable->indexed) {
      for (const int64_t key : variable->indexed->Keys()) keys.push_back(std::to_string(key));
    }
  } else if (variable != nullptr && variable->Scalar() != nullptr) {
    keys.emplace_back("0");
  }
  const bool is_star = reference_.is_star && !out_.is_here_document();
  if (is_star && !context_.is_quoted && out_.ifs().is_null()) {
    // Without separators the indices stay together.
    std::string joined;
    for (size_t i = 0; i < keys.size(); ++i) joined += (i > 0 && !out_.is_assignment() ? " " : "") + keys[i];
    out_.AddValue(joined, context_);
    return true;
  }
  out_.AddList(keys, is_star || JoinsInAssignment(), context_);
  return true;
}

bool Substitution::IsNull() const {
  if (!value_.is_set) return true;
  if (!parameter_.has_colon) return false;
  if (!value_.is_list) return value_.text.empty();
  if (value_.list.size() > 1 && (!value_.is_star || !out_.ifs().is_null())) return false;
  return std::all_of(value_.list.begin(), value_.list.end(),
                     [](const std::string& text) { return text.empty(); });
}

bool Substitution::AddOperand() {
  if (!parameter_.word || parameter_.word->parts.empty()) {
    out_.AddValue({}, context_);
    return true;
  }
  if (!out_.AddWord(*parameter_.word, OperandContext(context_))) return false;
  if (context_.is_quoted) out_.MarkField();
  return true;
}

bool Substitution::OperandText(std::string* text) {
  if (!parameter_.word) return true;
  Expansion operand(shell_, Expansion::Target::kString);
  Context context = OperandContext(context_);
  // What is assigned is one text, in which $* is joined as in an assignment.
  if (parameter_.op == Op::kAssign) context.splits_literals = false;
  if (!operand.AddWord(*parameter_.word, context)) return false;
  *text = std::move(operand.text());
  return true;
}

bool Substitution::RunConditional() {
  const bool is_null = IsNull();
  if (parameter_.op == Op::kAlternate) {
    if (!is_null) return AddOperand();
    if (value_.is_list && !value_.is_set) {
      out_.AddList({}, value_.is_star, context_);
    } else {
      out_.AddValue({}, context_);
    }
    return true;
  }
  if (!is_null) {
    AddResult();
    return true;
  }
  if (parameter_.op == Op::kDefault) return AddOperand();
  if (parameter_.op == Op::kAssign) return Assign();
  std::string message;
  if (!OperandText(&message)) return false;
  if (message.empty() && (!parameter_.word || parameter_.word->source.empty())) message = parameter_.has_colon ? "parameter null or not set" : "parameter not set";
  shell_.FailFatal(reference_.display + ": " + message);
  return false;
}

bool Substitution::Assign() {
  if (!reference_.is_variable()) {
    shell_.FailExpansion("$" + reference_.display + ": cannot assign in this way");
    return false;
  }
  if (reference_.is_list()) {
    shell_.FailExpansion(reference_.display + ": bad array subscript");
    return false;
  }
  std::string text;
  if (!OperandText(&text)) return false;
  const bool is_done = reference_.has_subscript
                           ? AssignElement(shell_, reference_.name, reference_.subscript, text)
                           : AssignScalar(shell_, reference_.name, text);
  if (!is_done) {
    if (shell_.flow == Flow::kNone) shell_.Discard();
    return false;
  }
  value_ = {};
  if (!LoadValue(shell_, reference_, &value_)) return false;
  AddResult();
  return true;
}

bool Substitution::RunTransforming() {
  if (!value_.is_set && !value_.is_list && shell_.options.Get(SetOption::kNounset)) {
    FailUnset(shell_, reference_);
    return false;
  }
  if (!value_.is_set && parameter_.op != Op::kTransform && parameter_.op != Op::kSubstring) {
    // Without a value the operands are not even expanded.
    AddResult();
    return true;
  }
  bool is_good = true;
  switch (parameter_.op) {
    case Op::kRemovePrefix:
    case Op::kRemoveLongPrefix:
    case Op::kRemoveSuffix:
    case Op::kRemoveLongSuffix:
      is_good = ApplyRemove(shell_, parameter_, &value_);
      break;
    case Op::kReplace:
    case Op::kReplaceAll:
    case Op::kReplacePrefix:
    case Op::kReplaceSuffix:
      is_good = ApplyReplace(shell_, parameter_, &value_);
      break;
    case Op::kSubstring:
      if (!parameter_.word2 && (!parameter_.word || parameter_.word->source.empty())) {
        shell_.FailExpansion(out_.ComplainedText(parameter_.source, context_) + ": bad substitution");
        return false;
      }
      is_good = ApplySubstring(shell_, parameter_, reference_, &value_);
      break;
    case Op::kUpperFirst:
    case Op::kUpperAll:
    case Op::kLowerFirst:
    case Op::kLowerAll:
    case Op::kToggleFirst:
    case Op::kToggleAll:
      is_good = ApplyCase(shell_, parameter_, &value_);
      break;
    case Op::kTransform:
      if (!TransformValue(shell_, parameter_.transform, reference_, &value_)) {
        shell_.FailFatal(out_.ComplainedText(parameter_.source, context_) + ": bad substitution");
        return false;
      }
      break;
    default:
      break;
  }
  if (!is_good) return false;
  AddResult();
  return true;
}

}  // namespace

bool ExpandParameter(Expansion& out, const Parameter& parameter, const Expansion::Context& context) {
  Shell& shell = out.shell();
  const bool is_bare = parameter.op == Op::kNone && !parameter.is_indirect && !parameter.subscript &&
                       !parameter.is_subscript_at && !parameter.is_subscript_star;
  if (is_bare) {
    const std::string& name = parameter.name.text;
    if (name == "@" || name == "*") {
      const bool is_spaced = out.is_here_document() || (context.splits_literals && out.ifs().is_null() &&
                                                        out.target() == Expansion::Target::kString);
      out.AddList(shell.positionals(), name == "*" && !is_spaced, context);
      return true;
    }
    const Variable* variable = shell.variables.Find(parameter.name);
    if (variable != nullptr && !variable->has(kNameref)) {
      if (const std::string* text = variable->Scalar()) {
        out.AddValue(*text, context);
        return true;
      }
    }
  }
  shell.budget().CheckStack();
  return Substitution(out, parameter, context).Run();
}

}  // namespace paddock::shell
