#include "lang/make/variables.h"

#include "lang/make/words.h"

namespace paddock::make {
namespace {

// The end of a name and the operator at or behind it; kNone if there is none.
Assign FindOperator(std::string_view text, size_t* name_end, size_t* value_begin) {
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '#') return Assign::kNone;
    if (c == '$') {
      i = ReferenceEnd(text, i);
      continue;
    }
    size_t at = i;
    if (IsBlank(c)) {
      while (at < text.size() && IsBlank(text[at])) ++at;
    }
    const std::string_view rest = text.substr(at);
    const auto found = [&](Assign how, size_t length) {
      *name_end = i;
      *value_begin = at + length;
      return how;
    };
    if (rest.starts_with("=")) return found(Assign::kRecursive, 1);
    if (rest.starts_with("::=")) return found(Assign::kSimple, 3);
    if (rest.starts_with(":=")) return found(Assign::kSimple, 2);
    if (rest.starts_with("+=")) return found(Assign::kAppend, 2);
    if (rest.starts_with("?=")) return found(Assign::kConditional, 2);
    if (rest.starts_with("!=")) return found(Assign::kShell, 2);
    if (IsBlank(c) || c == ':') return Assign::kNone;   // a second word, or a rule
  }
  return Assign::kNone;
}

}  // namespace

Assignment ParseAssignment(std::string_view line) {
  Assignment result;
  std::string_view rest = TrimFront(line);
  while (!rest.empty()) {
    size_t name_end = 0, value_begin = 0;
    const Assign how = FindOperator(rest, &name_end, &value_begin);
    if (how != Assign::kNone) {
      result.how = how;
      result.name = rest.substr(0, name_end);
      result.value = TrimFront(rest.substr(value_begin));
      return result;
    }
    std::string_view after = rest;
    const std::string_view word = TakeWord(after);
    after = TrimFront(after);
    if (word == "export") {
      result.export_mode = Export::kYes;
    } else if (word == "unexport") {
      result.export_mode = Export::kNo;
    } else if (word == "override") {
      result.is_override = true;
    } else if (word == "private") {
      result.is_private = true;
    } else if (word == "define") {
      result.is_define = true;
      result.how = Assign::kDefine;
      std::string_view name = Trim(after);
      // "define NAME := more": what is behind the operator does not count.
      if (size_t end = 0, value_at = 0; FindOperator(name, &end, &value_at) != Assign::kNone && !Trim(name.substr(value_at)).empty()) {
        result.has_more = true;
        name = name.substr(0, value_at);
      }
      // "define NAME :=": the operator is the last word.
      for (const auto& [text, op] : {std::pair<std::string_view, Assign>{"::=", Assign::kSimple}, {":=", Assign::kSimple},
                                     {"+=", Assign::kAppend}, {"?=", Assign::kConditional}, {"!=", Assign::kShell},
                                     {"=", Assign::kRecursive}}) {
        if (!name.ends_with(text)) continue;
        result.value = text;
        result.how = op;
        name = Trim(name.substr(0, name.size() - text.size()));
        break;
      }
      if (result.how == Assign::kDefine) result.how = Assign::kRecursive;
      result.name = name;
      return result;
    } else if (word == "undefine") {
      result.is_undefine = true;
      result.how = Assign::kDefine;
      result.name = Trim(after);
      return result;
    } else {
      return {};
    }
    rest = after;
  }
  return {};
}

}  // namespace paddock::make
